"""A problem compiled for the native core, with solves that do not check their arguments.

The report uses this class to solve changed problems. Users call `Solver`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Matrix, Vector
from manikin.figure.figure import Figure
from manikin.goals import Goal
from manikin.problem import levels_of
from manikin.solvers.native.block import callbacks_of, opened, problem_block

__all__ = ["STAGES", "Answers", "Compiled", "Watch"]

Watch = Callable[[Vector, float, float, float, int, bool], object]
"""Called with the pose before a step, its cost (length²), the damping λ (lengths per radian), the norm of the step
(radians and sizes), the number of the iteration, and whether the step was taken."""
STAGES = (1e2, 1e4)
"""Weight of a priority level relative to the next one, in two stages (cpp/solve/query/levels.cpp)."""


@dataclass(frozen=True, eq=False)
class Answers:
    """The result of `Compiled.solve` for B rows."""

    pose: Matrix
    """(B, nq)"""
    errors: Matrix
    """(B, goals) in lengths or radians; 0 for goals that do not count."""
    status: NDArray[np.int32]
    """(B,) 0 reached, 1 stalled, 2 out of iterations, 3 out of time."""
    iterations: NDArray[np.int32]
    """(B,)"""
    starts: NDArray[np.int32]
    """(B,)"""


class Compiled:
    """Goals on a figure, compiled once. It is immutable, so threads may share it."""

    def __init__(self, figure: Figure, goals: Sequence[Goal], movable: NDArray[np.bool_]) -> None:
        """
        Args:
            figure: the figure to pose.
            goals: settled on the figure (`goal.on`), none an AnyOf.
            movable: (nv,) the steps that may change.
        """
        self.figure, self.goals = figure, tuple(goals)
        self.levels = levels_of([g.rank for g in goals])
        """(goals,) priority levels without gaps; 0 is the highest priority."""
        self.tolerances = np.array([g.allowed for g in goals])
        """(goals,) the largest error that counts as reached."""
        self.query = opened(problem_block(figure, goals, movable))
        self.callbacks = callbacks_of(figure, goals)
        """The goals that are evaluated in Python."""

    @property
    def targets(self) -> Vector:
        """(k,) the goals' own targets as one row."""
        return np.concatenate([g.target for g in self.goals])

    def solve(
        self,
        starts: Matrix,
        targets: Matrix,
        weights: Matrix,
        *,
        restarts: int | None,
        seed: int = 0,
        max_iterations: int = 1_000_000,
        budget: float | None = None,
        near: bool = False,
        strict: bool = False,
        watch: Watch | None = None,
    ) -> Answers:
        """
        Args:
            starts: (B, nq) within limits.
            targets: (B, k).
            weights: (goals,) or (B, goals); 0 for goals that do not count.
            restarts: largest number of restarts after the first start; None means the default.
            seed: seed of the random starts.
            max_iterations: largest number of iterations, over all starts.
            budget: time limit in seconds; None means no limit.
            near: whether the start is near the solution. It is then used unchanged, with all goals at once.
            strict: whether to respect the priorities of the goals. Otherwise all goals count at once, by their weights.
            watch: called once in each iteration. If it returns False, the call ends.
        """
        pose = np.array(starts, dtype=np.float64, order="C")
        rows = np.broadcast_to(weights, (len(pose), len(self.goals)))
        errors, counts = np.zeros((len(pose), len(self.goals))), np.zeros((len(pose), 3), dtype=np.int32)
        self.query.run(
            pose,
            np.ascontiguousarray(targets),
            np.ascontiguousarray(rows),
            errors,
            counts,
            restarts=-1 if restarts is None else restarts,
            seed=seed,
            iterations=max_iterations,
            budget=np.inf if budget is None else budget,
            near=near,
            strict=strict,
            watch=watch,
            callbacks=self.callbacks,
        )
        return Answers(pose, errors, counts[:, 0], counts[:, 1], counts[:, 2])

    def errors_at(self, poses: Matrix, targets: Matrix, weights: Matrix) -> Answers:
        """The errors at poses (B, nq), without solving."""
        return self.solve(poses, targets, weights, restarts=0, max_iterations=0, near=True)
