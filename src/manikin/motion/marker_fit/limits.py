"""Limits of the figure that is fitted: wider than those of the person, and narrow for a twist that is held."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manikin import arrays, rotations
from manikin.arrays import Poses
from manikin.errors import BadValue, unknown_name
from manikin.figure import Ball, Euler, Figure, Hinge, Segment, SwingTwist
from manikin.figure.joint import Joint, Motion, changed
from manikin.figure.layout import Cones
from manikin.kinematics import swing_twist

HELD = 0.01
"""A held twist may differ from the rest pose by this angle, in radians."""
AT_LIMIT = 1e-3
"""A joint is at a limit if it is nearer to it than this, in radians."""


def widened(figure: Figure, degrees: float, twists: Mapping[str, float] | None = None) -> Figure:
    """The figure with every range wider by an angle on both sides.

    Args:
        figure: the person.
        degrees: the angle.
        twists: the balls whose twist is held, and its value in radians. Their rest pose has this twist.
    """
    segments = widened_segments(figure.segments, degrees, twists)
    same = all(a is b for a, b in zip(segments, figure.segments, strict=True))
    return figure if same else figure.replaced(segments=segments)


def widened_segments(
    segments: tuple[Segment, ...], degrees: float, twists: Mapping[str, float] | None = None
) -> tuple[Segment, ...]:
    """The segments of `widened`."""
    slack = float(np.deg2rad(arrays.non_negative(degrees, "slack")))
    held = dict(twists or {})
    out = []
    for segment in segments:
        joint = segment.joint
        if slack > 0.0 and joint.motions:
            joint = changed(joint, motions=tuple(_wider(m, slack) for m in joint.motions))
        if joint.name in held:
            joint = _held(joint, held[joint.name])
        out.append(segment if joint is segment.joint else segment.replaced(joint=joint))
    return tuple(out)


def _held(joint: Joint, tau: float) -> Joint:
    """The joint with a narrow range around this twist, which is also the twist of its rest pose."""
    cone = _cone_of(joint)
    turn = np.array(joint.rest[-4:]) if joint.rest else np.array(rotations.IDENTITY)
    relative = rotations.multiply(rotations.inverse(np.array(cone.reference)), turn)
    one, two, _ = swing_twist.decompose(relative, cone.basis)
    tau = float(np.clip(tau, HELD - np.pi, np.pi - HELD))
    turn = rotations.multiply(np.array(cone.reference), swing_twist.compose(np.array([one, two, tau]), cone.basis))
    limited = Ball(replace(cone, twist=(tau - HELD, tau + HELD)))
    return replace(joint, motions=(*joint.motions[:-1], limited), rest=(*joint.rest[:-4], *turn.tolist()))


def _cone_of(joint: Joint) -> SwingTwist:
    ball = joint.motions[-1]
    assert isinstance(ball, Ball)
    assert ball.limits is not None
    return ball.limits


def check_hold(figure: Figure, hold: Mapping[str, str]) -> None:
    """Checks the joints of `hold`.

    Raises:
        UnknownName, BadValue: a joint is not a ball with limits, or a part other than the twist is named.
    """
    if not isinstance(hold, Mapping):
        raise BadValue(f"hold is {hold!r}; it needs a dict of joints, as in hold={{'LeftFoot': 'twist'}}")
    known = [s.joint.name for s in figure.segments]
    for name, part in hold.items():
        if name not in known:
            raise unknown_name(f"hold: figure {figure.name!r}", "joint", name, known)
        motions = figure.segments[known.index(name)].joint.motions
        if part != "twist" or not (motions and isinstance(motions[-1], Ball) and motions[-1].limits):
            raise BadValue(f"hold is {{{name!r}: {part!r}}}; fit_markers holds the twist of balls with limits")


def twist_of(figure: Figure, joint: str, poses: Poses) -> float:
    """The median twist of a ball in poses (N, nq), in radians."""
    cone = _cone_of(figure.segments[[s.joint.name for s in figure.segments].index(joint)].joint)
    at = figure.index_of(joint)
    relative = rotations.multiply(rotations.inverse(np.array(cone.reference)), poses[:, at : at + 4])
    return float(np.median(swing_twist.decompose(relative, cone.basis)[..., 2]))


def _wider(motion: Motion, slack: float) -> Motion:
    """The motion with wider limits. Wider limits than good ones are good, so nothing is checked."""
    if isinstance(motion, Hinge):
        return changed(motion, limits=_range(motion.limits, slack))
    if isinstance(motion, Euler):
        return changed(motion, limits=tuple(_range(pair, slack) for pair in motion.limits))
    if isinstance(motion, Ball) and motion.limits is not None:
        return Ball(_cone(motion.limits, slack))
    return motion


def _range(limits: tuple[float, float], slack: float) -> tuple[float, float]:
    return (limits[0] - slack, limits[1] + slack)


def _cone(limits: SwingTwist, slack: float) -> SwingTwist:
    low, high = _range(limits.twist, slack)
    one, two = (min(angle + slack, np.pi) for angle in limits.swing)
    return changed(limits, swing=(one, two), twist=(max(low, -np.pi), min(high, np.pi)))


def joints_at_limits(figure: Figure, poses: Poses) -> dict[str, float]:
    """The share of the poses (T, nq) in which each joint is at or beyond a limit. Joints with share 0 are left out."""
    layout = figure.layout
    moved = (poses != poses[:1]).any(axis=0)
    low, high = layout.lower, layout.upper
    at = ((poses < low + AT_LIMIT) | (poses > high - AT_LIMIT)) & (high > low)
    first = layout.cones.number
    turning = np.array([bool(moved[n : n + 4].any()) for n in first], dtype=bool)
    for cones, rows in ((np.flatnonzero(turning), poses), (np.flatnonzero(~turning), poses[:1])):
        if len(cones):  # a ball that never moves is judged in one frame
            at[:, first[cones]] |= _cones_at_limits(layout.cones, cones, rows)
    out = {}
    for segment in figure.segments:
        joint = segment.joint
        if not joint.nq or joint.coupling is not None:
            continue
        start = figure.index_of(joint.name)
        hit = at[:, start : start + joint.nq].any(axis=1)
        if hit.any():
            out[joint.name] = float(hit.mean())
    return dict(sorted(out.items(), key=lambda pair: -pair[1]))


def _cones_at_limits(cones: Cones, chosen: NDArray[Any], poses: Poses) -> NDArray[np.bool_]:
    """(N, K) whether chosen cones (K,) are at or beyond a limit in poses (N, nq)."""
    turns = poses[:, cones.number[chosen][:, None] + np.arange(4)]
    relative = rotations.multiply(cones.inverse_reference[chosen], turns)
    where = swing_twist.decompose(relative, cones.basis[chosen])
    r1, r2 = (cones.swing[chosen] - AT_LIMIT).T
    least, most = cones.twist[chosen].T
    swings = np.hypot(where[..., 0] / r1, where[..., 1] / r2) > 1.0
    twists = (where[..., 2] < least + AT_LIMIT) | (where[..., 2] > most - AT_LIMIT)
    return np.asarray(swings | twists)
