"""How far joints turn between two poses, and ways in small steps: from pose to pose, and of the dragged target."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Vector
from manikin.figure.figure import Figure
from manikin.reference.tree import BALL, TURN
from manikin.solvers.native.solver import Solver


def largest_turn(figure: Figure, a: Vector, b: Vector) -> float:
    """The largest angle by which a single joint turns between two poses (nq,), in radians. Slides do not count."""
    step, tree = figure.difference(a, b), figure.layout.tree
    free = tree.source < 0
    hinges = np.abs(step[tree.step[(tree.kind == TURN) & free]])
    balls = tree.step[(tree.kind == BALL) & free]
    turned = np.linalg.norm(step[balls[:, None] + np.arange(3)], axis=-1) if len(balls) else np.zeros(0)
    return float(max(hinges.max(initial=0.0), turned.max(initial=0.0)))


def part_of_way(before: Vector, after: Vector, longest: float, widest: float) -> Vector:
    """A target between two targets, a step from the first; the second itself if it is not farther than a step.

    Args:
        before, after: (3,) points, or (7,) points with quaternions w x y z.
        longest: length of a step.
        widest: largest turn in a step, in radians.
    """
    steps = float(np.linalg.norm(after[:3] - before[:3])) / longest
    a, b = before[3:], after[3:]
    if a @ b < 0.0:
        a = -a
    if len(b):
        steps = max(steps, 2.0 * float(np.arccos(min(1.0, a @ b / np.linalg.norm(b)))) / widest)
    if steps <= 1.0:
        return after
    between: Vector = np.concatenate([before[:3], a]) + (after - np.concatenate([before[:3], a])) / steps
    if len(b):
        between[3:] /= np.linalg.norm(between[3:])
    return between


HALVINGS = 5
"""Largest number of times that a stride is halved."""
PART_OF_TURN = 0.5
"""If even the shortest stride turns a joint too far, the figure goes toward its pose by this part of the largest turn
allowed. The rest is for the joints that keep the feet in place."""


class Way:
    """The straight way in joint space from one pose to another, which some goals correct."""

    def __init__(
        self, figure: Figure, start: Vector, end: Vector, active: NDArray[np.bool_], stride: float, hold: bool = False
    ) -> None:
        """
        Args:
            figure: the figure.
            start, end: (nq,) the two poses.
            active: (goals,) the goals that count on the way, the posture among them.
            stride: turn of the joint that turns most in a frame, in radians.
            hold: whether the dragged point should stay at its target.
        """
        self.figure, self.start, self.end = figure, start, end
        self.active, self.stride, self.hold = active, stride, hold
        self.length = largest_turn(figure, start, end)
        """The largest turn of a joint on the whole way, in radians."""
        self.done = 0.0
        """The part of the way that is done, 0 to 1."""
        self._step = figure.difference(start, end)

    def next_pose(self, solver: Solver, pose: Vector, row: Vector, posture: slice, most: float) -> Vector | None:
        """The pose (nq,) after the next stride; None if it cannot be reached without turning a joint too far.

        The goals that correct the way may lead to a pose on the other side of a straight limb, which is far away
        however short the stride is. Then the frame goes only part of the way to that pose.

        Args:
            solver: the solver of the goals.
            pose: (nq,) the present pose.
            row: (k,) the targets.
            posture: where the target of the posture is in `row`.
            most: largest turn of a joint, in radians. A stride that exceeds it is halved.
        """
        row, stride = row.copy(), self.stride
        for _ in range(HALVINGS):
            part = min(1.0, self.done + stride / max(self.length, 1e-12))
            row[posture] = self.end if part >= 1.0 else self.figure.integrate(self.start, part * self._step)
            found = solver.solve(pose, row, active=self.active, restarts=0).pose
            turn = largest_turn(self.figure, pose, found)
            if turn <= most:
                self.done = part
                return found
            stride *= 0.5
        self.done = part
        toward = PART_OF_TURN * most / turn * self.figure.difference(pose, found)
        row[posture] = self.figure.integrate(pose, toward)
        found = solver.solve(pose, row, active=self.active, restarts=0).pose
        return found if largest_turn(self.figure, pose, found) <= most else None
