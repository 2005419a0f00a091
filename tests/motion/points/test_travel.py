"""Points that are centred on the hips: how they are recognised, and how far the person travels."""

from __future__ import annotations

import numpy as np
import pytest
from keypoint_clips import keypoints, moving
from retarget_clips import clip

import manikin as mk
from manikin.motion.points.inputs import GivenPoints, checked
from manikin.motion.points.layouts import LAYOUTS
from manikin.motion.points.travel import centred_on_hips, rebuilt_path

LEG = 0.86


def given(points: np.ndarray, layout: str = "coco17") -> GivenPoints:
    return checked(points, layout, None, None, 30.0, None)


def hips_of(points: np.ndarray, layout: str) -> np.ndarray:
    index = [LAYOUTS[layout].index(f"{side} hip") for side in ("left", "right")]
    return np.asarray(points[:, index].mean(axis=1, keepdims=True))


def test_hips_that_rest_while_feet_move_are_recognised() -> None:
    points = keypoints(moving(mk.human(), 40), "coco17", 0.01)
    assert not centred_on_hips(given(points), LEG)
    assert centred_on_hips(given(points - hips_of(points, "coco17")), LEG)


def test_a_person_who_stands_still_is_not_centred() -> None:
    figure = mk.human()
    points = keypoints(mk.Motion(figure, np.tile(figure.rest, (40, 1))), "coco17")
    assert not centred_on_hips(given(points), LEG)


def test_points_without_hips_are_not_centred() -> None:
    points = keypoints(moving(mk.human(), 10), "coco17")
    markers = mk.Markers(["LKnee", "RKnee", "Neck"], points[:, :3], rate=30.0, unit=1.0)
    assert not centred_on_hips(checked(markers, None, None, None, None, None), LEG)


@pytest.mark.needs("data")
def test_a_walk_travels_as_far_as_it_did() -> None:
    walk = mk.retarget(clip("walk", 301), mk.human()).motion
    way = walk.poses[-1, :3] - walk.poses[0, :3]
    held = np.array(walk.poses)
    held[:, :3] = 0.0
    motion = mk.Motion(walk.figure, held, walk.times)
    path = rebuilt_path(motion, mk.bone_map(walk.figure))
    found = path[-1] - path[0]
    assert np.linalg.norm(way[[0, 2]]) > 2.5
    assert np.linalg.norm((found - way)[[0, 2]]) < 0.03 * np.linalg.norm(way[[0, 2]])
    soles = mk.contacts(walk).soles
    heights = soles.over(walk.figure, held)[:4, :, 1].min(axis=0) + path[:, 1]
    assert np.abs(heights).max() < 0.02


@pytest.mark.needs("data")
def test_noisy_hip_centred_points_of_a_walk_travel_too() -> None:
    walk = mk.retarget(clip("walk", 301), mk.human()).motion
    points = keypoints(walk, "halpe26", 0.01)
    fit = mk.fit_points(mk.human(), points - hips_of(points, "halpe26"), "halpe26", times=walk.times)
    assert fit.travel == "rebuilt"
    way, found = (m.poses[-1, [0, 2]] - m.poses[0, [0, 2]] for m in (walk, fit.motion))
    assert np.linalg.norm(found - way) < 0.05 * np.linalg.norm(way)
