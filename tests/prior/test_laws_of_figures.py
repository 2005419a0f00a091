"""The laws of natural starts on figures of other makers: turned, moved, mirrored, in other units, another axis up."""

from __future__ import annotations

import os
import warnings
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import manikin as mk
from manikin import rotations
from manikin.figure.parts.skeleton import Skeleton
from manikin.prior.anatomy import LIMBS, anatomy_of

FILES = {
    "CMU": "bvh/cmu_02_01_walk.bvh",
    "MakeHuman": "bvh/makehuman_walk1.bvh",
    "CesiumMan": "gltf/CesiumMan.glb",
}
"""A figure that stands along y, one along z, and one whose parts only the bone map finds."""
figures = pytest.mark.parametrize(
    "name", ["human", *(pytest.param(n, marks=pytest.mark.needs("data", f)) for n, f in FILES.items())]
)
Case = tuple[dict[str, np.ndarray], set[str]]


@cache
def figure(name: str) -> mk.Figure:
    if name == "human":
        return mk.human()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return mk.load_figure(Path(os.environ["MANIKIN_DATA"]) / FILES[name]).with_limits("human", balls=True)


def cases(own: mk.Figure, count: int = 8) -> list[Case]:
    """Placements of random effectors of poses near rest, and which of them have an orientation."""
    rng = np.random.default_rng(6)
    names = [own.segment_names[i] for i in anatomy_of(own).effectors]
    out = []
    for _ in range(count):
        step = 0.2 * rng.normal(size=own.nv)
        pose = own.clamp(own.integrate(own.rest, step))
        some = [names[0], *(n for n in names[1:] if rng.random() < 0.7)]
        placed = dict(zip(some, own.placements(pose, some), strict=True))
        out.append((placed, {names[0], *(n for n in some if rng.random() < 0.5)}))
    return out


def started(own: mk.Figure, case: Case) -> np.ndarray:
    """Positions in the natural pose of the segments from the pelvis outward. Some files have fixed segments above."""
    placed, oriented = case
    goals: list[mk.Goal] = [
        mk.Placement(n, p) if n in oriented else mk.Position(n, p[:3, 3]) for n, p in placed.items()
    ]
    return own.placements(mk.natural_pose(own, goals), list(body(own)))[:, :3, 3]


@cache
def body(own: mk.Figure) -> tuple[str, ...]:
    pelvis = own.segment_names[anatomy_of(own).pelvis]
    out = [pelvis]
    for segment in own.segments:
        if segment.parent in out:
            out.append(segment.name)
    return tuple(out)


def moved(case: Case, T: np.ndarray) -> Case:
    return {name: T @ p for name, p in case[0].items()}, case[1]


def leg(own: mk.Figure) -> float:
    return anatomy_of(own).leg


@figures
def test_turned_and_moved_targets_give_the_pose_turned_and_moved(name: str) -> None:
    own, rng = figure(name), np.random.default_rng(1)
    for case in cases(own):
        T = np.eye(4)
        T[:3, :3] = rotations.axis_matrix(own.up, rng.uniform(-np.pi, np.pi))
        T[:3, 3] = leg(own) * rng.normal(size=3)
        one, two = started(own, case), started(own, moved(case, T))
        assert np.abs(one @ T[:3, :3].T + T[:3, 3] - two).max() < 1e-4 * leg(own)  # the net counts in single precision


@figures
def test_another_axis_up_gives_the_same_pose(name: str) -> None:
    own = figure(name)
    up = {"x": "y", "y": "z", "z": "x"}[own.up]
    R = np.eye(3)[[2, 0, 1]]  # x to y, y to z, z to x
    T = np.eye(4)
    T[:3, :3] = R
    root, *others = own.segments
    first = root.joint
    turn = rotations.multiply(rotations.from_matrix(R), np.array(first.rotation))
    turned = root.replaced(rotation=turn, offset=R @ np.array(first.offset))
    other = mk.Figure("turned", [turned, *others], unit=own.unit, up=up, source=own.source)
    for case in cases(own, 4):
        one, two = started(own, case), started(other, moved(case, T))
        assert np.abs(one @ R.T - two).max() < 1e-4 * leg(own)


