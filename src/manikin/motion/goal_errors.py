"""Computes the errors of goals over time for given poses, without solving."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from manikin import rotations
from manikin.arrays import Matrix, Placements, Poses, Vector
from manikin.figure import Figure
from manikin.goals import Effector, Goal, Placement, Position, Reading


def goal_errors(figure: Figure, goals: Sequence[Goal], rows: Matrix, active: NDArray[np.bool_], poses: Poses) -> Matrix:
    """(T, goals) one number for each goal and frame, as in `Solution.errors`; NaN if a goal is not active.

    Args:
        figure: the figure of the poses.
        goals: settled on the figure.
        rows: (T, k) their targets, side by side.
        active: (T, goals).
        poses: (T, nq).
    """
    out = np.full(active.shape, np.nan)
    masses = figure.center_of_mass(poses) if any(g.reads_mass for g in goals) else None
    ends = np.cumsum([0, *(len(g.target) for g in goals)])
    for k, goal in enumerate(goals):
        placed, on = effector_placements(figure, goal.effectors, poses), np.flatnonzero(active[:, k])
        if type(goal) is Placement:
            out[on, k] = _placement_errors(goal, placed[on, 0], rows[on, ends[k] : ends[k + 1]])
            continue
        if type(goal) is Position and goal.axes == "xyz":
            out[on, k] = np.linalg.norm(placed[on, 0, :3, 3] - rows[on, ends[k] : ends[k + 1]], axis=1)
            continue
        for t in on:
            moved = goal.with_target(rows[t, ends[k] : ends[k + 1]])
            mass = masses[t] if masses is not None and goal.reads_mass else None
            error = moved.error(Reading(placed[t], mass, poses[t] if goal.reads_pose else None))
            out[t, k] = moved.measure(np.maximum(error, 0.0) if goal.one_sided else error)
    return out


def effector_placements(figure: Figure, effectors: Sequence[Effector], poses: Poses) -> Placements:
    """(T, effectors, 4, 4) world placements of effectors: points on segments, with separate axes."""
    if not effectors:
        return np.zeros((len(poses), 0, 4, 4))
    own = np.stack([rotations.placement(np.array(e.rotation), np.array(e.offset)) for e in effectors])
    return np.asarray(figure.placements(poses, [e.segment for e in effectors]) @ own)


def _placement_errors(goal: Placement, placed: Placements, rows: Matrix) -> Vector:
    """(n,) `Placement.measure` of many frames at once."""
    length, angle = goal.tolerance
    off = rotations.multiply(rotations.inverse(rows[:, 3:]), rotations.from_matrix(placed[:, :3, :3]))
    turn = np.linalg.norm(rotations.to_rotation_vector(off), axis=1)
    away = np.linalg.norm(placed[:, :3, 3] - rows[:, :3], axis=1)
    return np.asarray(np.maximum(away, turn * length / angle))
