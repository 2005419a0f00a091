"""Recorded clips on people of random proportions, and the keypoints that an estimator would see of them.

The truth is independent of the fit in three ways: proportions are drawn at random, every point has a hidden offset that
is fixed to the segment below the joint (`fit_points` assumes the segment above), and noise is added.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import manikin as mk
from benchmarks.retarget import load_clip
from manikin import rotations
from manikin.figure.parts.calibration import Calibration, calibrate
from manikin.motion.points.layouts import LAYOUTS
from manikin.motion.points.model import GROUPS, group_of
from manikin.motion.points.places import JOINTS, find_places

Array = NDArray[Any]

CLIPS = {"walk": (1, 301), "dance": (60, 361), "punch": (60, 361)}
"""The frames of each clip, at 120 frames per second."""
COMMON, OWN = 0.05, 0.04
"""Standard deviations of ln of the size of a person, and of the length of each part."""
NOISE, HIDDEN, BIAS = 0.02, 0.01, 0.015
"""Standard deviations on each axis in metres: white noise, the fixed offset of a point, and its bias over time."""
BIAS_TIME = 0.4
"""Correlation time of the bias in seconds (an Ornstein–Uhlenbeck process)."""
GAP, MISSING = 0.3, 0.15
"""Seconds of a gap, and the share of samples in gaps."""
SEEN = ("thigh", "shank", "foot", "upper arm", "forearm", "hand")
"""Limbs that begin at a seen joint: hips, knees, ankles, shoulders, elbows and wrists."""


@dataclass(frozen=True, eq=False)
class Truth:
    """A clip on a person."""

    clip: str
    motion: mk.Motion
    calibration: Calibration


@functools.cache
def recorded(clip: str, frames: int | None = None) -> mk.Motion:
    first, last = CLIPS[clip]
    return load_clip(clip, None)[first : last if frames is None else min(first + frames, last)]


def person(rng: np.random.Generator) -> mk.Figure:
    """A person of random proportions."""
    figure = mk.human()
    common = rng.normal(0.0, COMMON)
    factors = {group: float(np.exp(common + rng.normal(0.0, OWN))) for group in GROUPS}
    bones = mk.bone_map(figure)
    return figure.scaled({name: factors[group_of(part)] for part, names in bones.items() for name in names})


def truth(clip: str, seed: int, frames: int | None = None) -> Truth:
    """A clip on a person of random proportions."""
    figure = person(np.random.default_rng((seed, 1)))
    motion = mk.retarget(recorded(clip, frames), figure).motion
    return Truth(clip, motion, calibrate(figure, mk.bone_map(figure)))


def keypoints(known: Truth, layout: str, seed: int, kind: str = "noise") -> Array:
    """(frames, points, 3) the keypoints that are seen, NaN in gaps.

    Args:
        known: the truth.
        layout: the layout.
        seed: of offsets and noise.
        kind: "noise" (white), "gaps" (white noise, samples missing in runs), "bias" (noise and a bias over time).
    """
    rng = np.random.default_rng((seed, 2, list(LAYOUTS).index(layout)))
    own = known.calibration
    figure, motion = own.figure, known.motion
    places = find_places(own, LAYOUTS[layout])
    standing, moved = figure.placements(own.standing.pose), figure.placements(motion.poses)
    out = []
    for name, segment, offset in zip(places.names, places.segments, places.offsets, strict=True):
        side, _, kind_of = name.partition(" ")
        if side in ("left", "right") and kind_of in JOINTS and kind_of != "collar":
            below = own.bones.first(f"{side} {JOINTS[kind_of][0]}")
        else:
            below = segment
        i, j = figure.segment_index(segment), figure.segment_index(below)
        at = standing[i, :3, :3] @ offset + standing[i, :3, 3]
        local = standing[j, :3, :3].T @ (at - standing[j, :3, 3]) + rng.normal(0.0, HIDDEN, 3)
        out.append(moved[:, j, :3, :3] @ local + moved[:, j, :3, 3])
    points = np.stack(out, axis=1)
    points = points + rng.normal(0.0, NOISE, points.shape)
    if kind == "bias":
        points += _wandering(rng, motion.times, points.shape)
    if kind == "gaps":
        points[_gaps(rng, motion.times, points.shape[1])] = np.nan
    return np.asarray(points)


def _wandering(rng: np.random.Generator, times: Array, shape: tuple[int, ...]) -> Array:
    keep = np.exp(-(times[1] - times[0]) / BIAS_TIME)
    out = np.empty(shape)
    out[0] = rng.normal(0.0, BIAS, shape[1:])
    for t in range(1, len(out)):
        out[t] = keep * out[t - 1] + np.sqrt(1.0 - keep**2) * rng.normal(0.0, BIAS, shape[1:])
    return out


def _gaps(rng: np.random.Generator, times: Array, points: int) -> Array:
    length = max(round(GAP / (times[1] - times[0])), 1)
    out = np.zeros((len(times), points), dtype=bool)
    while out.mean() < MISSING:
        first, k = rng.integers(0, len(times)), rng.integers(0, points)
        out[first : first + length, k] = True
    return out


def centers(own: Calibration, poses: Array) -> dict[str, Array]:
    """(frames, 3) the joint at which each part begins, and the hips."""
    placed = own.figure.placements(poses)
    out = {}
    for part, link in own.links.items():
        at = placed[:, own.figure.segment_index(own.bones.main(part))]
        out[part] = at[:, :3, :3] @ link.at_own + at[:, :3, 3]
    pelvis = placed[:, own.figure.segment_index(own.bones.main("pelvis"))]
    out["hips"] = pelvis[:, :3, :3] @ own.hips + pelvis[:, :3, 3]
    return out


def seen_joints() -> list[str]:
    return ["hips", "neck 1", "head", *(f"{side} {part}" for side in ("left", "right") for part in SEEN)]


def twist_errors(known: Truth, fit: mk.PointsFit, part: str) -> Array:
    """(frames,) difference of the turn about a bone, in degrees."""
    own = known.calibration
    segment = own.bones.main(part)
    bone = own.bone(part) / np.linalg.norm(own.bone(part))
    true, found = (m.figure.placements(m.poses, [segment])[:, 0, :3, :3] for m in (known.motion, fit.motion))
    turn = rotations.from_matrix(np.swapaxes(true, 1, 2) @ found)
    angle = 2.0 * np.arctan2(turn[:, 1:] @ bone, turn[:, 0])
    return np.degrees(np.abs(rotations.wrapped(angle)))
