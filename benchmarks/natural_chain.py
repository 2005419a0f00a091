"""The joints of a person as a chain of turns: positions of joints from the outputs of the net, and the gradient.

Components come first and poses last: turns are (3, 3, TURNS, N), points (3, POINTS, N), outputs (60, N). NumPy is then
fast on a batch. A turn of a part is C exp(w / n), with w its rotation vector, n the number of joints that share it and
C the center of the part (`CENTERS`). B are the axes of a turn in the body: the B of the turn before it, times the turn
itself.

For a loss L with the gradient g of points x, the gradient for a turn about the point p is the torque Σ (x − p) × g over
the points that the turn moves. For its rotation vector it is J(w)ᵀ (B C)ᵀ torque, with J the left Jacobian of exp.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.natural_vectors import SMALL, applied, back_applied, cross, exponential, product
from benchmarks.turns import Array
from manikin import rotations
from manikin.prior.anatomy import BEFORE, PARTS, SIDES, Anatomy, divided

JOINTS = {"spine": 3, "neck": 2}
"""Parts of CMU's rigs with more than one joint, besides the hands, whose two joints are at one place."""
MARKS = {"head": ((0.0, 0.2, 0.0), (0.0, 0.0, 0.2)), "hand": ((0.0, -0.15, 0.0), (0.0, 0.0, 0.12))} | {
    "toes": ((0.0, 0.0, 0.1),)
}
"""Points on the last parts, in legs. They show the orientation of these parts."""
RAISED = (-0.6, 0.0, 0.6)
"""The center of the left upper arm: a rotation vector in radians, from hanging forward and outward."""
BENT = (-1.0, 0.0, 0.0)
"""The center of the forearms."""


def _tables() -> tuple[list[tuple[int, int, int, int]], list[tuple[int, int, Any]]]:
    """Turns (part, joints, turn before, point that it turns about) and points (point before, turn that carries the
    bone between them, mark)."""
    turns, points = [(-1, 1, -1, 0)], [(-1, -1, None), (0, 0, None)]
    ends = {"": (0, 0)}
    for k, name in enumerate(PARTS):
        side, bare = divided(name)
        above = BEFORE.get(bare, "")
        turn, point = ends[above if above in ends else f"{side} {above}"]
        for _ in range(JOINTS.get(bare, 1)):
            points.append((point, turn, None))
            point = len(points) - 1
            turns.append((k, JOINTS.get(bare, 1), turn, point))
            turn = len(turns) - 1
        ends[name] = (turn, point)
    for name in PARTS:
        points += [(ends[name][1], ends[name][0], mark) for mark in MARKS.get(divided(name)[1], ())]
    return turns, points


TURN, POINT = _tables()
"""The pelvis is turn 0. Point 0 is the middle between the hip joints, point 1 the joint of the pelvis."""
PART = np.array([part for part, *_ in TURN[1:]])
SHARE = np.array([joints for _, joints, *_ in TURN[1:]])
BEFORE_TURN = np.array([before for _, _, before, _ in TURN[1:]])
PIVOT = np.array([point for *_, point in TURN])
MARKED = np.array([mark is not None for *_, mark in POINT])


def _last(part: str) -> int:
    return max(k for k, turn in enumerate(TURN) if turn[0] == PARTS.index(part))


EFFECTOR_TURN = np.array([*(_last(e) for e in ("head", "left hand", "right hand", "left foot", "right foot")), 0])
EFFECTOR_POINT = np.array([*(PIVOT[k] for k in EFFECTOR_TURN[:-1]), 0])
"""The turn and the point of each effector."""


def _part_points(name: str) -> list[int]:
    """The points about which a part turns, of both sides if it has sides."""
    return [point for part, _, _, point in TURN[1:] if divided(PARTS[part])[1] == name]


BONES = {
    "trunk": _part_points("spine"),
    "neck": _part_points("neck") + _part_points("head"),
    "shoulder": _part_points("upper arm"),
    "upper arm": _part_points("forearm"),
    "forearm": _part_points("hand"),
    "hip": _part_points("thigh"),
    "leg": sorted(_part_points("shank") + _part_points("foot")),
}
"""The points at the ends of bones. A leg has two, the ends of thigh and shank; those of the left side come first."""


def _swaps() -> tuple[list[int], list[int]]:
    """The index of the counterpart of each turn and of each point on the other side."""
    parts = [PARTS.index(other_side(name)) for name in PARTS]
    own = [[k for k, turn in enumerate(TURN) if turn[0] == part] for part in range(len(PARTS))]
    turns, points = list(range(len(TURN))), list(range(len(POINT)))
    for part, other in enumerate(parts):
        for one, two in zip(own[part], own[other], strict=True):
            turns[one], points[TURN[one][3]] = two, TURN[two][3]
        marks = [[p for p, (_, turn, mark) in enumerate(POINT) if mark and turn == own[k][-1]] for k in (part, other)]
        for one, two in zip(*marks, strict=True):
            points[one] = two
    return turns, points


