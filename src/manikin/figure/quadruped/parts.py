"""Tables of the built-in quadruped: position, mass, shapes and ranges of each part of the dog in the rest pose.

Values without a source are chosen. The sources are listed in `quadruped`.
"""

from __future__ import annotations

from dataclasses import dataclass

from manikin.figure.joint import Pair

Point = tuple[float, float, float]

RANGES = {
    "LeftHumerus": (57.0, 165.0),
    "LeftRadius": (36.0, 165.0),
    "LeftForePaw": (32.0, 196.0),
    "LeftFemur": (50.0, 162.0),
    "LeftTibia": (42.0, 162.0),
    "LeftHindPaw": (39.0, 164.0),
}
"""Angle within each joint when bent and when stretched, in degrees, for Labrador Retrievers: shoulder, elbow, carpus,
hip, stifle, tarsus. [Jaegger2002]"""


@dataclass(frozen=True)
class DogPart:
    """One segment in the rest pose. Positions are in the dog's own space, as fractions of the height of its withers."""

    name: str
    parent: str | None
    at: Point
    """Position of its joint."""
    mass: float
    """Mass in per cent."""
    middle: Point
    """Its centre of mass."""
    shapes: tuple[tuple[Point, Point, float], ...] = ()
    """Capsules: start, end, radius."""
    swing: tuple[Pair, Pair, Pair] | None = None
    """Ranges of a ball along the trunk in degrees: up and down (down positive), sideways, and twist."""


