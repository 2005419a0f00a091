"""A motion on a figure that differs in its joints only."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import manikin as mk
from manikin.errors import BadValue


def arm(*joints: object) -> mk.Figure:
    segments = [mk.Segment("A", None, joints[0], rotation=(0.6, 0.8, 0, 0))]
    segments += [mk.Segment(f"S{i}", segments[-1].name, j, offset=(1, 0, 0)) for i, j in enumerate(joints[1:])]
    chained = [s if i == 0 else s.replaced(parent=segments[i - 1].name) for i, s in enumerate(segments)]
    return mk.Figure("arm", chained)


@given(st.integers(0, 2**32 - 1), st.sampled_from(["XYZ", "ZXZ", "YX"]))
def test_balls_in_the_place_of_turns_about_axes_keep_every_segment_where_it_was(seed: int, order: str) -> None:
    rng = np.random.default_rng(seed)
    slides = (mk.Slider(), mk.Slider((0, 1, 0)))
    old = arm((*slides, mk.Euler(order)), mk.Hinge((0, 0.6, 0.8)), mk.Euler("ZYX"), mk.Slider())
    new = arm((*slides, mk.Ball()), mk.Ball(), mk.Ball(), mk.Slider())
    motion = mk.Motion(old, rng.uniform(-7, 7, (20, old.nq)), rate=30, source={"format": "bvh"})
    moved = motion.on(new)
    assert np.allclose(moved.placements(), motion.placements(), atol=1e-12)
    assert (moved.times == motion.times).all()
    assert moved.source == motion.source


def test_limits_change_no_number() -> None:
    old, new = arm(mk.Hinge(), mk.Euler("XYZ")), arm(mk.Hinge(limits=(0, 1)), mk.Euler("XYZ", [(-1, 1)] * 3))
    motion = mk.Motion(old, np.arange(12.0).reshape(3, 4))
    assert np.array_equal(motion.on(new).poses, motion.poses)


def test_quaternions_do_not_jump() -> None:
    old, new = arm(mk.Hinge()), arm(mk.Ball())
    motion = mk.Motion(old, np.linspace(0, 6 * np.pi, 200)[:, None]).on(new)
    assert ((motion.poses[1:] * motion.poses[:-1]).sum(axis=1) > 0.9).all()


@pytest.mark.parametrize(
    ("new", "message"),
    [
        (arm(mk.Hinge(), mk.Hinge()), "does not have the segments"),
        (arm(mk.Slider()), "joint 'A' is a slider, which cannot take the numbers of a hinge"),
        (arm(mk.Hinge((1, 0, 0))), "joint 'A' is a hinge, which cannot take the numbers of a hinge"),
        (mk.Figure("b", [mk.Segment("A", None, mk.Ball())]), "joint 'A' is in a different place on its parent"),
    ],
)
def test_another_figure_is_refused(new: mk.Figure, message: str) -> None:
    with pytest.raises(BadValue, match=message):
        mk.Motion(arm(mk.Hinge()), [[0.5]]).on(new)


def test_balls_do_not_become_turns_about_axes() -> None:
    ball = arm(mk.Ball())
    with pytest.raises(BadValue, match="cannot take the numbers of a ball"):
        mk.Motion(ball, ball.rest).on(arm(mk.Euler("XYZ")))
