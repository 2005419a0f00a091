"""The floor under a motion: given as a height or a function, or found from the points that touch it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from manikin import arrays
from manikin.arrays import Matrix, Points, Vector
from manikin.errors import BadShape
from manikin.motion.frames import middle

Floor = float | Callable[[Points], Vector] | None
"""A height, or a function from points (N, 3) to heights (N,), in the figure's unit; None finds the floor."""
WINDOW = 0.02
"""Speeds are measured over this many seconds before and after a frame, and at least over a frame."""
LOW = 5.0
"""The lowest height of a point is this percentile of its heights, because single frames may sink into the floor."""
ALIKE = 0.06
"""Points whose lowest heights are at most this far above the lowest one define the floor, in legs."""
OWN_FLOOR = 0.05
"""A point rests at its own lowest height if that is at most this far from the floor, in legs."""
SLOW = 0.25
"""Only points slower than this are used to find the tilt of the floor, in legs per second."""
NEAR = 0.15
"""Only points that are less than this above their lowest height are used to find the tilt, in legs."""
SETTLED = 1e-12
"""The search for the slope ends if it changes by less than this."""
SPREAD = 0.02
"""Heights that differ from the tilted floor by more than this have little weight, in legs."""
HELD = 0.1
"""In directions in which points spread by less than this, the tilt is pulled toward level, in legs. A straight walk
does not show the tilt across its path."""
STEEPEST = np.tan(np.deg2rad(3.0))
"""Largest slope of a recorded floor. A steeper surface is an object that the figure climbs."""
MUCH_BETTER = 0.6
"""A tilt is used if its deviation is less than this fraction of the deviation from a level floor."""
UPSIDE_DOWN = 0.1
"""A figure stands on its hands if a wrist is lower than the floor under its feet by more than this, in legs. The wrist
of a figure that stands on its feet is never below its soles."""
WRIST_HEIGHT = 0.06
"""Height of a wrist above the floor under its hand, in legs."""
MOVING_LOW = 0.03
"""Points lower than this show whether the floor moves, in legs."""
MOVING_SPEED = 0.25
"""A floor that moves more slowly than this counts as fixed, in legs per second."""
MOVING_TRAVEL = 0.3
"""The floor counts as moving only if the body travels less than this fraction of the distance that the floor moves."""

MOVING_EVENLY = 0.33
"""This fraction of the low points shows whether feet move exactly with the floor: those nearest to the median."""
EVEN_SPEED = 0.001
"""Velocities are the same if they differ by less than this, in legs per second."""


def ground(floor: Floor, points: Points) -> Vector:
    """(P, frames) the height of a given floor under each point; zero if none is given."""
    if floor is None:
        return np.zeros(points.shape[:-1])
    if not callable(floor):
        return np.full(points.shape[:-1], arrays.scalar(floor, "floor"))
    heights = arrays.real(floor(points.reshape(-1, 3)), "what floor returns")
    if heights.shape != (points[..., 0].size,):
        raise BadShape(
            f"floor returned shape {heights.shape} for {points[..., 0].size} points; it must return one height for each"
        )
    return arrays.numbers(heights, "height of the floor", (None,)).reshape(points.shape[:-1])


def levels(above: Matrix, leg: float, find: bool) -> tuple[float, Vector]:
    """The height of the floor, and the height (P,) at which each point rests on it."""
    lowest = np.percentile(above, LOW, axis=1)
    floor = float(np.median(lowest[lowest <= lowest.min() + ALIKE * leg])) if find else 0.0
    return floor, np.where(np.abs(lowest - floor) <= OWN_FLOOR * leg, lowest, floor)


def floor_under_hands(above: Matrix, feet: int, floor: float, leg: float) -> float | None:
    """The height of the floor if the figure stands on its hands all the time; None if it does not.

    The soles are then far above the hands in all frames, so they do not show the floor.

    Args:
        above: (P, frames) heights of sole points, then of wrists.
        feet: the number of sole points.
        floor: the floor that the soles show.
        leg: the unit of lengths.
    """
    if len(above) == feet:
        return None
    lowest = float(np.percentile(above[feet:], LOW, axis=1).min())
    return lowest - WRIST_HEIGHT * leg if lowest < floor - UPSIDE_DOWN * leg else None


