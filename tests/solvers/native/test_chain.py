"""One effector on hinges and slides: its own step (control/chain.h) goes the way of the general one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import manikin as mk
from manikin import backend, rotations
from manikin.goals import Goal
from manikin.problem import Problem
from manikin.solvers.native.compiled import Compiled

pytestmark = pytest.mark.skipif(not backend.native, reason="MANIKIN_BACKEND=reference: there is no native solver")


def slanting(rng: np.random.Generator, joints: int) -> mk.Figure:
    """A slide, hinges with and without limits about any axes, a joint of three angles, a fixed segment between them."""
    segments, parent = [], None
    for k in range(joints):
        axis, turn = rng.normal(size=3), rotations.normalized(rng.normal(size=4))
        motion: Any = mk.Hinge(axis, (-1.0 - rng.uniform(), 2.0) if k % 2 else (-np.inf, np.inf))
        if k == 0:
            motion = mk.Slider(axis, (-0.2, 0.3))
        if k == 3:
            motion = mk.Euler("ZXY", ((-1.0, 1.0), (-0.5, 1.5), (-2.0, 2.0)))
        segments.append(mk.Segment(f"Part{k}", parent, motion, offset=0.3 * rng.normal(size=3), rotation=turn))
        parent = f"Part{k}"
        if k == 2:
            turn = rotations.normalized(rng.normal(size=4))
            segments.append(mk.Segment("Still", parent, offset=(0.0, 0.2, 0.1), rotation=turn))
            parent = "Still"
    segments.append(
        mk.Segment("Tip", parent, offset=(0.1, 0.0, 0.2), rotation=rotations.normalized(rng.normal(size=4)))
    )
    return mk.Figure("slanting", segments)


def straight(_: np.random.Generator, joints: int) -> mk.Figure:
    """Axes along or across each other: the turns between them have no part about x, or half a turn."""
    turned = rotations.from_rotation_vector(np.array([np.pi, 0.0, 0.0]))
    segments = [mk.Segment("Part0", None, mk.Hinge((0, 0, 1), (-2.5, 2.5)))]
    for k in range(1, joints):
        axis, rotation = [((0, 0, 1), None), ((0, 1, 0), None), ((0, 0, 1), turned), ((0, 0, -1), None)][k % 4]
        hinge = mk.Hinge(axis, (-2.0, 1.5))
        segments.append(mk.Segment(f"Part{k}", f"Part{k - 1}", hinge, offset=(0.4, 0.0, 0.1), rotation=rotation))
    return mk.Figure("straight", [*segments, mk.Segment("Tip", segments[-1].name, offset=(0.3, 0.0, 0.0))])


def goals_of(figure: mk.Figure, pose: np.ndarray, rng: np.random.Generator) -> dict[str, Goal]:
    """Goals at the tip that this pose meets."""
    tip, offset = figure.placements(pose, ["Tip"])[0], np.array([0.05, -0.1, 0.02])
    turn = rotations.from_matrix(tip[:3, :3])
    point, normal = tip[:3, :3] @ offset + tip[:3, 3], rotations.normalized(rng.normal(size=3))
    place = np.concatenate([point, turn])
    axis = np.array([0.0, 0.6, 0.8])
    return {
        "position": mk.Position("Tip", point, offset=offset),
        "two of its axes": mk.Position("Tip", point[[0, 2]], axes="xz", offset=offset),
        "orientation": mk.Orientation("Tip", turn),
        "placement": mk.Placement("Tip", place, offset=offset),
        "aim": mk.Aim("Tip", point + 1.5 * tip[:3, :3] @ axis, axis=axis, offset=offset),
        "line": mk.Line("Tip", point + 0.7 * normal, normal, offset=offset),
        "plane": mk.Plane("Tip", point, normal, offset=offset),
        "above a plane": mk.Plane("Tip", point, normal, offset=offset, side="above"),
    }


@pytest.mark.parametrize("make", [slanting, straight])
@pytest.mark.parametrize("joints", [3, 5, 9])
def test_steps_and_poses_are_those_of_the_step_for_all_figures(make, joints: int, kernels: str) -> None:
    rng = np.random.default_rng(joints)
    figure = make(rng, joints)
    starts, meant = figure.random(rng, 40), figure.random(rng, 40)
    for name in goals_of(figure, meant[0], rng):
        goals = [goals_of(figure, q, rng)[name] for q in meant]
        rows = np.array([g.on(figure).target for g in goals])
        alone = mk.Solver(figure, goals[0]).solve_many(starts, rows)
        # a goal that does not count keeps the general step
        beside = mk.Solver(figure, [goals[0], mk.Position("Tip", (0, 0, 0))])
        other = beside.solve_many(starts, np.concatenate([rows, np.zeros((40, 3))], axis=1), active=[True, False])
        assert alone.reached.mean() >= 0.97, name
        np.testing.assert_array_equal(alone.reached, other.reached, err_msg=name)
        same = alone.iterations == other.iterations
        assert same.mean() >= 0.9, name  # rounding may tell whether a step is refused
        near = np.abs(alone.poses - other.poses).max(axis=1) < 1e-6
        assert near[same].mean() >= 0.95, name


@pytest.mark.parametrize("make", [slanting, straight])
def test_errors_are_those_of_the_goals_in_python(make, kernels: str) -> None:
    rng = np.random.default_rng(5)
    figure = make(rng, 6)
    for goal in goals_of(figure, figure.random(rng), rng).values():
        for q in figure.random(rng, 10):
            problem = Problem(figure, [goal], q)
            compiled = Compiled.of(figure, problem.goals, problem.movable)
            # no iteration: the start comes back, with its errors
            same = compiled.errors_at(q[None], compiled.targets[None], np.ones(1))
            np.testing.assert_allclose(same.errors[0], problem.at(q).errors, rtol=1e-9, atol=1e-12)
            np.testing.assert_allclose(same.pose[0], q, rtol=1e-15)


def test_a_placement_out_of_reach_is_missed_by_as_little_as_in_the_general_solver() -> None:
    rng = np.random.default_rng(3)
    figure = slanting(rng, 7)
    far = np.concatenate([(4.0, 1.0, 0.0), rotations.normalized(rng.normal(size=4))])
    goal = mk.Placement("Tip", far)
    starts = figure.random(rng, 6)
    alone = mk.Solver(figure, goal).solve_many(starts)
    beside = mk.Solver(figure, [goal, mk.Position("Tip", (0, 0, 0))]).solve_many(
        starts, np.concatenate([far, np.zeros(3)]), active=[True, False]
    )
    assert not alone.reached.any()
    assert figure.violation(alone.poses).max() == 0.0
    np.testing.assert_allclose(alone.errors[:, 0], beside.errors[:, 0], rtol=1e-3)


def test_a_long_chain_reaches_and_gives_the_same_bits_on_two_threads() -> None:
    figure = mk.chain(np.full(101, 0.05), mk.Euler("ZYX", ((-0.6, 0.6),) * 3))
    rng = np.random.default_rng(2)
    targets = figure.placements(figure.random(rng, 130), ["Tip"])[:, 0, :3, 3]
    solver = mk.Solver(figure, mk.Position("Tip", (0, 0, 0)))
    one, two = solver.solve_many(None, targets), solver.solve_many(None, targets, threads=2)
    assert one.reached.all()
    np.testing.assert_array_equal(one.poses, two.poses)
