"""A walking person with forward kinematics of its own; walker_files.py writes it as files by hand.

Nothing here uses the package, so that what it reads and does can be compared with what is true. The person faces +z
with y up, in metres. Its feet do not move while they stand.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

Array = NDArray[np.float64]
THIGH, SHANK, ANKLE, HIP = 0.42, 0.41, 0.08, 0.85
"""Lengths of the leg; the height of the ankle above the sole, and that of the hips while walking."""
STRIDE, CYCLE, STANCE = 0.9, 1.1, 0.6
"""Metres and seconds of two steps, and the part of them for which a foot stands."""


def _limbs() -> dict[str, tuple[str | None, tuple[float, float, float]]]:
    made: dict[str, tuple[str | None, tuple[float, float, float]]] = {
        "Hips": (None, (0.0, 0.0, 0.0)),
        "Spine": ("Hips", (0.0, 0.1, 0.0)),
        "Spine1": ("Spine", (0.0, 0.2, 0.0)),
        "Neck": ("Spine1", (0.0, 0.22, 0.0)),
        "Head": ("Neck", (0.0, 0.09, 0.0)),
    }
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        made |= {
            f"{side}UpLeg": ("Hips", (sign * 0.09, 0.0, 0.0)),
            f"{side}Leg": (f"{side}UpLeg", (0.0, -THIGH, 0.0)),
            f"{side}Foot": (f"{side}Leg", (0.0, -SHANK, 0.0)),
            f"{side}ToeBase": (f"{side}Foot", (0.0, -0.06, 0.13)),
            f"{side}Shoulder": ("Spine1", (sign * 0.04, 0.17, 0.0)),
            f"{side}Arm": (f"{side}Shoulder", (sign * 0.13, 0.0, 0.0)),
            f"{side}ForeArm": (f"{side}Arm", (sign * 0.28, 0.0, 0.0)),
            f"{side}Hand": (f"{side}ForeArm", (sign * 0.25, 0.0, 0.0)),
        }
    return made


BONES = _limbs()
"""For each joint: the joint that carries it, and where on that one it is, in metres. At rest the arms are level."""
NAMES = list(BONES)
TIPS = {
    "Head": (0.0, 0.2, 0.0),
    **{f"{side}ToeBase": (0.0, -0.02, 0.06) for side in ("Left", "Right")},
    **{f"{side}Hand": (sign * 0.18, 0.0, 0.0) for side, sign in (("Left", 1.0), ("Right", -1.0))},
}
"""Where the last joints end."""


@dataclass(frozen=True)
class Walk:
    """The person in every frame."""

    rate: float
    turns: Array
    """(frames, joints, 3, 3) the rotation of each joint, relative to the one that carries it."""
    root: Array
    """(frames, 3) where the hips are."""
    stands: dict[str, NDArray[np.bool_]] = field(default_factory=dict)
    """For each foot: the frames in which it stands."""

    def __len__(self) -> int:
        return len(self.root)

    @property
    def times(self) -> Array:
        return np.asarray(np.arange(len(self)) / self.rate)

    @property
    def turned(self) -> Array:
        """(frames, joints, 3, 3) the rotation of each joint in the world."""
        out = np.empty_like(self.turns)
        for k, (parent, _) in enumerate(BONES.values()):
            out[:, k] = self.turns[:, k] if parent is None else out[:, NAMES.index(parent)] @ self.turns[:, k]
        return out

    def at(self, name: str, point: Any = (0.0, 0.0, 0.0)) -> Array:
        """(frames, 3) a point of a joint in the world."""
        parent, offset = BONES[name]
        k = NAMES.index(name)
        here = self.root if parent is None else self.at(parent, offset)
        return np.asarray(here + self.turned[:, k] @ np.asarray(point, dtype=float))

    @property
    def positions(self) -> Array:
        """(frames, joints, 3) where the joints are."""
        return np.stack([self.at(name) for name in NAMES], axis=1)

    def cut(self, first: int, last: int) -> Walk:
        part = slice(first, last)
        return Walk(self.rate, self.turns[part], self.root[part], {k: v[part] for k, v in self.stands.items()})


def about(axis: str, angles: Any) -> Array:
    return np.asarray(Rotation.from_euler(axis, np.reshape(angles, (-1, 1))).as_matrix())


@cache
def walk(count: int = 92, rate: float = 60.0, heading: float = 0.0) -> Walk:
    """The person walks along +z, or along another direction: `heading` radians about y."""
    times = np.arange(count) / rate
    phase = times / CYCLE
    turns = np.tile(np.eye(3), (count, len(NAMES), 1, 1))
    root = np.stack([np.zeros(count), np.full(count, HIP), STRIDE * phase], axis=1)
    stands = {}

    def turn(name: str, rotation: Array) -> None:
        turns[:, NAMES.index(name)] = rotation

    for side, sign, shift in (("Left", 1.0, 0.0), ("Right", -1.0, 0.5)):
        step = np.floor(phase + shift)
        inside = phase + shift - step
        stands[side] = inside < STANCE
        swing = np.clip((inside - STANCE) / (1.0 - STANCE), 0.0, 1.0)
        going = swing - np.sin(2.0 * np.pi * swing) / (2.0 * np.pi)
        ankle_z = STRIDE * (step - shift + 0.5 * STANCE + going)
        ankle_y = ANKLE + 0.08 * np.sin(np.pi * swing) ** 2
        pitch = 0.3 * np.sin(np.pi * swing) ** 2
        down, ahead = root[:, 1] - ankle_y, ankle_z - root[:, 2]
        reach = (down**2 + ahead**2 - THIGH**2 - SHANK**2) / (2.0 * THIGH * SHANK)
        knee = np.arccos(np.clip(reach, -1.0, 1.0))
        hip = np.arctan2(-ahead, down) - np.arctan2(SHANK * np.sin(knee), THIGH + SHANK * np.cos(knee))
        turn(f"{side}UpLeg", about("x", hip))
        turn(f"{side}Leg", about("x", knee))
        turn(f"{side}Foot", about("x", pitch - hip - knee))
        forth = 0.35 * np.cos(2.0 * np.pi * (phase + shift))
        turn(f"{side}Arm", about("x", forth) @ about("z", -sign * 1.3))
        turn(f"{side}ForeArm", about("y", -sign * (0.4 - 0.2 * forth)))
    sway = 0.08 * np.sin(2.0 * np.pi * phase)
    turn("Spine", about("y", sway))
    turn("Neck", about("y", -sway) @ about("x", 0.1))
    ahead = about("y", heading)[0]
    turns[:, 0] = ahead @ turns[:, 0]
    return Walk(rate, turns, root @ ahead.T, stands)


# Markers and keypoints

PLACES: dict[str, tuple[str, tuple[float, float, float]]] = {
    "C7": ("Spine1", (0.0, 0.2, -0.06)),
    "CLAV": ("Spine1", (0.0, 0.15, 0.09)),
    "STRN": ("Spine1", (0.0, 0.02, 0.12)),
    "T10": ("Spine1", (0.0, 0.0, -0.1)),
}
"""Markers: the joint that carries each, and where on it."""
for _side, _letter, _sign in (("Left", "L", 1.0), ("Right", "R", -1.0)):
    PLACES |= {
        f"{_letter}ASI": ("Hips", (_sign * 0.12, 0.085, 0.055)),
        f"{_letter}PSI": ("Hips", (_sign * 0.05, 0.1, -0.1)),
        f"{_letter}THI": (f"{_side}UpLeg", (_sign * 0.09, -0.22, 0.02)),
        f"{_letter}KNE": (f"{_side}Leg", (_sign * 0.055, 0.0, 0.0)),
        f"{_letter}KNM": (f"{_side}Leg", (-_sign * 0.055, 0.0, 0.0)),
        f"{_letter}TIB": (f"{_side}Leg", (_sign * 0.06, -0.2, 0.02)),
        f"{_letter}ANK": (f"{_side}Foot", (_sign * 0.04, 0.0, 0.0)),
        f"{_letter}ANM": (f"{_side}Foot", (-_sign * 0.04, 0.0, 0.0)),
        f"{_letter}HEE": (f"{_side}Foot", (0.0, -0.04, -0.07)),
        f"{_letter}TOE": (f"{_side}Foot", (0.0, -0.03, 0.15)),
        f"{_letter}MT5": (f"{_side}Foot", (_sign * 0.05, -0.05, 0.11)),
        f"{_letter}FHD": ("Head", (_sign * 0.07, 0.12, 0.09)),
        f"{_letter}BHD": ("Head", (_sign * 0.07, 0.12, -0.08)),
        f"{_letter}SHO": (f"{_side}Shoulder", (_sign * 0.12, 0.05, 0.0)),
        f"{_letter}UPA": (f"{_side}Arm", (_sign * 0.14, 0.05, 0.0)),
        f"{_letter}ELB": (f"{_side}ForeArm", (0.0, 0.045, 0.0)),
        f"{_letter}FRM": (f"{_side}ForeArm", (_sign * 0.13, 0.04, 0.0)),
        f"{_letter}WRA": (f"{_side}Hand", (0.0, 0.035, 0.0)),
        f"{_letter}WRB": (f"{_side}Hand", (0.0, -0.035, 0.0)),
        f"{_letter}FIN": (f"{_side}Hand", (_sign * 0.09, 0.0, -0.02)),
    }


def markers(walk: Walk) -> Array:
    """(frames, markers, 3) in metres, in the order of PLACES."""
    return np.stack([walk.at(joint, place) for joint, place in PLACES.values()], axis=1)


COCO = (
    *("nose", "left_eye", "right_eye", "left_ear", "right_ear"),
    *("left_shoulder", "right_shoulder", "left_elbow", "right_elbow", "left_wrist", "right_wrist"),
    *("left_hip", "right_hip", "left_knee", "right_knee", "left_ankle", "right_ankle"),
)
"""The 17 keypoints of COCO, in their order."""


def keypoints(walk: Walk) -> Array:
    """(frames, 17, 3) in metres."""
    joints = {"shoulder": "Arm", "elbow": "ForeArm", "wrist": "Hand", "hip": "UpLeg", "knee": "Leg", "ankle": "Foot"}
    face = {
        "nose": (0.0, 0.07, 0.12),
        "left_eye": (0.035, 0.1, 0.1),
        "right_eye": (-0.035, 0.1, 0.1),
        "left_ear": (0.075, 0.08, 0.0),
        "right_ear": (-0.075, 0.08, 0.0),
    }
    out = []
    for name in COCO:
        if name in face:
            out.append(walk.at("Head", face[name]))
        else:
            side, part = name.split("_")
            out.append(walk.at(side.capitalize() + joints[part]))
    return np.stack(out, axis=1)
