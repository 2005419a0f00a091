"""All methods on one problem: each follows the same path, and its cost and result are recorded.

There are two problems: Example 5.7 (Figure 5), a planar tree with two effectors, and the built-in person with five.
Each path point is solved from the previous pose, to the same tolerance, with a limit on iterations.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from manikin.arrays import Matrix, Poses, Vector
from manikin.chapter.examples import EXAMPLES, Example
from manikin.chapter.measure import deviations
from manikin.chapter.run import paths
from manikin.errors import Unsupported
from manikin.figure import Figure
from manikin.figure.human.human import human
from manikin.goals import Goal, Position
from manikin.motion import path
from manikin.motion.follow import follow
from manikin.solvers import METHODS

BETWEEN = 8
"""Number of poses between two path points at which the deviation is also measured."""
MAX_ITERATIONS = 200
"""Largest number of iterations for one path point."""
FEWER = {"ccd": 8, "fabrik": 20, "lbfgsb": 150}
"""Largest number of iterations for one path point on the person, for methods with slow iterations. Otherwise the
command would take minutes."""
_TWO = 1e-6
"""Tolerance on the planar tree, as a fraction of its size."""


@dataclass(frozen=True, eq=False)
class Contest:
    """A problem for all methods."""

    name: str
    title: str
    figure: Figure
    goals: Sequence[Goal]
    start: Vector
    """(nq,)"""
    wanted: Matrix
    """(T, effectors, d) path points, including start and target; d is 2 or 3."""
    fewer: dict[str, int]
    """Largest number of iterations for one path point, if it is not `MAX_ITERATIONS`."""

    def places(self, poses: Poses) -> Matrix:
        """(T, effectors, d) positions of the effectors."""
        at = self.figure.placements(poses, [e.segment for g in self.goals for e in g.effectors])
        found: Matrix = at[..., : self.wanted.shape[-1], 3]
        return found


def contests() -> list[Contest]:
    """The two problems of the table."""
    return [_two_effectors(), _person()]


def compare(contest: Contest, progress: Callable[[str], object] = lambda _: None) -> list[dict[str, Any]]:
    """Returns one row for each method, for results.json. Calls `progress` with the name of a method before the method
    runs.

    deviation_of_size is the largest distance of an effector from its straight path. It is also measured between path
    points, where the angles are interpolated linearly.
    """
    rows = []
    for method in METHODS:
        progress(method)
        try:
            rows.append(_row(contest, method))
        except Unsupported as reason:
            rows.append({"method": method, "applies": False, "note": str(reason)})
    return rows


def _row(contest: Contest, method: str) -> dict[str, Any]:
    figure, size = contest.figure, contest.figure.size
    targets = contest.wanted[1:].reshape(len(contest.wanted) - 1, -1)
    allowed = contest.fewer.get(method, MAX_ITERATIONS)
    began = time.perf_counter()
    found = follow(figure, contest.goals, targets, contest.start, method, iterations=allowed).solutions
    seconds = time.perf_counter() - began
    poses = np.array([contest.start, *(s.pose for s in found)])
    off = deviations(contest.places(_filled(figure, poses)), contest.wanted[0], contest.wanted[-1])
    return {
        "method": method,
        "applies": True,
        "iterations": sum(s.iterations for s in found),
        "most_iterations_a_point": allowed,
        "seconds": seconds,
        "final_error_of_size": float(found[-1].errors.max() / size),
        "deviation_of_size": float(off.max() / size),
        "points_reached": sum(s.reached for s in found),
        "points": len(found),
        "outside_limits": max(float(s.violation) for s in found),
    }


def _filled(figure: Figure, poses: Poses) -> Poses:
    """The poses with `BETWEEN` more between every two."""
    steps = figure.difference(poses[:-1], poses[1:])
    parts = np.arange(BETWEEN + 1) / (BETWEEN + 1)
    rows = [figure.integrate(poses[:-1], part * steps) for part in parts]
    return np.concatenate([*rows, poses[-1:]])


def _two_effectors() -> Contest:
    example: Example = next(e for e in EXAMPLES if e.name == "figure-5")
    goals = [
        Position(e.segment, x, axes="xy", tolerance=_TWO * example.figure.size)
        for e, x in zip(example.effectors, example.targets, strict=True)
    ]
    title = "Example 5.7, two effectors, 9 degrees of freedom"
    return Contest("two-effectors", title, example.figure, goals, example.start, paths(example), {"ccd": 50})


SHIFTS = {
    "LeftHand": (-0.05, 0.75, 0.45),
    "RightHand": (-0.15, 0.25, -0.30),
    "LeftFoot": (0.05, 0.25, 0.35),
    "RightFoot": (-0.02, 0.00, -0.15),
    "Head": (0.05, -0.18, 0.12),
}
"""Displacements of the person's five effectors from the rest pose, metres."""


def _person() -> Contest:
    figure = human()
    begin = figure.placements(figure.rest, list(SHIFTS))[:, :3, 3]
    end = begin + np.array(list(SHIFTS.values()))
    goals = [Position(segment, x) for segment, x in zip(SHIFTS, end, strict=True)]
    wanted = np.stack([path(b, x, 9) for b, x in zip(begin, end, strict=True)], axis=1)
    title = f"The person, five effectors, {figure.nv} degrees of freedom"
    return Contest("person", title, figure, goals, figure.rest, wanted, FEWER)
