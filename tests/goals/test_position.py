from __future__ import annotations

import numpy as np
import pytest
from checks import assert_close, assert_refused
from goal_checks import assert_goal_derivative, placed, random_reading
from hypothesis import given
from strategies import rngs

import manikin as mk
from manikin.errors import BadShape, BadValue, UnknownName


def test_error_is_zero_at_the_target():
    goal = mk.Position("Hand", (1.0, 2.0, 3.0))
    assert_close(goal.error(placed((1.0, 2.0, 3.0))), np.zeros(3))


def test_error_points_from_the_target_to_the_effector():
    assert_close(mk.Position("Hand", (1.0, 0.0, 0.0)).error(placed((1.5, 0.0, -2.0))), [0.5, 0.0, -2.0])


def test_only_the_chosen_axes_count():
    goal = mk.Position("Tip", (1.0, 2.0), axes="zx")
    assert goal.rows == 2
    assert_close(goal.error(placed((5.0, 9.0, 3.0))), [2.0, 3.0])


def test_a_full_point_is_taken_on_the_chosen_axes():
    assert_close(mk.Position("Tip", (1.0, 2.0, 9.0), axes="xy").target, [1.0, 2.0])


@pytest.mark.parametrize("axes", ["xyz", "xy", "z"])
@given(rngs())
def test_derivative(axes, rng):
    assert_goal_derivative(mk.Position("Hand", rng.normal(size=len(axes)), axes=axes), random_reading(rng))


def test_the_target_is_a_copy_and_read_only():
    point = np.array([1.0, 2.0, 3.0])
    goal = mk.Position("Hand", point)
    point[0] = 9.0
    assert goal.target[0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        goal.point[0] = 5.0


def test_a_moved_target_is_a_new_goal_that_keeps_the_rest():
    goal = mk.Position("Hand", (0, 0, 0), offset=(0, 1, 0), weight=2.0, priority=1, tolerance=0.5, name="left")
    other = goal.with_target((1, 2, 3))
    assert_close(other.target, [1, 2, 3])
    assert_close(goal.target, [0, 0, 0])
    assert (other.offset, other.weight, other.priority, other.tolerance, other.name) == ((0, 1, 0), 2.0, 1, 0.5, "left")


def test_the_default_tolerance_is_a_ten_thousandth_of_the_figure():
    arm = mk.chain(3)
    assert mk.Position("Tip", (0, 0, 0)).on(arm).allowed == pytest.approx(3e-4)
    assert mk.Position("Tip", (0, 0, 0), tolerance=0.1).on(arm).allowed == 0.1


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (lambda: mk.Position("Hand", (1, 2)), BadShape, r"Position Hand: target has shape \(2,\); it needs \(3,\)"),
        (lambda: mk.Position("Hand", (1, 2, np.nan)), BadValue, r"target\[2\] is nan"),
        (lambda: mk.Position("Hand", (1, 2, 3), axes="xx"), BadValue, "axes is 'xx'; it needs some of x, y, z"),
        (lambda: mk.Position("Hand", (1, 2, 3), offset=(1, 2)), BadShape, "effector on 'Hand': offset has shape"),
        (lambda: mk.Position("", (1, 2, 3)), BadValue, "segment is ''"),
        (lambda: mk.Position("Hand", (1, 2, 3), weight=-1), BadValue, "Position: weight is -1; it must be at least 0"),
        (lambda: mk.Position("Hand", (1, 2, 3), priority=-1), BadValue, "Position: priority is -1"),
        (lambda: mk.Position("Hand", (1, 2, 3), tolerance=0), BadValue, "Position: tolerance is 0; it must be above 0"),
        (lambda: mk.Position("Hand", (1, 2, 3), name=3), BadValue, "Position: name is 3; it needs a string"),
        (lambda: mk.Position("Hand", (1, 2, 3)).on(mk.chain(2)), UnknownName, "figure 'chain' has no segment 'Hand'"),
        (lambda: mk.Position("Hand", (1, 2, 3)).allowed, BadValue, r"has no tolerance yet; goal\.on\(figure\)"),
    ],
)
def test_bad_input_is_named(make, kind, message):
    assert_refused(make, kind, message)
