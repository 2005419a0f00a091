"""Joints from published ranges: the cone goes through the ends of the ranges, from the rest pose."""

from __future__ import annotations

import numpy as np
import pytest
from checks import assert_close
from hypothesis import given
from hypothesis import strategies as st

from manikin import rotations
from manikin.arrays import Vector
from manikin.figure.degrees import cone, degrees, flexing, turned
from manikin.figure.joint import Ball
from manikin.kinematics import swing_twist

angles = st.floats(5.0, 80.0)


def excess(ball: Ball, turn: Vector) -> float:
    """How far outside the cone of a ball a turn from rest is, radians."""
    limits = ball.limits
    assert limits is not None
    at = swing_twist.decompose(rotations.multiply(rotations.inverse(np.array(limits.reference)), turn), limits.basis)
    return float(swing_twist.excess(at, np.array(limits.swing), np.array(limits.twist)))


@given(angles, angles, angles)
def test_a_range_with_a_symmetric_one_across_it_is_met_exactly(low: float, high: float, side: float) -> None:
    ball = cone((0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (-low, high), (-side, side), (-30.0, 30.0))
    for end in (-low, high):
        turn = [rotations.from_axis_angle((1.0, 0.0, 0.0), np.deg2rad(f * end)) for f in (1.0 - 1e-9, 1.001)]
        assert excess(ball, turn[0]) == 0.0
        assert excess(ball, turn[1]) > 0.0


@given(angles, angles, angles, angles)
def test_the_ends_of_both_ranges_are_on_the_ellipse(a: float, b: float, c: float, d: float) -> None:
    """In the coordinates of the cone, from its centre: (±h₁, −c₂) and (−c₁, ±h₂)."""
    ball = cone((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (-a, b), (-c, d), (-30.0, 30.0))
    assert ball.limits is not None
    r1, r2 = np.rad2deg(ball.limits.swing)
    for x, y in [(0.5 * (a + b), 0.5 * (d - c)), (0.5 * (b - a), 0.5 * (c + d))]:
        assert_close((x / r1) ** 2 + (y / r2) ** 2, 1.0, tol=1e-12)
    assert excess(ball, np.array(rotations.IDENTITY)) == 0.0


def test_the_twist_is_the_turn_about_the_bone() -> None:
    ball = cone((0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (-20.0, 40.0), (-10.0, 10.0), (-15.0, 25.0))
    for angle, inside in [(-14.9, True), (-15.1, False), (24.9, True), (25.1, False)]:
        # The twist is measured at the centre of the cone.
        center = np.array(ball.limits.reference) if ball.limits else np.zeros(4)
        turn = rotations.multiply(center, rotations.from_axis_angle((0.0, 1.0, 0.0), np.deg2rad(angle)))
        assert (excess(ball, turn) == 0.0) == inside


def test_a_hinge_counts_from_its_bend_at_rest() -> None:
    hinge = flexing((1.0, 0.0, 0.0), 150.0, bent=14.0)
    assert_close(np.rad2deg(hinge.limits), [-14.0, 136.0], tol=1e-12)
    hinge = flexing((1.0, 0.0, 0.0), 80.0, low=-20.0, bent=10.0)
    assert_close(np.rad2deg(hinge.limits), [-30.0, 70.0], tol=1e-12)


def test_degrees_are_turned_into_radians() -> None:
    assert degrees(-180.0, 90.0) == (-np.pi, np.pi / 2)
    assert_close(turned("z", 90.0), [np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)], tol=1e-15)
    with pytest.raises(KeyError):
        turned("w", 90.0)
