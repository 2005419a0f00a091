"""Posing a rig does not pull it apart: its sliders are held but where they carry the whole body, in every format."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from checks import assert_close
from needs import data_file

import manikin as mk
from manikin.errors import OddFile
from manikin.figure import Ball, Euler, Free, Hinge, Segment, Slider
from manikin.files.common.hold import hold

SLIDERS = tuple(Slider(axis) for axis in np.eye(3))


def held(segments: list[Segment]) -> list[str]:
    """Names of the segments whose sliders are held; all of one segment are."""
    out = []
    for s in hold(segments):
        sliders = [m.held for m in s.joint.motions if isinstance(m, Slider)]
        assert len(set(sliders)) <= 1
        if sliders and sliders[0]:
            out.append(s.name)
    return out


def test_what_carries_the_whole_body_is_not_held() -> None:
    body = [
        Segment("Hips", None, (*SLIDERS, Euler("ZXY"))),
        Segment("Leg", "Hips", (*SLIDERS, Hinge())),
        Segment("Spine", "Hips", (*SLIDERS, Ball())),
        Segment("Head", "Spine", Ball()),
    ]
    assert held(body) == ["Leg", "Spine"]
    assert [s.joint.name for s in hold(body)] == [s.joint.name for s in body]


def test_it_may_stand_below_what_does_not_slide() -> None:
    hips = Segment("Hips", "Top", (*SLIDERS, Ball()))
    rest = [Segment("Leg", "Hips", (*SLIDERS, Ball())), Segment("Mesh", "Top")]
    assert held([Segment("Top"), hips, *rest]) == ["Leg"]
    assert held([Segment("Top", None, Ball()), hips, *rest]) == ["Leg"]


def test_below_a_free_root_all_are_held() -> None:
    hips = [Segment("Hips", "Root", (*SLIDERS, Ball())), Segment("Leg", "Hips", SLIDERS)]
    assert held([Segment("Root", None, Free()), *hips]) == ["Hips", "Leg"]
    assert held([Segment("Root", None, SLIDERS), *hips]) == ["Hips", "Leg"]


def test_several_bodies_on_something_fixed_have_one_each() -> None:
    parents = {"A": "Top", "B": "Top", "A1": "A", "B1": "B"}
    bodies = [Segment(name, parent, (*SLIDERS, Ball())) for name, parent in parents.items()]
    assert held([Segment("Top"), *bodies]) == ["A1", "B1"]


def test_a_body_that_only_turns_has_no_limb_that_carries_it() -> None:
    limbs = [Segment(name, "Hips", (*SLIDERS, Ball())) for name in ("Leg", "Spine")]
    assert held([Segment("Hips", None, Ball()), *limbs]) == ["Leg", "Spine"]


def test_robots_keep_their_slides() -> None:
    for path in (data_file("urdf/panda.urdf"), data_file("mjcf/panda.xml")):
        figure = quietly(mk.load_figure, path)
        assert any(isinstance(m, Slider) for s in figure.segments for m in s.joint.motions)
        assert not figure.layout.held


# The real files


def quietly(load: Callable[[Path], Any], path: Path) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OddFile)
        return load(path)


RIGS = {
    "gltf/CesiumMan.glb": ("Skeleton_arm_joint_L__2_", "leg_joint_R_5"),
    "gltf/Fox.glb": ("b_Tail03_014", "b_RightHand_08"),
    "gltf/RobotExpressive.glb": ("Middle2.L_end", "Foot.R"),
    "usd/CesiumMan.usdz": ("Skeleton_arm_joint_L__2_", "leg_joint_R_5"),
    "usd/skinnedArm.usda": ("Hand",),
    "bvh/makehuman_tpose.bvh": ("finger5-3.L", "foot.R"),
    "rig.fbx": ("Hand L",),
}
"""Files whose joints have sliders, and hands, feet or tails to pull at."""


@pytest.fixture(params=RIGS)
def rig(request: pytest.FixtureRequest) -> tuple[mk.Motion, tuple[str, ...]]:
    name = request.param
    if name == "rig.fbx":
        pytest.importorskip("ufbx")
        path = Path(__file__).parents[1] / "fbx" / "data" / name
    else:
        path = data_file(name)
    if name.startswith("usd"):
        pytest.importorskip("pxr")
    return quietly(mk.load_motion, path), RIGS[name]


def bones(figure: mk.Figure, q: np.ndarray) -> np.ndarray:
    """Distances of all segments from their parents, but of what is free or slides by right."""
    at = figure.placements(q)[:, :3, 3]
    pairs = []
    for i, s in enumerate(figure.segments):
        carrying = s.joint.kind == "free" or any(isinstance(m, Slider) and not m.held for m in s.joint.motions)
        if s.parent is not None and not carrying:
            pairs.append((i, figure.segment_index(s.parent)))
    assert len(pairs) >= len(figure.segments) - 2
    return np.array([np.linalg.norm(at[i] - at[k]) for i, k in pairs])


def goals_on(motion: mk.Motion, ends: tuple[str, ...], start: np.ndarray, far: float) -> list[mk.Goal]:
    aside = far * motion.figure.size * np.array([0.3, 0.8, 0.5])
    return [mk.Position(end, motion.figure.placements(start, [end])[0, :3, 3] + aside) for end in ends]


@pytest.mark.parametrize("method", ["auto", "lbfgsb", "pinv", "dls", "bounded-dls", "ccd"])
def test_no_bone_changes_its_length(rig: tuple[mk.Motion, tuple[str, ...]], method: str) -> None:
    motion, ends = rig
    figure, start = motion.figure, motion[len(motion) // 2]
    held_numbers = sorted(figure.layout.held)
    assert held_numbers
    for end in ends:
        solution = mk.solve(figure, goals_on(motion, (end,), start, 0.1), start, method=method)
        assert solution.reached, solution
        assert_close(bones(figure, solution.pose), bones(figure, start), scale=figure.size, tol=1e-9)
        assert (solution.pose[held_numbers] == start[held_numbers]).all()


def test_nor_where_it_cannot_be_reached(rig: tuple[mk.Motion, tuple[str, ...]]) -> None:
    """Restarts and the reports hold them too: the body is kept from moving, and the goals are far away."""
    motion, ends = rig
    figure, start = motion.figure, motion[0]
    root = next(s.joint.name for s in figure.segments if "free" in s.joint.kind or "slider" in s.joint.kind)
    solution = mk.solve(figure, goals_on(motion, ends, start, 5.0), start, freeze=[root], iterations=300)
    assert not solution.reached
    assert_close(bones(figure, solution.pose), bones(figure, start), scale=figure.size, tol=1e-9)
    for report in solution.report:
        if report.pose is not None:
            assert_close(bones(figure, report.pose), bones(figure, start), scale=figure.size, tol=1e-9)


def test_only_lets_a_slider_go(rig: tuple[mk.Motion, tuple[str, ...]]) -> None:
    motion, ends = rig
    figure, start = motion.figure, motion[0]
    number = min(figure.layout.held)
    name = figure.number_names[number]
    joint = next(s for s in reversed(figure.segments) if figure.index_of(s.joint.name) <= number and s.joint.nq)
    there = start.copy()
    there[number] += 0.2 * figure.size
    goal = mk.Position(joint.name, figure.placements(there, [joint.name])[0, :3, 3])
    solution = mk.solve(figure, goal, start, only=[name])
    assert solution.reached, ends
    assert solution.pose[number] == pytest.approx(there[number], abs=2e-3 * figure.size)
    assert (np.delete(solution.pose, number) == np.delete(start, number)).all()
    loose = figure.rigid(keep=[name])
    assert not loose.layout.held
    assert loose.number_names[loose.index_of(joint.joint.name)] == name


def test_clips_keep_the_motion_of_every_slider(rig: tuple[mk.Motion, tuple[str, ...]], tmp_path: Path) -> None:
    motion, _ = rig
    moving = np.abs(motion.poses[:, sorted(motion.figure.layout.held)]).max()
    assert moving > 0.0
    for ending in ("glb", "bvh"):
        mk.save(motion, tmp_path / f"again.{ending}")
        back = quietly(mk.load_motion, tmp_path / f"again.{ending}")
        names = [n for n in motion.figure.segment_names if n in back.figure.segment_names]
        assert len(names) > 0.5 * len(motion.figure.segments)
        unit = 1.0 if ending == "bvh" else (motion.figure.unit or 1.0)  # glTF is in metres
        ours, theirs = (np.diff(m.placements(names)[..., :3, 3], axis=1) for m in (motion, back))
        lengths = (np.linalg.norm(x, axis=-1) for x in (unit * ours, theirs))
        assert_close(*lengths, scale=unit * motion.figure.size, tol=2e-6)  # type: ignore[misc]
