"""Clips and figures for the tests of retargeting, loaded once, and distances between motions."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
from needs import data_file

import manikin as mk
from manikin.figure.parts.calibration import Calibration, calibrate
from manikin.motion.retarget.measure import LEG_PART
from manikin.motion.retarget.watch import watch

CLIPS = {
    "walk": "bvh/cmu_02_01_walk.bvh",
    "run": "bvh/cmu_09_01_run.bvh",
    "dance": "bvh/cmu_05_02_dance_pirouette.bvh",
    "pirouette": "bvh/cmu_05_11_pirouette.bvh",
    "daz pirouette": "bvh/threejs_pirouette.bvh",
    "cartwheel": "bvh/cmu_49_06_cartwheel.bvh",
    "pymo": "bvh/pymo_AV_8Walk_Meredith.bvh",
    "rokoko": "bvh/animated_drawings_rokoko_jesse_dance.bvh",
    "dab": "bvh/animated_drawings_dab.bvh",
    "optitrack": "bvh/optitrack_arena_louise.bvh",
}
FIGURES = {
    "daz": "bvh/threejs_pirouette.bvh",
    "g1": "mjcf/unitree_g1.xml",
    "cesium": "gltf/CesiumMan.glb",
    "makehuman": "bvh/makehuman_tpose.bvh",
    "robot": "gltf/RobotExpressive.glb",
    "mujoco": "mjcf/humanoid.xml",
    "fox": "gltf/Fox.glb",
}
POINTS = ("forearm", "hand", "shank", "foot", "upper arm")
"""Parts whose joints are compared, on both sides."""


@cache
def clip(name: str, frames: int | None = None) -> mk.Motion:
    """A clip by its short name, or its first frames."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mk.errors.OddFile)
        motion = mk.load_motion(data_file(CLIPS[name]))
    return motion if frames is None else motion[:frames]


@cache
def figure(name: str) -> mk.Figure:
    """A figure by its short name."""
    if name == "human":
        return mk.human()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mk.errors.OddFile)
        return mk.load_figure(data_file(FIGURES[name]))


def calibrated(motion: mk.Motion) -> Calibration:
    return calibrate(motion.figure, mk.bone_map(motion.figure), motion.poses)


def apart(one: mk.Motion, two: mk.Motion, calibration: Calibration) -> float:
    """The mean distance of the joints of two motions of one figure, relative to their hips, in percent of body height.

    The last frames of both are compared, because a first frame that is a separate pose is left out.
    """
    count = min(len(one), len(two))
    a, b = (watch(calibration, motion.poses[-count:]) for motion in (one, two))
    names = ["head", *(f"{side} {part}" for side in ("left", "right") for part in POINTS)]
    distances = [
        np.linalg.norm((a.centers[n] - a.hips) - (b.centers[n] - b.hips), axis=1) for n in names if n in a.centers
    ]
    return float(100.0 * LEG_PART * np.mean(distances) / calibration.leg)


def scaled(motion: mk.Motion, factor: float) -> mk.Motion:
    """The motion with all lengths times a factor."""
    figure = motion.figure.scaled(factor)
    poses = np.array(motion.poses)
    for segment in figure.segments:
        at = figure.index_of(segment.joint.name)
        for motion_of_joint in segment.joint.motions:
            if isinstance(motion_of_joint, mk.Slider):
                poses[:, at] *= factor
                at += 1
            elif isinstance(motion_of_joint, mk.Free):
                poses[:, at : at + 3] *= factor
    return mk.Motion(figure, poses, motion.times, motion.name)
