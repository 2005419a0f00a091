"""Ranges of each part of a person relative to the one before it: cones and twists, from the neutral pose.

The neutral pose and the axes are those of `parts.axes`: x left, y up, z forward, arms hanging, palms to the thighs. In
the neutral pose every rotation is the identity. All ranges are for the left side; the right is its mirror image.

The numbers are those of `human` (`anthropometry.RANGES`, with their sources), with these differences, because a rig is
not a person.

- Joints that are hinges in a person (elbow, knee, toes, fingers) have some room about the other axes.
- The forearm and the hand each have the whole range of pronation and supination, because rigs differ in where they put
  it.
- The joints of a spine share the ranges of all vertebrae. Each has an even share, or the sum over the vertebrae that it
  represents, whichever is larger. So the lowest joint bends most and the upper ones rotate most. If a joint gets more
  than the even share of bending, the additional part is flexion.
- The joints of a neck bend against each other, because the head is carried forward: of n joints, each has 2/(n + 1) of
  the range, and at least `NECK_BENDING`.
- Hips and ankles have the widest of the published means (`HIP_FLEXION` and the constants after it), because `human` is
  one person and a rig may be any person.

`python -m benchmarks.natural limits` counts the recorded poses of CMU that are outside the limits.

[AAOS] see `anthropometry`.
[Soucie2011] J. M. Soucie et al., "Range of motion measurements: reference values and a database for comparison
    studies", Haemophilia 17, 2011 (the joint range of motion study of the CDC): women of 20 to 44 years.
[BooneAzen1979] D. C. Boone, S. P. Azen, "Normal range of motion of joints in male subjects", J. Bone Joint Surg. 61-A,
    1979: all ages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from manikin import rotations
from manikin.arrays import Vector
from manikin.figure.degrees import cone
from manikin.figure.human.anthropometry import LEVELS, RANGES
from manikin.figure.human.arm import AWAY, arm_ball
from manikin.figure.human.trunk import FLEXION, GROUPS
from manikin.figure.joint import Ball, Numbers, Pair, SwingTwist, as_tuple
from manikin.figure.mirror import mirrored_segments
from manikin.figure.parts.axes import ELBOW_TURN
from manikin.figure.parts.bone_names import FINGERS, STILL, TWIST, Part
from manikin.figure.segment import Segment

DOWN, UP, ALONG, LEFT = (0.0, -1.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0)
ELBOW_ASIDE = 35.0
"""Sideways room of the elbow, and room for the rotation of arm, forearm and hand about themselves, in degrees (chosen).
The rotation of an elbow about the arm is not known (`axes.ELBOW_TURN`)."""
ASIDE = 12.0
"""Room about the other axes of joints that are hinges in a person (knee, toes, fingers), in degrees (chosen)."""
KNEE_TWIST = 20.0
"""Rotation of the shank about itself, in degrees (chosen). A bent knee has about this much to either side."""
NECK_BENDING = 45.0
"""Flexion, and extension, of the whole neck in degrees [AAOS]. One joint of a rig's neck may have all of it."""
HIP_FLEXION = 134.0
"""Flexion of the hip in degrees [Soucie2011]."""
HIP_TURN = 47.0
"""Inward, and outward, rotation of the hip in degrees [BooneAzen1979]."""
ANKLE_DOWN = 62.0
"""Plantar flexion of the ankle in degrees [Soucie2011]."""
ANKLE_TILT = (37.0, 21.0)
"""Inversion and eversion of the ankle in degrees [BooneAzen1979]."""
ANKLE_UP = 35.0
"""Upward bend of the ankle in degrees (chosen). The ankle of a leg that carries weight bends further than the 20° that
are measured without weight."""
ANKLE_TWIST = 35.0
"""Rotation of the foot about the shank, in degrees (chosen). In most rigs the knee does not rotate, so the foot
does."""
CLAVICLE_DOWN = 20.0
"""Downward range of the clavicle in degrees (chosen). In a rig with stretched arms the clavicle is slightly raised at
rest, so it goes further down."""
HAND_ASIDE = 45.0
"""Sideways room of a hand without separate fingers, in degrees (chosen). Wrist and fingers share it."""
PIECE, STIFF = 5.0, 2.0
"""Sideways room of a second piece of a limb, and room of parts that do not move in a person, in degrees (chosen)."""
BOXED_TURN = 30.0
"""The part of the rotation of the forearm about itself that is used for a box of angles, in degrees (chosen). With the
whole rotation, the box would not limit the elbow in most orders of axes. The box contains more rotations
than the cone that it replaces."""
CERVICAL = (*GROUPS["Neck"], *GROUPS["Neck1"], *GROUPS["Head"])
"""The vertebrae of neck and head; all others belong to the spine."""
_KEYS = ("bending", "side", "turning")


