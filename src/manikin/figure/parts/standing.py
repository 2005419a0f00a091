"""Poses in which a body stands, and the axes of the body in such a pose.

The joints of a standing body show which way its parts point. A rest pose often stands, but not always: some rigs rest
in a heap, some with the legs apart. A frame of a clip can then show more.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manikin import rotations
from manikin.arrays import Placements, Points, Poses, Rotations, Vector
from manikin.errors import BadValue
from manikin.figure.figure import Figure
from manikin.figure.parts import axes
from manikin.figure.parts.bone_map import SIDES, BoneMap

STANDS = 3.5
"""A pose stands if its score is above this. The score is 4 for an upright body with straight legs."""
BETTER = 0.1
"""The first frame is used instead of the rest pose if its score is higher by this."""
LEAST_STAND = 3.0
"""A pose with a lower score does not show the orientation of the feet."""
MOST_FRAMES = 400
"""In longer clips, this many frames are searched for one that stands."""


@dataclass(frozen=True, eq=False)
class Standing:
    """A pose that stands, and where it was found."""

    pose: Vector
    """(nq,)."""
    where: str
    """ "rest pose", "frame 12", "bones" for that of the map, or "given"."""


def standing_pose(figure: Figure, poses: Poses, bones: BoneMap, option: str = "pose") -> Standing:
    """The rest pose, or the first frame if it stands better, or else the frame that stands best.

    Args:
        figure: the figure.
        poses: (frames, nq) of a clip; may be empty.
        bones: the parts of the figure.
        option: the argument that takes a standing pose, for messages: "pose", or "bones" for a map.

    Raises:
        BadValue: neither the rest pose nor any frame stands.
    """
    step = max(1, -(-len(poses) // MOST_FRAMES))
    looked = np.vstack([figure.rest[None], poses[::step]])
    score = standing_score(figure, looked, bones)
    if len(poses) and score[1] > STANDS and score[1] > score[0] + BETTER:
        return Standing(np.array(looked[1]), "frame 0")
    if score[0] > STANDS:
        return Standing(np.array(looked[0]), "rest pose")
    best = int(np.argmax(score))
    if score[best] < LEAST_STAND:
        example = f', as in {option}={{"parts": {{}}, "pose": {{"{figure.number_names[-1]}": 0.1}}}}'
        raise BadValue(
            f"the rest pose of figure {figure.name!r} does not stand{', nor does any frame' if len(poses) else ''}; "
            f"give {option}= with a pose in which it stands{'' if option == 'pose' else example}"
        )
    return Standing(np.array(looked[best]), "rest pose" if best == 0 else f"frame {(best - 1) * step}")


def standing_score(figure: Figure, poses: Poses, bones: BoneMap) -> Vector:
    """(frames,) −(thigh · up) − (shank · up) added up over both legs, with up from the hips to the shoulders.

    It is 4 for a body that stands upright with straight legs. An animal on four legs does not stand along its trunk, so
    up is the figure's up axis, and each leg counts as one direction from hip to foot.
    """
    parts = [(side, part) for side in SIDES for part in ("thigh", "shank", "foot", "upper arm")]
    placements = figure.placements(poses, [bones.first(f"{side} {part}") for side, part in parts])
    at = {key: placements[..., k, :3, 3] for k, key in enumerate(parts)}
    score = np.zeros(len(poses))
    if bones.four_legged:
        up = np.eye(3)["xyz".index(figure.up)]
        for side in SIDES:
            score -= 2.0 * unit(at[side, "foot"] - at[side, "thigh"]) @ up
        return score
    up = unit(sum((at[side, "upper arm"] - at[side, "thigh"] for side in SIDES), np.zeros((len(poses), 3))))
    for side in SIDES:
        for upper, lower in (("thigh", "shank"), ("shank", "foot")):
            score -= np.einsum("fi,fi->f", unit(at[side, lower] - at[side, upper]), up)
    return score


def body_axes(figure: Figure, world: Placements, bones: BoneMap) -> Rotations:
    """(3, 3) columns: left, up and forward of the body in one pose, in the world (`axes.body_axes`).

    An animal on four legs has the up axis of its figure, and its trunk points forward.
    """
    shown = (*axes.TOPS, *axes.POSTURES.pairs, "pelvis")
    at = {p: world[figure.segment_index(bones.first(p)), :3, 3] for p in bones if p.endswith(shown) or p == "neck 1"}
    if bones.four_legged:
        up = np.eye(3)["xyz".index(figure.up)]
        trunk = sum((at[f"{side} upper arm"] - at[f"{side} thigh"] for side in SIDES), np.zeros(3))
        left = unit(rotations.cross(up, trunk))
        found = np.stack([left, up, rotations.cross(left, up)], axis=1) if left.any() else None
    else:
        found = axes.body_axes(at | ({"neck": at["neck 1"]} if "neck 1" in at else {}), axes.POSTURES)
    if found is None:
        raise BadValue(f"left and right of figure {figure.name!r} are not distinct: both sides are in one place")
    return found


def unit(vectors: Points) -> Points:
    """Vectors (..., 3) of length 1. A vector of length 0 stays 0."""
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.where(length > 0.0, length, 1.0))
