"""Fingers keep their flexion on other figures."""

from __future__ import annotations

import numpy as np
import pytest
from retarget_clips import clip, figure

import manikin as mk
from manikin.figure.parts.calibration import calibrate
from manikin.motion.retarget.fingers import fingers_of

NAMES = ("thumb", "index", "middle", "ring", "pinky")


def fist() -> mk.Motion:
    """A person closes and opens both hands, each finger by another amount."""
    person = mk.human()
    bones = mk.bone_map(person)
    times = np.arange(30) / 30.0
    part = 0.5 - 0.5 * np.cos(2.0 * np.pi * times)
    poses = np.tile(person.rest, (len(times), 1))
    for k, name in enumerate(person.number_names):
        segment = name.split(".")[0]
        if segment in person.segment_names and person.segment(segment).joint.kind == "hinge":
            words = bones.words(segment).split()
            if words[-1].isdigit() and words[-2] in NAMES:
                most = 0.2 * (1 + NAMES.index(words[-2])) * (person.upper[k] - person.rest[k])
                poses[:, k] += 0.9 * most * part
    return mk.Motion(person, poses, times)


def flexion(motion: mk.Motion, finger: str) -> np.ndarray:
    """(frames,) the angle between the first two segments of a finger, in degrees, from positions alone."""
    bones = mk.bone_map(motion.figure)
    first = {bones.words(s.name): s.name for s in reversed(motion.figure.segments)}
    at = motion.placements([first[f"{finger} {k}"] for k in (1, 2, 3)])[..., :3, 3]
    one, two = at[:, 1] - at[:, 0], at[:, 2] - at[:, 1]
    across = np.linalg.norm(np.cross(one, two), axis=1)
    return np.rad2deg(np.arctan2(across, np.einsum("fi,fi->f", one, two)))


@pytest.mark.parametrize("name", ["makehuman", "small"])
def test_flexion_is_kept(name: str) -> None:
    motion = fist()
    target = mk.human(height=1.2) if name == "small" else figure(name)
    out = mk.retarget(motion, target)
    for side in ("left", "right"):
        for finger in NAMES:
            wanted = flexion(motion, f"{side} {finger}")
            assert np.ptp(wanted) > 5.0
            assert flexion(out.motion, f"{side} {finger}") == pytest.approx(wanted, abs=1.0)
    assert np.max(target.violation(out.motion.poses)) == 0.0


def test_fingers_that_limits_stop_stay_within_them() -> None:
    """Rokoko's fingers are not limited, those of the person are."""
    person = figure("human")
    out = mk.retarget(clip("rokoko", 60), person)
    assert np.max(person.violation(out.motion.poses)) == 0.0
    start = person.index_of("LeftHandIndex2")
    assert not np.array_equal(out.motion.poses[:, start], np.full(len(out.motion), person.rest[start]))


def test_a_single_segment_is_no_finger() -> None:
    motion = clip("walk", 10)
    assert fingers_of(calibrate(motion.figure, mk.bone_map(motion.figure), motion.poses)).segments == {}
    person = figure("human")
    out = mk.retarget(motion, person)
    first = person.index_of("LeftHandIndex1")
    assert np.array_equal(out.motion.poses[:, first], np.full(len(out.motion), person.rest[first]))


def test_the_body_is_the_same_with_and_without_fingers() -> None:
    motion = fist()
    out = mk.retarget(motion, mk.human(height=1.2))
    hands = out.motion.placements(["LeftHand", "RightHand", "Head"])
    assert np.ptp(hands[:, :, :3, 3], axis=0).max() < 1e-3
