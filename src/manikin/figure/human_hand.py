"""The left hand of the person: palm, thumb and four fingers of three joints. y to the fingertips, z out of the palm."""

from __future__ import annotations

import numpy as np

from manikin import rotations
from manikin.figure.anthropometry import CARPUS, INERTIA, RANGES, RAYS, STATURE
from manikin.figure.human_body import Body, degrees, flexing, turned
from manikin.figure.joint import Euler, Joint, Numbers, as_tuple
from manikin.figure.segment import Segment
from manikin.figure.shapes import Capsule

FINGERS = ("Thumb", "Index", "Middle", "Ring", "Pinky")
BASES = {
    "Index": (-10.0, 29.0, -9.0),
    "Middle": (0.0, 34.9, 0.0),
    "Ring": (9.0, 33.0, 8.0),
    "Pinky": (17.0, 29.0, 15.0),
}
"""Chosen: where each metacarpal starts, millimetres toward the little finger and the tips, and its splay in degrees."""
THUMB = (-16.0, 14.0, 8.0)
"""Chosen: the base of the thumb in the hand, millimetres."""
THUMB_ALONG, THUMB_PAD = (-0.50, 0.78, 0.38), (0.75, 0.10, 0.65)
"""Chosen: where the thumb points in the hand at rest, and where its pad looks."""
BENDS = (16.0, 24.0, 14.0)
"""Chosen: degrees by which the joints of a finger are bent at rest."""
THUMB_BENDS = (0.0, 10.0, 14.0)
RADII = {"Thumb": (11.5, 10.5, 9.5), "Index": (9.5, 8.5, 7.5), "Middle": (9.5, 8.5, 7.5)}
"""Chosen: radii of the segments in millimetres; ring as middle, little finger 0.88 of it."""
FINGER_SHARE = 0.055
"""Chosen: the part of the hand's mass that one finger has; its segments share it as 0.5, 0.3, 0.2."""


def hand_segments(body: Body) -> list[Segment]:
    """The palm's fingers, to hang on LeftHand (which `human_arm` makes, and `palm` completes)."""
    out: list[Segment] = []
    for finger in FINGERS:
        out.extend(_finger(body, finger))
    return out


def millimetre(body: Body) -> float:
    """One millimetre of the tables in metres of this body: wrist to tip of the middle finger is the hand's length."""
    ray = RAYS["Middle"]
    total = CARPUS * ray.metacarpal + ray.metacarpal + sum(ray.phalanges) + ray.pad
    return STATURE["hand"] * body.height / total


def palm(body: Body, hand: Segment, fingers: list[Segment]) -> Segment:
    """LeftHand with its mass, centre and shapes: its centre of mass is where it makes that of hand and fingers right.

    The fingers are taken as they are at rest. [deLeva1996] gives the place along the hand only; across it and out of
    the palm the centre is left on the axis of the forearm, less what the fingers have there.
    """
    total = INERTIA["hand"].mass
    mm = millimetre(body)
    knuckle = mm * (CARPUS + 1.0) * RAYS["Middle"].metacarpal
    moment, mass = np.zeros(3), 0.0
    placed: dict[str, tuple[rotations.Quaternions, rotations.Points]] = {
        hand.name: (np.array(rotations.IDENTITY), np.zeros(3))
    }
    for s in fingers:
        turn, at = placed[str(s.parent)]
        at = at + rotations.rotate(turn, np.array(s.joint.offset))
        turn = rotations.multiply(turn, np.array(s.joint.rotation))
        placed[s.name] = (turn, at)
        moment += s.mass * (at + rotations.rotate(turn, np.array(s.center)))
        mass += s.mass
    wanted = np.array([0.0, INERTIA["hand"].center * knuckle, 0.0])
    center = (total * wanted - moment) / (total - mass)
    shapes = [_metacarpal(body, finger) for finger in ("Index", "Middle", "Ring", "Pinky")]
    heel = Capsule((-10 * mm, 12 * mm, 0.0), (12 * mm, 12 * mm, 0.0), 14 * mm)
    return hand.replaced(mass=total - mass, center=as_tuple(center), shapes=(heel, *shapes))


