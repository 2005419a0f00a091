"""Rotations: identities, tried near the angles where formulas break."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from checks import assert_close, assert_derivative
from hypothesis import given
from hypothesis import strategies as st
from strategies import EULER_ORDERS, TINY, random_angle, random_direction, random_quaternion, rngs

from manikin import rotations
from manikin.arrays import Quaternions


def assert_same_turn(a: Quaternions, b: Quaternions, tol: float = 1e-14) -> None:
    """Equal up to the sign, which does not change the rotation."""
    sign = np.where((a * b).sum(axis=-1, keepdims=True) < 0.0, -1.0, 1.0)
    assert_close(sign * a, b, tol=tol)


@given(rngs())
def test_multiplication_is_the_product_of_matrices(rng: np.random.Generator) -> None:
    a, b = random_quaternion(rng), random_quaternion(rng)
    product = rotations.to_matrix(a) @ rotations.to_matrix(b)
    assert_close(rotations.to_matrix(rotations.multiply(a, b)), product, tol=4e-15)


@given(rngs())
def test_the_inverse_undoes_a_turn(rng: np.random.Generator) -> None:
    q = random_quaternion(rng)
    assert_close(rotations.multiply(q, rotations.inverse(q)), np.array(rotations.IDENTITY), tol=1e-15)


@given(rngs())
def test_a_matrix_is_orthonormal_and_right_handed_even_off_unit_length(rng: np.random.Generator) -> None:
    R = rotations.to_matrix(random_quaternion(rng) * rng.uniform(0.5, 2.0))
    assert_close(R @ R.T, np.eye(3), tol=4e-15)
    assert np.linalg.det(R) > 0.9


@given(rngs())
def test_matrix_and_quaternion_are_inverse(rng: np.random.Generator) -> None:
    q = random_quaternion(rng)
    back = rotations.from_matrix(rotations.to_matrix(q))
    assert back[0] >= 0.0
    assert_same_turn(back, q, tol=2e-15)


@pytest.mark.parametrize("axis", np.concatenate([np.eye(3), -np.eye(3), [[0.6, 0.8, 0.0], [-0.6, 0.0, 0.8]]]).tolist())
def test_a_half_turn_comes_back_from_its_matrix(axis: list[float]) -> None:
    q = np.array([0.0, *axis])
    assert_same_turn(rotations.from_matrix(rotations.to_matrix(q)), q)


@given(rngs())
def test_rotating_points_is_multiplying_by_the_matrix(rng: np.random.Generator) -> None:
    q, points = random_quaternion(rng), rng.normal(size=(5, 3))
    assert_close(rotations.rotate(q, points), points @ rotations.to_matrix(q).T, tol=1e-14)


@given(rngs())
def test_exponential_and_logarithm_are_inverse(rng: np.random.Generator) -> None:
    w = random_direction(rng) * abs(random_angle(rng))
    q = rotations.from_rotation_vector(w)
    assert_close(np.linalg.norm(q), 1.0, tol=1e-15)
    back = rotations.to_rotation_vector(q)
    assert_close(min(np.abs(back - w).max(), np.abs(back + w).max()), 0.0, tol=4e-15)
    if np.linalg.norm(w) < np.pi - 1e-9:  # at the half turn both signs are the same turn
        assert_close(back, w, scale=max(float(np.linalg.norm(w)), 1e-300), tol=4e-15)


@given(rngs())
def test_the_logarithm_is_the_shorter_way_whatever_the_sign_and_length(rng: np.random.Generator) -> None:
    q = random_quaternion(rng)
    w = rotations.to_rotation_vector(q)
    assert np.linalg.norm(w) <= np.pi + 1e-15
    assert_close(rotations.to_rotation_vector(q * (1 + 5e-7)), w, tol=1e-14)
    assert_same_turn(rotations.from_rotation_vector(w), q, tol=4e-15)


def test_a_turn_of_a_billionth_keeps_all_its_digits() -> None:
    w = np.array([1e-9, -2e-9, 3e-9])
    assert_close(rotations.to_rotation_vector(rotations.from_rotation_vector(w)), w, scale=1e-9, tol=1e-14)


@pytest.mark.parametrize("angle", [0.0, 1e-12, 1e-7, 0.99e-4, 1.01e-4, 1.0, np.pi - 1e-7, np.pi, 5.0])
def test_the_exponential_has_the_derivative_of_its_series(angle: float) -> None:
    """d exp(w/2)/dw at w = θa: checked through the rotated point, smooth everywhere, also at 0 and at π."""
    axis = np.array([0.48, -0.6, 0.64])
    skew = rotations.cross_matrix(axis)
    if angle > 1e-3:
        left = np.eye(3) + (1 - np.cos(angle)) / angle * skew + (1 - np.sin(angle) / angle) * skew @ skew
    else:
        left = np.eye(3) + (angle / 2 - angle**3 / 24) * skew + angle**2 / 6 * skew @ skew
    point = np.array([1.0, 2.0, -0.5])
    R = rotations.to_matrix(rotations.from_rotation_vector(angle * axis))

    def turned(w: Quaternions) -> Quaternions:
        return rotations.rotate(rotations.from_rotation_vector(w), point)

    assert_derivative(turned, -rotations.cross_matrix(R @ point) @ left, angle * axis, tol=1e-9)


@given(rngs())
def test_axis_and_angle_give_the_rotation_vector(rng: np.random.Generator) -> None:
    axis, angle = random_direction(rng), random_angle(rng)
    turn = rotations.from_axis_angle(axis, angle)
    assert_same_turn(turn, rotations.from_rotation_vector(angle * axis), tol=1e-15)
    assert_close(rotations.rotate(turn, axis), axis, tol=2e-15)


@given(rngs(), st.sampled_from(EULER_ORDERS))
def test_euler_angles_are_turns_in_the_order_of_the_letters(rng: np.random.Generator, order: str) -> None:
    angles = [random_angle(rng) for _ in order]
    R = np.eye(3)
    for letter, angle in zip(order, angles, strict=True):
        R = R @ rotations.axis_matrix(letter, angle)
    assert_close(rotations.to_matrix(rotations.from_euler(order, angles)), R, tol=4e-15)


def test_a_turn_about_z_takes_x_to_y() -> None:
    quarter = np.pi / 2
    for axis, start, end in (("x", 1, 2), ("y", 2, 0), ("z", 0, 1)):
        assert_close(rotations.axis_matrix(axis, quarter)[:, start], np.eye(3)[end], tol=1e-15)


@pytest.mark.parametrize("order", EULER_ORDERS)
@given(rng=rngs())
def test_euler_angles_come_back_from_every_rotation(order: str, rng: np.random.Generator) -> None:
    proper = order[0] == order[2]
    # Middle angles at and near the pole, at distances from which single formulas lose half of the digits.
    pole = rng.choice([0.0, np.pi]) if proper else rng.choice([-1.0, 1.0]) * np.pi / 2
    distance = rng.choice([0.0, 1e-15, 1e-12, 1e-10, 1e-9, 1e-8, TINY, 1e-4, rng.uniform(0.0, np.pi)])
    angles = np.array([random_angle(rng), pole + rng.choice([-1.0, 1.0]) * distance, random_angle(rng)])
    q = rotations.from_euler(order, angles)
    found = rotations.to_euler(order, q)
    assert_same_turn(rotations.from_euler(order, found), q, tol=2e-13)
    assert np.abs(found[[0, 2]]).max() <= np.pi
    assert (0.0 <= found[1] <= np.pi) if proper else (abs(found[1]) <= np.pi / 2)


@pytest.mark.parametrize("order", EULER_ORDERS)
@given(rng=rngs())
def test_the_second_triple_of_angles_is_the_same_rotation(order: str, rng: np.random.Generator) -> None:
    angles = rng.uniform(-7, 7, (5, 3))
    a, b = (rotations.to_matrix(rotations.from_euler(order, x)) for x in (angles, rotations.other_euler(order, angles)))
    assert_close(a, b, tol=1e-13)
    back = rotations.other_euler(order, rotations.other_euler(order, angles))
    assert_close(rotations.wrapped(back - angles), np.zeros((5, 3)), tol=1e-13)


@pytest.mark.parametrize("order", EULER_ORDERS)
@given(rng=rngs())
def test_at_the_pole_only_a_sum_of_angles_counts(order: str, rng: np.random.Generator) -> None:
    first, last, shift = rng.uniform(-7, 7, 3)
    middle = (0.0 if order[0] == order[2] else 0.5 * np.pi) + rng.integers(-3, 4) * np.pi
    off, sign = rotations.euler_pole(order, middle)
    assert off < 1e-14
    moved = [first + shift, middle, last - float(sign) * shift]
    a, b = (rotations.to_matrix(rotations.from_euler(order, x)) for x in ([first, middle, last], moved))
    assert_close(a, b, tol=1e-13)


@pytest.mark.parametrize("order", EULER_ORDERS)
def test_away_from_the_pole_the_same_angles_come_back(order: str) -> None:
    angles = np.array([[-2.5, 0.9, 3.0], [0.1, 1.2, -0.2], [0.0, 0.3, 0.0]])
    assert_close(rotations.to_euler(order, rotations.from_euler(order, angles)), angles, tol=4e-15)


@pytest.mark.parametrize("order", EULER_ORDERS)
@pytest.mark.parametrize("side", [0, 1])
def test_at_the_pole_the_last_angle_is_zero(order: str, side: int) -> None:
    pole = (0.0, np.pi)[side] if order[0] == order[2] else (-np.pi / 2, np.pi / 2)[side]
    found = rotations.to_euler(order, rotations.from_euler(order, [0.7, pole, 0.4]))
    assert found[2] == 0.0
    assert_close(found[1], pole, tol=1e-7)


@given(rngs())
def test_slerp_starts_and_ends_where_told_and_turns_at_constant_speed(rng: np.random.Generator) -> None:
    a, b = random_quaternion(rng), random_quaternion(rng)
    assert_same_turn(rotations.slerp(a, b, 0.0), a, tol=1e-15)
    assert_same_turn(rotations.slerp(a, b, 1.0), b, tol=4e-15)
    whole = np.linalg.norm(rotations.to_rotation_vector(rotations.multiply(rotations.inverse(a), b)))
    t = np.linspace(0.0, 1.0, 5)
    way = rotations.slerp(a, b, t)
    steps = rotations.to_rotation_vector(rotations.multiply(rotations.inverse(way[:-1]), way[1:]))
    assert_close(np.linalg.norm(steps, axis=-1), whole / 4, tol=4e-15)


@given(rngs())
def test_the_turn_between_two_directions_takes_one_to_the_other(rng: np.random.Generator) -> None:
    a, b = random_direction(rng), random_direction(rng)
    q = rotations.between(a, b)
    assert_close(rotations.rotate(q, a), b, tol=1e-12)
    assert_close(np.linalg.norm(rotations.to_rotation_vector(q)), np.arccos(np.clip(a @ b, -1, 1)), tol=1e-7)
    assert_close(q[1:] @ a, 0.0, tol=1e-12)  # the shortest turn has its axis across both


@pytest.mark.parametrize("away", [0.0, 1e-15, 1e-12, 1e-9, 3e-9, 1e-8, 1e-7, 1e-5])
def test_the_turn_to_the_opposite_direction_is_found(away: float) -> None:
    a = np.array([0.48, 0.6, 0.64])
    across = rotations.perpendicular(a)
    b = -np.cos(away) * a + np.sin(away) * across
    q = rotations.between(a, b)
    assert_close(np.linalg.norm(q), 1.0, tol=1e-15)
    assert_close(rotations.rotate(q, a), b, tol=4e-8)  # within about the square root of rounding of an exact half turn


@given(rngs())
def test_perpendicular_is_a_unit_vector_across(rng: np.random.Generator) -> None:
    axis = random_direction(rng)
    across = rotations.perpendicular(axis)
    assert_close(axis @ across, 0.0, tol=1e-15)
    assert_close(np.linalg.norm(across), 1.0, tol=4e-16)
    assert rotations.perpendicular(axis).tolist() == across.tolist()


@given(rngs())
def test_the_cross_matrix_is_the_cross_product(rng: np.random.Generator) -> None:
    w, p = rng.normal(size=(2, 3))
    assert_close(rotations.cross_matrix(w) @ p, np.cross(w, p), tol=1e-15)


@given(rngs())
def test_a_placement_holds_rotation_and_origin(rng: np.random.Generator) -> None:
    q, p = random_quaternion(rng), rng.normal(size=3)
    made = rotations.placement(q, p)
    assert_close(made[:3, :3], rotations.to_matrix(q), tol=0.0)
    assert made[:3, 3].tolist() == p.tolist()
    assert made[3].tolist() == [0.0, 0.0, 0.0, 1.0]


def test_every_function_takes_leading_axes_and_treats_rows_alike() -> None:
    rng = np.random.default_rng(3)
    a = np.array([[random_quaternion(rng) for _ in range(4)] for _ in range(3)])  # (3, 4, 4)
    b = random_quaternion(rng)
    w, t, p = rng.normal(size=(3, 4, 3)), rng.uniform(size=(3, 4)), rng.normal(size=(3, 4, 3))
    both: dict[str, tuple[Any, Any]] = {
        "multiply": (rotations.multiply(a, b), lambda i: rotations.multiply(a[i], b)),
        "exp": (rotations.from_rotation_vector(w), lambda i: rotations.from_rotation_vector(w[i])),
        "log": (rotations.to_rotation_vector(a), lambda i: rotations.to_rotation_vector(a[i])),
        "axis_angle": (rotations.from_axis_angle([0, 1, 0], t), lambda i: rotations.from_axis_angle([0, 1, 0], t[i])),
        "to_matrix": (rotations.to_matrix(a), lambda i: rotations.to_matrix(a[i])),
        "from_matrix": (
            rotations.from_matrix(rotations.to_matrix(a)),
            lambda i: rotations.from_matrix(rotations.to_matrix(a[i])),
        ),
        "rotate": (rotations.rotate(a, p), lambda i: rotations.rotate(a[i], p[i])),
        "slerp": (rotations.slerp(a, b, t), lambda i: rotations.slerp(a[i], b, t[i])),
        "from_euler": (rotations.from_euler("ZXZ", w), lambda i: rotations.from_euler("ZXZ", w[i])),
        "to_euler": (rotations.to_euler("zxy", a), lambda i: rotations.to_euler("zxy", a[i])),
        "cross": (rotations.cross_matrix(w), lambda i: rotations.cross_matrix(w[i])),
        "placement": (rotations.placement(a, p), lambda i: rotations.placement(a[i], p[i])),
    }
    for together, alone in both.values():
        for i in np.ndindex(3, 4):
            assert_close(together[i], alone(i), tol=1e-15)


def test_one_product_of_many_matrices_has_the_same_bits() -> None:
    rng = np.random.default_rng(7)
    R = rotations.to_matrix(rotations.normalized(rng.normal(size=(50, 4))))
    wide = np.tile(R[:, None], (1, 3, 1, 1))[:, 1]  # not contiguous
    for x in (rng.normal(size=3), rng.normal(size=(3, 3))):
        assert np.array_equal(rotations.each_times(R, x), R @ x)
        assert np.array_equal(rotations.each_times(wide, x), R @ x)


def test_cross_is_that_of_numpy() -> None:
    rng = np.random.default_rng(8)
    a, b = rng.normal(size=(5, 3)), rng.normal(size=(4, 5, 3))
    assert np.array_equal(rotations.cross(a, b), np.cross(a, b))
    assert np.array_equal(rotations.cross(a[0], a[1]), np.cross(a[0], a[1]))
