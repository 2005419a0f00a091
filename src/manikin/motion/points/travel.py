"""The travel of a person whose points are centred on the hips, rebuilt from the feet.

Many estimators of 3-D points subtract the hips from every frame. The hips then stay in one place while the feet move.
The lowest sole points that move alike stand on the floor. The travel of the hips is the opposite of their motion.
Heights follow from the lowest sole point, which is on the floor. A jump or a flight phase cannot be seen in such data.
"""

from __future__ import annotations

import numpy as np

from manikin.arrays import Matrix, Points, Vector
from manikin.figure.joint import Free, Slider
from manikin.figure.movable import movable_steps
from manikin.figure.parts.bone_map import BoneMap
from manikin.figure.parts.calibration import Calibration
from manikin.motion.motion import Motion
from manikin.motion.points.inputs import GivenPoints
from manikin.motion.retarget.goals import carrying_joint
from manikin.motion.smoothing import smooth_values
from manikin.motion.soles import find_soles

STILL = 0.005
"""Points are centred on the hips if these move by less than this (standard deviation), in legs."""
MOVES = 0.03
"""The ankles must move by at least this (standard deviation), in legs. Otherwise the person stands still."""
LOW = 0.015
"""A sole point this far above the lowest one has 1/e of its weight, in legs."""
ALIKE = 0.3
"""A low point has a quarter of its weight if its velocity differs from that of the floor by this much, in legs/s.
This leaves out a foot that swings close to the floor."""
STEADY = 3.0
"""The velocity of the floor is compared after smoothing at this frequency, in Hz."""
ROUNDS = 5
"""Rounds in which the points of the floor are chosen again."""
SMOOTH = 5.0
"""The path is smoothed at this frequency, in Hz."""


def centred_on_hips(given: GivenPoints, leg: float) -> bool:
    """Whether the hips rest in all frames while the ankles move.

    Args:
        given: the points.
        leg: length of thigh and shank, in the unit of the points.
    """
    hips = _middle(given, ("mid hip",))
    if hips is None or not _rests(hips, leg):
        hips = _middle(given, ("left hip", "right hip"))
    if hips is None or not _rests(hips, leg):
        hips = _middle(given, ("pelvis",))
    if hips is None or not _rests(hips, leg):
        return False
    for name in ("left ankle", "right ankle"):
        path = _middle(given, (name,))
        if path is not None and len(path) > 1 and np.linalg.norm(path.std(axis=0)) > MOVES * leg:
            return True
    return False


def _middle(given: GivenPoints, names: tuple[str, ...]) -> Points | None:
    """(N, 3) the mean of points in the frames in which all are seen; None if one is missing."""
    if not all(name in given.names for name in names):
        return None
    middle = given.points[:, [given.names.index(name) for name in names]].mean(axis=1)
    return np.asarray(middle[np.isfinite(middle).all(axis=1)])


def _rests(path: Points, leg: float) -> bool:
    return len(path) > 1 and float(np.linalg.norm(path.std(axis=0))) < STILL * leg


def rebuilt_path(motion: Motion, bones: BoneMap) -> Points:
    """(T, 3) the displacement of the body in each frame, so that the lowest sole points rest on a floor at height 0."""
    up = np.eye(3)["xyz".index(motion.figure.up)]
    soles = find_soles(motion.figure, motion.poses, bones)
    points = soles.over(motion.figure, motion.poses)[: soles.feet]
    heights = points @ up
    lowest = heights.min(axis=0)
    low = np.exp(-(heights - lowest) / (LOW * soles.leg))
    low = 0.5 * (low[:, 1:] + low[:, :-1])
    spans = np.diff(motion.times)[:, None]
    speeds = np.diff(points, axis=1) / spans
    velocity = _weighted(low, speeds)
    for _ in range(ROUNDS):
        off = (speeds - _calm(velocity, motion.times[1:], STEADY)) @ (np.eye(3) - np.outer(up, up))
        alike = 1.0 / (1.0 + ((off**2).sum(axis=-1) / (ALIKE * soles.leg) ** 2)) ** 2
        velocity = _weighted(low * alike, speeds)
    moves = velocity * spans
    path = -np.concatenate([np.zeros((1, 3)), np.cumsum(moves, axis=0)])
    path -= np.outer(path @ up + lowest, up)
    return _calm(path, motion.times, SMOOTH)


def _weighted(weights: Matrix, speeds: Points) -> Points:
    """(T, 3) the weighted mean over the points (P, T, 3)."""
    return np.asarray(np.einsum("pt,pti->ti", weights, speeds) / weights.sum(axis=0)[:, None])


def _calm(values: Points, times: Vector, frequency: float) -> Points:
    rate = (len(times) - 1) / (times[-1] - times[0]) if len(times) > 4 else 0.0
    return smooth_values(values, times, frequency) if rate > 2.0 * frequency else values


def displaced(motion: Motion, path: Points, calibration: Calibration) -> Motion:
    """The motion with the body displaced by (T, 3)."""
    figure = motion.figure
    steps = np.zeros((len(motion), figure.nv))
    carrier = figure.segment(carrying_joint(calibration))
    J = figure.jacobian(motion.poses, carrier.name)[:, :3]
    slides = [
        step
        for step in np.flatnonzero(movable_steps(figure, only=[carrier.joint.name]))
        if np.abs(figure.jacobian(figure.rest, carrier.name)[3:, step]).max() < 1e-12
    ]
    assert any(isinstance(m, (Free, Slider)) for m in carrier.joint.motions)
    steps[:, slides] = np.linalg.solve(J[:, :, slides], path[..., None])[..., 0]
    return motion.replaced(poses=figure.integrate(motion.poses, steps))
