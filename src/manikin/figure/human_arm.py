"""The left arm of the person, clavicle to wrist.

From the shoulder on, y points along the segment to its far end. In the upper arm and forearm z points forward and x to
the right in the rest pose, so a positive turn about x raises the limb forward. In the hand and the fingers z points out
of the palm, so a positive turn about x closes the hand.
"""

from __future__ import annotations

from manikin.figure.anthropometry import INERTIA, RANGES, STATURE
from manikin.figure.degrees import cone, degrees, flexing, turned
from manikin.figure.human_body import Body
from manikin.figure.human_hand import hand_segments
from manikin.figure.human_trunk import CENTERS, JOINTS, SHOULDER, shoulder_mass
from manikin.figure.joint import Ball, Hinge
from manikin.figure.segment import Segment

AWAY = 17.0
"""Degrees between the arm and the vertical in the rest pose (chosen)."""
BENT = 14.0
"""Degrees of elbow flexion in the rest pose (chosen)."""
RADIUS = 0.0285
"""Of the shoulder, over the stature (chosen). The joint lies this far inside the breadth of the shoulders."""
JOINT = (0.5 * STATURE["shoulder breadth"] - RADIUS, STATURE["shoulder"], -0.010)
"""The left shoulder joint over the stature: sideways and up by [DrillisContini1966], forward chosen."""
ELEVATION, PLANE = (-40.0, RANGES["shoulder flexion"]), (-90.0, 90.0)
"""The cone of the shoulder, degrees from the hanging arm. [AAOS] gives 45 behind and 135 across in the horizontal
plane: its middle is the vertical plane 45 degrees forward of sideways, with 90 to each side. In that plane the arm goes
from 40 behind (chosen: less than the 60 of extension, more than the body lets it adduct) to the vertical."""


def arm_segments(body: Body) -> list[Segment]:
    """The left clavicle, arm and hand; masses in per cent."""
    upper, fore = STATURE["upper arm"], STATURE["forearm"]
    y, z = JOINTS["Spine4"]
    ends = tuple(b - a for a, b in zip(SHOULDER, JOINT, strict=True))
    blade = (0.060, CENTERS["LeftShoulder"][0] - SHOULDER[1], CENTERS["LeftShoulder"][1] - SHOULDER[2])
    clavicle = Segment(
        "LeftShoulder",
        "Spine4",
        _clavicle(),
        shoulder_mass(),
        body.point(*blade),
        shapes=[
            body.capsule((0.030, 0.000, -0.034), (ends[0] - 0.004, 0.000, ends[2]), 0.030),
            body.capsule((0.012, 0.022, -0.038), (ends[0] - 0.012, 0.006, ends[2]), 0.022),
        ],
        offset=body.point(SHOULDER[0], SHOULDER[1] - y, SHOULDER[2] - z),
    )
    arm = Segment(
        "LeftArm",
        "LeftShoulder",
        _shoulder(),
        INERTIA["upper arm"].mass,
        body.point(0.0, INERTIA["upper arm"].center * upper, 0.0),
        shapes=[
            body.capsule((0.0, 0.0, 0.0), (0.0, 0.45 * upper, 0.002), RADIUS),
            body.capsule((0.0, 0.45 * upper, 0.001), (0.0, 0.97 * upper, 0.0), 0.0245),
        ],
        offset=body.point(*ends),
        rotation=turned("z", AWAY - 180.0),
    )
    return [clavicle, arm, *_forearm(body, upper, fore), *hand_segments(body, body.point(0.0, 0.5 * fore, 0.0))]


def _forearm(body: Body, upper: float, fore: float) -> list[Segment]:
    """The forearm in two halves: the elbow bends the first, the second twists against it (pronation is positive)."""
    # Two halves with centres at a quarter and at 0.70 of the length share the mass so that their common centre is kept.
    near, far = 0.25, 0.70
    share = (INERTIA["forearm"].center - near) / (far - near)
    mass = INERTIA["forearm"].mass
    elbow = flexing((1.0, 0.0, 0.0), RANGES["elbow flexion"], bent=BENT)
    return [
        Segment(
            "LeftForeArm",
            "LeftArm",
            elbow,
            mass * (1.0 - share),
            body.point(0.0, near * fore, 0.0),
            shapes=[body.capsule((0.0, 0.01, 0.0), (0.0, 0.5 * fore, 0.0), 0.0235)],
            offset=body.point(0.0, upper, 0.0),
            rotation=turned("x", BENT),
        ),
        Segment(
            "LeftForeArmTwist",
            "LeftForeArm",
            Hinge((0.0, 1.0, 0.0), degrees(-RANGES["supination"], RANGES["pronation"])),
            mass * share,
            body.point(0.0, (far - 0.5) * fore, 0.0),
            shapes=[
                body.capsule((0.0, 0.0, 0.0), (0.0, 0.24 * fore, 0.0), 0.0205),
                body.capsule((0.0, 0.24 * fore, 0.0), (0.0, 0.49 * fore, 0.0), 0.0165),
            ],
            offset=body.point(0.0, 0.5 * fore, 0.0),
            # A quarter turn, so that z is where the palm looks: toward the thigh.
            rotation=turned("y", 90.0),
        ),
    ]


def _clavicle() -> Ball:
    """Up (+z) and down, forward (−y) and back, and its roll about itself, backward negative."""
    r = RANGES
    # e₁ = z, e₂ = x × z = −y, so forward is positive about e₂.
    return cone(
        (1.0, 0.0, 0.0),
        (0.0, 0.0, 1.0),
        (-r["clavicle depression"], r["clavicle elevation"]),
        (-r["clavicle retraction"], r["clavicle protraction"]),
        twist=(-r["clavicle back roll"], 10.0),
    )


def _shoulder() -> Ball:
    """Elevation in the plane between sideways and forward, horizontal turn, and turn about the arm, inward positive."""
    return cone(
        (0.0, 1.0, 0.0),
        (1.0, 0.0, 1.0),
        (ELEVATION[0] - AWAY, ELEVATION[1] - AWAY),
        PLANE,
        twist=(-RANGES["shoulder outward"], RANGES["shoulder inward"]),
    )
