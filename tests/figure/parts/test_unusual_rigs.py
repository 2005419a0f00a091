"""`mk.bone_map` on small made-up figures: limbs that hang elsewhere, feet called toes, claws on one side."""

from __future__ import annotations

import pytest

import manikin as mk
from manikin.errors import BadValue

Rows = list[tuple[str, str | None, tuple[float, float, float]]]
LEG = [("Thigh", (0.1, 0.0, 0.0)), ("Calf", (0.0, -0.4, 0.0)), ("Foot", (0.0, -0.4, 0.0)), ("Toe0", (0.0, -0.05, 0.1))]
ARM = [("UpperArm", (0.15, 0.0, 0.0)), ("Forearm", (0.3, 0.0, 0.0)), ("Hand", (0.25, 0.0, 0.0))]


def both_sides(limb: list[tuple[str, tuple[float, float, float]]], on: str, pattern: str = "{0} {1}") -> Rows:
    """A limb and its mirror image, at a segment. The pattern makes names of a letter and a word."""
    rows: Rows = []
    for letter, sign in (("L", 1.0), ("R", -1.0)):
        parent = on
        for word, (x, y, z) in limb:
            rows.append((pattern.format(letter, word), parent, (sign * x, y, z)))
            parent = rows[-1][0]
    return rows


def figure(rows: Rows, motion: mk.Ball | mk.Hinge | None = None) -> mk.Figure:
    segments = [
        mk.Segment(
            name, parent, mk.Joint(name, (mk.Free(),) if parent is None else (motion or mk.Ball(),), offset=offset)
        )
        for name, parent, offset in rows
    ]
    return mk.Figure("made up", segments, up="y")


def biped(*, thighs_on: str, arms_on: str, pelvis: str = "Pelvis") -> mk.Figure:
    trunk: Rows = [
        *((pelvis, None, (0.0, 0.9, 0.0)), ("Spine", pelvis, (0.0, 0.1, 0.0)), ("Spine1", "Spine", (0.0, 0.2, 0.0))),
        *(("Neck", "Spine1", (0.0, 0.2, 0.0)), ("Head", "Neck", (0.0, 0.1, 0.0))),
    ]
    return figure([*trunk, *both_sides(LEG, thighs_on), *both_sides(ARM, arms_on)])


@pytest.mark.parametrize("thighs_on", ["Pelvis", "Spine"])
@pytest.mark.parametrize("arms_on", ["Spine1", "Neck"])
def test_names_tell_pelvis_and_neck_wherever_the_limbs_hang(thighs_on: str, arms_on: str) -> None:
    bones = mk.bone_map(biped(thighs_on=thighs_on, arms_on=arms_on))
    assert bones.how == "names"
    trunk = {part: bones[part] for part in bones if part.split()[0] in ("pelvis", "spine", "neck", "head")}
    assert trunk == {
        "pelvis": ("Pelvis",),
        "spine 1": ("Spine",),
        "spine 2": ("Spine1",),
        "neck 1": ("Neck",),
        "head": ("Head",),
    }


@pytest.mark.parametrize("name", ["Root", "Pivot"])
def test_a_root_and_an_unknown_segment_are_no_pelvis(name: str) -> None:
    assert mk.bone_map(biped(thighs_on="Spine", arms_on="Spine1", pelvis=name))["pelvis"] == ("Spine",)


def robot(last: list[str]) -> mk.Figure:
    """A robot whose legs end with segments of these names."""
    leg = [("hip", (0.1, 0.0, 0.0)), ("knee", (0.0, -0.4, 0.0)), ("shin", (0.0, -0.1, 0.0))]
    leg += [(last[0], (0.0, -0.3, 0.0)), *((name, (0.0, 0.0, 0.0)) for name in last[1:])]
    arm = [("shoulder", (0.15, 0.5, 0.0)), ("elbow", (0.3, 0.0, 0.0))]
    rows: Rows = [("torso", None, (0.0, 0.9, 0.0))]
    rows += both_sides(leg, "torso", "{0}_{1}") + both_sides(arm, "torso", "{0}_{1}")
    return figure(rows, mk.Hinge((1.0, 0.0, 0.0)))


def test_the_toes_of_a_robot_without_feet_and_ankles_are_its_feet() -> None:
    bones = mk.bone_map(robot(["toe_pitch", "toe_roll"]))
    assert bones["left foot"] == ("L_toe_pitch", "L_toe_roll")
    assert bones["right shank"] == ("R_knee", "R_shin")
    assert "left toes" not in bones


