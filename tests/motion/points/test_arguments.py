"""Bad arguments of `fit_points` and `load_points`: one error that names the argument and its value."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from keypoint_clips import keypoints, moving

import manikin as mk
from manikin.errors import BadFile, BadValue
from manikin.motion.points.layouts import LAYOUTS

BAD: list[tuple[dict[str, Any], str]] = [
    ({"figure": "human"}, "figure is str; fit_points needs a Figure"),
    ({"points": "walk.trc"}, r"points is 'walk.trc'; read the file first, as in mk.load_points\('walk.trc'\)"),
    ({"layout": ["nose", "left eye"]}, r"layout is \['nose', 'left eye'\]; it needs the name of a layout: coco17"),
    ({"bones": 0}, "bones is 0; it needs a BoneMap, the path of a map file, or a dict"),
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


@pytest.mark.parametrize("name", ["rate", "unit"])
@pytest.mark.parametrize("value", [0, -5.0, "30"])
def test_rate_and_unit_of_a_file_are_above_zero(name: str, value: Any, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.zeros((2, 17, 3)))
    with pytest.raises(BadValue, match=f"^{name} is "):
        mk.load_points(tmp_path / "x.npy", **{name: value})


@pytest.mark.parametrize(
    ("factor", "unit", "says"),
    [
        (
            1000.0,
            None,
            r"figure 'human', so the unit of the points \(1 m\) is probably wrong; pass unit=0.001, or --unit 0.001",
        ),
        (1.0 / 0.3048, None, "pass unit=0.3048, or"),
        (1.0, 0.001, r"the unit of the points \(0.001 m\) is probably wrong; pass unit=1, or"),
        (1e6, None, "pass unit=, the length of their unit in metres"),
    ],
    ids=["millimetres", "feet", "metres", "micrometres"],
)
def test_a_wrong_unit_is_named_with_one_that_fits(factor: float, unit: float | None, says: str) -> None:
    points = factor * keypoints(moving(mk.human(), 3), "coco17")
    with pytest.raises(BadValue, match=says):
        mk.fit_points(mk.human(), points, "coco17", unit=unit)


def test_points_in_one_place_have_no_size() -> None:
    with pytest.raises(BadValue, match="are ever seen together at different places"):
        mk.fit_points(mk.human(), np.zeros((4, 17, 3)), "coco17")


def test_one_frame_is_one_frame() -> None:
    fit = mk.fit_points(mk.human(), keypoints(moving(mk.human(), 1), "coco17"), "coco17")
    assert str(fit).startswith("points: 1 frame, coco17, RMS ")


@pytest.mark.parametrize("ending", [".npy", ".npz", ".csv", ".trc"])
def test_a_missing_file_is_a_missing_file(ending: str, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        mk.load_points(tmp_path / f"none{ending}")


def test_a_path_has_no_zero_byte() -> None:
    with pytest.raises(BadValue, match="a path cannot contain a zero byte"):
        mk.load_points("a\0.npy")
    with pytest.raises(BadValue, match="a path cannot contain a zero byte"):
        mk.bone_map(mk.human(), "a\0.json")


def test_one_of_several_people_must_be_chosen(tmp_path: Path) -> None:
    people = np.zeros((3, 2, 17, 3))
    np.save(tmp_path / "x.npy", people)
    for call in (lambda: mk.fit_points(mk.human(), people, "coco17"), lambda: mk.load_points(tmp_path / "x.npy")):
        with pytest.raises(ValueError, match=r"of several people, choose one, as in points\[:, 0\]"):
            call()


def test_a_file_without_frames_says_so(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.zeros((0, 17, 3)))
    with pytest.raises(BadFile, match=r"points has shape \(0, 17, 3\)"):
        mk.load_points(tmp_path / "x.npy")


def test_a_second_column_of_the_same_point_is_not_called_unknown() -> None:
    points = keypoints(moving(mk.human(), 3), "coco17")
    names = [*LAYOUTS["coco17"], "Nose", "ball"]
    markers = mk.Markers(names, np.concatenate([points, points[:, :2]], axis=1), rate=30.0, unit=1.0)
    notes = mk.fit_points(mk.human(), markers).notes
    assert "ignored, because another column has the same point of the body: Nose" in notes
    assert "no place on the body is known for 1 point, which the fit ignores: ball" in notes
