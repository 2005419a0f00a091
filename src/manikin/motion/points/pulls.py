"""The prior on a pose, before any point is seen: joints are near the rest pose, and inside their limits.

Both are quadratic costs ½ |d|² / σ², with d the step from the rest pose, or the step back inside the limits. The twist
of an upper arm or thigh has a separate σ, because an arm that is nearly straight does not show its twist.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Matrix, Poses, Vector
from manikin.figure import Figure
from manikin.figure.joint import Ball
from manikin.figure.movable import movable_steps
from manikin.figure.parts.calibration import Calibration
from manikin.motion.points.model import group_of

SIGMAS = {
    "pelvis": 0.5,
    "spine": 0.3,
    "neck": 0.4,
    "clavicle": 0.2,
    "upper arm": 3.0,
    "forearm": 2.0,
    "hand": 0.5,
    "thigh": 3.0,
    "shank": 3.0,
    "foot": 1.0,
    "toes": 0.5,
}
"""Standard deviations of the joints of each part from the rest pose, in radians."""
TWIST = {"upper arm": 0.6, "thigh": 0.5}
"""Standard deviations of the twist of a part about its bone, in radians."""
BESIDE = 0.05
"""Standard deviation of how far a joint is outside its range during the fit, in radians. The result is inside."""


@dataclass(frozen=True, eq=False)
class PosturePulls:
    """The pulls on the moving steps of a figure."""

    figure: Figure
    columns: NDArray[np.intp]
    """(n,) the moving steps."""
    weights: Matrix
    """(n, n) the inverse covariance of the steps from the rest pose."""

    @staticmethod
    def of(calibration: Calibration, columns: NDArray[np.intp], carrier: str) -> PosturePulls:
        """The pulls on a figure. The joint that carries the body is free."""
        figure = calibration.figure
        whole = np.zeros((figure.nv, figure.nv))
        for part, names in calibration.bones.items():
            kind = part if part in SIGMAS else group_of(part) if not part.endswith("toes") else "toes"
            for name in names:
                joint = figure.segment(name).joint
                if name == carrier or not joint.nq or joint.coupling is not None:
                    continue
                steps = np.flatnonzero(movable_steps(figure, only=[joint.name]))
                block = np.eye(len(steps)) / SIGMAS[kind] ** 2
                if kind in TWIST and len(joint.motions) == 1 and isinstance(joint.motions[0], Ball):
                    bone = calibration.bone(part)
                    bone = bone / np.linalg.norm(bone)
                    block += (1.0 / TWIST[kind] ** 2 - 1.0 / SIGMAS[kind] ** 2) * np.outer(bone, bone)
                whole[np.ix_(steps, steps)] = block
        return PosturePulls(figure, columns, whole[np.ix_(columns, columns)])

    def on(self, poses: Poses) -> tuple[Vector, Matrix, Matrix]:
        """The cost (T,), its gradient (T, n) and its Gauss–Newton Hessian (T, n, n) at poses."""
        away = self.figure.difference(np.broadcast_to(self.figure.rest, poses.shape), poses)[:, self.columns]
        gradient = away @ self.weights
        cost = 0.5 * (away * gradient).sum(axis=1)
        over = self.figure.difference(self.figure.clamp(poses), poses)[:, self.columns]
        outside = np.abs(over) > 1e-9
        cost = cost + 0.5 * (over**2).sum(axis=1) / BESIDE**2
        hessian = np.repeat(self.weights[None], len(poses), axis=0)
        hessian[:, np.arange(len(self.columns)), np.arange(len(self.columns))] += outside / BESIDE**2
        return cost, gradient + over / BESIDE**2, hessian
