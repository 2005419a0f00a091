"""Layouts: orders, names and counts."""

from __future__ import annotations

import pytest

from manikin.errors import BadShape, BadValue, UnknownName
from manikin.motion.points.layouts import LAYOUTS, layout_points, point_named, points_by_names

COUNTS = {"coco17": 17, "body25": 25, "halpe26": 26, "h36m17": 17, "mediapipe33": 33, "smpl24": 24}


@pytest.mark.parametrize(("name", "count"), COUNTS.items())
def test_a_layout_has_its_points_once(name: str, count: int) -> None:
    assert len(LAYOUTS[name]) == len(set(LAYOUTS[name])) == count


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_layout_has_both_sides_of_every_point(name: str) -> None:
    points = LAYOUTS[name]
    for point in points:
        if point.startswith("left "):
            assert point.replace("left", "right") in points


@pytest.mark.parametrize(
    ("layout", "index", "point"),
    [
        ("coco17", 9, "left wrist"),
        ("coco17", 16, "right ankle"),
        ("body25", 8, "mid hip"),
        ("body25", 11, "right ankle"),
        ("body25", 21, "left heel"),
        ("halpe26", 17, "head top"),
        ("halpe26", 22, "left small toe"),
        ("h36m17", 3, "right ankle"),
        ("h36m17", 11, "left shoulder"),
        ("mediapipe33", 10, "right mouth"),
        ("mediapipe33", 22, "right thumb"),
        ("mediapipe33", 32, "right big toe"),
        ("smpl24", 12, "neck joint"),
        ("smpl24", 23, "right hand"),
    ],
)
def test_points_stand_where_the_estimators_put_them(layout: str, index: int, point: str) -> None:
    assert LAYOUTS[layout][index] == point


@pytest.mark.parametrize(
    ("name", "point"),
    [
        ("RBigToe", "right big toe"),
        ("LHip", "left hip"),
        ("left_hip", "left hip"),
        ("L_Hip", "left hip"),
        ("right_foot_index", "right big toe"),
        ("mouth_left", "left mouth"),
        ("left_eye_inner", "left eye inner"),
        ("CHip", "mid hip"),
        ("MidHip", "mid hip"),
        ("Hip", "mid hip"),
        ("Head", "head top"),
        ("Neck/Nose", "face"),
        ("REar", "right ear"),
        ("r.ASIS_study", None),
        ("C7", None),
        ("", None),
    ],
)
def test_names_of_programs_are_understood(name: str, point: str | None) -> None:
    assert point_named(name) == point


def test_every_point_of_a_layout_has_a_name_that_is_understood() -> None:
    for points in LAYOUTS.values():
        for point in points:
            assert point_named(point) == point


def test_a_wrong_count_names_the_layouts_that_have_it() -> None:
    with pytest.raises(BadShape, match=r"25 points a frame; layout 'coco17' has 17; body25 has 25"):
        layout_points("coco17", 25)
    with pytest.raises(BadShape, match="coco17, h36m17 have 17"):
        layout_points("body25", 17)


def test_an_unknown_layout_names_the_known_ones() -> None:
    with pytest.raises(UnknownName, match="did you mean 'coco17'"):
        layout_points("coco_17", 17)


def test_names_that_mean_nothing_are_an_error() -> None:
    with pytest.raises(BadValue, match="none of the points has a known name"):
        points_by_names(["M1", "M2"])
    assert points_by_names(["LHip", "M1", "left_hip"]) == ("left hip", None, None)
