"""The clips of `benchmarks.motions`, by short names: those it is judged on, and others that settings are chosen on."""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import manikin as mk
from benchmarks.clip_inputs import ADDED, NOISE, in_metres, parts_of, standing, turns
from benchmarks.turns import Array, quaternions
from manikin import rotations
from manikin.figure.joint import Joint

FILES = {
    "walk": "cmu_02_01_walk",
    "run": "cmu_09_01_run",
    "punch": "cmu_02_05_punch",
    "dance": "cmu_05_02_dance_pirouette",
    "pirouette": "cmu_05_11_pirouette",
    "cartwheel": "cmu_49_06_cartwheel",
    "rokoko": "animated_drawings_rokoko_jesse_dance",
    "dab": "animated_drawings_dab",
    "louise": "optitrack_arena_louise",
    "meredith": "pymo_AV_8Walk_Meredith",
    "makehuman": "makehuman_walk1",
}
CLIPS = ("walk", "run", "punch", "dance", "pirouette", "cartwheel")
"""Those that results are about."""
CHOICE = ("rokoko", "dab", "louise", "meredith", "makehuman")
"""Those that settings are chosen on."""
MISSING = (0.12, 4, 24)
"""Fraction of the samples of each goal that are missing, and the shortest and longest run of missing frames at 120
frames per second."""


def file_of(name: str) -> Path:
    """The file of a clip, in MANIKIN_DATA."""
    folder = os.environ.get("MANIKIN_DATA", "")
    path = Path(folder, "bvh", f"{FILES[name]}.bvh")
    if not path.exists():
        raise FileNotFoundError(f"there are no clips: MANIKIN_DATA is {folder or 'not set'}")
    return path


def with_ball_root(figure: mk.Figure) -> mk.Figure:
    """The figure with balls for Euler joints of three axes without limits, such as its root."""
    segments = []
    for s in figure.segments:
        j = s.joint
        last = j.motions[-1] if j.motions else None
        if isinstance(last, mk.Euler) and len(last.order) == 3 and np.isinf(last.limits).all():
            slides, start = len(j.motions) - 1, figure.index_of(j.name)
            numbers = figure.rest[start : start + j.nq]
            turn = rotations.from_euler(last.order, numbers[slides:])
            rest = (*numbers[:slides].tolist(), *turn.tolist())
            j = Joint(j.name, (*j.motions[:-1], mk.Ball()), j.offset, j.rotation, rest)
        segments.append(s.replaced(joint=j))
    return figure.replaced(segments=segments)


@dataclass(frozen=True, eq=False)
class Taken:
    """A recorded clip on a figure with limits."""

    name: str
    motion: mk.Motion
    segments: tuple[str, ...]
    read: mk.Motion
    """The same frames as they were read, in metres, on the figure with Euler joints."""

    def targets(self) -> Array:
        """(T, 6, 7)."""
        placed = self.motion.placements(list(self.segments))
        return np.concatenate([placed[..., :3, 3], quaternions(placed[..., :3, :3])], axis=-1)

    def goals(self, rows: Array) -> list[mk.Over]:
        return [mk.Over(mk.Placement(s, np.eye(4)), rows[:, k]) for k, s in enumerate(self.segments)]

    def cut(self, count: int) -> Taken:
        return Taken(self.name, self.motion[:count], self.segments, self.read[:count])


def take(name: str) -> Taken:
    """A clip by its short name, clamped into the limits of a person."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        motion = mk.load_motion(file_of(name))
        segments = parts_of(motion.figure)
        motion = in_metres(motion, segments)
        motion = motion[1 if turns(motion.figure, motion.poses[:2]).max() > ADDED else 0 :]
        pose = standing(motion)
        assert pose is not None
        same = np.array_equal(pose, motion.figure.rest)
        figure = with_ball_root(motion.figure.with_limits("human", balls=True, pose=None if same else pose))
        moved = motion.on(figure)
    clamped = mk.Motion(figure, figure.clamp(moved.poses), moved.times, name)
    return Taken(name, clamped, segments, motion)


def noisy(rows: Array, rate: float, rng: np.random.Generator) -> Array:
    """Targets (T, 6, 7) with white noise and runs of missing samples. The runs have the same duration at every rate."""
    out = np.array(rows)
    out[..., :3] += NOISE[0] * rng.normal(size=out[..., :3].shape)
    turned = rotations.from_rotation_vector(NOISE[1] * rng.normal(size=out[..., :3].shape))
    out[..., 3:] = rotations.multiply(turned, out[..., 3:])
    share, least, most = MISSING
    for k in range(out.shape[1]):
        gone = np.zeros(len(out), dtype=bool)
        while gone.mean() < share:
            n = max(1, round(int(rng.integers(least, most + 1)) * rate / 120.0))
            a = int(rng.integers(1, len(out) - n - 1))
            if not gone[a - 1 : a + n + 1].any():
                gone[a : a + n] = True
        out[gone, k] = np.nan
    return out
