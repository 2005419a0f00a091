"""Arms without snaps: a large turn within a frame is spread over the frames around it."""

from __future__ import annotations

import numpy as np
import pytest

from manikin import rotations
from manikin.motion.retarget.calm_arms import AROUND, FREE, calm, most_turns
from manikin.motion.retarget.watch import turn_angles

TIMES = np.arange(200) / 100.0
MOST = np.full(199, 0.1)


def turned(angles: np.ndarray) -> np.ndarray:
    """(frames, 3, 3) rotations about x by angles (frames,)."""
    vectors = np.outer(angles, [1.0, 0.0, 0.0])
    return np.asarray(rotations.to_matrix(rotations.from_rotation_vector(vectors)))


def steps(R: np.ndarray) -> np.ndarray:
    return turn_angles(R[:-1], R[1:])


def test_an_arm_without_snaps_keeps_its_bits() -> None:
    arm = [turned(0.09 * np.arange(200)), turned(0.02 * np.arange(200))]
    for before, after in zip(arm, calm(arm, MOST), strict=True):
        assert np.array_equal(before, after)


@pytest.mark.parametrize("where", [3, 100, 196])
@pytest.mark.parametrize("size", [0.3, 1.0, 3.0])
def test_a_snap_is_spread_over_the_frames_around_it(size: float, where: int) -> None:
    """Near an end of the clip the frames inside of it take the turn."""
    snap, still = turned(size * (np.arange(200) >= where)), turned(0.001 * np.arange(200))
    found = calm([still, snap], MOST)
    assert max(steps(R).max() for R in found) <= 0.1 + 1e-9
    changed = np.flatnonzero(np.abs(found[1] - snap).max(axis=(1, 2)) > 1e-12)
    assert len(changed) <= 1.5 * size / 0.1 + 4
    assert changed[0] <= where <= changed[-1] + 1
    assert found[0] == pytest.approx(still, abs=1e-2)


def test_an_arm_that_flips_to_and_fro_is_calm() -> None:
    flips = turned(2.0 * (np.arange(200) // 15 % 2))
    assert steps(flips).max() > 1.9
    assert steps(calm([flips], MOST)[0]).max() <= 0.1 + 1e-9


def test_a_clip_that_is_too_short_turns_evenly_from_end_to_end() -> None:
    found = calm([turned(np.array([0.0, 0.0, 2.0, 2.0]))], MOST[:3])[0]
    assert found[[0, -1]] == pytest.approx(turned(np.array([0.0, 2.0])))
    assert steps(found).max() < 1.0


def test_an_arm_may_turn_as_fast_as_the_source_around_that_time() -> None:
    speeds = np.where(np.abs(TIMES - 1.0) < 0.1, 30.0, 0.0)
    most = most_turns([turned(np.cumsum(speeds) / 100.0)], TIMES)
    near, far = np.abs(TIMES[1:] - 1.0) < 0.1, np.abs(TIMES[1:] - 1.0) > 0.12 + AROUND
    assert most[near] == pytest.approx(0.3)
    assert most[far] == pytest.approx(FREE / 100.0)
