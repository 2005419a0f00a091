"""placo and mink on the targets of `benchmarks.motions`, frame after frame, on the Euler joints of the file."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import manikin as mk
from benchmarks.clip_inputs import Clip
from benchmarks.clips import PEER_KEYS, peer_poses
from benchmarks.motion_inputs import Taken
from benchmarks.turns import Array


def tracked(taken: Taken, rows: Array) -> Iterator[tuple[str, mk.Motion | None, float]]:
    """(label, motion, seconds per frame) of each peer. A peer that fails, or is not installed, has no motion. A peer
    that exceeds its time limit has fewer frames."""
    read = taken.read
    clip = Clip(taken.name, "Euler", read.rate or 1.0, True, read.figure, np.array(read.poses), taken.segments)
    for label, poses, wall in peer_poses(clip, "motions", rows, PEER_KEYS):
        if poses is None or not len(poses) or not np.isfinite(poses).all():
            yield label, None, 0.0
            continue
        motion = mk.Motion(read.figure, poses, read.times[: len(poses)], label)
        yield label, motion.on(taken.motion.figure), float(wall.mean())


def filled(rows: Array) -> Array:
    """Targets (T, 6, 7) with linear interpolation in gaps. Peers have no rule for missing targets."""
    out = np.array(rows)
    frames = np.arange(len(out))
    for k in range(out.shape[1]):
        known = np.isfinite(out[:, k]).all(axis=1)
        for c in range(out.shape[2]):
            out[:, k, c] = np.interp(frames, frames[known], out[known, k, c])
        out[:, k, 3:] /= np.linalg.norm(out[:, k, 3:], axis=1, keepdims=True)
    return out
