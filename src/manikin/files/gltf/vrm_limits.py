"""The limits of VRM 0.x. They are those of Unity's humanoids (HumanLimit); the VRM specification does not define them
further.

Unity rotates a bone by a twist and a swing, given as three angles in degrees: x about the bone, and y and z across it
as a rotation vector. A ball has the same form (`figure.SwingTwist`). min and max limit each angle. The angles are not
relative to the T-pose of the file but to a half-bent pose (knees and elbows bent by 80°); `T_POSE` has the angles of
the T-pose. center, if given, shifts the range.

The signs follow the names of Unity's muscles, which list the negative direction first: Down-Up, Front-Back, Left-Right,
In-Out. For Stretch, negative is bent and positive is straight. The axes in the T-pose of a file are:

    x   the bone
    z   the chief bend: about the line from left to right for upright bones and feet, about that from back to front for
        arms, hands, shoulders and fingers, about the vertical for the forearm
    y   the axis perpendicular to both

Limits that are a box in (y, z) become the ellipse inside it. The angles were compared with those of Unity's avatars.
Unity derives its axes from the whole figure, so a bone that is far from the T-pose may differ by a few degrees.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from manikin import rotations
from manikin.arrays import Vector
from manikin.figure import SwingTwist
from manikin.files.gltf.document import Document, short

LEAST_SWING = np.radians(0.5)
"""Least half angle of a ball's cone, in radians. A bone that may not swing about an axis gets this angle."""
T_POSE = {
    "UpperLeg": (0.0, 0.0, 30.0),
    "LowerLeg": (0.0, 0.0, 80.0),
    "UpperArm": (0.0, 30.0, 40.0),
    "LowerArm": (0.0, 0.0, 80.0),
    "IndexProximal": (0.0, 0.0, 35.0),
    "MiddleProximal": (0.0, 0.0, 35.0),
    "RingProximal": (0.0, 0.0, 35.0),
    "LittleProximal": (0.0, 0.0, 35.0),
    "Intermediate": (0.0, 0.0, 35.0),
    "Distal": (0.0, 0.0, 35.0),
}
"""Angles x, y, z of the T-pose in degrees, by the end of the bone's name; 0 for all other bones, including thumbs."""
ARMS = ("Shoulder", "UpperArm", "LowerArm", "Hand", "Proximal", "Intermediate", "Distal")
"""Ends of the names of bones that point sideways in the T-pose."""
RIGHT, UP, BACK = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0])
"""Directions of a VRM 0.x figure in the world. It faces −z."""


@dataclass(frozen=True)
class Muscle:
    """The limits of one bone in degrees, in Unity's convention."""

    lower: tuple[float, float, float]
    upper: tuple[float, float, float]


def read_muscle(document: Document, bone: dict[str, Any], label: str) -> Muscle | None:
    """The limits of a bone; None if it uses the defaults or has none."""
    if bone.get("useDefaultValues", True) is not False:
        return None
    low, high, middle = (_vector(document, bone, key, label) for key in ("min", "max", "center"))
    if not any(low) and not any(high):
        return None
    for axis, a, b in zip("xyz", low, high, strict=True):
        if a > b:
            document.fail(f"{label}: its limits are in the wrong order, min.{axis} {a:g} is above max.{axis} {b:g}")
    lower, upper = (tuple(a + c for a, c in zip(side, middle, strict=True)) for side in (low, high))
    return Muscle((lower[0], lower[1], lower[2]), (upper[0], upper[1], upper[2]))


def _vector(document: Document, bone: dict[str, Any], key: str, label: str) -> tuple[float, ...]:
    """Three angles in degrees from {x, y, z}; missing ones are 0."""
    thing = document.object(bone, key, label)
    values = []
    for axis in "xyz":
        x = thing.get(axis, 0.0)
        if isinstance(x, bool) or not isinstance(x, (int, float)) or not abs(x) <= 360.0:
            document.fail(f"{label}: {key}.{axis} needs degrees within ±360, got {short(x)}")
        values.append(float(x))
    return tuple(values)


def cone(muscle: Muscle, bone: str, tip: Vector, to_local: Vector) -> SwingTwist:
    """The limits of a ball.

    Args:
        muscle: the limits in the file.
        bone: the name of the bone, such as leftUpperArm.
        tip: (3,) vector from the joint to the tip of the bone, in the world at rest; zero if unknown.
        to_local: (4,) rotation from the world to the segment's space, at rest.
    """
    axes = muscle_axes(bone, tip)
    at = np.radians(_t_pose(bone))
    low, high = np.radians(muscle.lower) - at, np.radians(muscle.upper) - at
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    local = np.array([rotations.rotate(to_local, a) for a in axes])
    reference = rotations.from_rotation_vector(middle[1] * local[1] + middle[2] * local[2])
    swing = np.clip(half[1:], LEAST_SWING, np.pi)
    twist = (max(float(low[0]), -np.pi), min(float(high[0]), np.pi))
    return SwingTwist(
        axis=tuple(local[0]),
        swing=(float(swing[0]), float(swing[1])),
        twist=twist if twist[0] <= twist[1] else (0.0, 0.0),
        first=tuple(local[1]),
        reference=tuple(reference),
    )


def muscle_axes(bone: str, tip: Vector) -> Vector:
    """(3, 3) the axes x, y, z of a bone as rows, in the world, perpendicular to each other.

    The sign of each axis is chosen so that a positive angle gives the second word of Unity's muscle name: twist right
    or out; tilt right, swing out or (an arm) back, spread; bend back, up, or straight. Fingers spread away from the
    line between the middle and the ring finger. A small rotation about n moves the tip p of a bone in the
    direction n × p.
    """
    left = bone.startswith("left")
    out = -1.0 if left else 1.0
    if bone.endswith(ARMS):
        along, x = _direction(tip, out * RIGHT), out
        y = out * (UP if any(finger in bone for finger in ("Index", "Middle")) else -UP)
        z = -out * UP if bone.endswith("LowerArm") else out * BACK
    elif bone.endswith(("Foot", "Toes", "Eye")) or bone == "jaw":
        along, x, y = _direction(tip, -BACK), out, -out * UP
        z = -RIGHT if bone.endswith(("Foot", "Toes")) else RIGHT
    elif bone.endswith("Leg"):
        along, x, y = _direction(tip, -UP), out, out * BACK
        z = RIGHT if bone.endswith("LowerLeg") else -RIGHT
    else:
        along, x, y, z = _direction(tip, UP), -1.0, -BACK, RIGHT
    z = rotations.perpendicular(along) if abs(z @ along) > 0.9 else z - along * (z @ along)
    z = z / np.linalg.norm(z)
    across = np.cross(z, along)
    return np.array([x * along, across if across @ y >= 0.0 else -across, z])


def _direction(tip: Vector, otherwise: Vector) -> Vector:
    length = float(np.linalg.norm(tip))
    return tip / length if length > 1e-9 else otherwise


def _t_pose(bone: str) -> tuple[float, float, float]:
    if "Thumb" in bone:
        return (0.0, 0.0, 0.0)
    return next((angles for end, angles in T_POSE.items() if bone.endswith(end)), (0.0, 0.0, 0.0))
