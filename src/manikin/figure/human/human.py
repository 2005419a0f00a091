"""The built-in person: a figure with more than 100 degrees of freedom, from published measurements."""

from __future__ import annotations

from functools import lru_cache
from math import fsum

from manikin import arrays
from manikin.figure.figure import Figure
from manikin.figure.human.arm import arm_segments
from manikin.figure.human.body import Body
from manikin.figure.human.leg import leg_segments
from manikin.figure.human.trunk import eye_segment, trunk_segments
from manikin.figure.mirror import mirrored_segments
from manikin.figure.segment import Segment


def human(height: float = 1.75, mass: float = 70.0) -> Figure:
    """A person who stands on the ground at the origin: metres, y up, facing +z, left at +x, with a free root at the
    hips.

    Names are those of Mixamo (Hips, Spine … Spine4, Neck, Neck1, Head, LeftEye, LeftShoulder, LeftArm, LeftForeArm,
    LeftForeArmTwist, LeftHand, LeftHandThumb1 … LeftHandPinky4, LeftUpLeg, LeftLeg, LeftFoot, LeftToeBase, LeftToe_End,
    and the same with Right). In the rest pose the arms are a little away from the body, with the palms to the thighs.

    **Numbers.** All joints are zero (balls: the identity) in the rest pose; the root has its position in the world.
    Hinges have one number, positive in flexion: elbow, knee, toes, finger and thumb joints 2 and 3. The twist of the
    forearm is positive in pronation. First finger joints and wrists have (flexion about x, sideways about z); eyes have
    (left about y, down about x). All other joints are balls with an elliptic cone and a twist range. Elbows, knees and
    fingers are slightly bent at rest, and their numbers are measured from there.

    **Axes.** Hips, spine, neck, head, eyes, clavicles, legs and feet have the axes of the world in the rest pose: x
    left, y up, z forward. From LeftArm on, y points along the segment to its far end. In the upper arm and forearm, z
    points forward at rest. In the hand and fingers, z points out of the palm; in the thumb, out of its pad. The right
    side is the left side mirrored in x = 0, see `manikin.figure.mirror`.

    **Sources**, with full titles in `figure.human.anthropometry`: lengths [DrillisContini1966] as fractions of the
    stature, hands [BuryanovKotiuk2010] and [Youm1978], hip joints [Bell1989]; masses and centres of mass [deLeva1996];
    ranges of motion [AAOS], the spine [WhitePanjabi1990] summed over the levels of each joint, knee
    [RoaasAndersson1982], thumb [Cooney1981], clavicle [Neumann] and [LevangieNorkin], eyes [Lee2019]. Radii of the
    shapes, the curve of the spine, the fan of the palm and the division of the trunk are chosen. Proportions are those
    of adult men for any height; a short person is a small adult, not a child.

    Args:
        height: from the sole to the top of the head in the rest pose, metres.
        mass: kilograms; the thickness of trunk and limbs depends on it.

    Example:
        >>> figure = human()
        >>> figure.nv > 100, figure.segment_names[:3]
        (True, ('Hips', 'Spine', 'Spine1'))
    """
    return _human(arrays.positive(height, "height of the person"), arrays.positive(mass, "mass of the person"))


@lru_cache(maxsize=16)
def _human(height: float, mass: float) -> Figure:
    body = Body(height, mass)
    eye, arm, leg = [eye_segment(body)], arm_segments(body), leg_segments(body)
    both = [*eye, *mirrored_segments(eye), *arm, *mirrored_segments(arm), *leg, *mirrored_segments(leg)]
    return Figure("human", _weighed([*trunk_segments(body), *both], mass), unit=1.0, up="y")


def _weighed(segments: list[Segment], mass: float) -> list[Segment]:
    """Segments with masses converted from shares to kilograms."""
    total = fsum(s.mass for s in segments)
    return [s.replaced(mass=mass * s.mass / total) for s in segments]
