"""Lengths of the parts and places of the points, from some frames.

Poses, lengths and places are found together by Gauss–Newton. The poses are eliminated frame by frame (Schur
complement): with A = JᵀWJ + pulls, B = JᵀWG and C = ΣGᵀWG + priors, the step of the shape solves

    (C − Σ BᵀA⁻¹B) θ = −(g_θ − Σ BᵀA⁻¹ g_pose).

The inverse of that matrix is the covariance of the shape.

Frames are not independent, so N frames count as `INDEPENDENT` ones. A bias of the points lasts, so the priors of the
shape are N / INDEPENDENT times as strong. A posture lasts too, so the pulls on it are INDEPENDENT / N times as strong:
a foot that is pointed in all frames must not pass for a point at another place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Matrix, Poses, Vector
from manikin.motion.points.model import GROUPS, PointModel
from manikin.motion.points.pulls import PosturePulls
from manikin.motion.points.seen import SeenPoints

COMMON = 0.25
"""Standard deviation of ln of the common factor of all lengths."""
OWN = {
    **dict.fromkeys(GROUPS, 0.05),
    **dict.fromkeys(("pelvis", "neck", "hand", "foot"), 0.03),
}
"""Standard deviations of ln of the factor of each part relative to the common factor."""
FRAMES = 60
"""Number of frames of a calibration."""
INDEPENDENT = 10.0
"""The frames count as this many independent ones, because errors of neighbouring frames are alike."""
STEPS = 30
"""Largest number of Gauss–Newton steps."""
ENOUGH = 1e-4
"""The calibration is done if a step lowers the cost by less than this fraction."""
LARGEST_STEP = 0.5
"""Largest change of one degree of freedom in one iteration, in radians."""


@dataclass(frozen=True, eq=False)
class PointShape:
    """The result of a calibration."""

    model: PointModel
    deviations: Vector
    """(G,) standard deviations of ln of the length of each part."""
    told: Vector
    """(G,) standard deviation after the calibration relative to the prior; 1 if the data do not show the length."""
    poses: Poses
    """(N, nq) the poses of the frames."""


def calibrate_shape(
    model: PointModel,
    seen: SeenPoints,
    poses: Poses,
    pulls: PosturePulls,
    robust: bool = True,
    lengths: bool = True,
    goes_on: Callable[[], bool] = lambda: True,
) -> PointShape:
    """Lengths and places from frames with their poses.

    Args:
        model: the figure with its points; its lengths are the start.
        seen: the points in these frames.
        poses: (N, nq) the start.
        pulls: the pulls on the joints.
        robust: whether outliers lose their pull.
        lengths: whether the proportions change. If False, only the common factor and the places do.
        goes_on: called before each step. If it returns False, the calibration ends with the result so far.
    """
    # Unknowns: the common factor, factors of groups, places of points; each with its expected deviation.
    count, groups = len(model.places.names), len(GROUPS)
    strength = max(len(poses) / INDEPENDENT, 1.0)
    pulls = pulls.weakened(strength)
    own = np.array([OWN[name] if lengths else 1e-4 for name in GROUPS])
    sigma = np.concatenate([[COMMON], own, np.repeat(model.places.sigmas, 3)])
    prior = strength / sigma**2
    common = float(np.mean(model.logs))
    theta = np.concatenate([[common], model.logs - common, model.corrections.ravel()])
    center = np.zeros_like(theta)
    center[0] = common
    now, damping = np.array(poses), 1e-3
    schur = np.diag(prior)
    # Gauss-Newton with damping; the poses are eliminated.
    for _ in range(STEPS):
        if not goes_on():
            break
        # Normal equations: A for the poses, C for the shape, B between them.
        away = model.points(now) - seen.points
        weights = seen.pulls(np.linalg.norm(away, axis=-1), robust)
        J, G = model.jacobian(now), model.shape_jacobian(now)
        w = np.repeat(weights, 3, axis=1)[..., None]
        A = J.transpose(0, 2, 1) @ (w * J)
        B = J.transpose(0, 2, 1) @ (w * G)
        C = np.einsum("tmi,tmj->ij", w * G, G, optimize=True) + np.diag(prior)
        rows = away.reshape(len(now), -1)
        pose_gradient = np.einsum("tmn,tm->tn", w * J, rows)
        pull_cost, pull_gradient, pull_hessian = pulls.on(now)
        pose_gradient += pull_gradient
        A += pull_hessian
        gradient = np.einsum("tmi,tm->i", w * G, rows) + prior * (theta - center)
        cost = _cost(away, weights, pull_cost, prior, theta - center)
        schur, change = np.diag(prior), 0.0
        # Raise the damping until a step lowers the cost.
        while damping < 1e6:
            D = A + (damping * np.diagonal(A, axis1=1, axis2=2) + 1e-9)[:, None, :] * np.eye(A.shape[1])
            both = np.linalg.solve(D, np.concatenate([B, pose_gradient[..., None]], axis=2))
            schur = C - np.einsum("tni,tnj->ij", B, both[..., :-1], optimize=True)
            right = gradient - np.einsum("tni,tn->i", B, both[..., -1])
            step = -np.linalg.solve(schur + damping * np.diag(np.diag(schur)), right)
            turn = np.zeros((len(now), model.base.nv))
            turn[:, model.columns] = np.clip(-both[..., -1] - both[..., :-1] @ step, -LARGEST_STEP, LARGEST_STEP)
            other = _with(model, theta + step)
            trial = model.base.integrate(now, turn)
            trial_cost = _cost(
                other.points(trial) - seen.points, weights, pulls.cost(trial), prior, theta + step - center
            )
            if trial_cost < cost:
                change = cost - trial_cost
                model, theta, now, damping = other, theta + step, trial, max(damping / 8.0, 1e-9)
                break
            damping *= 8.0
        if change < ENOUGH * cost:
            break
    # Covariance of the shape, and how much the data told.
    covariance = np.linalg.inv(schur)
    sums = np.concatenate([np.ones((groups, 1)), np.eye(groups), np.zeros((groups, 3 * count))], axis=1)
    deviations = np.sqrt(np.einsum("gi,ij,gj->g", sums, covariance, sums))
    told = np.sqrt(np.diag(covariance)[1 : 1 + groups] * prior[1 : 1 + groups])
    return PointShape(model, deviations, told, model.figure.clamp(now))


def _with(model: PointModel, theta: Vector) -> PointModel:
    groups = len(GROUPS)
    return model.resized(theta[0] + theta[1 : 1 + groups], theta[1 + groups :].reshape(-1, 3))


def _cost(away: Matrix, weights: Matrix, pull_cost: Vector, prior: Vector, off: Vector) -> float:
    return float(0.5 * (weights * (away**2).sum(axis=-1)).sum() + pull_cost.sum() + 0.5 * (prior * off**2).sum())


def calibration_frames(seen: SeenPoints, wanted: int = FRAMES) -> NDArray[np.intp]:
    """Indices of evenly spread frames among those in which at least 60 % of the points are seen; empty if there are
    none. Points that are never seen do not count."""
    ever = seen.there.any(axis=0)
    full = np.flatnonzero(seen.there.sum(axis=1) >= max(0.6 * ever.sum(), 1.0))
    if len(full) <= wanted:
        return full
    return np.asarray(full[np.round(np.linspace(0, len(full) - 1, wanted)).astype(int)])
