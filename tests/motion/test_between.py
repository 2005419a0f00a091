"""Between frames joints turn as rotations, and their angles stay near the recorded ones."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from checks import assert_close
from hypothesis import given
from hypothesis import strategies as st
from strategies import EULER_ORDERS

import manikin as mk
from manikin import rotations
from manikin.arrays import Matrix, Vector

PARTS = np.array([0.0, 1e-6, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0 - 1e-6, 1.0])


def joint(motion: object) -> mk.Figure:
    return mk.Figure("arm", [mk.Segment("A", None, (mk.Slider(), motion))])


def at_parts(motion: object, a: Vector, b: Vector) -> Matrix:
    """The joint's own numbers (parts, n) from a to b."""
    poses = [[1.0, *a], [3.0, *b]]
    out = mk.Motion(joint(motion), poses, times=[0.0, 1.0]).at(PARTS)
    assert_close(out[:, 0], 1.0 + 2.0 * PARTS)
    assert out[0].tolist() == poses[0]
    assert out[-1].tolist() == poses[1]
    return out[:, 1:]


def equivalents(order: str, angles: Vector) -> Matrix:
    """All triples of the same rotation, some whole turns around."""
    both = np.stack([angles, rotations.other_euler(order, angles)])
    around = 2 * np.pi * np.array(list(itertools.product(range(-3, 4), repeat=3)))
    return (both[:, None] + around).reshape(-1, 3)


def turns(angles: Vector) -> Vector:
    return 2 * np.pi * np.round(angles / (2 * np.pi))


def away(order: str, a: Matrix, q: Matrix) -> Vector:
    """How far the rotations of triples are from q, radians."""
    left = rotations.multiply(rotations.inverse(rotations.from_euler(order, a)), q)
    return np.linalg.norm(rotations.to_rotation_vector(left), axis=-1)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[str, Vector, Vector]:
    """Two triples of an order, the first as near as 1e-15 to the gimbal pole, the second a turn of 1e-9 to 3 rad away,
    often written as another of its equivalents."""
    order = draw(st.sampled_from(EULER_ORDERS))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    pole = rng.choice([0.0, np.pi]) if order[0] == order[2] else rng.choice([-0.5, 0.5]) * np.pi
    a = rng.uniform(-4, 4, 3)
    a[1] = pole + rng.choice([-1, 1]) * 10.0 ** rng.uniform(-15, 0) if rng.random() < 0.8 else pole
    turn = rng.normal(size=3)
    turn *= 10.0 ** rng.uniform(-9, 0.45) / np.linalg.norm(turn)
    q = rotations.multiply(rotations.from_euler(order, a), rotations.from_rotation_vector(turn))
    b = rotations.to_euler(order, q)
    return order, a, equivalents(order, b)[rng.integers(686)] if rng.random() < 0.5 else b


@given(pairs())
def test_the_rotation_goes_the_shorter_arc_at_constant_speed(pair: tuple[str, Vector, Vector]) -> None:
    order, a, b = pair
    found = at_parts(mk.Euler(order), a, b)
    ends = rotations.from_euler(order, a), rotations.from_euler(order, b)
    assert away(order, found, rotations.slerp(*ends, PARTS)).max() < 1e-9


@given(pairs())
def test_of_all_triples_of_the_rotation_the_nearest_to_the_straight_line_is_taken(
    pair: tuple[str, Vector, Vector],
) -> None:
    order, a, b = pair
    off = [rotations.euler_pole(order, angles[1])[0] for angles in (a, b)]
    if min(off) < 1e-3:
        return  # there first and last angle mean nothing by themselves; see the tests at the pole
    found = at_parts(mk.Euler(order), a, b)
    near = b + turns(a - b)
    for part, angles in zip(PARTS[1:-1], found[1:-1], strict=True):
        line = a + part * (near - a)
        least = np.abs(equivalents(order, angles) + turns(line - angles) - line).sum(axis=1).min()
        assert np.abs(angles + turns(line - angles) - line).sum() <= least + 1e-9
        assert np.abs(angles - (a + part * (b - a))).max() <= np.pi + 1e-9


@pytest.mark.parametrize("order", EULER_ORDERS)
def test_a_recorded_jump_of_whole_turns_is_one_jump_half_way(order: str) -> None:
    a, b = np.array([3.1, 0.4, -3.1]), np.array([-3.1, 0.5, 3.1])
    found = at_parts(mk.Euler(order), a, b)
    steps = np.abs(np.diff(found, axis=0))
    assert ((steps > 1.0).sum(axis=0) == [1, 0, 1]).all()
    assert (steps.max(axis=0) <= 2 * np.pi).all()
    assert_close(rotations.wrapped(found[:, 0] - np.pi), np.interp(PARTS, [0, 1], [-0.0416, 0.0416]), tol=0.05)


