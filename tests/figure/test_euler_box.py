"""The box of Euler angles around a cone: it contains all rotations, and away from the pole it is the smallest such
box."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manikin import rotations
from manikin.figure import Euler, Hinge, SwingTwist
from manikin.figure.euler_box import euler_box, hinge_range, samples
from manikin.kinematics import swing_twist

ORDERS = [a + b + c for a, b, c in itertools.product("XYZ", repeat=3) if a != b and b != c]


def cones(rng: np.random.Generator, widest: float) -> SwingTwist:
    low, high = np.sort(rng.uniform(-widest, widest, 2))
    return SwingTwist(
        axis=rotations.normalized(rng.normal(size=3)),
        swing=tuple(rng.uniform(0.05, widest, 2)),
        twist=(low, high),
        reference=rotations.normalized(rng.normal(size=4)),
    )


def within(limits: SwingTwist, rng: np.random.Generator, count: int) -> np.ndarray:
    radius, around = np.sqrt(rng.uniform(size=count)), rng.uniform(0, 2 * np.pi, count)
    tau = rng.uniform(*limits.twist, count)
    c = np.stack([radius * np.cos(around) * limits.swing[0], radius * np.sin(around) * limits.swing[1], tau], axis=-1)
    return rotations.multiply(np.array(limits.reference), swing_twist.compose(c, limits.basis))


def modulo(angles: np.ndarray, box: np.ndarray) -> np.ndarray:
    """Angles by whole turns as near to the middle of the box as they come."""
    bounded = np.isfinite(box).all(axis=1, keepdims=True)
    middle = np.where(bounded, box, 0.0).mean(axis=1)
    return angles - 2 * np.pi * np.round((angles - middle) / (2 * np.pi))


@given(st.sampled_from(ORDERS), st.integers(0, 2**32 - 1), st.sampled_from([0.4, 1.2, 2.8]))
def test_every_rotation_within_the_cone_is_within_the_box(order: str, seed: int, widest: float) -> None:
    rng = np.random.default_rng(seed)
    limits = cones(rng, widest)
    home = rotations.to_euler(order, within(limits, rng, 1))[0]
    box = np.array(euler_box(Euler(order), limits, home))
    angles = modulo(rotations.to_euler(order, within(limits, rng, 500)), box)
    room = np.deg2rad(4.0)  # between samples
    assert ((angles >= box[:, 0] - room) & (angles <= box[:, 1] + room)).all()
    assert (box[:, 0] <= home).all()
    assert (home <= box[:, 1]).all()


@given(st.sampled_from([o for o in ORDERS if o[0] != o[2]]), st.integers(0, 2**32 - 1))
def test_away_from_the_pole_the_box_is_bounded_and_touched_on_every_side(order: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    small = SwingTwist(axis=rotations.normalized(rng.normal(size=3)), swing=(0.5, 0.3), twist=(-0.2, 0.4))
    box = np.array(euler_box(Euler(order), small, np.zeros(3)))
    angles = rotations.to_euler(order, samples(small))
    assert np.isfinite(box).all()
    assert np.allclose(angles.min(axis=0), box[:, 0])
    assert np.allclose(angles.max(axis=0), box[:, 1])
    assert (box[:, 1] - box[:, 0] < 2.2).all()


def test_an_elbow_that_bends_through_the_pole_is_held_by_the_middle_angle() -> None:
    bend = SwingTwist(
        axis=(1, 0, 0),
        swing=(np.deg2rad(80), np.deg2rad(20)),
        twist=(-0.3, 0.3),
        first=(0, 1, 0),
        reference=rotations.from_axis_angle((0, 1, 0), np.deg2rad(75)),
    )
    box = np.rad2deg(euler_box(Euler("ZYX"), bend, np.zeros(3)))
    assert np.isinf(box[[0, 2]]).all()
    assert -8.0 < box[1, 0] < 0.0
    assert 150.0 < box[1, 1] < 160.0
    sound = np.rad2deg(euler_box(Euler("YZX"), bend, np.zeros(3)))  # the bend is the first angle: no pole on the way
    assert np.isfinite(sound).all()
    assert np.allclose(sound[0], [-5, 155], atol=3)


def test_the_range_is_that_of_whole_turns_around_home() -> None:
    small = SwingTwist(axis=(0, 1, 0), swing=(0.3, 0.3), twist=(-0.2, 0.2))
    box = np.array(euler_box(Euler("XYZ"), small, np.array([2 * np.pi, 0.0, -4 * np.pi])))
    assert np.allclose(box.mean(axis=1), [2 * np.pi, 0.0, -4 * np.pi], atol=0.05)


def test_two_axes_and_one() -> None:
    bend = SwingTwist(axis=(0, -1, 0), swing=(1.0, 0.1), twist=(-0.1, 0.1), first=(1, 0, 0))
    box = np.array(euler_box(Euler("XZ"), bend, np.zeros(2)))
    assert np.allclose(box[0], [-1.0, 1.0], atol=0.02)
    assert np.allclose(box[1], [-0.1, 0.1], atol=0.05)
    low, high = hinge_range(Hinge((1, 0, 0)), bend, 0.0)
    assert np.allclose([low, high], [-1.0, 1.0], atol=0.02)
    low, high = hinge_range(Hinge((-1, 0, 0)), bend, 2 * np.pi)
    assert np.allclose([low, high], [2 * np.pi - 1.0, 2 * np.pi + 1.0], atol=0.02)


@pytest.mark.parametrize("order", ORDERS)
def test_a_cone_that_allows_everything_gives_no_limits_but_to_the_middle_angle(order: str) -> None:
    box = np.array(euler_box(Euler(order), SwingTwist(), np.zeros(3)))
    assert np.isinf(box[[0, 2]]).all()
