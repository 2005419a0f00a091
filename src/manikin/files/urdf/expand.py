"""Converts a figure to the form that URDF supports: one motion per joint. A joint with several motions becomes several
joints with massless segments between them.

    ball        three hinges (see `ball`)        euler       a hinge for each angle
    sliders and a rotation      a joint for each      planar      unchanged if it is the planar joint of URDF

Segments keep their names. The added segments take the name of the segment, and the added joints the name of the joint,
plus a suffix for the motion: LeftArm_swing1, LeftArm_swing2, LeftArm_twist; Hips_tx, Hips_ty, Hips_tz.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from manikin import rotations
from manikin.arrays import Indices, Poses, Vector
from manikin.figure.figure import Figure
from manikin.figure.joint import Ball, Euler, Free, Hinge, Joint, Motion, Numbers, Slider, as_tuple
from manikin.figure.segment import Segment
from manikin.files.urdf.ball import Chart, chart
from manikin.files.urdf.joints import planar_axes


@dataclass(frozen=True, eq=False)
class Expansion:
    """A figure with one motion per joint, and the conversion between its poses and those of the original."""

    figure: Figure
    """The expanded figure. Every joint is fixed, a hinge, a slider, planar, or free."""
    original: Figure
    _from: Indices
    """(k,) indices in the original's pose of the numbers that both poses have."""
    _to: Indices
    """(k,) indices of the same numbers in the expanded pose."""
    _balls: tuple[tuple[int, int, Chart], ...]
    """For each ball: the index of its quaternion, the index of its three angles, and the chart that converts them."""

    def pose(self, q: ArrayLike) -> Poses:
        """Converts a pose of the original figure. (..., nq) -> (..., expanded nq)."""
        q = self.original.check(q)
        out = np.zeros((*q.shape[:-1], self.figure.nq))
        out[..., self._to] = q[..., self._from]
        for at, angles, ball in self._balls:
            out[..., angles : angles + 3] = ball.angles(q[..., at : at + 4])
        return out

    def original_pose(self, q: ArrayLike) -> Poses:
        """Converts a pose of the expanded figure back to the original: the inverse of `pose`."""
        q = self.figure.check(q)
        out = np.zeros((*q.shape[:-1], self.original.nq))
        out[..., self._from] = q[..., self._to]
        for at, angles, ball in self._balls:
            out[..., at : at + 4] = ball.ball(q[..., angles : angles + 3])
        return out


@dataclass(frozen=True)
class _Part:
    """One motion of a joint that is split."""

    label: str
    motion: Motion
    turn: Numbers = rotations.IDENTITY
    """Fixed rotation before the motion."""


def expanded(figure: Figure) -> Expansion:
    """Splits balls, Euler joints and sequences of a figure into single motions.

    The result has exactly the structure of the URDF file that `save` writes. Masses, shapes, couplings and limits are
    kept; the cone of a ball becomes a box (see `ball`).

    Example:
        >>> expansion = expanded(Figure("arm", [Segment("Arm", joint=Ball())]))
        >>> expansion.figure.segment_names, expansion.pose([1.0, 0.0, 0.0, 0.0]).tolist()
        (('Arm_x', 'Arm_y', 'Arm'), [0.0, 0.0, 0.0])
    """
    segments: list[Segment] = []
    segment_names, joint_names = set(figure.segment_names), set(figure.joint_names)
    copied: list[tuple[int, str, int]] = []  # index in the original, joint in the expanded figure, index in that joint
    balls: list[tuple[int, str, Chart]] = []
    for s in figure.segments:
        at = figure.index_of(s.joint.name)
        parts, ball = _parts(figure, s.joint)
        if not parts:
            segments.append(s)
            copied.extend((at + k, s.joint.name, k) for k in range(s.joint.nq))
            continue
        names = [unused(f"{s.joint.name}_{p.label}", joint_names) for p in parts]
        before = len(parts) - (3 if ball is not None else 0)
        copied.extend((at + k, names[k], 0) for k in range(before))
        rest = list(figure.rest[at : at + before])
        if ball is not None:
            balls.append((at + before, names[before], ball))
            rest.extend(ball.angles(figure.rest[at + before : at + before + 4]))
        segments.extend(_row(s, parts, names, rest, segment_names))
    made = figure.replaced(segments=segments)
    return Expansion(
        made,
        figure,
        np.array([n for n, _, _ in copied], dtype=np.int32),
        np.array([made.index_of(joint) + k for _, joint, k in copied], dtype=np.int32),
        tuple((at, made.index_of(joint), ball) for at, joint, ball in balls),
    )


