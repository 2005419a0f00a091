"""The joints that turn a part of a body, and in how many directions they turn it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from manikin.figure import Ball, Euler, Figure, Free, Hinge
from manikin.figure.kept import kept
from manikin.figure.parts.calibration import Calibration
from manikin.figure.parts.part_axes import TWISTS

THREE = 3
"""A part with this many degrees of freedom can have any orientation."""


@kept
def segments_of(calibration: Calibration, part: str) -> list[str]:
    """The segments whose joints turn a part.

    These are the segments of the part. If they have fewer than three axes, the segments between it and the part above
    come first, such as the hips of a robot that are named neither pelvis nor thigh.
    """
    figure, bones = calibration.figure, calibration.bones
    own, between = list(bones[part]), []
    if part == "pelvis" or _count(figure, own) >= THREE:
        return own
    others = {name for names in bones.values() for name in names}
    above = figure.segment(own[0]).parent
    while above is not None and above not in others:
        between.append(above)
        above = figure.segment(above).parent
    return [*reversed(between), *own] if above is not None else own


@kept
def turns_of(calibration: Calibration, part: str) -> int:
    """Number of directions in which a part turns relative to the part that it hangs on."""
    return _count(calibration.figure, segments_of(calibration, part))


@kept
def can_twist(calibration: Calibration, part: str) -> bool:
    """Whether a limb part can turn about its bone: it has three degrees of freedom, or a hinge along the bone."""
    if turns_of(calibration, part) >= THREE:
        return True
    figure, names = calibration.figure, segments_of(calibration, part)
    rest = figure.placements(figure.rest, names)[:, :3, :3]
    along = rest[-1] @ calibration.bone(part)
    hinges = [
        R @ np.array(motion.axis)
        for R, name in zip(rest, names, strict=True)
        for motion in figure.segment(name).joint.motions
        if isinstance(motion, Hinge)
    ]
    return any(abs(axis @ along) > TWISTS * np.linalg.norm(along) for axis in hinges)


def _count(figure: Figure, names: Sequence[str]) -> int:
    """Number of axes of the joints of some segments."""
    count = 0
    for name in names:
        joint = figure.segment(name).joint
        for motion in joint.motions if joint.coupling is None else ():
            if isinstance(motion, (Ball, Free)):
                count += 3
            elif isinstance(motion, Euler):
                count += len(motion.order)
            elif isinstance(motion, Hinge):
                count += 1
    return count
