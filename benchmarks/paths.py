"""Smooth closed paths of poses, cut into frames by the motion of the effectors. They are reachable, because they come
from poses."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.tree import Tree
from benchmarks.turns import Array, angle_between

LEVER = 0.3
"""One radian counts as this many metres: a step of 3 mm turns by at most 0.01 rad."""


def through_joints(tree: Tree, rng: np.random.Generator, reach: float = 0.6) -> Callable[[Array], Array]:
    """s in [0, 1] -> poses: every joint is a sum of two waves about a middle, within its limits, at most `reach`
    (rad)."""
    low = np.where(np.isfinite(tree.lower), tree.lower, -np.pi)
    high = np.where(np.isfinite(tree.upper), tree.upper, np.pi)
    wide = high - low
    swing = np.minimum(0.2 * wide, reach)
    middle = rng.uniform(low + 0.25 * wide, high - 0.25 * wide)
    share = rng.uniform(0.3, 0.7, tree.nq)
    phases = rng.uniform(0.0, 2 * np.pi, (2, tree.nq))

    def at(s: Array) -> Array:
        t = 2 * np.pi * np.asarray(s)[:, None]
        wave = share * np.sin(t + phases[0]) + (1.0 - share) * np.sin(2 * t + phases[1])
        return np.clip(middle + swing * wave, tree.lower, tree.upper)

    return at


def through_keys(keys: Array) -> Callable[[Array], Array]:
    """s in [0, 1] -> vectors: the periodic cubic spline through the keys (K, n), equally spaced."""
    from scipy.interpolate import CubicSpline

    closed = np.concatenate([keys, keys[:1]])
    spline = CubicSpline(np.linspace(0.0, 1.0, len(closed)), closed, bc_type="periodic")
    return lambda s: np.asarray(spline(s))


def frames(tree: Tree, path: Callable[[Array], Array], links: tuple[str, ...], step: float, most: int) -> Array:
    """Poses along the path. Per frame no link moves more than `step` metres or turns more than step / LEVER.

    The first pose is the beginning of the path; the frames follow it. There are at most `most` frames.
    """
    s = np.linspace(0.0, 1.0, 4001)
    placed = tree.placements(path(s), links)
    moved = np.linalg.norm(np.diff(placed[..., :3, 3], axis=0), axis=-1)
    turned = LEVER * angle_between(placed[1:, :, :3, :3], placed[:-1, :, :3, :3])
    way = np.concatenate([[0.0], np.cumsum(np.maximum(moved, turned).max(axis=1))])
    count = min(most, int(way[-1] / (0.999 * step)))
    return path(np.interp(0.999 * step * np.arange(count + 1), way, s))