def is_planar(figure: Figure, joint: Joint) -> bool:
    """Whether a joint can be written as a URDF planar joint.

    Pinocchio and others assume that the normal is z, whatever the file says. So a joint with another normal is written
    as planar only if it was read as planar from a URDF file.
    """
    normal = joint.motions[-1] if len(joint.motions) == 3 else None
    if not isinstance(normal, Hinge):
        return False
    first, second, axis = planar_axes(normal.axis)
    was = figure.source.get("format") == "urdf" and figure.source.get("joints", {}).get(joint.name, {})
    if joint.motions != (Slider(first), Slider(second), Hinge(axis)):
        return False
    return normal.axis == (0.0, 0.0, 1.0) or bool(was and was.get("type") == "planar")


def unused(name: str, taken: set[str]) -> str:
    """Returns the name, or the first of name_1, name_2, … that is not taken, and adds it to `taken`."""
    candidate, number = name, 0
    while candidate in taken:
        number += 1
        candidate = f"{name}_{number}"
    taken.add(candidate)
    return candidate


def _parts(figure: Figure, joint: Joint) -> tuple[list[_Part], Chart | None]:
    """The single motions, and the chart of the ball among them. No parts are returned if the joint needs no split."""
    single = len(joint.motions) <= 1 and not (joint.motions and isinstance(joint.motions[0], (Euler, Ball)))
    if single or is_planar(figure, joint):
        return [], None
    at = figure.index_of(joint.name)
    parts: list[_Part] = []
    for motion in joint.motions:
        if isinstance(motion, Ball):
            ball = chart(motion)
            turns = (ball.reference, rotations.IDENTITY, rotations.IDENTITY)
            parts.extend(_Part(*p) for p in zip(ball.labels, ball.hinges(), turns, strict=True))
            return parts, ball
        motions = _hinges(motion) if isinstance(motion, Euler) else [motion]
        assert not isinstance(motion, Free)  # a free joint has no other motions
        for m in motions:
            label = figure.number_names[at + len(parts)].removeprefix(f"{joint.name}.")
            parts.append(_Part(label, m))
    return parts, None


def _hinges(euler: Euler) -> list[Hinge]:
    axes = (rotations.AXES[letter.lower()] for letter in euler.order)
    return [Hinge(axis, limits) for axis, limits in zip(axes, euler.limits, strict=True)]


def _row(s: Segment, parts: list[_Part], joints: list[str], rest: list[float], taken: set[str]) -> list[Segment]:
    """The chain of segments that the parts of a joint move. The last is the segment itself."""
    out: list[Segment] = []
    parent, offset, rotation = s.parent, s.joint.offset, s.joint.rotation
    for k, part in enumerate(parts):
        turned = rotation if part.turn == rotations.IDENTITY else _product(rotation, part.turn)
        stated = (float(rest[k]),) if s.joint.rest or rest[k] != 0.0 else ()
        joint = Joint(joints[k], (part.motion,), offset, turned, stated)
        if k == len(parts) - 1:
            out.append(s.replaced(parent=parent, joint=joint))
        else:
            out.append(Segment(unused(f"{s.name}_{part.label}", taken), parent, joint))
        parent, offset, rotation = out[-1].name, (0.0, 0.0, 0.0), rotations.IDENTITY
    return out


def _product(a: Numbers, b: Numbers) -> Numbers:
    if a == rotations.IDENTITY:
        return b
    product: Vector = rotations.normalized(rotations.multiply(np.array(a), np.array(b)))
    return as_tuple(product)
