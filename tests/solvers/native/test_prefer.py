"""A preferred pose in the native solver: the pull on the way to the goals, and settling near it where they are met."""

from __future__ import annotations

import numpy as np
import pytest
from preferred import but_root, compiled, distance, metric, random_case
from targets_of_bodies import goals as body_goals
from targets_of_bodies import near_limits, targets

import manikin as mk
from manikin.goals.loops import with_loops
from manikin.reference import preference
from manikin.reference.tree import BALL

pytest.importorskip("manikin._core", reason="the native core is not built")


def left_to_gain(problem, pose, preferred, stiffness):
    """The gradient of the distance along which goals and limits stay, as a share of the whole gradient."""
    figure, local, tree = problem.figure, problem.chart.at(pose), problem.figure.layout.tree
    balls = tree.step[tree.kind == BALL].astype(np.int64)
    pull = preference.pull(figure.difference(preferred, pose), metric(problem, stiffness), balls)
    gradient = local.columns(pull[None])[0]
    lower = np.where(local.lower > -1e-7, 0.0, -np.inf)
    upper = np.where(local.upper < 1e-7, 0.0, np.inf)
    rows = local.columns(problem.at(pose).derivative)
    return np.abs(preference.projected(gradient, rows, lower, upper)).max() / (1.0 + np.abs(gradient).max())


def standing_goals(figure):
    """The goals of README: a hand, both feet, the gaze, balance."""
    left, right = figure.placements(figure.rest, ["LeftFoot", "RightFoot"])
    return [
        mk.Position("RightHand", (-0.42, 1.45, 0.42)),
        mk.Placement("LeftFoot", left),
        mk.Placement("RightFoot", right),
        mk.Aim("Head", (-0.42, 1.45, 0.42)),
        mk.Balance(["LeftFoot", "RightFoot"]),
    ]


def planar(count, limit):
    """A chain of hinges in the plane, each segment 1 long."""
    segments = [mk.Segment("Base")]
    for i in range(count):
        joint = mk.Hinge(limits=(-limit, limit))
        segments.append(mk.Segment(f"S{i}", segments[-1].name, joint, offset=(float(i > 0), 0, 0)))
    return mk.Figure("planar", [*segments, mk.Segment("Tip", segments[-1].name, offset=(1, 0, 0))])


def test_a_settled_pose_meets_goals_and_limits_and_leaves_nothing_to_gain():
    stationary = []
    for seed in range(250):
        case = random_case(np.random.default_rng(seed))
        if case is None:
            continue
        (problem, native, row, weights), pose, preferred, stiffness = case
        options = {"restarts": 0, "near": True, "prefer": preferred, "stiffness": stiffness}
        found = native.solve(pose[None], row, weights, settle=True, **options)
        settled = found.pose[0]
        assert found.status[0] == 0
        assert (problem.at(settled).errors <= problem.tolerances).all()
        assert problem.figure.violation(settled) <= 1e-9
        before = distance(problem, preferred, pose, stiffness)
        assert distance(problem, preferred, settled, stiffness) <= 1.01 * before + 1e-3
        stationary.append(left_to_gain(problem, settled, preferred, stiffness) < 1e-4)
    assert len(stationary) > 100
    # an effector that comes to the point that it aims at has no minimum; test_settle.py looks at the others
    assert np.mean(stationary) >= 0.98


def test_the_twin_finds_no_nearer_pose():
    figure = planar(5, 2.0)
    problem, native, row, weights = compiled(figure, [mk.Position("Tip", (2.5, 1.5, 0.0), axes="xy")])
    preferred, stiffness = np.array([0.3, -0.2, 2.0, 0.4, 0.1]), np.array([1.0, 1.0, 0.5, 2.0, 1.0])
    settled = native.solve(
        figure.rest[None], row, weights, restarts=30, prefer=preferred, stiffness=stiffness, settle=True
    ).pose[0]
    root = np.sqrt(metric(problem, stiffness))

    def local(pose):
        chart, at = problem.chart.at(pose), problem.at(pose)
        rows, d = chart.columns(at.derivative), figure.difference(preferred, pose)
        return preference.LocalProblem(
            at.rows, rows, root * d, chart.columns(np.diag(root)), chart.lower, chart.upper, chart.moved
        )

    twin = preference.nearest(local, settled + 0.05)
    assert np.abs(figure.difference(settled, twin)).max() < 1e-4


