"""Hands by arms, body or world; and the elbow of an arm with two bones."""

from __future__ import annotations

import numpy as np
import pytest
from retarget_clips import calibrated, clip, figure

import manikin as mk
from manikin.errors import BadValue
from manikin.figure.parts.calibration import calibrate
from manikin.motion.retarget.hands import REACH, turning, two_bones
from manikin.motion.retarget.watch import watch

rng = np.random.default_rng(4)


def test_two_bones_keep_their_lengths_and_meet_the_wrist() -> None:
    shoulder, elbow, wrist = rng.normal(size=(3, 200, 3))
    a, b = (np.linalg.norm(v, axis=1) for v in (elbow - shoulder, wrist - elbow))
    way = rng.normal(size=(200, 3))
    way *= (rng.uniform(np.abs(a - b) / REACH, REACH * (a + b)) / np.linalg.norm(way, axis=1))[:, None]
    bent = two_bones(shoulder, elbow, wrist, shoulder + way)
    assert np.linalg.norm(bent - shoulder, axis=1) == pytest.approx(a)
    assert np.linalg.norm(shoulder + way - bent, axis=1) == pytest.approx(b)
    unchanged = np.linalg.norm(wrist - shoulder, axis=1) < REACH * (a + b)
    same = two_bones(shoulder, elbow, wrist, wrist)
    assert same[unchanged] == pytest.approx(elbow[unchanged], abs=1e-7)


def test_the_elbow_of_an_arm_that_becomes_straight_keeps_its_side() -> None:
    """The arm bends from 10° to −1° and the wrist moves a little nearer, so the elbow must bend. The axis is x."""
    angles = np.deg2rad(np.linspace(10.0, -1.0, 100))
    shoulder, hinge = np.zeros((100, 3)), np.tile([1.0, 0.0, 0.0], (100, 1))
    elbow = np.tile([0.0, -1.0, 0.0], (100, 1))
    wrist = elbow + np.stack([0.0 * angles, -np.cos(angles), np.sin(angles)], axis=1)
    bent = two_bones(shoulder, elbow, wrist, 0.95 * wrist, hinge)
    assert np.linalg.norm(np.diff(bent, axis=0), axis=1).max() < 0.02
    assert (bent[:, 2] < -0.2).all()


def test_turning_takes_one_direction_to_another() -> None:
    a, b = rng.normal(size=(2, 100, 3))
    R = turning(a, b)
    turned = np.einsum("fij,fj->fi", R, a / np.linalg.norm(a, axis=1, keepdims=True))
    assert turned == pytest.approx(b / np.linalg.norm(b, axis=1, keepdims=True))
    assert turning(a, a) == pytest.approx(np.tile(np.eye(3), (100, 1, 1)), abs=1e-7)
    assert np.isfinite(turning(a, -a)).all()


def hands_apart(motion: mk.Motion) -> np.ndarray:
    """(frames,) the distance between the wrists, in legs."""
    own = calibrate(motion.figure, mk.bone_map(motion.figure), motion.poses)
    seen = watch(own, motion.poses)
    return np.asarray(np.linalg.norm(seen.centers["left hand"] - seen.centers["right hand"], axis=1) / own.leg)


def test_hands_that_meet_in_the_source_meet_on_longer_arms() -> None:
    """CesiumMan's arms are 40 % longer. The dancer brings both hands together."""
    motion = clip("dance")
    source = hands_apart(motion)
    near = source < 0.3
    assert near.sum() > 20
    errors = {}
    for hands in ("arms", "body"):
        out = mk.retarget(motion, figure("cesium"), hands=hands)
        errors[hands] = np.abs(hands_apart(out.motion) - source[-len(out.motion) :])[near[-len(out.motion) :]].mean()
    assert errors["body"] < 0.6 * errors["arms"]


def test_hands_in_the_world_are_where_they_were() -> None:
    motion = clip("walk", 150)
    own = calibrated(motion)
    seen = watch(own, motion.poses[1:])
    wanted = (seen.centers["left hand"] - seen.hips) / own.leg
    errors = {}
    for hands in ("arms", "world"):
        out = mk.retarget(motion, figure("human"), hands=hands)
        body = calibrate(out.figure, mk.bone_map(out.figure))
        found = watch(body, out.motion.poses)
        errors[hands] = np.linalg.norm((found.centers["left hand"] - found.hips) / body.leg - wanted, axis=1).mean()
    assert errors["world"] < 0.5 * errors["arms"]


def test_the_same_figure_needs_no_change_of_hands() -> None:
    motion = clip("walk", 60)
    plain, body = (mk.retarget(motion, motion.figure, hands=h, plant=False, floor=0.0) for h in ("arms", "body"))
    wrist = ["LeftHand", "RightHand"]
    assert np.abs(plain.motion.placements(wrist) - body.motion.placements(wrist)).max() < 1e-2 * calibrated(motion).leg


def test_other_words_are_refused() -> None:
    with pytest.raises(BadValue, match="hands is 'legs'; it must be 'arms', 'body' or 'world'"):
        mk.retarget(clip("walk", 30), figure("human"), hands="legs")
