"""Fingers: each one has the orientation relative to the hand that it has in the source.

The axes of a finger segment are those of the hand, turned by the shortest rotation so that −y points to the next joint
of the finger. So the angle between two neighbouring segments is the same in both figures, whatever their rest poses.

A finger with a single segment is left out, because it usually stands for the whole hand (CMU's skeletons).

Fingers do not move the rest of the body. They are solved with the target in its standing pose, where the hands rest,
and their numbers are copied into the result.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manikin import rotations
from manikin.arrays import Poses, Rotations, Vector
from manikin.figure.parts.bone_map import SIDES
from manikin.figure.parts.calibration import Calibration
from manikin.figure.parts.skeleton import Skeleton, skeleton_of
from manikin.figure.parts.standing import unit
from manikin.goals import Orientation
from manikin.solvers.native.solver import Solver

FINGERS = ("thumb", "index", "middle", "ring", "pinky")
ITERATIONS = 12
"""Most iterations of a frame."""


@dataclass(frozen=True, eq=False)
class Fingers:
    """The finger segments of a figure."""

    hands: dict[str, str]
    """The hand (a part) of each finger segment, by the words for the segment ("left index 2")."""
    segments: dict[str, str]
    """The name of each finger segment."""
    axes: dict[str, Rotations]
    """(3, 3) the axes of each finger segment in its own space."""


def with_fingers(source: Calibration, target: Calibration, shown: Poses, times: Vector, poses: Poses) -> Poses:
    """(frames, nq) poses of the target with the fingers of the source; unchanged if one of them has no fingers.

    Args:
        source: the figure with the motion.
        target: the figure that gets it.
        shown: (frames, nq) poses of the source.
        times: (frames,) seconds.
        poses: (frames, nq) poses of the target.
    """
    theirs, ours = fingers_of(source), fingers_of(target)
    common = [words for words in ours.segments if words in theirs.segments]
    figure = target.figure
    joints = [figure.segment(ours.segments[words]).joint for words in common]
    free = [joint.name for joint in joints if joint.nq and joint.coupling is None]
    if not free:
        return poses
    goals, rows = [], []
    for words in common:
        hand = ours.hands[words]
        relative = _relative(source, theirs, words, shown)
        held = figure.placements(target.standing.pose, [target.bones.main(hand)])[0, :3, :3] @ target.axes[hand]
        rows.append(rotations.from_matrix(held @ relative @ ours.axes[words].T))
        goals.append(Orientation(ours.segments[words], rows[-1][0], name=words))
    table = np.concatenate(rows, axis=1)
    solver = Solver(figure, goals, only=free, loops=False)
    start = solver.solve(target.standing.pose, table[0], restarts=0).pose
    step = float(times[1] - times[0]) if len(times) > 1 else 1.0 / 30.0
    before = np.concatenate([[times[0] - step], times])
    found = solver.track(start, table, before=table[0], times=before, iterations=ITERATIONS).poses
    out = np.array(poses)
    for joint in joints:
        first = figure.index_of(joint.name)
        out[:, first : first + joint.nq] = found[:, first : first + joint.nq]
    return out


def fingers_of(calibration: Calibration) -> Fingers:
    """The finger segments below the hands of a figure, and their axes."""
    figure, bones = calibration.figure, calibration.bones
    skeleton = skeleton_of(figure)
    world = figure.placements(calibration.standing.pose)
    hands: dict[str, str] = {}
    segments: dict[str, str] = {}
    drawn: dict[str, Rotations] = {}
    for side in SIDES:
        hand = f"{side} hand"
        if hand not in bones:
            continue
        main = figure.segment_index(bones.main(hand))
        of_hand = world[main, :3, :3] @ calibration.axes[hand]
        index: dict[str, int] = {}
        for i in skeleton.below(figure.segment_index(bones.first(hand))):
            words = bones.words(figure.segment_names[i])
            name = words.removeprefix(f"{side} ").split()[0]
            if words.startswith(side) and name in FINGERS:
                index.setdefault(words, i)
        index = {w: i for w, i in index.items() if _numbered(w, 1) in index or _numbered(w, -1) in index}
        for words, i in index.items():
            tip = _next(skeleton, index, words, i)
            along = np.zeros(3) if tip is None else unit(world[tip, :3, 3] - world[i, :3, 3])
            above = drawn.get(_numbered(words, -1), of_hand)
            if along.any():
                turn = rotations.between(-above[:, 1], along)
                drawn[words] = rotations.to_matrix(turn) @ above
            else:
                drawn[words] = above
            hands[words], segments[words] = hand, figure.segment_names[i]
    axes = {w: world[figure.segment_index(segments[w]), :3, :3].T @ G for w, G in drawn.items()}
    return Fingers(hands, segments, axes)


def _relative(calibration: Calibration, fingers: Fingers, words: str, poses: Poses) -> Rotations:
    """(frames, 3, 3) the orientation of a finger segment relative to the hand, in canonical axes."""
    hand = fingers.hands[words]
    names = [calibration.bones.main(hand), fingers.segments[words]]
    turns = calibration.figure.placements(poses, names)[..., :3, :3]
    base = turns[:, 0] @ calibration.axes[hand]
    return np.asarray(np.swapaxes(base, 1, 2) @ turns[:, 1] @ fingers.axes[words])


def _next(skeleton: Skeleton, index: dict[str, int], words: str, own: int) -> int | None:
    """The segment at the end of a finger segment: the next one of the finger, or else its first child."""
    after = index.get(_numbered(words, 1))
    if after is not None:
        return after
    return skeleton.children[own][0] if skeleton.children[own] else None


def _numbered(words: str, step: int) -> str:
    """The words for the segment that is `step` further along a finger: "left index 3" for "left index 2" and 1."""
    name, _, number = words.rpartition(" ")
    return f"{name} {int(number) + step}" if number.isdigit() else ""
