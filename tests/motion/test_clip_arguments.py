"""Arguments of clips: NumPy's booleans, keys without a target, and clear errors."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from checks import assert_close

import manikin as mk
from manikin.errors import BadValue, Unsupported
from manikin.solvers.native.speeds import number_speeds

PERSON = mk.human()
TIMES = np.arange(60) / 30
HAND = mk.Position("RightHand", (-0.3, 1.1, 0.3))
STILL = mk.Motion(PERSON, np.tile(PERSON.rest, (60, 1)), TIMES)


@pytest.mark.parametrize("smooth", [True, False])
def test_booleans_of_numpy_mean_the_same(smooth: bool) -> None:
    rows = HAND.target + 0.01 * np.random.default_rng(0).normal(size=(60, 3))
    given: list[Any] = [smooth, np.bool_(smooth)]
    plain, numpy = (mk.solve_motion(PERSON, mk.Over(HAND, rows), TIMES, smooth=s) for s in given)
    assert np.array_equal(plain.motion.poses, numpy.motion.poses)
    assert np.array_equal(plain.targets, numpy.targets)


@pytest.mark.parametrize("missing", [None, (np.nan, np.nan, np.nan), (0.0, np.nan, 1.0)])
def test_a_key_without_a_target_is_a_gap(missing: Any) -> None:
    a, b = np.array([-0.3, 1.1, 0.3]), np.array([-0.3, 1.2, 0.3])
    over = mk.Over(HAND, {0.2: a, 0.4: b, 1.0: missing, 1.4: b, 1.8: a})
    rows = over.rows(TIMES)
    known = np.isfinite(rows).all(axis=1)
    assert np.array_equal(np.flatnonzero(known), [*range(6, 13), *range(42, 55)])
    assert_close(rows[[6, 12, 42, 54]], [a, b, b, a], tol=1e-12)
    clip = mk.solve_motion(PERSON, over, TIMES)
    assert np.isfinite(clip.errors[known]).all()
    assert clip.reached.all()


def test_quality_needs_a_figure() -> None:
    with pytest.raises(BadValue, match="figure is 'human'; it needs a Figure"):
        STILL.quality("human")  # type: ignore[arg-type]


def test_trails_are_names_or_a_boolean(tmp_path: Path) -> None:
    with pytest.raises(BadValue, match="trails is 5; it needs names of segments, True or False"):
        mk.animate(STILL, tmp_path / "x.html", trails=5)  # type: ignore[arg-type]
    mk.animate(STILL, tmp_path / "x.html", trails=np.True_)  # type: ignore[arg-type]
    assert (tmp_path / "x.html").exists()


@pytest.mark.parametrize("figure", [PERSON, mk.chain(4), mk.quadruped()], ids=lambda f: f.name)
def test_a_solver_of_bytes_takes_one_speed_for_all_joints(figure: mk.Figure) -> None:
    tip = figure.segment_names[-1]
    at = figure.placements(figure.rest, [tip])[0, :3, 3]
    solver = mk.Solver(figure, mk.Position(tip, at))
    stored = mk.Solver.from_bytes(solver.to_bytes())
    rows = at + np.linspace(0.0, 0.2 * figure.size, 20)[:, None] * np.array([0.0, 1.0, 0.5])
    one, two = (s.track(figure.rest, rows, max_speed=0.7) for s in (solver, stored))
    assert np.array_equal(one.poses, two.poses)
    assert np.array_equal(stored.figure.speeds(0.7), number_speeds(figure, 0.7))  # type: ignore[attr-defined]
    with pytest.raises(Unsupported, match="bytes"):
        stored.track(figure.rest, rows, max_speed={tip: 1.0})


def test_memory_beyond_the_results_does_not_grow_with_the_clip() -> None:
    """The peak of a call above the size of its results is that of a window, for any number of frames."""

    def above(count: int) -> float:
        times = np.arange(count) / 120.0
        over = mk.Over(HAND, HAND.target + 0.05 * np.sin(times)[:, None])
        tracemalloc.start()
        clip = mk.solve_motion(PERSON, over, times, start=PERSON.rest)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        results = (clip.motion.poses, clip.errors, clip.targets, clip.reached, clip.eased)
        return float(peak - sum(array.nbytes for array in results))

    short, long = above(6000), above(18000)
    assert long - short < 0.1 * short + 12000 * 100  # a copy of the poses would have 1016 bytes for each frame


@pytest.mark.parametrize("reverse", [False, True])
def test_a_position_and_a_placement_follow_one_another(reverse: bool) -> None:
    """The hand is led from the target of one goal to that of the other, and is never pulled to both."""
    times = np.arange(120) / 60
    grip = mk.solve(PERSON, mk.Position("RightHand", (-0.3, 1.4, 0.3))).pose
    intervals = [(0.4, 0.9), (1.1, 1.6)][:: -1 if reverse else 1]
    point = mk.Over(mk.Position("RightHand", (-0.3, 1.0, 0.3)), during=[intervals[0]])
    place = mk.Over(mk.Placement("RightHand", PERSON.placements(grip, ["RightHand"])[0]), during=[intervals[1]])
    stand = mk.Placement("Hips", PERSON.placements(PERSON.rest, ["Hips"])[0])
    clip = mk.solve_motion(PERSON, [stand, point, place], times, start=PERSON.rest)
    assert clip.reached.all()
    hand = clip.motion.placements(["RightHand"])[:, 0, :3, 3]
    assert np.abs(np.diff(hand, axis=0)).max() * 60 < 8.0


def test_a_progress_that_is_no_function_is_named() -> None:
    arm = mk.chain(3, planar=True)
    goal = mk.Position("Tip", (1.0, 1.0), axes="xy")
    with pytest.raises(BadValue, match="progress is 'often'; it needs a function"):
        mk.solve_motion(arm, goal, np.arange(4) / 30.0, progress="often")  # type: ignore[arg-type]
