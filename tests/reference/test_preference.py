"""The distance from a preferred pose: its gradient, and its least value among the poses that meet goals."""

from __future__ import annotations

import numpy as np
from checks import assert_close
from hypothesis import given
from strategies import random_figure, random_pose, rngs

from manikin.reference import preference
from manikin.reference.tree import BALL


def balls_of(figure):
    tree = figure.layout.tree
    return tree.step[tree.kind == BALL].astype(np.int64)


@given(rngs())
def test_the_pull_is_half_the_gradient_of_the_distance(rng):
    figure = random_figure(rng)
    if figure.nv == 0:
        return
    preferred, pose = random_pose(figure, rng, inside=True), random_pose(figure, rng, inside=True)
    d = figure.difference(preferred, pose)
    balls = balls_of(figure)
    turns = np.linalg.norm(d[balls[:, None] + np.arange(3)], axis=1)
    if (turns > np.pi - 0.05).any():
        return  # the distance has a kink half a turn away
    stiffness = rng.choice([0.0, 0.3, 1.0, 4.0], size=figure.nv)
    pull = preference.pull(d, stiffness, balls)
    direction, step = rng.normal(size=figure.nv), 1e-5

    def distance(t):
        return preference.distance(figure.difference(preferred, figure.integrate(pose, t * direction)), stiffness)

    slope = (distance(step) - distance(-step)) / (4.0 * step)
    assert_close(pull @ direction, slope, scale=1.0 + np.abs(pull).max() + preference.distance(d, stiffness), tol=1e-7)


def test_equal_stiffness_about_all_axes_pulls_along_the_rotation_vector():
    d = np.array([0.4, -1.2, 0.7])
    assert_close(preference.pull(d, np.full(3, 2.0), np.array([0])), 2.0 * d)


def test_nothing_is_left_to_gain_where_goals_and_limits_hold_the_gradient():
    J = np.array([[1.0, 1.0, 0.0]])
    lower, upper = np.array([-np.inf, -np.inf, 0.0]), np.full(3, np.inf)
    assert_close(preference.projected(np.array([2.0, 2.0, 1.0]), J, lower, upper), np.zeros(3), tol=1e-6)
    assert_close(preference.projected(np.array([2.0, 0.0, -1.0]), J, lower, upper), [-1.0, 1.0, 1.0], tol=1e-6)
