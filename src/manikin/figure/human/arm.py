"""The left arm of the person, clavicle to wrist.

From the shoulder on, y points along the segment to its far end. In the upper arm and forearm, z points forward and x to
the right in the rest pose, so a positive turn about x raises the limb forward. In the hand and the fingers, z points
out of the palm, so a positive turn about x closes the hand.
"""

from __future__ import annotations

import numpy as np

from manikin import rotations
from manikin.figure.degrees import cone, degrees, flexing, turned
from manikin.figure.human.anthropometry import INERTIA, RANGES, STATURE
from manikin.figure.human.body import Body
from manikin.figure.human.hand import hand_segments
from manikin.figure.human.trunk import CENTERS, JOINTS, SHOULDER, shoulder_mass
from manikin.figure.joint import Ball, Hinge
from manikin.figure.segment import Segment
from manikin.kinematics import swing_twist

AWAY = 17.0
"""Degrees between the arm and the vertical in the rest pose (chosen)."""
BENT = 14.0
"""Degrees of elbow flexion in the rest pose (chosen)."""
RADIUS = 0.0285
"""Radius of the shoulder as a fraction of the stature (chosen). The joint is this far inside the breadth of the
shoulders."""
JOINT = (0.5 * STATURE["shoulder breadth"] - RADIUS, STATURE["shoulder"], -0.010)
"""Position of the left shoulder joint as fractions of the stature: sideways and up from [DrillisContini1966], forward
chosen."""
FORWARD = 155.0
"""Largest angle to which the arm is raised straight forward, in degrees (chosen). The clavicle contributes the rest of
180 degrees."""
LOWEST = -40.0
"""Lowest angle of the hanging arm behind and across the body, in the plane between sideways and forward, in degrees
(chosen so that the 60 degrees of extension of [AAOS] are just within the cone)."""


def arm_segments(body: Body) -> list[Segment]:
    """The left clavicle, arm and hand. Masses are in per cent."""
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
            body.capsule((0.014, 0.018, -0.038), (ends[0] - 0.012, 0.006, ends[2]), 0.021),
        ],
        offset=body.point(SHOULDER[0], SHOULDER[1] - y, SHOULDER[2] - z),
    )
    arm = Segment(
        "LeftArm",
        "LeftShoulder",
        arm_ball(),
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
    """The forearm as two halves. The elbow bends the first; the second twists relative to it (pronation is
    positive)."""
    # The two halves have their centres at 0.25 and 0.70 of the length. They share the mass so that the common centre is
    # kept.
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
                body.capsule((0.0, 0.24 * fore, 0.0), (0.0, 0.46 * fore, 0.0), 0.0150),
            ],
            offset=body.point(0.0, 0.5 * fore, 0.0),
            # A quarter turn, so that z points out of the palm, toward the thigh.
            rotation=turned("y", 90.0),
        ),
    ]


def _clavicle() -> Ball:
    """Up (+z) and down, forward (−y) and back, and roll about the clavicle itself, backward negative."""
    r = RANGES
    # e₁ = z, e₂ = x × z = −y, so forward is positive about e₂.
    return cone(
        (1.0, 0.0, 0.0),
        (0.0, 0.0, 1.0),
        (-r["clavicle depression"], r["clavicle elevation"]),
        (-r["clavicle retraction"], r["clavicle protraction"]),
        twist=(-r["clavicle back roll"], r["clavicle fore roll"]),
    )


def arm_ball() -> Ball:
    """Elevation, horizontal rotation, and rotation about the arm, inward positive.

    [AAOS] gives 45 degrees behind and 135 across in the horizontal plane. So the middle of the cone is the vertical
    plane 45 degrees forward of sideways, with half of the range on each side. The rotation about the arm is measured
    with the arm straight out to the side. So its range is centred on the twist of the arm there, and widened to contain
    the twist of an arm raised straight forward.
    """
    r = RANGES
    half = 0.5 * (r["shoulder behind"] + r["shoulder across"])
    middle = np.deg2rad(0.5 * (r["shoulder across"] - r["shoulder behind"]))  # forward of sideways
    first = (float(np.sin(middle)), 0.0, float(np.cos(middle)))
    elevation, plane = (LOWEST - AWAY, r["shoulder elevation"] - AWAY), (-half, half)
    free = cone((0.0, 1.0, 0.0), first, elevation, plane, twist=(-180.0, 180.0)).limits
    assert free is not None
    forward = rotations.multiply(np.array(turned("z", -AWAY)), np.array(turned("x", FORWARD)))
    sideways = np.array(turned("z", 90.0 - AWAY))
    turns = rotations.multiply(rotations.inverse(np.array(free.reference)), np.stack([sideways, forward]))
    zero, least = (float(x) for x in np.rad2deg(swing_twist.twist(turns, free.basis[2])))
    twist = (min(zero - r["shoulder outward"], least), zero + r["shoulder inward"])
    return cone((0.0, 1.0, 0.0), first, elevation, plane, twist)
