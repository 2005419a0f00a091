"""The real BVH files: each loads, agrees with an independent reader, and goes back to the same bytes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from checks import assert_close
from needs import data_file

from manikin import rotations
from manikin.files import bvh
from manikin.files.common.up_axis import TO_Y_UP
from manikin.motion import Motion

FILES = {
    "animated_drawings_dab": (27, 7, 84, 339),
    "animated_drawings_rokoko_jesse_dance": (60, 13, 183, 1007),
    "bvhio_example": (18, 5, 57, 2),
    "cmu_02_01_walk": (31, 7, 96, 344),
    "cmu_02_05_punch": (31, 7, 96, 1855),
    "cmu_05_02_dance_pirouette": (31, 7, 96, 1124),
    "cmu_05_11_pirouette": (31, 7, 96, 592),
    "cmu_09_01_run": (31, 7, 96, 149),
    "cmu_49_06_cartwheel": (31, 7, 96, 482),
    "fairmotion_sinusoidal": (4, 0, 15, 120),
    "makehuman_tpose": (173, 49, 951, 1),
    "makehuman_walk1": (75, 16, 228, 14),
    "optitrack_arena_louise": (18, 5, 57, 2998),
    "pymo_AV_8Walk_Meredith": (23, 7, 72, 1064),
    "threejs_pirouette": (43, 14, 132, 592),
}
"""Joints, end sites, channels and frames of each, as listed in SOURCES.md."""


@pytest.fixture(params=FILES)
def path(request: pytest.FixtureRequest) -> Path:
    return data_file(f"bvh/{request.param}.bvh")


def test_a_real_file_has_what_its_source_says(path: Path) -> None:
    motion = bvh.load_motion(path)
    ends = sum(s.joint.motions == () for s in motion.figure.segments)
    assert (len(motion.figure.segments) - ends, ends, motion.figure.nq, len(motion)) == FILES[path.stem]
    assert bvh.load_figure(path) == motion.figure


def test_the_numbers_are_those_that_stand_in_the_file(path: Path) -> None:
    motion = bvh.load_motion(path)
    text = path.read_text()
    rows = text[text.index("Frame Time") :].splitlines()[1:]
    frame = len(motion) // 2
    stands = np.array([float(x) for x in rows[frame].split()])
    names = motion.figure.number_names
    sliding = np.array([name.rpartition(".")[2].startswith("t") for name in names])
    assert_close(np.where(sliding, motion.poses[frame], np.degrees(motion.poses[frame])), stands, scale=360, tol=1e-13)


def test_unedited_it_goes_back_to_the_same_bytes(path: Path, tmp_path: Path) -> None:
    bvh.save(bvh.load_motion(path), tmp_path / path.name)
    assert (tmp_path / path.name).read_bytes() == path.read_bytes()


def test_an_edited_frame_leaves_all_other_lines(path: Path, tmp_path: Path) -> None:
    motion = bvh.load_motion(path)
    poses = np.array(motion.poses)
    frame = len(motion) // 2
    poses[frame, 3:6] += 0.01
    bvh.save(motion.replaced(poses=poses), tmp_path / path.name)
    before, after = path.read_text().splitlines(), (tmp_path / path.name).read_text().splitlines()
    differ = [i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b]
    assert len(differ) == 1
    old, new = before[differ[0]].split(), after[differ[0]].split()
    assert [k for k, (a, b) in enumerate(zip(old, new, strict=True)) if a != b] == [3, 4, 5]
    assert_close(bvh.load_motion(tmp_path / path.name).poses, poses, scale=100, tol=1e-11)


def test_converted_it_keeps_every_world_position(path: Path, tmp_path: Path) -> None:
    motion = bvh.load_motion(path)
    every = motion[:: max(1, len(motion) // 50)]
    bare = Motion(every.figure.replaced(source={}), every.poses, every.times)
    bvh.save(bare, tmp_path / "out.bvh")
    again = bvh.load_motion(tmp_path / "out.bvh")
    names = [n for n in motion.figure.segment_names if n in again.figure.segment_names]
    assert len(names) >= len(motion.figure.segments) - FILES[path.stem][1]
    ours, theirs = every.placements(names)[..., :3, 3], again.placements(names)[..., :3, 3]
    ours = rotations.rotate(np.array(TO_Y_UP[motion.figure.up]), ours)  # converted files have y up
    assert_close(theirs, ours, scale=max(motion.figure.size, float(np.abs(ours).max())), tol=1e-7)


def test_bvhio_finds_every_joint_at_the_same_place(path: Path, tmp_path: Path) -> None:
    bvhio = pytest.importorskip("bvhio", reason="bvhio, an independent reader, is not installed")
    motion = bvh.load_motion(path)
    frames = np.random.default_rng(0).choice(len(motion), size=min(10, len(motion)), replace=False)
    # bvhio takes seconds for a long clip, so it is given the lines of these frames only.
    head, _, body = path.read_text().partition("MOTION")
    lines = body.lstrip("\n").splitlines()
    assert lines[0].split() == ["Frames:", str(len(motion))]
    chosen = [f"Frames: {len(frames)}", lines[1], *(lines[2 + frame] for frame in frames)]
    (tmp_path / "few.bvh").write_text(f"{head}MOTION\n" + "\n".join(chosen) + "\n")
    top = bvhio.readAsHierarchy(str(tmp_path / "few.bvh"))
    for i, frame in enumerate(frames):
        top.loadPose(i)
        theirs = {joint.Name: np.array(joint.PositionWorld) for joint, _, _ in top.layout()}
        assert len(theirs) == FILES[path.stem][0]
        ours = motion.figure.placements(motion.poses[frame], list(theirs))[:, :3, 3]
        # bvhio computes in single precision: 1e-6 of the figure, or of its distance from the origin.
        scale = max(motion.figure.size, float(np.abs(ours).max()))
        assert_close(ours, np.array(list(theirs.values())), scale=scale, tol=1e-6)
