"""Finds markers that exchanged their names, from the positions alone, and gives them their names back.

Each name is followed with a constant velocity. If two markers are far from their own predictions and near each other's,
they exchange their names from this frame on. A later exchange of the same two gives them their names back. A swap must
begin and end while both markers are seen, or within `MEMORY` seconds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manikin.arrays import Points, Vector

OFF, NEAR = 0.026, 0.013
"""A marker is far from a prediction if their distance is above OFF, and near it if the distance is below NEAR, in sizes
of the figure (40 and 20 mm)."""
MEMORY = 0.25
"""A marker that was not seen for this many seconds has no prediction."""


@dataclass(frozen=True)
class Swap:
    """Two markers that exchanged their names."""

    names: tuple[str, str]
    first: int
    """The first frame with exchanged names."""
    last: int
    """The last frame with exchanged names."""

    def __str__(self) -> str:
        return f"{self.names[0]} and {self.names[1]} in frames {self.first} to {self.last}"


def untangled(names: tuple[str, ...], positions: Points, times: Vector, size: float) -> tuple[Points, list[Swap]]:
    """The positions (T, M, 3) with swapped names put right, and the swaps.

    Args:
        names: of the markers.
        positions: NaN in gaps.
        times: (T,) seconds.
        size: of the figure, in the unit of the positions.
    """
    if not _may_swap(positions, times, size):
        return np.array(positions), []
    count, markers = positions.shape[:2]
    order = np.arange(markers)
    out = np.array(positions)
    seen_at = np.full(markers, -np.inf)
    last, speed = np.zeros((markers, 3)), np.zeros((markers, 3))
    off2, near2 = (OFF * size) ** 2, (NEAR * size) ** 2
    open_swaps: dict[tuple[int, int], int] = {}
    swaps: list[Swap] = []
    for t in range(count):
        now = positions[t, order]
        ago = times[t] - seen_at
        guess = last + speed * np.minimum(ago, MEMORY)[:, None]
        away = ((now - guess) ** 2).sum(axis=1)
        lost = np.flatnonzero((away > off2) & (ago <= MEMORY))
        if len(lost) > 1:
            cross = ((now[lost][:, None] - guess[lost]) ** 2).sum(axis=2)  # marker i against the prediction of j
            for i, j in zip(*np.nonzero((cross < near2) & (near2 > cross.T)), strict=True):
                if i < j:
                    a, b = int(lost[i]), int(lost[j])
                    order[[a, b]] = order[[b, a]]
                    _note(names, open_swaps, swaps, (a, b), t)
            now = positions[t, order]
        out[t] = now
        known = ~np.isnan(now[:, 0])
        recent = known & (ago <= MEMORY)
        gone = np.where(recent, np.maximum(ago, 1e-9), 1.0)
        measured = np.where(recent[:, None], (now - last) / gone[:, None], 0.0)
        speed = np.where(recent[:, None], 0.5 * (speed + measured), np.where(known[:, None], 0.0, speed))
        last = np.where(known[:, None], now, last)
        seen_at = np.where(known, times[t], seen_at)
    swaps += [Swap((names[a], names[b]), first, count - 1) for (a, b), first in open_swaps.items()]
    return out, sorted(swaps, key=lambda swap: swap.first)


def _may_swap(positions: Points, times: Vector, size: float) -> bool:
    """Whether any two markers exchange their names. It makes the same predictions as `untangled`, but for all frames
    at once, as long as nothing was exchanged."""
    count, markers = positions.shape[:2]
    known = ~np.isnan(positions[..., 0])
    frames = np.where(known, np.arange(count)[:, None], -1)
    before = np.vstack([np.full((1, markers), -1), np.maximum.accumulate(frames, axis=0)[:-1]])  # seen last before t
    ago = np.where(before >= 0, times[:, None] - times[np.maximum(before, 0)], np.inf)
    last = positions[np.maximum(before, 0), np.arange(markers)]
    recent = known & (ago <= MEMORY)
    gone = np.where(recent, np.maximum(ago, 1e-9), 1.0)
    with np.errstate(invalid="ignore"):
        measured = np.where(recent[..., None], (positions - last) / gone[..., None], 0.0)
    share = np.where(recent, 0.5, np.where(known, 0.0, 1.0))[..., None] * np.ones(3)
    speed, now = np.zeros((count, markers, 3)), np.zeros((markers, 3))
    for t in range(count - 1):
        np.multiply(np.add(now, measured[t], out=now), share[t], out=now)
        speed[t + 1] = now
    guess = last + speed * np.minimum(ago, MEMORY)[..., None]
    near2 = (NEAR * size) ** 2
    with np.errstate(invalid="ignore"):
        lost = (((positions - guess) ** 2).sum(axis=2) > (OFF * size) ** 2) & (ago <= MEMORY)
    for k in np.flatnonzero(lost.sum(axis=1) > 1):
        these = np.flatnonzero(lost[k])
        cross = ((positions[k, these][:, None] - guess[k, these]) ** 2).sum(axis=2)
        if np.triu((cross < near2) & (near2 > cross.T), 1).any():
            return True
    return False


def _note(
    names: tuple[str, ...], begun: dict[tuple[int, int], int], swaps: list[Swap], pair: tuple[int, int], frame: int
) -> None:
    """Begins a swap, or ends the one that is open."""
    if pair in begun:
        swaps.append(Swap((names[pair[0]], names[pair[1]]), begun.pop(pair), frame - 1))
    else:
        begun[pair] = frame
