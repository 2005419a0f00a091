"""Clearance comes before the other goals of its priority number, and which pairs that touch at rest it keeps apart."""

from __future__ import annotations

import numpy as np
import pytest
from checks import assert_close, assert_refused
from hypothesis import given, settings
from strategies import rngs

import manikin as mk
from benchmarks.clearance_judge import Judge
from manikin import rotations
from manikin.errors import BadValue
from manikin.goals.solids import joint_places
from manikin.problem import Problem
from manikin.solvers.native.compiled import Compiled

HUMAN = mk.human()
HANDS = ("LeftHand", "RightHand")


def level_of(figure, goals):
    problem = Problem(figure, goals)
    block = Compiled.of(figure, problem.goals, problem.movable).to_bytes()
    assert isinstance(block, bytes)
    return [int(problem.levels[rows.start]) for rows in problem.slices]


def folded(rng):
    """A chain that is folded at rest, so that its last link overlaps its first, with four joints between them."""
    turn = rng.uniform(1.4, 1.7)
    segments = [mk.Segment("S0", shapes=mk.Capsule((0, 0, 0), (0, 0, 1), 0.2))]
    for k in range(1, 5):
        link = mk.Capsule((0, 0, 0.3), (0, 0, 1), 0.2)
        bent = rotations.from_axis_angle(np.array([0.0, 1.0, 0.0]), turn if k > 1 else 0.4)
        place = {"offset": (0, 0, 1), "rotation": bent}
        segments.append(mk.Segment(f"S{k}", f"S{k - 1}", mk.Hinge((0, 1, 0), (-2.6, 2.6)), shapes=link, **place))
    return mk.Figure("folded", segments)


# Levels


def test_it_counts_before_the_goals_of_its_number():
    hand = mk.Position("LeftHand", (0.1, 1.2, 0.2))
    later = mk.Position("RightHand", (0.1, 1.2, 0.2), priority=1)
    assert level_of(HUMAN, [hand, mk.Clearance()]) == [1, 0]
    assert level_of(HUMAN, [hand, mk.Clearance(hard=False)]) == [0, 0]
    assert level_of(HUMAN, [hand, later, mk.Clearance(priority=1)]) == [0, 2, 1]
    assert level_of(HUMAN, [hand, later, mk.Clearance(priority=2)]) == [0, 1, 2]
    assert level_of(HUMAN, [hand, later]) == [0, 1]
    assert level_of(HUMAN, [mk.Clearance()]) == [0]


def test_in_an_any_of_it_is_weighed():
    either = mk.AnyOf(mk.Clearance(), mk.Position("LeftHand", (0.1, 1.2, 0.2)))
    assert level_of(HUMAN, [either, mk.Position("RightHand", (0.1, 1.2, 0.2))]) == [0, 0]


def test_loops_come_before_it():
    bar = mk.Capsule((0, 0, 0), (1, 0, 0), 0.05)
    segments = [mk.Segment("Base"), mk.Segment("A", "Base", mk.Hinge((0, 0, 1)), shapes=bar)]
    segments.append(mk.Segment("B", "A", mk.Hinge((0, 0, 1)), offset=(1, 0, 0), shapes=bar))
    segments.append(mk.Segment("C", "B", mk.Hinge((0, 0, 1)), offset=(1, 0, 0), shapes=bar))
    figure = mk.Figure("bars", segments, loops=[mk.Loop("shut", "C", "Base", offset=(1, 0, 0), to_offset=(3, 0, 0))])
    found = mk.solve(figure, [mk.Position("B", (0.9, 0.3, 0.0)), mk.Clearance()])
    by_name = {g.label: g.rank for g in found.goals}
    ranks = [by_name["Position B"], by_name["Clearance"], found.goals[-1].rank]
    assert ranks[2] < ranks[1] < ranks[0]
    assert [g.label for g in found.goals[:2]] == ["Position B", "Clearance"]


def test_hard_is_true_or_false():
    assert_refused(lambda: mk.Clearance(hard="yes"), BadValue, "hard is 'yes'; it must be True or False")


