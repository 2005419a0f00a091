"""Frames whose goals cannot be met: the change of a clip stays continuous there.

The pose that comes closest to a goal out of reach is not a continuous function of the goal. A stretched arm may turn
about its length, and a limb may have two poses that come equally close. So neighbouring frames are not solved
separately:

    in full     frames in which the goals count in full. Each missed frame is solved from the change of the frame
                before it, beginning at a frame that meets its goals, or at the frame that comes closest. A joint
                changes at most at SPEED. Between two frames that meet their goals, the changes from both sides are
                blended.
    ramps       frames in which goals are eased in or out. If a frame of a ramp is missed, the change itself is eased
                between zero and the change of the first frame in full.

Then the changes are smoothed over time. Frames that meet their goals keep their poses.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Matrix, Poses, Steps, Vector
from manikin.motion import ease as easing
from manikin.motion.changes import Changes
from manikin.motion.smoothing import least_frequency, smooth_values
from manikin.solvers.native.solver import Solver

Mask = NDArray[np.bool_]
SPEED = 10.0
"""Largest speed at which a change follows a goal that cannot be met, in rad/s."""
FREQUENCY = 4.0
"""Frequency at which changes are smoothed, in Hz."""
PINNED = 6
"""Number of frames without a change before and after the clip that the smoothing takes into account."""
FASTER = 2.0
"""A ramp counts as a jump if it is faster than the eased change by more than this factor."""
ITERATIONS = 30
"""Largest number of iterations from one frame to the next."""
PERIODS = 0.5
"""Changes are smoothed less near frames that keep their poses, up to this distance, in periods of `FREQUENCY`."""
OUTSIDE = 1e-9
"""A pose whose numbers are at most this far outside their limits counts as inside."""


@dataclass(frozen=True, eq=False)
class Unreached:
    """A clip some of whose frames miss their goals."""

    solver: Solver
    """The goals, and the joints that may move."""
    base: Poses
    """(n, nq) the poses of the clip."""
    poses: Poses
    """(n, nq) each frame solved separately."""
    rows: Matrix
    """(n, k) targets."""
    active: Mask
    """(n, goals)."""
    parts: Matrix
    """(n, goals) the ramps u of the goals; 1 where they count in full."""
    errors: Matrix
    """(n, goals) of `poses`, NaN where not active."""
    times: Vector
    """(n,) seconds."""

    def calmed(self) -> Poses:
        """(n, nq) poses without jumps in the frames that miss their goals."""
        figure, changes = self.solver.figure, Changes(self.solver.figure)
        ratio = np.nan_to_num(self.errors / np.array([g.allowed for g in self.solver.goals[: self.active.shape[1]]]))
        met = ~(ratio > 1.0).any(axis=1)
        ramp = np.where(self.active.any(axis=1), np.where(self.active, self.parts, 1.0).min(axis=1), 0.0)
        steps = changes.between(self.base, self.poses)
        fixed = met & ~_broken_ramps(met, ramp, steps / changes.unit, self.times)
        for a, b in easing.stretches(ramp >= 1.0):
            seeds = np.flatnonzero(fixed[a:b])
            seed = a + int(seeds[0] if len(seeds) else np.argmin(ratio[a:b].sum(axis=1)))
            self._follow(changes, steps, fixed, seed, b)
            self._follow(changes, steps, fixed, seed, a - 1)
        for a, b in easing.stretches((ramp < 1.0) & ~fixed):
            others = (self.active & (self.parts >= 1.0))[a:b].any()
            _ease(steps, ramp, a, b, bool(others))
        out = changes.added(self.base, _smoothed(steps, fixed, ramp, self.times))
        inside = np.abs(figure.clamp(self.base) - self.base).max(axis=1) < OUTSIDE
        clamped = inside | (ramp >= 1.0)
        out[clamped] = figure.clamp(out[clamped])
        out[fixed] = self.poses[fixed]
        self._keep(out, np.flatnonzero((ramp < 1.0) & ~fixed), ratio)
        return out

    def _keep(self, poses: Poses, frames: NDArray[np.intp], ratio: Matrix) -> None:
        """Changes eased poses so that they meet the goals that count in full and can be met, such as planted feet."""
        wanted = self.active[frames] & (self.parts[frames] >= 1.0) & (ratio[frames] <= 1.0)
        some = wanted.any(axis=1)
        at, wanted = frames[some], wanted[some]
        if len(at):
            near = poses[at]
            found = self.solver.solve_many(near, self.rows[at], active=wanted, prefer=near, settle=True, restarts=0)
            poses[at[found.reached]] = found.poses[found.reached]

    def _follow(self, changes: Changes, steps: Steps, fixed: Mask, seed: int, end: int) -> None:
        """Sets the changes `steps` of the missed frames after `seed` and before `end`, forward or backward in time."""
        way = 1 if end > seed else -1
        missed: list[int] = []
        for t in range(seed + way, end, way):
            if not fixed[t]:
                steps[t] = self._next(changes, steps[t - way], t, t - way)
                missed.append(t)
                continue
            steps[t] = changes.near(steps[t], steps[t - way])
            if missed:
                back, x = steps[t], easing.eased(np.arange(1.0, len(missed) + 1.0) / (len(missed) + 1.0))
                for k in range(len(missed) - 1, -1, -1):
                    back = self._next(changes, back, missed[k], missed[k] + way)
                    steps[missed[k]] += x[k] * (changes.near(back, steps[missed[k]]) - steps[missed[k]])
                missed = []

    def _next(self, changes: Changes, before: Vector, frame: int, neighbour: int) -> Vector:
        """(nv,) the change of a frame, from the change of its neighbour."""
        base, figure = self.base[frame][None], self.solver.figure
        start = figure.clamp(changes.added(base, before[None]))
        found = self.solver.solve_many(
            start,
            self.rows[frame][None],
            active=self.active[frame][None],
            prefer=base,
            settle=True,
            restarts=0,
            iterations=ITERATIONS,
        )
        moved = changes.near(changes.between(base, found.poses)[0], before) - before
        most = SPEED * abs(self.times[frame] - self.times[neighbour])
        return np.asarray(before + moved * min(1.0, most / max(float(np.abs(moved / changes.unit).max()), most)))


def _broken_ramps(met: Mask, ramp: Vector, steps: Steps, times: Vector) -> Mask:
    """(n,) the frames of ramps that have to be eased again. Such a ramp has a missed frame, leads to a missed frame, or
    has a joint that changes more than `FASTER` times as fast as if the change itself were eased."""
    out = np.zeros(len(met), dtype=bool)
    for a, b in easing.stretches((ramp > 0.0) & (ramp < 1.0)):
        near = slice(max(a - 1, 0), b + 1)
        speed = np.abs(np.diff(steps[near], axis=0)).max(axis=1, initial=0.0) / np.diff(times[near])
        demand = np.abs(steps[near]).max() * np.abs(np.diff(ramp[near]) / np.diff(times[near])).max(initial=0.0)
        out[a:b] = not met[near].all() or speed.max(initial=0.0) > FASTER * max(demand, SPEED)
    return out


def _ease(steps: Steps, ramp: Vector, a: int, b: int, others: bool) -> None:
    """Eases the changes of the frames a to b − 1 of a ramp.

    Between two stretches in which goals count in full, the change is eased to zero and back. If other goals count
    meanwhile, it is eased from the change before the ramp to the change after it."""
    up, down = b < len(ramp) and ramp[b] >= 1.0, a > 0 and ramp[a - 1] >= 1.0
    if up and down and others:
        x = easing.eased(np.arange(1.0, b - a + 1.0) / (b - a + 1.0))[:, None]
        steps[a:b] = steps[a - 1] + x * (steps[b] - steps[a - 1])
        return
    middle = a + int(np.argmin(ramp[a:b])) if up and down else (a if up else b)
    steps[a:middle] = ramp[a:middle, None] * (steps[a - 1] if down else 0.0)
    steps[middle:b] = ramp[middle:b, None] * (steps[b] if up else 0.0)


def _smoothed(steps: Steps, fixed: Mask, ramp: Vector, times: Vector) -> Steps:
    """Changes (n, nv) without their waves above `FREQUENCY`. Before and after a ramp, the change is zero. Near fixed
    frames the changes are smoothed less, so that they lead to the fixed change."""
    if len(times) < 2:
        return steps
    step = (times[-1] - times[0]) / (len(times) - 1)
    left, right = (PINNED if ramp[end] < 1.0 else 0 for end in (0, -1))
    before, after = times[0] - step * np.arange(left, 0, -1), times[-1] + step * np.arange(1, right + 1)
    padded, clock = np.pad(steps, ((left, right), (0, 0))), np.concatenate([before, times, after])
    calm = smooth_values(padded, clock, max(FREQUENCY, least_frequency(times)))
    held = np.flatnonzero(np.pad(fixed, (left, right), constant_values=True))
    gap = _nearest(clock[held], times) if len(held) else np.full(len(times), np.inf)
    share = easing.eased(gap * FREQUENCY / PERIODS)
    return np.asarray(steps + share[:, None] * (calm[left : left + len(steps)] - steps))


def _nearest(values: Vector, at: Vector) -> Vector:
    """(n,) the distance of each time `at` from the nearest of increasing `values`."""
    after = np.clip(np.searchsorted(values, at), 0, len(values) - 1)
    before = np.maximum(after - 1, 0)
    return np.asarray(np.minimum(np.abs(values[after] - at), np.abs(at - values[before])))
