"""Natural starts in plain NumPy: a net predicts the whole body from a few of its effectors.

All quantities are in the frame of the figure at rest (x left, y up, z forward), in legs (thigh and shank together):

    θ      the turn about up that takes the points of the mean pose to their targets (`heading`); R its rotation
    c      the mean of the known effector positions
    x for each effector  Rᵀ(p − c),  two columns of Rᵀ B,  whether each is known;  then the height above the floor, and
           the proportions of the body
    y      net(x): a rotation vector for each part, two columns of Rᵀ B of the pelvis, Rᵀ(pelvis − c)

with B the anatomical axes of an effector (`natural.anatomy`). The net is symmetric, so mirrored targets give the
mirrored pose (`reference.natural_net`). The turn of a part is C exp(w), with w its rotation vector in y. C is a raised
and bent arm for the arms and the identity for other parts: rotation vectors are ambiguous near half a turn, and arms
reach half a turn from hanging. The joints of a part share its turn evenly. If a figure has no joints for a part, the
next parts take its turn. The root is placed, and the pose is moved inside its limits.

The turn θ = atan2(S, C) is the angle of the vector (C, S) of `heading`, in legs². If the vector is shorter than `FADE`,
the points say little about the heading, and the vector (FADE − length) · (1, 0) is added. The heading then approaches
that of the figure at rest. So a start is a continuous function of its targets, except where the sum is 0.

`reference.natural_gaze` says how an aim of the head is read.

The native core (cpp/solve/starts/natural.h) does the same, with a net in single precision.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from manikin import rotations
from manikin.arrays import Indices, Matrix, Points, Quaternions, Rotations, Vector
from manikin.reference.heading import angles_of, nearest
from manikin.reference.natural_arrays import BALL, THREE, NaturalArrays
from manikin.reference.natural_gaze import FARTHEST, HEAD, SHORTEST, Gaze, gaze_of
from manikin.reference.natural_net import EFFECTORS, INPUTS, PARTS, columns_to_rotation, net

ARM = 0.5
"""Length of the axes that stand for orientations in the heading, in legs."""
FACING = (1.0, 0.1, 0.1, 1.0, 1.0, 1.0)
"""Weight of the orientation of each effector in the heading. Hands turn about the forearm, so their axes say little
about the way the body faces."""
FADE = 0.1
"""The heading fades to that of the rest pose if its vector is shorter than this, in legs²."""


class Natural:
    """Starts for rows of targets. This class does not apply joint limits; the figure does."""

    def __init__(self, arrays: NaturalArrays) -> None:
        self.arrays = arrays

    def starts(self, targets: Matrix, weights: Matrix) -> Matrix:
        """A start (B, nq) for each row of targets (B, k). Weights (goals,) or (B, goals) are 0 for goals that do not
        count."""
        every = np.broadcast_to(weights, (len(targets), weights.shape[-1]))
        rows = [self._start(row, own) for row, own in zip(targets, every, strict=True)]
        return np.array(rows).reshape(len(targets), len(self.arrays.start))

    def put(self, q: Vector, y: Vector) -> None:
        """Sets the joints of all parts in a pose (nq,) from their coordinates (51,)."""
        put_parts(self.arrays, q, y)

    def _start(self, targets: Vector, weights: Vector) -> Vector:
        on = self.arrays
        read = self._read(targets, weights)
        if read is None:
            return np.array(on.start)
        y = net(on, read.x)
        q: Vector = np.array(on.start)
        put_parts(on, q, y[: 3 * PARTS])
        B = read.turn @ columns_to_rotation(y[51:57])
        place = read.center + read.turn @ y[57:60]
        self._put_root(q, on.frame @ B, on.leg * (on.frame @ place))
        return q

    def _read(self, targets: Vector, weights: Vector) -> _Read | None:
        """The inputs of the net; None if no effector has a position."""
        # Points and orientations that count, in the frame of the figure.
        on = self.arrays
        most = FARTHEST * on.leg
        counts = weights[on.point_goal] > 0.0
        points = np.clip(targets[on.point_target[:, None] + np.arange(3)], -most, most)
        points = np.where(counts[:, None], points, 0.0) @ on.frame / on.leg
        turned = weights[on.axes_goal] > 0.0
        quaternions = targets[on.axes_target[:, None] + np.arange(4)]
        quaternions = np.where(turned[:, None], quaternions, rotations.IDENTITY)
        wanted = on.frame.T @ rotations.to_matrix(quaternions)
        B = wanted @ rotations.to_matrix(on.axes_right)
        # The point, the orientation and the aim of each effector.
        slots = chosen(on.point_slot, on.point_goal, weights)
        if (slots < 0).all():
            return None
        facing = chosen(on.axes_slot, on.axes_goal, weights)
        aim = chosen(np.full(len(on.aim_goal), HEAD, dtype=np.int32), on.aim_goal, weights)[HEAD]
        gaze = None
        if aim >= 0 and facing[HEAD] < 0:
            own = slots[HEAD : HEAD + 1] if slots[HEAD] >= 0 else np.flatnonzero(counts)
            gaze = gaze_of(on, int(aim), targets, points[own].mean(axis=0), on.point[own].mean(axis=0))
        # Turn everything to the front.
        turn = about_up(*heading(on, points[counts], counts, wanted[turned], turned, gaze))
        known_axes = {slot: B[k] for slot, k in enumerate(facing) if k >= 0}
        head = None if gaze is None else gaze.axes(turn, on.slot_axes[HEAD])
        if head is not None:
            known_axes[HEAD] = head
        # Inputs: places relative to their centre, axes, what is known, the floor, proportions.
        x = np.zeros(INPUTS)
        places = np.zeros((EFFECTORS, 3))
        for slot, k in enumerate(slots):
            if k < 0:
                continue
            axes = known_axes.get(slot, turn @ on.slot_axes[slot])
            places[slot] = points[k] - axes @ on.point_offset[k] / on.leg
        known = slots >= 0
        center = places[known].mean(axis=0)
        x[:18] = (np.where(known[:, None], places - center, 0.0) @ turn).reshape(-1)
        for slot, axes in known_axes.items():
            own = turn.T @ axes
            x[18 + 6 * slot : 24 + 6 * slot] = np.concatenate([own[:, 0], own[:, 1]])
            x[60 + slot] = 1.0
        x[54:60] = known
        if np.isfinite(on.floor):
            x[66], x[67] = center[1] - on.floor / on.leg, 1.0
        x[68:] = on.proportions
        return _Read(x, turn, center)

    def _put_root(self, q: Vector, B: Matrix, place: Vector) -> None:
        """Turns and moves the root so that the pelvis has the axes B and the position `place`, both in the world."""
        on = self.arrays
        turn = B @ rotations.to_matrix(on.pelvis_axes).T
        if len(on.turn) == 1:
            own = on.turn_axes @ turn @ on.turn_axes.T
            at = slice(on.turn[0], on.turn[0] + 4)
            q[at] = rotations.multiply(rotations.from_matrix(own), q[at])
        else:
            now = q[on.turn]
            wanted = turn @ turned(on.turn_axes, now)
            q[on.turn] = within(angles_of(on.turn_axes, wanted, now), now, on.turn_limits)
        shift = place - on.pivot - turn @ (on.pelvis - on.pivot)
        q[on.slide] += on.to_slides @ shift


@dataclass(frozen=True, eq=False)
class _Read:
    x: Vector
    turn: Matrix
    center: Vector


def chosen(slot: Indices, goal: Indices, weights: Vector) -> Indices:
    """(6,) the point (or orientation) with the largest weight for each effector, the first of equals; −1 for none."""
    out = np.full(EFFECTORS, -1, dtype=np.int32)
    for k, (s, g) in enumerate(zip(slot, goal, strict=True)):
        if s >= 0 and weights[g] > 0.0 and (out[s] < 0 or weights[g] > weights[goal[out[s]]]):
            out[s] = k
    return out


def heading(
    on: NaturalArrays,
    points: Points,
    counts: NDArray[np.bool_],
    wanted: Rotations,
    facing: NDArray[np.bool_],
    gaze: Gaze | None = None,
) -> tuple[float, float]:
    """Cosine and sine of the turn about up from the mean pose to the targets."""
    a, b = on.point[counts], points
    if len(a):
        a, b = a - a.mean(axis=0), b - b.mean(axis=0)
    axes = on.axes[facing]
    a = np.concatenate([a, ARM * axes.transpose(0, 2, 1).reshape(-1, 3)])
    b = np.concatenate([b, ARM * wanted.transpose(0, 2, 1).reshape(-1, 3)])
    if gaze is not None and np.linalg.norm(gaze.away) > SHORTEST:
        a = np.concatenate([a, ARM * gaze.axis[None]])
        b = np.concatenate([b, ARM * gaze.away[None] / np.linalg.norm(gaze.away)])
    C = float(np.sum(a[:, 0] * b[:, 0] + a[:, 2] * b[:, 2]))
    S = float(np.sum(a[:, 2] * b[:, 0] - a[:, 0] * b[:, 2]))
    return faded(C, S)


def faded(C: float, S: float) -> tuple[float, float]:
    """Cosine and sine of the angle of (C, S). The angle approaches 0 if the vector is short."""
    length = np.hypot(C, S)
    if length < FADE:
        C += FADE - length
        length = np.hypot(C, S)
    return (C / length, S / length) if length > 0.0 else (1.0, 0.0)


def about_up(cosine: float, sine: float) -> Matrix:
    """(3, 3) the turn about y."""
    return np.array([[cosine, 0.0, sine], [0.0, 1.0, 0.0], [-sine, 0.0, cosine]])


def put_parts(on: NaturalArrays, q: Vector, y: Vector) -> None:
    """Sets the joints of all parts in a pose from their rotation vectors (51,).

    A joint with three degrees of freedom takes an even share of the remaining turn of its part. A joint with fewer
    takes as much of the remaining turn as it can.
    """
    part, left = -1, np.array(rotations.IDENTITY)
    for k in range(len(on.joint_kind)):
        kind, at = on.joint_kind[k], on.joint_number[k]
        if on.joint_part[k] != part:
            part = int(on.joint_part[k])
            left = part_turn(on, part, y)
        own = (on.joint_part == part) & (np.arange(len(on.joint_part)) >= k)
        whole = int(np.sum(own & ((on.joint_kind == BALL) | (on.joint_kind == THREE))))
        A = left
        if kind in (BALL, THREE) and whole > 1:
            A = rotations.from_rotation_vector(rotations.to_rotation_vector(left) / whole)
        L = rotations.multiply(rotations.multiply(on.joint_left[k], A), on.joint_right[k])
        if kind == BALL:
            q[at : at + 4] = rotations.normalized(L)
        else:
            L = _put_angles(on, q, k, L)
            A = rotations.multiply(
                rotations.inverse(on.joint_left[k]), rotations.multiply(L, rotations.inverse(on.joint_right[k]))
            )
        left = rotations.multiply(rotations.inverse(A), left)


def part_turn(on: NaturalArrays, part: int, y: Vector) -> Quaternions:
    """(4,) the turn of a part, including the turns of the parts before it that have no joints."""
    own = rotations.multiply(on.center[part], rotations.from_rotation_vector(y[3 * part : 3 * part + 3]))
    before = int(on.part_before[part])
    return own if before < 0 else rotations.multiply(part_turn(on, before, y), own)


def _put_angles(on: NaturalArrays, q: Vector, k: int, L: Quaternions) -> Quaternions:
    """Sets the angles of a joint so that its turn is near L. Returns that turn."""
    kind, at, axes, limits = int(on.joint_kind[k]), int(on.joint_number[k]), on.joint_axes[k], on.joint_limits[k]
    now = on.start[at : at + kind]
    if kind == THREE:
        angles = within(angles_of(axes, rotations.to_matrix(L), now), now, limits)
    else:
        rest, found = L, []
        for axis in axes[:kind]:
            angle = 2.0 * np.arctan2(rest[1:] @ axis, rest[0])
            angle -= 2.0 * np.pi * np.round(angle / (2.0 * np.pi))
            rest = rotations.multiply(rotations.from_axis_angle(axis, -angle), rest)
            found.append(angle)
        angles = np.clip(np.array(found), limits[:kind, 0], limits[:kind, 1])
    q[at : at + kind] = angles
    return rotations.from_matrix(turned(axes[:kind], angles))


def within(found: list[Vector], now: Vector, limits: Matrix) -> Vector:
    """The set of angles that is within limits and nearest to the present ones. If none is within limits, the one that
    exceeds them least, clipped."""
    whole = [angles for angles in (nearest(x, now, limits) for x in found) if angles is not None]
    if whole:
        return min(whole, key=lambda angles: float(np.abs(angles - now).sum()))
    near = [x - 2.0 * np.pi * np.round((x - now) / (2.0 * np.pi)) for x in found]
    inside = [np.clip(x, limits[:, 0], limits[:, 1]) for x in near]
    off = [float(np.abs(a - b).sum()) for a, b in zip(near, inside, strict=True)]
    return inside[int(off[1] < off[0])]


def turned(axes: Matrix, angles: Vector) -> Matrix:
    """(3, 3) the product of turns about axes (n, 3) by angles (n,)."""
    out: Matrix = np.eye(3)
    for axis, angle in zip(axes, angles, strict=True):
        out = out @ rotations.to_matrix(rotations.from_axis_angle(axis, angle))
    return out
