"""Scales, attachments and poses together: Gauss–Newton steps with the poses eliminated (Schur complement).

The cost of N frames, with weights w of the samples, is

    Σ w |p − y|² / σ_m²  +  κ [ Σ_m |a_m − s_g a⁰_m|² / σ_a²  +  Σ_g (s_g − s̄)² / σ_g²  +  (s̄ − 1)² / σ_s² ]
                         +  Σ_t |P d_t|²

p are the markers of the model, y the measured ones, a⁰ the attachments before the calibration and d the steps from the
rest pose. The expected place of an attachment grows with its bone. The expected value of a scale is the common factor
s̄. κ = N / 5: frames are not independent, because skin moves with the step, so N frames count as much as five.

For one frame with the Jacobian J of its steps and G of the global numbers x = (s, s̄, a),

    A = JᵀWJ + PᵀP,   B = JᵀWG,   S = Σ (GᵀWG − BᵀA⁻¹B) + priors.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from manikin.arrays import Indices, Matrix, Points, Poses, Vector
from manikin.motion.marker_fit.model import MarkerModel, Mask, posture

FRAMES_COUNT = 5.0
"""All frames together count as much as this many independent ones."""
COMMON = 0.25
"""σ_s: standard deviation of the common factor."""
DAMPING, LESS, MORE, MOST = 1e-3, 8.0, 8.0, 1e6
"""Levenberg's damping relative to the diagonals: the first value, the factors by which it falls and grows, and the
value at which the search ends."""
LARGEST_STEP = 0.5
"""Largest step of a joint in one iteration, in radians or sizes."""


@dataclass(frozen=True, eq=False)
class Priors:
    """Knowledge from before the calibration."""

    places: Points
    """(M, 3) a⁰."""
    place_sigmas: Vector
    """(M,) σ_a, lengths."""
    scale_sigmas: Vector
    """(G,) σ_g."""
    own: Indices
    """(M,) the group of each marker's segment."""
    pose: Matrix
    """(nv, nv) P: a posture d costs |P d|²."""
    marker: float
    """σ_m, length."""
    common: float = COMMON
    """σ_s."""


@dataclass(eq=False)
class State:
    """The numbers that a calibration finds."""

    poses: Poses
    """(N, nq)."""
    scales: Vector
    """(G,)."""
    common: float
    """s̄."""
    offsets: Points
    """(M, 3)."""
    damping: float = DAMPING

    def globals(self) -> Vector:
        """x: scales, common factor, attachments."""
        return np.concatenate([self.scales, [self.common], self.offsets.ravel()])


