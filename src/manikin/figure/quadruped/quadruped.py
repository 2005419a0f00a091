"""The built-in quadruped: a medium-sized dog, from the nose to the tip of the tail."""

from __future__ import annotations

from functools import lru_cache
from math import fsum

import numpy as np

from manikin import arrays
from manikin.figure.degrees import cone, flexing
from manikin.figure.figure import Figure
from manikin.figure.joint import Free, Hinge, Joint, Motion, Numbers
from manikin.figure.mirror import mirrored_segments
from manikin.figure.quadruped.parts import FORELEG, HINDLEG, RANGES, TRUNK, DogPart, Point, tail
from manikin.figure.segment import Segment
from manikin.figure.shapes import Capsule

LATERAL = (1.0, 0.0, 0.0)
"""The axis about which legs and trunk bend: x, to the left. A rotation about it moves a downward limb backward."""


def quadruped(height: float = 0.6, mass: float = 30.0) -> Figure:
    """A dog that stands on the ground: metres, y up, facing +z, left at +x, with a free root between the hip joints.

    Segments: Hips, Spine … Spine3, Neck, Neck1, Head, Jaw, Nose_End; Tail … Tail4, Tail_End; on each side LeftScapula,
    LeftHumerus, LeftRadius, LeftForePaw (from the carpus), LeftForeToes, LeftForeToes_End; LeftFemur, LeftTibia,
    LeftHindPaw (from the hock), LeftHindToes, LeftHindToes_End; and the same with Right.

    All joints are zero in the rest pose, where every segment has the axes of the world. Hinges (elbow, carpus, stifle,
    hock, toes) are positive in flexion. The jaw is positive when it opens. Scapula, shoulder, hip, spine, neck, head
    and tail are balls.

    The ranges of the leg joints are from [Jaegger2002], the share of the humerus in the foreleg from
    [FischerLilje2011], the mass of the forepaw from [Jones2018]. All other lengths, masses and ranges, and the shapes,
    are chosen. The centre of mass is placed so that the forelegs carry about 60 % of the weight, as in dogs.

    [Jaegger2002] G. Jaegger, D. J. Marcellin-Little, D. Levine, "Reliability of goniometry in Labrador Retrievers",
        Am. J. Veterinary Research 63, 2002.
    [FischerLilje2011] M. S. Fischer, K. E. Lilje, "Dogs in Motion", 2011.
    [Jones2018] O. Y. Jones, S. U. Raschke, P. E. Riches, "Inertial properties of the German Shepherd Dog", PLoS ONE 13,
        2018, e0206037.

    Args:
        height: height of the withers, metres.
        mass: kilograms.

    Example:
        >>> dog = quadruped()
        >>> dog.segment("LeftTibia").joint.kind, dog.violation(dog.rest)
        ('hinge', 0.0)
    """
    return _quadruped(
        arrays.positive(height, "height of the quadruped"), arrays.positive(mass, "mass of the quadruped")
    )


@lru_cache(maxsize=16)
def _quadruped(height: float, mass: float) -> Figure:
    parts = {p.name: p for p in (*TRUNK, *tail(), *FORELEG, *HINDLEG)}
    left = [_segment(parts, p, height) for p in (*FORELEG, *HINDLEG)]
    segments = [_segment(parts, p, height) for p in (*TRUNK, *tail())]
    segments += [*left, *mirrored_segments(left)]
    total = fsum(s.mass for s in segments)
    return Figure("quadruped", [s.replaced(mass=mass * s.mass / total) for s in segments], unit=1.0, up="y")


def _segment(parts: dict[str, DogPart], part: DogPart, height: float) -> Segment:
    """The segment of a part, in metres and in its own space."""

    def local(point: Point) -> Numbers:
        return tuple(height * (a - b) for a, b in zip(point, part.at, strict=True))

    shapes = [Capsule(local(start), local(end), height * radius) for start, end, radius in part.shapes]
    if part.parent is None:
        place = tuple(height * x for x in part.at)
        joint = Joint(part.name, (Free(),), rest=(*place, 1.0, 0.0, 0.0, 0.0))
    else:
        above = parts[part.parent].at
        offset = tuple(height * (a - b) for a, b in zip(part.at, above, strict=True))
        motion = _motion(parts, part)
        joint = Joint(part.name, () if motion is None else (motion,), offset)
    return Segment(part.name, part.parent, joint, part.mass, local(part.middle), shapes=shapes)


def _motion(parts: dict[str, DogPart], part: DogPart) -> Motion | None:
    """The joint of a part, from its table or from the published ranges of the legs."""
    name = part.name
    if part.swing is not None:
        return cone(_bone(parts, part), LATERAL, *part.swing)
    if name == "Jaw":
        return flexing(LATERAL, 40.0, bent=3.0)  # slightly open at rest
    if name == "LeftScapula":
        return cone(_bone(parts, part), LATERAL, (-25.0, 25.0), (-8.0, 12.0), (-8.0, 8.0))
    if name in ("LeftForeToes", "LeftHindToes"):
        return Hinge(LATERAL, (-0.9, 0.9))
    if name not in RANGES:
        return None
    bent, stretched = RANGES[name]
    now, sign = _angle(parts, part)
    if name in ("LeftHumerus", "LeftFemur"):
        # Flexion is a rotation about ±x. Sideways and twist are chosen.
        bending = (now - stretched, now - bent) if sign > 0.0 else (bent - now, stretched - now)
        return cone(_bone(parts, part), LATERAL, bending, (-20.0, 40.0), (-20.0, 20.0))
    return flexing((sign, 0.0, 0.0), now - bent, now - stretched)


def _bone(parts: dict[str, DogPart], part: DogPart) -> Point:
    """Direction of a part in the plane x = 0, to its first child."""
    end = next(p.at for p in parts.values() if p.parent == part.name)
    d = np.array([0.0, end[1] - part.at[1], end[2] - part.at[2]])
    d /= np.linalg.norm(d)
    return (0.0, float(d[1]), float(d[2]))


def _angle(parts: dict[str, DogPart], part: DogPart) -> tuple[float, float]:
    """The angle within a joint at rest, in degrees as a goniometer measures it, and the sign of flexion about x.

    At the hip, the pelvis is measured along its length, that is, along the croup.
    """
    sign = 1.0 if part.name in ("LeftHumerus", "LeftForePaw", "LeftTibia") else -1.0
    assert part.parent is not None
    back = parts["Spine"].at if part.name == "LeftFemur" else parts[part.parent].at
    a, b = _bone(parts, part), np.array(back) - np.array(part.at)
    # From the far segment to the near one, in the direction of flexion.
    turn = np.arctan2(b[2], b[1]) - np.arctan2(a[2], a[1])
    return float(np.rad2deg(np.mod(sign * turn, 2.0 * np.pi))), sign
