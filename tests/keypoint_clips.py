"""People who move smoothly, and the keypoints that an estimator would see of them."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

import manikin as mk
from manikin.figure.parts.calibration import calibrate
from manikin.motion.points.layouts import LAYOUTS
from manikin.motion.points.places import find_places

Array = NDArray[np.float64]


@cache
def person(seed: int = 0) -> mk.Figure:
    """A person with other proportions than `mk.human()`."""
    rng = np.random.default_rng(seed)
    figure = mk.human(height=1.65)
    bones = mk.bone_map(figure)
    factors = {part: float(np.exp(rng.normal(0.0, 0.04))) for part in ("thigh", "shank", "upper arm", "forearm")}
    return figure.scaled(
        {name: f for part, f in factors.items() for side in ("left", "right") for name in bones[f"{side} {part}"]}
    )


def moving(figure: mk.Figure, frames: int = 60, rate: float = 30.0, seed: int = 0) -> mk.Motion:
    """Arms, legs, trunk and head swing about the rest pose while the body travels."""
    rng = np.random.default_rng(seed)
    times = np.arange(frames) / rate
    swings = {"LeftArm": 0.6, "RightArm": 0.6, "LeftUpLeg": 0.5, "RightUpLeg": 0.5, "Spine2": 0.1, "Neck": 0.2}
    swings |= {"LeftForeArm": 0.5, "RightForeArm": 0.5, "LeftLeg": 0.5, "RightLeg": 0.5}
    steps = np.zeros((frames, figure.nv))
    for joint, size in swings.items():
        first = figure.step_of(joint)
        count = 1 if joint.endswith(("ForeArm", "Leg")) and "Up" not in joint else 3
        for k in range(count):
            wave = size * np.sin(2.0 * np.pi * rng.uniform(0.3, 0.8) * times + rng.uniform(0.0, 6.0))
            steps[:, first + k] = 0.7 + wave if count == 1 else wave
    steps[:, 2] = 0.5 * times
    steps[:, 4] = 0.3 * np.sin(times)
    poses = figure.clamp(figure.integrate(np.tile(figure.rest, (frames, 1)), steps))
    return mk.Motion(figure, poses, times)


def keypoints(motion: mk.Motion, layout: str, noise: float = 0.0, seed: int = 0) -> Array:
    """(frames, points, 3) the keypoints of a motion, with white noise in metres."""
    figure = motion.figure
    places = find_places(calibrate(figure, mk.bone_map(figure)), LAYOUTS[layout])
    at = figure.placements(motion.poses, list(places.segments))
    points: Any = np.einsum("tkij,kj->tki", at[..., :3, :3], places.offsets) + at[..., :3, 3]
    return np.asarray(points + np.random.default_rng(seed).normal(0.0, noise, points.shape))


def joints(motion: mk.Motion) -> Array:
    """(frames, joints, 3) hips, knees, ankles, shoulders, elbows and wrists."""
    bones = mk.bone_map(motion.figure)
    parts = ("thigh", "shank", "foot", "upper arm", "forearm", "hand")
    names = [bones.first(f"{side} {part}") for side in ("left", "right") for part in parts]
    return np.asarray(motion.figure.placements(motion.poses, names)[..., :3, 3])


def apart(one: mk.Motion, two: mk.Motion) -> float:
    """Mean distance of the joints of two motions, in metres."""
    return float(np.linalg.norm(joints(one) - joints(two), axis=-1).mean())