def test_the_toes_of_a_robot_with_ankles_stay_toes() -> None:
    leg = [("hip", (0.1, 0.0, 0.0)), ("knee", (0.0, -0.4, 0.0)), ("ankle", (0.0, -0.4, 0.0)), ("toe", (0.0, 0.0, 0.1))]
    rows: Rows = [("torso", None, (0.0, 0.9, 0.0)), *both_sides(leg, "torso", "{0}_{1}")]
    rows += both_sides([("shoulder", (0.15, 0.5, 0.0)), ("elbow", (0.3, 0.0, 0.0))], "torso", "{0}_{1}")
    bones = mk.bone_map(figure(rows, mk.Hinge((1.0, 0.0, 0.0))))
    assert (bones["left foot"], bones["left toes"]) == (("L_ankle",), ("L_toe",))


def test_short_words_of_robots_are_read() -> None:
    leg = [("hip_yaw", (0.1, 0.0, 0.0)), ("knee", (0.0, -0.4, 0.0)), ("ank_pitch", (0.0, -0.4, 0.0))]
    arm = [("sho_pitch", (0.1, 0.5, 0.0)), ("sho_roll", (0.05, 0.0, 0.0)), ("el", (0.3, 0.0, 0.0))]
    rows: Rows = [("body", None, (0.0, 0.9, 0.0)), ("head_pan", "body", (0.0, 0.6, 0.0))]
    rows += [("head_tilt", "head_pan", (0.0, 0.1, 0.0))]
    rows += both_sides([*leg, ("ank_roll", (0.0, 0.0, 0.0))], "body", "{0}_{1}") + both_sides(arm, "body", "{0}_{1}")
    bones = mk.bone_map(figure(rows, mk.Hinge((1.0, 0.0, 0.0))))
    assert bones.how == "names"
    assert (bones["left upper arm"], bones["left forearm"]) == (("L_sho_pitch", "L_sho_roll"), ("L_el",))
    assert (bones["right foot"], bones["head"]) == (("R_ank_pitch", "R_ank_roll"), ("head_pan", "head_tilt"))


def test_fingers_of_a_foot_are_toes() -> None:
    rig = biped(thighs_on="Pelvis", arms_on="Spine1")
    toes = {"L Toe0": "L FootThumb1", "R Toe0": "R FootThumb1"}
    renamed = [
        s.replaced(name=toes[s.name], joint=s.joint.renamed(toes[s.name])) if s.name in toes else s
        for s in rig.segments
    ]
    assert mk.bone_map(rig.replaced(segments=renamed))["left toes"] == ("L FootThumb1",)


def numbered(claws: tuple[int, int], right_arm: float = 0.2) -> mk.Figure:
    """A person without names and hands: forearms end in some claws on the left and on the right."""
    rows: Rows = [("n0", None, (0.0, 0.9, 0.0)), ("n1", "n0", (0.0, 0.3, 0.0)), ("n2", "n1", (0.0, 0.2, 0.0))]
    for row in both_sides(LEG, "n0", "{0}{1}"):
        rows.append(row)
    for side, sign, count, upper in (("A", 1.0, claws[0], 0.2), ("B", -1.0, claws[1], right_arm)):
        rows += [(f"{side}1", "n1", (sign * 0.3, 0.1, 0.0)), (f"{side}2", f"{side}1", (sign * upper, 0.0, 0.0))]
        rows += [(f"{side}{k + 3}", f"{side}2", (sign * 0.4, 0.02 * k, 0.0)) for k in range(count)]
    new = {name: f"n{k}" for k, (name, _, _) in enumerate(rows)}
    return figure([(new[name], parent and new[parent], offset) for name, parent, offset in rows])


@pytest.mark.parametrize("claws", [(3, 3), (3, 0), (0, 3)])
def test_claws_on_one_side_do_not_hide_a_pair_of_arms_and_are_no_hands(claws: tuple[int, int]) -> None:
    bones = mk.bone_map(numbered(claws))
    arms = [f"n{11 + k}" for k in range(2)], [f"n{13 + claws[0] + k}" for k in range(2)]
    assert bones.how == "structure"
    for side, names in zip(("left", "right"), arms, strict=True):
        assert [bones.main(f"{side} {part}") for part in ("upper arm", "forearm")] == names
        assert f"{side} hand" not in bones
    assert bones.main("left foot") == "n5"


def test_arms_that_begin_differently_are_no_pair() -> None:
    with pytest.raises(BadValue, match="neither by name"):
        mk.bone_map(numbered((3, 0), right_arm=0.3))
