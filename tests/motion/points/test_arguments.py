"""Bad arguments of `fit_points` and `load_points`: one error that names the argument and its value."""

from __future__ import annotations

from typing import Any

import pytest
from keypoint_clips import keypoints, moving

import manikin as mk
from manikin.errors import BadValue

BAD: list[tuple[dict[str, Any], str]] = [
    ({"figure": "human"}, "figure is str; fit_points needs a Figure"),
    ({"points": "walk.trc"}, r"points is 'walk.trc'; read the file first, as in mk.load_points\('walk.trc'\)"),
    ({"layout": ["nose", "left eye"]}, r"layout is \['nose', 'left eye'\]; it needs the name of a layout: coco17"),
    ({"map": 0}, "map is 0; it needs a BoneMap, the path of a map file, or a dict"),
    ({"lengths": "no"}, "lengths is 'no'; it must be True or False"),
    ({"robust": None}, "robust is None; it must be True or False"),
    ({"smooth": True}, "smooth is True; it needs a frequency in Hz such as 6, or None"),
    ({"travel": 1}, "travel is 1; it must be None, True or False"),
]


@pytest.mark.parametrize(("options", "says"), BAD, ids=[next(iter(options)) for options, _ in BAD])
def test_a_bad_argument_is_named(options: dict[str, Any], says: str) -> None:
    points = keypoints(moving(mk.human(), 3), "coco17")
    given = {"figure": mk.human(), "points": points, "layout": "coco17", "rate": 30.0} | options
    with pytest.raises(BadValue, match=says):
        mk.fit_points(**given)


@pytest.mark.parametrize("path", [5, None])
def test_a_path_of_points_must_be_a_path(path: Any) -> None:
    with pytest.raises(BadValue, match=f"path is {path}; it must be the path of a file"):
        mk.load_points(path)
