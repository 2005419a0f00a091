"""Limits: random and clamped poses are inside, and the excess outside is right."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from checks import assert_close
from hypothesis import given, settings
from strategies import (
    TINY,
    random_cone,
    random_direction,
    random_figure,
    random_pose,
    random_poses,
    random_quaternion,
    rngs,
)

from manikin import rotations
from manikin.figure import Ball, Coupling, Euler, Figure, Free, Hinge, Joint, Segment, Slider, SwingTwist
from manikin.kinematics import swing_twist


def figure_of(*joints: Any) -> Figure:
    return Figure("f", [Segment(f"S{i}", f"S{i - 1}" if i else None, j) for i, j in enumerate(joints)])


@settings(max_examples=150)
@given(rngs())
def test_random_poses_are_within_all_limits(rng: np.random.Generator) -> None:
    figure = random_figure(rng)
    q = figure.random(rng, 8)
    assert q.shape == (8, figure.nq)
    assert_close(figure.violation(q), 0.0, tol=0.0)
    assert (figure.lower <= q + 1e-12 * figure.size).all()
    assert figure.random(rng).shape == (figure.nq,)


@settings(max_examples=150)
@given(rngs())
def test_a_clamped_pose_is_inside_and_stays_as_it_is(rng: np.random.Generator) -> None:
    figure = random_figure(rng)
    q = random_poses(figure, rng, 4)
    q = figure.integrate(q, rng.normal(size=(4, figure.nv)) * 10.0 ** rng.integers(-8, 2))
    once = figure.clamp(q)
    assert_close(figure.violation(once), 0.0, tol=0.0)
    assert_close(figure.clamp(once), once, scale=max(1.0, figure.size), tol=1e-15)


@settings(max_examples=150)
@given(rngs())
def test_a_pose_inside_is_not_changed_by_clamping(rng: np.random.Generator) -> None:
    figure = random_figure(rng)
    q = random_pose(figure, rng, inside=True)
    assert figure.violation(q) == 0.0
    assert_close(figure.clamp(q), q, scale=max(1.0, figure.size), tol=1e-15)


@given(rngs())
def test_clamping_leaves_its_input_alone(rng: np.random.Generator) -> None:
    figure = random_figure(rng)
    q = random_pose(figure, rng)
    before = q.copy()
    figure.clamp(q)
    figure.violation(q)
    assert np.array_equal(q, before)


def test_clamping_takes_numbers_to_the_nearer_end_exactly() -> None:
    figure = figure_of(Hinge(limits=(-0.1, 0.3)), Euler("XY", ((0, 1), (-1, 0))), Slider(limits=(2, 3)))
    assert figure.clamp([9, -9, 9, 0]).tolist() == [0.3, 0.0, 0.0, 2.0]


@pytest.mark.parametrize("outside", [1e-15, 1e-9, 1e-3, 2.0])
def test_a_number_outside_is_measured_exactly(outside: float) -> None:
    figure = figure_of(Hinge(limits=(0.0, 1.0)), Slider(limits=(0.0, 1.0)))
    assert figure.violation([-outside, 0.5]) == outside
    assert figure.violation([0.5, -outside]) == outside
    assert figure.violation([-outside, -2 * outside]) == 2 * outside
    assert_close(figure.violation([[1.0 + outside, 0.0], [1.0, 1.0]]), [1.0 + outside - 1.0, 0.0], tol=0.0)


@given(rngs())
def test_a_ball_outside_its_cone_is_measured_in_radians_from_the_rim(rng: np.random.Generator) -> None:
    cone = random_cone(rng, widest=2.0)
    figure = figure_of(Ball(cone))
    around, outside = rng.uniform(0, 2 * np.pi), float(rng.choice([1e-9, TINY, 1e-3, 0.3]))
    rim = np.array([np.cos(around) * cone.swing[0], np.sin(around) * cone.swing[1]])
    sigma = rim * (1.0 + outside / np.linalg.norm(rim))
    q = _ball(cone, [*sigma, np.mean(cone.twist)])
    assert_close(figure.violation(q), outside, tol=2e-14)
    assert_close(figure.clamp(q), _same_sign(_ball(cone, [*rim, np.mean(cone.twist)]), figure.clamp(q)), tol=1e-14)


@given(rngs())
def test_a_twist_outside_its_range_is_measured_in_radians_from_the_nearer_end(rng: np.random.Generator) -> None:
    low, high = np.sort(rng.uniform(-np.pi, np.pi, size=2))
    outside = float(rng.choice([1e-9, TINY, 1e-3, 0.3]))
    cone = SwingTwist(axis=(0, 0, 1), swing=(1.0, 0.7), twist=(low, high))
    figure = figure_of(Ball(cone))
    if high - low + 2 * outside < 2 * np.pi - 2 * outside:  # there is so much room outside
        for end, way in ((low, -1.0), (high, 1.0)):
            q = _ball(cone, [0.2, -0.3, end + way * outside])
            assert_close(figure.violation(q), outside, tol=2e-14)
            clamped = figure.clamp(q)
            assert_close(clamped, _same_sign(_ball(cone, [0.2, -0.3, end]), clamped), tol=1e-14)


@settings(max_examples=300)
@given(rngs())
def test_near_a_half_turn_where_the_twist_is_hardly_known_clamping_still_ends_inside(rng: np.random.Generator) -> None:
    low, high = np.sort(rng.uniform(-2.0, 2.0, size=2))
    swing = (np.pi, float(rng.choice([np.pi, 0.7])))
    around = tuple(random_quaternion(rng))
    cone = SwingTwist(axis=tuple(random_direction(rng)), swing=swing, twist=(low, high), reference=around)
    figure = figure_of(Ball(cone))
    angle = np.pi - rng.choice([0.0, 1e-16, 1e-12, 1e-9, 1e-6, 1e-3])
    q = _ball(cone, [angle, 0.0, rng.uniform(-np.pi, np.pi)])
    once = figure.clamp(q)
    assert figure.violation(once) == 0.0
    assert_close(figure.clamp(once), once, tol=1e-15)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_both_signs_of_a_quaternion_are_the_same_pose(sign: float) -> None:
    cone = SwingTwist(swing=(0.5, 0.5), twist=(-0.2, 0.2))
    figure = figure_of(Ball(cone))
    inside, outside = _ball(cone, [0.1, 0.2, 0.1]), _ball(cone, [0.0, 0.8, 0.1])
    assert figure.violation(sign * inside) == 0.0
    assert_close(figure.violation(sign * outside), 0.3, tol=1e-14)


def test_a_coupling_that_does_not_hold_is_a_violation_and_is_mended_by_clamping() -> None:
    follower = Joint(motions=(Hinge(),), coupling=Coupling("S0", 2.0, 0.1))
    figure = figure_of(Hinge(limits=(-1, 1)), follower)
    assert figure.violation([0.5, 1.1]) == 0.0
    assert_close(figure.violation([0.5, 1.4]), 0.3, tol=1e-15)
    assert_close(figure.clamp([0.5, 9.0]), [0.5, 1.1], tol=1e-15)
    assert_close(figure.clamp([7.0, 9.0]), [1.0, 2.1], tol=1e-15)


@given(rngs())
def test_coupled_numbers_follow_in_random_clamped_and_integrated_poses(rng: np.random.Generator) -> None:
    figure = random_figure(rng)
    joints = {s.joint.name: s.joint for s in figure.segments}
    q = random_pose(figure, rng)
    for pose in (figure.random(rng), figure.clamp(q), figure.integrate(q, rng.normal(size=figure.nv)), figure.rest):
        for joint in joints.values():
            if joint.coupling is not None:
                c = joint.coupling
                wanted = c.ratio * pose[figure.index_of(c.source)] + c.offset
                assert_close(pose[figure.index_of(joint.name)], wanted, scale=1.0 + abs(wanted), tol=1e-12)


def test_limits_in_a_small_unit_leave_room_for_rounding_of_their_couplings() -> None:
    """Ten thousand lengths, as a robot in tenths of millimetres has, round coarser than 1e-12."""
    for ratio in np.linspace(0.1, 0.9, 50):
        follower = Joint(motions=(Slider(limits=(-27000.0, 30000.0)),), coupling=Coupling("S0", ratio, 7.1))
        figure = figure_of(Slider(limits=(-400000.0, 400000.0)), follower)
        ends = figure.clamp([[1e6, 0.0], [-1e6, 0.0]])
        assert_close(figure.violation(ends), 0.0, tol=0.0)
        assert_close(ends[:, 1], [30000.0, -27000.0], tol=1e-10)
        assert figure.violation(ends[0] + [0.0, 1e-6]) > 0.9e-6


def test_continuous_hinges_are_drawn_in_a_turn_and_free_things_stay_at_rest() -> None:
    rest = (1.0, 2.0, 3.0, *rotations.from_axis_angle((0, 1, 0), 0.3))
    figure = figure_of(
        Joint(motions=(Free(),), rest=rest), Hinge(), Hinge(limits=(2, np.inf)), Slider(), Slider(limits=(1, np.inf))
    )
    q = figure.random(np.random.default_rng(0), 2000)
    assert_close(q[:, :7], np.tile(figure.rest[:7], (2000, 1)), tol=0.0)
    assert -np.pi <= q[:, 7].min() < -3.1
    assert 3.1 < q[:, 7].max() <= np.pi
    assert 2.0 <= q[:, 8].min() < 2.1
    assert 8.1 < q[:, 8].max() <= 2.0 + 2 * np.pi
    assert_close(q[:, 9], 0.0, tol=0.0)
    assert_close(q[:, 10], 1.0, tol=0.0)


def test_balls_are_uniform_in_the_ellipse_of_swing_and_in_the_range_of_twist() -> None:
    cone = SwingTwist(axis=(0, 0, 1), first=(1, 0, 0), swing=(1.5, 0.5), twist=(-0.4, 1.0))
    q = figure_of(Ball(cone)).random(np.random.default_rng(3), 20000)
    parts = swing_twist.decompose(q, cone.basis)
    radius = np.hypot(parts[:, 0] / 1.5, parts[:, 1] / 0.5)
    deciles = np.quantile(radius**2, np.linspace(0.1, 0.9, 9))  # uniform in a disc: the square of the radius is uniform
    assert_close(deciles, np.linspace(0.1, 0.9, 9), tol=0.015)
    assert_close(np.quantile(parts[:, 2], [0.0, 0.5, 1.0]), [-0.4, 0.3, 1.0], tol=0.02)
    assert_close(np.corrcoef(parts.T), np.eye(3), tol=0.03)


def test_a_ball_without_limits_is_a_uniform_rotation() -> None:
    q = figure_of(Ball()).random(np.random.default_rng(5), 20000)
    assert_close(np.linalg.norm(q, axis=1), 1.0, tol=1e-15)
    assert_close(q.T @ q / len(q), np.eye(4) / 4, tol=0.01)
    assert_close(rotations.to_matrix(q).mean(axis=0), np.zeros((3, 3)), tol=0.02)


def test_the_same_seed_gives_the_same_poses_and_no_global_state_is_touched() -> None:
    figure = random_figure(np.random.default_rng(1), segments=9)
    before = np.random.get_state()[1].copy()  # type: ignore[index]  # noqa: NPY002
    a, b = (figure.random(np.random.default_rng(7), 3) for _ in range(2))
    assert np.array_equal(a, b)
    assert np.array_equal(before, np.random.get_state()[1])  # type: ignore[index]  # noqa: NPY002
    assert figure.random(np.random.default_rng(7), 0).shape == (0, figure.nq)


def test_a_figure_without_numbers_has_one_pose_and_it_is_fine() -> None:
    figure = figure_of(None)
    assert figure.violation([]) == 0.0
    assert figure.clamp([]).shape == (0,)
    assert figure.random(np.random.default_rng(0), 5).shape == (5, 0)
    assert figure.violation(np.zeros((3, 0))).tolist() == [0.0] * 3


@given(rngs())
def test_many_poses_are_judged_and_clamped_like_one(rng: np.random.Generator) -> None:
    figure = random_figure(rng)
    q = np.stack([random_poses(figure, rng, 3), random_poses(figure, rng, 3)])  # (2, 3, nq)
    violation, clamped = figure.violation(q), figure.clamp(q)
    assert violation.shape == (2, 3)
    for i in np.ndindex(2, 3):
        assert type(figure.violation(q[i])) is float
        assert_close(violation[i], figure.violation(q[i]), tol=1e-14)
        assert_close(clamped[i], figure.clamp(q[i]), scale=max(1.0, figure.size), tol=1e-14)


def _ball(cone: SwingTwist, parts: Any) -> Any:
    return rotations.multiply(np.array(cone.reference), swing_twist.compose(np.array(parts), cone.basis))


def _same_sign(a: Any, b: Any) -> Any:
    return a if a @ b >= 0.0 else -a
