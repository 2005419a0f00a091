"""Swing–twist coordinates: compose and decompose are inverse, the cone is measured and clamped right."""

from __future__ import annotations

import numpy as np
import pytest
from checks import assert_close, assert_derivative
from hypothesis import given
from strategies import TINY, random_cone, random_cone_coordinates, random_direction, random_quaternion, rngs

from manikin import rotations
from manikin.arrays import Points, Quaternions, Rotations
from manikin.kinematics import swing_twist


def random_basis(rng: np.random.Generator) -> Rotations:
    axis = random_direction(rng)
    first = rotations.perpendicular(axis)
    return np.array([first, np.cross(axis, first), axis])


def apart(a: Quaternions, b: Quaternions) -> float:
    """The angle between two rotations."""
    return float(np.linalg.norm(rotations.to_rotation_vector(rotations.multiply(rotations.inverse(a), b))))


@given(rngs())
def test_composing_the_parts_gives_the_rotation_back_also_at_half_turns(rng: np.random.Generator) -> None:
    basis, M = random_basis(rng), random_quaternion(rng)
    if rng.uniform() < 0.3:  # a swing of half a turn, where the twist is undefined, or nearly so
        around = rng.uniform(0, 2 * np.pi)
        swing = (np.pi - rng.choice([0.0, 1e-15, 1e-12, TINY])) * np.array([np.cos(around), np.sin(around)])
        M = swing_twist.compose(np.array([*swing, rng.uniform(-3, 3)]), basis)
    parts = swing_twist.decompose(M, basis)
    assert apart(swing_twist.compose(parts, basis), M) < 1e-14
    assert np.hypot(parts[0], parts[1]) <= np.pi + 1e-15
    assert -np.pi < parts[2] <= np.pi


@given(rngs())
def test_decomposing_gives_the_coordinates_back_below_a_half_turn(rng: np.random.Generator) -> None:
    basis = random_basis(rng)
    radius = rng.choice([0.0, 1e-12, TINY, 0.99 * rotations.SMALL, 1.01 * rotations.SMALL, 1.0, 3.0, 3.14])
    around, twist = rng.uniform(0, 2 * np.pi), rng.choice([0.0, TINY, 1.0, -3.0, 3.1415, rng.uniform(-3.1, 3.1)])
    parts = np.array([radius * np.cos(around), radius * np.sin(around), twist])
    found = swing_twist.decompose(swing_twist.compose(parts, basis), basis)
    # The twist is known to rounding over the cosine of half the swing.
    assert_close(found, parts, scale=1.0 / np.cos(0.5 * radius), tol=4e-15)


@given(rngs())
def test_the_sign_and_a_slightly_wrong_length_of_the_quaternion_do_not_matter(rng: np.random.Generator) -> None:
    basis, M = random_basis(rng), random_quaternion(rng)
    parts = swing_twist.decompose(M, basis)
    if np.hypot(parts[0], parts[1]) < 3.0 and abs(parts[2]) < 3.1:
        assert_close(swing_twist.decompose(-M, basis), parts, tol=4e-15)
        assert_close(swing_twist.decompose(M * (1 + 9e-7), basis), parts, tol=1e-9)


@given(rngs())
def test_the_swing_moves_the_bone_and_the_twist_does_not(rng: np.random.Generator) -> None:
    basis = random_basis(rng)
    s1, s2, twist = rng.uniform(-1.5, 1.5, size=3)
    bone = rotations.rotate(swing_twist.compose(np.array([s1, s2, twist]), basis), basis[2])
    straight = rotations.rotate(rotations.from_rotation_vector(s1 * basis[0] + s2 * basis[1]), basis[2])
    assert_close(bone, straight, tol=4e-15)
    assert_close(np.arccos(bone @ basis[2]), np.hypot(s1, s2), tol=1e-7)


def test_at_an_exact_half_turn_the_twist_is_taken_as_zero() -> None:
    parts = swing_twist.decompose(np.array([0.0, 0.6, 0.8, 0.0]), np.eye(3))
    assert_close(parts, np.array([0.6 * np.pi, 0.8 * np.pi, 0.0]), tol=1e-15)


