"""The mirror image of a pose: the right side does what the left side does, and vice versa.

Let M be the reflection in the mirror plane and D = R R₀ᵀ the rotation of a segment from the reference pose. The segment
of the other side is rotated by M D M from its own reference orientation. So the local axes of the two sides need not be
mirror images of each other. The root is reflected in the plane, and slides are reflected with their directions.

If a change of signs of the other joint's numbers gives this rotation, these numbers are used. That preserves whole
turns and continuity in time. Otherwise the numbers are computed from the rotation.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from manikin import arrays, rotations
from manikin.arrays import Matrix, Poses, Rotations, Vector
from manikin.errors import BadShape, BadValue, unknown_name
from manikin.figure.parts.sides import side_pairs
from manikin.reference.tree import BALL, SLIDE, TURN, follow

if TYPE_CHECKING:
    from manikin.figure.figure import Figure

NEAR_AXIS = np.cos(np.radians(10.0))
"""If the cosine between the normal of the mirror plane and a world axis is above this, the normal is that axis. The
measured positions of the sides are rarely exact."""
SAME_TURN = 1e-9
"""Rotation matrices are equal if no entry differs by more than this."""


def mirrored_pose(figure: Figure, q: ArrayLike, reference: ArrayLike | None, pairs: Mapping[str, str] | None) -> Poses:
    """See `Figure.mirrored`."""
    poses = figure.check(q)
    base = figure.check(figure.rest if reference is None else reference, "reference")
    if base.ndim != 1:
        raise BadShape(f"reference has shape {base.shape}; it needs ({figure.nq},), one pose")
    other = _other_side(figure, pairs)
    plane = _Plane.of(figure, base, other)
    flat = poses.reshape(-1, figure.nq)
    out = _Image(figure, flat, base, other, plane).poses()
    return follow(figure.layout.tree, out).reshape(poses.shape)


def mirrored_placements(figure: Figure, segments: Sequence[str], placements: Rotations) -> tuple[list[str], Rotations]:
    """Placements (n, 4, 4) of some segments in the world, and their mirror images with the segments of the other side.

    The mirror plane is that of `Figure.mirrored`, with the rest pose as the reference.
    """
    other, names = _other_side(figure, None), figure.segment_names
    plane = _Plane.of(figure, figure.rest, other)
    rest, M = figure.placements(figure.rest), plane.mirror
    out, images = np.array(placements, dtype=np.float64), []
    for k, name in enumerate(segments):
        i = names.index(name)
        images.append(names[other[i]])
        out[k, :3, :3] = M @ (out[k, :3, :3] @ rest[i, :3, :3].T) @ M @ rest[other[i], :3, :3]
        out[k, :3, 3] = plane.point + M @ (out[k, :3, 3] - plane.point)
    return images, out


def _other_side(figure: Figure, pairs: Mapping[str, str] | None) -> list[int]:
    """(S,) index of each segment's counterpart; its own index for segments in the middle."""
    names = figure.segment_names
    found = side_pairs(names) if pairs is None else {**pairs, **{b: a for a, b in pairs.items()}}
    for name in found:
        if name not in names:
            raise unknown_name(f"figure {figure.name!r}", "segment", name, names)
    if not found:
        raise BadValue(
            f"the names of figure {figure.name!r} do not show which segment is left and which is right; "
            "pass them as pairs={'left': 'right', …}"
        )
    return [names.index(found.get(name, name)) for name in names]


