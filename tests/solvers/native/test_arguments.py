"""What the three calls of a `Solver` take besides starts and targets, and that threads may share one."""

from __future__ import annotations

import copy
import pickle
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import poses_of

import manikin as mk
from manikin import backend

pytestmark = pytest.mark.skipif(not backend.native, reason="MANIKIN_BACKEND=reference: there is no native solver")

HERE, FAR = (0.3, 1.2, 0.4), (30.0, 0.0, 0.0)
CALLS = ("solve", "solve_many", "track")


@pytest.fixture(scope="module")
def solver() -> mk.Solver:
    """One hand can be where it should, the other cannot: the root is held."""
    return mk.Solver(mk.human(), [mk.Position("LeftHand", HERE), mk.Position("RightHand", FAR)], freeze=["Hips"])


def rows(solver: mk.Solver, count: int = 3) -> np.ndarray:
    out = np.tile(solver.targets, (count, 1))
    out[:, 0] += 0.01 * np.arange(count)
    return out


def call(solver: mk.Solver, name: str, **options: Any) -> Any:
    targets = rows(solver)[0] if name == "solve" else rows(solver)
    return getattr(solver, name)(None, targets, **options)


@pytest.mark.parametrize("name", CALLS)
def test_weights_and_activity_are_arguments_of_the_call(solver: mk.Solver, name: str) -> None:
    assert not np.any(call(solver, name).reached)
    for options in ({"active": [True, False]}, {"weights": [2.0, 0.0]}):
        found = call(solver, name, **options)
        assert np.all(found.reached)
        silent = found.errors[..., 1] == 0.0  # a goal of weight 0 is still reported
        assert np.all(silent == ("active" in options))
    assert not np.any(call(solver, name, active=[False, True]).reached)


@pytest.mark.parametrize("name", ["solve_many", "track"])
def test_weights_and_activity_may_change_from_row_to_row(solver: mk.Solver, name: str) -> None:
    each = 20  # frames: a track takes some to recover from what pulled
    active = np.repeat([[True, False], [True, True], [True, False]], each, axis=0)
    targets = np.tile(solver.targets, (3 * each, 1))
    for options in ({"active": active}, {"weights": active.astype(float)}):
        found = getattr(solver, name)(None, targets, **options)
        assert found.reached[each - 1 :: each].tolist() == [True, False, True]


@pytest.mark.parametrize("name", CALLS)
def test_out_takes_the_poses_of_every_call(solver: mk.Solver, name: str) -> None:
    nq = solver.figure.nq
    out = np.zeros(nq if name == "solve" else (3, nq))
    found = call(solver, name, out=out, active=[True, False])
    assert poses_of(found) is out
    assert np.array_equal(out, poses_of(call(solver, name, active=[True, False])))
    with pytest.raises(mk.errors.BadShape, match="out has shape"):
        call(solver, name, out=np.zeros((7, nq)))


@pytest.mark.parametrize("name", CALLS)
def test_iterations_and_seconds_are_not_exceeded_and_the_ending_says_so(solver: mk.Solver, name: str) -> None:
    for most in (0, 1, 2):
        found = call(solver, name, iterations=most)
        assert np.all(np.asarray(found.iterations) <= most)
        assert set(np.atleast_1d(found.status).tolist()) == {"out_of_iterations"}
    assert set(np.atleast_1d(call(solver, name, budget=0.0).status).tolist()) == {"out_of_time"}


@pytest.mark.parametrize("name", CALLS)
def test_the_seed_decides_the_restarts_and_nothing_else(solver: mk.Solver, name: str) -> None:
    one, again = (poses_of(call(solver, name, seed=5, restarts=4)) for _ in range(2))
    assert np.array_equal(one, again)
    without = [poses_of(call(solver, name, seed=seed, restarts=0)) for seed in (1, 2)]
    assert np.array_equal(*without)


def test_eight_threads_share_a_solver_and_get_the_same_bits(solver: mk.Solver) -> None:
    rng = np.random.default_rng(0)
    targets = rows(solver, 40)
    targets[:, :3] += 0.1 * rng.normal(size=(40, 3))
    active = rng.random((40, 2)) < 0.5
    many = solver.solve_many(None, targets, active=active)
    frames = solver.track(None, targets, active=active)
    wrong: list[str] = []

    def check(name: str, same: Callable[[], bool]) -> None:
        if not same():
            wrong.append(name)

    def work(first: int) -> None:
        for k in range(first, 40, 8):
            check(
                "solve",
                lambda k=k: np.array_equal(solver.solve(None, targets[k], active=active[k]).pose, many.poses[k]),  # type: ignore[misc]
            )
        check(
            "solve_many", lambda: np.array_equal(solver.solve_many(None, targets, 2, active=active).poses, many.poses)
        )
        check("track", lambda: np.array_equal(solver.track(None, targets, active=active).poses, frames.poses))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_start_outside_its_limits_is_brought_in_and_said_so() -> None:
    figure = mk.human()
    start = figure.rest.copy()
    start[figure.index_of("LeftForeArm")] = 9.0
    goal = mk.Position("LeftHand", HERE)
    solution = mk.solve(figure, goal, start)
    assert solution.reached
    assert "the start was outside its limits by" in solution.notes[0]
    assert solution.notes[0] in str(solution)
    same = mk.Solver(figure, goal).solve(start)
    assert np.array_equal(same.pose, solution.pose)
    assert figure.violation(same.pose) <= 1e-9


def outside(figure: mk.Figure) -> np.ndarray:
    start = figure.rest.copy()
    start[figure.index_of("LeftForeArm")] = 9.0
    return start