def other_side(part: str) -> str:
    side, name = divided(part)
    return f"{SIDES[1 - SIDES.index(side)]} {name}" if side else part


SWAPPED_TURNS, SWAPPED_POINTS = _swaps()


def _by_depth(before: list[int]) -> list[Array]:
    """Groups of indices that may be computed together. Groups that others depend on come first."""
    depth = [0] * len(before)
    for k, above in enumerate(before):
        depth[k] = depth[above] + 1 if above >= 0 else 0
    return [np.array([k for k, d in enumerate(depth) if d == level]) for level in range(1, max(depth) + 1)]


TURN_LEVELS = _by_depth([before for _, _, before, _ in TURN])
POINT_LEVELS = _by_depth([before for before, *_ in POINT])
POINT_BEFORE = np.array([before for before, *_ in POINT])
CARRIER = np.array([carrier for _, carrier, _ in POINT])


def _moved() -> Array:
    """(TURNS, POINTS) 1 where a turn moves a point."""
    out = np.zeros((len(TURN), len(POINT)), dtype=np.float32)
    for p in range(1, len(POINT)):
        turn = POINT[p][1]
        while turn >= 0:
            out[turn, p] = 1.0
            turn = TURN[turn][2]
    return out


MOVED = _moved()


def _centers() -> Array:
    out = np.tile(np.array(rotations.IDENTITY), (len(PARTS), 1))
    for side, sign in zip(SIDES, (1.0, -1.0), strict=True):
        for name, (x, y, z) in {"upper arm": RAISED, "forearm": BENT}.items():
            out[PARTS.index(f"{side} {name}")] = rotations.from_rotation_vector(np.array([x, sign * y, sign * z]))
    return out


CENTERS = _centers()
"""(17, 4) the turn that each part has if its rotation vector is 0; see `reference.natural`."""
CENTERED = np.flatnonzero(np.abs(CENTERS[PART, 1:]).max(axis=1) > 0.0)
CENTER = np.moveaxis(rotations.to_matrix(CENTERS[PART[CENTERED]]), 0, 2)[..., None].astype(np.float32)


def bones_of(anatomy: Anatomy) -> Array:
    """(POINTS, 3) from the point before to each point, in legs and in the axes of the turn that carries it."""
    placed = anatomy.figure.placements(anatomy.figure.rest)
    segments = segments_of(anatomy)
    B = np.einsum("ji,sjk,skl->sil", anatomy.frame, placed[segments, :3, :3], _axes(anatomy, segments))
    at = placed[:, :3, 3] @ anatomy.frame / anatomy.leg
    hips = at[anatomy.pelvis] + B[0] @ anatomy.hips / anatomy.leg
    firsts = [own[k] if len(own) == n else own[0] for own, k, n in _own_joints(anatomy)]
    where = [hips, at[anatomy.pelvis], *(at[i] for i in firsts)]
    out = np.zeros((len(POINT), 3))
    for p, (before, carrier, mark) in enumerate(POINT):
        if mark is not None:
            out[p] = mark
        elif before >= 0:
            out[p] = B[carrier].T @ (where[p] - where[before])
    return out


def segments_of(anatomy: Anatomy) -> list[int]:
    """The segment that has the axes of each turn."""
    return [anatomy.pelvis, *(own[k] if len(own) == n else own[-1] for own, k, n in _own_joints(anatomy))]


def _own_joints(anatomy: Anatomy) -> list[tuple[tuple[int, ...], int, int]]:
    """For each turn but the pelvis: the joints of its part, its number among them, and their number in the chain."""
    out, seen = [], dict.fromkeys(range(len(PARTS)), 0)
    for part, joints, *_ in TURN[1:]:
        out.append((anatomy.joints[PARTS[part]], seen[part], joints))
        seen[part] += 1
    return out


def _axes(anatomy: Anatomy, segments: list[int]) -> Array:
    return rotations.to_matrix(anatomy.axes[segments])


def turns_of(anatomy: Anatomy, placed: Array) -> Array:
    """(N, TURNS, 3, 3) the axes of all turns in poses with these placements (N, S, 4, 4), in the frame at rest."""
    segments = segments_of(anatomy)
    return np.einsum("ji,nsjk,skl->nsil", anatomy.frame, placed[:, segments, :3, :3], _axes(anatomy, segments))


