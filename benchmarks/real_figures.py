"""Figures from files and built-in figures, with the segments for goals."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import manikin as mk
from benchmarks import arms


@dataclass(frozen=True)
class Source:
    """The source of a figure."""

    title: str
    load: Callable[[], mk.Figure]
    tips: tuple[str, ...]
    """Effectors: hands, feet, fingertips, a tool."""
    looks: str
    """The segment that aims."""
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)
    """The axis that aims, in the segment's own space."""


def file(name: str, **options: str) -> Callable[[], mk.Figure]:
    """A file of MANIKIN_DATA, or a URDF file that is also in example-robot-data."""

    def load() -> mk.Figure:
        folder = os.environ.get("MANIKIN_DATA", "")
        path = Path(folder, name)
        if not (folder and path.is_file()):
            if not name.startswith("urdf/"):
                raise FileNotFoundError(f"{name} is not in MANIKIN_DATA ({folder or 'not set'})")
            path = arms.data(name.removeprefix("urdf/"))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # oddities of a file do not matter here
            return mk.load_figure(path, **options)

    return load


X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
_HUMAN = ("LeftHand", "RightHand", "LeftFoot", "RightFoot")
SOURCES = (
    Source("Panda", file("urdf/panda.urdf"), ("panda_hand",), "panda_hand"),
    Source("UR5", file("urdf/ur5_robot.urdf"), ("tool0",), "tool0"),
    Source("Baxter", file("urdf/baxter.urdf"), ("left_gripper", "right_gripper"), "left_gripper"),
    Source(
        "Solo12", file("urdf/solo12.urdf", root="free"), ("FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"), "base_link", X
    ),
    Source(
        "simple humanoid",
        file("urdf/simple_humanoid.urdf", root="free"),
        ("l_wrist", "r_wrist", "l_ankle", "r_ankle"),
        "base_link",
        X,
    ),
    Source(
        "Talos",
        file("urdf/talos_reduced.urdf", root="free"),
        ("arm_left_7_link", "arm_right_7_link", "leg_left_6_link", "leg_right_6_link"),
        "head_2_link",
        X,
    ),
    Source(
        "Unitree G1",
        file("mjcf/unitree_g1.xml"),
        ("left_wrist_yaw_link", "right_wrist_yaw_link", "left_foot", "right_foot"),
        "imu_in_torso",
        X,
    ),
    Source(
        "MuJoCo humanoid",
        file("mjcf/humanoid.xml"),
        ("hand_left", "hand_right", "foot_left", "foot_right"),
        "head",
        X,
    ),
    Source("Cassie (closed loops)", file("mjcf/agility_cassie.xml"), ("left-foot", "right-foot"), "imu", X),
    Source(
        "Allegro hand",
        file("mjcf/wonik_allegro_right_hand.xml"),
        ("ff_tip", "mf_tip", "rf_tip", "th_tip"),
        "th_tip",
    ),
    Source("CMU walker (BVH)", file("bvh/cmu_02_01_walk.bvh"), _HUMAN, "Head"),
    Source(
        "CesiumMan (glTF)",
        file("gltf/CesiumMan.glb"),
        ("Skeleton_arm_joint_L__2_", "Skeleton_arm_joint_R__3_", "leg_joint_L_5", "leg_joint_R_5"),
        "Skeleton_neck_joint_2",
    ),
    Source("mk.human()", mk.human, _HUMAN, "Head"),
    Source(
        "mk.quadruped()",
        mk.quadruped,
        ("LeftForePaw", "RightForePaw", "LeftHindPaw", "RightHindPaw"),
        "Head",
    ),
)
