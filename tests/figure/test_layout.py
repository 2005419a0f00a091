"""The layout of a pose: order, names, limits and rest values of its numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from checks import assert_close
from hypothesis import given
from strategies import random_figure, rngs

from manikin import rotations
from manikin.figure import Ball, Coupling, Euler, Figure, Free, Hinge, Joint, Segment, Slider, SwingTwist


def figure_of(*joints: Any) -> Figure:
    """Segments S0, S1, … in a chain."""
    return Figure("f", [Segment(f"S{i}", f"S{i - 1}" if i else None, j) for i, j in enumerate(joints)])


def coupled(source: str, ratio: float = 1.0, offset: float = 0.0, motion: Any = None) -> Joint:
    return Joint(motions=(motion or Hinge(),), coupling=Coupling(source, ratio, offset))


def test_numbers_stand_in_the_order_of_segments_and_are_named_after_their_joints() -> None:
    figure = figure_of(Free(), None, Hinge(), Euler("ZXY"), Ball(), (Slider(), Slider((0, 0, 1)), Hinge((0, 1, 0))))
    assert figure.number_names == (
        *("S0.tx", "S0.ty", "S0.tz", "S0.w", "S0.x", "S0.y", "S0.z"),
        "S2",
        *("S3.z", "S3.x", "S3.y"),
        *("S4.w", "S4.x", "S4.y", "S4.z"),
        *("S5.tx", "S5.tz", "S5.ry"),
    )
    assert [figure.index_of(f"S{i}") for i in range(6)] == [0, 7, 7, 8, 11, 15]
    assert [figure.step_of(f"S{i}") for i in range(6)] == [0, -1, 6, 7, 10, 13]
    assert (figure.nq, figure.nv) == (18, 16)


def test_a_repeated_euler_axis_is_counted_in_the_name() -> None:
    assert figure_of(Euler("ZXZ")).number_names == ("S0.z1", "S0.x2", "S0.z3")


def test_an_oblique_slider_in_a_sequence_has_a_name_without_a_letter() -> None:
    assert figure_of((Slider((1, 1, 0)), Ball())).number_names[0] == "S0.t"


def test_limits_are_infinite_where_free_or_part_of_a_quaternion() -> None:
    figure = figure_of(Free(), Hinge(limits=(-1, 2)), Ball(SwingTwist(swing=(1, 1))), Euler("XY", ((0, 1), (-2, -1))))
    free = [np.inf] * 7
    assert figure.lower.tolist() == [*(-x for x in free), -1.0, *[-np.inf] * 4, 0.0, -2.0]
    assert figure.upper.tolist() == [*free, 2.0, *[np.inf] * 4, 1.0, -1.0]


@pytest.mark.parametrize(
    ("limits", "rest"),
    [
        ((-1, 1), 0.0),
        ((0, 1), 0.0),
        ((0.5, 1), 0.75),
        ((-3, -1), -2.0),
        ((2, None), 2.0),
        ((None, -2), -2.0),
        (None, 0.0),
    ],
)
def test_the_rest_value_is_zero_or_mid_range_or_the_only_end(limits: Any, rest: float) -> None:
    assert figure_of(Hinge(limits=limits)).rest.tolist() == [rest]


def test_a_stated_rest_is_kept() -> None:
    turn = tuple(rotations.from_axis_angle((0, 1, 0), 0.3))
    figure = figure_of(Joint(motions=(Free(),), rest=(1, 2, 3, *turn)), Joint(motions=(Hinge(),), rest=(0.5,)))
    assert_close(figure.rest, [1.0, 2.0, 3.0, *turn, 0.5], tol=0.0)


def test_a_ball_rests_at_the_identity_or_in_the_middle_of_its_cone() -> None:
    quarter = tuple(rotations.from_axis_angle((1, 0, 0), np.pi / 2))
    wide = SwingTwist(swing=(2, 2), reference=quarter)
    narrow = SwingTwist(swing=(0.5, 0.5), twist=(0.2, 0.6), reference=quarter)
    assert figure_of(Ball(wide)).rest.tolist() == [1.0, 0.0, 0.0, 0.0]
    middle = rotations.multiply(np.array(quarter), rotations.from_axis_angle((0, 1, 0), 0.4))
    assert_close(figure_of(Ball(narrow)).rest, middle, tol=1e-15)


@given(rngs())
def test_the_rest_pose_is_within_its_limits(rng: np.random.Generator) -> None:
    figure = random_figure(rng)
    assert figure.violation(figure.rest) == 0.0


def test_a_coupled_joint_stands_in_q_but_not_in_v() -> None:
    figure = figure_of(Hinge(), coupled("S0", -2.0, 0.5))
    assert (figure.nq, figure.nv) == (2, 1)
    assert figure.step_of("S1") == -1
    assert figure.rest.tolist() == [0.0, 0.5]
    assert_close(figure.integrate(figure.rest, [0.3]), [0.3, -0.1], tol=1e-15)


def test_a_chain_of_couplings_follows_its_first_joint_whatever_the_order() -> None:
    """C follows B follows A: c = 2b + 1 = 2(3a − 1) + 1 = 6a − 1. The leader may stand behind its followers."""
    figure = Figure(
        "f",
        [
            Segment("C", None, coupled("B", 2.0, 1.0)),
            Segment("B", "C", coupled("A", 3.0, -1.0)),
            Segment("A", "B", Hinge()),
        ],
    )
    q = figure.pose({"A": 0.7})
    assert_close(q, [6 * 0.7 - 1, 3 * 0.7 - 1, 0.7], tol=1e-14)
    assert figure.nv == 1
    assert_close(figure.integrate(q, [0.1]), [6 * 0.8 - 1, 3 * 0.8 - 1, 0.8], tol=1e-14)


@pytest.mark.parametrize(
    ("ratio", "offset", "own", "leader"),
    [
        (2.0, 0.0, (-1, 3), (-0.5, 1.5)),
        (-2.0, 0.0, (-1, 3), (-1.5, 0.5)),
        (1.0, 5.0, (4.5, 5.25), (-0.5, 0.25)),
        (1.0, 0.0, (-9, 9), (-2.0, 2.0)),
        (0.0, 0.5, (0, 1), (-2.0, 2.0)),
        (1.0, 0.0, (None, 1), (-2.0, 1.0)),
        (-1.0, 0.0, (None, 1), (-1.0, 2.0)),
    ],
)
def test_limits_of_a_follower_narrow_those_of_its_leader(ratio: float, offset: float, own: Any, leader: Any) -> None:
    figure = figure_of(Hinge(limits=(-2, 2)), coupled("S0", ratio, offset, Hinge(limits=own)))
    assert (figure.lower[0], figure.upper[0]) == leader


def test_nothing_of_a_layout_can_be_written() -> None:
    layout = random_figure(np.random.default_rng(0), segments=8).layout
    for thing in (layout, layout.cones, layout.tree):
        for name, value in vars(thing).items():
            if isinstance(value, np.ndarray):
                assert not value.flags.writeable, name


def test_two_sliders_along_one_axis_have_two_names() -> None:
    sliders = (Slider((1, 0, 0)), Slider((1, 0, 0)), Slider((1, 1, 0)), Slider((0, 1, 1)), Hinge())
    figure = Figure("cart", [Segment("Cart", joint=sliders)])
    assert figure.number_names == ("Cart.tx", "Cart.tx2", "Cart.t", "Cart.t2", "Cart.rz")
    assert figure.pose({"Cart.tx2": 0.3})[1] == 0.3


def test_a_figure_shows_its_layout_and_it_cannot_be_replaced() -> None:
    figure = random_figure(np.random.default_rng(0), segments=8)
    assert figure.layout.tree.nq == figure.nq
    assert figure.layout.lower is figure.lower
    with pytest.raises(AttributeError, match="never changes"):
        figure.layout = figure.layout


def test_a_limits_view_has_other_limits_and_shares_the_rest() -> None:
    figure = random_figure(np.random.default_rng(0), segments=8)
    layout = figure.layout
    size = figure.size
    view = figure.limits_view(layout.lower - 1.0, layout.upper + 1.0, layout.cones.swing, layout.cones.twist)
    assert_close(view.lower, figure.lower - 1.0)
    assert view.layout.lower is view.lower
    assert view.size == size
    assert view.segments is figure.segments
    assert_close(view.placements(figure.rest), figure.placements(figure.rest))
    assert_close(figure.layout.lower, figure.lower)
