"""The frequency of smoothing, chosen from the targets."""

from __future__ import annotations

import numpy as np
import pytest

from manikin import rotations
from manikin.motion.frequency import (
    CANDIDATES,
    chosen_frequency,
    share_followed,
    smooth_targets,
    smoothed_with_noise,
)

TIMES = np.arange(600) / 120.0


def wave(frequency: float, size: float = 0.2) -> np.ndarray:
    return np.stack([size * np.sin(2 * np.pi * frequency * TIMES + k) for k in range(3)], axis=1)


def test_fast_targets_get_a_higher_frequency_than_slow_ones() -> None:
    rng = np.random.default_rng(0)
    slow, fast = (chosen_frequency(wave(f) + 0.01 * rng.normal(size=(600, 3)), TIMES) for f in (0.3, 4.0))
    assert slow < 4.0 < fast


@pytest.mark.parametrize("seed", range(5))
def test_the_choice_is_not_far_from_the_best_there_is(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = wave(0.5) + wave(2.0, 0.05)
    rows = truth + 0.01 * rng.normal(size=truth.shape)
    rows[100:110] = np.nan
    off = {f: np.abs(smooth_targets(rows, TIMES, f, ()) - truth).mean() for f in CANDIDATES}
    ours = np.abs(smooth_targets(rows, TIMES, None, ()) - truth).mean()
    assert ours < 2.0 * min(off.values())


def test_signs_of_quaternions_do_not_matter() -> None:
    rng = np.random.default_rng(1)
    turns = rotations.from_rotation_vector(wave(1.0) + 0.05 * rng.normal(size=(600, 3)))
    flipped = turns * rng.choice([-1.0, 1.0], size=(600, 1))
    assert chosen_frequency(turns, TIMES, (0,)) == chosen_frequency(flipped, TIMES, (0,))


def test_the_share_followed_grows_from_none_to_all() -> None:
    shares = [share_followed(120.0, f) for f in (0.5, 2.0, 10.0, 59.0, 60.0)]
    assert shares == sorted(shares)
    assert shares[0] < 0.02
    assert shares[-1] == 1.0


def test_few_samples_get_the_middle() -> None:
    assert chosen_frequency(np.zeros((5, 3)), TIMES[:5]) == CANDIDATES[len(CANDIDATES) // 2]


@pytest.mark.parametrize("size", [1e-4, 1e-2])
@pytest.mark.parametrize("seed", range(3))
def test_the_noise_left_in_targets_is_estimated(seed: int, size: float) -> None:
    rng = np.random.default_rng(seed)
    turned = rotations.from_rotation_vector(0.3 * wave(0.4))
    truth = np.concatenate([wave(0.5), turned], axis=1)
    shaken = rotations.from_rotation_vector(5.0 * size * rng.normal(size=(600, 3)))
    rows = np.concatenate([truth[:, :3] + size * rng.normal(size=(600, 3)), rotations.multiply(shaken, turned)], axis=1)
    rows[200:215] = np.nan
    calm, (length, angle) = smoothed_with_noise(rows, TIMES, None, (3,))
    off = np.sqrt((np.linalg.norm(calm[:, :3] - truth[:, :3], axis=1) ** 2).mean())
    by = rotations.to_rotation_vector(rotations.multiply(rotations.inverse(turned), calm[:, 3:]))
    turn = np.sqrt((np.linalg.norm(by, axis=1) ** 2).mean())
    assert 0.5 < length / off < 1.6
    assert 0.5 < angle / turn < 1.6


def test_few_samples_have_no_estimate_of_noise() -> None:
    assert smoothed_with_noise(np.zeros((5, 3)), TIMES[:5], None, ())[1] == (0.0, 0.0)