def found_slope(times: Vector, points: Points, up: Vector, leg: float) -> Vector:
    """(3,) slope of the floor along the axes of the world; zero if it is level.

    Heights h of slow, low points are fitted by h = zₚ + s · x, with a height zₚ for each point p. The fit is by least
    squares with small weights for outliers (weights 1 / (1 + (r / 0.02 leg)²)).
    """
    heights = points @ up
    slow = np.linalg.norm(velocities(times, points), axis=-1) < SLOW * leg
    use = slow & (heights < np.percentile(heights, LOW, axis=1)[:, None] + NEAR * leg)
    which = np.nonzero(use)[0]
    across = [axis for axis in np.eye(3) if not axis @ up]
    x = np.stack([points[use] @ axis for axis in across], axis=1)
    h = heights[use]
    if len(h) < 10:
        return np.zeros(3)
    kinds = (which[:, None] == np.unique(which)).astype(np.float64)  # (N, points seen)
    slope, weights = np.zeros(2), np.ones(len(h))
    level = np.inf
    for _ in range(20):
        shares = kinds * weights[:, None] / np.maximum(kinds.T @ weights, 1e-300)
        xc, hc = x - kinds @ (shares.T @ x), h - kinds @ (shares.T @ h)
        level = min(level, float(middle(np.abs(hc))))
        A = xc.T @ (weights[:, None] * xc) + np.eye(2) * weights.sum() * (HELD * leg) ** 2
        before, slope = slope, np.linalg.solve(A, xc.T @ (weights * hc))
        weights = 1.0 / (1.0 + ((hc - xc @ slope) / (SPREAD * leg)) ** 2)
        if np.abs(slope - before).max() < SETTLED:
            break
    better = middle(np.abs(hc - xc @ slope)) < MUCH_BETTER * level
    if not better or np.linalg.norm(slope) > STEEPEST:
        return np.zeros(3)
    return np.asarray(slope @ np.array(across))


def moving_floor(times: Vector, points: Points, height: Matrix, up: Vector, leg: float) -> Vector:
    """(3,) the velocity of the floor under a figure that walks on the spot; zero if the floor does not move."""
    velocity = velocities(times, points)
    low = velocity[height < MOVING_LOW * leg]
    if len(times) < 3 or len(low) < 3:
        return np.zeros(3)
    median = np.median(low, axis=0)
    median = median - up * (median @ up)
    speed = float(np.linalg.norm(median))
    spread = float(np.median(np.linalg.norm(low - median, axis=1)))
    median = _even(low, median, up, leg)
    root = points.mean(axis=0)
    travel = root[-1] - root[0]
    travel = float(np.linalg.norm(travel - up * (travel @ up)))
    moves = (
        speed > MOVING_SPEED * leg and spread < speed / 2 and travel < MOVING_TRAVEL * speed * (times[-1] - times[0])
    )
    return median if moves else np.zeros(3)


def _even(low: Points, median: Vector, up: Vector, leg: float) -> Vector:
    """(3,) the velocity that many of the velocities (N, 3) have exactly, or their median if there is none.

    Feet that are planted on a moving floor move evenly. Other low points, which come to the floor or leave it, change
    the median a little.
    """
    far = np.linalg.norm(low - median, axis=1)
    near = low[np.argsort(far, kind="stable")[: max(1, round(MOVING_EVENLY * len(low)))]]
    found = np.median(near, axis=0)
    even = np.median(np.linalg.norm(near - found, axis=1)) < EVEN_SPEED * leg
    return np.asarray(found - up * (found @ up)) if even else median


def velocities(times: Vector, points: Points) -> Points:
    """(..., frames, 3) velocities, measured over `WINDOW` seconds on both sides, at least one frame."""
    frames = len(times)
    if frames < 2:
        return np.zeros_like(points)
    step = max(1, round(WINDOW * (frames - 1) / (times[-1] - times[0])))
    after, before = np.minimum(np.arange(frames) + step, frames - 1), np.maximum(np.arange(frames) - step, 0)
    return np.asarray((points[..., after, :] - points[..., before, :]) / (times[after] - times[before])[:, None])
