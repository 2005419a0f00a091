"""Limits of a person on real files: people who move are within them, and knees and elbows do not bend backward."""

from __future__ import annotations

import warnings
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from rigs import excess

import manikin as mk
from manikin import rotations

CLIPS = {
    "cmu_02_01_walk": None,
    "cmu_02_05_punch": None,
    "cmu_05_02_dance_pirouette": None,
    "cmu_05_11_pirouette": None,
    "cmu_09_01_run": None,
    "cmu_49_06_cartwheel": None,
    "threejs_pirouette": None,
    "animated_drawings_dab": None,
    "animated_drawings_rokoko_jesse_dance": 0,  # rests in a heap; stands in its first frame
    "makehuman_walk1": None,
    "optitrack_arena_louise": None,
    "pymo_AV_8Walk_Meredith": None,
    "bvhio_example": None,
}
"""BVH clips of people, and the frame in which they stand where that is not the rest pose."""


@cache
def load(data: Path, clip: str, balls: bool) -> tuple[mk.Motion, mk.Figure]:
    """A clip on its figure with limits."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        motion = mk.load_motion(data / "bvh" / f"{clip}.bvh")
        stand = CLIPS[clip]
        pose = None if stand is None else motion[stand]
        return motion, motion.figure.with_limits("human", pose=pose, balls=balls)


def moving(figure: mk.Figure, motion: mk.Motion) -> dict[str, np.ndarray]:
    """How far each joint of a part that moves is outside its limits; frame 0 of CMU's files is an added T-pose."""
    mapped = figure.source["mapped"]
    parts = {n: p for n, p in mapped.items() if p != "pelvis" and not p.endswith("still")}
    poses = motion.on(figure).poses
    return excess(figure, poses[1:] if "LHipJoint" in mapped else poses, list(parts))


@pytest.mark.parametrize(("balls", "share"), [(False, 0.98), (True, 0.96)])
def test_people_who_move_are_within_the_limits(data: Path, balls: bool, share: float) -> None:
    within: dict[str, list[np.ndarray]] = {}
    by_clip = {}
    for clip in CLIPS:
        motion, figure = load(data, clip, balls)
        found = {name: e <= 1e-9 for name, e in moving(figure, motion).items()}
        assert len(found) > 14, clip
        by_clip[clip] = np.concatenate(list(found.values()))
        for name, inside in found.items():
            within.setdefault(figure.source["mapped"][name], []).append(inside)
    by_part = {part: float(np.concatenate(all_of_it).mean()) for part, all_of_it in within.items()}
    report = ", ".join(f"{part} {w:.3f}" for part, w in sorted(by_part.items(), key=lambda item: item[1]))
    assert np.concatenate(list(by_clip.values())).mean() > share, report
    for clip, inside in by_clip.items():  # in the cartwheel hands and thumbs were not tracked
        assert inside.mean() > (0.90 if "cartwheel" in clip else 0.94), f"{clip}: {report}"
    for part, w in by_part.items():
        if part.split()[-1] in ("shank", "forearm", "spine", "arm", "clavicle", "thigh", "neck", "head"):
            assert w > 0.95, report


@pytest.mark.parametrize("balls", [False, True])
@pytest.mark.parametrize("clip", [c for c in CLIPS if c != "cmu_05_11_pirouette"])
def test_knees_and_elbows_bend_their_way_only(data: Path, clip: str, balls: bool) -> None:
    """About the axis that the clip itself shows, 40 degrees backward from rest, and forward."""
    motion, figure = load(data, clip, balls)
    mapped = figure.source["mapped"]
    for name in (n for n, p in mapped.items() if p.split()[-1] in ("shank", "forearm")):
        joint = figure.segment(name).joint
        at, poses = figure.index_of(name), np.tile(figure.rest, (4, 1))
        turns = rotations.from_axis_angle(_seen_axis(motion, name), np.deg2rad([-40.0, 10.0, 45.0, 80.0]))
        if not balls:
            turns = rotations.to_euler(joint.motions[-1].order, turns)  # type: ignore[union-attr]
        poses[:, at : at + joint.nq] = turns
        backward, *forward = excess(figure, poses, [name])[name]
        assert backward > np.deg2rad(2.0), name
        assert max(forward) < np.deg2rad(3.0), name


