"""The left leg of the person: thigh, shank, foot, toes. Axes are those of the world in the rest pose."""

from __future__ import annotations

import numpy as np

from manikin.figure.degrees import cone, degrees, flexing
from manikin.figure.human.anthropometry import HIP_SPACING, INERTIA, RANGES, STATURE
from manikin.figure.human.body import Body
from manikin.figure.joint import Ball, Hinge
from manikin.figure.segment import Segment
from manikin.figure.shapes import Capsule

KNEE, ANKLE = 0.004, -0.020
"""Forward distance of the knee and the ankle from the hip at rest, as fractions of the stature (chosen: a slightly bent
knee, and the centre of mass above the middle of the foot)."""
HEEL, BALL = 0.27, 0.72
"""Distance of the ankle and of the toe joint from the heel, as fractions of the length of the foot (chosen)."""
TOE_RADIUS = 0.0095
"""Radius of the toes as a fraction of the stature (chosen). The toe joint is at this height."""


def leg_segments(body: Body) -> list[Segment]:
    """The left leg. Masses are in per cent."""
    foot, ankle = STATURE["foot"], STATURE["ankle"]
    thigh = (0.0, STATURE["knee"] - STATURE["hip"], KNEE)
    shank = (0.0, ankle - STATURE["knee"], ANKLE - KNEE)
    ball = (0.0, TOE_RADIUS - ankle, (BALL - HEEL) * foot)
    toes = (0.0, 0.0, (1.0 - BALL) * foot)
    return [
        Segment(
            "LeftUpLeg",
            "Hips",
            hip_ball(),
            INERTIA["thigh"].mass,
            body.point(*_part(thigh, INERTIA["thigh"].center)),
            shapes=[
                body.capsule((0.000, -0.010, -0.002), _part(thigh, 0.40), 0.0465),
                body.capsule(_part(thigh, 0.40), _part(thigh, 0.72), 0.0405),
                body.capsule(_part(thigh, 0.72), _part(thigh, 0.99), 0.0335),
            ],
            offset=body.point(HIP_SPACING, 0.0, 0.0),
        ),
        Segment(
            "LeftLeg",
            "LeftUpLeg",
            flexing((1.0, 0.0, 0.0), RANGES["knee flexion"], bent=_bend(thigh, shank)),
            INERTIA["shank"].mass,
            body.point(*_part(shank, INERTIA["shank"].center)),
            shapes=[
                body.capsule(_part(shank, 0.06, -0.002), _part(shank, 0.38, -0.010), 0.0295),
                body.capsule(_part(shank, 0.38, -0.008), _part(shank, 0.62, -0.006), 0.0255),
                body.capsule(_part(shank, 0.62, -0.004), _part(shank, 0.96), 0.0205, soft=False),
            ],
            offset=body.point(*thigh),
        ),
        *_foot(body, shank, ball, toes),
    ]


def _foot(body: Body, shank: tuple[float, ...], ball: tuple[float, ...], toes: tuple[float, ...]) -> list[Segment]:
    length, ankle = STATURE["foot"], STATURE["ankle"]
    toe_share = 0.14
    # The common centre of mass of foot and toes is at the position along the foot that de Leva gives.
    toe_center = (0.0, 0.0, 0.45 * toes[2])
    along = (INERTIA["foot"].center - HEEL) * length
    foot_center = (0.0, -0.5 * ankle, (along - toe_share * (ball[2] + toe_center[2])) / (1.0 - toe_share))
    # The sole: its radii, its back end and half its width.
    heel, sole, breadth = 0.0185, 0.0130, STATURE["foot breadth"]
    back = -HEEL * length
    low = {r: r - ankle for r in (heel, sole)}
    side = 0.5 * breadth - sole

    def hard(start: tuple[float, ...], end: tuple[float, ...], radius: float) -> Capsule:
        return body.capsule(start, end, radius, soft=False)

    # The foot rolls on heel and ball; three capsules make the toes.
    return [
        Segment(
            "LeftFoot",
            "LeftLeg",
            _ankle(),
            INERTIA["foot"].mass * (1.0 - toe_share),
            body.point(*foot_center),
            shapes=[
                hard((0.0, low[heel], back + heel), (0.0, low[heel], 0.0), heel),
                hard((-0.004, low[sole], back + 0.03), (-side, low[sole], ball[2] - 0.004), sole),
                hard((0.004, low[sole], back + 0.03), (side, low[sole], ball[2] - 0.010), sole),
                hard((0.0, -0.002, 0.002), (-0.004, low[sole] + 0.006, ball[2] - 0.012), 0.0180),
            ],
            offset=body.point(*shank),
        ),
        Segment(
            "LeftToeBase",
            "LeftFoot",
            Hinge((1.0, 0.0, 0.0), degrees(-RANGES["toes up"], RANGES["toes down"])),
            INERTIA["foot"].mass * toe_share,
            body.point(*toe_center),
            shapes=[
                hard((-side, 0.0, 0.002), (-side + 0.004, 0.0, toes[2] - TOE_RADIUS), TOE_RADIUS),
                hard((0.0, 0.0, 0.000), (0.0, 0.0, toes[2] - TOE_RADIUS - 0.003), TOE_RADIUS),
                hard((side, 0.0, -0.004), (side - 0.002, 0.0, toes[2] - TOE_RADIUS - 0.012), TOE_RADIUS),
            ],
            offset=body.point(*ball),
        ),
        Segment("LeftToe_End", "LeftToeBase", offset=body.point(*toes)),
    ]


def _bend(thigh: tuple[float, ...], shank: tuple[float, ...]) -> float:
    """Degrees of knee flexion at rest."""
    return float(np.rad2deg(np.arctan2(thigh[2], -thigh[1]) - np.arctan2(shank[2], -shank[1])))


def _part(vector: tuple[float, ...], share: float, forward: float = 0.0) -> tuple[float, float, float]:
    return (share * vector[0], share * vector[1], share * vector[2] + forward)


def hip_ball() -> Ball:
    """The bone points down. e₁ = x: extension positive; e₂ = −y × x = z: abduction positive; twist about the bone."""
    r = RANGES
    return cone(
        (0.0, -1.0, 0.0),
        (1.0, 0.0, 0.0),
        (-r["hip flexion"], r["hip extension"]),
        (-r["hip adduction"], r["hip abduction"]),
        twist=(-r["hip outward"], r["hip inward"]),
    )


def _ankle() -> Ball:
    """The bone is along the shank. e₁ = x: plantar flexion positive; e₂ = z: eversion (sole outward) positive; some
    twist."""
    r = RANGES
    return cone(
        (0.0, -1.0, 0.0),
        (1.0, 0.0, 0.0),
        (-r["ankle up"], r["ankle down"]),
        (-r["ankle inward"], r["ankle outward"]),
        twist=(-20.0, 20.0),
    )
