"""The pose from which a motion is mirrored, for rigs whose rest pose is not symmetric.

`Figure.mirrored` needs a pose that is its own mirror image. The rest pose usually is. If it is not, as in files whose
joints have other axes on both sides at rest, this module finds one: the neutral stance, in which every part of the body
has its calibrated axes along those of the world.
"""

from __future__ import annotations

import numpy as np

from manikin import rotations
from manikin.arrays import Rotations, Vector
from manikin.errors import BadValue, OddFile, warn
from manikin.figure.figure import Figure
from manikin.figure.parts.bone_map import SIDES
from manikin.figure.parts.calibration import Calibration, calibrate
from manikin.figure.parts.find import bone_map
from manikin.figure.parts.sides import side_pairs
from manikin.motion.motion import Motion

UNEVEN = 0.065
"""A pose is symmetric if the reflected joints of one side are nearer than this to those of the other, on average, in
sizes of the figure. The rest poses of 16 figures of the data folder have at most 0.047, that of Rokoko 0.087."""


def symmetric_reference(motion: Motion) -> Vector | None:
    """(nq,) a pose of the figure that is its own mirror image; None means the rest pose.

    If the rest pose is not symmetric and no other pose is found, there is a warning.
    """
    figure = motion.figure
    if unevenness(figure, figure.rest) < UNEVEN:
        return None
    try:
        pose = _neutral(motion)
        found = unevenness(figure, pose)
    except BadValue:
        found = np.inf
    if found < UNEVEN:
        return pose
    warn(
        f"the rest pose of figure {figure.name!r} is not symmetric, so the mirrored motion is wrong where its sides "
        "differ; pass a symmetric pose as reference=",
        OddFile,
    )
    return None


def unevenness(figure: Figure, pose: Vector) -> float:
    """The mean distance between the joints of one side and the reflected joints of the other, in sizes of the figure.

    The mirror plane is that which fits best: it goes through the middle between the two sides.
    """
    names = figure.segment_names
    pairs = [(names.index(a), names.index(b)) for a, b in side_pairs(names).items() if a < b]
    at = figure.placements(pose)[:, :3, 3]
    a, b = at[[i for i, _ in pairs]], at[[j for _, j in pairs]]
    if not pairs:
        return 0.0
    across = a - b
    n = np.linalg.svd(across)[2][0]
    middle = 0.5 * (a + b)
    along = (middle - middle.mean(axis=0)) @ n  # how far the middles of the pairs are from one plane
    rest = across - np.outer(across @ n, n)
    return float(np.mean(np.linalg.norm(rest, axis=1) + 2.0 * np.abs(along)) / figure.size)


def _neutral(motion: Motion) -> Vector:
    """(nq,) the neutral stance of a figure: all parts have their calibrated axes along those of the world.

    Raises:
        BadValue: the figure has no arms or legs, or it stands in no pose.
    """
    from manikin.motion.retarget.follow_ideal import follow_ideal
    from manikin.motion.retarget.goals import carrying_joint, joints_to_move, weights_by_kind
    from manikin.motion.retarget.ideal import ideal_placements
    from manikin.motion.retarget.watch import Observed

    own = calibrate(motion.figure, bone_map(motion.figure), motion.poses, option="reference")
    upright = Observed(own, {part: _level(own, part)[None] for part in own.axes}, np.zeros((1, 3)), {})
    ideal = ideal_placements(upright, own, np.zeros((1, 3)))
    only = joints_to_move(own, carrying_joint(own))
    pose: Vector = follow_ideal(ideal, np.zeros(1), only, None, np.zeros((1, 3)), weights_by_kind(None))[0]
    return pose


def _level(own: Calibration, part: str) -> Rotations:
    """(3, 3) the orientation of a part in the neutral stance.

    Hips and shoulders are level, and the spine is in the mirror plane, although the frame from which the axes of a rig
    were found may lean.
    """
    A, links = own.axes[part], own.links
    sides = [
        A.T @ (link.at_parent - links[right].at_parent)
        for left, link in links.items()
        if left.startswith("left ") and link.parent == part and (right := f"right {left[5:]}") in links
    ]
    across = np.sum(sides, axis=0) if sides else np.zeros(3)
    if np.linalg.norm(across) > 0.01 * own.leg:
        return _turning(across, np.array([1.0, 0.0, 0.0]))
    start = links[part].at_own if part in links else np.zeros(3)
    below = [link for name, link in links.items() if link.parent == part and not name.startswith(SIDES)]
    middle = [A.T @ (link.at_parent - start) for link in below]
    if part.startswith(SIDES) or not middle or np.linalg.norm(middle[0]) <= 0.01 * own.leg:
        return np.eye(3)
    return _turning(middle[0], middle[0] * np.array([0.0, 1.0, 1.0]))


def _turning(a: Vector, b: Vector) -> Rotations:
    """(3, 3) the shortest rotation from one direction to another."""
    return rotations.to_matrix(rotations.between(a / np.linalg.norm(a), b / np.linalg.norm(b)))