@dataclass(frozen=True, eq=False)
class _Plane:
    """The mirror plane in the world."""

    point: Vector
    mirror: Matrix
    """(3, 3) M = I − 2 n nᵀ."""

    @staticmethod
    def of(figure: Figure, base: Vector, other: list[int]) -> _Plane:
        """The plane between the sides in a pose: vertical, through the first segment in the middle that moves."""
        at = figure.placements(base)[:, :3, 3]
        sided = [i for i, j in enumerate(other) if i < j]
        across = sum(((at[i] - at[other[i]]) * _sign(at, i, other[i], sided[0], other) for i in sided), np.zeros(3))
        across[figure.up == np.array(["x", "y", "z"])] = 0.0
        length = float(np.linalg.norm(across))
        if length <= 1e-9 * figure.size:
            raise BadValue(f"figure {figure.name!r}: the two sides are in the same place in the reference pose")
        n = across / length
        k = int(np.argmax(np.abs(n)))
        if abs(n[k]) > NEAR_AXIS:
            n = np.eye(3)[k]
        middle = [at[i] for i, s in enumerate(figure.segments) if s.joint.nq and other[i] == i]
        point = middle[0] if middle else np.mean([at[i] + at[other[i]] for i in sided], axis=0) / 2.0
        return _Plane(point, np.eye(3) - 2.0 * np.outer(n, n))


def _sign(at: Matrix, i: int, j: int, first: int, other: list[int]) -> float:
    """Sign that makes a pair point in the same direction as the first one, because the first name of a pair may be left
    or right."""
    return 1.0 if (at[i] - at[j]) @ (at[first] - at[other[first]]) >= 0.0 else -1.0


