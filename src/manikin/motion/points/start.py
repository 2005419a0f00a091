"""The first poses: the size of the person from the distances of neighbouring points, then a native track."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Poses, Vector
from manikin.figure import Figure
from manikin.goals import Position
from manikin.motion.points.model import PointModel
from manikin.motion.points.seen import SeenPoints
from manikin.solvers.native.solver import Solver

BONES = (("hip", "knee"), ("knee", "ankle"), ("shoulder", "elbow"), ("elbow", "wrist"))
"""Pairs of points whose distance is the length of a bone."""
ACROSS = (("left hip", "left shoulder"), ("right hip", "right shoulder"), ("left hip", "right hip"))
"""Pairs whose distance hardly depends on the pose."""
SEEDS = 8
"""Number of frames that are solved separately. The track begins at the frame with the smallest errors."""
LOOSE = 0.02
"""Tolerance of the track, in sizes. Points are noisy, so no frame is exact."""


def size_ratio(model: PointModel, seen: SeenPoints) -> float | None:
    """The size of the person relative to the figure: the median ratio of bone lengths; None if no bone is seen."""
    names = list(model.places.names)
    own = model.points(model.base.rest[None])[0]
    pairs = [(f"{side} {a}", f"{side} {b}") for side in ("left", "right") for a, b in BONES]
    ratios = []
    for a, b in (*pairs, *ACROSS):
        if a not in names or b not in names:
            continue
        i, j = names.index(a), names.index(b)
        both = seen.there[:, i] & seen.there[:, j]
        length = float(np.linalg.norm(own[i] - own[j]))
        if both.any() and length > 0.0:
            ratios.append(
                float(np.median(np.linalg.norm(seen.points[both, i] - seen.points[both, j], axis=1))) / length
            )
    return float(np.median(ratios)) if ratios else None


def first_poses(model: PointModel, seen: SeenPoints, only: Sequence[str]) -> Poses:
    """(T, nq) poses that follow the points frame by frame.

    Args:
        model: the figure and its points.
        seen: the points, smoothed.
        only: the joints that may move.
    """
    figure, count = model.figure, len(seen.times)
    goals = [
        Position(segment, (0.0, 0.0, 0.0), offset=tuple(offset), tolerance=LOOSE * figure.size, name=name)
        for name, segment, offset in zip(model.places.names, model.places.segments, model.offsets, strict=True)
    ]
    solver = Solver(figure, goals, only=list(only))
    rows, active = seen.points.reshape(count, -1), seen.there
    weights = np.maximum(seen.weights, 1e-3)
    order = np.flatnonzero(active.sum(axis=1) >= max(3, 0.6 * active.sum(axis=1).max()))
    seeds = order[np.unique(np.linspace(0, len(order) - 1, SEEDS).astype(int))]
    tried = solver.solve_many(None, rows[seeds], active=active[seeds], weights=weights[seeds], restarts=0)
    misses = np.where(active[seeds], tried.errors, 0.0).sum(axis=1) / active[seeds].sum(axis=1)
    best = int(np.argmin(misses))
    at, pose = int(seeds[best]), tried.poses[best]
    poses = np.empty((count, figure.nq))
    for frames in (np.arange(at, count), np.arange(at, -1, -1)):
        times = np.abs(seen.times[frames] - seen.times[at])
        found = solver.track(
            pose, rows[frames], times=times, active=active[frames], weights=weights[frames], iterations=60
        )
        poses[frames] = found.poses
    return _bridged(figure, poses, seen.times, np.asarray(active.any(axis=1)))


def _bridged(figure: Figure, poses: Poses, times: Vector, known: NDArray[np.bool_]) -> Poses:
    """The poses (T, nq), with those of frames that are not known between the known ones before and after."""
    at = np.flatnonzero(known)
    for a, b in itertools.pairwise(at):
        if b > a + 1:
            share = (times[a + 1 : b] - times[a]) / (times[b] - times[a])
            start = np.tile(poses[a], (b - a - 1, 1))
            poses[a + 1 : b] = figure.integrate(start, share[:, None] * figure.difference(poses[a], poses[b]))
    return poses
