"""Chooses the frequency at which noisy targets are smoothed, by generalised cross-validation.

For white noise, the frequency f with the smallest error relative to the unknown truth approximately minimises

    GCV(f) = mean |y − x_f|² / (1 − h(f))²,        h(f) = mean over all frequencies of the gain,

with the samples y and the smoothed values x_f. h is the mean gain of the smoother (its trace, ignoring the ends). So a
hand that moves fast gets a higher frequency than hips that hardly move.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from manikin.arrays import Matrix, Vector
from manikin.motion.smoothing import ORDER, check_frequency, continuous, smooth_values
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
    known = np.asarray(np.isfinite(values).all(axis=1))
    if known.sum() < FEWEST:
        return CALMER * CANDIDATES[len(CANDIDATES) // 2]
    rate = (len(times) - 1) / float(times[-1] - times[0])
    samples: Matrix = np.array(values[known])
    for at in quaternions:
        samples[:, at : at + 4] = continuous(samples[:, at : at + 4])
    best, least = CANDIDATES[0], np.inf
    for frequency in CANDIDATES:
        if frequency >= 0.5 * rate:
            break
        calm = smooth_values(values, times, frequency, quaternions=quaternions)[known]
        for at in quaternions:
            q = slice(at, at + 4)
            calm[:, q] *= np.where((calm[:, q] * samples[:, q]).sum(axis=1) < 0.0, -1.0, 1.0)[:, None]
        score = float(((calm - samples) ** 2).mean()) / (1.0 - share_followed(rate, frequency)) ** 2
        if score < least:
            best, least = frequency, score
    return check_frequency(CALMER * best, rate, "smooth")


def share_followed(rate: float, frequency: float) -> float:
    """h: the mean gain over all frequencies, 0 to 1."""
    waves = np.pi * (np.arange(BINS) + 0.5) / BINS
    strength = smooth.strength(rate, frequency, ORDER)
    return float(np.mean(1.0 / (1.0 + strength * (2.0 * np.sin(0.5 * waves)) ** (2 * ORDER))))


def smooth_targets(samples: Matrix, times: Vector, frequency: float | None, quaternions: Sequence[int]) -> Matrix:
    """Targets (T, k) smoothed at a frequency; None chooses one for the quaternions and one for all other numbers."""
    if frequency is not None:
        return smooth_values(samples, times, frequency, quaternions=quaternions)
    out: Matrix = np.array(samples)
    turning = np.zeros(samples.shape[1], dtype=bool)
    for at in quaternions:
        turning[at : at + 4] = True
        own = samples[:, at : at + 4]
        out[:, at : at + 4] = smooth_values(own, times, chosen_frequency(own, times, (0,)), quaternions=(0,))
    if not turning.all():
        plain = samples[:, ~turning]
        out[:, ~turning] = smooth_values(plain, times, chosen_frequency(plain, times))
    return out
