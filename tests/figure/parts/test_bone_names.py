"""Parts of a person by the names that many programs give them."""

from __future__ import annotations

import re

import pytest
from rigs import FAMILIES, MIXAMO

from manikin.figure.parts.bone_names import Part, recognised

ARM = ("left clavicle", "left upper arm", "left forearm", "left hand")
LEG = ("left thigh", "left shank", "left foot", "left toes")


def chain(*names: str) -> list[str]:
    """The parts of segments that hang on each other in this order."""
    return [str(p) for p in recognised(names, range(-1, len(names) - 1))]


@pytest.mark.parametrize(
    "names",
    [
        ("mixamorig:LeftShoulder", "mixamorig:LeftArm", "mixamorig:LeftForeArm", "mixamorig:LeftHand"),
        ("mixamorigLeftShoulder", "mixamorigLeftArm", "mixamorigLeftForeArm", "mixamorigLeftHand"),
        ("LeftCollar", "LeftShoulder", "LeftElbow", "LeftWrist"),
        ("LeftCollar", "LeftUpArm", "LeftLowArm", "LeftHand"),
        ("LeftShoulder", "LeftUpperArm", "LeftForeArm", "LeftHand"),
        ("L_Collar", "L_Shoulder", "L_Elbow", "L_Wrist"),
        ("left_collar", "left_shoulder", "left_elbow", "left_wrist"),
        ("J_Bip_L_Shoulder", "J_Bip_L_UpperArm", "J_Bip_L_LowerArm", "J_Bip_L_Hand"),
        ("clavicle_l", "upperarm_l", "lowerarm_l", "hand_l"),
        ("DEF-shoulder.L", "DEF-upper_arm.L", "DEF-forearm.L", "DEF-hand.L"),
        ("Bip01 L Clavicle", "Bip01 L UpperArm", "Bip01 L Forearm", "Bip01 L Hand"),
        ("lCollar", "lShldr", "lForeArm", "lHand"),
        ("lclavicle", "lhumerus", "lradius", "lwrist"),
        ("Clavicle_L", "UpArm_L", "LoArm_L", "Hand_L"),
        ("Character1_LeftShoulder", "Character1_LeftArm", "Character1_LeftForeArm", "Character1_LeftHand"),
        ("Shoulder.L", "UpperArm.L", "LowerArm.L", "Hand.L"),
    ],
)
def test_arms(names: tuple[str, ...]) -> None:
    assert chain(*names) == list(ARM)
    other = [n.replace("Left", "Right").replace("left", "right") for n in names]
    other = [re.sub(r"(?<![A-Za-z])(L|l)(?![a-z])", lambda m: {"L": "R", "l": "r"}[m[0]], n) for n in other]
    if other == list(names):
        other = ["r" + n[1:] for n in names]
    assert chain(*other) == [p.replace("left", "right") for p in ARM]


@pytest.mark.parametrize(
    "names",
    [
        ("mixamorig:LeftUpLeg", "mixamorig:LeftLeg", "mixamorig:LeftFoot", "mixamorig:LeftToeBase"),
        ("LeftHip", "LeftKnee", "LeftAnkle", "LeftToe"),
        ("LeftThigh", "LeftShin", "LeftFoot", "LeftToe"),
        ("L_Hip", "L_Knee", "L_Ankle", "L_Foot"),
        ("left_hip", "left_knee", "left_ankle", "left_foot"),
        ("J_Bip_L_UpperLeg", "J_Bip_L_LowerLeg", "J_Bip_L_Foot", "J_Bip_L_ToeBase"),
        ("thigh_l", "calf_l", "foot_l", "ball_l"),
        ("DEF-thigh.L", "DEF-shin.L", "DEF-foot.L", "DEF-toe.L"),
        ("Bip01 L Thigh", "Bip01 L Calf", "Bip01 L Foot", "Bip01 L Toe0"),
        ("lThigh", "lShin", "lFoot", "lToe"),
        ("lfemur", "ltibia", "lfoot", "ltoes"),
        ("UpLeg_L", "LoLeg_L", "Foot_L", "Toe_L"),
        ("leg_joint_L_1", "leg_joint_L_2", "leg_joint_L_3", "leg_joint_L_5"),
    ],
)
def test_legs(names: tuple[str, ...]) -> None:
    assert chain(*names) == list(LEG)


