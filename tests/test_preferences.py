from __future__ import annotations

import numpy as np
import pytest
from checks import assert_close, assert_derivative, assert_refused, step_units
from hypothesis import given, settings
from strategies import random_figure, rngs

import manikin as mk
from manikin.errors import BadShape, BadValue
from manikin.kinematics.chart import chart_of
from manikin.linalg import projector
from manikin.preferences import LARGEST_WISH, CustomPreference, LimitAvoidance, MidRange, RestPose
from manikin.problem import Problem

METHODS = ("pinv", "stacked", "dls", "bounded-dls")
TREE = mk.tree([-1, 0, 1, 2, 3, 4, 2, 6, 7], joint=mk.Hinge(limits=(-2.0, 2.6)), name="tree9")
"""The tree of Example 5.7, with limits."""
START = np.array([0.9, -0.5, 0.7, -0.6, 0.8, 0.4, -0.7, -0.6, -0.5])


def goals(tolerance=1e-6):
    at = TREE.placements(START, ["Tip6", "Tip9"])[:, :2, 3]
    return [
        mk.Position("Tip6", at[0] + [0.3, -0.4], axes="xy", tolerance=tolerance),
        mk.Position("Tip9", at[1] + [-0.2, 0.3], axes="xy", tolerance=tolerance),
    ]


@pytest.mark.parametrize("preference", [RestPose(), MidRange(), LimitAvoidance()])
@settings(max_examples=15)
@given(rngs())
def test_gradient(preference, rng):
    figure = random_figure(rng, segments=4)
    chart = chart_of(figure, normalised=True)
    local = chart.at(figure.random(rng))
    q = local.moved(0.3 * local.to_middle())  # not on a limit, where the barrier ends
    if isinstance(preference, RestPose):
        q = figure.integrate(figure.rest, 0.5 * step_units(figure) * rng.uniform(-1, 1, size=figure.nv))
    assert_derivative(
        lambda pose: preference.value(figure, pose),
        preference.gradient(figure, q),
        q,
        move=figure.integrate,
        units=step_units(figure),
        step=1e-4,
        tol=1e-6,
    )


def test_mid_range_is_least_in_the_middle_and_the_barrier_steep_at_the_ends():
    arm = mk.chain(1, mk.Hinge(limits=(0.0, 2.0)))
    assert MidRange().value(arm, np.array([1.0])) == 0.0
    assert MidRange().value(arm, np.array([2.0])) == pytest.approx(0.5)
    slope = [LimitAvoidance().gradient(arm, np.array([a]))[0] for a in (1.0, 1.5, 1.9, 1.99)]
    assert slope[0] == 0.0
    assert slope == sorted(slope)
    assert np.isfinite(LimitAvoidance().gradient(arm, np.array([2.0]))).all()


def test_joints_without_limits_have_no_middle():
    free = mk.chain(2, mk.Ball())
    q = free.random(np.random.default_rng(0))
    for preference in (MidRange(), LimitAvoidance()):
        assert_close(preference.gradient(free, q), np.zeros(6))


def test_a_wish_is_never_longer_than_a_fifth_of_a_radian():
    far = TREE.upper * 0.9999
    wish = LimitAvoidance(gain=100.0).wish(TREE, far, np.ones(9))
    assert np.abs(wish).max() == pytest.approx(LARGEST_WISH)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("preference", [RestPose(START), MidRange(), RestPose(np.full(9, 0.3))])
def test_the_second_wish_is_followed_and_the_goals_are_still_met(method, preference):
    plain = mk.solve(TREE, goals(), START, method=method)
    wished = mk.solve(TREE, goals(), START, method=method, preference=preference)
    assert plain.reached
    assert wished.reached, wished
    assert preference.value(TREE, wished.pose) < preference.value(TREE, plain.pose) + 1e-9


@pytest.mark.parametrize("method", METHODS)
def test_it_ends_where_no_motion_that_keeps_the_goals_would_help(method):
    preference = RestPose(np.full(9, 0.3))
    wished = mk.solve(TREE, goals(), START, method=method, preference=preference)
    at = Problem(TREE, goals(), wished.pose).at(wished.pose)
    left = projector(at.jacobian) @ preference.gradient(TREE, wished.pose)
    within = np.all((wished.pose > TREE.lower + 1e-9) & (wished.pose < TREE.upper - 1e-9))
    assert within
    assert np.linalg.norm(left) < 5e-3


def test_limits_are_kept_while_a_preference_pulls_beyond_them():
    beyond = RestPose(np.full(9, 3.0))
    wished = mk.solve(TREE, goals(), START, method="bounded-dls", preference=beyond)
    assert wished.reached
    assert TREE.violation(wished.pose) == 0.0


def test_a_users_own_function():
    target = np.full(9, 0.25)
    mine = CustomPreference(lambda q: 0.5 * float(np.sum((q - target) ** 2)), lambda q: q - target)
    ours = RestPose(target)
    a = mk.solve(TREE, goals(), START, method="pinv", preference=mine)
    b = mk.solve(TREE, goals(), START, method="pinv", preference=ours)
    assert_close(a.pose, b.pose, tol=1e-9)


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (lambda: MidRange(gain=-1), BadValue, "MidRange: gain is -1"),
        (lambda: CustomPreference(3, 4), BadValue, "CustomPreference needs two functions"),
        (
            lambda: mk.solve(TREE, goals(), method="pinv", preference=CustomPreference(np.sum, lambda q: q[:3])),
            BadShape,
            r"gradient of a Custom preference has shape \(3,\); it needs \(9,\)",
        ),
        (lambda: mk.solve(TREE, goals(), method="dls", preference="rest"), BadValue, "preference is 'rest'; it needs"),
        (lambda: mk.solve(TREE, goals(), method="pinv", preference=3), BadValue, "preference is 3; it needs"),
        (lambda: mk.solve(TREE, goals(), method="bounded-dls", preference=3), BadValue, "preference is 3; it needs"),
    ],
)
def test_bad_input_is_named(make, kind, message):
    assert_refused(make, kind, message)


def test_preferences_and_the_base_of_goals_are_exported():
    assert (mk.RestPose, mk.MidRange, mk.LimitAvoidance, mk.CustomPreference) == (
        RestPose,
        MidRange,
        LimitAvoidance,
        CustomPreference,
    )
    assert issubclass(mk.MidRange, mk.Preference)
    assert issubclass(mk.Position, mk.Goal)
    assert mk.Effector("Tip", (0.1, 0.0, 0.0)).rotation == (1.0, 0.0, 0.0, 0.0)
    assert {"Goal", "Effector", "Preference", "RestPose", "MidRange", "LimitAvoidance"} <= set(mk.__all__)
