"""Without a start, turned or moved targets give the same pose, turned or moved; with fewer than three effectors the
start stays the rest pose."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from headings import ANIMAL, PERSON, TURNS, apart, asked, beyond, goals, turned, with_euler_root

import manikin as mk
from manikin import backend, rotations
from manikin.figure.random_figure import random_figure
from manikin.problem import Problem

native = pytest.mark.skipif(not backend.native, reason="MANIKIN_BACKEND=reference: there is no native solver")
FIGURES = [
    pytest.param(mk.human, PERSON, False, id="person, positions"),
    pytest.param(mk.human, ("Hips", *PERSON), True, id="person, placements"),
    pytest.param(mk.quadruped, ANIMAL, False, id="animal, positions"),
    pytest.param(mk.quadruped, ANIMAL, True, id="animal, placements"),
]


FEW = 30
"""Iterations in which rounding does not grow to a difference that counts."""


# The law


@native
@pytest.mark.parametrize(("make", "segments", "placed"), FIGURES)
def test_targets_within_reach_that_are_turned_and_moved(make: Any, segments: tuple[str, ...], placed: bool) -> None:
    figure, rng = make(), np.random.default_rng(1)
    solver = mk.Solver(figure, goals(segments, placed))
    rows = asked(figure, figure.random(rng, 60), segments, placed)
    poses = solver.solve_many(None, rows)
    assert poses.reached.all()
    for angle, shift in TURNS:
        others = solver.solve_many(None, turned(figure, rows, placed, angle, shift))
        assert others.reached.all()
        assert apart(figure, poses.poses, others.poses, angle, shift).max() < 1e-6


@native
@pytest.mark.parametrize(("make", "segments", "placed"), FIGURES)
def test_targets_out_of_reach_that_are_turned_and_moved(make: Any, segments: tuple[str, ...], placed: bool) -> None:
    """Restarts are drawn relative to the start. Poses at a flat minimum are as near as rounding allows."""
    figure, rng = make(), np.random.default_rng(2)
    solver = mk.Solver(figure, goals(segments, placed))
    rows = beyond(figure, asked(figure, figure.random(rng, 40), segments, placed), placed, rng)
    poses = solver.solve_many(None, rows)
    assert not poses.reached.all()
    far = np.array(
        [
            apart(figure, poses.poses, solver.solve_many(None, turned(figure, rows, placed, *turn)).poses, *turn)
            for turn in TURNS
        ]
    )
    assert (far < 1e-6).mean() > 0.98  # a restart that finds another minimum is rare
    assert np.median(far) < 1e-9


@native
def test_random_figures_with_a_free_root_and_any_axis_up() -> None:
    """The descent from the start is compared, without restarts. A descent of a few steps that reaches its targets is
    the same up to rounding. One that ends in a local minimum, where the cost is flat, ends at a pose that is known to
    the root of the rounding only. A long one adds up rounding, and takes another turn now and then."""
    rng = np.random.default_rng(5)
    direct: list[float] = []
    far: list[float] = []
    while len(far) < 400 or len(direct) < 160:  # enough of each
        figure = random_figure(rng, int(rng.integers(5, 14)))
        if figure.segments[0].joint.kind != "free":
            continue
        figure = figure.replaced(up="xyz"[rng.integers(3)])
        names = rng.permutation([s.name for s in figure.segments])[: int(rng.integers(3, 6))].tolist()
        placed = bool(rng.random() < 0.5)
        solver = mk.Solver(figure, goals(names, placed))
        rows = asked(figure, figure.random(rng, 8), names, placed)
        for within in (True, False):
            wanted = rows if within else beyond(figure, rows, placed, rng)
            starts = np.array([Problem(figure, goals(names, placed, row)).start for row in wanted])
            moved = np.flatnonzero((starts != figure.rest).any(axis=1))  # else points stand above each other
            if not len(moved):
                continue
            angle, shift = TURNS[3]
            rows_too = turned(figure, wanted[moved], placed, angle, shift)
            poses, others = (solver.solve_many(None, r, restarts=0) for r in (wanted[moved], rows_too))
            apart_now = apart(figure, poses.poses, others.poses, angle, shift)
            far.extend(apart_now)
            few = np.maximum(poses.iterations, others.iterations) <= FEW
            direct.extend(apart_now[poses.reached & few])
            assert (others.reached == poses.reached)[few].all()
            if within:
                met, met_too = (solver.solve_many(None, r).reached for r in (wanted[moved], rows_too))
                assert (met == met_too).all()  # with restarts, which are drawn relative to the start
    assert max(direct) < 1e-6
    assert np.mean(np.array(far) < 1e-6) > 0.97


@pytest.mark.parametrize("angle", [30.0, 90.0, 180.0, -137.0])
def test_the_rest_pose_turned_and_asked_back_by_five_positions(angle: float) -> None:
    human = mk.human()
    row = asked(human, human.rest[None], PERSON, False)
    faced = mk.solve(human, goals(PERSON, False, turned(human, row, False, np.deg2rad(angle), (0, 0, 0))[0]))
    ahead = mk.solve(human, goals(PERSON, False, row[0]))
    assert faced.reached
    assert ahead.reached
    R = rotations.axis_matrix("y", np.deg2rad(angle))
    for segment in ("Head", "LeftToeBase", "RightToeBase"):
        P, Q = (human.placements(s.pose, [segment])[0] for s in (ahead, faced))
        assert np.linalg.norm(R @ P[:3, 3] - Q[:3, 3]) < 1e-3
        turn = rotations.to_rotation_vector(rotations.from_matrix(R @ P[:3, :3] @ Q[:3, :3].T))
        assert np.linalg.norm(turn) < 1e-3


@pytest.mark.parametrize("method", ["auto", "dls", "bounded-dls", "pinv", "stacked", "transpose"])
def test_it_holds_for_every_method_that_steps_in_all_directions_alike(method: str) -> None:
    human, rng = mk.human(), np.random.default_rng(3)
    rows = asked(human, human.random(rng, 1), PERSON, False)
    angle, shift = TURNS[1]
    first, second = (
        mk.solve(human, goals(PERSON, False, row[0]), method=method, iterations=20)
        for row in (rows, turned(human, rows, False, angle, shift))
    )
    assert apart(human, first.pose[None], second.pose[None], angle, shift)[0] < 1e-6


def test_numpy_iterations_start_there_too() -> None:
    human, rng = mk.human(), np.random.default_rng(4)
    rows = asked(human, human.random(rng, 1), PERSON, False)
    angle, shift = TURNS[0]
    wanted = [goals(PERSON, False, r[0]) for r in (rows, turned(human, rows, False, angle, shift))]
    first, second = (mk.solve(human, g, history=True) for g in wanted)
    assert apart(human, first.pose[None], second.pose[None], angle, shift)[0] < 1e-6


# Euler roots


@native
@pytest.mark.parametrize("order", ["YXZ", "YZX"])
def test_an_euler_root_that_turns_about_the_vertical_first(order: str) -> None:
    figure, rng = with_euler_root(order), np.random.default_rng(6)
    solver = mk.Solver(figure, goals(PERSON, False))
    rows = asked(figure, figure.random(rng, 30), PERSON, False)
    poses = solver.solve_many(None, rows)
    for angle, shift in TURNS:
        others = solver.solve_many(None, turned(figure, rows, False, angle, shift))
        assert apart(figure, poses.poses, others.poses, angle, shift).max() < 1e-6


@native
@pytest.mark.parametrize("order", ["ZXY", "XZY", "ZYX", "XYZ", "ZXZ"])
def test_an_euler_root_of_another_order(order: str) -> None:
    """Steps of its angles depend on how it is turned, so that poses agree less; the rest pose is found exactly."""
    figure, rng = with_euler_root(order), np.random.default_rng(7)
    solver = mk.Solver(figure, goals(PERSON, False))
    rest = asked(figure, figure.rest[None], PERSON, False)
    near = figure.random(rng, 30)
    near[:, 3:6] = rng.normal(0.0, 0.2, (30, 3))
    rows = asked(figure, near, PERSON, False)
    poses, from_rest = solver.solve_many(None, rows), solver.solve_many(figure.rest, rows)
    for angle, shift in TURNS:
        again = solver.solve_many(None, turned(figure, rest, False, angle, shift))
        assert apart(figure, figure.rest[None], again.poses, angle, shift)[0] < 1e-6
        moved = turned(figure, rows, False, angle, shift)
        others, before = solver.solve_many(None, moved), solver.solve_many(figure.rest, moved)
        assert others.reached.all()
        far = np.median(apart(figure, poses.poses, others.poses, angle, shift))
        assert far < 0.25
        assert far < 0.3 * np.median(apart(figure, from_rest.poses, before.poses, angle, shift))


def test_limits_of_an_euler_root_hold() -> None:
    free, tight = (-np.inf, np.inf), (-0.5, 0.5)
    figure = with_euler_root("YXZ", (tight, free, free))
    row = asked(figure, figure.rest[None], PERSON, False)
    for angle in (0.4, 2.0):
        solution = mk.solve(figure, goals(PERSON, False, turned(figure, row, False, angle, (0, 0, 0))[0]), iterations=0)
        assert figure.violation(solution.start) == 0.0
        wanted = figure.rest.copy()
        wanted[3] = angle if angle <= 0.5 else 0.0
        assert np.allclose(solution.start, wanted, atol=1e-12)


# What stays as it is


def test_a_start_that_is_given_is_taken_as_it_is() -> None:
    human, rng = mk.human(), np.random.default_rng(8)
    row = turned(human, asked(human, human.rest[None], PERSON, False), False, 2.0, (1.0, 0.0, 0.0))[0]
    for start in (human.rest, human.random(rng)):
        assert np.array_equal(mk.solve(human, goals(PERSON, False, row), start, iterations=0).start, start)
        if backend.native:
            solver = mk.Solver(human, goals(PERSON, False))
            kept = solver.solve_many(start, row[None], iterations=0, restarts=0).poses[0]
            assert np.abs(human.difference(start, kept)).max() < 1e-12


@pytest.mark.parametrize("segments", [("LeftHand",), ("LeftHand", "RightHand"), ("Head", "Spine1", "Hips")])
def test_fewer_than_three_effectors_or_some_above_each_other_leave_the_rest_pose(segments: tuple[str, ...]) -> None:
    human = mk.human()
    row = turned(human, asked(human, human.rest[None], segments, True), True, 1.0, (0.5, 0.2, 0.0))[0]
    assert np.array_equal(mk.solve(human, goals(segments, True, row), iterations=0).start, human.rest)
    if backend.native:
        solver = mk.Solver(human, goals(segments, True))
        rest = solver.solve_many(human.rest, row[None])
        assert np.array_equal(solver.solve(None, row).pose, rest.poses[0])
        assert np.array_equal(solver.solve_many(None, row[None]).poses, rest.poses)


def test_one_effector_asked_for_three_times_is_one() -> None:
    human = mk.human()
    row = asked(human, human.rest[None], ("LeftHand",), False)[0] + 0.3
    three = [mk.Position("LeftHand", row), mk.Position("LeftHand", row), mk.Position("LeftHand", row)]
    assert np.array_equal(mk.solve(human, three, iterations=0).start, human.rest)


def test_a_hand_alone_does_not_lift_the_body() -> None:
    human = mk.human()
    hand = human.placements(human.rest, ["LeftHand"])[0, :3, 3]
    goal = mk.Position("LeftHand", hand + np.array([0.0, 0.35, 0.1]))
    solution = mk.solve(human, goal)
    assert solution.reached
    assert not backend.native or solution.pose[1] - human.rest[1] < 0.2975  # of 0.35 that the hand goes up
    assert np.array_equal(solution.pose, mk.solve(human, goal, human.rest).pose)


@pytest.mark.parametrize("options", [{"freeze": ["Hips"]}, {"only": ["LeftArm", "LeftForeArm", "RightArm"]}])
def test_a_root_that_must_not_move_does_not(options: dict[str, Any]) -> None:
    human = mk.human()
    row = turned(human, asked(human, human.rest[None], PERSON, False), False, 1.0, (1.0, 0.0, 0.0))[0]
    solution = mk.solve(human, goals(PERSON, False, row), iterations=0, **options)
    assert np.array_equal(solution.start, human.rest)


def test_goals_that_do_not_count_do_not_turn_it() -> None:
    human = mk.human()
    row = turned(human, asked(human, human.rest[None], PERSON, False), False, 1.0, (1.0, 0.0, 0.0))[0]
    counts = [0, 1]
    some = [
        mk.Position(s, p, weight=1.0 if k in counts else 0.0)
        for k, (s, p) in enumerate(zip(PERSON, row.reshape(-1, 3), strict=True))
    ]
    assert np.array_equal(mk.solve(human, some, iterations=0).start, human.rest)
    planar = [mk.Position(s, p[:2], axes="xy") for s, p in zip(PERSON, row.reshape(-1, 3), strict=True)]
    assert np.array_equal(mk.solve(human, planar, iterations=0).start, human.rest)


# Rows, tracks and choices


@native
def test_each_row_has_its_own_heading_from_its_active_goals() -> None:
    human = mk.human()
    solver = mk.Solver(human, goals(PERSON, False))
    row = asked(human, human.rest[None], PERSON, False)
    rows = np.concatenate([turned(human, row, False, angle, (0, 0, 0)) for angle in (0.0, 1.0, 2.0)])
    active = np.ones((3, 5), dtype=bool)
    active[2, 2:] = False
    rows[2, 6:] = np.nan
    found = solver.solve_many(None, rows, active=active)
    assert found.reached.all()
    assert apart(human, human.rest[None], found.poses[1:2], 1.0, (0, 0, 0))[0] < 1e-6
    two = solver.solve_many(human.rest, rows[2:], active=active[2])
    assert np.array_equal(two.poses, found.poses[2:])
    for k in range(2):
        one, many = solver.solve(None, rows[k]), solver.solve_many(None, rows[k][None], threads=2)
        assert np.array_equal(one.pose, found.poses[k])
        assert np.array_equal(many.poses[0], found.poses[k])


@native
def test_solve_and_a_compiled_solver_start_alike() -> None:
    human, rng = mk.human(), np.random.default_rng(9)
    rows = turned(human, asked(human, human.random(rng, 5), PERSON, True), True, 2.0, (1.0, 0.0, 0.0))
    solver = mk.Solver(human, goals(PERSON, True))
    for row in rows:
        assert np.array_equal(mk.solve(human, goals(PERSON, True, row)).pose, solver.solve(None, row).pose)


@native
def test_a_track_begins_with_the_heading_of_its_first_frame() -> None:
    human = mk.human()
    solver = mk.Solver(human, goals(PERSON, False))
    steps = np.sin(np.linspace(0, 1, 10))[:, None] * np.random.default_rng(1).normal(0, 0.2, human.nv)
    poses = human.clamp(human.integrate(np.tile(human.rest, (10, 1)), steps))
    rows = asked(human, poses, PERSON, False)
    for angle, shift in TURNS:
        first, other = (solver.track(None, r) for r in (rows, turned(human, rows, False, angle, shift)))
        assert first.reached.all()
        assert apart(human, first.poses, other.poses, angle, shift).max() < 1e-6
    given = solver.track(human.rest, rows)
    assert np.abs(given.poses - solver.track(None, rows).poses).max() < 1e-9


@native
def test_each_choice_has_its_own_heading() -> None:
    """The second member is met by the rest pose turned; the first by no pose that meets the other goals."""
    human = mk.human()
    row = turned(human, asked(human, human.rest[None], PERSON, False), False, 1.5, (0.5, 0.0, 0.0))[0].reshape(-1, 3)
    hands = mk.AnyOf(mk.Position("LeftHand", row[1] + 5.0), mk.Position("LeftHand", row[1]))
    wanted = [mk.Position("Head", row[0]), hands, mk.Position("RightHand", row[2])]
    for solution in (mk.solve(human, wanted), mk.solve(human, wanted, history=True)):
        assert solution.reached
        assert solution.chosen == (0, 1, 0)
        assert apart(human, human.rest[None], solution.pose[None], 1.5, (0.5, 0, 0))[0] < 1e-6
    solver = mk.Solver(human, wanted)
    for found in (solver.solve_many(None, solver.targets), solver.track(None, solver.targets[None])):
        assert found.reached.all()
        assert found.chosen.tolist() == [[0, 1, 0]]
        assert apart(human, human.rest[None], found.poses, 1.5, (0.5, 0, 0))[0] < 1e-6


def test_follow_begins_there_too() -> None:
    human = mk.human()
    rows = turned(human, asked(human, human.rest[None], PERSON, False), False, 1.5, (0.5, 0.0, 0.0))
    motion = mk.follow(human, goals(PERSON, False), rows).motion
    assert apart(human, human.rest[None], motion.poses, 1.5, (0.5, 0, 0))[0] < 1e-6
