"""Which figures are flat."""

from __future__ import annotations

import numpy as np
import pytest
from checks import assert_close

import manikin as mk
from manikin.figure import Figure, Free, Hinge, Segment, Slider
from manikin.view.planar import paper_of

TURNED = (np.cos(0.3), np.sin(0.3), 0.0, 0.0)


def arm(
    axis: tuple[float, float, float], offset: tuple[float, float, float], up: str = "y", last: object = None
) -> Figure:
    joints = [Hinge(axis=axis), Hinge(axis=axis), last or Hinge(axis=axis)]
    names = ["A", "B", "C"]
    segments = [
        Segment(n, names[i - 1] if i else None, joint, offset=offset if i else None)
        for i, (n, joint) in enumerate(zip(names, joints, strict=True))
    ]
    return Figure("arm", segments, up=up)


def test_a_planar_chain_lies_on_paper_as_it_does_in_xy() -> None:
    paper = paper_of(mk.chain(3, planar=True))
    assert paper is not None
    assert_close(paper.flatten(np.array([[1.0, 2.0, 3.0]])), [[1.0, 2.0]])


def test_a_chain_in_space_is_not_planar() -> None:
    assert paper_of(mk.chain(3)) is None
    assert paper_of(mk.human()) is None


@pytest.mark.parametrize(
    ("axis", "offset", "up", "right"),
    [
        ((0, 0, 1), (1, 0, 0), "y", (1, 0, 0)),
        ((0, 0, -1), (1, 0, 0), "y", (1, 0, 0)),
        ((1, 0, 0), (0, 0, 1), "y", (0, 0, 1)),
        ((0, 1, 0), (1, 0, 0), "z", (1, 0, 0)),
    ],
)
def test_up_is_up_and_the_other_axis_goes_right(axis, offset, up, right) -> None:  # type: ignore[no-untyped-def]
    paper = paper_of(arm(axis, offset, up))
    assert paper is not None
    assert_close(paper.up, np.eye(3)["xyz".index(up)])
    assert_close(paper.right, right)


def test_a_figure_that_turns_about_its_up_axis_is_seen_from_above() -> None:
    paper = paper_of(arm((0, 0, 1), (1, 0, 0), "z"))
    assert paper is not None
    assert_close(paper.right, [1, 0, 0])
    assert_close(paper.up, [0, 1, 0])


def test_joints_in_different_planes_are_not_flat() -> None:
    assert paper_of(arm((0, 0, 1), (1, 0, 0.1))) is None


def test_one_hinge_about_another_axis_leaves_the_plane() -> None:
    assert paper_of(arm((0, 0, 1), (1, 0, 0), last=Hinge(axis=(0, 1, 0)))) is None


def test_a_slider_in_the_plane_stays_in_it_and_one_along_the_normal_does_not() -> None:
    assert paper_of(arm((0, 0, 1), (1, 0, 0), last=Slider(axis=(0, 1, 0)))) is not None
    assert paper_of(arm((0, 0, 1), (1, 0, 0), last=Slider(axis=(0, 0, 1)))) is None


def test_a_hinge_turned_by_its_joint_is_judged_in_the_world() -> None:
    segments = [Segment("A", None, Hinge()), Segment("B", "A", Hinge(), offset=(1, 0, 0), rotation=TURNED)]
    assert paper_of(Figure("bent", segments)) is None


def test_a_free_root_and_a_figure_that_cannot_turn_are_drawn_in_space() -> None:
    assert paper_of(Figure("free", [Segment("A", None, Free())])) is None
    assert paper_of(Figure("still", [Segment("A"), Segment("B", "A", offset=(1, 0, 0))])) is None
