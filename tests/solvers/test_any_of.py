"""AnyOf goals in `solve`, `solve_many` and `track`: which member is taken, and that it is kept."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin import backend

native = pytest.mark.skipif(not backend.native, reason="MANIKIN_BACKEND=reference: there is no native solver")
pytestmark = native

CHAIN = mk.chain(4, planar=True)
"""Reaches 4 sizes of a segment from the origin."""


def at(x: float, y: float, **options: object) -> mk.Position:
    return mk.Position("Tip", (x, y), axes="xy", **options)


def tips(solver: mk.Solver, poses: np.ndarray) -> np.ndarray:
    return solver.figure.placements(poses, ["Tip"])[..., 0, :2, 3]


START = mk.solve(CHAIN, at(2.0, 1.0)).pose


def test_the_member_nearest_at_the_start_is_taken_whatever_their_order() -> None:
    near, far = at(2.2, 1.0), at(-1.0, -2.0)
    for members in ((near, far), (far, near)):
        goal = mk.AnyOf(*members)
        solver = mk.Solver(CHAIN, goal)
        poses = [mk.solve(CHAIN, goal, START).pose, solver.solve(START).pose, solver.solve_many([START] * 2).poses[1]]
        for pose in poses:
            assert np.linalg.norm(tips(solver, pose) - (2.2, 1.0)) <= 1e-3


def test_each_row_has_its_own_member() -> None:
    goal = mk.AnyOf(at(-1.0, -2.0), at(2.0, 1.0))
    solver = mk.Solver(CHAIN, goal)
    targets = np.array([[-1.0, -2.0, 2.0, 1.0], [2.1, 1.0, 2.9, 1.9], [-1.0, -2.0, 9.0, 9.0], [9.0, 9.0, -8.0, 0.0]])
    many = solver.solve_many(START, targets)
    wanted = [[2.0, 1.0], [2.1, 1.0], [-1.0, -2.0], [-4.0, 0.0]]  # the last: of two out of reach the nearer one
    assert np.abs(tips(solver, many.poses) - wanted).max() <= 2e-3
    assert many.reached.tolist() == [True, True, True, False]
    assert many.chosen.tolist() == [[1], [0], [0], [1]]
    for k, row in enumerate(targets):
        one = solver.solve(START, row)
        assert np.array_equal(one.pose, many.poses[k])
        assert np.array_equal(one.errors, many.errors[k])
        assert one.iterations == many.iterations[k]


@pytest.mark.parametrize("turned", [False, True])
def test_where_none_is_met_the_one_that_misses_less_in_its_own_tolerance_is_taken(turned: bool) -> None:
    rough, fine = at(6.0, 0.0, tolerance=1.0), at(0.0, 5.0, tolerance=0.01)  # missed by 2 and by 100 tolerances
    goal = mk.AnyOf(*((fine, rough) if turned else (rough, fine)))
    solver = mk.Solver(CHAIN, goal)
    for pose in (mk.solve(CHAIN, goal, START).pose, solver.solve(START).pose):
        assert np.linalg.norm(tips(solver, pose) - (4.0, 0.0)) <= 0.02


def test_weights_of_the_goal_and_of_its_member_count() -> None:
    """Two goals that oppose each other: the tip ends between them by weight."""
    goals = [at(1.0, 1.0), mk.AnyOf(at(2.0, 1.0, weight=2.0), at(-3.0, -2.0), weight=1.5)]
    solver = mk.Solver(CHAIN, goals)
    for pose in (mk.solve(CHAIN, goals).pose, solver.solve().pose, solver.solve(weights=[1.0, 1.5]).pose):
        assert np.abs(tips(solver, pose) - (1.75, 1.0)).max() <= 1e-3
    assert np.abs(tips(solver, solver.solve(weights=[1.0, 0.5]).pose) - (1.5, 1.0)).max() <= 1e-3
    track = solver.track(None, np.tile(solver.targets, (40, 1)), weights=[1.0, 0.5])
    assert np.abs(tips(solver, track.poses[-1]) - (1.5, 1.0)).max() <= 1e-3


def test_a_solution_says_which_member_was_chosen() -> None:
    goals = [at(2.0, 1.0), mk.AnyOf(at(9.0, 9.0), at(2.0, 1.0), at(2.0, 1.1))]
    assert mk.solve(CHAIN, goals).chosen == (0, 1)


def test_follow_keeps_to_the_member_of_its_first_row() -> None:
    """That one goes out of reach; the other would be in reach."""
    out = np.linspace((2.0, 1.0), (6.0, 1.0), 30)
    rows = np.hstack([np.tile([-1.0, 2.0], (30, 1)), out])
    goal = mk.AnyOf(at(-1.0, 2.0), at(2.0, 1.0))
    motion = mk.follow(CHAIN, goal, rows, START).motion
    alone = mk.follow(CHAIN, at(2.0, 1.0), out, START).motion
    assert np.array_equal(motion.poses, alone.poses)
    last = mk.follow(CHAIN, goal, rows, START, restarts=3).motion.poses[-1]
    assert np.linalg.norm(CHAIN.placements(last, ["Tip"])[0, :2, 3] - (-1.0, 2.0)) <= 1e-3


def test_a_lower_priority_does_not_choose_the_member_of_a_higher_one() -> None:
    """The nearer member leaves the lower goal metres away, the farther one meets it."""
    goals = [mk.AnyOf(at(-7.0, 0.0), at(6.0, 0.0), priority=0), at(-7.0, 0.0, priority=1)]
    solver = mk.Solver(CHAIN, goals)
    for pose in (mk.solve(CHAIN, goals, START).pose, solver.solve(START).pose):
        assert np.linalg.norm(tips(solver, pose) - (4.0, 0.0)) <= 0.02


def test_a_track_keeps_to_the_member_of_its_first_frame() -> None:
    """The other one comes nearer and the tip is led past it, then out of reach."""
    x = np.linspace(2.0, -2.0, 400)
    path = np.stack([x, np.full(400, 1.0)], axis=1)
    other = np.tile([-1.0, 1.2], (400, 1))
    goal = mk.AnyOf(at(*path[0]), at(-1.0, 1.2))
    solver = mk.Solver(CHAIN, goal)
    track = solver.track(START, np.hstack([path, other]))
    alone = mk.Solver(CHAIN, at(*path[0])).track(START, path)
    assert np.array_equal(track.poses, alone.poses)
    assert np.array_equal(track.errors, alone.errors)
    assert not track.chosen.any()
    assert np.abs(np.diff(track.poses, axis=0)).max() <= 0.1


def test_the_member_of_a_track_is_chosen_when_its_goal_becomes_active() -> None:
    """For 50 frames another goal leads the tip to where the second member is nearer."""
    lead = np.linspace((2.0, 1.0), (-2.0, 1.0), 300)
    goals = [at(2.0, 1.0, name="lead"), mk.AnyOf(at(2.0, 1.5), at(-2.0, 1.5))]
    solver = mk.Solver(CHAIN, goals)
    targets = np.hstack([lead, np.tile([2.0, 1.5, -2.0, 1.5], (300, 1))])
    targets = np.vstack([targets, np.tile(targets[-1], (50, 1))])
    first = np.arange(350) < 300
    active = np.stack([first, ~first], axis=1)
    targets[first, 2:] = np.nan
    track = solver.track(START, targets, active=active, max_speed=2.9)
    assert track.reached[-1]
    assert np.linalg.norm(tips(solver, track.poses[-1]) - (-2.0, 1.5)) <= 1e-3
    assert np.abs(np.diff(track.poses, axis=0)).max() <= 0.1


def test_a_frame_that_another_member_meets_is_reached() -> None:
    """The member of the track is out of reach, the other one is where the tip is led by the first goal."""
    path = np.linspace((2.0, 1.0), (-2.0, 1.0), 300)
    goals = [at(2.0, 1.0), mk.AnyOf(at(2.0, 1.0, tolerance=0.01), at(-2.0, 1.0, tolerance=0.01), weight=1e-6)]
    solver = mk.Solver(CHAIN, goals)
    track = solver.track(START, np.hstack([path, np.tile([2.0, 1.0, -2.0, 1.0], (300, 1))]))
    assert track.reached[0]
    assert not track.reached[150]
    assert track.reached[-1]
    assert track.errors[-1, 1] <= 0.01
    assert track.chosen[[0, 150, -1], 1].tolist() == [0, 0, 1]


def test_with_restarts_a_track_goes_over_to_a_member_that_is_in_reach() -> None:
    out = np.linspace((2.0, 1.0), (9.0, 1.0), 200)
    other = np.tile([-1.0, 2.0], (200, 1))
    solver = mk.Solver(CHAIN, mk.AnyOf(at(*out[0]), at(-1.0, 2.0)))
    stays, goes = (solver.track(START, np.hstack([out, other]), restarts=n) for n in (0, 10))
    assert not stays.reached[-1]
    assert goes.reached.all()
    assert not stays.chosen.any()
    assert goes.chosen[[0, -1], 0].tolist() == [0, 1]
    assert np.linalg.norm(tips(solver, goes.poses[-1]) - (-1.0, 2.0)) <= 1e-3
    assert np.array_equal(stays.poses[:10], goes.poses[:10])  # later ones are within 40 frames of the edge of reach


def test_track_of_several_any_ofs_on_a_person() -> None:
    figure = mk.human()
    left, right = (figure.placements(figure.rest, [n])[0, :3, 3] for n in ("LeftHand", "RightHand"))
    goals = [
        mk.AnyOf(mk.Position("LeftHand", right), mk.Position("LeftHand", left)),
        mk.AnyOf(mk.Aim("Head", (0, 1.6, -5)), mk.Aim("Head", (0, 1.6, 5)), priority=1),
        mk.Position("Hips", figure.placements(figure.rest, ["Hips"])[0, :3, 3]),
    ]
    solver = mk.Solver(figure, goals)
    targets = np.tile(solver.targets, (60, 1))
    targets[:, 3:6] += np.linspace(0, 0.3, 60)[:, None] * (0, 1, 0)
    track = solver.track(None, targets)
    assert track.reached.all()
    hand = figure.placements(track.poses, ["LeftHand"])[:, 0, :3, 3]
    assert np.abs(hand - targets[:, 3:6]).max() <= 1e-3
    assert np.array_equal(solver.track(None, targets).poses, track.poses)


def test_iterations_are_those_of_all_members_together() -> None:
    goal = mk.AnyOf(at(9.0, 0.0), at(-9.0, 0.0), at(0.0, 9.0))
    solver = mk.Solver(CHAIN, goal)
    assert solver.solve(START, iterations=20).iterations <= 20
    assert mk.solve(CHAIN, goal, START, iterations=20).iterations <= 20


def test_of_more_combinations_than_are_tried_those_of_the_nearest_members_are() -> None:
    goals = [mk.AnyOf(*(at(5.0 + k, n) for k in range(6)), at(1.0, 1.0), name=f"any {n}") for n in range(3)]
    for found in (mk.Solver(CHAIN, goals).solve(START), mk.solve(CHAIN, goals, START)):
        assert found.reached
        assert found.chosen == (6, 6, 6)  # the last of 343 combinations


def test_no_rows_give_no_poses() -> None:
    solver = mk.Solver(CHAIN, mk.AnyOf(at(1.0, 1.0), at(2.0, 1.0)))
    for found in (solver.solve_many(None, np.zeros((0, 4))), solver.track(None, np.zeros((0, 4)))):
        assert found.poses.shape == (0, 4)
        assert found.errors.shape == (0, 1)


@pytest.mark.parametrize("iterations", [5, 30, 60, 200])
@pytest.mark.parametrize("kind", ["priorities", "any of"])
def test_few_iterations_are_each_rows_own(kind: str, iterations: int) -> None:
    """What one row uses up is not taken from its neighbours."""
    figure = mk.human()
    goals: list[mk.Goal] = [mk.Position("LeftHand", (0, 0, 0)), mk.Position("RightHand", (0, 0, 0), priority=1)]
    solver = mk.Solver(figure, goals if kind == "priorities" else mk.AnyOf(*goals), freeze=["Hips"])
    targets = np.random.default_rng(0).normal((0.0, 1.2, 0.0) * 2, 0.8, (12, 6))
    many = solver.solve_many(None, targets, iterations=iterations, restarts=3)
    assert many.iterations.max() <= iterations
    for k, row in enumerate(targets):
        assert np.array_equal(solver.solve(None, row, iterations=iterations, restarts=3).pose, many.poses[k])
