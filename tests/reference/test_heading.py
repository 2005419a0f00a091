"""Headings: the native result equals the reference, and its turn and shift bring points nearest to their targets."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from headings import ANIMAL, PERSON, TURNS, asked, beyond, goals, turned, with_euler_root
from hypothesis import given, settings
from hypothesis import strategies as st

import manikin as mk
from manikin import backend, rotations
from manikin.figure.random_figure import random_figure
from manikin.goals import heading as of_goals
from manikin.reference import heading as reference
from manikin.reference.heading import Heading, HeadingArrays, angles_of, nearest


def arrays_of(
    figure: mk.Figure, wanted: list[mk.Goal], monkeypatch: pytest.MonkeyPatch, start: np.ndarray | None = None
) -> HeadingArrays | None:
    """What the native and the reference heading are given."""
    with monkeypatch.context() as patch:
        patch.setattr(of_goals.backend, "heading", lambda arrays: arrays)
        settled = [goal.on(figure) for goal in wanted]
        return of_goals.heading_of(figure, settled, figure.rest if start is None else start, np.ones(figure.nv, bool))  # type: ignore[return-value]


@pytest.mark.skipif(not backend.native, reason="MANIKIN_BACKEND=reference: there is nothing to compare")
def test_the_native_heading_is_that_of_the_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    rng, seen = np.random.default_rng(0), 0
    people = [(mk.human(), PERSON), (mk.quadruped(), ANIMAL)]
    people += [(with_euler_root(order), PERSON) for order in ("XYZ", "ZYX", "ZXZ", "YXZ")]
    people.append((with_euler_root("XYZ", [(-2.0, 2.0), (-1.0, 1.0), (-0.3, 3.0)]), PERSON))
    for _ in range(60):
        figure = random_figure(rng, int(rng.integers(4, 12)))
        names = rng.permutation([s.name for s in figure.segments])[:4].tolist()
        people.append((figure.replaced(up="xyz"[rng.integers(3)]), names))
    for figure, names in people:
        for placed in (False, True):
            arrays = arrays_of(figure, goals(names, placed), monkeypatch)
            if arrays is None:
                continue
            rows = beyond(figure, asked(figure, figure.random(rng, 12), names, placed), placed, rng, 0.2)
            rows = np.concatenate([turned(figure, rows, placed, *turn) for turn in TURNS])
            weights = rng.choice([0.0, 1e-3, 1.0, 50.0], (len(rows), len(names)), p=[0.1, 0.1, 0.6, 0.2])
            first, second = Heading(arrays).starts(rows, weights), backend.heading(arrays).starts(rows, weights)
            assert np.abs(figure.difference(first, second)).max() < 1e-9 * max(1.0, figure.size)
            assert np.array_equal((first == arrays.start).all(axis=1), (second == arrays.start).all(axis=1))
            seen += int((first != arrays.start).any(axis=1).sum())
    assert seen > 500


def test_no_other_turn_or_shift_is_nearer_to_the_targets(monkeypatch: pytest.MonkeyPatch) -> None:
    """A least-squares fit, in the measure of the solvers: weights, and 0.2 sizes a radian for small turns."""
    human, rng = mk.human(), np.random.default_rng(1)
    weight = np.array([1.0, 2.0, 0.5, 1.0, 1.0])
    wanted = [mk.Position(s, (0, 0, 0), weight=w) for s, w in zip(PERSON, weight, strict=True)]
    arrays = arrays_of(human, wanted, monkeypatch)
    assert arrays is not None
    rows = turned(human, asked(human, human.random(rng, 10), PERSON, False), False, 2.0, (0.3, 0.1, 0.0))

    def cost(q: np.ndarray, row: np.ndarray) -> float:
        return float(weight @ np.square(human.placements(q, list(PERSON))[:, :3, 3] - row.reshape(-1, 3)).sum(axis=1))

    for row, q in zip(rows, Heading(arrays).starts(rows, weight), strict=True):
        for _ in range(20):
            other = q.copy()
            other[:3] += rng.normal(0.0, 0.01, 3)
            other[3:7] = rotations.multiply(rotations.from_axis_angle((0, 1, 0), rng.normal(0.0, 0.01)), q[3:7])
            assert cost(q, row) < cost(other, row)


def test_orientations_count_for_the_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    human = mk.human()
    row = asked(human, human.rest[None], PERSON, False)[0].reshape(-1, 3)
    positions = [mk.Position(s, p) for s, p in zip(PERSON, row, strict=True)]
    half = rotations.from_axis_angle((0, 1, 0), 0.5)
    facing = mk.Orientation("Head", half, weight=100.0)
    arrays = arrays_of(human, [*positions, facing], monkeypatch)
    assert arrays is not None
    targets = np.concatenate([row.ravel(), half])
    heading = Heading(arrays)
    plain = heading.starts(targets[None], np.array([1.0] * 5 + [0.0]))[0]
    with_turn = heading.starts(targets[None], np.array([1.0] * 5 + [100.0]))[0]
    assert np.abs(human.difference(human.rest, plain)).max() < 1e-12
    turn = rotations.to_rotation_vector(with_turn[3:7])
    assert 0.3 < turn[1] < 0.5
    assert np.abs(turn[[0, 2]]).max() < 1e-12


def test_where_there_is_no_telling_the_turn_the_figure_is_only_moved(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three points of a triangle with two of its targets exchanged, so that both sums are 0."""
    triangle = [mk.Segment("A", None, mk.Joint("A", (mk.Free(),)))]
    corners = [(np.cos(a), 0.0, np.sin(a)) for a in np.deg2rad([90.0, 210.0, 330.0])]
    triangle += [mk.Segment(f"P{k}", "A", offset=c) for k, c in enumerate(corners)]
    figure = mk.Figure("triangle", triangle, up="y")
    arrays = arrays_of(figure, goals(["P0", "P1", "P2"], False), monkeypatch)
    assert arrays is not None
    row = np.array([corners[0], corners[2], corners[1]]) + np.array([3.0, 1.0, 2.0])
    start = Heading(arrays).starts(row.reshape(1, -1), np.ones(3))[0]
    assert np.allclose(start, [3.0, 1.0, 2.0, 1.0, 0.0, 0.0, 0.0], atol=1e-12)