def test_two_starts_settle_in_the_same_pose():
    figure = mk.human()
    _, native, row, weights = compiled(figure, standing_goals(figure))
    rng = np.random.default_rng(0)
    starts = np.stack([figure.rest, *(figure.random(rng) for _ in range(7))])
    rows = row.repeat(len(starts), axis=0)
    for preferred in (figure.rest, None):
        found = native.solve(starts, rows, weights, restarts=30, prefer=preferred, settle=True)
        assert (found.status == 0).all()
        for pose in found.pose:
            assert np.abs(figure.difference(found.pose[0], pose)).max() < 1e-4


def test_joints_that_no_goal_feels_take_their_preferred_values():
    figure = mk.human()
    _, native, row, weights = compiled(figure, [mk.Position("RightHand", (-0.4, 1.3, 0.3))])
    preferred = figure.random(np.random.default_rng(3))
    found = native.solve(figure.rest[None], row, weights, restarts=30, prefer=preferred, settle=True)
    at = figure.step_of("LeftLeg")
    assert abs(figure.difference(preferred, found.pose[0])[at]) < 1e-12


def test_settling_comes_nearer_than_a_posture_of_lower_priority_in_a_twentieth_of_its_iterations():
    figure = mk.human()
    problem, native, row, weights = compiled(figure, standing_goals(figure))
    settled = native.solve(figure.rest[None], row, weights, restarts=30, prefer=figure.rest, settle=True)
    free = dict.fromkeys([figure.segments[0].joint.name], 0.0)
    posture = mk.Posture(figure.rest, priority=1, stiffness=free)
    with_posture = mk.Solver(figure, [*standing_goals(figure), posture]).solve(figure.rest)
    stiffness = but_root(figure)
    ours = distance(problem, figure.rest, settled.pose[0], stiffness)
    assert ours <= distance(problem, figure.rest, with_posture.pose, stiffness) + 1e-3
    assert settled.iterations[0] <= 20


def test_goals_that_are_not_met_are_left_as_they_are():
    figure = mk.human()
    _, native, row, weights = compiled(
        figure, [mk.Position("RightHand", (5.0, 1.0, 0.0)), mk.Position("Hips", (0, 1, 0))]
    )
    plain = native.solve(figure.rest[None], row, weights, restarts=2, prefer=figure.rest)
    settled = native.solve(figure.rest[None], row, weights, restarts=2, prefer=figure.rest, settle=True)
    assert plain.status[0] != 0
    assert np.array_equal(plain.pose, settled.pose)


def test_a_start_that_meets_all_goals_is_settled():
    figure = mk.human()
    problem, native, row, weights = compiled(figure, standing_goals(figure))
    start = native.solve(figure.rest[None], row, weights, restarts=30).pose
    found = native.solve(start, row, weights, restarts=0, prefer=figure.rest, settle=True)
    stiffness = but_root(figure)
    assert found.status[0] == 0
    assert distance(problem, figure.rest, found.pose[0], stiffness) < distance(
        problem, figure.rest, start[0], stiffness
    )


def test_closed_loops_stay_closed():
    segments = [
        mk.Segment("Ground"),
        mk.Segment("Crank", "Ground", mk.Hinge()),
        mk.Segment("Coupler", "Crank", mk.Hinge(), offset=(1, 0, 0)),
        mk.Segment("Rocker", "Ground", mk.Hinge(limits=(0.5, 3.0)), offset=(4, 0, 0)),
    ]
    figure = mk.Figure("four bars", segments, loops=[mk.Loop("bar", "Coupler", "Rocker", (4, 0, 0), (3, 0, 0))])
    wide = mk.Position("Crank", (0, 0, 0), offset=(0, 0, 0))
    problem, native, row, weights = compiled(figure, with_loops(figure, [wide]))
    preferred = np.array([1.0, 0.0, 1.5])
    poses = [
        native.solve(np.array([start]), row, weights, restarts=30, prefer=preferred, settle=True)
        for start in ([0.0, 1.0, 2.0], [0.5, 0.5, 1.0])
    ]
    for found in poses:
        assert found.status[0] == 0
        assert (problem.at(found.pose[0]).errors <= problem.tolerances).all()
        assert left_to_gain(problem, found.pose[0], preferred, np.ones(3)) < 1e-4
    assert np.abs(poses[0].pose - poses[1].pose).max() < 1e-4


