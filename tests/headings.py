"""Common code of the tests of headings: figures, turned and moved targets, and the distance of two poses."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import manikin as mk
from manikin import rotations
from manikin.arrays import Matrix, Vector
from manikin.figure import Euler, Figure, Joint, Slider

PERSON = ("Head", "LeftHand", "RightHand", "LeftFoot", "RightFoot")
ANIMAL = ("Head", "LeftForePaw", "RightForePaw", "LeftHindPaw", "RightHindPaw")
TURNS = ((1.234, (0.0, 0.0, 0.0)), (np.pi / 2, (1.0, 2.0, 3.0)), (np.pi, (0.0, -0.3, 0.0)), (-2.7, (-3.0, 0.4, 1.1)))
"""(radians about `up`, shift in sizes)"""


def with_euler_root(order: str, limits: Sequence[tuple[float, float]] = ()) -> Figure:
    """The built-in person with three sliders and an Euler joint for a root."""
    human = mk.human()
    motions = (*(Slider(axis) for axis in np.eye(3)), Euler(order, tuple(limits)))
    root = Joint("Hips", motions, rest=(*human.rest[:3], 0.0, 0.0, 0.0))
    return mk.Figure("person", [human.segments[0].replaced(joint=root), *human.segments[1:]], up=human.up)


def goals(segments: Sequence[str], placed: bool, row: Vector | None = None) -> list[mk.Goal]:
    """Positions of these segments, or placements; at the origin unless a row of targets says where."""
    width = 7 if placed else 3
    rows = np.tile([0, 0, 0, 1, 0, 0, 0][:width], (len(segments), 1)) if row is None else row.reshape(-1, width)
    kind = mk.Placement if placed else mk.Position
    return [kind(segment, numbers) for segment, numbers in zip(segments, rows, strict=True)]


def asked(figure: Figure, poses: Matrix, segments: Sequence[str], placed: bool) -> Matrix:
    """(B, k) rows of targets that poses (B, nq) meet."""
    P = figure.placements(poses, list(segments))
    parts = [P[..., :3, 3], rotations.from_matrix(P[..., :3, :3])] if placed else [P[..., :3, 3]]
    return np.concatenate(parts, axis=-1).reshape(len(P), -1)


def beyond(figure: Figure, rows: Matrix, placed: bool, rng: np.random.Generator, far: float = 0.4) -> Matrix:
    """Rows of targets of which every position is moved by chance, by about `far` sizes."""
    out = rows.reshape(len(rows), -1, 7 if placed else 3).copy()
    out[..., :3] += rng.normal(0.0, far * figure.size, out[..., :3].shape)
    return out.reshape(rows.shape)


def turned(figure: Figure, rows: Matrix, placed: bool, angle: float, shift: Sequence[float]) -> Matrix:
    """Rows of targets turned about `up` and moved by so many sizes."""
    turn = rotations.from_axis_angle(rotations.AXES[figure.up], angle)
    out = rows.reshape(len(rows), -1, 7 if placed else 3).copy()
    out[..., :3] = rotations.rotate(turn, out[..., :3]) + np.array(shift) * figure.size
    if placed:
        out[..., 3:] = rotations.multiply(turn, out[..., 3:])
    return out.reshape(rows.shape)


def apart(figure: Figure, poses: Matrix, others: Matrix, angle: float, shift: Sequence[float]) -> Vector:
    """(B,) how far others are from poses that are turned and moved: sizes, or entries of a rotation."""
    R = rotations.axis_matrix(figure.up, angle)
    P, Q = figure.placements(poses), figure.placements(others)
    turns = np.abs(R @ P[..., :3, :3] - Q[..., :3, :3]).max(axis=(-1, -2, -3))
    places = P[..., :3, 3] @ R.T + np.array(shift) * figure.size - Q[..., :3, 3]
    out: Vector = np.maximum(turns, np.abs(places).max(axis=(-1, -2)) / figure.size)
    return out