@pytest.mark.parametrize("order", EULER_ORDERS)
def test_the_second_triple_in_the_file_is_one_jump_half_way(order: str) -> None:
    a = np.array([0.3, 0.6, -0.2])
    b = rotations.other_euler(order, a + np.array([0.02, 0.01, -0.03]))
    found = at_parts(mk.Euler(order), a, b)
    steps = np.abs(np.diff(found, axis=0))
    assert ((steps > 1.0).sum(axis=0) == [1, int(steps[:, 1].max() > 1.0), 1]).all()
    assert_close(found[:4], np.tile(a, (4, 1)), tol=0.05)
    assert_close(found[5:], np.tile(b, (4, 1)), tol=0.05)


@pytest.mark.parametrize("order", EULER_ORDERS)
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_at_the_pole_the_recorded_angles_are_kept_to(order: str, side: float) -> None:
    pole = (0.0 if side > 0 else np.pi) if order[0] == order[2] else side * 0.5 * np.pi
    a, b = np.array([0.7, pole, 0.4]), np.array([0.9, pole, 0.5])
    found = at_parts(mk.Euler(order), a, b)
    assert_close(found, a + PARTS[:, None] * (b - a), tol=1e-9)
    still = at_parts(mk.Euler(order), a, a)
    assert (still == a).all()


@pytest.mark.parametrize("order", EULER_ORDERS)
@pytest.mark.parametrize("swapped", [False, True])
def test_next_to_the_pole_the_angles_are_those_of_the_frame_that_has_some(order: str, swapped: bool) -> None:
    """Programs write 0 for one angle at the pole: the recorded jump stays the only one, at that frame."""
    pole = 0.0 if order[0] == order[2] else 0.5 * np.pi
    _, sign = rotations.euler_pole(order, pole)
    away_from_it = np.array([-2.6, pole + 0.1, -2.7])
    at_it = np.array([-2.6 - 2.7 * float(sign) + 0.02, pole, 0.0])
    ends = (at_it, away_from_it) if not swapped else (away_from_it, at_it)
    found = at_parts(mk.Euler(order), *ends)
    inner = found[1:-1]
    assert np.abs(np.diff(inner[:, [0, 2]], axis=0)).max() < 0.3
    assert np.abs(inner[:, [0, 2]] - away_from_it[[0, 2]]).max() < 0.3


@pytest.mark.parametrize(
    ("limits", "a", "b", "middle"),
    [
        ((-np.inf, np.inf), 179, -179, 180),  # the short way
        ((-180, 180), 179, -179, 180),
        ((-200, 200), 190, -170, 190),
        ((-170, 170), 169, -169, 0),  # it cannot pass 180°
        ((-np.inf, np.inf), 10, 100, 55),
        ((0, 360), 350, 10, 0),
        ((0, 350), 350, 10, 180),
    ],
)
def test_a_hinge_takes_the_short_way_where_its_limits_leave_one(
    limits: tuple[float, float], a: float, b: float, middle: float
) -> None:
    low, high = np.radians(limits)
    angles = np.degrees(at_parts(mk.Hinge(limits=(low, high)), np.radians([a]), np.radians([b]))[:, 0])
    off = angles[4] - middle
    assert off - 360 * round(off / 360) == pytest.approx(0.0, abs=1e-9)
    assert (angles >= limits[0] - 1e-9).all()
    assert (angles <= limits[1] + 1e-9).all()
    most = max(abs(rotations.wrapped(np.radians(b - a))), np.radians(abs(b - a)) if limits[1] < 180 else 0.0)
    speed = np.abs(np.diff(np.radians(angles)) / np.diff(PARTS))
    if not limits[1] - limits[0] >= 360:
        assert speed.max() == pytest.approx(np.radians(abs(b - a)))
    else:
        assert np.abs(rotations.wrapped(np.diff(np.radians(angles)))).sum() == pytest.approx(float(most))


def test_an_euler_joint_of_two_axes_has_each_angle_go_its_short_way() -> None:
    motion = mk.Euler("ZX", ((-np.inf, np.inf), (-3.0, 3.0)))
    found = at_parts(motion, np.array([3.0, 2.9]), np.array([-3.0, -2.9]))
    way = 2 * np.pi - 6.0
    assert_close(rotations.wrapped(found[:, 0] - (3.0 + PARTS * way)), np.zeros(len(PARTS)))
    assert_close(found[:, 1], 2.9 - 5.8 * PARTS)


def test_what_a_coupled_joint_follows_goes_straight() -> None:
    figure = mk.Figure(
        "gear",
        [
            mk.Segment("Base"),
            mk.Segment("Lead", "Base", mk.Hinge()),
            mk.Segment("Gear", "Base", mk.Joint("", (mk.Hinge(),), coupling=mk.Coupling("Lead", 0.5, 0.1))),
        ],
    )
    motion = mk.Motion(figure, [figure.pose({"Lead": 3.0}), figure.pose({"Lead": -3.0})], times=[0.0, 1.0])
    poses = motion.at(PARTS)
    assert_close(poses[:, 0], 3.0 - 6.0 * PARTS)
    assert (figure.violation(poses) < 1e-12).all()
