"""The built-in person as a rig of another make: other names, other axes, another rest pose, other joints.

A rig has some of the person's segments. Its rest pose is a pose of the person; the axes of its segments are those of
the world there, or turned at random. A pose of the person becomes the one of the rig in which every segment is turned
as the person's is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from bodies import both, turn

import manikin as mk
from manikin import rotations
from manikin.figure.human.arm import AWAY, BENT
from manikin.kinematics import swing_twist

HUMAN = mk.human()
STANDS = {
    "hanging": HUMAN.rest,
    "A": HUMAN.pose(both({"Arm": turn("z", 45.0 - AWAY), "ForeArm": -np.deg2rad(BENT)})),
    "T": HUMAN.pose(both({"Arm": turn("z", 90.0 - AWAY), "ForeArm": -np.deg2rad(BENT)})),
}
"""Rest poses that rigs have."""
SIDES = ("Left", "Right")
MIXAMO = {
    "Hips": ("Hips", None),
    "Spine": ("Spine", "Hips"),
    "Spine1": ("Spine2", "Spine"),
    "Spine2": ("Spine4", "Spine1"),
    "Neck": ("Neck", "Spine2"),
    "Head": ("Head", "Neck"),
    "HeadTop_End": ("HeadTop_End", "Head"),
}
for _s in SIDES:
    MIXAMO |= {
        f"{_s}Shoulder": (f"{_s}Shoulder", "Spine2"),
        f"{_s}Arm": (f"{_s}Arm", f"{_s}Shoulder"),
        f"{_s}ForeArm": (f"{_s}ForeArm", f"{_s}Arm"),
        f"{_s}Hand": (f"{_s}Hand", f"{_s}ForeArm"),
        f"{_s}UpLeg": (f"{_s}UpLeg", "Hips"),
        f"{_s}Leg": (f"{_s}Leg", f"{_s}UpLeg"),
        f"{_s}Foot": (f"{_s}Foot", f"{_s}Leg"),
        f"{_s}ToeBase": (f"{_s}ToeBase", f"{_s}Foot"),
    }
    for _f in ("Thumb", "Index", "Middle", "Ring", "Pinky"):
        for _k in (1, 2, 3, 4):
            _parent = f"{_s}Hand{_f}{_k - 1}" if _k > 1 else f"{_s}Hand"
            MIXAMO[f"{_s}Hand{_f}{_k}"] = (f"{_s}Hand{_f}{_k}", _parent)
"""Names of a rig: which segment of the person each is, and its parent in the rig."""
ARMS, LEGS = ("Shoulder", "Arm", "ForeArm", "Hand"), ("UpLeg", "Leg", "Foot", "ToeBase")
TRUNK = ("Hips", "Spine", "Spine1", "Spine2", "Neck", "Head")


def _family(trunk: str, arms: str, legs: str, side: str) -> dict[str, str]:
    """Names by those of MIXAMO, from words in the order of TRUNK, ARMS and LEGS (- leaves one out).

    `side` says how a name of one side is made, with {side}, {s}, {S} and {name}.
    """
    names = dict(zip(TRUNK, trunk.split(), strict=True))
    for s in SIDES:
        for ours, theirs in zip((*ARMS, *LEGS), (*arms.split(), *legs.split()), strict=True):
            names[f"{s}{ours}"] = "-" if theirs == "-" else side.format(side=s, s=s[0].lower(), S=s[0], name=theirs)
    return {ours: theirs for ours, theirs in names.items() if theirs != "-"}


FAMILIES: dict[str, Mapping[str, str]] = {
    "Mixamo": {n: f"mixamorig:{n}" for n in MIXAMO},
    "Biovision": _family("Hips - - Chest Neck Head", "Collar Shoulder Elbow Wrist", "Hip Knee Ankle -", "{side}{name}"),
    "SMPL": _family(
        "Pelvis Spine1 Spine2 Spine3 Neck Head", "Collar Shoulder Elbow Wrist", "Hip Knee Ankle Foot", "{S}_{name}"
    ),
    "VRoid": _family(
        "J_Bip_C_Hips J_Bip_C_Spine J_Bip_C_Chest J_Bip_C_UpperChest J_Bip_C_Neck J_Bip_C_Head",
        "Shoulder UpperArm LowerArm Hand",
        "UpperLeg LowerLeg Foot ToeBase",
        "J_Bip_{S}_{name}",
    ),
    "Unreal": _family(
        "pelvis spine_01 spine_02 spine_03 neck_01 head",
        "clavicle upperarm lowerarm hand",
        "thigh calf foot ball",
        "{name}_{s}",
    ),
}
"""New names by those of MIXAMO; segments without one are left out."""


class Rig:
    """A figure made from the person, and the way from the person's poses to its own."""

    def __init__(
        self,
        stand: str = "T",
        family: str | Mapping[str, str] = "Mixamo",
        order: str = "",
        rng: np.random.Generator | None = None,
        rest: bool = True,
    ) -> None:
        """
        Args:
            stand: its rest pose, by the names of STANDS.
            family: names of segments.
            order: of Euler joints; balls where empty.
            rng: for axes at random; as the world's where none.
            rest: whether the rest pose is in the joints' fixed rotations; else in their numbers (as Rokoko has it).
        """
        names = FAMILIES[family] if isinstance(family, str) else family
        self.order = order
        self.rows: list[tuple[str, int, int]] = []  # name, segment of the person, row of the parent
        world = HUMAN.placements(STANDS[stand])
        axes: list[np.ndarray] = []
        segments: list[mk.Segment] = []
        places: dict[str, int] = {}
        for ours, (person, _) in MIXAMO.items():
            if ours not in names:
                continue
            above = MIXAMO[ours][1]
            while above is not None and above not in names:
                above = MIXAMO[above][1]
            at, parent = HUMAN.segment_index(person), -1 if above is None else places[above]
            own = np.array([1.0, 0, 0, 0]) if rng is None else rotations.normalized(rng.normal(size=4))
            base = np.array([1.0, 0, 0, 0]) if parent < 0 else axes[parent]
            origin = np.zeros(3) if parent < 0 else world[self.rows[parent][1], :3, 3]
            fixed = rotations.multiply(rotations.inverse(base), own)
            motion = mk.Euler(order) if order else mk.Ball()
            joint = mk.Joint(
                names[ours],
                (mk.Free(),) if parent < 0 else () if ours.endswith(("_End", "4")) else (motion,),
                offset=rotations.rotate(rotations.inverse(base), world[at, :3, 3] - origin),
                rotation=fixed if rest or parent < 0 else (1, 0, 0, 0),
            )
            segments.append(mk.Segment(names[ours], None if parent < 0 else segments[parent].name, joint))
            places[ours] = len(self.rows)
            self.rows.append((names[ours], at, parent))
            axes.append(own)
        self.figure = mk.Figure(f"{stand} rig", segments)
        self._axes, self._stand, self._rest = axes, world[:, :3, :3], rest
        self.name = {ours: names[ours] for ours in MIXAMO if ours in names}
        """The rig's names by those of MIXAMO."""

    def turns(self, poses: np.ndarray) -> list[np.ndarray]:
        """The turn L of each of the rig's joints (frames, 4) in poses of the person (frames, nq)."""
        turned = HUMAN.placements(poses)[..., :3, :3]
        world = [
            rotations.multiply(rotations.from_matrix(turned[:, at] @ self._stand[at].T), own)
            for (_, at, _), own in zip(self.rows, self._axes, strict=True)
        ]
        out = []
        for i, (_, _, parent) in enumerate(self.rows):
            fixed = np.array(self.figure.segments[i].joint.rotation)
            above = np.array([1.0, 0, 0, 0]) if parent < 0 else world[parent]
            out.append(rotations.multiply(rotations.inverse(rotations.multiply(above, fixed)), world[i]))
        return out

    def poses(self, poses: np.ndarray, figure: mk.Figure | None = None) -> np.ndarray:
        """Poses (frames, nq) of the rig, on its figure or one with limits, in which it is turned as the person is."""
        figure = figure or self.figure
        out = np.tile(figure.rest, (len(poses), 1))
        for segment, L in zip(figure.segments, self.turns(np.asarray(poses)), strict=True):
            at = figure.index_of(segment.joint.name)
            motion = segment.joint.motions[-1] if segment.joint.motions else None
            if isinstance(motion, mk.Free):
                out[:, at + 3 : at + 7] = L
            elif isinstance(motion, mk.Ball):
                out[:, at : at + 4] = L
            elif isinstance(motion, mk.Euler):
                out[:, at : at + 3] = rotations.to_euler(motion.order, L)
        return out


def excess(figure: mk.Figure, poses: np.ndarray, joints: Sequence[str] | None = None) -> dict[str, np.ndarray]:
    """How far each joint that turns is outside its limits in poses (frames, nq), (frames,) radians."""
    out = {}
    for s in figure.segments[1:]:
        if not s.joint.motions or (joints is not None and s.name not in joints):
            continue
        motion = s.joint.motions[-1]
        end = figure.index_of(s.joint.name) + s.joint.nq
        if isinstance(motion, mk.Ball):
            cone = motion.limits
            assert cone is not None, s.name
            relative = rotations.multiply(rotations.inverse(np.array(cone.reference)), poses[:, end - 4 : end])
            found = swing_twist.decompose(relative, cone.basis)
            out[s.name] = swing_twist.excess(found, np.array(cone.swing), np.array(cone.twist))
        else:
            pairs = motion.limits if isinstance(motion, mk.Euler) else (motion.limits,)
            low, high = np.array(pairs).T
            numbers = poses[:, end - len(low) : end]
            out[s.name] = np.maximum(np.maximum(low - numbers, numbers - high), 0.0).max(axis=1)
    return out
