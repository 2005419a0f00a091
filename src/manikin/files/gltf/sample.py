"""Samples channels at any time with the three interpolations of glTF, and computes the common time axis of a clip.

Between two keys at times a, b, with s = (t − a) / (b − a):

    STEP         the value of the key at a
    LINEAR       a straight line; rotations along the shorter arc at constant speed (slerp)
    CUBICSPLINE  (2s³ − 3s² + 1) v_a + (b − a)(s³ − 2s² + s) m_a + (−2s³ + 3s²) v_b + (b − a)(s³ − s²) n_b,
                 m_a the tangent that leaves a, n_b the one that arrives at b; rotations then scaled to length 1

Before the first key and after the last, the value of the nearest key is used.

A motion has a frame at the time of every key of its channels, so no key is lost. Keys whose times differ only by
rounding share a frame. Between frames, a motion is interpolated like LINEAR, so a clip of LINEAR channels is the same
at every time. If a STEP or CUBICSPLINE channel changes between two keys, frames are added there, at most `BETWEEN`
apart.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from manikin import rotations
from manikin.arrays import Matrix, Vector
from manikin.files.gltf.clips import CUBIC, LINEAR, STEP, Channel

BETWEEN = 1.0 / 30.0
"""Largest time between frames, in seconds, if a channel is not linear. It is longer in clips of several hours."""
MOST_BETWEEN = 100_000
"""Largest number of frames that are added."""
SAME = 4.0 * float(np.finfo(np.float32).eps)
"""Times are equal if they differ by less than this, relative to the larger of the time and 1 s. Files store them in 32
bits."""


def sample(channel: Channel, times: Vector) -> Matrix:
    """Values (n, 3) or (n, 4) at times (n,), seconds."""
    keys, values = channel.times, channel.values
    before = np.clip(np.searchsorted(keys, times, side="right") - 1, 0, len(keys) - 1)
    if channel.interpolation == STEP or len(keys) == 1 or (keys[before] == times).all():
        return np.array(values[before])
    before = np.minimum(before, len(keys) - 2)
    a, b, span = values[before], values[before + 1], keys[before + 1] - keys[before]
    s = np.clip((times - keys[before]) / span, 0.0, 1.0)
    if channel.interpolation == LINEAR and channel.path == "rotation":
        out = rotations.slerp(a, b, s)
    elif channel.interpolation == LINEAR:
        out = a + s[:, None] * (b - a)
    else:
        out = _spline(channel, before, s, span)
    # At a key, the result is exactly its value.
    out[s == 0.0], out[s == 1.0] = a[s == 0.0], b[s == 1.0]
    return out


def _spline(channel: Channel, before: NDArray[np.intp], s: Vector, span: Vector) -> Matrix:
    assert channel.arriving is not None
    assert channel.leaving is not None
    s, span = s[:, None], span[:, None]
    s2, s3 = s * s, s * s * s
    out = (2.0 * s3 - 3.0 * s2 + 1.0) * channel.values[before] + (3.0 * s2 - 2.0 * s3) * channel.values[before + 1]
    out += span * (s3 - 2.0 * s2 + s) * channel.leaving[before] + span * (s3 - s2) * channel.arriving[before + 1]
    if channel.path == "rotation":
        length = np.linalg.norm(out, axis=1, keepdims=True)
        lost = length[:, 0] < 1e-9  # a curve through zero has no direction there; use the previous key
        out[lost], length[lost] = channel.values[before][lost], 1.0
        out /= length
    return out


def axis(channels: Sequence[Channel]) -> Vector:
    """The times (n,) of the frames of a clip, from the given channels; a single 0 if there are none."""
    if not channels:
        return np.zeros(1)
    clocks: list[Vector] = []  # most channels share one array
    for c in channels:
        if not any(np.array_equal(c.times, clock) for clock in clocks[:4]):
            clocks.append(c.times)
    times = _merged(np.unique(np.concatenate(clocks)), channels)
    if len(times) == 1:
        return times
    bent = np.zeros(len(times) - 1, dtype=bool)
    for c in channels:
        changes = _changes(c)
        if changes.any():
            between = np.clip(np.searchsorted(c.times, times[:-1], side="right") - 1, -1, len(c.times) - 1)
            bent |= (between >= 0) & (between < len(changes)) & changes[np.clip(between, 0, len(changes) - 1)]
    return _filled(times, bent)


def _merged(times: Vector, channels: Sequence[Channel]) -> Vector:
    """Merges times that differ only by rounding, unless one channel has keys at both (a jump)."""
    near = np.diff(times) <= SAME * np.maximum(np.abs(times[1:]), 1.0)
    if not near.any():
        return times
    for c in channels:
        at = np.searchsorted(times, c.times)
        near[at[:-1][np.diff(at) == 1]] = False
    # Keep the last of them: a STEP has happened by then.
    merged: Vector = times[np.append(~near, True)]
    return merged


def _changes(channel: Channel) -> NDArray[np.bool_]:
    """(k − 1,), whether the channel is not linear between two keys."""
    if channel.interpolation == LINEAR or len(channel.times) < 2:
        return np.zeros(max(len(channel.times) - 1, 0), dtype=bool)
    changes: NDArray[np.bool_] = np.asarray((channel.values[1:] != channel.values[:-1]).any(axis=1))
    if channel.interpolation == CUBIC:
        assert channel.arriving is not None
        assert channel.leaving is not None
        changes |= (channel.leaving[:-1] != 0.0).any(axis=1) | (channel.arriving[1:] != 0.0).any(axis=1)
    return changes


def _filled(times: Vector, bent: NDArray[np.bool_]) -> Vector:
    """Adds evenly spaced frames to the intervals that are not linear."""
    spans = np.diff(times)
    apart = max(BETWEEN, float(spans[bent].sum()) / MOST_BETWEEN) if bent.any() else BETWEEN
    pieces = np.where(bent, np.maximum(np.ceil(spans / apart - 1e-3), 1.0), 1.0).astype(np.int64)
    first = np.repeat(np.arange(len(spans)), pieces)
    inside = np.arange(len(first)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    added = times[first] + spans[first] * (inside / pieces[first])
    return np.append(added, times[-1])
