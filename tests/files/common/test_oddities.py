"""Oddities of files: told once each, as one category, at the caller's line."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import manikin as mk
from manikin.errors import OddFile
from manikin.files import bvh
from manikin.files.common import oddities

BVH = """HIERARCHY
ROOT Hips
{
 OFFSET 0 0 0
 CHANNELS 3 Zrotation Xrotation Yrotation
 End Site
 {
  OFFSET 0 1 0
 }
}
MOTION
Frames: 3
Frame Time: 0.1
0 0 0
10 20 30
"""


def test_each_note_is_told_once_with_the_path() -> None:
    with pytest.warns(OddFile) as heard:
        oddities.tell(Path("a") / "b.bvh", ["one thing", "another", "one thing"])
    assert [str(w.message) for w in heard] == ["a/b.bvh: one thing", "a/b.bvh: another"]


def test_of_many_notes_the_first_are_told_and_the_rest_counted() -> None:
    with pytest.warns(OddFile) as heard:
        oddities.tell("b.bvh", [f"note {i}" for i in range(30)])
    assert len(heard) == oddities.MOST
    assert str(heard[-1].message) == "b.bvh: 23 more warnings are in source['notes']"
    with pytest.warns(OddFile) as heard:
        oddities.tell("b.bvh", [f"note {i}" for i in range(oddities.MOST)])
    assert [str(w.message) for w in heard] == [f"b.bvh: note {i}" for i in range(oddities.MOST)]


@pytest.mark.parametrize("load", [mk.load_motion, bvh.load_motion])
def test_a_warning_points_at_the_line_that_asked_for_the_file(tmp_path: Path, load: object) -> None:
    path = tmp_path / "short.bvh"
    path.write_text(BVH)
    with pytest.warns(OddFile, match=r"short\.bvh: Frames: is 3, but the file has 2 frames") as heard:
        motion = load(path)  # type: ignore[operator]
    assert [w.filename for w in heard] == [__file__]
    assert motion.source["notes"] == ("Frames: is 3, but the file has 2 frames; all of them are used",)


def test_a_program_that_wants_to_hear_nothing_turns_off_one_category(tmp_path: Path) -> None:
    path = tmp_path / "short.bvh"
    path.write_text(BVH)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OddFile)
        assert len(mk.load_motion(path)) == 2