def _seen_axis(motion: mk.Motion, name: str) -> np.ndarray:
    """The axis in the joint's space about which a clip bends a joint."""
    figure, at = motion.figure, motion.figure.index_of(name)
    order = figure.segment(name).joint.motions[-1].order  # type: ignore[union-attr]
    end = next(c for c in figure.segments if c.parent == name and np.any(c.joint.offset))
    along = np.array(end.joint.offset)
    pointing = rotations.rotate(rotations.from_euler(order, motion.poses[:, at : at + 3]), along)
    axis = np.cross(along, pointing).sum(axis=0)
    return axis / np.linalg.norm(axis)


def test_solving_on_a_real_figure_keeps_to_the_limits(data: Path) -> None:
    for balls in (False, True):
        _, figure = load(data, "cmu_02_01_walk", balls)
        hand, foot = figure.placements(figure.rest, ["LeftHand", "RightFoot"])[:, :3, 3]
        hand, foot = hand + np.array([-3.0, 3.0, 5.0]), foot + np.array([1.5, 4.0, 1.0])
        goals = [mk.Position("LeftHand", hand), mk.Position("RightFoot", foot)]
        solution = mk.solve(figure, goals)
        assert solution.reached
        assert figure.violation(solution.pose) == 0.0


def test_a_clip_on_its_figure_with_limits_is_saved_word_for_word(data: Path, tmp_path: Path) -> None:
    motion, figure = load(data, "cmu_02_01_walk", balls=False)
    mk.save(motion.on(figure), tmp_path / "again.bvh")
    assert (tmp_path / "again.bvh").read_bytes() == (data / "bvh" / "cmu_02_01_walk.bvh").read_bytes()


def test_a_walk_from_gltf_is_within_the_limits(data: Path) -> None:
    pytest.importorskip("pygltflib", reason="glTF needs it")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        motion = mk.load_motion(data / "gltf" / "CesiumMan.glb")
        figure = motion.figure.with_limits("human")
    assert figure.source["mapped"]["leg_joint_L_2"] == "left shank"
    inside = np.concatenate([e <= 1e-9 for e in moving(figure, motion).values()])
    assert inside.mean() > 0.97
    knee = figure.index_of("leg_joint_L_2")
    assert np.ptp(motion.on(figure).poses[:, knee : knee + 4], axis=0).max() > 0.2  # it walks


@pytest.mark.parametrize("name", ["minimal_vrm0.vrm", "sphere_vrm0.vrm"])
def test_vrm_figures_get_limits_by_their_humanoid(data: Path, name: str) -> None:
    pytest.importorskip("pygltflib", reason="VRM needs it")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        figure = mk.load_figure(data / "gltf" / name)
    limited = figure.with_limits("human")
    assert limited.source["unmapped"] == ()
    hand = figure.source["humanoid"]["leftHand"]
    at = limited.placements(limited.rest, [hand])[0, :3, 3]
    solution = mk.solve(limited, [mk.Position(hand, at + limited.size * np.array([-0.05, 0.05, 0.05]))])
    assert solution.reached
    assert limited.violation(solution.pose) == 0.0


@pytest.mark.parametrize("name", ["bvh/fairmotion_sinusoidal.bvh", "gltf/Fox.glb"])
def test_what_is_no_person_is_refused(data: Path, name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        figure = mk.load_figure(data / name)
        with pytest.raises(mk.errors.BadValue, match=r"limits of a person need|not that of a standing person"):
            figure.with_limits("human")
