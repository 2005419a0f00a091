"""The anatomical axes have one set of rules. Segments and parts differ only where a rule is named."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from mapped_figures import turned
from retarget_clips import clip, figure
from rigs import STANDS, Rig

import manikin as mk
from manikin import rotations
from manikin.figure.parts.axes import POSTURES, RANGES, Rules, body_axes
from manikin.figure.parts.calibration import Calibration, calibrate
from manikin.figure.parts.segment_axes import SegmentAxes, segment_axes
from manikin.figure.parts.segment_parts import segment_parts
from manikin.motion.retarget.watch import watch

SAME = ("pelvis", "spine 1", "neck 1", "head", "clavicle", "upper arm", "thigh", "shank")
"""Parts whose axes do not depend on a rule that differs."""


def both(body: mk.Figure) -> tuple[SegmentAxes, Calibration]:
    found = segment_axes(body, segment_parts(body), body.placements(body.rest))
    return found, calibrate(body, mk.bone_map(body))


def apart(body: mk.Figure, found: SegmentAxes, parts: Calibration, part: str) -> float:
    """The angle between the axes of a part by both, in degrees."""
    main = body.segment_index(parts.bones.main(part))
    turn = rotations.to_matrix(found.local[main]).T @ parts.axes[part]
    return float(np.rad2deg(np.arccos(np.clip((np.trace(turn) - 1.0) / 2.0, -1.0, 1.0))))


@pytest.mark.parametrize("stand", STANDS)
@pytest.mark.parametrize("seed", [None, 4])
def test_segments_and_parts_have_the_same_axes(stand: str, seed: int | None) -> None:
    body = Rig(stand, rng=None if seed is None else np.random.default_rng(seed)).figure
    found, parts = both(body)
    for part in parts.axes:
        limb = part.partition(" ")[2] if part.startswith(("left", "right")) else part
        if limb in SAME:
            assert apart(body, found, parts, part) < 1e-5, part


@pytest.mark.parametrize("name", ["makehuman", "daz", "cesium"])
def test_segments_and_parts_have_nearly_the_same_axes_in_real_files(name: str) -> None:
    """The axes of the body may differ by the pairs of joints that show left."""
    body = figure(name)
    found, parts = both(body)
    for part in parts.axes:
        if part.endswith(SAME):
            assert apart(body, found, parts, part) < 0.5, part


def test_an_elbow_that_is_drawn_relaxed_is_straight_as_a_posture_and_bent_as_an_angle() -> None:
    body = Rig("T").figure
    bent = {"mixamorig:LeftForeArm": rotations.from_axis_angle((0.0, 1.0, 0.0), -np.deg2rad(20.0))}
    pose = body.pose(bent)
    world = body.placements(pose)
    found = segment_axes(body, segment_parts(body), world)
    parts = calibrate(body, mk.bone_map(body), pose=pose)
    upper, lower = (body.segment_index(f"mixamorig:Left{name}") for name in ("Arm", "ForeArm"))

    def angle(one: np.ndarray, two: np.ndarray) -> float:
        return float(np.rad2deg(np.arccos(np.clip((np.trace(one.T @ two) - 1.0) / 2.0, -1.0, 1.0))))

    by_range = [world[i, :3, :3] @ rotations.to_matrix(found.local[i]) for i in (upper, lower)]
    by_posture = [
        world[i, :3, :3] @ parts.axes[part] for i, part in ((upper, "left upper arm"), (lower, "left forearm"))
    ]
    straight = world[[upper, lower, body.segment_index("mixamorig:LeftHand")], :3, 3]
    lines = np.diff(straight, axis=0)
    lines /= np.linalg.norm(lines, axis=1, keepdims=True)
    true = float(np.rad2deg(np.arccos(lines[0] @ lines[1])))
    assert 15.0 < true < 25.0
    assert angle(*by_range) == pytest.approx(true, abs=1e-5)
    assert angle(*by_posture) == pytest.approx(0.0, abs=1e-5)


def test_a_foot_has_the_axes_of_its_shank_or_is_level() -> None:
    body = turned(Rig("T").figure, rotations.from_axis_angle((0.0, 1.0, 0.0), np.deg2rad(30.0)))
    found, parts = both(body)
    world = body.placements(body.rest)
    foot, shank = (body.segment_index(f"mixamorig:Left{name}") for name in ("Foot", "Leg"))
    by_range = [world[i, :3, :3] @ rotations.to_matrix(found.local[i]) for i in (foot, shank)]
    assert by_range[0] == pytest.approx(by_range[1], abs=1e-9)
    level = world[foot, :3, :3] @ parts.axes["left foot"]
    assert level[:, 1] == pytest.approx([0.0, 1.0, 0.0], abs=1e-6)
    assert np.abs(level - by_range[0]).max() > 1e-3


@pytest.mark.parametrize(
    ("rules", "lean", "up"), [(RANGES, 11, 0), (RANGES, 13, 13), (POSTURES, 19, 0), (POSTURES, 21, 21)]
)
def test_a_trunk_that_leans_little_is_upright(rules: Rules, lean: float, up: float) -> None:
    tilt = np.deg2rad(lean)
    at = {"left thigh": np.array([0.1, 0.0, 0.0]), "right thigh": np.array([-0.1, 0.0, 0.0])}
    at["head"] = np.array([0.0, np.cos(tilt), np.sin(tilt)])
    found = body_axes(at, rules)
    assert found is not None
    assert np.rad2deg(np.arccos(np.clip(found[1, 1], -1.0, 1.0))) == pytest.approx(up, abs=1e-5)
    assert found[:, 0] == pytest.approx([1.0, 0.0, 0.0])


def test_only_the_pairs_of_the_rules_show_left() -> None:
    at = {"left thigh": np.array([0.1, 0.0, 0.0]), "right thigh": np.array([-0.1, 0.0, 0.0])}
    at |= {"left shank": np.array([0.1, -0.4, 0.3]), "right shank": np.array([-0.1, -0.4, -0.3])}
    at["head"] = np.array([0.0, 0.8, 0.0])
    assert body_axes(at, POSTURES)[:, 0] == pytest.approx([1.0, 0.0, 0.0])  # type: ignore[index]
    assert body_axes(at, RANGES)[2, 0] > 0.5  # type: ignore[index]
    assert body_axes(at, replace(RANGES, pairs=("clavicle",))) is None


def test_a_hand_without_fingers_points_to_its_end() -> None:
    """OptiTrack draws the hands square to the forearms. In the clip they are bent by 33° (median)."""
    motion = clip("optitrack")
    seen = watch(calibrate(motion.figure, mk.bone_map(motion.figure), motion.poses), motion.poses)
    for side in ("left", "right"):
        hand, forearm = (-seen.turns[f"{side} {name}"][:, :, 1] for name in ("hand", "forearm"))
        bend = np.rad2deg(np.arccos(np.clip(np.einsum("fi,fi->f", hand, forearm), -1.0, 1.0)))
        assert np.median(bend) < 45.0, side


def test_a_thumb_shows_the_palm_only_without_a_clip() -> None:
    """CMU's hands have an index finger and a thumb, but no little finger."""
    motion = clip("walk")
    body, bones = motion.figure, mk.bone_map(motion.figure)
    plain, shown = calibrate(body, bones), calibrate(body, bones, motion.poses)
    for found, by_thumb in ((plain, True), (shown, False)):
        world = body.placements(found.standing.pose)
        hand, forearm = (
            world[body.segment_index(bones.main(f"left {name}")), :3, :3] @ found.axes[f"left {name}"]
            for name in ("hand", "forearm")
        )
        wrist, tip = (world[body.segment_index(name), :3, 3] for name in ("LeftHand", "LThumb_end"))
        assert ((tip - wrist) @ hand[:, 0] == pytest.approx(0.0, abs=1e-6)) == by_thumb  # no part to the left
        assert (hand == pytest.approx(forearm, abs=1e-6)) != by_thumb
