"""A problem compiled for the native core, and single solves of it without anything around: no priorities, no checks.

`Solver` is the door for users; this is what the report re-solves changed problems with.
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
from manikin.solvers.native.block import callbacks_of, problem_block

__all__ = ["STAGES", "Answers", "Compiled", "Watch"]

Watch = Callable[[Vector, float, float, float, int, bool], object]
"""Called with the pose before a step, its cost (length²), the damping λ (lengths per radian), the norm of the step
(radians and sizes), the number of the iteration, and whether the step was taken."""
STAGES = (1e2, 1e4)
"""Weight of a level of priority against the next, in two stages (cpp/solve/levels.cpp)."""


@dataclass(frozen=True, eq=False)
class Answers:
    """What `Compiled.solve` gives for B rows."""

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
    """Goals on a figure, compiled once. Nothing in it changes, so threads may share it."""

    def __init__(self, figure: Figure, goals: Sequence[Goal], movable: NDArray[np.bool_]) -> None:
        """
        Args:
            figure: what is posed.
            goals: settled on the figure (`goal.on`), none an AnyOf.
            movable: (nv,) steps that are allowed.
        """
        from manikin import _core

        self.figure, self.goals = figure, tuple(goals)
        self.levels = levels_of([g.priority for g in goals])
        """(goals,) levels of priority, 0 first, without gaps."""
        self.tolerances = np.array([g.allowed for g in goals])
        """(goals,) the largest error that counts as reached."""
        self.query = _core.Query(problem_block(figure, goals, movable))
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
            weights: (goals,) or (B, goals); 0 where a goal does not count.
            restarts: most restarts after the first start; None is the usual number.
            seed: of the random starts.
            max_iterations: most iterations of all starts together.
            budget: seconds; None is without end.
            near: the start is near: it is taken as it is, all goals at once.
            strict: keep the priorities of the goals; else all count at once, by their weights.
            watch: called once an iteration; False ends the call.
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
        """The errors at poses (B, nq) as they are."""
        return self.solve(poses, targets, weights, restarts=0, max_iterations=0, near=True)
