"""Damages clean recordings for `benchmarks.markers`: gaps, swaps, ghosts and wild samples."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

import manikin as mk
from manikin.arrays import Points


class Damage(NamedTuple):
    """A damaged recording."""

    markers: mk.Markers
    frames: Points
    """(n,) the frames that were damaged."""
    bad: Points
    """(T, M) bool: samples that are wrong and present."""

    def without_bad(self) -> mk.Markers:
        """The recording whose wrong samples are gaps."""
        return self.markers.replaced(positions=np.where(self.bad[..., None], np.nan, self.markers.positions))


def _changed(markers: mk.Markers, positions: Points) -> Damage:
    same = np.isclose(positions, markers.positions, equal_nan=True).all(axis=-1)
    wrong = ~same & ~np.isnan(positions[..., 0])
    frames = np.flatnonzero((~same).any(axis=1))
    return Damage(markers.replaced(positions=positions), frames, wrong)


def _middle(markers: mk.Markers, count: int) -> slice:
    """Frames in the middle of those in which most markers are seen."""
    good = np.flatnonzero(markers.present.mean(axis=1) > 0.9)
    first = int(good[len(good) // 2]) - count // 2
    return slice(first, first + count)


def gone(markers: mk.Markers, rng: np.random.Generator) -> Damage:
    """20 % of the markers gone for half a second."""
    out = np.array(markers.positions)
    during = _middle(markers, round(0.5 * (markers.rate or 100.0)))
    lost = rng.choice(len(markers.names), round(0.2 * len(markers.names)), replace=False)
    out[during, lost] = np.nan
    return _changed(markers, out)


def swapped(one: str, other: str) -> Callable[[mk.Markers, np.random.Generator], Damage]:
    """Two markers exchanged for 20 frames."""

    def damage(markers: mk.Markers, _: np.random.Generator) -> Damage:
        out = np.array(markers.positions)
        i, j, during = markers.index_of(one), markers.index_of(other), _middle(markers, 20)
        out[during, [i]], out[during, [j]] = out[during, [j]], out[during, [i]].copy()
        return _changed(markers, out)

    return damage


def ghost(name: str, far: float) -> Callable[[mk.Markers, np.random.Generator], Damage]:
    """A marker at a wrong place for 20 frames, `far` metres away."""

    def damage(markers: mk.Markers, rng: np.random.Generator) -> Damage:
        out = np.array(markers.positions)
        way = rng.normal(size=3)
        out[_middle(markers, 20), markers.index_of(name)] += far / (markers.unit or 1.0) * way / np.linalg.norm(way)
        return _changed(markers, out)

    return damage


def wild(share: float) -> Callable[[mk.Markers, np.random.Generator], Damage]:
    """A share of all samples 0.3 m off."""

    def damage(markers: mk.Markers, rng: np.random.Generator) -> Damage:
        out = np.array(markers.positions)
        hit = markers.present & (rng.random(out.shape[:2]) < share)
        ways = rng.normal(size=(int(hit.sum()), 3))
        out[hit] += 0.3 / (markers.unit or 1.0) * ways / np.linalg.norm(ways, axis=1, keepdims=True)
        return _changed(markers, out)

    return damage
