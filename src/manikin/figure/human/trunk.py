"""The trunk of the person: hips, five spine joints, neck, head, eyes. Its axes are those of the world in the rest
pose."""

from __future__ import annotations

from manikin.figure.degrees import cone, degrees
from manikin.figure.human.anthropometry import HEAD_LENGTH, INERTIA, LEVELS, RANGES, STATURE, TRUNK_LENGTHS
from manikin.figure.human.body import Body
from manikin.figure.joint import Ball, Euler, Free, Joint
from manikin.figure.segment import Segment
from manikin.figure.shapes import Capsule, Sphere

JOINTS = {
    "Hips": (0.530, 0.000),
    "Spine": (0.586, -0.018),
    "Spine1": (0.626, -0.012),
    "Spine2": (0.687, -0.022),
    "Spine3": (0.745, -0.036),
    "Spine4": (0.797, -0.038),
    "Neck": (0.845, -0.024),
    "Neck1": (0.879, -0.012),
    "Head": (0.913, -0.006),
}
"""(height, distance forward) of each joint as fractions of the stature, in the rest pose. The hips are at the height of
the hip joints [DrillisContini1966]. The vertebrae above them (lumbosacral, L3-L4, T12-L1, T8-T9, T4-T5, C7-T1, C4-C5,
occiput) are chosen, on a curve like that of a standing spine."""

GROUPS = {
    "Spine": ("L5-S1", "L4-L5"),
    "Spine1": ("L3-L4", "L2-L3", "L1-L2"),
    "Spine2": ("T12-L1", "T11-T12", "T10-T11", "T9-T10"),
    "Spine3": ("T8-T9", "T7-T8", "T6-T7", "T5-T6"),
    "Spine4": ("T4-T5", "T3-T4", "T2-T3", "T1-T2"),
    "Neck": ("C7-T1", "C6-C7", "C5-C6"),
    "Neck1": ("C4-C5", "C3-C4", "C2-C3"),
    "Head": ("C1-C2", "C0-C1"),
}
"""The levels of the spine that each joint represents. Its range is the sum of their ranges."""

FLEXION = {"Spine": 0.75, "Spine1": 0.75, "Spine2": 0.65, "Spine3": 0.6, "Spine4": 0.6, "Neck": 0.5, "Neck1": 0.5}
"""Fraction of bending that is flexion; the rest is extension (chosen). The head has 0.45."""

MASSES = {
    "lower trunk": {"Hips": 0.80, "Spine": 0.20},
    "middle trunk": {"Spine": 0.10, "Spine1": 0.45, "Spine2": 0.45},
    "upper trunk": {"Spine3": 0.48, "Spine4": 0.34, "LeftShoulder": 0.09, "RightShoulder": 0.09},
    "head": {"Neck": 0.08, "Neck1": 0.08, "LeftEye": 0.0015, "RightEye": 0.0015, "Head": 0.837},
}
"""Fractions of the body parts of [deLeva1996] that belong to each segment (chosen)."""

CENTERS = {
    "Spine": (0.606, 0.004),
    "Spine2": (0.716, 0.006),
    "Spine3": (0.768, 0.004),
    "LeftShoulder": (0.822, -0.004),
    "RightShoulder": (0.822, -0.004),
    "Neck": (0.861, -0.012),
    "Neck1": (0.895, -0.004),
    "LeftEye": (0.936, 0.048),
    "RightEye": (0.936, 0.048),
}
"""(height, forward) of the centres of mass as fractions of the stature (chosen). One segment of each part of
[deLeva1996] is not listed; its height is computed from that of the part."""
FORWARD = {"Hips": 0.0, "Spine1": 0.006, "Spine4": -0.004, "Head": 0.012}
"""Forward distance of the centres of mass of the segments that are not listed, as fractions of the stature (chosen)."""

EYE = (0.018, 0.936, 0.048)
"""Centre of the left eye as fractions of the stature: the height is from [DrillisContini1966], the rest is chosen."""
SHOULDER = (0.012, 0.818, 0.022)
"""Inner end of the left clavicle as fractions of the stature (chosen)."""


def trunk_segments(body: Body) -> list[Segment]:
    """Hips to head. Masses are in per cent."""
    masses, centers = _masses()
    parents = dict(zip(list(JOINTS)[1:], JOINTS, strict=False))
    segments = []
    for name, (y, z) in JOINTS.items():
        joint: Joint
        if name == "Hips":
            joint = Joint(name, (Free(),), rest=(*body.point(0.0, y, z), 1.0, 0.0, 0.0, 0.0))
        else:
            py, pz = JOINTS[parents[name]]
            joint = Joint(name, (_vertebrae(name),), body.point(0.0, y - py, z - pz))
        cy, cz = centers[name]
        segments.append(
            Segment(
                name,
                parents.get(name),
                joint,
                masses[name],
                body.point(0.0, cy - y, cz - z),
                shapes=_shapes(body, name),
            )
        )
    y, z = JOINTS["Head"]
    segments.append(Segment("HeadTop_End", "Head", offset=body.point(0.0, 1.0 - y, 0.010 - z)))
    return segments