@pytest.mark.parametrize("options", [{}, {"restarts": 30}], ids=["plain", "with an option"])
def test_solve_says_that_a_start_was_brought_in(options: dict[str, int]) -> None:
    figure, goal = mk.human(), mk.Position("LeftHand", HERE)
    solver, start = mk.Solver(figure, goal), outside(figure)
    one, solution = solver.solve(start, **options), mk.solve(figure, goal, start)
    assert one.start_violation == solution.start_violation == figure.violation(start) > 5.0
    assert one.notes == solution.notes
    assert one.notes[0].startswith("the start was outside its limits by ")
    within = solver.solve(one.pose, **options)
    assert (within.start_violation, within.notes) == (0.0, ())
    assert (mk.solve(figure, goal).start_violation, mk.solve(figure, goal).notes) == (0.0, ())


def test_solve_many_says_which_starts_were_brought_in() -> None:
    figure, goal = mk.human(), mk.Position("LeftHand", HERE)
    solver, start = mk.Solver(figure, goal), outside(figure)
    many = solver.solve_many([figure.rest, start, figure.rest])
    assert many.start_violation.tolist() == [0.0, figure.violation(start), 0.0]
    assert many.notes == (
        "starts outside their limits were clipped to them: 1 of 3; start 1 was the furthest outside, by "
        f"{figure.violation(start):.3g}",
    )
    for_all = solver.solve_many(start, np.array([HERE, HERE]))
    assert for_all.start_violation.tolist() == [figure.violation(start)] * 2
    assert for_all.notes == solver.solve(start).notes
    assert solver.solve_many(figure.rest).notes == ()


def test_track_says_that_its_start_was_brought_in() -> None:
    figure, goal = mk.human(), mk.Position("LeftHand", HERE)
    solver, start = mk.Solver(figure, goal), outside(figure)
    track = solver.track(start, np.array([HERE, HERE, HERE]))
    assert track.start_violation.tolist() == [figure.violation(start), 0.0, 0.0]
    assert track.notes == solver.solve(start).notes
    assert solver.track(None, np.array([HERE])).notes == ()


def test_a_start_whose_coupled_joint_does_not_follow_was_brought_in_too() -> None:
    figure = mk.samples.coupled_pair()
    name = figure.segment_names[-1]
    solver = mk.Solver(figure, mk.Position(name, figure.placements(figure.rest, [name])[0, :3, 3]))
    coupled = next(s.joint for s in figure.segments if s.joint.coupling is not None)
    start = figure.rest.copy()
    start[figure.index_of(coupled.name)] += 0.25
    assert figure.violation(start) == pytest.approx(0.25)
    for found in (solver.solve(start), solver.solve(start, restarts=3)):
        assert found.start_violation == pytest.approx(0.25)
        assert len(found.notes) == 1
    assert solver.solve_many(start).start_violation == pytest.approx([0.25])


@pytest.mark.parametrize("call", ["mk.solve", *CALLS])
@pytest.mark.parametrize("last", [1, 7, 100, 10**9])
def test_priorities_may_leave_numbers_out(call: str, last: int) -> None:
    """Only their order counts."""
    figure, here, low = mk.human(), np.array(HERE), np.array([0.3, 0.7, 0.4])

    def pose(priority: int) -> np.ndarray:
        goals = [mk.Position("LeftHand", here), mk.Position("LeftHand", low, priority=priority)]
        if call == "mk.solve":
            return np.array(mk.solve(figure, goals).pose)
        solver = mk.Solver(figure, goals)
        found = {"solve": solver.solve, "solve_many": solver.solve_many}.get(call)
        return np.array(poses_of(found() if found else solver.track(None, [solver.targets] * 3)))  # type: ignore[operator]

    assert np.array_equal(pose(last), pose(1))


@pytest.mark.parametrize(("count", "history"), [(10, False), (80, False), (20, True)], ids=["10", "80", "20, history"])
def test_the_first_of_many_priorities_is_kept(count: int, history: bool) -> None:
    figure = mk.human()
    goals = [mk.Position("LeftHand", (0.3, 1.2, 0.4 - 0.01 * k), priority=k) for k in range(count)]
    solution = mk.solve(figure, goals, restarts=1, history=history)
    assert solution.errors[0] <= solution.tolerances[0]
    assert str(solution)
    if not history:
        solver = mk.Solver(figure, goals)
        assert solver.solve(restarts=1).errors[0] <= solution.tolerances[0]
        assert np.all(solver.track(None, [solver.targets] * 2).errors[:, 0] <= solution.tolerances[0])


def test_a_pose_can_be_copied_pickled_and_printed() -> None:
    figure = mk.human()
    solver = mk.Solver(figure, mk.Position("LeftHand", HERE))
    for start in (None, outside(figure)):
        one = solver.solve(start)
        for other in (pickle.loads(pickle.dumps(one)), copy.copy(one)):
            assert np.array_equal(other.pose, one.pose)
            assert np.array_equal(other.errors, one.errors)
            assert (other.status, other.iterations) == (one.status, one.iterations)
            assert (other.start_violation, other.notes) == (one.start_violation, one.notes)
        assert repr(one) == f"<Solution reached: errors ({one.errors[0]:.3g}), {one.iterations} iterations>"


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("option", ["iterations", "restarts", "seed"])
@pytest.mark.parametrize("value", [np.array(1.0), np.zeros(3), 1.0, 10**400])
def test_an_option_that_is_no_whole_number_is_refused(solver: mk.Solver, name: str, option: str, value: Any) -> None:
    with pytest.raises(mk.errors.BadValue, match=f"{option} is .*; it must be a whole number"):
        call(solver, name, **{option: value})


def test_a_speed_of_hundreds_of_digits_is_refused(solver: mk.Solver) -> None:
    with pytest.raises(mk.errors.BadValue, match=r"max_speed is 1000.*; it needs a speed above 0"):
        call(solver, "track", max_speed=10**400)
