"""Derivatives of the placements: every one agrees with finite differences, also at degenerate poses.

These tests go through `Figure`, so they hold for whichever backend is in use.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import assert_close, assert_derivative, step_units
from hypothesis import given
from strategies import TINY, random_figure, random_pose, random_poses, rngs

from manikin import rotations
from manikin.arrays import Matrix, Vector
from manikin.figure import Ball, Coupling, Euler, Figure, Free, Hinge, Joint, Segment, Slider, SwingTwist, chain
from manikin.figure.human.human import human
from manikin.figure.measure import released
from manikin.figure.quadruped.quadruped import quadruped
from manikin.kinematics import swing_twist
from manikin.reference.kinematics import Kinematics


def arm(*, upper: float = 1.0) -> Figure:
    """One of each kind of joint in a row; the offset of the elbow may be zero."""
    cone = SwingTwist(axis=(1, 0, 0), swing=(1.0, 0.6), twist=(-1.0, 1.0))
    follower = Joint(motions=(Hinge((1, 0, 0)),), coupling=Coupling("ForeArm", -0.5, 0.1))
    return Figure(
        "arm",
        [
            Segment("Hips", joint=Free(), mass=3.0, center=(0, 0.1, 0)),
            Segment("Chest", "Hips", Euler("ZXY"), mass=2.0, center=(0, 0.2, 0), offset=(0, 0.5, 0)),
            Segment("Arm", "Chest", Ball(cone), mass=1.0, center=(0.5, 0, 0), offset=(0.2, 0.4, 0)),
            Segment("ForeArm", "Arm", Hinge((0, 1, 0)), mass=1.0, center=(0.3, 0, 0), offset=(upper, 0, 0)),
            Segment("Lift", "ForeArm", (Slider((0, 1, 0)), Slider((0, 0, 1)), Ball()), mass=0.5, offset=(upper, 0, 0)),
            Segment("Hand", "Lift", follower, mass=0.4),
            Segment("Tip", "Hand", offset=(0.1, 0, 0)),
        ],
    )


def pose_of_arm(figure: Figure, place: str) -> Vector:
    turn = {
        "rest": [0.0, 0.0, 0.0],
        "half turn": [0.6 * np.pi, 0.0, 0.8 * np.pi],
        "nearly a half turn": [0.0, np.pi - TINY, 0.0],
        "near the identity": [TINY, -TINY, 0.5 * TINY],
    }.get(place, [0.3, -0.2, 0.5])
    ball = rotations.from_rotation_vector(np.array(turn))
    cone = {"rim of the cone": [1.0, 0.0, 1.0], "apex of the cone": [0.0, 0.0, 0.7]}.get(place, [0.2, 0.1, -0.3])
    basis = figure.segment("Arm").joint.motions[0].limits.basis  # type: ignore[union-attr]
    return figure.pose(
        {
            "Hips": [1.0, 2.0, -0.5, *ball],
            "Chest": [0.4, np.pi / 2 if place == "gimbal lock" else -0.3, 0.9],
            "Arm": swing_twist.compose(np.array(cone), basis),
            "ForeArm": np.pi if place == "folded" else 0.0 if place == "stretched" else 1.1,
            "Lift": [0.2, -0.1, *ball],
        }
    )


PLACES = [
    "anywhere",
    "rest",
    "half turn",
    "nearly a half turn",
    "near the identity",
    "apex of the cone",
    "rim of the cone",
    "gimbal lock",
    "folded",
    "stretched",
]


def assert_figure_derivatives(figure: Figure, q: Vector, rng: np.random.Generator, tol: float = 1e-9) -> None:
    """The Jacobians of a random point and of the centre of mass, and jvp column by column."""
    units = step_units(figure)
    segment = figure.segment_names[rng.integers(len(figure.segments))]
    index, point = figure.segment_index(segment), figure.size * rng.normal(size=3)
    reach = max(figure.size, float(np.abs(figure.placements(q)[:, :3, 3]).max()))

    def position(pose: Any) -> Any:
        T = figure.placements(pose, [segment])[..., 0, :, :]
        return T[..., :3, :3] @ point + T[..., :3, 3]

    def orientation(pose: Any) -> Any:
        return figure.placements(pose, [segment])[..., 0, :3, :3]

    J = figure.jacobian(q, segment, point)
    assert J.shape == (6, figure.nv)
    assert_derivative(position, J[:3], q, move=figure.integrate, units=units, batched=True, tol=tol)
    turning = np.einsum("ijv,jk->ikv", np.moveaxis(rotations.cross_matrix(J[3:].T), 0, -1), orientation(q))
    assert_derivative(orientation, turning, q, move=figure.integrate, units=units, batched=True, tol=tol)
    com = figure.com_jacobian(q)
    assert_derivative(figure.center_of_mass, com, q, move=figure.integrate, units=units, batched=True, tol=tol)
    every = np.moveaxis(figure.jvp(q, np.eye(figure.nv)), 0, -1)  # (S, 4, 4, nv)
    assert_derivative(figure.placements, every, q, move=figure.integrate, units=units, batched=True, tol=tol)
    # jvp of the chosen segment is its Jacobian.
    assert_close(every[index, :3, 3], figure.jacobian(q, segment)[:3], scale=max(1.0, reach), tol=1e-13)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("upper", [1.0, 0.0])
def test_derivatives_meet_finite_differences_at_named_places_and_zero_lengths(place: str, upper: float) -> None:
    figure = arm(upper=upper)
    assert_figure_derivatives(figure, pose_of_arm(figure, place), np.random.default_rng(2), tol=1e-10)


@given(rngs())
def test_derivatives_meet_finite_differences_on_random_figures(rng: np.random.Generator) -> None:
    figure = random_figure(rng, segments=int(rng.integers(1, 8)))
    assert_figure_derivatives(figure, random_pose(figure, rng), rng)


@pytest.mark.parametrize("make", [human, quadruped])
def test_derivatives_meet_finite_differences_on_the_built_in_figures(make: Callable[[], Figure]) -> None:
    figure, rng = make(), np.random.default_rng(6)
    assert_figure_derivatives(figure, random_pose(figure, rng), rng)


@given(rngs())
def test_the_transposed_derivative_meets_finite_differences(rng: np.random.Generator) -> None:
    figure = random_figure(rng, segments=int(rng.integers(1, 8)))
    q, G = random_pose(figure, rng), rng.normal(size=(len(figure.segments), 4, 4))

    def weighed(pose: Any) -> Any:
        return np.einsum("...sij,sij->...", figure.placements(pose), G)

    units = step_units(figure)
    assert_derivative(weighed, figure.vjp(q, G), q, move=figure.integrate, units=units, batched=True, tol=1e-9)


def free_placements(figure: Figure) -> Any:
    """Placements as a function of the numbers of q alone: no check of unit length, and coupled numbers are not set."""
    twin = Kinematics(released(figure.layout.tree))
    return lambda q: twin.placements(np.atleast_2d(q)).reshape(*np.shape(q)[:-1], -1, 4, 4)


@given(rngs())
def test_derivatives_by_the_numbers_of_a_pose_meet_finite_differences(rng: np.random.Generator) -> None:
    figure = random_figure(rng, segments=int(rng.integers(1, 8)))
    q = random_pose(figure, rng)
    units = np.ones(figure.nq)
    tree = figure.layout.tree
    units[tree.number[tree.kind == 1]] = figure.size
    f = free_placements(figure)
    every = np.moveaxis(figure.jvp(q, np.eye(figure.nq), wrt="pose"), 0, -1)  # (S, 4, 4, nq)
    assert_derivative(f, every, q, units=units, batched=True, tol=1e-9)
    G = rng.normal(size=(len(figure.segments), 4, 4))
    gradient = figure.vjp(q, G, wrt="pose")
    assert_derivative(lambda p: np.einsum("...sij,sij->...", f(p), G), gradient, q, units=units, batched=True, tol=1e-9)


@given(rngs())
def test_a_change_of_a_quaternions_length_changes_nothing(rng: np.random.Generator) -> None:
    figure = random_figure(rng)
    q = random_pose(figure, rng)
    longer = np.zeros(figure.nq)
    for n in figure.layout.balls:
        longer[n : n + 4] = q[n : n + 4]
    assert_close(figure.jvp(q, longer, wrt="pose"), 0.0, scale=max(1.0, figure.size), tol=1e-12)


@given(rngs())
def test_vjp_is_the_transpose_of_jvp(rng: np.random.Generator) -> None:
    figure = random_figure(rng)
    q = random_poses(figure, rng, 3)
    G = rng.normal(size=(3, len(figure.segments), 4, 4))
    for wrt, n in (("step", figure.nv), ("pose", figure.nq)):
        v = rng.normal(size=(3, n))
        forth, back = figure.jvp(q, v, wrt=wrt), figure.vjp(q, G, wrt=wrt)
        left, right = (G * forth).sum(axis=(1, 2, 3)), (v * back).sum(axis=1)
        scale = float(np.abs(G * forth).sum() + np.abs(v * back).sum())
        assert_close(left, right, scale=scale, tol=1e-13)


@given(rngs())
def test_the_last_row_of_placements_never_matters(rng: np.random.Generator) -> None:
    figure = random_figure(rng)
    q, v = random_pose(figure, rng), rng.normal(size=figure.nv)
    assert_close(figure.jvp(q, v)[:, 3], 0.0, tol=0.0)
    G = np.zeros((len(figure.segments), 4, 4))
    G[:, 3] = rng.normal(size=(len(figure.segments), 4))
    assert_close(figure.vjp(q, G), 0.0, tol=0.0)


@given(rngs())
def test_jacobian_columns_of_joints_that_are_no_ancestors_are_zero(rng: np.random.Generator) -> None:
    figure = random_figure(rng)
    q = random_pose(figure, rng)
    parent = {s.name: s.parent for s in figure.segments}
    for s in figure.segments:
        above: set[str] = set()
        at: str | None = s.name
        while at is not None:
            above.add(at)
            at = parent[at]
        moved = {_leader(figure, figure.segment(name).joint) for name in above}
        J = figure.jacobian(q, s.name)
        for other in figure.segments:
            k = figure.step_of(other.joint.name)
            if k >= 0 and other.joint.name not in moved:
                width = _steps(figure, other.joint.name)
                assert not J[:, k : k + width].any()


def _leader(figure: Figure, joint: Joint) -> str:
    while joint.coupling is not None:
        joint = next(s.joint for s in figure.segments if s.joint.name == joint.coupling.source)
    return joint.name


def _steps(figure: Figure, joint: str) -> int:
    nodes = next(s.joint for s in figure.segments if s.joint.name == joint)
    return nodes.nq - sum(isinstance(m, (Ball, Free)) for m in nodes.motions)


def test_the_column_of_an_angle_is_its_axis_crossed_with_the_lever_arm() -> None:
    """METHODS 2: a × (f − c) for a position, a for an orientation."""
    figure = chain([1.0, 2.0, 0.5], planar=True)
    q = np.array([0.3, -1.2, 0.7])
    T = figure.placements(q)
    J: Matrix = figure.jacobian(q, "Tip")
    tip, z = T[-1, :3, 3], np.array([0.0, 0.0, 1.0])
    for k in range(3):
        assert_close(J[:3, k], np.cross(z, tip - T[k, :3, 3]), tol=1e-15)
        assert_close(J[3:, k], z, tol=1e-15)


def test_columns_of_coupled_joints_are_summed_into_their_leader() -> None:
    follower = Joint(motions=(Hinge(),), coupling=Coupling("A", ratio=-2.0, offset=0.3))
    figure = Figure(
        "pair",
        [
            Segment("A", joint=Hinge(), mass=1.0),
            Segment("B", "A", follower, mass=1.0, center=(0.5, 0, 0), offset=(1, 0, 0)),
            Segment("Tip", "B", offset=(1, 0, 0)),
        ],
    )
    assert (figure.nq, figure.nv) == (2, 1)
    q = figure.pose({"A": 0.4})
    assert_close(q, [0.4, -2.0 * 0.4 + 0.3], tol=1e-15)
    both = chain(2, planar=True).jacobian(q, "Tip")
    assert_close(figure.jacobian(q, "Tip"), both @ np.array([[1.0], [-2.0]]), tol=1e-15)


def test_a_free_root_moves_along_the_world_axes_and_turns_about_its_own() -> None:
    figure = Figure("stone", [Segment("Stone", joint=Free(), mass=1.0)])
    turn = rotations.from_rotation_vector(np.array([0.4, -1.0, 0.3]))
    q = np.array([1.0, 2.0, 3.0, *turn])
    J = figure.jacobian(q, "Stone", (0.0, 0.5, 0.0))
    R = rotations.to_matrix(turn)
    assert_close(J[:3, :3], np.eye(3), tol=1e-15)
    assert_close(J[3:, 3:], R, tol=1e-15)
    assert_close(J[:3, 3:], -rotations.cross_matrix(R @ [0.0, 0.5, 0.0]) @ R, tol=1e-15)
    moved = figure.integrate(q, [0.1, 0.2, 0.3, 0.0, 0.0, 0.5])
    assert_close(moved[:3], [1.1, 2.2, 3.3], tol=1e-15)
    assert_close(moved[3:], rotations.multiply(turn, rotations.from_axis_angle((0, 0, 1), 0.5)), tol=1e-15)


@given(rngs())
def test_the_centre_of_mass_is_the_mean_of_the_segments_centres(rng: np.random.Generator) -> None:
    figure = random_figure(rng)
    q = random_pose(figure, rng)
    T = figure.placements(q)
    total, mean = 0.0, np.zeros(3)
    for s, placed in zip(figure.segments, T, strict=True):
        mean += s.mass * (placed[:3, :3] @ s.center + placed[:3, 3])
        total += s.mass
    far = max(float(np.linalg.norm(s.center)) for s in figure.segments)
    reach = max(figure.size, far, float(np.abs(T[:, :3, 3]).max()))
    assert_close(figure.center_of_mass(q), mean / total, scale=reach, tol=1e-13)
    assert_close(figure.mass, total, tol=1e-12)
