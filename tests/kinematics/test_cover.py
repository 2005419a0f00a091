from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from strategies import random_quaternion, rngs

from manikin import rotations
from manikin.kinematics.cover import covering_capsule, distances, smallest_circle, volume

SCALES = [1e-9, 1.0, 1e6]


def size(found):
    start, end, radius = found
    return float(volume(float(np.linalg.norm(end - start)), radius))


def box(half, turn=rotations.IDENTITY, at=(0.0, 0.0, 0.0)):
    """The corners of a box."""
    signs = np.array(np.meshgrid(*[(-1.0, 1.0)] * 3)).reshape(3, -1).T
    return rotations.rotate(np.array(turn), signs * np.array(half)) + np.array(at)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("count", [2, 3, 4, 10, 500, 6000])
@settings(max_examples=6)
@given(rngs())
def test_every_point_is_in_the_capsule(scale, count, rng):
    stretch = 10.0 ** rng.uniform(-3.0, 0.0, size=3)  # flat and straight ones too
    points = scale * (rng.normal(size=(count, 3)) * stretch @ rotations.to_matrix(random_quaternion(rng)).T)
    points += scale * rng.normal(size=3)
    start, end, radius = covering_capsule(points)  # type: ignore[misc]
    assert distances(points, start, end).max() <= radius + 1e-9 * scale
    assert np.isfinite([*start, *end, radius]).all()
    assert radius > 0.0


@given(rngs())
def test_a_capsule_is_found_again(rng):
    """Around points on a capsule goes hardly more than that capsule."""
    n = rng.normal(size=(1500, 3))
    n /= np.linalg.norm(n, axis=1, keepdims=True)
    length, radius = rng.uniform(0.5, 4.0), rng.uniform(0.2, 1.0)
    turn, at = random_quaternion(rng), rng.normal(size=3)
    points = radius * n + np.sign(n[:, :1]) * np.array([0.5 * length, 0.0, 0.0])
    found = covering_capsule(rotations.rotate(np.array(turn), points) + at)
    assert size(found) <= 1.04 * float(volume(length, radius))


def test_the_capsule_around_a_rod_lies_along_it():
    turn = rotations.normalized(np.array([1.0, 0.3, -0.5, 0.2]))
    start, end, radius = covering_capsule(box((1.0, 0.1, 0.1), turn, (3.0, 4.0, 5.0)))  # type: ignore[misc]
    along = (end - start) / np.linalg.norm(end - start)
    assert abs(along @ rotations.rotate(turn, np.array([1.0, 0.0, 0.0]))) > 0.999
    assert radius < 0.16
    assert np.linalg.norm(end - start) < 2.0


def test_the_capsule_around_a_cube_is_hardly_longer_than_a_ball():
    found = covering_capsule(box((1.0, 1.0, 1.0)))
    ball = 4.0 / 3.0 * np.pi * np.sqrt(3.0) ** 3
    assert size(found) <= 1.001 * ball


@given(rngs())
@settings(max_examples=10)
def test_it_is_no_larger_than_the_best_of_many_directions(rng):
    """By trying: for each direction the circle around all points, and the whole height of the points as line."""
    points = rng.normal(size=(40, 3)) * rng.uniform(0.1, 1.0, size=3)
    found = size(covering_capsule(points))
    for way in rng.normal(size=(200, 3)):
        n = way / np.linalg.norm(way)
        e1 = np.cross(n, [1.0, 0.0, 0.0] if abs(n[0]) < 0.9 else [0.0, 1.0, 0.0])
        e1 /= np.linalg.norm(e1)
        seen = np.stack([points @ e1, points @ np.cross(n, e1)], axis=1)
        center, radius = smallest_circle(seen)
        cap = np.sqrt(np.maximum(radius**2 - ((seen - center) ** 2).sum(axis=1), 0.0))
        t = points @ n
        length = max(float((t - cap).max() - (t + cap).min()), 0.0)
        assert found <= 1.06 * float(volume(length, radius))


@given(rngs())
def test_the_smallest_circle_holds_all_points_and_none_smaller_does(rng):
    points = rng.normal(size=(rng.integers(1, 60), 2)) * rng.uniform(0.01, 1.0, size=2)
    center, radius = smallest_circle(points)
    away = np.linalg.norm(points - center, axis=1)
    assert away.max() <= radius * (1.0 + 1e-12) + 1e-15
    # It cannot be moved to a better place: the points on it are not all on one side of the centre.
    on = points[away >= radius * (1.0 - 1e-9)] - center
    for angle in np.linspace(0.0, 2 * np.pi, 721):
        assert (on @ np.array([np.cos(angle), np.sin(angle)])).max(initial=0.0) >= -1e-6 * max(radius, 1e-9)


@pytest.mark.parametrize("points", [np.zeros((0, 3)), np.ones((5, 3)), np.array([[0.0, 0.0, np.inf], [1.0, 0.0, 0.0]])])
def test_points_without_extent_have_no_capsule(points):
    assert covering_capsule(points) is None


def test_points_on_a_line_and_in_a_plane_have_a_thin_one():
    start, end, radius = covering_capsule(np.outer(np.linspace(0.0, 1.0, 7), [1.0, 2.0, 3.0]))  # type: ignore[misc]
    assert radius < 1e-5
    assert np.linalg.norm(end - start) == pytest.approx(np.sqrt(14.0), rel=1e-3)
    flat = np.array([[x, y, 0.0] for x in (-1.0, 1.0) for y in (-0.1, 0.1)])
    start, end, radius = covering_capsule(flat)  # type: ignore[misc]
    assert radius == pytest.approx(0.1, rel=0.2)
