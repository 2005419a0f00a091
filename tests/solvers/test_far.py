"""Targets of any finite number, figures of any size: finite poses within limits, no warning, and the nearest pose."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from checks import poses_of

import manikin as mk
from manikin import backend
from manikin.errors import BadValue
from manikin.goals.goal import FARTHEST

native = pytest.mark.skipif(not backend.native, reason="MANIKIN_BACKEND=reference: there is no native solver")

FIGURES = {
    "person": mk.human(),
    "a micrometre of a person": mk.human().scaled(1e-6),
    "a megametre of a person": mk.human().scaled(1e6),
    "chain": mk.chain(4, planar=True),
}
NUMBERS = (1e100, 1e150, 1e160, 1e300, -1.7e308, 1e-160, 1e-300)
GOALS: dict[str, Callable[[str, str, float], list[mk.Goal]]] = {
    "position": lambda tip, _, x: [mk.Position(tip, (x, 0, x))],
    "placement": lambda tip, _, x: [mk.Placement(tip, (x, x, 0, 1, 0, 0, 0))],
    "aim": lambda tip, _, x: [mk.Aim(tip, (x, x, 0))],
    "plane": lambda tip, _, x: [mk.Plane(tip, (x, 0, 0), (1, 0, 0))],
    "line": lambda tip, _, x: [mk.Line(tip, (0, x, 0), (0, 0, 1))],
    "distance to there": lambda tip, _, x: [mk.Distance(tip, (x, 0, 0), 1.0)],
    "such a distance": lambda tip, other, x: [mk.Distance(tip, other, abs(x))],
    "relative": lambda tip, other, x: [mk.Relative(tip, other, (x, 0, 0), orientation=False)],
    "any of": lambda tip, _, x: [mk.AnyOf(mk.Position(tip, (x, 0, 0)), mk.Distance(tip, (-x, 0, 0), 0.0))],
    "offset": lambda tip, _, x: [mk.Position(tip, (1, 0, 0), offset=(x, 0, 0))],
    "tolerance": lambda tip, _, x: [mk.Position(tip, (1, 0, 0), tolerance=abs(x))],
    "behind another": lambda tip, other, x: [mk.Position(other, (0, 0, 0)), mk.Position(tip, (x, 0, 0), priority=1)],
}


@pytest.mark.parametrize("kind", GOALS)
@pytest.mark.parametrize("name", FIGURES)
def test_any_finite_number_gives_a_finite_pose_and_finite_errors(name: str, kind: str) -> None:
    figure = FIGURES[name]
    tip = "Tip" if name == "chain" else "RightHand"
    for x in NUMBERS:
        goals = GOALS[kind](tip, figure.segment_names[1], x)
        solution = mk.solve(figure, goals, restarts=2)
        found = [(solution.pose, solution.errors)]
        assert str(solution)
        assert all(report.text for report in solution.report)
        if backend.native:
            solver = mk.Solver(figure, goals)
            rows = np.tile(solver.targets, (3, 1))
            one, many, track = (
                solver.solve(restarts=2),
                solver.solve_many(None, rows, restarts=2),
                solver.track(None, rows),
            )
            found += [(poses_of(a), a.errors) for a in (one, many, track)]
        for pose, errors in found:
            assert np.isfinite(pose).all()
            assert np.isfinite(errors).all()
            assert np.max(figure.violation(pose)) <= 1e-9 * figure.size


@native
@pytest.mark.parametrize("x", NUMBERS)
def test_rows_of_targets_may_be_any_finite_number_too(x: float) -> None:
    figure = mk.human()
    goals = [mk.Position("RightHand", (0, 0, 0)), mk.Plane("LeftHand", (0, 0, 0), (0, 1, 0)), mk.Aim("Head", (0, 0, 5))]
    solver = mk.Solver(figure, goals)
    row = solver.targets.copy()
    row[:3], row[3:6], row[9:] = x, x, x
    near = solver.targets
    poses = [solver.solve(None, row), solver.solve_many(None, [row, near]), solver.track(None, [near, row, near])]
    for found in poses:
        assert np.isfinite(poses_of(found)).all()
        assert np.isfinite(found.errors).all()  # type: ignore[attr-defined]


def test_what_is_farther_than_can_be_followed_is_taken_to_be_nearer_and_said_so() -> None:
    figure = mk.human()
    solution = mk.solve(figure, mk.Position("RightHand", (1e300, 0, 0)), restarts=0)
    taken = "Position RightHand: a target farther away than 1e+12 sizes of the figure was moved to that distance"
    assert taken in solution.notes
    assert solution.goals[0].target == pytest.approx((FARTHEST * figure.size, 0, 0))
    assert taken not in mk.solve(figure, mk.Position("RightHand", (1e10, 0, 0)), restarts=0).notes


@native
@pytest.mark.parametrize("exponent", [1, 2, 4, 6, 8, 10, 12, 100, 300])
def test_however_far_the_target_the_hand_is_stretched_toward_it(exponent: int) -> None:
    figure, axis = mk.human(), np.array([1.0, 0.0, 0.0])
    solution = mk.solve(figure, mk.Position("LeftHand", 10.0**exponent * axis), freeze=["Hips"])
    best = mk.solve(figure, mk.Plane("LeftHand", 2.0 * axis, axis), freeze=["Hips"])  # as far along the axis as can be
    along = [float(figure.placements(s.pose, ["LeftHand"])[0, 0, 3]) for s in (solution, best)]
    assert not best.reached
    assert along[0] == pytest.approx(along[1], abs=0.02 if exponent == 1 else 2e-3)


@native
def test_weights_above_what_squares_allow_are_refused() -> None:
    figure = mk.human()
    with pytest.raises(BadValue, match=r"Position: weight is 1e\+101; it must be at most 1e\+100"):
        mk.Position("RightHand", (0, 0, 0), weight=1e101)
    solver = mk.Solver(figure, mk.Position("RightHand", (0, 0, 0)))
    with pytest.raises(BadValue, match=r"weights contains 1e\+200; each must be at most 1e\+100"):
        solver.solve(weights=[1e200])
    assert np.isfinite(solver.solve(None, [1e300, 0, 0], weights=[1e100]).errors).all()