def limits_of(part: Part, count: int = 1, slack: float = 0.0, boxed: bool = False, place: int = 0) -> SwingTwist | None:
    """The limits of a part relative to the one before it; None if it may rotate freely.

    Args:
        part: the body part.
        count: how many joints share the range (spine; neck and head together).
        place: the index of this joint among them, the lowest first.
        slack: degrees added to both sides, except for parts that do not move in a person.
        boxed: whether the limits are used for a box of angles, see `BOXED_TURN`.
    """
    found = _left(part.name, count, place)
    if found is None:
        return None
    if boxed and part.name == "forearm":
        turn = float(np.deg2rad(BOXED_TURN))
        found = replace(found, twist=(-turn, turn))
    if part.name != STILL:
        found = _widened(found, float(np.deg2rad(slack)))
    if part.side != "right":
        return found
    motion = mirrored_segments([Segment("Left", joint=Ball(found))])[0].joint.motions[0]
    assert isinstance(motion, Ball)
    return motion.limits


def _widened(limits: SwingTwist, more: float) -> SwingTwist:
    """Limits with some radians added on every side."""
    r1, r2 = (min(r + more, np.pi) for r in limits.swing)
    low, high = limits.twist
    return replace(limits, swing=(r1, r2), twist=(max(low - more, -np.pi), min(high + more, np.pi)))


def _left(part: str, count: int, place: int) -> SwingTwist | None:
    r = RANGES
    # Trunk, neck, head and eyes.
    if part == "spine":
        levels = [v for v in LEVELS if v not in CERVICAL]
        return _vertebrae(levels, _spine_flexion(), 1.0 / count, count, place)
    if part in ("neck", "head"):
        levels = [v for v in LEVELS if v in CERVICAL]
        return _vertebrae(levels, 0.5, 2.0 / (count + 1.0), count, place, least=NECK_BENDING)
    if part == "eye":
        across, upright = (-r["eye up"], r["eye down"]), (-r["eye inward"], r["eye outward"])
        return _cone(ALONG, LEFT, across, upright, (-PIECE, PIECE))
    # Hands and arms.
    if part.split()[0] in FINGERS:
        return _finger(part)
    pronation = (-r["supination"] - ELBOW_ASIDE, r["pronation"] + ELBOW_ASIDE)
    if part == "clavicle":
        return _clavicle()
    if part == "upper arm":
        arm = _from_hanging(arm_ball())
        room = float(np.deg2rad(ELBOW_ASIDE))
        return replace(arm, twist=(max(arm.twist[0] - room, -np.pi), min(arm.twist[1] + room, np.pi)))
    if part == "forearm":
        first = as_tuple(rotations.rotate(rotations.from_axis_angle(UP, np.deg2rad(ELBOW_TURN)), np.array(LEFT)))
        return _cone(DOWN, first, (-r["elbow flexion"], 0.0), (-ELBOW_ASIDE, ELBOW_ASIDE), pronation)
    if part == "hand":
        sideways, bending = (-r["wrist radial"], r["wrist ulnar"]), (-r["wrist flexion"], r["wrist extension"])
        return _cone(DOWN, LEFT, sideways, bending, pronation)
    if part == "fingers":
        bending = (-r["knuckle flexion"], r["wrist extension"])
        return _cone(DOWN, LEFT, (-HAND_ASIDE, HAND_ASIDE), bending, (-ASIDE, ASIDE))
    # Legs and feet.
    if part == "thigh":
        return _hip()
    if part == "shank":
        return _cone(DOWN, LEFT, (0.0, r["knee flexion"]), (-ASIDE, ASIDE), (-KNEE_TWIST, KNEE_TWIST))
    if part == "foot":
        bending, tilting = (-ANKLE_UP, ANKLE_DOWN), (-ANKLE_TILT[0], ANKLE_TILT[1])
        return _cone(DOWN, LEFT, bending, tilting, (-ANKLE_TWIST, ANKLE_TWIST))
    if part == "toes":
        return _cone(ALONG, LEFT, (-r["toes up"], r["toes down"]), (-ASIDE, ASIDE), (-ASIDE, ASIDE))
    # Parts that only twist, and parts that hardly move.
    if part.endswith(TWIST):
        turn = pronation if part.startswith("forearm") else (-r["hip inward"], r["hip outward"])
        return _cone(DOWN, LEFT, (-PIECE, PIECE), (-PIECE, PIECE), turn)
    if part == STILL:
        return _cone(DOWN, LEFT, (-STIFF, STIFF), (-STIFF, STIFF), (-STIFF, STIFF))
    return None


def _finger(part: str) -> SwingTwist:
    """Fingers bend toward the palm, which faces right: negative about z."""
    r = RANGES
    finger, joint = part.split()
    if finger == "thumb":
        # The bending axis of a rig's thumb and its rest position are not known, so the range is equal in all
        # directions.
        most = r[{"1": "thumb base flexion", "2": "thumb middle flexion", "3": "thumb last flexion"}[joint]]
        return _cone(DOWN, LEFT, (-most, most), (-most, most), (-ASIDE, ASIDE))
    if joint == "1":
        spread, bending = r["knuckle spread"], (-r["knuckle flexion"], r["knuckle extension"])
        return _cone(DOWN, LEFT, (-spread, spread), bending, (-ASIDE, ASIDE))
    most = r["middle finger joint" if joint == "2" else "last finger joint"]
    return _cone(DOWN, LEFT, (-ASIDE, ASIDE), (-most, 0.0), (-ASIDE, ASIDE))


