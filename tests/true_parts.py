"""The true parts of 26 figures, written down by hand from their trees and joint positions, before any mapper saw them.

A part is a list of consecutive segments, parents first. The joint of the first segment is where the part begins, the
last segment carries its orientation. `spine` and `neck` have one list for each stage, from the pelvis upward.
Three readings could have been different:

- The joint of `pelvis:abdomen_x` in MuJoCo's humanoid belongs to the pelvis, because that file is rooted at the torso.
- `Body` is the pelvis of RobotExpressive: the thighs hang on it. `Hips` turns the trunk only, so it is the first stage
  of the spine.
- A wrist begins the hand, even where the model has a separate hand below it (dm_control's `lwrist`).
"""

from __future__ import annotations

from typing import Any

SIDES = ({"side": "left", "Side": "Left", "s": "l", "S": "L"}, {"side": "right", "Side": "Right", "s": "r", "S": "R"})


def true_parts(spine: str, limbs: dict[str, str], neck: str = "", head: str = "", pelvis: str = "Hips") -> Any:
    """The lists of every part. Stages are separated by spaces, the segments of a part by commas.

    Names of limbs are written once for both sides, with {Side}, {side}, {S} and {s}.
    """
    out = {"pelvis": pelvis.split(",")}
    for part, stages in (("spine", spine), ("neck", neck)):
        out |= {f"{part} {k}": stage.split(",") for k, stage in enumerate(stages.split(), 1)}
    out |= {"head": head.split(",")} if head else {}
    for side in SIDES:
        out |= {f"{side['side']} {part}": names.format(**side).split(",") for part, names in limbs.items()}
    return out


PARTS = ("clavicle", "upper arm", "forearm", "hand", "thigh", "shank", "foot", "toes")


def limbs(names: str) -> dict[str, str]:
    """Names of the limbs in the order of PARTS; a minus sign where the figure lacks the part."""
    return {part: name for part, name in zip(PARTS, names.split(), strict=True) if name != "-"}


def stack(body: str, *joints: str) -> str:
    """The segments of a body of an MJCF file that has several joints."""
    return ",".join([*(f"{body}:{joint}" for joint in joints), body])


CMU = true_parts(
    "LowerBack Spine Spine1",
    limbs(
        "{Side}Shoulder {Side}Arm {Side}ForeArm {Side}Hand {Side}UpLeg {Side}Leg {Side}Foot {Side}ToeBase",
    ),
    neck="Neck Neck1",
    head="Head",
)
CESIUM = true_parts(
    "Skeleton_torso_joint_2 torso_joint_3",
    limbs("- A B C leg_joint_{S}_1 leg_joint_{S}_2 leg_joint_{S}_3 leg_joint_{S}_5"),
    neck="Skeleton_neck_joint_1",
    head="Skeleton_neck_joint_2",
    pelvis="Skeleton_torso_joint_1",
) | {
    "left upper arm": ["Skeleton_arm_joint_L__4_"],
    "left forearm": ["Skeleton_arm_joint_L__3_"],
    "left hand": ["Skeleton_arm_joint_L__2_"],
    "right upper arm": ["Skeleton_arm_joint_R"],
    "right forearm": ["Skeleton_arm_joint_R__2_"],
    "right hand": ["Skeleton_arm_joint_R__3_"],
}
FOX = true_parts(
    "b_Spine01_02 b_Spine02_03",
    limbs("- A B C D E F G"),
    neck="b_Neck_04",
    head="b_Head_05",
    pelvis="b_Hip_01",
) | {
    "left upper arm": ["b_LeftUpperArm_09"],
    "left forearm": ["b_LeftForeArm_010"],
    "left hand": ["b_LeftHand_011"],
    "left thigh": ["b_LeftLeg01_015"],
    "left shank": ["b_LeftLeg02_016"],
    "left foot": ["b_LeftFoot01_017"],
    "left toes": ["b_LeftFoot02_018"],
    "right upper arm": ["b_RightUpperArm_06"],
    "right forearm": ["b_RightForeArm_07"],
    "right hand": ["b_RightHand_08"],
    "right thigh": ["b_RightLeg01_019"],
    "right shank": ["b_RightLeg02_020"],
    "right foot": ["b_RightFoot01_021"],
    "right toes": ["b_RightFoot02_022"],
}

