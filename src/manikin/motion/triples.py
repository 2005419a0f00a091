"""Euler joints of three axes as rotations over time, so that they can be smoothed like balls.

A rotation has two triples of angles, each up to whole turns. The triple nearest to the recorded one is used, as in
`between.py`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from manikin import rotations
from manikin.arrays import Poses, Quaternions, Steps
from manikin.figure import Euler, Figure
from manikin.motion.between import angles_near


@dataclass(frozen=True, eq=False)
class Triples:
    """The Euler joints of three axes of a figure that follow no other joint and lead none."""

    orders: tuple[str, ...]
    """The orders of the axes that occur."""
    numbers: tuple[NDArray[np.intp], ...]
    """For each order: (n, 3) the indices of the angles in a pose."""
    steps: NDArray[np.intp]
    """(joints, 3) the indices of their steps, in the same order as the rotations."""

    @staticmethod
    def of(figure: Figure) -> Triples:
        """The triples of a figure."""
        tree = figure.layout.tree
        step_of = dict(zip(tree.number.tolist(), tree.step.tolist(), strict=True))
        leaders = {s.joint.coupling.source for s in figure.segments if s.joint.coupling is not None}
        found: dict[str, list[list[int]]] = {}
        for joint in (s.joint for s in figure.segments):
            last = joint.motions[-1] if joint.motions else None
            free = joint.coupling is None and joint.name not in leaders
            if free and isinstance(last, Euler) and len(last.order) == 3:
                end = figure.index_of(joint.name) + joint.nq
                found.setdefault(last.order, []).append([end - 3, end - 2, end - 1])
        steps = [[step_of[n] for n in three] for group in found.values() for three in group]
        numbers = tuple(np.array(group, dtype=np.intp) for group in found.values())
        return Triples(tuple(found), numbers, np.array(steps, dtype=np.intp).reshape(-1, 3))

    @staticmethod
    def none() -> Triples:
        """No triples."""
        return Triples((), (), np.zeros((0, 3), dtype=np.intp))

    def rotations(self, poses: Poses) -> Quaternions:
        """(T, joints, 4) the rotations of the joints in poses (T, nq)."""
        made = [rotations.from_euler(o, poses[:, n]) for o, n in zip(self.orders, self.numbers, strict=True)]
        return np.concatenate([np.zeros((len(poses), 0, 4)), *made], axis=1)

    def between(self, first: Quaternions, second: Quaternions) -> Steps:
        """(T, 3 joints) rotation vectors from the first rotations to the second, along the shorter arc."""
        turn = rotations.multiply(rotations.inverse(first), second)
        return rotations.to_rotation_vector(turn).reshape(len(first), -1)

    def moved(self, turns: Quaternions, steps: Steps) -> Quaternions:
        """(T, joints, 4) the rotations after steps (T, nv)."""
        by = rotations.from_rotation_vector(steps[:, self.steps])
        return rotations.normalized(rotations.multiply(turns, by))

    def put(self, turns: Quaternions, poses: Poses, near: Poses) -> None:
        """Sets the angles in `poses` to rotations (T, joints, 4), as near as possible to the angles in `near`."""
        done = 0
        for order, numbers in zip(self.orders, self.numbers, strict=True):
            own = turns[:, done : done + len(numbers)].reshape(-1, 4)
            line = near[:, numbers]
            poses[:, numbers] = angles_near(order, own, line.reshape(-1, 3)).reshape(line.shape)
            done += len(numbers)
