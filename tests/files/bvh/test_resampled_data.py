"""The real BVH files at other rates: joints turn as rotations, and no angle jumps that did not jump in the file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from needs import data_file

from manikin import rotations
from manikin.arrays import Matrix, Vector
from manikin.figure import Euler, Figure
from manikin.files import bvh
from manikin.motion import Motion

FILES = (
    "animated_drawings_dab",
    "animated_drawings_rokoko_jesse_dance",
    "bvhio_example",
    "cmu_02_01_walk",
    "cmu_02_05_punch",
    "cmu_05_02_dance_pirouette",
    "cmu_05_11_pirouette",
    "cmu_09_01_run",
    "cmu_49_06_cartwheel",
    "fairmotion_sinusoidal",
    "makehuman_walk1",
    "optitrack_arena_louise",
    "pymo_AV_8Walk_Meredith",
    "threejs_pirouette",
)
"""Those of more than one frame."""
RATES = (24, 30, 60, 120)
BOW = np.radians(2.0)
"""How far an angle may go beyond both of its recorded neighbours: the shorter arc of a rotation is no straight line in
its angles. The most in these files is 1.75°."""
JUMP = np.radians(90.0)
"""A change of an angle from one frame to the next above this is a jump."""


@pytest.fixture(params=FILES)
def motion(request: pytest.FixtureRequest) -> Motion:
    return bvh.load_motion(data_file(f"bvh/{request.param}.bvh"))


def triples(figure: Figure) -> Iterator[tuple[str, str, slice]]:
    """Name, order and numbers of every Euler joint of three axes."""
    for s in figure.segments:
        last = s.joint.motions[-1] if s.joint.motions else None
        if isinstance(last, Euler) and len(last.order) == 3:
            end = figure.index_of(s.joint.name) + s.joint.nq
            yield s.name, last.order, slice(end - 3, end)


def apart(p: Matrix, q: Matrix) -> Vector:
    """Angles between rotations, radians."""
    return np.linalg.norm(rotations.to_rotation_vector(rotations.multiply(rotations.inverse(p), q)), axis=-1)


def over(amounts: Matrix, before: Vector, after: Vector) -> Matrix:
    """Sums of what happens from frame to frame, (frames − 1, …), from places before … after, in frames."""
    total = np.concatenate([np.zeros((1, *amounts.shape[1:])), np.cumsum(amounts, axis=0)])
    first, last = np.floor(before + 1e-9).astype(int), np.ceil(after - 1e-9).astype(int)
    return total[np.minimum(last, len(amounts))] - total[first]


def nearest_change(order: str, angles: Matrix) -> Matrix:
    """How much each angle changes from frame to frame on the nearest branch, (frames − 1, 3)."""
    one = np.abs(rotations.wrapped(np.diff(angles, axis=0)))
    two = np.abs(rotations.wrapped(rotations.other_euler(order, angles[1:]) - angles[:-1]))
    return np.where((two.sum(axis=1) < one.sum(axis=1))[:, None], two, one)


def check_changes(file: Motion, other: Motion) -> None:
    """No angle of the other changes more between two frames than that of the file over the same time, wherever the file
    puts its jumps; and none jumps where the file's does not. Where the file's goes round by a whole turn, so may it."""
    places = np.interp(other.times, file.times, np.arange(len(file)))
    for name, order, at in triples(file.figure):
        recorded = np.abs(np.diff(file.poses[:, at], axis=0))
        whole = over(recorded, places[:-1], places[1:])
        most = whole + over(nearest_change(order, file.poses[:, at]), places[:-1], places[1:])
        around = over(recorded > np.pi, places[:-1], places[1:]) > 0
        change = np.abs(np.diff(other.poses[:, at], axis=0))
        assert (change <= np.where(around, np.maximum(most, 2 * np.pi), most) + BOW).all(), name
        assert not ((change > JUMP) & (whole < JUMP - BOW)).any(), name


@pytest.mark.parametrize("rate", RATES)
def test_joints_turn_as_rotations_and_no_angle_jumps_by_itself(motion: Motion, rate: float) -> None:
    other = motion.resampled(rate)
    places = np.interp(other.times, motion.times, np.arange(len(motion)))
    first = np.minimum(places.astype(int), len(motion) - 2)
    for name, order, at in triples(motion.figure):
        recorded = rotations.from_euler(order, motion.poses[:, at])
        found = rotations.from_euler(order, other.poses[:, at])
        assert apart(found, rotations.slerp(recorded[first], recorded[first + 1], places - first)).max() < 1e-9, name
        # No joint turns faster than in the file.
        whole = np.concatenate([[0.0], np.cumsum(apart(recorded[:-1], recorded[1:]))])
        run = np.diff(np.interp(places, np.arange(len(motion)), whole))
        assert (apart(found[:-1], found[1:]) <= run + 1e-9).all(), name
    check_changes(motion, other)


def test_saved_angles_have_no_jumps_that_the_file_had_not(motion: Motion, tmp_path: Path) -> None:
    for rate in (24, 60):
        other = motion.resampled(rate)
        bvh.save(other, tmp_path / "other.bvh")
        again = bvh.load_motion(tmp_path / "other.bvh")
        for name, order, at in triples(motion.figure):
            assert apart(*(rotations.from_euler(order, m.poses[:, at]) for m in (other, again))).max() < 1e-9, name
            ours, saved = (np.abs(np.diff(m.poses[:, at], axis=0)).sum(axis=1) for m in (other, again))
            assert (saved <= ours + 1e-8).all(), name


def test_recorded_frames_come_back_to_the_bit(motion: Motion) -> None:
    assert np.array_equal(motion.at(motion.times), motion.poses)


def test_the_forearm_of_the_dancer_is_not_turned_half_round() -> None:
    """Where RightArm's angle about x goes from −179.2° to 178.1°, its rotation goes by 2.7°."""
    motion = bvh.load_motion(data_file("bvh/cmu_05_02_dance_pirouette.bvh"))
    poses = motion.at(np.linspace(motion.times[436], motion.times[437], 9))
    turns = rotations.from_matrix(motion.figure.placements(poses, ["RightForeArm"])[:, 0, :3, :3])
    assert np.degrees(apart(turns[:1], turns[-1:])[0]) == pytest.approx(1.2, abs=0.05)
    assert np.degrees(apart(turns[:1], turns)).max() < 1.3
