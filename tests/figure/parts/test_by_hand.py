"""What a map file may say besides the parts: pose, soles, turns and digest."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from retarget_clips import clip, figure

import manikin as mk
from manikin.errors import BadFile, BadShape, BadValue, UnknownName
from manikin.figure.parts.calibration import calibrate
from manikin.motion.soles import find_soles

TURN = [np.cos(0.25), 0.0, np.sin(0.25), 0.0]


def given(**keys: object) -> mk.BoneMap:
    return mk.bone_map(mk.human(), {"parts": {}, **keys})


def test_a_map_without_corrections_has_none_in_its_file() -> None:
    bones = mk.bone_map(mk.human())
    assert list(json.loads(bones.to_json())) == ["figure", "up", "legs", "parts"]
    assert bones.by_hand.standing(mk.human()) is None


def test_a_turn_turns_the_axes_that_were_found() -> None:
    person = mk.human()
    plain, turned = (calibrate(person, bones) for bones in (mk.bone_map(person), given(turns={"left hand": TURN})))
    R = mk.rotations.to_matrix(np.array(TURN))
    assert turned.axes["left hand"] == pytest.approx(plain.axes["left hand"] @ R)
    assert turned.axes["right hand"] == pytest.approx(plain.axes["right hand"])


def test_a_turn_of_the_target_turns_its_hand() -> None:
    """A hand whose axes are bent by 0.2 rad comes out bent by nearly that angle."""
    motion = clip("walk", 20)
    plain, turned = (
        mk.retarget(motion, mk.human(), bones=bones)
        for bones in (None, {"parts": {}, "turns": {"left hand": [np.cos(0.1), np.sin(0.1), 0.0, 0.0]}})
    )
    R = [m.motion.placements(["LeftHand"])[:, 0, :3, :3] for m in (plain, turned)]
    angles = np.arccos(np.clip((np.einsum("fij,fij->f", *R) - 1.0) / 2.0, -1.0, 1.0))
    assert 0.1 < np.median(angles) <= 0.22


def test_sole_points_are_used() -> None:
    person = mk.human()
    bones = given(soles={"left": {"toe": [0.01, -0.08, 0.2]}})
    plain, own = (find_soles(person, person.rest[None], b) for b in (mk.bone_map(person), bones))
    assert own.points[own.names.index("left toe")] == pytest.approx([0.01, -0.08, 0.2])
    assert own.points[1:] == pytest.approx(plain.points[1:])


def test_a_pose_of_the_map_stands() -> None:
    """Rokoko's rest pose does not stand. A map with a pose needs no pose= anymore."""
    motion, rig = clip("walk", 30), clip("rokoko").figure
    stands = clip("rokoko")[0]
    numbers = {n: float(x) for n, x, rest in zip(rig.number_names, stands, rig.rest, strict=True) if x != rest}
    out = mk.retarget(motion, rig, bones={"parts": {}, "pose": numbers})
    assert out.pose == "bones"
    assert np.array_equal(out.motion.poses, mk.retarget(motion, rig, pose=stands).motion.poses)


def test_a_saved_map_keeps_them(tmp_path: Path) -> None:
    bones = given(pose={"LeftForeArm": 0.5}, soles={"right": {"heel": [0.0, -0.1, -0.05]}}, turns={"head": TURN})
    bones.save(tmp_path / "x.json")
    again = mk.bone_map(mk.human(), tmp_path / "x.json")
    assert again.by_hand == bones.by_hand
    assert again.to_json() == bones.to_json()
    assert json.loads(bones.to_json())["digest"] == mk.human().digest
    assert not again.notes


def test_the_rest_pose_can_be_named() -> None:
    person = mk.human()
    bones = given(pose="rest")
    assert np.array_equal(bones.by_hand.standing(person), person.rest)
    assert json.loads(bones.to_json())["pose"] == "rest"
    assert calibrate(person, bones).standing.where == "bones"


def test_a_map_of_another_version_says_so() -> None:
    bones = mk.bone_map(figure("g1"), {"parts": {}, "pose": "rest", "digest": mk.human().digest})
    assert any("another version" in note for note in bones.notes)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"turns": {"left hnd": TURN}}, "did you mean 'left hand'"),
        ({"turns": {"left hand": [1.0, 1.0, 0.0, 0.0]}}, "a quaternion w x y z has length 1"),
        ({"turns": {"left hand": [1.0, 0.0]}}, "turn of the left hand"),
        ({"turns": [1]}, "needs an object"),
        ({"soles": {"lft": {}}}, "did you mean 'left'"),
        ({"soles": {"left": {"tow": [0, 0, 0]}}}, "did you mean 'toe'"),
        ({"soles": {"left": {"toe": [0, 0, float("nan")]}}}, "left toe"),
        ({"pose": {"LeftForeArn": 0.5}}, "did you mean 'LeftForeArm'"),
        ({"pose": "rst"}, "needs an object"),
    ],
)
def test_bad_values_are_named(keys: dict[str, object], message: str, tmp_path: Path) -> None:
    with pytest.raises((BadShape, BadValue, UnknownName), match=message):
        given(**keys)
    if "nan" not in repr(keys):
        (tmp_path / "x.json").write_text(json.dumps({"parts": {}, **keys}))
        with pytest.raises(BadFile, match=message):
            mk.bone_map(mk.human(), tmp_path / "x.json")
