"""A posture counts over all joints, whatever may move: `Solver` says of it what the goal in NumPy says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from strategies import random_figure, random_pose, rngs

import manikin as mk
from manikin import rotations
from manikin.kinematics import swing_twist
from manikin.problem import Problem


def movers(figure, rng):
    """Some joints frozen, or only some free to move, or neither."""
    names = [s.joint.name for s in figure.segments if figure.step_of(s.joint.name) >= 0]
    some = [name for name in names if rng.uniform() < 0.5]
    return [{"freeze": some}, {"only": some or names[:1]}, {}][rng.integers(3)]


def anywhere(figure, rng):
    """A pose that limits need not hold."""
    return figure.integrate(random_pose(figure, rng), rng.choice([0.0, 0.5, 3.0]) * rng.normal(size=figure.nv))


def beside(figure, rng):
    """A goal that stands beside the posture, or none."""
    if rng.uniform() < 0.4:
        return []
    name = figure.segment_names[rng.integers(len(figure.segments))]
    return [mk.Position(name, figure.placements(random_pose(figure, rng, inside=True), [name])[0, :3, 3])]


def assert_told_alike(figure, goals, how, found):
    problem = Problem(figure, goals, **how)
    for pose, errors, reached in found:
        truth = problem.at(pose)
        scale = 1.0 + np.abs(truth.errors)
        assert np.all(np.abs(errors - truth.errors) <= 1e-6 * scale * max(figure.size, 1.0))
        edge = np.abs(truth.errors - problem.tolerances) <= 1e-6 * problem.tolerances  # where rounding may decide
        if not edge.any():
            assert bool(reached) == truth.reached


@settings(max_examples=150)
@given(rngs())
def test_one_query_many_and_a_track_give_the_errors_that_the_goal_has(rng):
    figure = random_figure(rng)
    if figure.nv == 0:
        return
    how = movers(figure, rng)
    tolerance = rng.choice([1e-3, 0.3, 3.0])
    stiffness = rng.choice([0.0, 0.3, 1.0, 4.0])
    goals = [*beside(figure, rng), mk.Posture(anywhere(figure, rng), tolerance=tolerance, stiffness=stiffness)]
    start = random_pose(figure, rng, inside=True)
    solver = mk.Solver(figure, goals, **how, loops=False)
    one = solver.solve(start, restarts=2)
    many = solver.solve_many(start, np.stack([solver.targets] * 2), restarts=2)
    track = solver.track(start, np.stack([solver.targets] * 4))
    found = [(one.pose, one.errors, one.reached)]
    found += list(zip(many.poses, many.errors, many.reached, strict=True))
    found += list(zip(track.poses, track.errors, track.reached, strict=True))
    assert_told_alike(figure, goals, {**how, "start": start}, found)
    usual = solver.solve(start)
    plain = mk.solve(figure, goals, start, **how, loops=False)
    assert usual.reached == plain.reached
    np.testing.assert_allclose(usual.errors, plain.errors, rtol=1e-6, atol=1e-9 + 1e-7 * figure.size)


def rail_and_arm():
    return mk.Figure(
        "rail and arm",
        [
            mk.Segment("Cart", joint=mk.Slider(limits=(-1.0, 1.0))),
            mk.Segment("Upper", "Cart", offset=(0.0, 1.0, 0.0), joint=mk.Hinge((0, 0, 1), limits=(-1.0, 1.0))),
            mk.Segment("Locked", "Upper", offset=(0.0, 1.0, 0.0), joint=mk.Hinge((0, 0, 1), limits=(0.25, 0.25))),
            mk.Segment(
                "Ball",
                "Locked",
                offset=(0.0, 1.0, 0.0),
                joint=mk.Ball(limits=mk.SwingTwist(swing=(0.5, 0.5), twist=(-0.5, 0.5))),
            ),
        ],
    )


TURNED = (np.cos(0.75), np.sin(0.75), 0.0, 0.0)
"""1.5 rad about x."""


@pytest.mark.parametrize(
    ("pose", "how", "error"),
    [
        ((0.0, 0.5, 0.25, 1, 0, 0, 0), {"freeze": ["Upper"]}, 0.5),
        ((0.0, 0.5, 0.25, 1, 0, 0, 0), {"only": ["Cart"]}, 0.5),
        ((0.0, 0.0, 1.25, 1, 0, 0, 0), {}, 1.0),
        ((0.0, 3.0, 0.25, 1, 0, 0, 0), {}, 2.0),
        ((0.0, 0.0, 0.25, *TURNED), {}, 1.0),
        ((0.0, 0.0, 0.25, *TURNED), {"freeze": ["Ball"]}, 1.5),
        ((0.5, 0.0, 0.25, 1, 0, 0, 0), {"freeze": ["Cart"]}, None),
        ((3.0, 0.0, 0.25, 1, 0, 0, 0), {}, None),
    ],
    ids=["frozen", "not in only", "locked", "outside limits", "outside a cone", "frozen ball", "held slide", "slide"],
)
def test_what_no_joint_can_do_counts(pose, how, error):
    figure = rail_and_arm()
    start = np.array([0.0, 0.0, 0.25, 1, 0, 0, 0])
    goal = mk.Posture(pose)
    if error is None:  # a slide: by how much it is off, in fifths of the size
        error = abs(pose[0] - (0.0 if how else 1.0)) / (0.2 * figure.size)
    solver = mk.Solver(figure, goal, **how)
    track = solver.track(start, np.stack([solver.targets] * 5))
    many = solver.solve_many(start, solver.targets[None])
    one = solver.solve(start)
    assert one.errors[0] == pytest.approx(error, abs=1e-6)
    assert not one.reached
    assert one.status == "stalled"
    assert many.errors[0, 0] == pytest.approx(error, abs=1e-6)
    assert not many.reached[0]
    np.testing.assert_allclose(track.errors[:, 0], error, atol=1e-4)
    assert not track.reached.any()
    assert mk.solve(figure, goal, start, **how).errors[0] == pytest.approx(error, abs=1e-6)


def test_joints_that_move_go_where_the_posture_wants_them_beside_one_that_cannot():
    figure = rail_and_arm()
    pose = np.array([0.5, -0.5, 2.25, *TURNED])
    found = mk.Solver(figure, mk.Posture(pose), freeze=["Ball"]).solve()
    np.testing.assert_allclose(found.pose[:3], [0.5, -0.5, 0.25], atol=1e-3)


def test_a_posture_that_a_frozen_joint_keeps_out_of_reach_costs_one_start():
    human = mk.human()
    pose = human.random(np.random.default_rng(3))
    free = mk.Solver(human, mk.Posture(pose)).solve(human.rest)
    held = mk.Solver(human, mk.Posture(pose), freeze=["LeftForeArm"]).solve(human.rest)
    assert free.reached
    assert not held.reached
    assert held.iterations <= free.iterations + 2


def test_a_posture_within_its_tolerance_is_reached_although_a_joint_is_frozen_off_it():
    figure = rail_and_arm()
    pose = (0.0, 0.5, 0.25, 1, 0, 0, 0)
    assert mk.Solver(figure, mk.Posture(pose, tolerance=0.6), freeze=["Upper"]).solve().reached
    assert not mk.Solver(figure, mk.Posture(pose, tolerance=0.4), freeze=["Upper"]).solve().reached


def test_limbs_without_a_pulled_joint_stay_where_they_are():
    human = mk.human()
    arm = ("LeftArm", "LeftForeArm", "LeftHand")
    names = [s.joint.name for s in human.segments if human.step_of(s.joint.name) >= 0]
    pulled = mk.Posture(human.rest, stiffness={name: float(name in arm) for name in names})
    start = human.random(np.random.default_rng(5))
    found = mk.Solver(human, [pulled]).solve(start, restarts=0)
    assert found.reached
    for name in ("RightArm", "RightForeArm", "RightUpLeg", "LeftLeg", "Head"):
        at = human.index_of(name)
        own = slice(at, at + human.segment(name).joint.nq)
        np.testing.assert_array_equal(found.pose[own], start[own])


@settings(max_examples=60)
@given(rngs())
def test_a_few_iterations_are_never_worse_than_the_start(rng):
    """A start with a swing of half a turn, where each twist is right, is read inside the cone. It is read to 2e-8 rad:
    with c the cosine of half the swing, rounding turns it by ε / c, and where c is below 1e-8, c is taken as 0."""
    figure = random_figure(rng)
    name = figure.segment_names[rng.integers(len(figure.segments))]
    start = random_pose(figure, rng, inside=True)
    near = figure.placements(start, [name])[0, :3, 3] + rng.choice([1e-3, 0.05, 1.0]) * figure.size * rng.normal(size=3)
    goals = [mk.Position(name, near), mk.Posture(start, stiffness=rng.choice([0.0, 0.1]))]
    solver = mk.Solver(figure, goals, loops=False)
    found = [solver.solve(start, restarts=0, iterations=k) for k in range(5)]
    assert_told_alike(figure, goals, {}, [(s.pose, s.errors, s.reached) for s in found])
    problem = Problem(figure, goals)
    costs = [problem.at(pose).cost for pose in (start, *(s.pose for s in found))]
    read = 4e-8 * figure.size if (figure.layout.cones.swing >= np.pi).any() else 0.0
    most = (np.sqrt(costs[0]) + read) ** 2 * (1.0 + 1e-9) + 1e-15 * figure.size**2
    assert max(costs) <= most


@pytest.mark.parametrize("swing", [(np.pi, np.pi), (np.pi, 0.3), (0.3, np.pi)])
@pytest.mark.parametrize("twist", [(-0.3, 1.1), (0.5, 0.9), (-np.pi, np.pi)])
def test_a_start_with_a_swing_of_half_a_turn_is_kept(swing, twist):
    rng = np.random.default_rng(11)
    for _ in range(20):
        q, first = rng.normal(size=(2, 4))
        limits = mk.SwingTwist(
            axis=first[:3], first=rng.normal(size=3), swing=swing, twist=twist, reference=tuple(q / np.linalg.norm(q))
        )
        figure = mk.chain(2, mk.Ball(limits=limits))
        angle = {0: 0.0, 1: 0.5 * np.pi}.get(
            int(np.argmax(swing)) if swing[0] != swing[1] else 2, rng.uniform(0.0, 6.0)
        )
        at = np.array([np.pi * np.cos(angle), np.pi * np.sin(angle), rng.uniform(*twist)])
        turn = rotations.multiply(np.array(limits.reference), swing_twist.compose(at, limits.basis))
        start = np.tile(turn, 2)
        kept = mk.Solver(figure, mk.Position("Tip", (0.3, 0.2, 0.1))).solve(start, restarts=0, iterations=0).pose
        assert figure.violation(start) == 0.0
        assert np.abs(figure.difference(start, kept)).max() <= 1e-7