def test_the_pull_lowers_the_distance_and_keeps_success():
    figure = mk.human()
    goals = body_goals()
    problem, native, _, weights = compiled(figure, goals)
    rng = np.random.default_rng(77)
    for poses in (figure.random(rng, 300), near_limits(figure, rng, 300)):
        rows = targets(figure, list(problem.goals), poses)
        starts = figure.rest[None].repeat(len(rows), axis=0)
        for restarts in (0, 30):
            plain = native.solve(starts, rows, weights, restarts=restarts)
            pulled = native.solve(starts, rows, weights, restarts=restarts, prefer=figure.rest)
            # of 3000 targets each: 2984 and 2983 from one start; 2754 and 2747 near limits
            assert (pulled.status == 0).sum() >= 0.99 * (plain.status == 0).sum()
            reached = pulled.status == 0
            assert (pulled.errors[reached] <= native.tolerances).all()
            far = [
                np.mean([distance(problem, figure.rest, q, but_root(figure)) for q in found.pose])
                for found in (plain, pulled)
            ]
            assert far[1] < 0.9 * far[0]


def test_only_the_ratios_of_stiffness_count():
    figure = mk.human()
    _, native, row, weights = compiled(figure, standing_goals(figure))
    stiffness = but_root(figure)
    stiffness[10:20] = 0.25
    found = [
        native.solve(figure.rest[None], row, weights, restarts=0, prefer=figure.rest, stiffness=s, settle=True).pose
        for s in (stiffness, 64.0 * stiffness)
    ]
    assert np.array_equal(*found)


def test_a_stiff_joint_stays_nearer_to_its_preferred_value():
    figure = planar(4, 3.0)
    _, native, row, weights = compiled(figure, [mk.Position("Tip", (2.0, 1.0, 0.0), axes="xy")])
    start, even, stiff = np.array([[0.3, 0.5, -0.4, 0.2]]), np.ones(4), np.array([1.0, 20.0, 1.0, 1.0])
    bent = [
        abs(native.solve(start, row, weights, restarts=30, prefer=np.zeros(4), stiffness=s, settle=True).pose[0, 1])
        for s in (even, stiff)
    ]
    assert bent[1] < 0.5 * bent[0]


def test_a_turn_further_or_less_settles_at_the_preferred_number():
    figure = mk.Figure("wheel", [mk.Segment("Base"), mk.Segment("Wheel", "Base", mk.Hinge())])
    _, native, row, weights = compiled(figure, [mk.Position("Wheel", (1.0, 0.0, 0.0), offset=(1.0, 0.0, 0.0))])
    found = native.solve(np.array([[0.1]]), row, weights, restarts=0, prefer=np.array([12.4]), settle=True)
    assert abs(found.pose[0, 0] - 4.0 * np.pi) < 1e-3


def test_an_arm_with_a_preferred_pose_is_left_to_the_general_solver():
    axes = [(0, 0, 1), (0, 1, 0), (0, 0, 1), (0, -1, 0), (0, 0, 1), (0, -1, 0), (0, 0, 1)]
    segments = [mk.Segment("Base")]
    for i, axis in enumerate(axes):
        joint = mk.Hinge(axis=axis, limits=(-2.8, 2.8))
        segments.append(mk.Segment(f"S{i}", segments[-1].name, joint, offset=(0, 0, 0.2)))
    figure = mk.Figure("arm", segments)
    truth = np.array([0.3, 0.6, -0.2, 1.0, 0.4, 0.7, -0.3])
    problem, native, row, weights = compiled(figure, [mk.Placement("S6", figure.placements(truth, ["S6"])[0])])
    preferred = truth + 0.2
    found = native.solve(figure.rest[None], row, weights, restarts=30, prefer=preferred, settle=True)
    assert found.status[0] == 0
    assert left_to_gain(problem, found.pose[0], preferred, np.ones(7)) < 1e-4
