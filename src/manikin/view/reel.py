"""The data of an animation: sticks, trails and targets over time, in upright space (forward, left, up)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manikin import arrays
from manikin.arrays import Matrix, Points, Vector
from manikin.errors import BadValue
from manikin.motion import Motion, MotionResult, MotionSolution
from manikin.motion.goal_errors import effector_placements
from manikin.motion.result import motion_of
from manikin.view import camera
from manikin.view.followed import Followed, with_goals
from manikin.view.goals import goal_effectors
from manikin.view.sticks import Sticks, sticks

FASTEST = 60.0
"""Largest default frame rate, in frames per second."""


@dataclass(frozen=True, eq=False)
class Reel:
    """The frames of an animation."""

    name: str
    rate: float
    """Frames per second."""
    times: Vector
    """(T,) times in the motion, in seconds."""
    sticks: Sticks
    ends: Points
    """(T, K, 2, 3) both ends of each stick."""
    trails: Points
    """(n, T, 3) paths of points."""
    targets: Points
    """(T, m, 3), NaN where a goal does not count."""
    met: NDArray[np.bool_]
    """(T, m) whether each goal is met."""
    labels: tuple[str, ...]
    """(m,) names of the goals."""
    floor: float
    size: float
    """Size of the figure, length."""


def reel(
    shown: Motion | MotionResult,
    rate: float | None,
    trails: Sequence[str] | bool,
    frames: int | None = None,
    fastest: float = FASTEST,
) -> Reel:
    """A motion at the frame rate of an animation, with its goals or markers if it follows some."""
    solved, motion = with_goals(shown), motion_of(shown)
    if not isinstance(motion, Motion):
        raise BadValue(f"cannot show {type(shown).__name__}; pass a Motion, or the result of solve_motion or the like")
    own = motion.rate or 1.0
    wanted = min(own, fastest) if rate is None else arrays.positive(rate, "rate")
    pick = _picked(motion.times, wanted)
    if frames is not None:
        pick = pick[:frames]
    figure, turn = motion.figure, camera.upright(motion.figure.up)
    parts = sticks(figure)
    ends = parts.moving(figure, motion.poses[pick])
    targets, met, labels = _targets(solved, pick)
    ways = _ways(motion, solved, trails, pick)
    lowest = float(np.percentile((ends[..., 2] - parts.radius[:, None]).min(axis=(1, 2)), 5))
    size = figure.size
    floor = 0.0 if -0.04 * size <= lowest <= 0.3 * size else lowest
    return Reel(
        motion.name, wanted, motion.times[pick], parts, ends, ways @ turn.T, targets @ turn.T, met, labels, floor, size
    )


def _picked(times: Vector, rate: float) -> NDArray[np.intp]:
    """The frames nearest to instants at a rate."""
    count = max(int(np.floor((times[-1] - times[0]) * rate + 1e-6)) + 1, 1)
    wanted = times[0] + np.arange(count) / rate
    after = np.clip(np.searchsorted(times, wanted), 1, max(len(times) - 1, 1))
    after = np.minimum(after, len(times) - 1)
    before = np.maximum(after - 1, 0)
    nearer = np.abs(times[before] - wanted) <= np.abs(times[after] - wanted)
    return np.asarray(np.where(nearer, before, after))


def _targets(solved: Followed | None, pick: Any) -> tuple[Points, NDArray[np.bool_], tuple[str, ...]]:
    """Where the goals with a point in space want their effectors."""
    places: list[Matrix] = []
    met, labels = [], []
    at = 0
    if solved is None:
        return np.zeros((len(pick), 0, 3)), np.zeros((len(pick), 0), dtype=bool), ()
    rows_of_all = solved.targets.reshape(len(solved.targets), -1)
    for k, goal in enumerate(solved.goals):
        slot, width = goal.point_slot, len(goal.target)
        if slot is not None:
            rows = np.array(rows_of_all[pick, at + slot : at + slot + 3])
            rows[np.isnan(solved.errors[pick, k])] = np.nan
            places.append(rows)
            met.append(solved.met[pick, k])
            labels.append(goal.label)
        at += width
    if not places:
        return _targets(None, pick)
    return np.stack(places, axis=1), np.stack(met, axis=1), tuple(labels)


def _ways(motion: Motion, solved: Followed | None, trails: Sequence[str] | bool, pick: Any) -> Points:
    """(n, T, 3) paths of effectors: of named segments, or with True of the goals."""
    if isinstance(trails, np.bool_):
        trails = bool(trails)
    if trails is False or trails is None:
        return np.zeros((0, len(pick), 3))
    figure = motion.figure
    if trails is True:
        named = goal_effectors(figure, solved.goals) if isinstance(solved, MotionSolution) else []
    elif isinstance(trails, Iterable):
        named = [(name, np.zeros(3)) for name in ([trails] if isinstance(trails, str) else trails)]
    else:
        raise BadValue(f"trails is {trails!r}; it needs names of segments, True or False")
    from manikin.goals import Effector

    effectors = [Effector(name, tuple(offset)) for name, offset in named]
    placed = effector_placements(figure, effectors, motion.poses[pick])
    return np.moveaxis(placed[..., :3, 3], 1, 0)