def _clavicle() -> SwingTwist:
    """As in `human`: up (+z) and down, forward (−y) and back, backward roll negative."""
    r = RANGES
    return _cone(
        LEFT,
        ALONG,
        (-CLAVICLE_DOWN, r["clavicle elevation"]),
        (-r["clavicle retraction"], r["clavicle protraction"]),
        (-r["clavicle back roll"], r["clavicle fore roll"]),
    )


def _hip() -> SwingTwist:
    """As `leg.hip_ball`, with the wider ranges."""
    r = RANGES
    return _cone(
        DOWN,
        LEFT,
        (-HIP_FLEXION, r["hip extension"]),
        (-r["hip adduction"], r["hip abduction"]),
        (-HIP_TURN, HIP_TURN),
    )


def _vertebrae(
    levels: Sequence[str], forward: float, share: float, count: int, place: int, least: float = 0.0
) -> SwingTwist:
    """The range of one joint of a spine or a neck.

    Args:
        levels: the vertebrae of all its joints, top to bottom.
        forward: the part of bending that is flexion.
        share: each joint has at least this fraction of the range of all levels.
        count: how many joints there are.
        place: which of them this is, the lowest first.
        least: degrees of flexion, and of extension, that each joint has at least.
    """
    own = _own_levels(len(levels), count, place)
    bend, side, turn = (np.array([getattr(LEVELS[v], key) for v in levels]) for key in _KEYS)
    aside, turning = (max(float(share * x.sum()), float(own @ x)) for x in (side, turn))
    extension = max(float((1.0 - forward) * share * bend.sum()), least)
    flexion = max(float(forward * share * bend.sum()), float(own @ bend) - extension, least)
    return _cone(UP, LEFT, (-extension, flexion), (-aside, aside), (-turning, turning))


def _own_levels(levels: int, count: int, place: int) -> Vector:
    """(levels,) the part of each level, top to bottom, that a joint represents. The joints divide the levels evenly."""
    top = np.arange(levels)
    start, end = levels * (count - 1 - place) / count, levels * (count - place) / count
    out: Vector = np.clip(np.minimum(top + 1.0, end) - np.maximum(top, start), 0.0, 1.0)
    return out


def _spine_flexion() -> float:
    """The fraction of bending of the whole spine that is flexion."""
    groups = {name: sum(LEVELS[v].bending for v in levels) for name, levels in GROUPS.items() if name in FLEXION}
    spine = {name: bending for name, bending in groups.items() if name.startswith("Spine")}
    return sum(FLEXION[name] * bending for name, bending in spine.items()) / sum(spine.values())


def _from_hanging(ball: Ball) -> SwingTwist:
    """The limits of human's upper arm in the axes of this module. Its y is along the arm, and its joint rests AWAY from
    hanging.

    With J the rest rotation of the joint and N the axes of the segment in the neutral pose, A = J L N⁻¹. L = Q S T
    gives A = (J Q N⁻¹) (N S N⁻¹) (N T N⁻¹). So the reference is rotated by both, the axis and e₁ by N.
    """
    limits = ball.limits
    assert limits is not None
    J = rotations.from_axis_angle(ALONG, np.deg2rad(AWAY - 180.0))
    N = rotations.from_axis_angle(ALONG, np.deg2rad(-180.0))
    reference = rotations.multiply(rotations.multiply(J, np.array(limits.reference)), rotations.inverse(N))
    return replace(
        limits,
        axis=as_tuple(rotations.rotate(N, np.array(limits.axis))),
        first=as_tuple(rotations.rotate(N, np.array(limits.first))),
        reference=as_tuple(reference),
    )


def _cone(bone: Numbers, first: Numbers, one: Pair, two: Pair, twist: Pair) -> SwingTwist:
    """Like `degrees.cone`, but a range may also end at 0."""
    c = [0.5 * (a + b) for a, b in (one, two)]
    h = [0.5 * (b - a) for a, b in (one, two)]
    if abs(c[0]) < h[0] and abs(c[1]) < h[1]:
        made = cone(bone, first, one, two, twist).limits
        assert made is not None
        return made
    e1 = np.array(first) / np.linalg.norm(first)
    turn = np.deg2rad(c[0]) * e1 + np.deg2rad(c[1]) * np.cross(bone, e1)
    low, high = np.deg2rad(twist)
    return SwingTwist(
        axis=bone,
        swing=(float(np.deg2rad(h[0])), float(np.deg2rad(h[1]))),
        twist=(float(low), float(high)),
        first=as_tuple(e1),
        reference=as_tuple(rotations.from_rotation_vector(turn)),
    )
