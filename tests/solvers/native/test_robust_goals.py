"""Robust goals in the native solver: the robust cost falls, and outliers hardly move the pose."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from checks import assert_close, assert_refused
from hypothesis import given, settings
from strategies import random_figure, random_pose, rngs

import manikin as mk
from manikin.errors import BadValue, Unsupported
from manikin.goals.robust import Robust
from manikin.problem import Problem
from manikin.solvers.native.block import packed
from manikin.solvers.native.compiled import Compiled
from manikin.solvers.native.stored import read_arrays

pytest.importorskip("manikin._core", reason="the native core is not built")

MARKERS = (
    *("Hips", "Spine4", "Neck", "Head", "LeftArm", "LeftForeArm", "LeftHand", "RightArm", "RightForeArm", "RightHand"),
    *("LeftUpLeg", "LeftLeg", "LeftFoot", "RightUpLeg", "RightLeg", "RightFoot"),
)


def marker_goals(figure, robust=None):
    """Three markers on each of sixteen segments, about 5 cm from its origin, no three of them on a line."""
    rng = np.random.default_rng(77)
    names = [s for s in MARKERS if s in figure.segment_names]
    return [
        mk.Position(s, (0.0, 0.0, 0.0), offset=tuple(0.05 * rng.normal(size=3)), name=f"{s}{k}", robust=robust)
        for s in names
        for k in range(3)
    ]


def marker_rows(figure, goals, poses):
    placed = figure.placements(poses, [g.segment for g in goals])
    points = placed[..., :3, 3] + np.einsum("bsij,sj->bsi", placed[..., :3, :3], np.array([g.offset for g in goals]))
    return points.reshape(len(poses), -1)


def joint_distance(figure, a, b):
    """(B,) the largest distance between the segments of two poses, length."""
    names = list(MARKERS)
    return np.linalg.norm(
        figure.placements(a, names)[..., :3, 3] - figure.placements(b, names)[..., :3, 3], axis=-1
    ).max(-1)


def small_moves(figure, rng, count, size=0.3):
    """Poses near rest, within limits."""
    steps = size * rng.normal(size=(count, figure.nv)) * np.where(np.arange(figure.nv) < 6, 0.1, 1.0)
    return np.array([figure.clamp(figure.integrate(figure.rest, v)) for v in steps])


@settings(max_examples=100)
@given(rngs())
def test_the_robust_cost_falls_in_every_accepted_step_and_equals_the_twin(rng):
    figure = random_figure(rng)
    pose, start = random_pose(figure, rng, inside=True), random_pose(figure, rng, inside=True)
    names = [figure.segment_names[k] for k in rng.integers(len(figure.segment_names), size=4)]
    make = (mk.GemanMcClure, mk.Huber)[rng.integers(2)]
    loss = make(figure.size * 10.0 ** rng.uniform(-0.5, 0.5))
    goals = [mk.Position(s, figure.placements(pose, [s])[0, :3, 3], robust=loss, offset=(0.0, 0.1, 0.0)) for s in names]
    goals[0] = goals[0].with_target(goals[0].point + figure.size)
    problem = Problem(figure, goals, start)
    native = Compiled.of(figure, problem.goals, problem.movable)
    seen = []

    def watch(q, cost, damping, step, iteration, moved):
        seen.append((q.copy(), cost, moved))
        return True

    native.run(start[None], native.targets[None], np.ones(4), restarts=0, watch=watch)
    costs = np.array([problem.at(q).cost for q, _, _ in seen])
    softened = np.array([cost for _, cost, _ in seen])
    if not len(costs):
        return
    last = np.flatnonzero(np.abs(softened - costs) > 1e-9 * costs.max())
    first = last[-1] + 1 if len(last) else 0  # earlier runs had softened losses
    tail = costs[first:]
    assert (np.diff(tail) <= 1e-12 * costs.max()).all()
    # a softened loss is never smaller than the loss itself
    assert (softened[:first] >= costs[:first] * (1.0 - 1e-9)).all()


@pytest.mark.parametrize("loss", [mk.GemanMcClure(0.03), mk.Huber(0.005)], ids=["geman-mcclure", "huber"])
def test_a_ghost_half_a_metre_away_moves_the_pose_by_a_few_millimetres(loss):
    figure, rng = mk.human(), np.random.default_rng(5)
    poses = small_moves(figure, rng, 20)
    goals, plain = marker_goals(figure, loss), marker_goals(figure)
    rows = marker_rows(figure, goals, poses)
    noisy = rows + 0.002 * rng.normal(size=rows.shape)
    ghost = noisy.reshape(len(rows), -1, 3).copy()
    hit = rng.integers(len(goals), size=len(rows))
    away = rng.normal(size=(len(rows), 3))
    ghost[np.arange(len(rows)), hit] += 0.5 * away / np.linalg.norm(away, axis=1, keepdims=True)
    solver, usual = mk.Solver(figure, goals), mk.Solver(figure, plain)
    clean = usual.solve_many(poses, noisy, restarts=0)
    near = solver.solve_many(clean.poses, ghost.reshape(rows.shape), restarts=0)
    far = solver.solve_many(None, ghost.reshape(rows.shape), restarts=0)
    dragged = usual.solve_many(clean.poses, ghost.reshape(rows.shape), restarts=0)
    moved = [joint_distance(figure, found.poses, clean.poses) for found in (near, far, dragged)]
    print(
        f"moved by {moved[0].max():.4f} from near, {moved[1].max():.4f} from afar, {moved[2].mean():.4f} without a loss"
    )
    assert moved[2].mean() > 0.03
    if isinstance(loss, mk.GemanMcClure):
        assert max(moved[0].max(), moved[1].max()) < 0.005
    else:  # a constant pull still turns a segment about its other two markers, where these are close to each other
        assert np.median(moved[0]) < 0.005
        assert np.median(moved[1]) < 0.005
    for b in range(len(rows)):  # no pose of the others has a lower robust cost
        aims = [g.with_target(t) for g, t in zip(goals, ghost[b], strict=True)]
        problem = Problem(figure, aims, poses[b])
        costs = [problem.at(found.poses[b]).cost for found in (near, far, clean, dragged)]
        assert min(costs) > max(costs[:2]) * (1.0 - 1e-4)
    assert not near.reached.any()
    weights = near.robust_weights
    assert weights.shape == near.errors.shape
    assert (weights[np.arange(len(rows)), hit] < (0.01 if isinstance(loss, mk.GemanMcClure) else 0.02)).all()
    others = np.ones(weights.shape, bool)
    others[np.arange(len(rows)), hit] = False
    assert np.quantile(weights[others], 0.01) > 0.25


def test_weights_are_those_of_the_reported_errors():
    figure = mk.human()
    goals = [
        mk.Position("LeftHand", (0.6, 1.9, 0.3), robust=mk.GemanMcClure(0.1)),
        mk.Orientation("Head", (0.0, 1.0, 0.0, 0.0), robust=mk.Huber(0.2)),
        mk.Position("RightHand", (-0.4, 1.2, 0.3)),
        mk.AnyOf(
            mk.Position("LeftFoot", (0.1, 0.1, 0.0)), mk.Position("LeftFoot", (0.2, 3.0, 0), robust=mk.Huber(0.1))
        ),
    ]
    solver = mk.Solver(figure, goals)
    one = solver.solve(figure.rest, restarts=0)
    expected = Problem(figure, list(one.goals), one.pose).at(one.pose).robust_weights
    assert_close(one.robust_weights, expected, tol=1e-9)
    assert one.robust_weights[2] == 1.0
    many = solver.solve_many(figure.rest, solver.targets[None], restarts=0)
    assert (many.robust_weights[0] == one.robust_weights).all()
    assert (many[0].robust_weights == one.robust_weights).all()
    stored = mk.Solver.from_bytes(solver.to_bytes())
    again = stored.solve_many(figure.rest, solver.targets[None], restarts=0)
    assert (again.poses == many.poses).all()
    assert (again.robust_weights == many.robust_weights).all()


def test_goals_that_can_be_met_are_met_and_reached_is_about_the_plain_error():
    figure, rng = mk.human(), np.random.default_rng(6)
    poses = small_moves(figure, rng, 30)
    goals = marker_goals(figure, mk.GemanMcClure(0.03))
    solver = mk.Solver(figure, goals)
    found = solver.solve_many(None, marker_rows(figure, goals, poses), restarts=0)
    assert found.reached.mean() > 0.9
    tolerances = np.array([g.allowed for g in solver.goals])
    assert (found.reached == (found.errors <= tolerances).all(axis=1)).all()
    assert all(figure.violation(q) == 0.0 for q in found.poses)


def test_the_same_question_has_the_same_answer():
    figure, rng = mk.human(), np.random.default_rng(7)
    poses = small_moves(figure, rng, 12)
    goals = marker_goals(figure, mk.GemanMcClure(0.03))
    rows = marker_rows(figure, goals, poses) + 0.01 * rng.normal(size=(12, 3 * len(goals)))
    solver = mk.Solver(figure, goals)
    many = solver.solve_many(figure.rest, rows, restarts=2)
    assert (solver.solve_many(figure.rest, rows, restarts=2, threads=2).poses == many.poses).all()
    for b in (11, 3, 0):
        assert (solver.solve(figure.rest, rows[b], restarts=2).pose == many.poses[b]).all()
    assert (pickle.loads(pickle.dumps(solver)).solve(figure.rest, rows[4], restarts=2).pose == many.poses[4]).all()


def test_few_iterations_from_near_are_spent_on_the_robust_cost():
    """Rounds of few iterations from the last poses never raise the cost."""
    figure, rng = mk.human(), np.random.default_rng(8)
    poses = small_moves(figure, rng, 6)
    goals = marker_goals(figure, mk.GemanMcClure(0.03))
    rows = marker_rows(figure, goals, poses).reshape(6, -1, 3)
    rows[:, 7] += 0.4
    rows = rows.reshape(6, -1)
    solver, q = mk.Solver(figure, goals), poses
    for _ in range(3):
        found = solver.solve_many(q, rows, restarts=0, iterations=3)
        assert (found.iterations <= 3).all()
        for b in range(6):
            problem = Problem(
                figure, [g.with_target(t) for g, t in zip(goals, rows[b].reshape(-1, 3), strict=True)], q[b]
            )
            assert problem.at(found.poses[b]).cost <= problem.at(q[b]).cost * (1.0 + 1e-12)
        q = found.poses
    assert joint_distance(figure, q, poses).max() < 0.003


def test_a_track_ignores_a_ghost_that_comes_and_goes():
    figure, rng = mk.human(), np.random.default_rng(9)
    ends = small_moves(figure, rng, 2, 0.2)
    frames = np.array([figure.clamp(figure.integrate(ends[0], k / 60 * figure.difference(*ends))) for k in range(61)])
    goals = marker_goals(figure, mk.GemanMcClure(0.03))
    rows = marker_rows(figure, goals, frames).reshape(61, -1, 3)
    rows[20:40, 20] += (0.3, 0.3, 0.3)
    found = mk.Solver(figure, goals).track(frames[0], rows.reshape(61, -1), dt=1 / 60)
    assert joint_distance(figure, found.poses, frames).max() < 0.004
    assert not found.reached[20:40].any()
    assert found.reached[5:20].all()
    assert (found.robust_weights[20:40, 20] < 0.01).all()
    pieces = mk.Solver(figure, goals)
    one = pieces.track(frames[0], rows[:30].reshape(30, -1), dt=1 / 60)
    two = pieces.track(one.poses[-1], rows[30:].reshape(31, -1), before=rows[29].reshape(-1), dt=1 / 60)
    assert (np.concatenate([one.poses, two.poses]) == found.poses).all()


def test_outliers_count_little_in_the_information():
    figure = mk.human()
    here = figure.placements(figure.rest, ["LeftHand"])[0, :3, 3]
    goal = mk.Position("LeftHand", here + np.array([0.0, 0.3, 0.0]), robust=mk.GemanMcClure(0.03))
    solver = mk.Solver(figure, goal)
    expected = Problem(figure, goal, figure.rest).at(figure.rest).information()
    assert_close(solver.information(figure.rest), expected, scale=expected.max(), tol=1e-11)
    near = solver.information(figure.rest, here)
    assert near.max() > 1e3 * expected.max()


def test_an_arm_with_a_robust_goal_is_solved_by_the_general_solver():
    arm = mk.chain(6)
    pose = arm.random(np.random.default_rng(1))
    tip = arm.placements(pose, ["Tip"])[0, :3, 3]
    goal = mk.Position("Tip", tip, robust=mk.Huber(0.1))
    assert (
        mk.solve(arm, [goal, mk.Position("Tip", tip + np.array([5.0, 0.0, 0.0]), robust=mk.GemanMcClure(0.1))]).errors[
            0
        ]
        < 0.02
    )
    assert mk.solve(arm, goal).reached


def test_other_methods_refuse_robust_goals():
    figure = mk.chain(3)
    goal = mk.Position("Tip", (1.0, 1.0, 0.0), robust=mk.Huber(0.1))
    assert_refused(
        lambda: mk.solve(figure, goal, method="dls"), Unsupported, "only method 'auto' supports robust losses"
    )


@pytest.mark.parametrize(
    ("name", "value"), [("part_loss", 3), ("part_loss", -1), ("part_scale", 0.0), ("part_scale", np.nan)]
)
def test_bytes_with_an_unknown_loss_or_scale_are_refused(name, value):
    figure = mk.chain(3)
    block = mk.Solver(figure, mk.Position("Tip", (1.0, 1.0, 0.0), robust=mk.Huber(0.1))).to_bytes()
    arrays = {key: np.array(numbers) for key, numbers in read_arrays(block).items()}
    arrays[name] = arrays[name].copy()
    arrays[name][0] = value
    texts = {key: numbers.tobytes() if numbers.dtype.kind == "S" else numbers for key, numbers in arrays.items()}
    assert_refused(lambda: mk.Solver.from_bytes(packed(texts)), BadValue, "compiled problem: the (loss|scale)")


@pytest.mark.parametrize("scale", [1e-200, 1e200])
@pytest.mark.parametrize("make", [mk.GemanMcClure, mk.Huber])
def test_scales_whose_squares_vanish_or_overflow_are_refused(make, scale):
    assert_refused(lambda: make(scale), BadValue, "it must be from 1e-100 to 1e")


def test_the_smallest_and_the_largest_scale_give_finite_weights():
    for edge in (1e-100, 1e100):
        goal = mk.Position("Tip", (1.0, 1.0, 0.0), robust=mk.GemanMcClure(edge))
        assert np.isfinite(mk.solve(mk.chain(3), goal).robust_weights).all()


def test_a_loss_that_the_core_does_not_know_is_refused():
    class Cauchy(Robust):
        """A loss with its own formula."""

    assert_refused(lambda: mk.Position("Tip", (1.0, 1.0, 0.0), robust=Cauchy(0.1)), BadValue, "robust is .*Cauchy")
