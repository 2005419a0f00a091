"""The tree of a figure in its rest pose: parents, positions of joints, and their axes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from manikin.arrays import Placements, Points, Vector, frozen
from manikin.figure.joint import Hinge
from manikin.figure.parts.bone_names import Part, recognised

if TYPE_CHECKING:
    from manikin.figure.figure import Figure

MEETING = 0.08
"""Hinges belong to one compound joint if a point lies within this distance of each axis, in lengths of the limb."""
APART = 0.05
"""Hinges belong to one compound joint if no two axes are further apart than this, in lengths of the limb. The axes of
the hip of the Unitree G1 are up to 0.04 apart."""
MOST_AXES = 3
"""A compound joint has at most this many hinges, because three can turn it about every axis."""


class Skeleton:
    """Indices, positions and axes of the segments of a figure. Segments are numbered parents first.

    `skeleton_of` returns the skeleton of a figure without building it again.
    """

    def __init__(self, figure: Figure) -> None:
        self.figure = figure
        index = {name: i for i, name in enumerate(figure.segment_names)}
        self.parents = [-1 if s.parent is None else index[s.parent] for s in figure.segments]
        """The parent of each segment, −1 for the root."""
        self.children: list[list[int]] = [[] for _ in self.parents]
        for i, parent in enumerate(self.parents):
            if parent >= 0:
                self.children[parent].append(i)
        world = figure.placements(figure.rest)
        self.rest: Placements = frozen(world)
        """(S, 4, 4) placements in the rest pose."""
        self.at: Points = self.rest[:, :3, 3]
        """(S, 3) origins in the rest pose."""
        self.moves = [s.joint.nq > 0 for s in figure.segments]
        """Whether a segment moves relative to its parent."""
        self.hinge = [len(s.joint.motions) == 1 and isinstance(s.joint.motions[0], Hinge) for s in figure.segments]
        """Whether a segment turns about one axis only."""
        turning = [i for i, moves in enumerate(self.moves) if moves and self.parents[i] >= 0]
        self.hinged = sum(self.hinge[i] for i in turning) > len(turning) / 2
        """Whether most joints are hinges, as in robots."""
        self.axes = np.zeros_like(self.at)
        """(S, 3) directions of the hinges in the world; zero for other joints."""
        for i, s in enumerate(figure.segments):
            motion = s.joint.motions[0] if self.hinge[i] else None
            if isinstance(motion, Hinge):
                self.axes[i] = world[i, :3, :3] @ np.array(motion.axis)
        self._centers: dict[tuple[int, ...], Vector] = {}
        self._steps = np.linalg.norm(self.at - self.at[np.maximum(self.parents, 0)], axis=1)
        self.reach = np.zeros(len(self.parents))
        """(S,) the length of the longest path from each segment to a tip below it."""
        self.count = [int(m) for m in self.moves]
        """Number of moving segments of each branch, including its first one."""
        for i in range(len(self.parents) - 1, 0, -1):
            parent = self.parents[i]
            self.reach[parent] = max(self.reach[parent], self.reach[i] + self._steps[i])
            self.count[parent] += self.count[i]

    @cached_property
    def named(self) -> tuple[Part | None, ...]:
        """The part of each segment by its name alone; None if its name is unknown."""
        return tuple(recognised(self.figure.segment_names, self.parents, self.figure.source.get("humanoid")))

    def ancestors(self, index: int) -> list[int]:
        """The segment, its parent, and so on up to the root."""
        out = [index]
        while self.parents[out[-1]] >= 0:
            out.append(self.parents[out[-1]])
        return out

    def common(self, one: int, two: int) -> int:
        """The lowest common ancestor of two segments. A segment is its own ancestor."""
        above = set(self.ancestors(one))
        return next(i for i in self.ancestors(two) if i in above)

    def down(self, top: int, bottom: int) -> list[int]:
        """The segments from `top` to `bottom`, including both; empty if `bottom` is not below `top`."""
        path = self.ancestors(bottom)
        return path[path.index(top) :: -1] if top in path else []

    def is_below(self, index: int, above: int) -> bool:
        """Whether a segment is below another one. A segment is not below itself."""
        at = self.parents[index]
        while at >= 0 and at != above:
            at = self.parents[at]
        return at == above

    def below(self, index: int) -> list[int]:
        """All segments below this one, including itself, parents first."""
        inside = {index}
        for i in range(index + 1, len(self.parents)):
            if self.parents[i] in inside:
                inside.add(i)
        return sorted(inside)

    def longest(self, index: int) -> list[int]:
        """The longest path from a segment to a tip, including both."""
        out = [index]
        while self.children[out[-1]]:
            out.append(max(self.children[out[-1]], key=lambda i: (self.reach[i] + self._steps[i], -i)))
        return out

    def apart(self, one: int, two: int) -> float:
        """The distance between two origins."""
        return float(np.linalg.norm(self.at[one] - self.at[two]))

    def stages(self, path: Sequence[int], length: float) -> list[list[int]]:
        """Divides a path into compound joints. Hinges whose axes meet form one joint.

        A fixed segment belongs to the compound joint of its parent.

        Args:
            path: consecutive segments, parents first.
            length: length of the limb. It determines how near axes must be to meet.
        """
        out: list[list[int]] = []
        for i in path:
            if out and (not self.moves[i] or self._joins(out[-1], i, length)):
                out[-1].append(i)
            else:
                out.append([i])
        return out

    def solid(self, stage: Sequence[int]) -> list[int]:
        """The segments of a stage up to the last one that moves or has mass. Later segments only mark an end."""
        keep = [k for k, i in enumerate(stage) if self.moves[i] or self.figure.segments[i].mass]
        return list(stage[: keep[-1] + 1]) if keep else list(stage)

    def center(self, stage: Sequence[int]) -> Vector:
        """(3,) the centre of a compound joint: the point nearest to all axes of its hinges, or else its first
        origin."""
        key = tuple(stage)
        if key not in self._centers:
            hinges = [i for i in stage if self.hinge[i]]
            self._centers[key] = frozen(
                self.at[stage[0]] if len(hinges) < 2 else _nearest(self.at[hinges], self.axes[hinges])[0]
            )
        return self._centers[key]

    def _joins(self, stage: Sequence[int], new: int, length: float) -> bool:
        """Whether a hinge belongs to the compound joint of the hinges before it."""
        moving = [i for i in stage if self.moves[i]]
        if not self.hinge[new] or not moving or not all(self.hinge[i] for i in moving) or len(moving) >= MOST_AXES:
            return False
        hinges = [*moving, new]
        near = all(
            _line_distance(self.at[i], self.axes[i], self.at[new], self.axes[new]) <= APART * length for i in moving
        )
        return near and bool((_nearest(self.at[hinges], self.axes[hinges])[1] <= MEETING * length).all())


def skeleton_of(figure: Figure) -> Skeleton:
    """The skeleton of a figure. It is built once for each figure, so do not change it."""
    return figure._skeleton


def _nearest(points: Points, axes: Points) -> tuple[Vector, Vector]:
    """The point with the least squared distance to some lines, and its distance to each.

    With P = I − a aᵀ for each line, the point solves (Σ P) x = Σ P p. If the lines are parallel, the point is not
    unique. The pseudo-inverse then gives the point nearest to the mean of the points.
    """
    projectors = np.eye(3) - axes[:, :, None] * axes[:, None, :]
    middle = points.mean(axis=0)
    offsets = np.einsum("kij,kj->ki", projectors, points - middle)
    found = middle + np.linalg.pinv(projectors.sum(axis=0), rcond=1e-9) @ offsets.sum(axis=0)
    return found, np.linalg.norm(np.einsum("kij,kj->ki", projectors, found - points), axis=1)


def _line_distance(p: Vector, a: Vector, q: Vector, b: Vector) -> float:
    """The distance between two lines through p and q along a and b."""
    across = np.cross(a, b)
    length = float(np.linalg.norm(across))
    if length < 1e-6:
        return float(np.linalg.norm(np.cross(q - p, a)))
    return abs(float((q - p) @ across)) / length


def direction(vector: Vector, scale: float) -> Vector | None:
    """The unit vector; None if `vector` is shorter than a millionth of `scale`."""
    length = float(np.linalg.norm(vector))
    return vector / length if length > 1e-6 * scale else None