@figures
def test_another_unit_gives_the_same_pose(name: str) -> None:
    own = figure(name)
    large = own.scaled(100.0)
    for case in cases(own, 4):
        far = {n: np.block([[p[:3, :3], 100.0 * p[:3, 3:]], [p[3:]]]) for n, p in case[0].items()}
        one, two = started(own, case), started(large, (far, case[1]))
        assert np.abs(100.0 * one - two).max() < 1e-2 * leg(own)


@figures
def test_mirrored_targets_on_the_mirrored_figure_give_the_mirrored_pose(name: str) -> None:
    own = figure(name)
    anatomy = anatomy_of(own)
    names = [own.segment_names[i] for i in anatomy.effectors]
    other = dict(zip(names, [names[k] for k in (0, 2, 1, 4, 3, 5)], strict=True))
    left = anatomy.frame[:, 0]
    S = np.eye(3) - 2.0 * np.outer(left, left)
    # The mirror image of a figure that is not symmetric is another figure, on which the start differs a little.
    bound = 1e-5 if asymmetry(own, S) < 1e-6 else 0.1
    for case in cases(own):
        image = {}
        for segment, p in case[0].items():
            Q = np.eye(4)
            R = own.placements(own.rest, [segment, other[segment]])[:, :3, :3]
            Q[:3, :3] = S @ p[:3, :3] @ R[0].T @ S @ R[1]  # turned from rest as the other side was, mirrored
            Q[:3, 3] = S @ p[:3, 3]
            image[other[segment]] = Q
        one = started(own, case)
        two = started(own, (image, {other[n] for n in case[1]}))
        at = [body(own).index(n) for n in names]
        back = [body(own).index(other[n]) for n in names]
        assert np.abs(one[at] @ S - two[back]).max() < bound * anatomy.leg


def asymmetry(own: mk.Figure, S: np.ndarray) -> float:
    """The largest distance between a joint and the mirror image of its counterpart at rest, in legs."""
    anatomy = anatomy_of(own)
    at = own.placements(own.rest)[:, :3, 3]
    at = at - at[anatomy.pelvis]
    pairs = [(f"left {limb}", f"right {limb}") for limb in LIMBS if f"left {limb}" in anatomy.joints]
    away = [at[anatomy.joints[one][0]] - S @ at[anatomy.joints[two][0]] for one, two in pairs]
    return float(np.linalg.norm(away, axis=1).max()) / anatomy.leg


@pytest.mark.needs("data", "bvh/optitrack_arena_louise.bvh")
@pytest.mark.parametrize(
    "file", ["", "optitrack_arena_louise.bvh", "pymo_AV_8Walk_Meredith.bvh", "threejs_pirouette.bvh"]
)
def test_the_bone_map_gives_the_parts_that_names_give(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    own = mk.load_figure(Path(os.environ["MANIKIN_DATA"]) / "bvh" / file) if file else mk.human()
    by_names = anatomy_of(own)
    monkeypatch.setattr(Skeleton, "named", property(lambda skeleton: [None] * len(skeleton.parents)))
    by_map = anatomy_of(own)
    assert by_map.joints == by_names.joints
    assert by_map.effectors == by_names.effectors


@pytest.mark.needs("data", "mjcf/unitree_g1.xml")
def test_a_robot_has_no_natural_pose() -> None:
    robot = mk.load_figure(Path(os.environ["MANIKIN_DATA"]) / "mjcf" / "unitree_g1.xml")
    assert not mk.bone_map(robot).four_legged  # its parts are known, but its shoulders and hips are hinges
    with pytest.raises(mk.errors.BadValue, match="is not recognised as a person"):
        mk.natural_pose(robot, mk.Position(robot.segment_names[-1], (0, 0, 1)))
