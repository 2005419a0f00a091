"""Wild samples are found from the positions alone; fast motion and longer errors are left."""

from __future__ import annotations

import numpy as np
import pytest
from synthetic_markers import recorded

import manikin as mk
from manikin.motion.marker_fit.spikes import spikes

SIZE = 1.526


@pytest.mark.parametrize("share", [0.02, 0.05])
@pytest.mark.parametrize("seed", [1, 2])
def test_wild_samples_are_found(share: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    markers = recorded(200).markers
    bad = np.array(markers.positions)
    hit = rng.random(bad.shape[:2]) < share
    ways = rng.normal(size=(int(hit.sum()), 3))
    bad[hit] += 0.3 * ways / np.linalg.norm(ways, axis=1, keepdims=True)
    found = spikes(bad, markers.times, SIZE)
    assert (found & hit).sum() > 0.97 * hit.sum()
    assert (found & ~hit).sum() <= 0.001 * hit.size


def test_clean_markers_have_none() -> None:
    for rate in (30.0, 100.0, 500.0):
        markers = recorded(80, rate=rate).markers
        assert not spikes(markers.positions, markers.times, SIZE).any()
    gappy = np.array(markers.positions)
    gappy[10:15, 3] = np.nan
    gappy[:, 5] = np.nan
    gappy[20, :] = np.nan
    assert not spikes(gappy, markers.times, SIZE).any()


def test_a_spike_beside_a_gap() -> None:
    markers = recorded(80).markers
    bad = np.array(markers.positions)
    bad[40, 7] += 0.2
    bad[41:44, 7] = np.nan
    found = spikes(bad, markers.times, SIZE)
    assert np.argwhere(found).tolist() == [[40, 7]]


def test_a_ghost_and_the_ends_of_a_swap_are_no_spikes() -> None:
    markers = recorded(120).markers
    for far in (0.1, 0.3, 0.54):
        bad = np.array(markers.positions)
        bad[40:60, 4] += [far, 0.0, 0.0]
        bad[80:, [0, 1]] = bad[80:, [1, 0]]
        assert not spikes(bad, markers.times, SIZE).any()


def test_a_fast_hand_at_a_low_rate_is_no_spike() -> None:
    times = np.arange(60) / 30.0
    hand = np.zeros((60, 1, 3))
    hand[:, 0, 2] = 0.4 * np.sin(2 * np.pi * 2.0 * times)  # 63 m/s² at the turns
    assert not spikes(hand, times, SIZE).any()


def test_few_frames() -> None:
    for count in (1, 2, 3, 4):
        markers = recorded(60).markers[:count]
        assert not spikes(markers.positions, markers.times, SIZE).any()


def test_spikes_are_rejected_and_do_not_move_the_fit() -> None:
    markers = recorded(80, noise=0.001).markers
    clean = mk.fit_markers(mk.human(), markers)
    bad = np.array(markers.positions)
    rng = np.random.default_rng(3)
    hit = rng.random(bad.shape[:2]) < 0.02
    bad[hit] += 0.25
    found = mk.fit_markers(mk.human(), markers.replaced(positions=bad), clean.attachments)
    columns = [markers.names.index(n) for n in found.names]
    assert found.rejected[hit[:, columns]].all()
    legs = ["LeftLeg", "RightLeg", "LeftFoot", "RightFoot"]
    a, b = (f.figure.placements(f.motion.poses, legs)[..., :3, 3] for f in (clean, found))
    assert np.linalg.norm(a - b, axis=-1).max() < 0.005
    # Their residuals are still reported, and without `robust` they count.
    assert found.residuals[hit[:, columns]].min() > 0.2
    plain = mk.fit_markers(mk.human(), markers.replaced(positions=bad), clean.attachments, robust=False)
    assert not plain.rejected.any()