def proportions(bones: Array) -> Array:
    """(..., 7) `Anatomy.proportions` from bones (..., POINTS, 3)."""
    point = {PARTS[part]: p for part, _, _, p in reversed(TURN[1:])}
    from_hips = {0: np.zeros_like(bones[..., 0, :])}
    for p, (before, *_) in enumerate(POINT[1:], 1):
        from_hips[p] = from_hips[before] + bones[..., p, :]

    def both(name: str) -> list[Array]:
        return [np.linalg.norm(bones[..., point[f"{side} {name}"], :], axis=-1) for side in SIDES]

    shoulders, hips = ([from_hips[point[f"{side} {n}"]] for side in SIDES] for n in ("upper arm", "thigh"))
    middle = 0.5 * (shoulders[0] + shoulders[1])
    lengths = [
        np.linalg.norm(middle, axis=-1),
        np.linalg.norm(from_hips[point["head"]] - middle, axis=-1),
        0.5 * np.linalg.norm(shoulders[0] - shoulders[1], axis=-1),
        0.5 * sum(both("forearm")),
        0.5 * sum(both("hand")),
        0.5 * np.linalg.norm(hips[0] - hips[1], axis=-1),
        0.5 * sum(both("shank")),
    ]
    return np.stack(lengths, axis=-1)


def points(B: Array, bones: Array, hips: Array) -> Array:
    """(3, POINTS, N) from turns (3, 3, TURNS, N), bones (3, POINTS, N) and the middle between the hip joints (3, N)."""
    X = np.empty(bones.shape, B.dtype)
    X[:, 0] = hips
    for own in POINT_LEVELS:
        X[:, own] = X[:, POINT_BEFORE[own]] + applied(B[:, :, CARRIER[own]], bones[:, own])
    return X


class Chain:
    """A pose from the outputs of the net (60, N), and the gradient of a loss with respect to the outputs."""

    def __init__(self, y: Array, bones: Array) -> None:
        n = y.shape[1]
        self.w = y[:51].reshape(len(PARTS), 3, n).transpose(1, 0, 2)[:, PART] / SHARE[:, None].astype(y.dtype)
        E, self.one, self.two = exponential(self.w)
        E[:, :, CENTERED] = product(np.broadcast_to(CENTER, (3, 3, len(CENTERED), n)), E[:, :, CENTERED])
        u, self.v = y[51:54], y[54:57]
        self.first = np.maximum(np.sqrt((u * u).sum(axis=0)), y.dtype.type(SMALL))
        self.a = u / self.first
        self.along = (self.a * self.v).sum(axis=0)
        b = self.v - self.a * self.along
        self.second = np.maximum(np.sqrt((b * b).sum(axis=0)), y.dtype.type(SMALL))
        self.b = b / self.second
        self.B = np.empty((3, 3, len(TURN), n), y.dtype)
        self.B[:, 0, 0], self.B[:, 1, 0], self.B[:, 2, 0] = self.a, self.b, cross(self.a, self.b)
        for own in TURN_LEVELS:
            self.B[:, :, own] = product(self.B[:, :, BEFORE_TURN[own - 1]], E[:, :, own - 1])
        self.X = points(self.B, bones, y[57:])

    def gradient(self, g: Array) -> Array:
        """(60, N) from the gradient with respect to the points (3, POINTS, N)."""
        n = g.shape[-1]
        out = np.empty((60, n), g.dtype)
        out[57:] = g.sum(axis=1)
        torque = np.matmul(MOVED, cross(self.X, g)) - cross(self.X[:, PIVOT], np.matmul(MOVED, g))
        own = back_applied(self.B[:, :, BEFORE_TURN], torque[:, 1:])
        own[:, CENTERED] = back_applied(np.broadcast_to(CENTER, (3, 3, len(CENTERED), n)), own[:, CENTERED])
        turned = cross(self.w, own)
        own = (own - self.one * turned + self.two * cross(self.w, turned)) / SHARE[:, None].astype(g.dtype)
        parts = np.zeros((len(PARTS), 3, n), g.dtype)
        for k, part in enumerate(PART):
            parts[part] += own[:, k]
        out[:51] = parts.reshape(51, n)
        out[51:57] = self._columns(torque[:, 0])
        return out

    def _columns(self, torque: Array) -> Array:
        """(6, N) the gradient for the two columns, through their orthonormalisation."""
        a, b, half = self.a, self.b, torque.dtype.type(0.5)
        ga, gb, gc = (half * cross(torque, self.B[:, k, 0]) for k in range(3))
        ga, gb = ga + cross(b, gc), gb + cross(gc, a)
        gv = (gb - b * (b * gb).sum(axis=0)) / self.second
        across = (a * gv).sum(axis=0)
        ga = ga - gv * self.along - self.v * across
        return np.concatenate([(ga - a * (a * ga).sum(axis=0)) / self.first, gv - a * across])
