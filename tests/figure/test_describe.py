"""The readable tree: one line for each segment, for any figure."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from strategies import random_figure, rngs

from manikin.figure import (
    Ball,
    Coupling,
    Euler,
    Figure,
    Free,
    Hinge,
    Joint,
    Segment,
    Slider,
    SwingTwist,
    chain,
    samples,
)


def test_a_figure_reads_as_a_tree() -> None:
    figure = Figure(
        "dancer",
        [
            Segment("Hips", joint=Free(), mass=10),
            Segment("Spine", "Hips", Euler("ZXY", ((-1, 1), (0, 0.5), (-1, 1))), mass=5, offset=(0, 0.3, 0)),
            Segment("Arm", "Spine", Ball(SwingTwist(swing=(1, 0.5), twist=(-1, 1))), offset=(0.2, 0, 0)),
            Segment("ForeArm", "Arm", Joint("Elbow", (Hinge((0, -1, 0), (0, 2.5)),)), offset=(0.3, 0, 0)),
            Segment(
                "Grip",
                "ForeArm",
                Joint(motions=(Slider((0.6, 0.8, 0), (0, 0.1)),), coupling=Coupling("Elbow", 0.02, 0.01)),
            ),
            Segment("Leg", "Hips", (Slider(), Hinge((1, 0, 0)))),
            Segment("Foot", "Leg"),
        ],
        unit=0.01,
        up="z",
    )
    head, *lines = figure.describe().splitlines()
    assert head == "dancer: 7 segments, 15 degrees of freedom, 18 numbers, unit 0.01 m, z up, size 0.9, mass 15 kg"
    rows = [
        ("Hips", "free", "10 kg"),
        ("├ Spine", "euler ZXY (z -57…57°, x 0…29°, y -57…57°)", "5 kg"),
        ("│ └ Arm", "ball, swing 57° × 29°, twist -57…57°", ""),
        ("│   └ ForeArm", "Elbow: hinge −y 0…143°", ""),
        ("│     └ Grip", "slider (0.6, 0.8, 0) 0…0.1, follows Elbow × 0.02 + 0.01", ""),
        ("└ Leg", "slider x free + hinge x free", ""),
        ("  └ Foot", "fixed", ""),
    ]
    left, middle = (max(len(row[k]) for row in rows) for k in (0, 1))
    assert lines == [f"{a:<{left}}  {b:<{middle}}  {c}".rstrip() for a, b, c in rows]


@pytest.mark.parametrize(("unit", "said"), [(None, "no unit"), (1.0, "metres"), (0.0254, "unit 0.0254 m")])
def test_the_unit_is_said(unit: float | None, said: str) -> None:
    assert f" {said}, " in Figure("f", [Segment("A")], unit=unit).describe().splitlines()[0]


@pytest.mark.parametrize("name", sorted(samples.all()))
def test_every_sample_can_be_described(name: str) -> None:
    figure, _ = samples.all()[name]
    assert_one_line_a_segment(figure)


@given(rngs())
def test_every_random_figure_can_be_described(rng: np.random.Generator) -> None:
    assert_one_line_a_segment(random_figure(rng))


def test_a_chain_of_five_thousand_segments_is_described_without_recursion() -> None:
    figure = chain(5000, planar=True)
    lines = figure.describe().splitlines()
    assert len(lines) == 5002
    assert lines[0].startswith("chain: 5001 segments, 5000 degrees of freedom")
    assert lines[-1].rstrip().endswith("fixed")


def assert_one_line_a_segment(figure: Figure) -> None:
    head, *lines = figure.describe().splitlines()
    assert f"{len(figure.segments)} segments" in head
    assert f"{figure.nv} degrees of freedom" in head
    assert len(lines) == len(figure.segments)
    for s in figure.segments:
        line = next(row for row in lines if row.lstrip("│├└ ").split(" ")[0] == s.name)
        assert s.joint.kind.split("+")[0] in line


def test_a_very_deep_chain_is_not_a_very_wide_page() -> None:
    lines = chain(2000).describe().splitlines()
    assert len(lines) == 2002
    assert max(map(len, lines)) < 160
