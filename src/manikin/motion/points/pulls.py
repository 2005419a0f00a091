"""The prior on a pose, before any point is seen: joints are near the rest pose, and inside their limits.

Both are quadratic costs ½ |d|² / σ², with d the step from the rest pose, or the step back inside the limits. The twist
of an upper arm or thigh has a separate σ, because an arm that is nearly straight does not show its twist. Spine, neck,
head and feet of a person follow a learned posture instead of the rest pose (`posture`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Matrix, Poses, Vector
from manikin.figure import Figure
from manikin.figure.joint import Ball
from manikin.figure.movable import movable_steps
from manikin.figure.parts.calibration import Calibration
from manikin.motion.points.model import group_of
from manikin.motion.points.posture import PosturePull

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
"""Standard deviations of the joints of each part from the rest pose, in radians. Those of spine, neck, foot and toes
count only on figures whose joints there do not turn freely."""
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
    posture: PosturePull
    """The pull on joints that keypoints hardly show."""

    @staticmethod
    def of(calibration: Calibration, columns: NDArray[np.intp], carrier: str) -> PosturePulls:
        """The pulls on a figure. The joint that carries the body is free."""
        figure = calibration.figure
        whole = np.zeros((figure.nv, figure.nv))
        posture = PosturePull.of(calibration, np.isin(np.arange(figure.nv), columns))
        for part, names in calibration.bones.items():
            kind = part if part in SIGMAS else group_of(part) if not part.endswith("toes") else "toes"
            for name in names:
                joint = figure.segment(name).joint
                if name == carrier or not joint.nq or joint.coupling is not None:
                    continue
                if name in posture.coordinates.described:
                    continue
                steps = np.flatnonzero(movable_steps(figure, only=[joint.name]))
                block = np.eye(len(steps)) / SIGMAS[kind] ** 2
                if kind in TWIST and len(joint.motions) == 1 and isinstance(joint.motions[0], Ball):
                    bone = calibration.bone(part)
                    bone = bone / np.linalg.norm(bone)
                    block += (1.0 / TWIST[kind] ** 2 - 1.0 / SIGMAS[kind] ** 2) * np.outer(bone, bone)
                whole[np.ix_(steps, steps)] = block
        return PosturePulls(figure, columns, whole[np.ix_(columns, columns)], posture)

    def weakened(self, factor: float) -> PosturePulls:
        """The pulls, divided by a factor. The limits stay as they are."""
        return replace(self, weights=self.weights / factor, posture=self.posture.weakened(factor))

    def typical(self) -> Vector:
        """(n,) the diagonal of the Hessian in the rest pose."""
        return np.asarray(np.diagonal(self.weights + self.posture.slope(self.figure.rest[None], self.columns)[1][0]))

    def cost(self, poses: Poses) -> Vector:
        """(T,) the cost of poses."""
        away, over = self._away(poses), self._over(poses)
        cost = 0.5 * (away * (away @ self.weights)).sum(axis=1) + 0.5 * (over**2).sum(axis=1) / BESIDE**2
        return np.asarray(cost + self.posture.cost(poses))

    def on(self, poses: Poses) -> tuple[Vector, Matrix, Matrix]:
        """The cost (T,), its gradient (T, n) and its Gauss–Newton Hessian (T, n, n) at poses."""
        over = self._over(poses)
        slope, hessian = self.posture.slope(poses, self.columns)
        hessian = hessian + self.weights
        each = np.arange(len(self.columns))
        hessian[:, each, each] += (np.abs(over) > 1e-9) / BESIDE**2
        return self.cost(poses), self._away(poses) @ self.weights + over / BESIDE**2 + slope, hessian

    def _away(self, poses: Poses) -> Matrix:
        """(T, n) the step from the rest pose."""
        return self.figure.difference(np.broadcast_to(self.figure.rest, poses.shape), poses)[:, self.columns]

    def _over(self, poses: Poses) -> Matrix:
        """(T, n) the step out of the limits."""
        return self.figure.difference(self.figure.clamp(poses), poses)[:, self.columns]