TRUE: dict[str, dict[str, list[str]]] = {
    "bvh/cmu_02_01_walk.bvh": CMU,
    "bvh/cmu_02_05_punch.bvh": CMU,
    "bvh/cmu_05_02_dance_pirouette.bvh": CMU,
    "bvh/cmu_05_11_pirouette.bvh": CMU,
    "bvh/cmu_09_01_run.bvh": CMU,
    "bvh/cmu_49_06_cartwheel.bvh": CMU,
    "bvh/threejs_pirouette.bvh": true_parts(
        "abdomen chest",
        limbs("{s}Collar {s}Shldr {s}ForeArm {s}Hand {s}Thigh {s}Shin {s}Foot -"),
        neck="neck",
        head="head",
        pelvis="hip",
    ),
    "bvh/animated_drawings_rokoko_jesse_dance.bvh": true_parts(
        "Spine Spine1 Spine2",
        limbs("{Side}Shoulder {Side}Arm {Side}ForeArm {Side}Hand {Side}UpLeg {Side}Leg {Side}Foot {Side}ToeBase"),
        neck="Neck",
        head="Head",
    ),
    "bvh/makehuman_walk1.bvh": true_parts(
        "Spine1 Spine2 Spine3",
        limbs("Clavicle_{S} UpArm_{S} LoArm_{S} Hand_{S} UpLeg_{S} LoLeg_{S} Foot_{S} Toe_{S}"),
        neck="Neck",
        head="Head",
    ),
    "bvh/optitrack_arena_louise.bvh": true_parts(
        "Chest",
        limbs("{Side}Collar {Side}Shoulder {Side}Elbow {Side}Wrist {Side}Hip {Side}Knee {Side}Ankle -"),
        neck="Neck",
        head="Head",
    ),
    "bvh/pymo_AV_8Walk_Meredith.bvh": true_parts(
        "Spine",
        limbs("{Side}Shoulder {Side}Arm {Side}ForeArm {Side}Hand {Side}UpLeg {Side}Leg {Side}Foot {Side}ToeBase"),
        head="Head",
    ),
    "bvh/bvhio_example.bvh": true_parts(
        "Chest",
        limbs("{Side}Collar {Side}UpArm {Side}LowArm {Side}Hand {Side}UpLeg {Side}LowLeg {Side}Foot -"),
        neck="Neck",
        head="Head",
    ),
    "bvh/animated_drawings_dab.bvh": true_parts(
        "Spine Spine1 Spine2 Spine3",
        limbs("{Side}Shoulder {Side}Arm {Side}ForeArm {Side}Hand {Side}UpLeg {Side}Leg {Side}Foot {Side}ToeBase"),
        neck="Neck",
        head="Head",
    ),
    "gltf/CesiumMan.glb": CESIUM,
    "usd/CesiumMan.usdz": CESIUM,
    "gltf/RobotExpressive.glb": true_parts(
        "Hips Abdomen Torso",
        limbs("Shoulder.{S} UpperArm.{S} LowerArm.{S} Palm2.{S} UpperLeg.{S} LowerLeg.{S} Foot.{S} -"),
        neck="Neck",
        head="Head",
        pelvis="Body",
    ),
    "gltf/minimal_vrm0.vrm": true_parts(
        "spine chest",
        limbs("- upper_arm.{S} lower_arm.{S} hand.{S} upper_leg.{S} lower_leg.{S} foot.{S} -"),
        neck="neck",
        head="head",
        pelvis="hips",
    ),
    "gltf/sphere_vrm0.vrm": true_parts(
        "Spine Chest UpperChest",
        limbs("Shoulder.{S} UpperArm.{S} LowerArm.{S} Hand.{S} UpperLeg.{S} LowerLeg.{S} Foot.{S} Toes.{S}"),
        neck="Neck",
        head="Head",
    ),
    "human": true_parts(
        "Spine Spine1 Spine2 Spine3 Spine4",
        limbs(
            "{Side}Shoulder {Side}Arm {Side}ForeArm,{Side}ForeArmTwist {Side}Hand "
            "{Side}UpLeg {Side}Leg {Side}Foot {Side}ToeBase"
        ),
        neck="Neck Neck1",
        head="Head",
    ),
    "bvh/makehuman_tpose.bvh": true_parts(
        "spine05 spine04 spine03 spine02 spine01",
        limbs(
            "clavicle.{S},shoulder01.{S} upperarm01.{S},upperarm02.{S} lowerarm01.{S},lowerarm02.{S} wrist.{S} "
            "upperleg01.{S},upperleg02.{S} lowerleg01.{S},lowerleg02.{S} foot.{S} toe1-1.{S}"
        ),
        neck="neck01 neck02 neck03",
        head="head",
        pelvis="root",
    ),
    "mjcf/unitree_g1.xml": true_parts(
        "waist_yaw_link,waist_roll_link,torso_link",
        limbs(
            "- {side}_shoulder_pitch_link,{side}_shoulder_roll_link,{side}_shoulder_yaw_link {side}_elbow_link "
            "{side}_wrist_roll_link,{side}_wrist_pitch_link,{side}_wrist_yaw_link "
            "{side}_hip_pitch_link,{side}_hip_roll_link,{side}_hip_yaw_link {side}_knee_link "
            "{side}_ankle_pitch_link,{side}_ankle_roll_link -"
        ),
        pelvis="pelvis",
    ),
    "urdf/simple_humanoid.urdf": true_parts(
        "WAIST_LINK1,WAIST_LINK2,torso",
        limbs(
            "- {S}ARM_LINK1,{S}ARM_LINK2,{S}ARM_LINK3 {S}ARM_LINK4 {S}ARM_LINK5,{S}ARM_LINK6,{s}_wrist "
            "{S}LEG_LINK1,{S}LEG_LINK2,{S}LEG_LINK3 {S}LEG_LINK4 {S}LEG_LINK5,{s}_ankle -"
        ),
        pelvis="BODY",
    ),
    "mjcf/humanoid.xml": true_parts(
        f"{stack('waist_lower', 'abdomen_z', 'abdomen_y')} torso",
        limbs(
            f"- {stack('upper_arm_{side}', 'shoulder1_{side}')} lower_arm_{{side}} hand_{{side}} "
            f"{stack('thigh_{side}', 'hip_x_{side}', 'hip_z_{side}')} {stack('shin_{side}', 'knee_{side}')} "
            f"{stack('foot_{side}', 'ankle_y_{side}', 'ankle_x_{side}')} -"
        ),
        head="head",
        pelvis=stack("pelvis", "abdomen_x"),
    ),
    "mjcf/humanoid_CMU_V2020.xml": true_parts(
        " ".join(stack(b, f"{b}rz", f"{b}ry") for b in ("lowerback", "upperback", "thorax")),
        limbs(
            f"{stack('{s}clavicle', '{s}claviclerz')} {stack('{s}humerus', '{s}humerusrz', '{s}humerusry')} "
            f"{{s}}radius {{s}}wrist,{stack('{s}hand', '{s}handrz')} "
            f"{stack('{s}femur', '{s}femurrz', '{s}femurry')} {{s}}tibia {stack('{s}foot', '{s}footrz')} {{s}}toes"
        ),
        neck=" ".join(stack(b, f"{b}rz", f"{b}ry") for b in ("lowerneck", "upperneck")),
        head=stack("head", "headrz", "headry"),
        pelvis="root",
    ),
    "gltf/Fox.glb": FOX,
    "quadruped": true_parts(
        "Spine Spine1 Spine2 Spine3",
        limbs(
            "{Side}Scapula {Side}Humerus {Side}Radius {Side}ForePaw {Side}Femur {Side}Tibia {Side}HindPaw "
            "{Side}HindToes"
        ),
        neck="Neck Neck1",
        head="Head",
    ),
}
"""By the path below the data folder, or the name of a built-in figure."""
FOUR_LEGGED = ("gltf/Fox.glb", "quadruped")