def _finger(body: Body, finger: str) -> list[Segment]:
    """Three segments and a fixed tip at the end of the flesh."""
    mm, ray = millimetre(body), RAYS[finger]
    lengths = [*((ray.metacarpal,) if finger == "Thumb" else ()), *ray.phalanges]
    lengths[-1] += ray.pad
    radii = [r * mm * (0.88 if finger == "Pinky" else 1.0) for r in RADII.get(finger, RADII["Middle"])]
    mass = INERTIA["hand"].mass * FINGER_SHARE * (1.4 if finger == "Thumb" else 0.7 if finger == "Pinky" else 1.0)
    offset, rotation = _base(body, finger)
    out: list[Segment] = []
    for k, (length, radius, share) in enumerate(zip(lengths, radii, (0.5, 0.3, 0.2), strict=True)):
        name, parent = f"LeftHand{finger}{k + 1}", "LeftHand" if k == 0 else f"LeftHand{finger}{k}"
        reach = max(length * mm - (radius if k == 2 else 0.0), 0.0)
        out.append(
            Segment(
                name,
                parent,
                _joint(finger, k, offset, rotation),
                mass * share,
                (0.0, 0.45 * length * mm, 0.0),
                shapes=Capsule((0.0, 0.0, 0.0), (0.0, reach, 0.0), radius),
            )
        )
        offset, rotation = (
            (0.0, length * mm, 0.0),
            turned("x", (THUMB_BENDS if finger == "Thumb" else BENDS)[min(k + 1, 2)]),
        )
    out.append(Segment(f"LeftHand{finger}4", out[-1].name, offset=offset))
    return out


def _joint(finger: str, k: int, offset: Numbers, rotation: Numbers) -> Joint:
    """Joint k (0, 1, 2) of a finger; numbers are measured from its bend at rest, flexion positive."""
    r, bends = RANGES, THUMB_BENDS if finger == "Thumb" else BENDS
    motion: Euler | object
    if finger == "Thumb" and k == 0:
        # About x across the palm (+), about z away from the fingers; at rest in the middle of both ranges.
        half, spread = 0.5 * r["thumb base flexion"], 0.5 * r["thumb base spread"]
        motion = Euler("XZ", (degrees(-half, half), degrees(-spread, spread)))
    elif k == 0:
        limits = degrees(-r["knuckle extension"] - bends[0], r["knuckle flexion"] - bends[0])
        motion = Euler("XZ", (limits, degrees(-r["knuckle spread"], r["knuckle spread"])))
    elif finger == "Thumb":
        high, low = (
            (r["thumb middle flexion"], 0.0) if k == 1 else (r["thumb last flexion"], -r["thumb last extension"])
        )
        motion = flexing((1.0, 0.0, 0.0), high, low, bends[k])
    else:
        high = r["middle finger joint"] if k == 1 else r["last finger joint"]
        motion = flexing((1.0, 0.0, 0.0), high, bent=bends[k])
    return Joint("", (motion,), offset, rotation)  # type: ignore[arg-type]


def _base(body: Body, finger: str) -> tuple[Numbers, Numbers]:
    """Where the first joint of a finger is in the hand, and how its axes stand at rest."""
    mm = millimetre(body)
    if finger == "Thumb":
        y = np.array(THUMB_ALONG) / np.linalg.norm(THUMB_ALONG)
        z = np.array(THUMB_PAD) - y * (y @ THUMB_PAD)
        z /= np.linalg.norm(z)
        axes = np.stack([np.cross(y, z), y, z], axis=1)
        return as_tuple(mm * np.array(THUMB)), as_tuple(rotations.from_matrix(axes))
    x, y0, splay = BASES[finger]
    along = RAYS[finger].metacarpal
    turn = rotations.multiply(np.array(turned("z", -splay)), np.array(turned("x", BENDS[0])))
    angle = np.deg2rad(splay)
    at = (mm * (x + along * np.sin(angle)), mm * (y0 + along * np.cos(angle)), 0.0)
    return as_tuple(at), as_tuple(turn)


def _metacarpal(body: Body, finger: str) -> Capsule:
    """A capsule along a metacarpal, thick enough to close the palm."""
    mm, (x, y, _) = millimetre(body), BASES[finger]
    end, _ = _base(body, finger)
    return Capsule((mm * x, mm * y, 0.0), end, 11.5 * mm)
