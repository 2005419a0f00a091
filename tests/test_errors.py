"""The exceptions: each is also the kind that Python users expect, and says what would be right."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from manikin import errors
from manikin.errors import (
    BadFile,
    BadShape,
    BadValue,
    ManikinError,
    NoMotion,
    UnknownName,
    Unsupported,
    counted,
    listing,
    unknown_name,
)


@pytest.mark.parametrize(
    ("kind", "standard"),
    [
        (UnknownName, LookupError),
        (BadShape, ValueError),
        (BadValue, ValueError),
        (BadFile, ValueError),
        (Unsupported, NotImplementedError),
    ],
)
def test_each_error_is_of_our_family_and_of_the_standard_kind(kind: type, standard: type) -> None:
    assert issubclass(kind, ManikinError)
    assert issubclass(kind, standard)


def test_the_family_is_complete() -> None:
    family = {k for k, v in vars(errors).items() if isinstance(v, type) and issubclass(v, ManikinError)}
    assert family == {"ManikinError", "UnknownName", "BadShape", "BadValue", "BadFile", "NoMotion", "Unsupported"}


def test_an_unknown_name_suggests_the_nearest_and_lists_what_there_is() -> None:
    names = ["Hips", "Spine", "LeftHand", *(f"Finger{i}" for i in range(28))]
    error = unknown_name("figure 'dancer'", "segment", "LHand", names)
    assert str(error) == (
        "figure 'dancer' has no segment 'LHand'; did you mean 'LeftHand'? "
        "It has 31: Hips, Spine, LeftHand, Finger0, Finger1, Finger2, Finger3, Finger4, …"
    )


def test_an_unknown_name_far_from_all_gets_no_suggestion() -> None:
    assert str(unknown_name("robot", "joint", "qqq", ["Hips"])) == "robot has no joint 'qqq'; it has 1: Hips"
    assert str(unknown_name("robot", "joint", 7, [])) == "robot has no joint 7; it has none"


def test_an_unknown_name_prints_without_the_quotes_of_a_key_error() -> None:
    assert not str(unknown_name("a", "b", "c", ["d"])).startswith(("'", '"'))


def test_a_list_of_names_is_cut() -> None:
    assert listing(["a", "b"]) == "a, b"
    assert listing(["a", "b", "c"], max_names=2) == "a, b, …"


def test_a_bad_file_says_where() -> None:
    error = BadFile(Path("dancer.bvh"), "OFFSET needs three numbers, got '0.0 1.2'", line=41)
    assert str(error) == "dancer.bvh, line 41: OFFSET needs three numbers, got '0.0 1.2'"
    assert (error.path, error.line) == ("dancer.bvh", 41)
    assert str(BadFile("robot.urdf", "is empty")) == "robot.urdf: is empty"
    assert str(BadFile("fox.glb", "cut off", offset=12)) == "fox.glb, byte 12: cut off"


@pytest.mark.parametrize(
    "error",
    [
        BadFile("a.bvh", "cut", 3),
        BadFile("b.glb", "x", offset=7),
        NoMotion("c.bvh", "none", 9),
        BadValue("v"),
        UnknownName("n"),
    ],
)
def test_errors_travel_between_processes(error: ManikinError) -> None:
    back = pickle.loads(pickle.dumps(error))
    assert type(back) is type(error)
    assert str(back) == str(error)
    assert vars(back) == vars(error)


@pytest.mark.parametrize(
    ("name", "right"), [("COCO17", "coco17"), ("Body_25", "body25"), ("COCO", "coco17"), ("smpl 24", "smpl24")]
)
def test_case_and_separators_do_not_hide_the_nearest_name(name: str, right: str) -> None:
    error = unknown_name("fit_points", "layout", name, ["coco17", "body25", "smpl24"])
    assert f"has no layout {name!r}; did you mean {right!r}?" in str(error)


def test_the_first_of_two_names_that_differ_in_case_is_suggested() -> None:
    assert "did you mean 'hips'?" in str(unknown_name("the figure", "segment", "HIPS", ["hips", "Hips"]))


def test_one_thing_is_not_many() -> None:
    assert [counted(n, "frame") for n in (0, 1, 2, 1000)] == ["0 frames", "1 frame", "2 frames", "1,000 frames"]
