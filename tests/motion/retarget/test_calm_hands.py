"""Hands do not snap where they meet a joint limit."""

from __future__ import annotations

import numpy as np
import pytest
from retarget_clips import clip, figure

import manikin as mk
from manikin import rotations
from manikin.figure.parts.calibration import calibrate
from manikin.motion.retarget.calm_hands import AROUND, fastest, spread
from manikin.motion.retarget.watch import turn_angles, watch


def test_a_snap_is_spread_over_the_frames_around_it() -> None:
    steps = np.zeros((60, 2))
    steps[30] = [0.6, -0.8]
    most = np.full(60, 0.1)
    calm = spread(steps, most, most)
    assert np.linalg.norm(calm, axis=1).max() <= 0.1 * (1.0 + 1e-9)
    assert calm.sum(axis=0) == pytest.approx(steps.sum(axis=0))
    assert not calm[:15].any()
    assert not calm[46:].any()


def test_the_fastest_turn_around_each_frame() -> None:
    rng = np.random.default_rng(18)
    times = np.cumsum(rng.uniform(0.005, 0.04, 60))
    turns = rotations.to_matrix(rotations.from_rotation_vector(np.cumsum(rng.normal(size=(60, 3)), axis=0) / 9.0))
    speeds = turn_angles(turns[:-1], turns[1:]) / np.diff(times)
    middles = 0.5 * (times[1:] + times[:-1])
    wanted = [speeds[(middles > at - AROUND) & (middles <= at + AROUND)].max() for at in middles]
    assert fastest(turns, times).tolist() == wanted


def test_steps_within_the_limit_stay_as_they_are() -> None:
    steps = np.random.default_rng(1).uniform(-0.05, 0.05, (40, 2))
    assert spread(steps, np.full(40, 0.1), np.full(40, 0.1)) is steps


def test_a_snap_at_the_end_keeps_its_sum() -> None:
    steps = np.zeros((20, 1))
    steps[19] = 0.5
    calm = spread(steps, np.full(20, 0.1), np.full(20, 0.1))
    assert calm.sum() == pytest.approx(0.5)
    assert np.abs(calm).max() <= 0.2


@pytest.mark.parametrize(("name", "most"), [("dance", 20.0), ("pirouette", 30.0)])
def test_the_hands_of_a_mirrored_dance_do_not_snap(name: str, most: float) -> None:
    """A hand turned by 32° and 33° relative to the forearm in one frame, while that of the source turned by 3°. In the
    pirouette, the forearm of the source itself turns by 30° in a frame nearby, and the hand may turn as fast."""
    person = figure("human")
    out = mk.retarget(clip(name).mirrored(), person)
    seen = watch(calibrate(person, mk.bone_map(person)), out.motion.poses)
    for side in ("left", "right"):
        R = np.swapaxes(seen.turns[f"{side} forearm"], 1, 2) @ seen.turns[f"{side} hand"]
        assert np.rad2deg(turn_angles(R[:-1], R[1:])).max() < most
    assert out.measures["frames_over_limit"] == 0
