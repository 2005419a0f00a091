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
from manikin.motion.smoothing import ORDER, Samples, check_frequency, continuous, least_frequency, smooth_values
from manikin.motion.spikes import spikes
from manikin.reference import smooth

CANDIDATES = (2.0, 2.5, 3.0, 3.6, 4.3, 5.2, 6.2, 7.5, 9.0, 11.0, 13.0)
"""Candidate frequencies in Hz. Voluntary motion has no higher frequencies, and no motion has only lower ones."""
FEWEST = 12
"""With fewer samples than this, the middle candidate is used, because the samples do not suffice for a choice."""
BINS = 400
LEAST_REMOVED = 0.1
"""If smoothing removes less than this fraction of the noise, the noise cannot be estimated from what it removes."""


def chosen_frequency(values: Matrix, times: Vector, quaternions: Sequence[int] = ()) -> float:
    """The frequency in Hz for values (T, n) with NaN in gaps. The arguments are those of `smooth_values`."""
    return _chosen(Samples(values, times, quaternions=quaternions), [slice(0, values.shape[1])])[0]


def _chosen(samples: Samples, groups: Sequence[slice]) -> list[float]:
    """The frequency in Hz of each group of columns."""
    if samples.known.sum() < FEWEST:
        return [max(CANDIDATES[len(CANDIDATES) // 2], least_frequency(samples.times))] * len(groups)
    lowest = least_frequency(samples.times)
    candidates = [f for f in CANDIDATES if f >= lowest] or [lowest]
    best, least = [candidates[0]] * len(groups), [np.inf] * len(groups)
    for frequency in candidates:
        if frequency >= 0.5 * samples.rate:
            break
        off = (samples.inner(frequency) - samples.values)[samples.known]
        left = (1.0 - share_followed(samples.rate, frequency)) ** 2
        for k, group in enumerate(groups):
            score = float((off[:, group] ** 2).mean()) / left
            if score < least[k]:
                best[k], least[k] = frequency, score
    return [check_frequency(f, samples.rate, "smooth") for f in best]


@functools.lru_cache(maxsize=256)
def share_followed(rate: float, frequency: float) -> float:
    """h: the mean gain over all frequencies, 0 to 1."""
    waves = np.pi * (np.arange(BINS) + 0.5) / BINS
    strength = smooth.strength(rate, frequency, ORDER)
    return float(np.mean(1.0 / (1.0 + strength * (2.0 * np.sin(0.5 * waves)) ** (2 * ORDER))))


def whole_targets(
    samples: Matrix, times: Vector, exact: bool, frequency: float | None, quaternions: Sequence[int]
) -> tuple[Matrix, tuple[float, float]]:
    """Targets without gaps between the first and the last sample, and the noise that is left in them. Exact samples are
    unchanged."""
    if not exact and samples.shape[1]:
        return smoothed_with_noise(_without_spikes(samples, times, quaternions), times, frequency, quaternions)
    known = np.isfinite(samples).all(axis=1)
    if known.all():
        return samples, (0.0, 0.0)
    rate = (len(times) - 1) / float(times[-1] - times[0]) if len(times) > 1 else 1.0
    out = smooth_values(samples, times, rate / 3.0, quaternions=quaternions)
    out[known] = samples[known]
    return out, (0.0, 0.0)


def smooth_targets(given: Matrix, times: Vector, frequency: float | None, quaternions: Sequence[int]) -> Matrix:
    """Targets (T, k) smoothed at a frequency; None chooses one for each quaternion and one for each run of other
    numbers."""
    return smoothed_with_noise(given, times, frequency, quaternions)[0]


def smoothed_with_noise(
    given: Matrix, times: Vector, frequency: float | None, quaternions: Sequence[int]
) -> tuple[Matrix, tuple[float, float]]:
    """`smooth_targets`, and the noise that is left in them: that of the first run of numbers that are not a quaternion,
    and that of the first quaternion, in radians. Both are root mean squares of the length of the error vector; 0 if
    there is none.

    For white noise of variance σ², the residuals have the variance σ² (1 − h), and the smoothed values keep σ² h.
    """
    samples = Samples(given, times, quaternions=quaternions)
    groups = _groups(given.shape[1], quaternions)
    found = _chosen(samples, groups) if frequency is None else [frequency] * len(groups)
    made = {f: samples.at(f) for f in found}
    noise: dict[bool, float] = {}
    for f, group in zip(found, groups, strict=True):
        turning = group.start in quaternions
        if turning not in noise and samples.known.sum() >= FEWEST:
            off = (made[f][samples.inside, group] - samples.values[:, group])[samples.known]
            share = share_followed(samples.rate, f)
            left = float((off**2).sum(axis=1).mean()) * share / max(1.0 - share, LEAST_REMOVED)
            noise[turning] = (2.0 if turning else 1.0) * float(np.sqrt(left))
    out = np.concatenate([made[f][:, group] for f, group in zip(found, groups, strict=True)], axis=1)
    return out, (noise.get(False, 0.0), noise.get(True, 0.0))


def _without_spikes(samples: Matrix, times: Vector, quaternions: Sequence[int]) -> Matrix:
    """Targets (T, k) with single wild samples as gaps."""
    known = np.isfinite(samples).all(axis=1)
    even = np.array(samples)
    for at in quaternions:
        even[known, at : at + 4] = continuous(samples[known, at : at + 4])
    wild = spikes(even, times, _groups(samples.shape[1], quaternions))
    return np.where(wild[:, None], np.nan, samples)


def _groups(width: int, quaternions: Sequence[int]) -> list[slice]:
    """The columns of each quaternion, and of the numbers before, between and after them."""
    out, done = [], 0
    for at in sorted(quaternions):
        out += [slice(done, at)] if at > done else []
        out.append(slice(at, at + 4))
        done = at + 4
    return out + ([slice(done, width)] if width > done else [])
