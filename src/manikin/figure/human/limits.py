"""Human joint limits for a figure that has none: `Figure.with_limits("human")`.

The bone map and the names of segments show the body part of a segment (`segment_parts`). The rest pose shows
the orientation of the anatomical axes in the segment (`segment_axes`). Tables give the ranges of the body part
(`ranges`). With F the axes of a segment in its own space, J the fixed rotation of the joint and L its motion, the
rotation from the neutral pose is

    A = F_parent⁻¹ J L F,   so   L = J⁻¹ F_parent A F⁻¹.

The limits of A are a cone and a twist about a reference Q. The limits of L have the reference J⁻¹ F_parent Q F⁻¹, with
the axes of the cone rotated by F. A ball gets exactly these limits; an Euler joint gets the box around them
(`euler_box`).
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from manikin import arrays, rotations
from manikin.arrays import Quaternions, Vector
from manikin.errors import BadValue, listing
from manikin.figure import euler_box
from manikin.figure.human import ranges
from manikin.figure.joint import Ball, Euler, Hinge, Joint, Motion, SwingTwist, as_tuple
from manikin.figure.parts.bone_names import Part
from manikin.figure.parts.segment_axes import segment_axes
from manikin.figure.parts.segment_parts import segment_parts
from manikin.figure.parts.skeleton import skeleton_of
from manikin.figure.segment import Segment
from manikin.kinematics import swing_twist

if TYPE_CHECKING:
    from manikin.figure.figure import Figure

SLACK = 10.0
"""Degrees added to both sides of every range, because rigs do not use exact anatomical axes and people differ."""
MARGIN = 1e-6
"""Limits are widened by this angle (radians) beyond the rest pose if the rest pose is at their edge."""


def with_limits(figure: Figure, kind: str, pose: ArrayLike | None, balls: bool, slack: float) -> Figure:
    """See `Figure.with_limits`."""
    if kind != "human":
        raise BadValue(f"figure {figure.name!r}: limits {kind!r} are unknown; only 'human' is known")
    slack = arrays.non_negative(slack, "slack")
    stand = figure.rest if pose is None else arrays.numbers(figure.check(pose), "pose", (figure.nq,))
    parents, parts = skeleton_of(figure).parents, segment_parts(figure)
    axes = segment_axes(figure, parts, figure.placements(stand)).local
    shares, places = _shares(parts)
    segments: list[Segment] = []
    unmapped: list[str] = []
    for i, (segment, part) in enumerate(zip(figure.segments, parts, strict=True)):
        joint, start = segment.joint, figure.index_of(segment.joint.name)
        numbers = stand[start : start + joint.nq]
        if pose is not None:
            joint = replace(joint, rest=as_tuple(numbers))
        if parents[i] >= 0 and _is_open(joint):
            boxed = not balls and not isinstance(joint.motions[-1], Ball)
            found = None if part is None else ranges.limits_of(part, shares.get(part.name, 1), slack, boxed, places[i])
            if found is not None and part is not None:
                own, above = axes[i], axes[parents[i]]
                if part.name.startswith("thumb"):  # its range is centred on its rest pose
                    above = rotations.multiply(rotations.multiply(np.array(joint.rotation), _turn(joint, numbers)), own)
                joint = _limited(joint, _placed(found, joint, above, own), numbers, balls)
            elif part != Part("pelvis"):
                unmapped.append(segment.name)
        segments.append(segment.replaced(joint=joint))
    if unmapped:
        warnings.warn(
            f"figure {figure.name!r}: {len(unmapped)} joints got no limits, because their names are not those of parts "
            f"of a person: {listing(unmapped)}",
            stacklevel=3,
        )
    mapped = {s.name: str(p) for s, p in zip(figure.segments, parts, strict=True) if p is not None}
    return figure.replaced(segments=segments, source={**figure.source, "mapped": mapped, "unmapped": tuple(unmapped)})


def _shares(parts: Sequence[Part | None]) -> tuple[dict[str, int], list[int]]:
    """How many joints share the range of the spine, and that of neck and head; the place of each segment among them."""
    group = {Part("spine"): "spine", Part("neck"): "neck", Part("head"): "neck"}
    of = ["" if p is None else group.get(p, "") for p in parts]
    places = [of[:i].count(name) if name else 0 for i, name in enumerate(of)]
    upper = max(of.count("neck"), 1)
    return {"spine": max(of.count("spine"), 1), "neck": upper, "head": upper}, places


def _is_open(joint: Joint) -> bool:
    """Whether a joint can rotate and has no limits."""
    motion = joint.motions[-1] if joint.motions else None
    if isinstance(motion, Ball):
        return motion.limits is None
    if isinstance(motion, Euler):
        return bool(np.isinf(motion.limits).all())
    return isinstance(motion, Hinge) and joint.coupling is None and bool(np.isinf(motion.limits).all())


def _placed(limits: SwingTwist, joint: Joint, above: Quaternions, own: Quaternions) -> SwingTwist:
    """Limits of A as limits of the joint's rotation L. `above` and `own` are the axes F of parent and segment."""
    before = rotations.multiply(rotations.inverse(np.array(joint.rotation)), above)
    reference = rotations.multiply(rotations.multiply(before, np.array(limits.reference)), rotations.inverse(own))
    return replace(
        limits,
        axis=as_tuple(rotations.rotate(own, np.array(limits.axis))),
        first=as_tuple(rotations.rotate(own, np.array(limits.first))),
        reference=as_tuple(rotations.normalized(reference)),
    )