@pytest.mark.parametrize("call", ["solve", "track", "many", "mk"])
def test_no_goal_pushes_shapes_into_each_other(call):
    """Hands around the trunk of the person, with a light posture: no frame overlaps, by another judge."""
    rng = np.random.default_rng(38)
    rest = HUMAN.placements(HUMAN.rest, list(HANDS))[:, :3, 3]
    goals: list[mk.Goal] = [mk.Position(name, x) for name, x in zip(HANDS, rest, strict=True)]
    goals += [mk.Clearance(), mk.Posture(HUMAN.rest, weight=0.05)]
    solver = mk.Solver(HUMAN, goals, freeze=["Hips"])
    judge = Judge(HUMAN, solver.goals[2])
    frames = 30
    phase, t = rng.uniform(0.0, 6.0, 6), np.arange(frames)[:, None] / 30.0
    hands = np.array([0.1, 1.15, 0.1, -0.1, 1.15, 0.1]) + 0.2 * np.sin(2.0 * t + phase)
    rows = np.concatenate([hands, np.tile(HUMAN.rest, (frames, 1))], axis=1)
    if call == "track":
        poses = list(solver.track(HUMAN.rest, rows, dt=1.0 / 30.0).poses)
    elif call == "many":
        poses = list(solver.solve_many(np.tile(HUMAN.rest, (3, 1)), rows[::10]).poses)
    elif call == "solve":
        poses = [solver.solve(HUMAN.rest, row).pose for row in rows[::6]]
    else:
        moved = [g.with_target(row) for g, row in zip(goals[:2], rows[7, :6].reshape(2, 3), strict=True)]
        poses = [mk.solve(HUMAN, [*moved, *goals[2:]], freeze=["Hips"]).pose]
    assert max(judge.depth(q) for q in poses) <= solver.goals[2].allowed
    weighed = mk.Solver(HUMAN, [*goals[:2], mk.Clearance(hard=False), goals[3]], freeze=["Hips"])
    assert max(judge.depth(weighed.solve(HUMAN.rest, row).pose) for row in rows[::6]) > 10.0 * solver.goals[2].allowed


def test_the_report_of_a_goal_names_the_clearance_and_no_weight():
    wall = mk.Box((1.0, 1.0, 0.05), (0.0, 1.2, 0.4))
    hand = mk.Position("LeftHand", (0.2, 1.2, 0.4))
    found = mk.solve(HUMAN, [hand, mk.Clearance(obstacles={"wall": wall})], freeze=["Hips"])
    assert found.errors[1] <= found.goals[1].allowed
    assert found.errors[0] > 0.02
    report = found.report[0]
    assert any("Clearance" in name for reason in report.reasons for name in reason.culprits)
    assert not any(change.what == "lower_weight" for change in report.changes)


# Pairs that touch at rest


def test_neighbours_that_touch_at_rest_are_listed():
    goal = mk.Clearance(exempt=[("LeftHand*", "Head")]).on(HUMAN)
    assert goal.exempt[0] == ("LeftHand*", "Head")
    assert ("Spine", "LeftUpLeg") in goal.exempt
    assert goal.at_rest == goal.exempt[1:]
    assert goal.on(HUMAN).exempt == goal.exempt
    assert mk.Clearance().on(folded(np.random.default_rng(0))).exempt == ()
    other = goal.on(mk.human(1.9))
    assert other.exempt[0] == goal.exempt[0]
    for one, two in goal.at_rest:
        assert joint_places(HUMAN, one, two) <= 2


def test_joints_at_one_place_count_once():
    hinges = [mk.Segment("Root")]
    for k, axis in enumerate(np.eye(3)):
        hinges.append(mk.Segment("XYZ"[k], hinges[-1].name, mk.Hinge(tuple(axis))))
    hinges.append(mk.Segment("Tip", "Z", mk.Hinge((1, 0, 0)), offset=(0, 0, 1)))
    figure = mk.Figure("hip", hinges)
    assert joint_places(figure, "Root", "Z") == 1
    assert joint_places(figure, "Root", "Tip") == 2
    assert joint_places(figure, "Y", "Y") == 0


@settings(max_examples=15, deadline=None)
@given(rngs())
def test_segments_far_apart_that_touch_at_rest_come_no_nearer(rng):
    figure = folded(rng)
    goal = mk.Clearance().on(figure)
    judge = Judge(figure, goal)
    assert judge.depth(figure.rest) <= 1e-9
    assert_close(Problem(figure, goal).at(figure.rest).errors, [0.0], tol=1e-9)
    assert judge.least.min() < -0.1
    middle = figure.placements(figure.rest, ["S0"])[0, :3, 3] + np.array([0.0, 0.0, 0.5])
    found = mk.solve(figure, [mk.Position("S4", middle, offset=(0, 0, 1)), mk.Clearance()])
    assert judge.depth(found.pose) <= goal.allowed


@pytest.mark.filterwarnings("ignore:Clearance")
@pytest.mark.needs("data", "mjcf/unitree_g1.xml")
def test_a_g1_keeps_its_hands_out_of_its_trunk():
    from benchmarks.clearance import robot, teleoperated

    figure = robot(None)
    for solve in (False, True):
        found = teleoperated(figure, seed=38, paths=1, solve=solve)
        assert found["overlap"] == 0, found