@dataclass(eq=False)
class CalibrationProblem:
    """A calibration problem: the model, the samples and the priors."""

    model: MarkerModel
    measured: Points
    """(N, M, 3) y; any finite value where the weight is 0."""
    weights: Matrix
    """(N, M) w."""
    priors: Priors
    movable: Mask
    """(nv,) the steps that are solved for."""
    clamp: Callable[[Poses], Poses]
    """Moves poses into their limits."""
    columns: Any = field(init=False)
    """(n,) indices of the movable steps."""

    def __post_init__(self) -> None:
        self.columns = np.flatnonzero(self.movable)

    @property
    def strength(self) -> float:
        """κ."""
        return len(self.measured) / FRAMES_COUNT

    def cost(self, state: State) -> float:
        """The cost that the docstring of this module defines."""
        points = self.model.positions(state.poses, state.scales, state.offsets)
        data = (self.weights * ((points - self.measured) ** 2).sum(axis=-1)).sum() / self.priors.marker**2
        errors, _ = self.global_errors(state.globals())
        away = posture(self.model.figure, state.poses)[0] @ self.priors.pose.T
        return float(data + self.strength * (errors @ errors) + (away * away).sum())

    def global_errors(self, x: Vector) -> tuple[Vector, Matrix]:
        """The errors of the priors of the global numbers, in standard deviations, and their constant derivative."""
        derivative = self._prior_rows
        constant = np.zeros(len(derivative))
        constant[self.model.count] = -1.0 / self.priors.common
        return derivative @ x + constant, derivative

    @property
    def _prior_rows(self) -> Matrix:
        """(G + 1 + 3 M, G + 1 + 3 M)."""
        count, markers = self.model.count, len(self.priors.places)
        rows = np.zeros((count + 1 + 3 * markers,) * 2)
        each = np.arange(count)
        rows[each, each], rows[each, count] = 1.0 / self.priors.scale_sigmas, -1.0 / self.priors.scale_sigmas
        rows[count, count] = 1.0 / self.priors.common
        at = count + 1 + np.arange(3 * markers)
        inverse = 1.0 / np.repeat(self.priors.place_sigmas, 3)
        rows[at, at] = inverse
        rows[at, np.repeat(self.priors.own.astype(int), 3)] = -inverse * self.priors.places.ravel()
        return rows

    def step(self, state: State) -> bool:
        """One Gauss–Newton step, in place. Returns False if no step lowers the cost."""
        system = self._linearised(state)
        before = self.cost(state)
        while state.damping < MOST:
            other = self._moved(state, system, state.damping)
            after = self.cost(other)
            if after < before:
                state.poses, state.scales, state.offsets = other.poses, other.scales, other.offsets
                state.common, state.damping = other.common, max(state.damping / LESS, 1e-9)
                return True
            state.damping *= MORE
        state.damping = DAMPING
        return False

    def deviations(self, state: State) -> Vector:
        """(G,) standard deviations of the scales from the data and the priors of attachments, without the priors of
        scales. All frames count as much as five."""
        A, B, S, _, _ = self._linearised(state)
        count = self.model.count
        rows = self._prior_rows[count + 1 :]
        information = (S - np.einsum("nij,nik->jk", B, np.linalg.solve(A, B))) / self.strength
        full = self._prior_rows
        information += rows.T @ rows - full.T @ full
        keep = np.delete(np.arange(len(information)), count)
        inverse = np.linalg.pinv(information[np.ix_(keep, keep)], rcond=1e-12, hermitian=True)
        values, vectors = np.linalg.eigh(information[np.ix_(keep, keep)])
        free = (vectors[:count] ** 2)[:, values < 1e-10 * values.max()].sum(axis=1) > 1e-6
        return np.where(free, np.inf, np.sqrt(np.maximum(np.diag(inverse)[:count], 0.0)))

    def _linearised(self, state: State) -> tuple[Matrix, Matrix, Matrix, Matrix, Vector]:
        """A (N, n, n), B (N, n, g), S (g, g), and the gradients (N, n) and (g,)."""
        points, by_step, by_scale, turns = self.model.derivatives(state.poses, state.scales, state.offsets)
        frames, markers = points.shape[:2]
        count = self.model.count
        root = np.sqrt(self.weights)[..., None] / self.priors.marker
        error = ((points - self.measured) * root).reshape(frames, -1)
        J = (by_step[..., self.columns] * root[..., None]).reshape(frames, 3 * markers, -1)
        G = np.zeros((frames, 3 * markers, count + 1 + 3 * markers))
        G[..., :count] = (by_scale * root[..., None]).reshape(frames, 3 * markers, count)
        own = (turns * root[..., None]).reshape(frames, markers, 3, 3)
        for m in range(markers):
            G[:, 3 * m : 3 * m + 3, count + 1 + 3 * m : count + 4 + 3 * m] = own[:, m]
        away, by_pose = posture(self.model.figure, state.poses)
        P = self.priors.pose @ by_pose[..., self.columns]
        transposed = np.swapaxes(J, 1, 2)
        A = transposed @ J + np.swapaxes(P, 1, 2) @ P
        gradient = (transposed @ error[..., None])[..., 0]
        gradient += np.einsum("nij,ni->nj", P, away @ self.priors.pose.T)
        errors, rows = self.global_errors(state.globals())
        S = np.tensordot(G, G, axes=((0, 1), (0, 1))) + self.strength * (rows.T @ rows)
        total = np.einsum("nij,ni->j", G, error) + self.strength * (rows.T @ errors)
        return A, transposed @ G, S, gradient, total

    def _moved(self, state: State, system: tuple[Matrix, Matrix, Matrix, Matrix, Vector], damping: float) -> State:
        """The state after a damped step."""
        A, B, S, gradient, total = system
        n, count = A.shape[1], self.model.count
        each = np.arange(n)
        damped = A.copy()
        damped[:, each, each] *= 1.0 + damping
        damped[:, each, each] += 1e-9 * A[:, each, each].max(axis=1, keepdims=True)
        solved = np.linalg.solve(damped, np.concatenate([B, gradient[..., None]], axis=2))
        reduced = S - np.tensordot(B, solved[..., :-1], axes=((0, 1), (0, 1)))
        reduced[np.diag_indices_from(reduced)] += damping * np.diag(S)
        x = -np.linalg.solve(reduced, total - np.tensordot(B, solved[..., -1], axes=((0, 1), (0, 1))))
        steps = np.zeros((len(state.poses), len(self.movable)))
        steps[:, self.columns] = -solved[..., -1] - solved[..., :-1] @ x
        size = self.model.figure.size
        largest = np.abs(steps).max(axis=1, keepdims=True) / (LARGEST_STEP * max(size, 1.0))
        steps /= np.maximum(largest, 1.0)
        poses = self.clamp(self.model.figure.integrate(state.poses, steps))
        moved = state.globals() + x
        return State(poses, moved[:count], float(moved[count]), moved[count + 1 :].reshape(-1, 3), damping)
