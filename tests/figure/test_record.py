"""A figure written as plain data comes back to the bit: JSON, dictionary, pickle, fingerprint."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from strategies import random_figure, random_pose, rngs

from manikin.figure import (
    Ball,
    Box,
    Coupling,
    Euler,
    Figure,
    Hinge,
    Joint,
    Segment,
    Slider,
    Sphere,
    SwingTwist,
    chain,
    samples,
)


def assert_same(back: Figure, figure: Figure) -> None:
    assert back == figure
    assert hash(back) == hash(figure)
    assert back.segments == figure.segments
    assert (back.name, back.unit, back.up) == (figure.name, figure.unit, figure.up)
    for name in ("rest", "lower", "upper"):
        assert np.array_equal(getattr(back, name), getattr(figure, name)), name


@settings(max_examples=150)
@given(rngs())
def test_any_figure_comes_back_from_json_to_the_bit(rng: np.random.Generator) -> None:
    figure = random_figure(rng)
    text = json.dumps(figure.to_dict(), allow_nan=False)
    back = Figure.from_dict(json.loads(text))
    assert_same(back, figure)
    assert json.dumps(back.to_dict(), allow_nan=False) == text
    q = random_pose(figure, rng)
    assert np.array_equal(back.placements(q), figure.placements(q))


@given(rngs())
def test_any_figure_comes_back_from_pickle_with_its_source(rng: np.random.Generator) -> None:
    figure = random_figure(rng).replaced(source={"text": "as read"})
    back = pickle.loads(pickle.dumps(figure))
    assert_same(back, figure)
    assert dict(back.source) == {"text": "as read"}
    q = random_pose(figure, rng)
    assert np.array_equal(back.placements(q), figure.placements(q))


@pytest.mark.parametrize("name", sorted(samples.all()))
def test_every_sample_comes_back(name: str) -> None:
    figure, _ = samples.all()[name]
    assert_same(Figure.from_dict(json.loads(json.dumps(figure.to_dict()))), figure)


def test_the_dictionary_holds_what_differs_from_the_defaults_only() -> None:
    figure = Figure(
        "f", [Segment("A"), Segment("B", "A", Hinge(limits=(0, np.inf)), mass=2, offset=(1, 0, 0))], unit=None
    )
    assert figure.to_dict() == {
        "manikin": 1,
        "name": "f",
        "unit": None,
        "up": "y",
        "segments": [
            {"name": "A"},
            {
                "name": "B",
                "parent": "A",
                "mass": 2.0,
                "joint": {"offset": [1.0, 0.0, 0.0], "motions": [{"kind": "hinge", "limits": [0.0, "inf"]}]},
            },
        ],
    }


def test_every_field_is_written_and_read() -> None:
    turn = (0.5, 0.5, 0.5, 0.5)
    cone = SwingTwist((1, 0, 0), (1.0, 0.3), (-0.1, 0.2), (0, 0, 1), turn)
    joint = Joint("elbow", (Slider((0, 0, 1), (-1, 2), 3.0), Ball(cone)), (1, 2, 3), turn, rest=(0.5, *turn))
    follower = Joint("grip", (Hinge((0, 1, 0), (-np.inf, 2), 4.0),), coupling=Coupling("turn", -0.5, 0.25))
    figure = Figure(
        "f",
        [
            Segment("A", None, joint, 1.5, (1, 2, 3), (1, 2, 3, 4, 5, 6), [Sphere(), Box(rotation=turn)]),
            Segment("B", "A", Joint("turn", (Hinge(),))),
            Segment("C", "B", follower),
            Segment("D", "C", Euler("XZX", ((-1, 1), (-np.inf, np.inf), (0, np.inf)))),
        ],
        unit=0.0254,
        up="x",
    )
    assert_same(Figure.from_dict(json.loads(json.dumps(figure.to_dict()))), figure)


@pytest.mark.parametrize("name", ["inf", "-inf", "nan", "  ", "Ω-arm", 'a"b\\c', "1.5", "None"])
def test_odd_names_survive(name: str) -> None:
    follower = Joint(motions=(Hinge(),), coupling=Coupling(name))
    figure = Figure(name, [Segment(name, joint=Hinge()), Segment("B", name, follower)])
    assert_same(Figure.from_dict(json.loads(json.dumps(figure.to_dict()))), figure)


def test_reading_leaves_the_data_alone() -> None:
    data = random_figure(np.random.default_rng(0), segments=8).to_dict()
    before = json.dumps(data)
    Figure.from_dict(data)
    assert json.dumps(data) == before


def test_the_fingerprint_is_the_same_in_every_process() -> None:
    figure = chain([1.0, 0.1, 3.0])
    code = "from manikin.figure import chain; print(chain([1.0, 0.1, 3.0]).digest)"
    paths = os.pathsep.join(p for p in sys.path if p)
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": paths}
        run = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True, timeout=120
        )
        assert run.stdout.strip() == figure.digest


def test_a_difference_in_the_last_bit_changes_the_fingerprint() -> None:
    assert chain([1.0]).digest != chain([float(np.nextafter(1.0, 2.0))]).digest
