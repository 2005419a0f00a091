"""Changes of poses over time: for each frame, the step from an original pose to another pose.

Changes can be added, scaled and smoothed as vectors (nv,):

    hinges, sliders, Euler of two axes   difference of the numbers
    balls with a cone                    difference of the swing–twist coordinates (`kinematics/swing_twist.py`). The
                                         limits are convex in these, so a part of a change stays within them
    other balls, Euler of three axes     rotation vector, so a change does not depend on which angles a file recorded
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from manikin import rotations
from manikin.arrays import Indices, Matrix, Poses, Steps, Vector
from manikin.figure import Figure
from manikin.goals.posture import SLIDE_LENGTH
from manikin.kinematics import swing_twist
from manikin.motion.triples import Triples
from manikin.reference.tree import BALL, SLIDE

TURN = 2.0 * np.pi
LEAST = 1e-9
"""A rotation vector shorter than this has no direction, in radians."""
WIDEST = 3.0
"""Cones with a wider half angle, in radians, come near a swing of half a turn. Twist is not defined there, so these
balls change by rotation vectors."""


class Changes:
    """Changes of the poses of a figure."""

    def __init__(self, figure: Figure) -> None:
        self.figure, self.triples = figure, Triples.of(figure)
        tree, cones = figure.layout.tree, figure.layout.cones
        step_of = dict(zip(tree.number.tolist(), tree.step.tolist(), strict=True))
        self._cones = [
            (k, int(n), step_of[int(n)]) for k, n in enumerate(cones.number) if cones.swing[k].max() < WIDEST
        ]
        """(index, first number, first step) of each ball with a cone."""

    def between(self, base: Poses, poses: Poses) -> Steps:
        """(T, nv) the changes from `base` (T, nq) to `poses` (T, nq)."""
        out = self.figure.difference(base, poses)
        turns = self.triples.between(self.triples.rotations(base), self.triples.rotations(poses))
        out[:, self.triples.steps.ravel()] = turns
        for k, n, s in self._cones:
            out[:, s : s + 3] = self._swings(k, poses[:, n : n + 4]) - self._swings(k, base[:, n : n + 4])
        return out

    def added(self, base: Poses, changes: Steps) -> Poses:
        """(T, nq) poses `base` (T, nq) after changes (T, nv). Balls with a cone do not leave their limits, or go no
        further outside than in `base`."""
        out = self.figure.integrate(base, changes)
        self.triples.put(self.triples.moved(self.triples.rotations(base), changes), out, base)
        cones = self.figure.layout.cones
        for k, n, s in self._cones:
            first = self._swings(k, base[:, n : n + 4])
            moved, reach, twist = first + changes[:, s : s + 3], cones.swing[k], cones.twist[k]
            ratio, most = (np.hypot(*(at[:, :2] / reach).T) for at in (moved, first))
            moved[:, :2] /= np.maximum(ratio / np.maximum(most, 1.0), 1.0)[:, None]
            low, high = np.minimum(twist[0], first[:, 2]), np.maximum(twist[1], first[:, 2])
            moved[:, 2] = np.clip(moved[:, 2], low, high)
            turn = rotations.multiply(
                rotations.inverse(cones.inverse_reference[k]), swing_twist.compose(moved, cones.basis[k])
            )
            same = (turn * base[:, n : n + 4]).sum(axis=1) >= 0.0
            out[:, n : n + 4] = np.where(same[:, None], turn, -turn)
        return out

    def near(self, change: Vector, other: Vector) -> Vector:
        """A change (nv,) with whole turns added about the axis of each rotation vector, so that it is near another one.

        A rotation that passes half a turn then continues instead of jumping to the opposite vector.
        """
        out = np.array(change)
        vectors, others = change[self._turns], other[self._turns]
        length = np.linalg.norm(vectors, axis=1)
        axis = vectors / np.maximum(length, LEAST)[:, None]
        whole = np.round(((axis * others).sum(axis=1) - length) / TURN)
        out[self._turns] = vectors + np.where(length > LEAST, whole, 0.0)[:, None] * TURN * axis
        return out

    @cached_property
    def unit(self) -> Vector:
        """(nv,) the unit of each step: 1 rad, or `SLIDE_LENGTH` sizes of the figure for slides."""
        tree = self.figure.layout.tree
        out = np.ones(self.figure.nv)
        out[tree.step[(tree.kind == SLIDE) & (tree.source < 0)]] = SLIDE_LENGTH * self.figure.size
        return out

    def _swings(self, cone: int, turns: Matrix) -> Matrix:
        """(T, 3) swing and twist of a ball with a cone, from its quaternions (T, 4)."""
        cones = self.figure.layout.cones
        relative = rotations.multiply(cones.inverse_reference[cone], turns)
        return np.asarray(swing_twist.decompose(relative, cones.basis[cone]))

    @cached_property
    def _turns(self) -> Indices:
        """(n, 3) the steps of each rotation vector."""
        tree, coned = self.figure.layout.tree, {s for _, _, s in self._cones}
        balls = np.array([s for s in tree.step[tree.kind == BALL].tolist() if s not in coned], dtype=np.int32)
        return np.concatenate([balls[:, None] + np.arange(3), self.triples.steps]).astype(np.int32)