@pytest.mark.parametrize("radius", [0.0, TINY, 0.5e-4, 1.5e-4, 1.0, 2.5])
def test_the_coordinates_are_smooth_at_the_apex_and_away_from_it(radius: float) -> None:
    """Moving by a step v in the axes of the moved segment changes (σ₁, σ₂, τ) smoothly; at the apex by v itself."""
    at = np.array([0.6 * radius, -0.8 * radius, 0.4])
    start = swing_twist.compose(at, np.eye(3))

    def coordinates(v: Points) -> Points:
        return swing_twist.decompose(rotations.multiply(start, rotations.from_rotation_vector(v)), np.eye(3))

    # The derivative from the inverse function: columns of d(compose)/d(coordinates) in the moved axes.
    def velocity(parts: Points) -> Points:
        turn = rotations.multiply(rotations.inverse(start), swing_twist.compose(parts, np.eye(3)))
        return rotations.to_rotation_vector(turn)

    h = 1e-5
    forward = np.stack([(velocity(at + h * e) - velocity(at - h * e)) / (2 * h) for e in np.eye(3)], axis=-1)
    assert_derivative(coordinates, np.linalg.inv(forward), np.zeros(3), tol=1e-8)
    if radius == 0.0:
        twist = rotations.axis_matrix("z", 0.4)
        assert_derivative(coordinates, twist, np.zeros(3), tol=1e-11)


@given(rngs())
def test_nothing_is_outside_inside_the_cone(rng: np.random.Generator) -> None:
    cone = random_cone(rng, widest=np.pi)
    parts = random_cone_coordinates(cone, rng)
    swing, twist = np.array(cone.swing), np.array(cone.twist)
    assert swing_twist.excess(parts, swing, twist) <= 1e-15
    assert_close(swing_twist.clamp(parts, swing, twist), parts, tol=1e-15)


@given(rngs())
def test_a_swing_outside_is_measured_from_the_rim_and_clamped_onto_it(rng: np.random.Generator) -> None:
    cone = random_cone(rng, widest=2.0)
    around, outside = rng.uniform(0, 2 * np.pi), rng.choice([TINY, 1e-3, 0.5])
    rim = np.array([np.cos(around) * cone.swing[0], np.sin(around) * cone.swing[1]])
    radius = np.linalg.norm(rim)
    parts = np.array([*(rim * (1.0 + outside / radius)), np.mean(cone.twist)])
    swing, twist = np.array(cone.swing), np.array(cone.twist)
    assert_close(swing_twist.excess(parts, swing, twist), outside, tol=1e-14)
    assert_close(swing_twist.clamp(parts, swing, twist)[:2], rim, tol=1e-14)


@pytest.mark.parametrize(
    ("lower", "upper", "twist", "excess", "clamped"),
    [
        (-1.0, 0.5, 0.75, 0.25, 0.5),
        (-1.0, 0.5, -1.25, 0.25, -1.0),
        (-1.0, 0.5, 0.5, 0.0, 0.5),
        # Around the back the circle closes: −π + 0.1 is 0.1 beyond π, not a whole turn away.
        (-1.0, np.pi, -np.pi + 0.1, 0.1, np.pi),
        (2.0, 3.0, -3.0, 2 * np.pi - 6.0, 3.0),
        (-3.0, -2.0, 3.0, 2 * np.pi - 6.0, -3.0),
        (-np.pi, np.pi, np.pi, 0.0, np.pi),
    ],
)
def test_a_twist_outside_is_measured_on_the_circle_to_the_nearer_end(
    lower: float, upper: float, twist: float, excess: float, clamped: float
) -> None:
    parts, swing, ends = np.array([0.1, 0.2, twist]), np.array([1.0, 1.0]), np.array([lower, upper])
    assert_close(swing_twist.excess(parts, swing, ends), excess, tol=1e-15)
    assert_close(swing_twist.clamp(parts, swing, ends), np.array([0.1, 0.2, clamped]), tol=0.0)


@given(rngs())
def test_clamping_brings_inside_and_does_nothing_the_second_time(rng: np.random.Generator) -> None:
    cone = random_cone(rng, widest=np.pi)
    swing, twist = np.array(cone.swing), np.array(cone.twist)
    parts = np.array([*rng.uniform(-2.2, 2.2, size=2), rng.uniform(-np.pi, np.pi)])
    once = swing_twist.clamp(parts, swing, twist)
    assert swing_twist.excess(once, swing, twist) <= 1e-15
    assert_close(swing_twist.clamp(once, swing, twist), once, tol=1e-15)


@given(rngs())
def test_many_rotations_are_treated_like_one(rng: np.random.Generator) -> None:
    basis = random_basis(rng)
    M = np.array([[random_quaternion(rng) for _ in range(3)] for _ in range(2)])
    parts = swing_twist.decompose(M, basis)
    swing, twist = np.array([1.0, 0.5]), np.array([-0.5, 0.7])
    for i in np.ndindex(2, 3):
        assert_close(parts[i], swing_twist.decompose(M[i], basis), tol=1e-15)
        assert_close(swing_twist.excess(parts, swing, twist)[i], swing_twist.excess(parts[i], swing, twist), tol=1e-15)
        assert_close(swing_twist.clamp(parts, swing, twist)[i], swing_twist.clamp(parts[i], swing, twist), tol=1e-15)
