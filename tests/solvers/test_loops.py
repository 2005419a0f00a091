"""Closed loops in a solve: kept before every goal, brought together where they are open, and left out on request."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from checks import assert_close
from numpy.typing import NDArray

import manikin as mk
from manikin.errors import BadShape, BadValue, Unsupported
from manikin.goals.loops import LENGTH, with_loops
from manikin.problem import Problem

Array = NDArray[np.float64]


def four_bars(weld: bool = False) -> mk.Figure:
    """A crank of 1 on the ground at (0, 0), a rocker of 3 at (4, 0), and a coupler of 4 between their ends, with a pen.

    The crank turns all the way round (1 + 4 < 4 + 3).
    """
    segments = [
        mk.Segment("Ground"),
        mk.Segment("Crank", "Ground", mk.Hinge()),
        mk.Segment("Coupler", "Crank", mk.Hinge(), offset=(1, 0, 0)),
        mk.Segment("Pen", "Coupler", offset=(2, 1, 0)),
        mk.Segment("Rocker", "Ground", mk.Hinge(limits=(0.5, 3.0)), offset=(4, 0, 0)),
    ]
    turn: dict[str, Any] = {"rotation": (1, 0, 0, 0)} if weld else {}
    return mk.Figure("four bars", segments, loops=[mk.Loop("bar", "Coupler", "Rocker", (4, 0, 0), (3, 0, 0), **turn)])


def gap(figure: mk.Figure, q: Array) -> float:
    """How far the ends of coupler and rocker are apart, found without goals."""
    T = figure.placements(q, ["Coupler", "Rocker"])
    ends = [M[:3, :3] @ point + M[:3, 3] for M, point in zip(T, [(4, 0, 0), (3, 0, 0)], strict=True)]
    return float(np.linalg.norm(ends[0] - ends[1]))


def closed(figure: mk.Figure, crank: float) -> Array:
    """A pose with the crank at an angle, by the law of cosines."""
    tip = np.array([np.cos(crank), np.sin(crank)])
    across = np.array([4.0, 0.0]) - tip
    far = float(np.linalg.norm(across))
    angle = np.arctan2(across[1], across[0]) + np.arccos((far**2 + 16 - 9) / (2 * far * 4))
    end = tip + 4 * np.array([np.cos(angle), np.sin(angle)])
    rocker = np.arctan2(end[1], end[0] - 4)
    return figure.pose({"Crank": crank, "Coupler": angle - crank, "Rocker": rocker})


def test_the_figure_of_these_tests_closes() -> None:
    figure = four_bars()
    for crank in np.linspace(-3, 3, 9):
        assert gap(figure, closed(figure, crank)) < 1e-12


def test_an_open_start_is_brought_together() -> None:
    figure = four_bars()
    assert gap(figure, figure.rest) > 1.0
    solution = mk.solve(figure, [])
    assert solution.reached
    assert gap(figure, solution.pose) <= LENGTH * figure.size
    assert [g.name for g in solution.goals] == ["bar"]


@pytest.mark.parametrize("crank", np.linspace(-3, 3, 13))
def test_a_goal_within_reach_is_reached_with_the_loop_closed(crank: float) -> None:
    figure = four_bars()
    wanted = figure.placements(closed(figure, crank), ["Pen"])[0, :3, 3]
    solution = mk.solve(figure, mk.Position("Pen", wanted))
    assert solution.reached, str(solution)
    assert gap(figure, solution.pose) <= LENGTH * figure.size
    assert figure.violation(solution.pose) == 0.0


@pytest.mark.parametrize("wanted", [(9, 0, 0), (2, -30, 0), (-500, 500, 0), (2.0, 2.9, 0), (4, 0.5, 0)])
def test_no_goal_opens_a_loop(wanted: tuple[float, float, float]) -> None:
    figure = four_bars()
    free = mk.solve(figure, mk.Position("Pen", wanted), loops=False)
    assert gap(figure, free.pose) > 0.1, "the goal does not pull at the loop: the test shows nothing"
    solution = mk.solve(figure, [mk.Position("Pen", wanted, weight=1000.0), mk.Posture(figure.rest, weight=10.0)])
    assert not solution.reached
    assert gap(figure, solution.pose) <= LENGTH * figure.size
    assert solution.errors[-1] <= solution.tolerances[-1]


def test_the_loop_comes_after_the_goals_and_before_them_in_priority() -> None:
    figure = four_bars()
    given = [mk.Position("Pen", (1, 2, 0)), mk.Position("Pen", (2, 2, 0), priority=2)]
    solution = mk.solve(figure, given)
    assert [g.label for g in solution.goals] == ["Position Pen", "Position Pen", "bar"]
    assert [g.priority for g in solution.goals] == [1, 3, 0]
    assert [g.priority for g in given] == [0, 2]  # the caller's own goals are as they were
    assert "bar" in str(solution)
    assert solution.report[-1].goal == "bar"


def test_a_report_says_that_the_loop_holds_the_figure_back_and_does_not_drop_it() -> None:
    figure = four_bars()
    solution = mk.solve(figure, mk.Position("Pen", (2, 2, 0)))
    report = solution.report[0]
    assert (report.reasons[0].kind, report.reasons[0].culprits) == ("held", ("bar",))
    assert [change.what for change in report.changes] == ["move_target"]
    moved = mk.solve(*report.changes[0].applied(figure, solution.goals))
    assert moved.reached
    assert gap(figure, moved.pose) <= LENGTH * figure.size


def test_a_loop_that_cannot_close_is_an_answer() -> None:
    figure = four_bars()
    solution = mk.solve(figure, [], freeze=["Crank", "Coupler"])
    assert (solution.status, solution.reached) == (mk.Status.STALLED, False)
    assert solution.report[0].reasons


def test_without_loops_the_figure_is_a_tree() -> None:
    figure = four_bars()
    goal = mk.Position("Pen", (1, 2, 0))
    solution = mk.solve(figure, goal, loops=False)
    assert len(solution.goals) == 1
    assert solution.goals[0].priority == 0
    assert np.array_equal(solution.pose, mk.solve(figure.replaced(loops=()), goal).pose)
    with pytest.raises(BadValue, match="there are no goals"):
        mk.solve(figure, [], loops=False)
    with pytest.raises(BadValue, match="there are no goals"):
        mk.solve(figure.replaced(loops=()), [])


def two_arms() -> mk.Figure:
    """Two planar arms of three segments of 1 each, 2 apart, one hand welded into the other, face to face."""
    segments = [mk.Segment("Ground")]
    for side, x in (("L", 0.0), ("R", 2.0)):
        parent, offset = "Ground", (x, 0, 0)
        for k in range(3):
            limits = (-2.5, 2.5) if k else (-np.inf, np.inf)
            segments.append(mk.Segment(f"{side}{k}", parent, mk.Hinge(limits=limits), offset=offset))
            parent, offset = f"{side}{k}", (1, 0, 0)
    weld = mk.Loop("hands", "L2", "R2", (1, 0, 0), (1, 0, 0), (0, 0, 0, 1))
    return mk.Figure("two arms", segments, loops=[weld])


def test_a_weld_holds_the_turn_too() -> None:
    figure = two_arms()
    half = np.diag([-1.0, -1.0, 1.0])
    for start in figure.random(np.random.default_rng(1), 10):
        solution = mk.solve(figure, mk.Position("L2", (1.0, 1.5), axes="xy"), start)
        assert solution.reached, str(solution)
        T = figure.placements(solution.pose, ["L2", "R2"])
        assert_close(T[0, :3, :3], T[1, :3, :3] @ half, tol=2e-5)
        tips = [M[:3, :3] @ (1, 0, 0) + M[:3, 3] for M in T]
        assert_close(tips[0], tips[1], figure.size, 2e-6)


def test_loops_hold_in_numpy_as_they_do_natively() -> None:
    """As with a callback in every iteration, or with goals written in Python."""
    figure = four_bars()
    goals = [mk.Position("Pen", (9, 0, 0), weight=100.0)]
    native, plain = mk.solve(figure, goals), mk.solve(figure, goals, history=True)
    assert gap(figure, plain.pose) <= LENGTH * figure.size
    assert_close(plain.errors[0], native.errors[0], tol=1e-3)


def test_the_goals_of_a_solution_can_be_solved_again() -> None:
    """As the changes that a report suggests are: the loop is not added twice, priorities stay."""
    figure = four_bars()
    first = mk.solve(figure, mk.Position("Pen", (9, 0, 0)))
    again = mk.solve(figure, first.goals, start=first.pose)
    assert [(g.label, g.priority) for g in again.goals] == [("Position Pen", 1), ("bar", 0)]
    assert with_loops(figure, with_loops(figure, [mk.Position("Pen", (1, 0, 0))]))[0].priority == 1


def test_either_member_of_an_any_of_keeps_the_loop() -> None:
    figure = four_bars()
    near = figure.placements(closed(figure, 1.0), ["Pen"])[0, :3, 3]
    solution = mk.solve(figure, mk.AnyOf(mk.Position("Pen", (90, 0, 0)), mk.Position("Pen", near)))
    assert solution.reached
    assert [g.priority for g in solution.goals] == [1, 0]
    assert gap(figure, solution.pose) <= LENGTH * figure.size


@pytest.mark.parametrize("method", ["lbfgsb", "pinv", "stacked", "dls", "bounded-dls"])
def test_the_classical_methods_see_the_loop_as_a_goal(method: str) -> None:
    figure = four_bars()
    start = closed(figure, 0.8)
    wanted = figure.placements(closed(figure, 0.85), ["Pen"])[0, :3, 3]
    solution = mk.solve(figure, mk.Position("Pen", wanted), start, method)
    assert len(solution.goals) == 2
    assert gap(figure, solution.pose) < 1e-2


@pytest.mark.parametrize("method", ["ccd", "fabrik"])
def test_methods_that_know_no_such_goal_say_so(method: str) -> None:
    figure = four_bars()
    with pytest.raises(Unsupported, match="bar"):
        mk.solve(figure, mk.Position("Pen", (1, 2, 0)), method=method)
    assert mk.solve(figure, mk.Position("Pen", (1, 2, 0)), method=method, loops=False).goals


# Solver


def pens(figure: mk.Figure, cranks: Array) -> Array:
    return np.array([figure.placements(closed(figure, c), ["Pen"])[0, :2, 3] for c in cranks])


def test_solver_takes_rows_of_targets_without_those_of_the_loops() -> None:
    figure = four_bars()
    solver = mk.Solver(figure, mk.Position("Pen", (1, 2), axes="xy"))
    assert (solver.width, solver.target_layout) == (2, [("Position Pen", slice(0, 2))])
    assert [g.label for g in solver.goals] == ["Position Pen", "bar"]
    targets = pens(figure, np.linspace(-3, 3, 40))
    found = solver.solve_many(targets=targets)
    assert found.reached.all()
    assert found.errors.shape == (40, 2)
    assert max(gap(figure, q) for q in found.poses) <= LENGTH * figure.size
    assert solver.solve(targets=targets[3]).reached
    with pytest.raises(BadShape, match="2"):
        solver.solve_many(targets=np.zeros((3, 9)))


def test_weights_and_activity_are_of_the_goals_given_and_the_loop_always_counts() -> None:
    figure = four_bars()
    solver = mk.Solver(figure, [mk.Position("Pen", (90, 0, 0)), mk.Position("Coupler", (0, 1, 0))])
    found = solver.solve(weights=[1e4, 0.0])
    assert gap(figure, found.pose) <= LENGTH * figure.size
    found = solver.solve(active=[False, True])
    assert found.reached
    assert gap(figure, found.pose) <= LENGTH * figure.size
    found = solver.solve(active=[False, False])
    assert found.reached
    assert gap(figure, found.pose) <= LENGTH * figure.size
    with pytest.raises(BadShape, match="weights has shape"):
        solver.solve(weights=[1.0, 1.0, 1.0])


def test_a_track_keeps_the_loop_in_every_frame() -> None:
    figure = four_bars()
    cranks = np.linspace(0.0, 2 * np.pi, 200)
    cranks = np.where(cranks > np.pi, cranks - 2 * np.pi, cranks)
    solver = mk.Solver(figure, mk.Position("Pen", (1, 2), axes="xy"))
    found = solver.track(closed(figure, 0.0), pens(figure, cranks))
    assert found.reached.all()
    assert max(gap(figure, q) for q in found.poses) <= LENGTH * figure.size
    assert np.abs(np.diff(found.poses, axis=0)).max() < 0.2


def test_a_track_out_of_reach_keeps_the_loop_too() -> None:
    figure = four_bars()
    solver = mk.Solver(figure, mk.Position("Pen", (1, 2), axes="xy", weight=10.0))
    targets = pens(figure, np.linspace(0.5, 2.0, 60)) + np.sin(np.linspace(0, np.pi, 60))[:, None] * (3.0, 4.0)
    found = solver.track(closed(figure, 0.5), targets)
    assert not found.reached[20:40].any()
    assert max(gap(figure, q) for q in found.poses) <= LENGTH * figure.size
    assert np.abs(np.diff(found.poses, axis=0)).max() < 0.5


def test_a_solver_with_loops_is_pickled_as_what_it_was_made_of() -> None:
    figure = four_bars()
    for loops in (True, False):
        solver = mk.Solver(figure, mk.Position("Pen", (1, 2, 0)), loops=loops)
        again = pickle.loads(pickle.dumps(solver))
        assert [(g.label, g.priority) for g in again.goals] == [(g.label, g.priority) for g in solver.goals]
        assert np.array_equal(again.solve().pose, solver.solve().pose)
        assert again.width == solver.width == 3


def test_solver_finds_what_solve_finds() -> None:
    figure = four_bars()
    goal = mk.Position("Pen", (2, 2.5, 0))
    assert_close(mk.Solver(figure, goal).solve().errors, mk.solve(figure, goal).errors, tol=1e-6)


def test_what_is_no_goal_is_told_as_ever() -> None:
    figure = four_bars()
    for solve in (mk.solve, mk.Solver):
        with pytest.raises(BadValue, match="goals are 3; they must be a goal"):
            solve(figure, 3)  # type: ignore[arg-type]
        with pytest.raises(BadValue, match="goals contains 3; each must be a goal"):
            solve(figure, [3])  # type: ignore[list-item]


def test_the_rows_of_the_loop_are_those_of_its_gap() -> None:
    figure = four_bars()
    problem = Problem(figure, with_loops(figure, []))
    for q in figure.random(np.random.default_rng(0), 10):
        assert_close(problem.at(q).errors, [gap(figure, q)], tol=1e-12)
