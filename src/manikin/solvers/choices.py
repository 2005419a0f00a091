"""AnyOf goals in a compiled solver: one compiled problem for each combination of their members, and which one counts.

The combination whose members are nearest at the start is solved first, then the next, until one reaches all goals; else
the one that misses least is taken (`shortfall`). Tracks are in `tracking`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Matrix, Vector
from manikin.solvers.native import Answers, Compiled
from manikin.solvers.shortfall import misses_less, shortfalls

Solve = Callable[[Compiled, Matrix, Matrix, Matrix, "NDArray[np.int64] | None"], Answers]
"""From starts (B, nq), targets (B, k), weights (B, goals) and how many iterations each used before, to answers."""


@dataclass(frozen=True, eq=False)
class Choice:
    """A member for each AnyOf goal."""

    compiled: Compiled
    columns: NDArray[np.int64]
    """The numbers of a row of targets that it reads."""
    members: tuple[int, ...]
    """(goals,) which member; 0 for goals that are no AnyOf."""
    shares: Vector
    """(goals,) what the weight of each goal is multiplied with: the weight of the member."""

    def reads(self, rows: Matrix) -> Matrix:
        """What it reads of rows of targets (B, k)."""
        return rows if len(self.columns) == rows.shape[1] else rows[:, self.columns]

    def counting(self, weights: Matrix) -> Matrix:
        """The weights (..., goals) of the members."""
        return weights if np.all(self.shares == 1.0) else weights * self.shares

    def headed(self, starts: Matrix, rows: Matrix, weights: Matrix) -> Matrix:
        """Rest poses (B, nq), turned and moved to rows of targets (B, k) where these fix a heading.

        `weights` is (goals,) or (B, goals).
        """
        heading = self.compiled.heading
        if heading is None or not len(rows):
            return starts
        return heading.starts(*(np.ascontiguousarray(a) for a in (self.reads(rows), self.counting(weights))))


def solve_choices(
    choices: Sequence[Choice],
    any_of: Sequence[int],
    starts: Matrix,
    rows: Matrix,
    counting: Matrix,
    solve: Solve,
    headed: bool = False,
) -> tuple[Answers, NDArray[np.int64]]:
    """The answers (B), and (B,) which choice each is of.

    Args:
        choices: to choose from, at least one.
        any_of: which goals are AnyOf.
        starts, rows: (B, nq), (B, k) whole rows of targets.
        counting: (goals,) or (B, goals) weights, 0 where a goal does not count.
        solve: solves rows of one choice.
        headed: whether the starts are rest poses, to be turned and moved to the targets of each choice.
    """
    weights = np.broadcast_to(counting, (len(rows), counting.shape[-1]))
    if len(choices) == 1 or not len(rows):
        only = choices[0]
        begin = only.headed(starts, rows, counting) if headed else starts
        answers = solve(only.compiled, begin, only.reads(rows), only.counting(counting), None)
        return answers, np.zeros(len(rows), dtype=np.int64)
    begins = [choice.headed(starts, rows, weights) if headed else starts for choice in choices]
    order = np.argsort(_far(choices, any_of, begins, rows, weights), axis=1, kind="stable")
    best: Answers | None = None
    picked = order[:, 0].copy()
    for turn in range(len(choices)):
        for k, choice in enumerate(choices):
            at = np.flatnonzero((order[:, turn] == k) & (True if best is None or turn == 0 else best.status != 0))
            if not len(at):
                continue
            used = np.zeros(len(at), dtype=np.int64) if best is None else best.iterations[at].astype(np.int64)
            found = solve(
                choice.compiled, begins[k][at], rows[at][:, choice.columns], choice.counting(weights[at]), used
            )
            if best is None:
                best = found.room(len(rows))
            if turn == 0:
                best.put(at, found)
            else:
                _improve(best, picked, choices, k, at, found, weights[at])
            best.iterations[at] += found.iterations
    assert best is not None
    return best, picked


def _far(
    choices: Sequence[Choice], any_of: Sequence[int], begins: Sequence[Matrix], rows: Matrix, weights: Matrix
) -> NDArray[np.float64]:
    """(B, choices) how far the members are at the start: the sum of their errors in units of tolerance."""
    goals = list(any_of)
    far = []
    for choice, starts in zip(choices, begins, strict=True):
        at_start = measured(choice, starts, rows, weights)
        far.append((at_start.errors[:, goals] / choice.compiled.tolerances[goals]).sum(axis=1))
    return np.stack(far, axis=1)


def measured(choice: Choice, poses: Matrix, rows: Matrix, weights: Matrix) -> Answers:
    """The errors at poses as they are."""
    targets, counting = rows[:, choice.columns], choice.counting(weights)
    return choice.compiled.solve(poses, targets, counting, restarts=0, near=True, most=0)


def _improve(
    best: Answers,
    picked: NDArray[np.int64],
    choices: Sequence[Choice],
    k: int,
    at: NDArray[np.int64],
    found: Answers,
    weights: Matrix,
) -> None:
    """Rows `at` of the best replaced where choice k misses less."""
    compiled = choices[k].compiled
    before = np.stack([choices[p].compiled.tolerances for p in picked[at]])
    old = shortfalls(best.errors[at], before, weights, compiled.levels)
    new = shortfalls(found.errors, compiled.tolerances, weights, compiled.levels)
    better = (found.status == 0) | misses_less(old, new)
    best.put(at[better], found.taken(better))
    picked[at[better]] = k
