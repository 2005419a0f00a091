"""The numbers of a pose: checks them, sets them by name, and converts their changes to steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from manikin import arrays, rotations
from manikin.arrays import Poses, Steps, Vector
from manikin.errors import BadShape, BadValue, unknown_name
from manikin.figure.layout import Layout
from manikin.figure.measure import released
from manikin.reference.tree import BALL, FIXED, follow

if TYPE_CHECKING:
    from manikin.figure.figure import Figure


def check_pose(figure: Figure, q: ArrayLike, name: str) -> Poses:
    """A pose (..., nq) as float64; shape, finite numbers and unit quaternions checked.

    Raises:
        BadShape, BadValue: the message contains the number and a value that would be right.
    """
    array = arrays.real(q, name)
    if array.ndim == 0 or array.shape[-1] != figure.nq:
        raise BadShape(
            f"{name} has shape {array.shape}; figure {figure.name!r} needs ({figure.nq},) or (…, {figure.nq})"
        )
    finite = np.isfinite(array)
    if not finite.all():
        where = tuple(int(i) for i in np.argwhere(~finite)[0])
        raise BadValue(
            f"{name}{_row(where)}: {figure.number_names[where[-1]]} is {array[where]}; it needs a finite number"
        )
    balls = figure.layout.balls
    if len(balls):
        w, x, y, z = (array[..., balls + k] for k in range(4))
        with np.errstate(over="ignore"):
            squares = w * w + x * x + y * y + z * z
        if (np.abs(squares - 1.0) > arrays.UNIT_TOLERANCE).any():  # a length is nearer to 1 than its square
            _check_lengths(figure, np.hypot(np.hypot(w, x), np.hypot(y, z)), name)  # hypot does not overflow
    return array


def _check_lengths(figure: Figure, lengths: Poses, name: str) -> None:
    """Raises BadValue if a quaternion has another length than 1."""
    off = np.abs(lengths - 1.0) > arrays.UNIT_TOLERANCE
    if off.any():
        where = tuple(int(i) for i in np.argwhere(off)[0])
        joint = figure.number_names[figure.layout.balls[where[-1]]].removesuffix(".w")
        length = lengths[where]
        what = "is zero" if length == 0.0 else f"has length {length:.6g}"
        raise BadValue(f"{name}{_row(where)}: the quaternion of {joint} {what}; it needs length 1 (order w, x, y, z)")


def pose_from_numbers(figure: Figure, start: Vector, numbers: Mapping[str, ArrayLike]) -> Vector:
    """`start` with the numbers of some joints set; coupled numbers follow.

    A key is a joint ("LeftForeArm": one value for each of its numbers) or one number ("Spine.z").
    """
    layout = figure.layout
    if not isinstance(numbers, Mapping):
        raise BadValue(f"pose needs names with numbers, such as {{'Spine.x': 0.3}}, got {numbers!r}")
    if start.shape != (figure.nq,):
        raise BadShape(f"base has shape {start.shape}; figure {figure.name!r} needs ({figure.nq},), one pose")
    q = np.array(start, dtype=np.float64)
    counts = {s.joint.name: s.joint for s in figure.segments}
    for key, values in numbers.items():
        if key in counts:
            n, joint = layout.first_number[key], counts[key]
            if joint.nq == 0:
                raise BadValue(f"joint {key!r} of figure {figure.name!r} is fixed; it has no number to set")
            if joint.coupling is not None:
                raise BadValue(
                    f"joint {key!r} of figure {figure.name!r} follows {joint.coupling.source!r}; set that joint instead"
                )
            arrays.require_plain(values, f"pose: {key}")
            wanted: tuple[int, ...] = () if joint.nq == 1 and np.ndim(values) == 0 else (joint.nq,)
            q[n : n + joint.nq] = arrays.numbers(values, f"pose: {key}", wanted)
        elif key in layout.names:
            q[layout.names.index(key)] = arrays.scalar(values, f"pose: {key}")
        else:
            raise unknown_name(f"figure {figure.name!r}", "joint", key, figure.joint_names)
    return check_pose(figure, follow(layout.tree, q), "pose")


def pose_to_steps(layout: Layout, q: Poses, dq: Poses) -> Steps:
    """Changes of the numbers of q as steps of the released tree: v = 2 (q̄ ⊗ dq)_xyz / |q|² for a ball, otherwise
    dq."""
    tree = released(layout.tree)
    out = np.zeros((*np.broadcast_shapes(q.shape[:-1], dq.shape[:-1]), tree.nv))
    for kind, n, k in zip(tree.kind, tree.number, tree.step, strict=True):
        if kind == BALL:
            turn, length = q[..., n : n + 4], (q[..., n : n + 4] ** 2).sum(axis=-1, keepdims=True)
            out[..., k : k + 3] = (
                2.0 * rotations.multiply(rotations.inverse(turn), dq[..., n : n + 4])[..., 1:] / length
            )
        elif kind != FIXED:
            out[..., k] = dq[..., n]
    return out


def steps_to_pose(layout: Layout, q: Poses, gradient: Steps) -> Poses:
    """The transpose of `pose_to_steps`: maps a gradient with respect to steps to one with respect to the numbers of
    q."""
    tree = released(layout.tree)
    out = np.zeros((*gradient.shape[:-1], tree.nq))
    for kind, n, k in zip(tree.kind, tree.number, tree.step, strict=True):
        if kind == BALL:
            turn, length = q[..., n : n + 4], (q[..., n : n + 4] ** 2).sum(axis=-1, keepdims=True)
            pure = np.concatenate([np.zeros_like(gradient[..., k : k + 1]), gradient[..., k : k + 3]], axis=-1)
            out[..., n : n + 4] = 2.0 * rotations.multiply(turn, pure) / length
        elif kind != FIXED:
            out[..., n] = gradient[..., k]
    return out


def _row(where: tuple[int, ...]) -> str:
    return f" {list(where[:-1])}" if len(where) > 1 else ""