def _turn(joint: Joint, numbers: Vector) -> Quaternions:
    """The rotation of a joint in a pose, (4,)."""
    motion = joint.motions[-1]
    if isinstance(motion, Euler):
        return rotations.from_euler(motion.order, numbers[-len(motion.order) :])
    if isinstance(motion, Hinge):
        return rotations.from_axis_angle(motion.axis, numbers[-1])
    return numbers[-4:]


def _limited(joint: Joint, limits: SwingTwist, numbers: Vector, balls: bool) -> Joint:
    """The joint with limits. They are widened if they would exclude its present pose."""
    *before, motion = joint.motions
    turn = _turn(joint, numbers)
    holding = _holding(limits, turn)
    made: Motion
    if isinstance(motion, Euler) and (not balls or len(motion.order) < 3):
        made = replace(motion, limits=euler_box.euler_box(motion, holding, numbers[-len(motion.order) :]))
    elif isinstance(motion, Hinge):
        made = replace(motion, limits=euler_box.hinge_range(motion, holding, float(numbers[-1])))
    else:
        rest = (*numbers[: len(before)], *turn) if isinstance(motion, Euler) else joint.rest
        return replace(joint, motions=(*before, Ball(holding)), rest=as_tuple(rest))
    return replace(joint, motions=(*before, made))


def _holding(limits: SwingTwist, turn: Quaternions) -> SwingTwist:
    """The limits, widened until they contain a rotation."""
    relative = rotations.multiply(rotations.inverse(np.array(limits.reference)), turn)
    one, two, tau = (float(x) for x in swing_twist.decompose(relative, limits.basis))
    r1, r2 = limits.swing
    if np.hypot(one / r1, two / r2) > 1.0 - MARGIN:
        # The cone grows as a whole. If that exceeds π, the other axis makes up for the rest.
        grown = float(np.hypot(one / r1, two / r2)) * (1.0 + MARGIN)
        r1, r2 = min(grown * r1, np.pi), min(grown * r2, np.pi)
        r1 = max(r1, min(abs(one) / np.sqrt(max(1.0 - (two / r2) ** 2, 1e-12)) * (1.0 + MARGIN), np.pi))
        r2 = max(r2, min(abs(two) / np.sqrt(max(1.0 - (one / r1) ** 2, 1e-12)) * (1.0 + MARGIN), np.pi))
    low, high = limits.twist
    low, high = min(low, tau - MARGIN), max(high, tau + MARGIN)
    return replace(limits, swing=(r1, r2), twist=(max(low, -np.pi), min(high, np.pi)))