def test_targets_far_away_stay_finite(monkeypatch: pytest.MonkeyPatch) -> None:
    human = mk.human()
    arrays = arrays_of(human, goals(PERSON, False), monkeypatch)
    assert arrays is not None
    rows = np.tile(asked(human, human.rest[None], PERSON, False), (2, 1))
    rows[0, 3:6], rows[1] = 1e300, -1e300
    for heading in (Heading, backend.heading):
        assert np.isfinite(heading(arrays).starts(rows, np.full(5, 1e100))).all()


def test_limits_of_slides_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    human = mk.human()
    arrays = arrays_of(human, goals(PERSON, False), monkeypatch)
    assert arrays is not None
    narrow = replace(arrays, slide_limits=np.array([[-0.1, 0.1], [0.0, 1.0], [-np.inf, np.inf]]))
    row = asked(human, human.rest[None], PERSON, False) + 5.0
    for heading in (Heading, backend.heading):
        assert np.allclose(heading(narrow).starts(row, np.ones(5))[0, :3], [0.1, 1.0, 5.0])


angle = st.floats(-7.0, 7.0) | st.sampled_from([0.0, np.pi / 2, -np.pi / 2, np.pi, 2 * np.pi])


@settings(max_examples=300)
@given(st.sampled_from(["XYZ", "ZYX", "YXZ", "ZXZ", "XYX"]), angle, angle, angle, st.integers(0, 2**32 - 1))
def test_angles_about_any_axes_across_each_other_make_the_rotation(
    order: str, a: float, b: float, c: float, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    frame = rotations.to_matrix(rotations.normalized(rng.normal(size=4)))
    axes = np.array([frame @ rotations.AXES[letter.lower()] for letter in order])
    wanted = reference._turned(axes, np.array([a, b, c]))
    for found in angles_of(axes, wanted, np.array([a, b, c])):
        assert np.abs(reference._turned(axes, found) - wanted).max() < 1e-6  # rounding at a gimbal is of that size
    one = angles_of(axes, wanted, np.array([a, b, c]))[0]
    free = np.array([[-np.inf, np.inf]] * 3)
    close = nearest(one, np.array([a, b, c]), free)
    assert close is not None
    assert np.abs(close - (a, b, c)).max() <= np.pi + 1e-12
    assert nearest(one, np.array([a, b, c]), np.array([[10.0, 10.1]] * 3)) is None


def test_constants_are_those_of_the_native_core() -> None:
    source = Path(__file__).parents[2].joinpath("cpp", "solve", "constants.h").read_text(encoding="utf-8")
    for name in ("LEAST_EFFECTORS", "LEAST_SPREAD", "LEAST_SENSE", "LEAST_ACROSS"):
        native = "k" + name.title().replace("_", "")
        line = next(line for line in source.splitlines() if f" {native} = " in line)
        assert float(line.split("=")[1].split(";")[0]) == getattr(reference, name)
