"""The axes and joint centres of the parts of a body."""

from __future__ import annotations

import numpy as np
import pytest
from mapped_figures import turned
from retarget_clips import CLIPS, FIGURES, calibrated, clip, figure

import manikin as mk
from manikin import rotations
from manikin.errors import BadValue
from manikin.figure.parts.calibration import calibrate, parent_part
from manikin.figure.parts.standing import standing_score
from manikin.motion.retarget.watch import turn_angles, watch

STANDING = [name for name in FIGURES if name != "fox"]


@pytest.mark.parametrize("name", ["human", *FIGURES])
def test_axes_are_rotations_and_joints_belong_to_both_parts(name: str) -> None:
    body = figure(name)
    found = calibrate(body, mk.bone_map(body))
    assert np.abs(found.world.T @ found.world - np.eye(3)).max() < 1e-12
    assert np.linalg.det(found.world) > 0.0
    for axes in found.axes.values():
        assert np.abs(axes.T @ axes - np.eye(3)).max() < 1e-12
        assert np.linalg.det(axes) > 0.0
    world = body.placements(body.rest)
    for part, link in found.links.items():
        ends = []
        for segment, point in ((found.bones.main(link.parent), link.at_parent), (found.bones.main(part), link.at_own)):
            placement = world[body.segment_index(segment)]
            ends.append(placement[:3, :3] @ point + placement[:3, 3])
        assert ends[0] == pytest.approx(ends[1], abs=1e-9 * body.size)
        assert link.parent == parent_part(found.bones, part)


@pytest.mark.parametrize("name", ["human", *STANDING])
def test_legs_hang_down_and_arms_bend_forward(name: str) -> None:
    """In its own canonical axes, the bone of a thigh points down within a few degrees."""
    body = figure(name)
    found = calibrate(body, mk.bone_map(body))
    for side in ("left", "right"):
        for limb in ("thigh", "upper arm"):
            bone = found.axes[f"{side} {limb}"].T @ found.bone(f"{side} {limb}")
            assert bone / np.linalg.norm(bone) == pytest.approx([0.0, -1.0, 0.0], abs=1e-6)


@pytest.mark.parametrize("name", ["human", "g1", "mujoco"])
def test_hinges_bend_elbows_forward_and_knees_backward(name: str) -> None:
    """In the middle of the range of a hinge, the lower part is bent: a forearm forward, a shank backward."""
    body = figure(name)
    bones = mk.bone_map(body)
    found = calibrate(body, bones)
    pose = np.array(body.rest)
    parts = [f"{side} {limb}" for side in ("left", "right") for limb in ("forearm", "shank")]
    for part in parts:
        for segment in bones[part]:
            joint = body.segment(segment).joint
            if joint.kind == "hinge":
                pose[body.index_of(joint.name)] = np.mean(joint.motions[0].limits)  # type: ignore[union-attr]
    seen = watch(found, pose[None])
    for part in parts:
        above = part.replace("forearm", "upper arm").replace("shank", "thigh")
        bone = seen.turns[above][0].T @ seen.turns[part][0] @ found.axes[part].T @ found.bone(part)
        ahead = bone[2] / np.linalg.norm(bone)
        assert ahead > 0.3 if part.endswith("forearm") else ahead < -0.3


def test_two_skeletons_with_one_motion_have_the_same_axes() -> None:
    """CMU's and Daz's skeletons have one recorded motion. Bounds are 1.5 times the measured medians, in degrees."""
    bounds = {"thigh": 9, "shank": 7, "foot": 9, "head": 4, "neck 1": 4, "upper arm": 11, "forearm": 11, "clavicle": 4}
    cmu, daz = clip("pirouette"), clip("daz pirouette")
    a, b = (watch(calibrated(m), m.poses) for m in (cmu, daz))
    for part in a.turns:
        limb = part.partition(" ")[2] if part.startswith(("left", "right")) else part
        if part in b.turns and limb in bounds:
            middle = np.rad2deg(np.median(turn_angles(a.turns[part][1:], b.turns[part][1:])))
            assert middle < bounds[limb], part


def test_turning_a_figure_turns_its_world_only() -> None:
    body = mk.human()
    whole = calibrate(body, mk.bone_map(body))
    turn = rotations.from_axis_angle((0.0, 1.0, 0.0), np.deg2rad(40.0))
    other = turned(body, turn)
    found = calibrate(other, mk.bone_map(other))
    for part, axes in whole.axes.items():
        assert found.axes[part] == pytest.approx(axes, abs=1e-6), part
    assert found.world == pytest.approx(rotations.to_matrix(turn) @ whole.world, abs=1e-6)


@pytest.mark.parametrize("name", [n for n in CLIPS if n != "daz pirouette"])
def test_every_clip_has_a_standing_pose(name: str) -> None:
    motion = clip(name, 400)
    found = calibrated(motion)
    assert standing_score(motion.figure, found.standing.pose[None], found.bones)[0] > 3.0
    up = np.stack([found.world[:, 1] @ watch(found, motion.poses).turns["pelvis"].mean(axis=0)])
    assert np.isfinite(up).all()


def test_rokoko_stands_in_a_frame_only() -> None:
    found = calibrated(clip("rokoko"))
    assert found.standing.where.startswith("frame")
    with pytest.raises(BadValue, match="does not stand; give pose="):
        calibrate(found.figure, found.bones)


def test_animals_have_the_axes_of_their_body() -> None:
    fox = mk.quadruped()
    found = calibrate(fox, mk.bone_map(fox))
    seen = watch(found, found.standing.pose[None])
    for part, turns in seen.turns.items():
        assert turns[0] == pytest.approx(np.eye(3), abs=1e-6), part
