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
from manikin.figure.kept import kept
from manikin.figure.parts.bone_map import SIDES, BoneMap
from manikin.figure.parts.calibration import Calibration
from manikin.figure.parts.skeleton import Skeleton, skeleton_of
from manikin.figure.parts.standing import unit
from manikin.goals import Orientation
from manikin.motion.retarget.last_solvers import solver_for

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
    known = set().union(*finger_segments(source.bones).values())
    common = [words for index in finger_segments(target.bones).values() for words in index if words in known]
    figure, ours = target.figure, fingers_of(target)
    joints = [figure.segment(ours.segments[words]).joint for words in common]
    free = [joint.name for joint in joints if joint.nq and joint.coupling is None]
    if not free:
        return poses
    relative = _relative(source, fingers_of(source), common, shown)
    stands = figure.placements(target.standing.pose)
    rows = []
    for words in common:
        hand = ours.hands[words]
        held = stands[figure.segment_index(target.bones.main(hand)), :3, :3] @ target.axes[hand]
        rows.append(rotations.from_matrix(held @ relative[words] @ ours.axes[words].T))
    table = np.concatenate(rows, axis=1)
    solver = solver_for(figure, [_goal(target, words) for words in common], free, loops=False)
    start = solver.solve(target.standing.pose, table[0], restarts=0).pose
    step = float(times[1] - times[0]) if len(times) > 1 else 1.0 / 30.0
    before = np.concatenate([[times[0] - step], times])
    found = solver.track(start, table, before=table[0], times=before, iterations=ITERATIONS).poses
    out = np.array(poses)
    for joint in joints:
        first = figure.index_of(joint.name)
        out[:, first : first + joint.nq] = found[:, first : first + joint.nq]
    return out


@kept
def _goal(target: Calibration, words: str) -> Orientation:
    return Orientation(fingers_of(target).segments[words], (1.0, 0.0, 0.0, 0.0), name=words)


@kept
def finger_segments(bones: BoneMap) -> dict[str, dict[str, int]]:
    """The finger segments below each hand, which is a part: their indices by the words for them."""
    figure, out = bones.figure, {}
    for side in SIDES:
        hand = f"{side} hand"
        if hand not in bones:
            continue
        index: dict[str, int] = {}
        for i in skeleton_of(figure).below(figure.segment_index(bones.first(hand))):
            words = bones.words(figure.segment_names[i])
            name = words.removeprefix(f"{side} ").split()[0]
            if words.startswith(side) and name in FINGERS:
                index.setdefault(words, i)
        out[hand] = {w: i for w, i in index.items() if _numbered(w, 1) in index or _numbered(w, -1) in index}
    return out


@kept
def fingers_of(calibration: Calibration) -> Fingers:
    """The finger segments below the hands of a figure, and their axes."""
    figure, bones = calibration.figure, calibration.bones
    skeleton = skeleton_of(figure)
    world = figure.placements(calibration.standing.pose)
    hands: dict[str, str] = {}
    segments: dict[str, str] = {}
    drawn: dict[str, Rotations] = {}
    for hand, index in finger_segments(bones).items():
        main = figure.segment_index(bones.main(hand))
        of_hand = world[main, :3, :3] @ calibration.axes[hand]
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


def _relative(calibration: Calibration, fingers: Fingers, common: list[str], poses: Poses) -> dict[str, Rotations]:
    """(frames, 3, 3) the orientations of finger segments relative to their hands, in canonical axes."""
    hands = list(dict.fromkeys(fingers.hands[words] for words in common))
    names = [calibration.bones.main(hand) for hand in hands] + [fingers.segments[words] for words in common]
    turns = calibration.figure.placements(poses, names)[..., :3, :3]
    bases = {hand: np.swapaxes(turns[:, k] @ calibration.axes[hand], 1, 2) for k, hand in enumerate(hands)}
    return {
        words: np.asarray(bases[fingers.hands[words]] @ turns[:, k] @ fingers.axes[words])
        for k, words in enumerate(common, len(hands))
    }


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
