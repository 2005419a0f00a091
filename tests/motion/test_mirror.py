"""`Motion.mirrored` on rigs whose rest pose is not symmetric."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from retarget_clips import calibrated, clip

import manikin as mk
from manikin.motion.mirror import symmetric_reference
from manikin.motion.retarget.watch import turn_angles, watch

M = np.diag([-1.0, 1.0, 1.0])
"""The reflection of canonical axes: x is left."""


def other(part: str) -> str:
    return part.replace("left", "#").replace("right", "left").replace("#", "right")


@pytest.mark.parametrize("name", ["rokoko", "pymo", "dab"])
def test_every_joint_is_the_mirror_image_of_that_of_the_other_side(name: str) -> None:
    """The limbs of Rokoko's rig were turned by 141° from it, on average."""
    motion = clip(name)
    own = calibrated(motion)
    before, after = watch(own, motion.poses), watch(own, motion.mirrored().poses)
    assert after.hips[:, 1] == pytest.approx(before.hips[:, 1], abs=1e-6 * own.leg)
    for part, at in before.centers.items():
        wanted, found = (at - before.hips) @ M, after.centers[other(part)] - after.hips
        rough = 0.08 if part.endswith("toes") else 0.04 if part.endswith(("arm", "hand")) else 0.001
        assert np.abs(found - wanted).max() < rough * own.leg  # clavicles and feet of Rokoko have uneven axes
    for limb in ("upper arm", "forearm", "hand", "thigh", "shank", "foot"):
        turns = turn_angles(M @ before.turns[f"left {limb}"] @ M, after.turns[f"right {limb}"])
        assert np.rad2deg(turns).max() < 1.0


def test_mirrored_twice_is_the_motion_itself() -> None:
    motion = clip("rokoko", 100)
    twice = motion.mirrored().mirrored(reference=symmetric_reference(motion))
    assert np.abs(twice.placements() - motion.placements()).max() < 1e-6 * motion.figure.size


def test_a_symmetric_rest_pose_is_the_reference() -> None:
    motion = clip("walk", 50)
    assert symmetric_reference(motion) is None
    assert np.array_equal(motion.mirrored().poses, motion.mirrored(reference=motion.figure.rest).poses)


def uneven_figure() -> mk.Figure:
    """Two arms of which one hangs and the other is raised at rest."""
    joints = [("Root", None, (0, 0, 0)), ("LeftArm", "Root", (0.2, 0, 0)), ("RightArm", "Root", (-0.2, 0, 0))]
    joints += [("LeftHand", "LeftArm", (0, 1, 0)), ("RightHand", "RightArm", (0, -1, 0))]
    parts = [mk.Segment(name, parent, mk.Ball(), offset=at) for name, parent, at in joints]
    return mk.Figure("two arms", parts)


def test_a_figure_without_a_symmetric_pose_is_a_warning() -> None:
    figure = uneven_figure()
    motion = mk.Motion(figure, [figure.rest, figure.rest])
    with pytest.warns(mk.errors.OddFile, match="rest pose of figure 'two arms' is not symmetric.*reference="):
        motion.mirrored()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        motion.mirrored(reference=figure.rest)
