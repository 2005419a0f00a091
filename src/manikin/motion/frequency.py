"""Chooses the frequency at which noisy targets are smoothed, by generalised cross-validation.

For white noise, the frequency f with the smallest error relative to the unknown truth approximately minimises

    GCV(f) = mean |y − x_f|² / (1 − h(f))²,        h(f) = mean over all frequencies of the gain,

with the samples y and the smoothed values x_f. h is the mean gain of the smoother (its trace, ignoring the ends). So a
hand that moves fast gets a higher frequency than hips that hardly move.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np

from manikin.arrays import Matrix, Vector
from manikin.motion.smoothing import ORDER, Samples, check_frequency
from manikin.reference import smooth

CANDIDATES = (2.0, 2.5, 3.0, 3.6, 4.3, 5.2, 6.2, 7.5, 9.0, 11.0, 13.0)
"""Candidate frequencies in Hz. Voluntary motion is not faster, and no motion is slower throughout."""
CALMER = 0.8
"""The chosen frequency is this fraction of the best one, because noise disturbs joints more than a lagging target does.
Chosen on five clips for which no result is reported (`benchmarks/motion_inputs.py`, 3 seeds): 0.8, 1 and 1.2 gave mean
joint errors of 15.1, 15.4 and 16.5 mm, the best common frequency (5 Hz) 15.7."""
FEWEST = 12
"""With fewer samples than this, the middle candidate is used, because the samples do not suffice for a choice."""
BINS = 400


def chosen_frequency(values: Matrix, times: Vector, quaternions: Sequence[int] = ()) -> float:
    """The frequency in Hz for values (T, n) with NaN in gaps. The arguments are those of `smooth_values`."""
    return _chosen(Samples(values, times, quaternions=quaternions), [slice(0, values.shape[1])])[0]


def _chosen(samples: Samples, groups: Sequence[slice]) -> list[float]:
    """The frequency in Hz of each group of columns."""
    if samples.known.sum() < FEWEST:
        return [CALMER * CANDIDATES[len(CANDIDATES) // 2]] * len(groups)
    best, least = [CANDIDATES[0]] * len(groups), [np.inf] * len(groups)
    for frequency in CANDIDATES:
        if frequency >= 0.5 * samples.rate:
            break
        off = (samples.inner(frequency) - samples.values)[samples.known]
        left = (1.0 - share_followed(samples.rate, frequency)) ** 2
        for k, group in enumerate(groups):
            score = float((off[:, group] ** 2).mean()) / left
            if score < least[k]:
                best[k], least[k] = frequency, score
    return [check_frequency(CALMER * f, samples.rate, "smooth") for f in best]


@functools.lru_cache(maxsize=256)
def share_followed(rate: float, frequency: float) -> float:
    """h: the mean gain over all frequencies, 0 to 1."""
    waves = np.pi * (np.arange(BINS) + 0.5) / BINS
    strength = smooth.strength(rate, frequency, ORDER)
    return float(np.mean(1.0 / (1.0 + strength * (2.0 * np.sin(0.5 * waves)) ** (2 * ORDER))))


def smooth_targets(given: Matrix, times: Vector, frequency: float | None, quaternions: Sequence[int]) -> Matrix:
    """Targets (T, k) smoothed at a frequency; None chooses one for each quaternion and one for each run of other
    numbers."""
    samples = Samples(given, times, quaternions=quaternions)
    if frequency is not None:
        return samples.at(frequency)
    groups = _groups(given.shape[1], quaternions)
    found = _chosen(samples, groups)
    made = {f: samples.at(f) for f in found}
    return np.concatenate([made[f][:, group] for f, group in zip(found, groups, strict=True)], axis=1)


def _groups(width: int, quaternions: Sequence[int]) -> list[slice]:
    """The columns of each quaternion, and of the numbers before, between and after them."""
    out, done = [], 0
    for at in sorted(quaternions):
        out += [slice(done, at)] if at > done else []
        out.append(slice(at, at + 4))
        done = at + 4
    return out + ([slice(done, width)] if width > done else [])