def eye_segment(body: Body) -> Segment:
    """The left eye: turns left (+) and right about y, then down (+) and up about x. It looks along z."""
    y, z = JOINTS["Head"]
    limits = (degrees(-RANGES["eye inward"], RANGES["eye outward"]), degrees(-RANGES["eye up"], RANGES["eye down"]))
    return Segment(
        "LeftEye",
        "Head",
        Euler("YX", limits),
        INERTIA["head"].mass * MASSES["head"]["LeftEye"],
        shapes=Sphere(radius=0.0069 * body.height),
        offset=body.point(EYE[0], EYE[1] - y, EYE[2] - z),
    )


def shoulder_mass() -> float:
    """Mass of one clavicle with its shoulder blade, per cent."""
    return INERTIA["upper trunk"].mass * MASSES["upper trunk"]["LeftShoulder"]


def _vertebrae(name: str) -> Ball:
    """The ranges of a group of vertebrae as a cone about the spine, centred between flexion (+x) and extension."""
    levels = [LEVELS[level] for level in GROUPS[name]]
    bending, side, turning = (sum(getattr(v, key) for v in levels) for key in ("bending", "side", "turning"))
    flexion = bending * FLEXION.get(name, 0.45)
    return cone(
        (0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (flexion - bending, flexion), (-side, side), twist=(-turning, turning)
    )


def _masses() -> tuple[dict[str, float], dict[str, tuple[float, float]]]:
    """Mass (per cent) and centre of mass (height, forward, over the stature) of each segment of the trunk."""
    masses: dict[str, float] = {}
    centers = dict(CENTERS)
    for part, shares in MASSES.items():
        for name, share in shares.items():
            masses[name] = masses.get(name, 0.0) + share * INERTIA[part].mass
        # The segment without a height is placed so that the part keeps its centre of mass.
        open_name = next(name for name in shares if name not in centers)
        known = sum(share * centers[name][0] for name, share in shares.items() if name != open_name)
        centers[open_name] = ((_part_center(part) - known) / shares[open_name], FORWARD[open_name])
    return masses, centers


def _part_center(part: str) -> float:
    """Height of the centre of mass of a part of [deLeva1996], over the stature."""
    hip, shoulder = STATURE["hip"], STATURE["shoulder"]
    lower, middle, _ = TRUNK_LENGTHS
    navel = hip + (shoulder - hip) * lower / sum(TRUNK_LENGTHS)
    breastbone = navel + (shoulder - hip) * middle / sum(TRUNK_LENGTHS)
    ends = {
        "lower trunk": (navel, hip),
        "middle trunk": (breastbone, navel),
        "upper trunk": (shoulder, breastbone),
        "head": (1.0, 1.0 - HEAD_LENGTH),
    }
    top, bottom = ends[part]
    return top + INERTIA[part].center * (bottom - top)


def _shapes(body: Body, name: str) -> list[Capsule]:
    """Capsules across the trunk, vertical ones for the neck, skull and jaw for the head. Radii are chosen."""
    y, z = JOINTS[name]

    def across(half: float, height: float, forward: float, radius: float) -> Capsule:
        """A capsule of total half breadth `half`, so that capsules of different radii line up at the sides."""
        w = max(half - radius, 0.0)
        at = (height - y, forward - z)
        girth = body.girth
        start, end = body.point(-w * girth, *at), body.point(w * girth, *at)
        return Capsule(start, end, radius * body.height * girth)

    if name == "Hips":
        return [across(0.0955, 0.545, 0.000, 0.060), across(0.088, 0.580, 0.000, 0.056)]
    if name == "Head":
        return _head(body, y, z)
    trunk = {
        "Spine": [across(0.080, 0.612, 0.002, 0.054)],
        "Spine1": [across(0.076, 0.642, 0.004, 0.053), across(0.079, 0.672, 0.004, 0.056)],
        "Spine2": [across(0.083, 0.703, 0.004, 0.060), across(0.086, 0.728, 0.004, 0.058)],
        "Spine3": [across(0.086, 0.760, 0.004, 0.063)],
        "Spine4": [across(0.082, 0.790, 0.000, 0.056), across(0.062, 0.812, -0.006, 0.044)],
    }
    if name in trunk:
        return trunk[name]
    rise = 0.034 if name == "Neck" else 0.030
    forward = 0.012 if name == "Neck" else 0.008
    return [body.capsule((0.0, 0.006, 0.002), (0.0, rise, forward), 0.0325, soft=False)]


def _head(body: Body, y: float, z: float) -> list[Capsule]:
    """A skull whose top is at the stature, and a jaw whose tip is at the height of the chin."""
    skull, jaw = 0.044, 0.030
    chin = STATURE["chin"] + jaw
    return [
        body.capsule((0.0, 1.0 - skull - y, -0.010 - z), (0.0, 1.0 - skull - y, 0.014 - z), skull, soft=False),
        body.capsule((0.0, chin - y, 0.026 - z), (0.0, 0.942 - y, 0.022 - z), jaw, soft=False),
    ]
