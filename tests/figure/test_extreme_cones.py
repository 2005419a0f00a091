"""Cones from 1e-9 rad to half a turn, flat ones, and twist ranges from none to all: limits hold in every resulting
pose."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from strategies import rngs

import manikin as mk
from manikin import rotations
from manikin.kinematics import swing_twist

HALVES = (1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 9.9e-5, 1e-4, 1.01e-4, 1e-2, 1.0, 3.0)
NEAR_HALF_A_TURN = (np.pi - 1e-4, np.pi - 1e-8, np.pi - 1e-12, np.nextafter(np.pi, 0.0), np.pi)
TWISTS = (0.0, 1e-12, 1e-9, 1e-6, 1e-3, 1.0, 3.0, 2 * np.pi)


def extreme_cone(rng):
    def half():
        named = rng.choice([*HALVES, *NEAR_HALF_A_TURN])
        return float(named if rng.uniform() < 0.7 else 10.0 ** rng.uniform(-9.0, 0.49))

    width, middle = rng.choice(TWISTS), rng.uniform(-np.pi, np.pi)
    twist = (middle - width / 2, middle + width / 2) if width < 6.0 else (-np.pi, np.pi)
    return mk.SwingTwist(
        axis=(0, 1, 0) if rng.uniform() < 0.5 else tuple(rng.normal(size=3)),
        swing=(half(), half()),
        twist=twist,
        reference=rotations.IDENTITY if rng.uniform() < 0.5 else rotations.normalized(rng.normal(size=4)),
    )


def limb(cones):
    segments = [
        mk.Segment(f"B{k}", f"B{k - 1}" if k else None, offset=(0, 0.3, 0.1) if k else (0, 0, 0), joint=mk.Ball(cone))
        for k, cone in enumerate(cones)
    ]
    return mk.Figure("limb", [*segments, mk.Segment("Tip", segments[-1].name, offset=(0.1, 0.5, 0.0))])


def wild(figure, rng, count):
    """(count, nq) poses with balls turned anyhow."""
    return rotations.normalized(rng.normal(size=(count, figure.nq // 4, 4))).reshape(count, -1)


def assert_within(figure, cones, poses):
    """No violation, and truly so: a rotation within limits is not farther away than rounding."""
    poses = np.atleast_2d(poses)
    assert not np.any(figure.violation(poses))
    for k, cone in enumerate(cones):
        for q in poses[:, 4 * k : 4 * k + 4]:
            assert from_allowed(cone, q) < 1e-11


def from_allowed(cone, q):
    """The angle from a rotation to a nearby one that its cone allows, at most.

    Near a swing of half a turn the direction of the swing and the twist may be moved together: by what brings the
    twist inside, or the direction to the long axis of a flat cone.
    """
    relative = rotations.multiply(rotations.inverse(np.array(cone.reference)), rotations.normalized(q))
    s1, s2, tau = swing_twist.decompose(relative, cone.basis)
    length, around = np.hypot(s1, s2), np.arctan2(s2, s1)
    twists = [end + turns for end in cone.twist for turns in (-2 * np.pi, 0.0, 2 * np.pi)]
    ways = [0.0, *(0.5 * (twist - tau) for twist in twists), *(np.pi * np.arange(-1.0, 1.5, 0.5) - around)]
    found = []
    for way in ways:
        moved = np.array([length * np.cos(around + way), length * np.sin(around + way), tau + 2.0 * way])
        for other in brought_inside(cone, moved):
            back = rotations.inverse(swing_twist.compose(other, cone.basis))
            found.append(np.linalg.norm(rotations.to_rotation_vector(rotations.multiply(back, relative))))
    return min(found)


def brought_inside(cone, coordinates):
    """Coordinates brought inside: along the ray, or across the cone, which is nearer where it is flat."""
    swing = np.array(cone.swing)
    inside = swing_twist.clamp(coordinates, swing, np.array(cone.twist))
    yield inside
    for k in (0, 1):
        share = coordinates[1 - k] / swing[1 - k]
        if abs(share) < 1.0:
            across = np.append(coordinates[:2], inside[2])
            most = swing[k] * np.sqrt(1.0 - share * share)
            across[k] = np.clip(coordinates[k], -most, most)
            yield across


@settings(max_examples=30)
@given(rngs())
def test_random_and_clamped_poses_are_within(rng):
    cones = [extreme_cone(rng) for _ in range(3)]
    figure = limb(cones)
    assert_within(figure, cones, figure.rest)
    assert_within(figure, cones, figure.random(rng, 5))
    clamped = figure.clamp(wild(figure, rng, 5))
    assert_within(figure, cones, clamped)
    assert np.array_equal(figure.clamp(clamped), clamped)


@settings(max_examples=30)
@given(rngs())
def test_solved_and_tracked_poses_are_within(rng):
    cones = [extreme_cone(rng) for _ in range(int(rng.integers(1, 4)))]
    figure = limb(cones)
    starts, far = figure.random(rng, 3), 0.5 * rng.normal(size=(3, 3))
    reach = mk.Solver(figure, mk.Position("Tip", (0, 0, 0)))
    turn = mk.Solver(figure, mk.Orientation("Tip", rotations.IDENTITY))
    wanted = rotations.normalized(rng.normal(size=(3, 4)))
    assert_within(figure, cones, reach.solve_many(starts, far, restarts=3).poses)
    assert_within(figure, cones, reach.solve(wild(figure, rng, 1)[0], far[0], restarts=3).pose)
    assert_within(figure, cones, reach.track(starts[0], np.linspace(far[0], far[1], 8)).poses)
    assert_within(figure, cones, turn.solve_many(starts, wanted, restarts=3).poses)
    assert_within(figure, cones, turn.track(starts[0], np.repeat(wanted, 3, axis=0)).poses)
    goals = [mk.Position("Tip", far[2]), mk.Posture(wild(figure, rng, 1)[0])]
    assert_within(figure, cones, mk.solve(figure, goals, starts[1], restarts=2).pose)


@pytest.mark.parametrize("method", ["auto", "bounded-dls", "lbfgsb", "ccd"])
@settings(max_examples=10)
@given(rngs())
def test_poses_solved_in_numpy_are_within(method, rng):
    cones = [extreme_cone(rng) for _ in range(2)]
    figure = limb(cones)
    goal = mk.Position("Tip", 0.5 * rng.normal(size=3))
    found = mk.solve(figure, goal, figure.random(rng), method=method, iterations=20, history=True)
    assert_within(figure, cones, found.pose)


@settings(max_examples=100)
@given(rngs())
def test_what_is_outside_a_round_cone_is_told_to_the_last_digits_that_a_quaternion_has(rng):
    half = float(rng.choice([*HALVES, *NEAR_HALF_A_TURN[:3]]))
    more = min(10.0 ** rng.uniform(-11.5, 0.0), np.pi - half)
    if more < 3e-12:
        return
    cone = mk.SwingTwist(swing=(half, half))
    around = rng.uniform(0, 2 * np.pi)
    sigma = (half + more) * np.array([np.cos(around), np.sin(around), 0.0])
    turned = swing_twist.compose(np.append(sigma[:2], rng.uniform(-3, 3)), cone.basis)
    assert limb([cone]).violation(turned) == pytest.approx(more, rel=1e-3)


@settings(max_examples=100)
@given(rngs())
def test_the_native_check_of_starts_agrees(rng):
    cones = [extreme_cone(rng)]
    figure = limb(cones)
    solver = mk.Solver(figure, mk.Position("Tip", (0, 0, 0)))
    inside = figure.random(rng, 4)
    nudged = figure.integrate(inside, 10.0 ** rng.uniform(-13.0, 0.0) * rng.normal(size=(4, 3)))
    for q in (*inside, *nudged):
        told = solver.solve(q, iterations=0, restarts=0).start_violation
        assert told == figure.violation(q)
