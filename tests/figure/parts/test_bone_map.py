"""The map of a figure: words, sides, tables, files, and parts given by hand."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from mapped_figures import load
from true_parts import TRUE

import manikin as mk
from manikin.errors import BadFile, BadValue, UnknownName
from manikin.figure.parts.calibration import calibrate

HUMAN = mk.bone_map(mk.human())


def test_words_and_sides() -> None:
    assert HUMAN.words("LeftForeArmTwist") == "left forearm"
    assert HUMAN.words("RightHandIndex2") == "right index 2"
    assert HUMAN.words("HeadTop_End") == "HeadTop_End"
    assert HUMAN.side_of("RightHandIndex2") == "right"
    assert HUMAN.side_of("Spine") == ""
    assert HUMAN.part_of("LeftHandIndex1") is None
    with pytest.raises(UnknownName, match="did you mean 'LeftHand'"):
        HUMAN.words("LeftHnd")


def test_feet_hands_head_and_spine() -> None:
    assert HUMAN.feet == {"left": "LeftFoot", "right": "RightFoot"}
    assert HUMAN.hands == {"left": "LeftHand", "right": "RightHand"}
    assert HUMAN.head == "Head"
    assert HUMAN.spine == ("Spine", "Spine1", "Spine2", "Spine3", "Spine4")
    assert (HUMAN.first("left forearm"), HUMAN.main("left forearm")) == ("LeftForeArm", "LeftForeArmTwist")


@pytest.mark.needs("data", "mjcf/unitree_g1.xml")
def test_a_robot_without_a_head_says_so() -> None:
    bones = mk.bone_map(load("mjcf/unitree_g1.xml"))
    assert bones.head is None
    assert "the figure has no head" in bones.notes


def test_an_unknown_part_names_the_nearest() -> None:
    with pytest.raises(UnknownName, match="did you mean 'left shank'"):
        HUMAN["left shin shank"]
    assert "left shin" not in HUMAN


def test_it_is_a_table() -> None:
    lines = str(HUMAN).splitlines()
    assert lines[0] == "human: 25 parts by names, two legs"
    assert "  left forearm     LeftForeArm, LeftForeArmTwist" in lines
    html = HUMAN._repr_html_()
    assert html.count("<tr>") == len(HUMAN) + 1
    assert "<td>left forearm</td><td>LeftForeArm, LeftForeArmTwist</td>" in html
    assert repr(mk.bone_map(mk.quadruped())) == "<BoneMap of 'quadruped': 24 parts by names, four legs>"


@pytest.mark.parametrize("name", TRUE)
def test_a_saved_map_gives_the_same_map(name: str, tmp_path: Path) -> None:
    bones, path = mk.bone_map(load(name)), tmp_path / "x.map.json"
    bones.save(path)
    again = mk.BoneMap.load(path, load(name))
    assert dict(again) == dict(bones)
    assert again.four_legged == bones.four_legged
    assert again.how == "given"
    assert again.to_json() == bones.to_json()


def test_a_map_file_has_one_part_on_a_line(tmp_path: Path) -> None:
    HUMAN.save(tmp_path / "x.json")
    text = (tmp_path / "x.json").read_text()
    assert '\n    "left forearm": ["LeftForeArm", "LeftForeArmTwist"],\n' in text
    assert list(json.loads(text)) == ["figure", "up", "legs", "parts"]


def test_a_given_part_replaces_the_found_one() -> None:
    bones = mk.bone_map(mk.human(), {"left forearm": ["LeftForeArm"], "left hand": ["LeftForeArmTwist", "LeftHand"]})
    assert bones["left forearm"] == ("LeftForeArm",)
    assert bones["left hand"] == ("LeftForeArmTwist", "LeftHand")
    assert bones["right hand"] == ("RightHand",)
    assert bones.how == "names, some given"


def test_a_segment_moves_from_the_found_part_to_the_given_one() -> None:
    bones = mk.bone_map(mk.human(), {"left hand": ["LeftForeArmTwist", "LeftHand"]})
    assert bones["left forearm"] == ("LeftForeArm",)


def test_a_part_can_be_left_out_and_stages_are_given_together() -> None:
    bones = mk.bone_map(mk.human(), {"left toes": None, "right toes": [], "spine 1": ["Spine4"]})
    assert "left toes" not in bones
    assert "right toes" not in bones
    assert bones.spine == ("Spine4",)


def test_given_parts_suffice_where_nothing_is_found() -> None:
    names = {"Hips": None, "A": "Hips", "B": "A", "C": "B", "D": "Hips", "E": "D", "F": "E"}
    names |= {"G": "Hips", "H": "G", "K": "Hips", "L": "K"}
    segments = [mk.Segment(n, p, mk.Ball(), offset=(0.0, -1.0, 0.0)) for n, p in names.items()]
    figure = mk.Figure("odd", segments)
    with pytest.raises(BadValue, match="fewer than two joints"):
        mk.bone_map(figure)
    sides = {"left": "ABCGH", "right": "DEFKL"}
    limbs = ("thigh", "shank", "foot", "upper arm", "forearm")
    given = {f"{side} {limb}": [s] for side, text in sides.items() for limb, s in zip(limbs, text, strict=True)}
    bones = mk.bone_map(figure, given)
    assert bones.how == "given"
    assert bones["left shank"] == ("B",)
    with pytest.raises(UnknownName, match="the map of figure 'odd' has no part 'pelvis'"):
        calibrate(figure, bones)
    with pytest.raises(BadValue):
        mk.bone_map(figure, {k: v for k, v in given.items() if k != "left foot"})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"left shnk": ["LeftLeg"]}, "did you mean 'left shank'"),
        ({"left shank": ["LeftLg"]}, "part 'left shank': the figure has no segment 'LeftLg'; did you mean 'LeftLeg'"),
        ({"left shank": "LeftLeg"}, "needs a list of segments"),
        ({"left shank": ["LeftLeg", "LeftToeBase"]}, "consecutive"),
        ({"left shank": ["LeftLeg"], "left foot": ["LeftLeg"]}, "a segment belongs to only one part"),
        ({"spine 1": ["Spine"], "spine 3": ["Spine1"]}, "number the stages from 1"),
        ({"parts": {}, "side": 1}, "has the unknown key 'side'"),
        ({"parts": []}, "'parts' is \\[\\]; it needs a dict"),
        ({"parts": {}, "legs": 3}, "'legs' is 3; it must be 2 or 4"),
        (3, "bones is 3; it needs the path of a map file, or a dict"),
    ],
)
def test_a_bad_part_is_named(given: dict[str, object], message: str) -> None:
    with pytest.raises((BadValue, UnknownName), match=message):
        mk.bone_map(mk.human(), given)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{\n"parts": {,}\n}', "line 2: this is not JSON"),
        ("[" * 100_000, "this is not JSON"),
        ("[1]", "a map is an object with the keys figure, up, legs, parts, not list"),
        ('{"prts": {}}', "has no key 'prts'; did you mean 'parts'"),
        ('{"figure": "x"}', "'parts' is missing"),
        ('{"parts": {}, "legs": 3}', "'legs' is 3; it must be 2 or 4"),
        ('{"parts": {"left shnk": ["LeftLeg"]}}', "did you mean 'left shank'"),
        ('{"parts": {"left shank": [7]}}', "has no segment 7"),
    ],
)
def test_a_bad_file_is_named(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.map.json"
    path.write_text(text)
    with pytest.raises(BadFile, match=message) as caught:
        mk.bone_map(mk.human(), path)
    assert caught.value.path == str(path)


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    path = tmp_path / "bad.map.json"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadFile, match="this is not JSON"):
        mk.bone_map(mk.human(), path)


def test_another_up_axis_gives_a_note() -> None:
    assert mk.bone_map(mk.human(), {"parts": {}, "up": "y"}).notes == ()
    (note,) = mk.bone_map(mk.human(), {"parts": {}, "up": "z"}).notes
    assert note == "the map was written for a figure whose up axis is z; that of this figure is y"


def test_it_can_be_pickled() -> None:
    again = pickle.loads(pickle.dumps(HUMAN))
    assert (dict(again), again.how, again.figure) == (dict(HUMAN), HUMAN.how, HUMAN.figure)


def test_the_parts_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        HUMAN.parts["head"] = ("Neck",)  # type: ignore[index]


@pytest.mark.parametrize(
    "part", ["pelvis", "left upper arm", "right forearm", "left thigh", "right shank", "left foot"]
)
@pytest.mark.parametrize("nothing", [None, [], ()], ids=["None", "list", "tuple"])
def test_a_part_that_every_body_needs_cannot_be_taken_away(part: str, nothing: object) -> None:
    with pytest.raises(BadValue, match=f"figure 'human' has no {part}"):
        mk.bone_map(mk.human(), {part: nothing})


def test_other_parts_may_be_taken_away_with_an_empty_tuple() -> None:
    assert "head" not in mk.bone_map(mk.human(), {"head": ()})


def test_an_array_of_names_is_one_clear_error() -> None:
    with pytest.raises(BadValue, match=r"'left thigh' is array"):
        mk.bone_map(mk.human(), {"left thigh": np.array(["LeftUpLeg"])})


def test_keys_of_a_map_file_need_the_key_parts() -> None:
    with pytest.raises(BadValue, match=r"key 'legs'.*\{'parts': \{\}, 'legs': …\}"):
        mk.bone_map(mk.human(), {"legs": 4})
    assert mk.bone_map(mk.human(), {"parts": {}, "legs": 4}).four_legged


def test_a_map_file_with_a_part_twice_names_the_part(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text('{"parts": {"left toes": ["LeftToeBase"], "left toes": null}}')
    with pytest.raises(BadFile, match="the key 'left toes' occurs twice; keep one of them"):
        mk.bone_map(mk.human(), path)


def test_a_map_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(b'\xef\xbb\xbf{"parts": {"left toes": null}}')
    assert "left toes" not in mk.bone_map(mk.human(), path)
