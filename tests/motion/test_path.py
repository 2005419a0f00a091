from __future__ import annotations

import itertools

import numpy as np
import pytest
from checks import assert_close, assert_refused
from hypothesis import given
from hypothesis import strategies as st
from strategies import random_direction, random_quaternion, rngs

import manikin as mk
from manikin import rotations
from manikin.errors import BadShape, BadValue, UnknownName


@pytest.mark.parametrize("pace", ["linear", "smooth"])
@given(rngs(), st.integers(0, 20))
def test_it_begins_at_the_start_and_ends_at_the_target_exactly(pace, rng, steps):
    start, target = rng.normal(size=(2, 3))
    rows = mk.path(start, target, steps, pace)
    assert rows.shape == (steps + 2, 3)
    assert np.array_equal(rows[0], start)
    assert np.array_equal(rows[-1], target)


def test_equal_steps():
    assert_close(mk.path((0, 0), (4, 8), 3), [[0, 0], [1, 2], [2, 4], [3, 6], [4, 8]])


@given(st.integers(0, 30))
def test_smooth_steps_are_slow_at_both_ends_and_alike_forth_and_back(steps):
    s = mk.path((0.0,), (1.0,), steps, pace="smooth")[:, 0]
    i = np.arange(steps + 2)
    assert_close(s, 0.5 * (1 - np.cos(i * np.pi / (steps + 1))))
    assert_close(s + s[::-1], np.ones(steps + 2))
    speeds = np.diff(s)
    half = speeds[: (len(speeds) + 1) // 2]
    assert np.all(np.diff(half) >= -1e-15)


@given(rngs(), st.integers(0, 12))
def test_orientations_turn_on_the_shorter_way_in_equal_angles(rng, steps):
    a = random_quaternion(rng)
    turn = rng.uniform(0.0, 3.1) * random_direction(rng)
    b = rotations.multiply(a, rotations.from_rotation_vector(turn)) * rng.choice([-1.0, 1.0])
    rows = mk.path(a, b, steps)
    assert_close(np.linalg.norm(rows, axis=1), np.ones(steps + 2))
    for first, second in itertools.pairwise(rows):
        part = rotations.to_rotation_vector(rotations.multiply(rotations.inverse(first), second))
        assert_close(part, turn / (steps + 1), tol=1e-8)


def test_placements_move_straight_and_turn_together():
    a = np.array([0, 0, 0, 1, 0, 0, 0.0])
    b = np.array([2, 0, 0, *rotations.from_rotation_vector(np.array([0, 0, 1.0]))])
    middle = mk.path(a, b, 1)[1]
    assert_close(middle[:3], [1, 0, 0])
    assert_close(rotations.to_rotation_vector(middle[3:]), [0, 0, 0.5])


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (
            lambda: mk.path((0, 0), (1, 1, 1), 3),
            BadShape,
            r"target has shape \(3,\), but start has shape \(2,\); they must be equal",
        ),
        (lambda: mk.path((0, 0), (1, np.nan), 3), BadValue, r"target\[1\] is nan"),
        (lambda: mk.path((0, 0), (1, 1), -1), BadValue, "steps is -1; it must be a whole number of at least 0"),
        (lambda: mk.path((0, 0), (1, 1), 2.5), BadValue, "steps is 2.5"),
        (lambda: mk.path((0, 0), (1, 1), 2, pace="slow"), UnknownName, "path has no pace 'slow'"),
        (lambda: mk.path((1, 0, 0, 0), (1, 1, 0, 0), 2), BadValue, "target: quaternion .* has length 1.41421"),
    ],
)
def test_bad_input_is_named(make, kind, message):
    assert_refused(make, kind, message)
