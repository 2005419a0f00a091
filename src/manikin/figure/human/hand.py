"""The left hand of the person: palm, thumb and four fingers with three joints each. y points to the fingertips, z out
of the palm."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from manikin import rotations
from manikin.arrays import Points
from manikin.figure.degrees import degrees, flexing, turned
from manikin.figure.human.anthropometry import CARPUS, INERTIA, RANGES, RAYS, STATURE
from manikin.figure.human.body import Body
from manikin.figure.joint import Euler, Hinge, Joint, Numbers, as_tuple
from manikin.figure.segment import Segment
from manikin.figure.shapes import Capsule

FINGERS = ("Thumb", "Index", "Middle", "Ring", "Pinky")
BASES = {
    "Index": (-10.0, 29.0, -9.0),
    "Middle": (0.0, CARPUS * RAYS["Middle"].metacarpal, 0.0),
    "Ring": (9.0, 33.0, 8.0),
    "Pinky": (17.0, 29.0, 15.0),
}
"""Start of each metacarpal, in millimetres toward the little finger and toward the tips, and its splay in degrees
(chosen, except the height of the middle one [Youm1978])."""
THUMB = (-16.0, 14.0, 8.0)
"""Base of the thumb in the hand, in millimetres (chosen)."""
THUMB_ALONG, THUMB_PAD = (-0.50, 0.78, 0.38), (0.75, 0.10, 0.65)
"""Direction of the thumb in the hand at rest, and the direction in which its pad faces (chosen)."""
BENDS = {"Thumb": (0.0, 10.0, 14.0), "Index": (14.0, 22.0, 12.0), "Middle": (16.0, 24.0, 14.0)}
"""Bend of the finger joints at rest, in degrees (chosen). Fingers not listed are like the middle finger."""
RADII = {"Thumb": (11.5, 10.5, 9.5), "Middle": (9.5, 8.5, 7.5), "Pinky": (8.4, 7.5, 6.6)}
"""Radii of the segments in millimetres (chosen). Fingers not listed are like the middle finger."""
SHARES = {"Thumb": 0.077, "Middle": 0.055, "Pinky": 0.038}
"""Fraction of the hand's mass in each finger (chosen). Its three segments share it as 0.5, 0.3, 0.2."""


def hand_segments(body: Body, wrist: Numbers) -> list[Segment]:
    """The left hand on LeftForeArmTwist, with the wrist at `wrist` there. Masses are in per cent."""
    fingers = [s for finger in FINGERS for s in _finger(body, finger)]
    r, mm = RANGES, millimetre(body)
    motion = Euler(
        "XZ",
        (degrees(-r["wrist extension"], r["wrist flexion"]), degrees(-r["wrist ulnar"], r["wrist radial"])),
    )
    mass, center = _palm(body, fingers)
    heel = Capsule((-10 * mm, 12 * mm, 0.0), (12 * mm, 12 * mm, 0.0), 14 * mm)
    shapes = [heel, *(_metacarpal(body, finger) for finger in FINGERS[1:])]
    return [Segment("LeftHand", "LeftForeArmTwist", motion, mass, center, shapes=shapes, offset=wrist), *fingers]


def millimetre(body: Body) -> float:
    """One millimetre of the tables in metres of this body. The length of the hand is from the wrist to the tip of the
    middle finger."""
    ray = RAYS["Middle"]
    total = (CARPUS + 1.0) * ray.metacarpal + sum(ray.phalanges) + ray.pad
    return STATURE["hand"] * body.height / total


def _palm(body: Body, fingers: Sequence[Segment]) -> tuple[float, Numbers]:
    """Mass (per cent) and centre of mass of the palm: the hand of [deLeva1996] minus the fingers.

    The fingers are in their rest pose. The table gives only the position along the hand. In the other two directions,
    the centre of the whole hand is on the line of the forearm.
    """
    moment, mass = np.zeros(3), 0.0
    placed = {"LeftHand": (np.array(rotations.IDENTITY), np.zeros(3))}
    for s in fingers:
        turn, at = placed[str(s.parent)]
        at = at + rotations.rotate(turn, np.array(s.joint.offset))
        turn = rotations.multiply(turn, np.array(s.joint.rotation))
        placed[s.name] = (turn, at)
        moment += s.mass * (at + rotations.rotate(turn, np.array(s.center)))
        mass += s.mass
    whole = INERTIA["hand"]
    knuckle = millimetre(body) * (CARPUS + 1.0) * RAYS["Middle"].metacarpal
    center: Points = (whole.mass * np.array([0.0, whole.center * knuckle, 0.0]) - moment) / (whole.mass - mass)
    return whole.mass - mass, as_tuple(center)


