"""One pass over a clip: track, smooth the poses, meet the goals again. A clip is processed in windows of fixed length.

Window i contains the frames i·W to (i + 1)·W − 1. The track is causal and goes L frames further. Poses are smoothed
over the window and L frames on either side. Then each frame is solved separately. L is eight periods of the smoothing
frequency; at that distance the influence of a frame is below 1e-11. A window depends only on the frames and on the
state that the previous window left. So a pass that continues from a stored state gives the same bits.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Matrix, Poses, Vector
from manikin.figure import Figure
from manikin.goals import AnyOf, Goal, Orientation, Placement, Position
from manikin.motion.changes import Changes
from manikin.motion.ease import eased, stretches
from manikin.motion.smoothing import least_frequency, smooth_poses
from manikin.solvers.native.solver import Solver

Mask = NDArray[np.bool_]
POSES = 8.0
"""Frequency at which poses are smoothed, in Hz. Voluntary motion of joints is not faster."""
WINDOW = 2048
"""Number of frames W of a window, unless the overlap needs more."""
PERIODS = 8
"""Overlap of windows in periods of the smoothing frequency."""
ITERATIONS = 10
"""Largest number of iterations in which a smoothed frame meets its goals again. It starts within millimetres of
them."""
SEEDS = 8
"""Number of frames of the first window that are solved from the rest pose if there is no start."""
TRIED = 3
"""The track is tried from at most this many of these poses."""
ENOUGH = 0.99
"""No further seed is tried if at least this fraction of the frames is reached."""
MISSED = 4.0
"""Frequency at which poses are smoothed in frames whose goals cannot be met, in Hz."""
FADE = 0.1
"""Time of the blend from poses that meet their goals to smoothed poses that cannot, in seconds."""
TRACK = (1.5e-3, 0.03)
"""Tolerances of a track, in sizes of the figure and radians. With wider tolerances, poses change less from frame to
frame and get stuck in local minima less often."""
NOISE = 1.5
"""Tolerances of a track of noisy targets, in standard deviations of the noise that smoothing leaves. A straight spine
or limb whose ends come nearer by 1 cm bends by 7 cm, so a track that follows the noise exactly bends it at random."""
MOST_NOISE = (1.5e-2, 0.15)
"""Noise never widens tolerances beyond this, in sizes of the figure and radians."""
STAY = 12.0
"""`stay` of a track of noisy targets: turning a joint by a radian costs as much as an error of this many tolerances.
NOISE and STAY were chosen on clips for which no result is reported (docs/notebook/2026-11-17-clips.md)."""


def loosened(figure: Figure, goals: Sequence[Goal], noise: Matrix | None = None) -> list[Goal]:
    """The goals with the tolerances of a track. Wider tolerances are unchanged.

    Args:
        figure: the figure of the goals.
        goals: the goals.
        noise: (goals, 2) the noise left in the targets: lengths and radians; None means none.
    """
    size = np.array([figure.size, 1.0])
    out: list[Goal] = []
    for k, goal in enumerate(goals):
        settled = goal.on(figure)
        own = settled.tolerance
        left = NOISE * noise[k] if noise is not None and isinstance(goal, (Position, Orientation, Placement)) else 0.0
        length, angle = np.maximum(TRACK * size, np.minimum(left, MOST_NOISE * size)).tolist()
        if isinstance(goal, AnyOf):
            out.append(goal)
        elif isinstance(own, tuple):
            out.append(replace(goal, tolerance=(max(own[0], length), max(own[1], angle))))
        else:
            out.append(replace(goal, tolerance=max(own, angle if settled.rows and all(settled.angular) else length)))
    return out


def stay_of(figure: Figure, noise: Matrix) -> float | None:
    """`stay` of a track of targets with noise (goals, 2), in lengths per radian; None (the default of `track`) if there
    is no noise."""
    return STAY * min(NOISE * float(np.median(noise[:, 0])), MOST_NOISE[0] * figure.size) or None


def sizes(times: Vector) -> tuple[int, int]:
    """(W, L) in frames."""
    rate = (len(times) - 1) / (times[-1] - times[0]) if len(times) > 1 else 1.0
    overlap = int(np.ceil(PERIODS * rate / POSES))
    return max(WINDOW, 4 * overlap), overlap


@dataclass(frozen=True, eq=False)
class Found:
    """Some frames of a clip."""

    poses: Poses
    """(n, nq)."""
    errors: Matrix
    """(n, goals), NaN where a goal is not active."""


@dataclass
class Pass:
    """A clip under one set of goals, window by window."""

    solver: Solver
    tracker: Solver
    """The same goals with the tolerances of a track (`loosened`)."""
    rows: Matrix
    """(T, k) targets."""
    active: Mask
    """(T, goals)."""
    times: Vector
    """(T,) seconds."""
    exact: bool
    """Whether frames meet their goals again after smoothing."""
    tracked: Poses
    """(n, nq) the tracked poses that later windows need."""
    first: int = 0
    """Frame of the first of them."""
    stay: float | None = None
    """`stay` of the track."""
    loose: Mask | None = None
    """(T,) frames that need not meet their goals exactly: ramps to goals that are out of reach. None means none."""
    switches: tuple[int, ...] = ()
    """Frames at which a goal is switched on or off without a ramp."""

    def state(self) -> dict[str, Any]:
        """The data that the next window needs."""
        return {"tracked": np.array(self.tracked), "first": self.first}

    def window(self, index: int, start: Vector | None) -> Found:
        """Solves the frames of a window. Windows must be solved in order.

        Args:
            index: index of the window.
            start: (nq,) the pose before the first frame, for the first window; None uses seeds.
        """
        size, overlap = sizes(self.times)
        count = len(self.times)
        a, b, end = index * size, min((index + 1) * size, count), min((index + 1) * size + overlap, count)
        self._track_to(end, start)
        low = max(a - overlap, 0)
        near = self.tracked[low - self.first : end - self.first]
        # Above 5000 frames per second, 8 Hz is too low to be computed.
        frequency = max(POSES, least_frequency(self.times[low:end]))
        calm = smooth_poses(self.solver.figure, near, self.times[low:end], frequency, clamp=False)
        found = self._met(calm, near, low, slice(a, b))
        keep = max(b - overlap, 0)
        self.tracked, self.first = np.array(self.tracked[keep - self.first :]), keep
        return found

    def _track_to(self, end: int, start: Vector | None) -> None:
        """Tracks up to a frame, from the last tracked frame."""
        done = self.first + len(self.tracked)
        if end <= done:
            return
        if done == 0:
            self.tracked = self._seeded(end) if start is None else self._track(start, slice(0, end))
            return
        frames = slice(done, end)
        more = self.tracker.track(
            self.tracked[-1],
            self.rows[frames],
            before=self.rows[done - 1],
            times=self.times[done - 1 : end],
            active=self.active[frames],
            escape=True,
            stay=self.stay,
        )
        self.tracked = np.concatenate([self.tracked, more.poses])

    def _track(self, start: Vector, frames: slice) -> Poses:
        found = self.tracker.track(
            start, self.rows[frames], times=self.times[frames], active=self.active[frames], escape=True, stay=self.stay
        )
        return found.poses

    def _seeded(self, end: int) -> Poses:
        """The first frames, tracked forward and backward from the best of a few frames solved from the rest pose."""
        figure = self.solver.figure
        seeds = np.unique(np.linspace(0, end - 1, min(SEEDS, end)).astype(int))
        found = self.solver.solve_many(None, self.rows[seeds], active=self.active[seeds])
        away = np.abs(figure.difference(np.tile(figure.rest, (len(seeds), 1)), found.poses)).sum(axis=1)
        best: tuple[tuple[float, float], Poses] | None = None
        for k in np.lexsort((away, ~found.reached))[:TRIED]:
            s = int(seeds[k])
            poses, reached, errors = self._both_ways(found.poses[k], s, end)
            rank = (-reached, errors)
            if best is None or rank < best[0]:
                best = (rank, poses)
            if reached >= ENOUGH:
                break
        assert best is not None
        return best[1]

    def _both_ways(self, pose: Vector, seed: int, end: int) -> tuple[Poses, float, float]:
        """Tracked poses of frames 0 to end − 1 from a pose of the frame `seed`; fraction of frames reached; sum of
        errors."""
        ahead = slice(seed, end)
        on = self.tracker.track(
            pose, self.rows[ahead], times=self.times[ahead], active=self.active[ahead], escape=True, stay=self.stay
        )
        parts, reached, errors = [on.poses], int(on.reached.sum()), float(on.errors.sum())
        if seed > 0:
            back = slice(seed - 1, None, -1)
            off = self.tracker.track(
                on.poses[0],
                np.ascontiguousarray(self.rows[back]),
                before=self.rows[seed],
                times=-self.times[seed::-1],
                active=np.ascontiguousarray(self.active[back]),
                escape=True,
                stay=self.stay,
            )
            parts.insert(0, off.poses[::-1])
            reached, errors = reached + int(off.reached.sum()), errors + float(off.errors.sum())
        return np.concatenate(parts), reached / end, errors

    def _met(self, calm: Poses, tracked: Poses, low: int, frames: slice) -> Found:
        """Smoothed poses within their limits, and their errors. If targets are exact, the poses meet their goals: a
        frame that misses them is solved again from its tracked pose. If it still misses them, it gets a smoothed pose,
        because separate solutions of neighbouring frames may be far apart (`_joined`).

        Args:
            calm: smoothed poses of the window and of its overlap.
            tracked: the tracked poses of these frames.
            low: frame of the first of them.
            frames: the frames of the window.
        """
        poses, errors, met = self._projected(calm, tracked, low, frames)
        if self.exact and not met.all():
            # A run of missed frames may begin in the window before, or go on in the next one.
            fade = int(np.searchsorted(self.times, self.times[0] + FADE))
            left = 0 if met[0] else min(fade, frames.start - low)
            right = 0 if met[-1] else min(fade, low + len(calm) - frames.stop)
            wide, missed = slice(frames.start - left, frames.stop + right), np.flatnonzero(~met)
            if left or right:
                poses, _, met = self._projected(calm, tracked, low, wide)
            slow = self._slow(tracked, low)[wide.start - low : wide.stop - low]
            joined = _joined(self.solver.figure, slow, poses, met, self.times[wide])
            poses = joined[left : left + len(errors)]
            rows, active = self.rows[frames][missed], self.active[frames][missed]
            found = self.solver.solve_many(poses[missed], rows, active=active, restarts=0, iterations=0)
            poses[missed], errors[missed] = found.poses, found.errors
        active = self.active[frames]
        return Found(poses, np.where(active, errors[:, : active.shape[1]], np.nan))

    def _slow(self, tracked: Poses, low: int) -> Poses:
        """Tracked poses from the frame `low` on, smoothed at the frequency `MISSED`, but not across switches."""
        cuts = [low, *(int(t) for t in self.switches if low < t < low + len(tracked)), low + len(tracked)]
        parts = []
        for a, b in itertools.pairwise(cuts):
            frequency = max(MISSED, least_frequency(self.times[a:b]))
            parts.append(smooth_poses(self.solver.figure, tracked[a - low : b - low], self.times[a:b], frequency))
        return np.concatenate(parts)

    def _projected(self, calm: Poses, tracked: Poses, low: int, frames: slice) -> tuple[Poses, Matrix, Mask]:
        """Poses of some frames that meet their goals if targets are exact, their errors, and whether they do."""
        rows, active, near = self.rows[frames], self.active[frames], slice(frames.start - low, frames.stop - low)
        most = ITERATIONS if self.exact else 0
        found = self.solver.solve_many(calm[near], rows, active=active, restarts=0, iterations=most)
        poses, errors, met = np.array(found.poses), np.array(found.errors), np.array(found.reached)
        missed = np.flatnonzero(~met) if self.exact else np.zeros(0, dtype=np.intp)
        if len(missed):
            again = self.solver.solve_many(tracked[near][missed], rows[missed], active=active[missed], restarts=0)
            better = missed[again.reached]
            poses[better], errors[better] = again.poses[again.reached], again.errors[again.reached]
            met[better] = True
        if self.loose is not None:
            met &= ~self.loose[frames]
        return poses, errors, met


def _joined(figure: Figure, calm: Poses, poses: Poses, met: Mask, times: Vector) -> Poses:
    """Poses (n, nq): `poses` in frames that are met, and `calm` in others. At the ends of each run of missed
    frames, the difference between the two fades out within `FADE` seconds."""
    changes, out = Changes(figure), np.array(poses)
    differ = changes.between(calm, poses)
    for a, b in stretches(~met):
        fading = np.zeros((b - a, figure.nv))
        for end, inside in ((a - 1, a > 0), (b, b < len(met))):
            if inside:
                fading += (1.0 - eased(np.abs(times[a:b] - times[end]) / FADE))[:, None] * differ[end]
        out[a:b] = changes.added(calm[a:b], fading)
    return out