# The trunk is along z, so a rotation about x that bends the fore end down is flexion. All of this is chosen.
TRUNK = (
    DogPart(
        "Hips",
        None,
        (0, 0.74, -0.42),
        13.0,
        (0, 0.75, -0.43),
        (((0.03, 0.755, -0.50), (0.03, 0.775, -0.36), 0.095), ((-0.03, 0.755, -0.50), (-0.03, 0.775, -0.36), 0.095)),
    ),
    DogPart(
        "Spine",
        "Hips",
        (0, 0.835, -0.33),
        10.5,
        (0, 0.76, -0.24),
        (((0, 0.765, -0.32), (0, 0.765, -0.17), 0.115),),
        ((-15, 20), (-12, 12), (-5, 5)),
    ),
    DogPart(
        "Spine1",
        "Spine",
        (0, 0.845, -0.16),
        10.24,
        (0, 0.735, -0.08),
        (((0, 0.765, -0.16), (0, 0.770, 0.00), 0.112), ((0, 0.690, -0.13), (0, 0.670, 0.00), 0.118)),
        ((-12, 20), (-15, 15), (-8, 8)),
    ),
    DogPart(
        "Spine2",
        "Spine1",
        (0, 0.850, 0.00),
        10.5,
        (0, 0.71, 0.08),
        (((0, 0.780, 0.00), (0, 0.795, 0.16), 0.118), ((0, 0.655, 0.00), (0, 0.640, 0.14), 0.132)),
        ((-8, 12), (-15, 15), (-12, 12)),
    ),
    DogPart(
        "Spine3",
        "Spine2",
        (0, 0.865, 0.16),
        11.0,
        (0, 0.71, 0.26),
        (
            ((0, 0.815, 0.17), (0, 0.800, 0.32), 0.110),
            ((0, 0.635, 0.16), (0, 0.650, 0.32), 0.138),
            ((0, 0.700, 0.34), (0, 0.740, 0.38), 0.105),
        ),
        ((-6, 6), (-8, 8), (-8, 8)),
    ),
    DogPart(
        "Neck",
        "Spine3",
        (0, 0.810, 0.37),
        3.6,
        (0, 0.865, 0.42),
        (((0, 0.800, 0.37), (0, 0.895, 0.44), 0.094),),
        ((-35, 40), (-40, 40), (-15, 15)),
    ),
    DogPart(
        "Neck1",
        "Neck",
        (0, 0.925, 0.46),
        3.0,
        (0, 0.98, 0.505),
        (((0, 0.905, 0.445), (0, 1.010, 0.53), 0.086),),
        ((-35, 40), (-40, 40), (-25, 25)),
    ),
    DogPart(
        "Head",
        "Neck1",
        (0, 1.050, 0.545),
        6.0,
        (0, 1.05, 0.635),
        (
            ((0, 1.060, 0.555), (0, 1.065, 0.655), 0.090),
            ((0, 1.040, 0.690), (0, 1.010, 0.870), 0.049),
            ((0.062, 1.115, 0.560), (0.078, 1.185, 0.560), 0.025),
            ((-0.062, 1.115, 0.560), (-0.078, 1.185, 0.560), 0.025),
        ),
        ((-45, 35), (-20, 20), (-45, 45)),
    ),
    DogPart("Jaw", "Head", (0, 1.010, 0.635), 0.6, (0, 0.975, 0.75), (((0, 0.990, 0.655), (0, 0.970, 0.830), 0.031),)),
    DogPart("Nose_End", "Head", (0, 1.020, 0.917), 0.0, (0, 1.02, 0.917)),
)
"""Hips to nose."""
TAIL = tuple(
    ((0.0, 0.815 - 0.050 * k - 0.008 * k * k, -0.575 - 0.085 * k + 0.006 * k * k), 0.034 - 0.004 * k) for k in range(6)
)
"""Positions of the tail joints and the thickness there; the last is the tip."""
FORELEG = (
    DogPart(
        "LeftScapula",
        "Spine3",
        (0.085, 0.930, 0.26),
        2.6,
        (0.10, 0.81, 0.33),
        (((0.085, 0.900, 0.27), (0.105, 0.700, 0.39), 0.060),),
    ),
    DogPart(
        "LeftHumerus",
        "LeftScapula",
        (0.110, 0.6845, 0.402),
        2.6,
        (0.11, 0.585, 0.325),
        (((0.110, 0.680, 0.390), (0.108, 0.575, 0.305), 0.062), ((0.108, 0.575, 0.300), (0.110, 0.465, 0.232), 0.050)),
    ),
    DogPart(
        "LeftRadius",
        "LeftHumerus",
        (0.110, 0.461, 0.2275),
        1.1,
        (0.11, 0.345, 0.23),
        (((0.110, 0.455, 0.226), (0.110, 0.330, 0.228), 0.039), ((0.110, 0.330, 0.228), (0.110, 0.170, 0.236), 0.028)),
    ),
    DogPart(
        "LeftForePaw",
        "LeftRadius",
        (0.110, 0.167, 0.2375),
        0.48,
        (0.11, 0.105, 0.25),
        (((0.110, 0.165, 0.238), (0.110, 0.060, 0.260), 0.026),),
    ),
    DogPart(
        "LeftForeToes",
        "LeftForePaw",
        (0.110, 0.045, 0.2635),
        0.24,
        (0.11, 0.03, 0.285),
        (((0.096, 0.022, 0.262), (0.094, 0.022, 0.312), 0.022), ((0.124, 0.022, 0.262), (0.126, 0.022, 0.312), 0.022)),
    ),
    DogPart("LeftForeToes_End", "LeftForeToes", (0.110, 0.015, 0.334), 0.0, (0.11, 0.015, 0.334)),
)
"""The left foreleg. The mass of paw and toes is from [Jones2018]. The humerus has 0.27 of the combined lengths of
scapula, humerus, radius and paw, as [FischerLilje2011] found in all breeds."""
HINDLEG = (
    DogPart(
        "LeftFemur",
        "Hips",
        (0.090, 0.740, -0.42),
        5.8,
        (0.10, 0.625, -0.385),
        (
            ((0.088, 0.715, -0.430), (0.100, 0.600, -0.400), 0.084),
            ((0.100, 0.620, -0.380), (0.100, 0.480, -0.315), 0.062),
        ),
    ),
    DogPart(
        "LeftTibia",
        "LeftFemur",
        (0.100, 0.460, -0.31),
        1.7,
        (0.10, 0.355, -0.375),
        (
            ((0.100, 0.455, -0.320), (0.100, 0.335, -0.395), 0.046),
            ((0.100, 0.335, -0.393), (0.100, 0.215, -0.472), 0.028),
        ),
    ),
    DogPart(
        "LeftHindPaw",
        "LeftTibia",
        (0.100, 0.200, -0.48),
        0.62,
        (0.10, 0.125, -0.47),
        (((0.100, 0.205, -0.484), (0.100, 0.060, -0.462), 0.026),),
    ),
    DogPart(
        "LeftHindToes",
        "LeftHindPaw",
        (0.100, 0.045, -0.46),
        0.24,
        (0.10, 0.03, -0.44),
        (
            ((0.087, 0.021, -0.462), (0.085, 0.021, -0.412), 0.021),
            ((0.113, 0.021, -0.462), (0.115, 0.021, -0.412), 0.021),
        ),
    ),
    DogPart("LeftHindToes_End", "LeftHindToes", (0.100, 0.015, -0.391), 0.0, (0.10, 0.015, -0.391)),
)
"""The left hind leg (chosen): the femur is as long as the humerus, the tibia longer than the radius."""


def tail() -> list[DogPart]:
    """Five segments, each thinner than the one before, and the tip."""
    names = ["Tail", "Tail1", "Tail2", "Tail3", "Tail4", "Tail_End"]
    out = []
    for k, name in enumerate(names):
        at, radius = TAIL[k]
        parent = names[k - 1] if k else "Hips"
        if name == "Tail_End":
            out.append(DogPart(name, parent, at, 0.0, at))
            continue
        end = TAIL[k + 1][0]
        middle = (0.0, 0.5 * (at[1] + end[1]), 0.5 * (at[2] + end[2]))
        lift = (-30.0, 60.0) if k == 0 else (-25.0, 25.0)  # the tail points back, so a rotation about x lifts it
        out.append(DogPart(name, parent, at, 0.24 - 0.04 * k, middle, ((at, end, radius),), (lift, (-30, 30), (-8, 8))))
    return out