def _finger(body: Body, finger: str) -> list[Segment]:
    """Three segments, and a fixed tip at the end of the soft tissue."""
    mm, ray = millimetre(body), RAYS[finger]
    lengths = [*((ray.metacarpal,) if finger == "Thumb" else ()), *ray.phalanges]
    lengths[-1] += ray.pad
    mass = INERTIA["hand"].mass * SHARES.get(finger, SHARES["Middle"])
    offset, rotation = _base(body, finger)
    out: list[Segment] = []
    for k, (length, share) in enumerate(zip(lengths, (0.5, 0.3, 0.2), strict=True)):
        radius = RADII.get(finger, RADII["Middle"])[k] * mm
        reach = length * mm - (radius if k == 2 else 0.0)
        out.append(
            Segment(
                f"LeftHand{finger}{k + 1}",
                "LeftHand" if k == 0 else f"LeftHand{finger}{k}",
                Joint("", (_motion(finger, k),), offset, rotation),
                mass * share,
                (0.0, 0.45 * length * mm, 0.0),
                shapes=Capsule((0.0, 0.0, 0.0), (0.0, reach, 0.0), radius),
            )
        )
        offset, rotation = (0.0, length * mm, 0.0), turned("x", _bends(finger)[min(k + 1, 2)])
    out.append(Segment(f"LeftHand{finger}4", out[-1].name, offset=offset))
    return out


def _motion(finger: str, k: int) -> Euler | Hinge:
    """Joint k (0, 1, 2) of a finger. Numbers are measured from its bend at rest; flexion is positive."""
    r, bent = RANGES, _bends(finger)[k]
    if finger == "Thumb" and k == 0:
        # About x across the palm (+), about z toward or away from the fingers. At rest it is in the middle of both
        # ranges.
        half, spread = 0.5 * r["thumb base flexion"], 0.5 * r["thumb base spread"]
        return Euler("XZ", (degrees(-half, half), degrees(-spread, spread)))
    if k == 0:
        bending = degrees(-r["knuckle extension"] - bent, r["knuckle flexion"] - bent)
        return Euler("XZ", (bending, degrees(-r["knuckle spread"], r["knuckle spread"])))
    part = "middle" if k == 1 else "last"
    if finger == "Thumb":
        low = 0.0 if k == 1 else -r["thumb last extension"]
        return flexing((1.0, 0.0, 0.0), r[f"thumb {part} flexion"], low, bent)
    return flexing((1.0, 0.0, 0.0), r[f"{part} finger joint"], bent=bent)


def _bends(finger: str) -> tuple[float, ...]:
    return BENDS.get(finger, BENDS["Middle"])


def _base(body: Body, finger: str) -> tuple[Numbers, Numbers]:
    """Position of the first joint of a finger in the hand, and the rotation of its axes at rest."""
    mm = millimetre(body)
    if finger == "Thumb":
        y = np.array(THUMB_ALONG) / np.linalg.norm(THUMB_ALONG)
        z = np.array(THUMB_PAD) - y * (y @ THUMB_PAD)
        z /= np.linalg.norm(z)
        axes = np.stack([np.cross(y, z), y, z], axis=1)
        return as_tuple(mm * np.array(THUMB)), as_tuple(rotations.from_matrix(axes))
    x, height, splay = BASES[finger]
    angle, along = np.deg2rad(splay), RAYS[finger].metacarpal
    at = (mm * (x + along * np.sin(angle)), mm * (height + along * np.cos(angle)), 0.0)
    turn = rotations.multiply(np.array(turned("z", -splay)), np.array(turned("x", _bends(finger)[0])))
    return as_tuple(at), as_tuple(turn)


def _metacarpal(body: Body, finger: str) -> Capsule:
    """A capsule along a metacarpal, thick enough that the palm has no gaps."""
    mm, (x, y, _) = millimetre(body), BASES[finger]
    return Capsule((mm * x, mm * y, 0.0), _base(body, finger)[0], 11.5 * mm)