@pytest.mark.parametrize(
    ("names", "parts"),
    [
        (("Hips", "LHipJoint", "LeftUpLeg", "LeftLeg"), ("pelvis", "left still", "left thigh", "left shank")),
        (("hip", "lButtock", "lThigh", "lShin"), ("pelvis", "left still", "left thigh", "left shank")),
        (("Hips", "LowerBack", "Spine", "Spine1", "Neck1", "Head"), ("pelvis", *["spine"] * 3, "neck", "head")),
        (("Pelvis", "L5", "L3", "T12", "T8", "Neck", "Head"), ("pelvis", *["spine"] * 4, "neck", "head")),
        (("hip", "abdomenLower", "abdomenUpper", "chestLower", "neckLower"), ("pelvis", *["spine"] * 3, "neck")),
        (("root", "lowerback", "upperback", "thorax", "lowerneck"), ("pelvis", *["spine"] * 3, "neck")),
        (tuple(f"spine.00{k}" for k in range(7)), ("pelvis", *["spine"] * 3, "neck", "neck", "head")),
        (("upperleg01.L", "upperleg02.L", "lowerleg01.L"), ("left thigh", "left thigh twist", "left shank")),
        (("upper_arm.L", "upper_arm.L.001", "forearm.L"), ("left upper arm", "left upper arm twist", "left forearm")),
        (("lForearmBend", "lForearmTwist", "lHand"), ("left forearm", "left forearm twist", "left hand")),
        (("upperarm_l", "upperarm_twist_01_l"), ("left upper arm", "left upper arm twist")),
        (("__UpLeg_L", "UpLeg_L"), ("left still", "left thigh")),
        (("LeftHand", "LeftInHandIndex", "LeftHandIndex1"), ("left hand", "left still", "left index 1")),
        (("L_Wrist", "L_Hand"), ("left hand", "left fingers")),
        (("LeftHand", "LeftFingerBase", "LeftHandIndex1"), ("left hand", "left fingers", "left index 1")),
        (
            ("LeftHand", "LeftFinger2Metacarpal", "LeftFinger2Proximal", "LeftFinger2Medial", "LeftFinger2Distal"),
            ("left hand", "left still", "left index 1", "left index 2", "left index 3"),
        ),  # Rokoko
        (
            ("LeftHand", "LeftFinger1Metacarpal", "LeftFinger1Proximal", "LeftFinger1Distal"),
            ("left hand", "left thumb 1", "left thumb 2", "left thumb 3"),
        ),
        (("m_avg_L_Collar", "m_avg_L_Shoulder", "m_avg_L_Elbow"), ARM[:3]),  # SMPL in FBX
        (("f_avg_L_Hip", "f_avg_L_Knee", "f_avg_L_Ankle", "f_avg_L_Foot"), LEG),
        (("finger1-1.L", "finger1-2.L", "finger1-3.L"), ("left thumb 1", "left thumb 2", "left thumb 3")),
        (("Bip01 L Finger0", "Bip01 L Finger01", "Bip01 L Finger02"), ("left thumb 1", "left thumb 2", "left thumb 3")),
        (("Bip01 R Finger4", "Bip01 R Finger41"), ("right pinky 1", "right pinky 2")),
        (("index_metacarpal_l", "index_01_l", "index_02_l"), ("left still", "left index 1", "left index 2")),
        (("J_Bip_R_Little1", "J_Bip_R_Little2"), ("right pinky 1", "right pinky 2")),
        (("lthumb",), ("left thumb 1",)),
        (("lMid1", "lMid2"), ("left middle 1", "left middle 2")),
        (("Eye_L",), ("left eye",)),
        (("LeftToe_End",), ("left still",)),
        (("arm_L_1", "arm_L_2", "arm_L_3"), ("left upper arm", "left forearm", "left hand")),
    ],
)  # fmt: skip
def test_words_that_mean_different_things_in_different_company(names: tuple[str, ...], parts: tuple[str, ...]) -> None:
    assert chain(*names) == list(parts)


@pytest.mark.parametrize(
    "name", ["Hat", "Jaw", "J_Sec_Hair1_01", "Tail01", "Foot_IK.L", "PoleTarget.L", "Spine_L", "Head.R", "", "123", "L"]
)
def test_what_is_no_part_of_a_person_is_none(name: str) -> None:
    assert chain(name) == ["None"]


@pytest.mark.parametrize("family", FAMILIES)
def test_families_agree_on_what_is_what(family: str) -> None:
    names = FAMILIES[family]
    ours = [n for n in MIXAMO if n in names]
    index = {n: i for i, n in enumerate(ours)}

    def parent(name: str) -> int:
        above = MIXAMO[name][1]
        while above is not None and above not in index:
            above = MIXAMO[above][1]
        return -1 if above is None else index[above]

    parents = [parent(n) for n in ours]
    assert recognised([names[n] for n in ours], parents) == recognised(ours, parents)


def test_the_map_of_a_humanoid_is_taken_and_names_do_not_count() -> None:
    humanoid = {
        "hips": "コシ",
        "leftUpperLeg": "a",
        "leftLowerLeg": "b",
        "leftThumbMetacarpal": "t1",
        "leftThumbProximal": "t2",
    }
    names = ["コシ", "a", "b", "LeftHand", "t1", "t2"]
    found = recognised(names, [-1, 0, 1, 0, 3, 4], humanoid)
    assert [str(p) for p in found] == ["pelvis", "left thigh", "left shank", "None", "left thumb 1", "left thumb 2"]
    assert found[1] == Part("thigh", "left")