class _Image:
    """Poses (B, nq) and their mirror images."""

    def __init__(self, figure: Figure, q: Poses, base: Vector, other: list[int], plane: _Plane) -> None:
        self.figure, self.q, self.base, self.other, self.plane = figure, q, base, other, plane
        self.tree = figure.layout.tree
        place = {name: k for k, name in enumerate(figure.segment_names)}
        self.parents = [-1 if s.parent is None else place[s.parent] for s in figure.segments]
        now, then = figure.placements(q), figure.placements(base)
        M = plane.mirror
        turned = now[..., :3, :3] @ np.swapaxes(then[..., :3, :3], -1, -2)  # D, (B, S, 3, 3)
        self.rotation: Rotations = M @ turned[:, other] @ M @ then[:, :3, :3]  # wanted, world
        self.was = now[..., :3, :3]

    def poses(self) -> Poses:
        """(B, nq)."""
        out = np.array(self.q)
        for i, s in enumerate(self.figure.segments):
            if s.joint.nq == 0 or s.joint.coupling is not None:
                continue
            theirs = self.figure.segments[self.other[i]]
            if [type(m) for m in theirs.joint.motions] != [type(m) for m in s.joint.motions]:
                raise BadValue(
                    f"figure {self.figure.name!r}: joints {s.joint.name!r} ({s.joint.kind}) and {theirs.joint.name!r} "
                    f"({theirs.joint.kind}) are of different kinds, so neither is the mirror image of the other"
                )
            ours = self._nodes(i)
            slides = [k for k in ours if self.tree.kind[k] == SLIDE]
            turns = [k for k in ours if self.tree.kind[k] != SLIDE]
            if ours != slides + turns:
                raise BadValue(
                    f"figure {self.figure.name!r}: joint {s.joint.name!r} rotates before it slides, "
                    "so it cannot be mirrored"
                )
            if slides:
                out[:, self.tree.number[slides]] = self._slid(i, slides)
            if turns:
                self._turn(i, turns, out)
        return out

    def _nodes(self, segment: int) -> list[int]:
        """The nodes of a segment's joint that move, in order."""
        parent = self.parents[segment]
        above = -1 if parent < 0 else int(self.tree.segment[parent])
        node, out = int(self.tree.segment[segment]), []
        while node != above:
            out.append(node)
            node = int(self.tree.parent[node])
        return out[::-1]

    def _before(self, segment: int, world: Rotations) -> Rotations:
        """(B, 3, 3) the axes in which a joint moves, given the axes of all segments."""
        parent, first = self.parents[segment], self._nodes(segment)[0]
        above = np.eye(3)[None] if parent < 0 else world[:, parent]
        return np.asarray(above @ self.tree.rotation[first])

    def _slid(self, i: int, slides: list[int]) -> Matrix:
        """(B, slides) displacement of each slider."""
        j, tree = self.other[i], self.tree
        theirs = [k for k in self._nodes(j) if tree.kind[k] == SLIDE]
        numbers, rest = tree.number[theirs], self.base[tree.number[slides]]
        moved = (self.q[:, numbers] - self.base[numbers]) @ tree.axis[theirs]  # (B, 3) in their joint's axes
        world = np.einsum("bij,bj->bi", self._before(j, self.was), moved) @ self.plane.mirror
        local = np.einsum("bji,bj->bi", self._before(i, self.rotation), world)
        out: Matrix = rest + local @ np.linalg.pinv(tree.axis[slides])
        return out

    def _turn(self, i: int, turns: list[int], out: Poses) -> None:
        """Writes the numbers of a joint's rotation."""
        tree, j = self.tree, self.other[i]
        wanted = np.swapaxes(self._before(i, self.rotation), -1, -2) @ self.rotation[:, i]  # (B, 3, 3)
        if tree.kind[turns[-1]] == BALL:
            n = int(tree.number[turns[-1]])
            out[:, n : n + 4] = rotations.from_matrix(wanted)
            return
        numbers = tree.number[turns]
        theirs = self.q[:, tree.number[[k for k in self._nodes(j) if tree.kind[k] == TURN]]]
        for signs in itertools.product((1.0, -1.0), repeat=len(turns)):
            if np.abs(_product(tree.axis[turns], theirs * signs) - wanted).max(initial=0.0) <= SAME_TURN:
                out[:, numbers] = theirs * signs
                return
        out[:, numbers] = self._read_off(i, turns, wanted, theirs)

    def _read_off(self, i: int, turns: list[int], wanted: Rotations, near: Matrix) -> Matrix:
        """(B, turns) angles of the wanted rotations (B, 3, 3), with about as many whole turns as those of the other
        side."""
        axes, q = self.tree.axis[turns], rotations.from_matrix(wanted)
        if len(turns) == 1:
            angles = 2.0 * np.arctan2(q[:, 1:] @ axes[0], q[:, 0])[:, None]
            choices = [angles]
        else:
            letters = "".join("xyz"[int(np.argmax(axis))] for axis in axes)
            if not np.array_equal(axes, [rotations.AXES[c] for c in letters]) or len(set(letters[:3])) < 2:
                name = self.figure.segments[i].joint.name
                raise BadValue(
                    f"figure {self.figure.name!r}: joint {name!r} rotates about axes that cannot be determined"
                )
            order = letters if len(letters) == 3 else letters + ({*"xyz"} - {*letters}).pop()
            angles = rotations.to_euler(order, q)
            choices = [angles[:, : len(turns)], rotations.other_euler(order, angles)[:, : len(turns)]]
            if len(turns) == 2:
                choices = choices[:1]  # the other triple needs the axis that is missing
        choices = [c - 2.0 * np.pi * np.round((np.abs(c) - np.abs(near)) * np.sign(c) / (2.0 * np.pi)) for c in choices]
        far = [np.abs(np.abs(c) - np.abs(near)).sum(axis=1) for c in choices]
        best = np.argmin(far, axis=0)
        return np.asarray(np.stack(choices)[best, np.arange(len(best))])


def _product(axes: Matrix, angles: Matrix) -> Rotations:
    """(B, 3, 3) the product of successive rotations about some axes."""
    q = rotations.from_axis_angle(axes[0], angles[:, 0])
    for k in range(1, len(axes)):
        q = rotations.multiply(q, rotations.from_axis_angle(axes[k], angles[:, k]))
    return rotations.to_matrix(q)


def continuous_signs(figure: Figure, poses: Poses) -> Poses:
    """Poses (frames, nq) in which no quaternion changes its sign between frames."""
    out: Poses = arrays.floats(poses, "poses").copy()
    for n in figure.layout.balls:
        turns = out[:, n : n + 4]
        flips = (turns[1:] * turns[:-1]).sum(axis=1) < 0.0
        turns[1:][np.cumsum(flips) % 2 == 1] *= -1.0
    return out
