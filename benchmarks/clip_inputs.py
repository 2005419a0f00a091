"""Recorded motion as targets: selects clips of standing people, scales their figures to metres, and makes targets."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import manikin as mk
from benchmarks.turns import Array, angle_between, quaternions
from manikin import rotations
from manikin.errors import BadValue
from manikin.figure.joint import Joint
from manikin.figure.parts.bone_names import Part, recognised

PARTS = (
    Part("pelvis"),
    Part("head"),
    Part("hand", "left"),
    Part("hand", "right"),
    Part("foot", "left"),
    Part("foot", "right"),
)
"""The parts that are placed."""
HAND = 2
"""Index of the part that is pulled out of reach."""
HEAD_HEIGHT = 1.5
"""Distance in metres from between the feet to the head joint of a standing person. BVH has no unit, so clips are scaled
to it."""
LEAST_FRAMES = 10
"""Clips with fewer frames are left out."""
ADDED = 0.5
"""The first frame is an added T-pose if a joint turns by more than this (radians) from the first frame to the second.
Many files of CMU have one. No recorded joint turns as fast."""
RATE = 30.0
"""Approximate frames per second of the slower of two rates."""
NOISE = (0.01, 0.05)
"""Standard deviation of the noise: of each coordinate in metres, and of each part of a rotation vector in radians."""
PULL = 1.0
"""Largest distance in metres by which the hand is pulled away from the head."""
INPUTS = ("clean", "noisy", "hand out of reach")


@dataclass(frozen=True, eq=False)
class Clip:
    """A motion of a person on one figure at one rate."""

    name: str
    joints: str
    """ "Euler" (as read) or "balls"."""
    rate: float
    """Frames a second."""
    own: bool
    """Whether this is the rate of the file."""
    figure: mk.Figure
    poses: Array
    """(T, nq)."""
    segments: tuple[str, ...]
    """The segments of PARTS."""

    def targets(self) -> Array:
        """(T, 6, 7) the placements of the parts in the poses."""
        placed = self.figure.placements(self.poses, list(self.segments))
        return np.concatenate([placed[..., :3, 3], quaternions(placed[..., :3, :3])], axis=-1)

    def asked(self, way: str, rng: np.random.Generator) -> Array:
        """(T, 6, 7) targets, for one of INPUTS."""
        rows = self.targets()
        if way == "noisy":
            rows[..., :3] += NOISE[0] * rng.normal(size=rows[..., :3].shape)
            turns = rotations.from_rotation_vector(NOISE[1] * rng.normal(size=rows[..., :3].shape))
            rows[..., 3:] = rotations.multiply(turns, rows[..., 3:])
        elif way == "hand out of reach":
            away = rows[:, HAND, :3] - rows[:, 1, :3]
            away /= np.linalg.norm(away, axis=1, keepdims=True)
            # No pull in the first and last quarter, and a smooth motion out and back between.
            s = np.clip(np.linspace(-0.5, 1.5, len(rows)), 0.0, 1.0)
            rows[:, HAND, :3] += PULL * np.sin(np.pi * s)[:, None] ** 2 * away
        return rows

    def errors(self, poses: Array, targets: Array) -> tuple[Array, Array]:
        """(B, 6) errors in metres and in radians, from the placements of the figure."""
        placed = self.figure.placements(poses, list(self.segments))
        turned = rotations.to_matrix(targets[..., 3:])
        return np.linalg.norm(placed[..., :3, 3] - targets[..., :3], axis=-1), angle_between(
            placed[..., :3, :3], turned
        )

    def speed(self, poses: Array) -> float:
        """The fastest rotation of a joint from one frame to the next, rad/s, for any kind of joint."""
        return float(turns(self.figure, poses).max(initial=0.0)) * self.rate


def turns(figure: mk.Figure, poses: Array) -> Array:
    """(B - 1, joints) angle in radians by which each segment turns relative to its parent from frame to frame."""
    R = figure.placements(poses)[..., :3, :3]
    names = list(figure.segment_names)
    above = [names.index(s.parent) if s.parent is not None else -1 for s in figure.segments]
    local = np.stack([R[:, i] if p < 0 else np.swapaxes(R[:, p], 1, 2) @ R[:, i] for i, p in enumerate(above)], axis=1)
    return angle_between(local[1:], local[:-1])


def clips(most: int, left_out: list[str]) -> Iterator[Clip]:
    """Every clip of MANIKIN_DATA/bvh on both figures at both rates, at most `most` frames of each. Appends the clips
    that are left out to `left_out`."""
    folder = os.environ.get("MANIKIN_DATA", "")
    files = sorted(Path(folder, "bvh").glob("*.bvh")) if folder else []
    if not files:
        raise FileNotFoundError(f"there are no clips: MANIKIN_DATA is {folder or 'not set'}")
    for path in files:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # oddities of a file do not matter here
            motion = mk.load_motion(path)
        segments = parts_of(motion.figure)
        reason = unfit(motion, segments)
        if reason:
            left_out.append(f"{path.stem}: {reason}")
        else:
            yield from variants(path.stem, in_metres(motion, segments), segments, most)


def variants(name: str, motion: mk.Motion, segments: tuple[str, ...], most: int) -> Iterator[Clip]:
    """A motion on both figures at both rates; at one rate if its own rate is the slower one."""
    first = 1 if turns(motion.figure, motion.poses[:2]).max() > ADDED else 0
    assert motion.rate is not None
    every = max(1, round(motion.rate / RATE))
    for joints in ("Euler", "balls"):
        on = motion if joints == "Euler" else motion.on(with_balls(motion.figure))
        for n in dict.fromkeys((1, every)):
            poses = np.array(on.poses[first::n][:most])
            yield Clip(name, joints, motion.rate / n, n == 1, on.figure, poses, segments)


def parts_of(figure: mk.Figure) -> tuple[str, ...]:
    """The segments of PARTS by their names; fewer if some are not recognised."""
    names = list(figure.segment_names)
    found = recognised(names, [names.index(s.parent) if s.parent is not None else -1 for s in figure.segments])
    return tuple(names[found.index(part)] for part in PARTS if part in found)


def unfit(motion: mk.Motion, segments: tuple[str, ...]) -> str:
    """The reason why a clip is left out; empty for a person who stands and moves."""
    if len(segments) < len(PARTS):
        return f"{len(segments)} of the {len(PARTS)} parts are recognised by name"
    if len(motion) < LEAST_FRAMES:
        return f"{len(motion)} frame{'s' if len(motion) > 1 else ''}"
    return "" if standing(motion) is not None else "neither the rest pose nor the first frames stand"


def standing(motion: mk.Motion) -> Array | None:
    """A pose in which the figure stands: its rest pose, or one of the first two frames. None if there is none."""
    for pose in (motion.figure.rest, *motion.poses[:2]):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                motion.figure.with_limits("human", pose=pose)
        except BadValue:
            continue
        return np.array(pose)
    return None


def in_metres(motion: mk.Motion, segments: tuple[str, ...]) -> mk.Motion:
    """The motion on a figure scaled to the size of a person."""
    pose = standing(motion)
    assert pose is not None
    old = motion.figure
    at = old.placements(pose, list(segments))[:, :3, 3]
    factor = HEAD_HEIGHT / float(
        np.linalg.norm(at[1] - at[4:].mean(axis=0))
    )  # not along an axis, because files differ in their axes
    lengths = [
        old.index_of(s.joint.name) + k
        for s in old.segments
        for k, m in enumerate(s.joint.motions)
        if isinstance(m, mk.Slider)
    ]
    poses = np.array(motion.poses)
    poses[:, lengths] *= factor
    figure = old.replaced(unit=factor).in_metres()
    return mk.Motion(figure, poses, motion.times, motion.name)


def with_balls(figure: mk.Figure) -> mk.Figure:
    """The figure with balls instead of Euler joints of three axes, still without limits."""
    segments = []
    for s in figure.segments:
        j = s.joint
        if j.motions and isinstance(j.motions[-1], mk.Euler) and len(j.motions[-1].order) == 3:
            slides = len(j.motions) - 1
            start = figure.index_of(j.name)
            numbers = figure.rest[start : start + j.nq]
            turn = rotations.from_euler(j.motions[-1].order, numbers[slides:])
            rest = (*numbers[:slides].tolist(), *turn.tolist())
            j = Joint(j.name, (*j.motions[:-1], mk.Ball()), j.offset, j.rotation, rest)
        segments.append(s.replaced(joint=j))
    return figure.replaced(segments=segments)
