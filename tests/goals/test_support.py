from __future__ import annotations

import numpy as np
import pytest
from checks import assert_close, assert_derivative
from hypothesis import given
from strategies import rngs

import manikin as mk
from manikin.goals.support import contact_points, edges, ground_axes, hull

SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])


def test_the_hull_goes_round_counter_clockwise_and_leaves_out_what_is_inside():
    points = np.array([[0.5, 0.5], [1.0, 1.0], [0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.5, 0.0]])
    assert hull(points) == [2, 3, 1, 4]


def test_the_hull_of_points_on_a_line_is_its_two_ends():
    assert sorted(hull(np.array([[0.0, 0.0], [2.0, 2.0], [1.0, 1.0]]))) == [0, 1]


def test_the_hull_of_one_point_many_times_is_that_point():
    assert len(hull(np.ones((4, 2)))) == 1


@given(rngs())
def test_a_point_is_inside_just_when_it_is_a_mixture_of_the_points(rng):
    points = rng.normal(size=(rng.integers(3, 12), 2))
    inside = rng.dirichlet(np.ones(len(points))) @ points
    assert edges(points, inside)[0].max() <= 1e-12
    outward = rng.normal(size=2)
    outside = points[np.argmax(points @ outward)] + 1e-3 * outward
    assert edges(points, outside)[0].max() > 0.0


def test_distances_past_the_edges_of_a_square():
    value, _, _ = edges(SQUARE, np.array([1.25, 0.5]))
    assert_close(value, [-0.5, 0.25, -0.5, -1.25])


@pytest.mark.parametrize(("count", "line"), [(1, False), (2, True), (5, True), (3, False), (8, False)])
@given(rngs())
def test_derivative_of_the_edges(count, line, rng):
    points = rng.normal(size=(count, 2))
    if line and count > 2:  # points on a line move out of it: only the two ends may move here
        points = points[0] + np.linspace(0.0, 1.0, count)[:, None] * rng.normal(size=2)
    center = rng.normal(size=2)
    value, by_center, by_points = edges(points, center)
    assert_derivative(lambda c: edges(points, c)[0], by_center, center, step=1e-3, tol=1e-8)
    if line and count > 2:
        return

    def by_moving(x):
        return edges(x.reshape(-1, 2), center)[0]

    assert_derivative(by_moving, by_points.reshape(len(value), -1), points.ravel(), step=1e-5, tol=1e-6)


def test_the_ground_is_counter_clockwise_seen_from_above():
    for k, up in enumerate("xyz"):
        u, w = ground_axes(up)
        assert_close(np.cross(u, w), np.eye(3)[k])


def test_contact_points_are_ends_of_capsules_lower_corners_of_boxes_and_centres_of_spheres():
    shapes = [mk.Capsule((0, 0, 0), (1, 0, 0), 0.1), mk.Box((1, 2, 3)), mk.Sphere((0, 5, 0), 0.1)]
    figure = mk.Figure("foot", [mk.Segment("Foot", shapes=shapes, mass=1.0)])
    points = contact_points(figure, "Foot")
    assert points.shape == (7, 3)
    assert_close(points[2:6, 1], -2.0 * np.ones(4))
    assert_close(points[6], [0, 5, 0])
