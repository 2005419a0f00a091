"""Tracks of a compiled solver: frame after frame, with strict priorities and with AnyOf goals.

The member of an AnyOf is chosen in the first frame in which that goal is active, as for one pose (`choices`), and kept:
going over to another is a jump, and a track does not jump unless told to. With `restarts` a frame that is missed is
tried with the other members too, and where one reaches it, it is kept from there on.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Matrix, Vector
from manikin.solvers.choices import Choice, measured, solve_choices
from manikin.solvers.levels import level_weights
from manikin.solvers.native import Answers, Compiled


@dataclass(frozen=True, eq=False)
class Track:
    """One track: where it begins, its targets and what it is allowed."""

    choices: Sequence[Choice]
    any_of: Sequence[int]
    """Which goals are AnyOf."""
    start: Vector
    """(nq,) within limits."""
    rows: Matrix
    """(T, k) whole rows of targets."""
    weights: Matrix
    """(T, goals) 0 where a goal does not count; (goals,) for all frames where no goal is an AnyOf."""
    restarts: int
    most: int
    """Most iterations of a frame."""
    seed: int
    until: float
    """When it must end, by `time.perf_counter`; inf is never."""
    dt: Vector
    """(T,) seconds since the frame before."""
    speeds: Vector
    """(nq,) how fast each number may change."""
    continues: bool = False
    """Whether the start is the pose of the first frame."""
    headed: bool = False
    """Whether the start is the rest pose, to be turned and moved to the targets of the first frame."""
    refine: bool = False
    escape: bool = False
    """As for `Solver.track`."""

    def answers(self) -> tuple[Answers, NDArray[np.int64]]:
        """All frames, and (T, goals) which members they are of."""
        if len(self.choices) == 1 or not len(self.rows):
            only = self.choices[0]
            weights = only.counting(self.weights)
            rows = only.reads(self.rows)
            found = self._frames(only.compiled, self._start(only), rows, weights, self.dt, self.most, self.continues)
            return found, np.broadcast_to(np.array(only.members), (len(self.rows), len(only.members)))
        chosen = self._chosen()
        found = self._follow(chosen, self._start(chosen), 0)
        members = np.tile(np.array(chosen.members), (len(self.rows), 1))
        self._meet_otherwise(found, members, chosen, 0)
        if self.restarts > 0:
            self._switch(found, members, chosen)
        return found, members

    def _chosen(self) -> Choice:
        """Each AnyOf settled in the first frame in which it counts."""
        counts = self.weights > 0.0
        begins = {goal: int(np.argmax(counts[:, goal])) for goal in self.any_of if counts[:, goal].any()}
        chosen = self.choices[0]
        for t in sorted(set(begins.values())):
            asked = [goal for goal in begins if begins[goal] == t]
            settled = [goal for goal in self.any_of if goal not in asked]
            left = [c for c in self.choices if all(c.members[g] == chosen.members[g] for g in settled)]
            before = self.start if t == 0 else self._follow(chosen, self._start(chosen), 0, t).pose[-1]
            chosen = self._best(left, asked, before, t)[1]
        return chosen

    def _start(self, choice: Choice) -> Vector:
        """(nq,) where the first frame begins with one choice."""
        if not self.headed:
            return self.start
        weights = self.weights[:1] if self.weights.ndim == 2 else self.weights
        start: Vector = choice.headed(self.start[None], self.rows[:1], weights)[0]
        return start

    def _best(self, choices: Sequence[Choice], asked: Sequence[int], before: Vector, t: int) -> tuple[Answers, Choice]:
        """One frame from the pose before it, with the best of several choices."""
        here = slice(t, t + 1)
        headed = self.headed and t == 0
        found, picked = solve_choices(
            choices, asked, before[None], self.rows[here], self.weights[here], self._frame, headed
        )
        return found, choices[int(picked[0])]

    def _frame(
        self, compiled: Compiled, starts: Matrix, targets: Matrix, weights: Matrix, used: NDArray[np.int64] | None
    ) -> Answers:
        most = self.most if used is None else max(self.most - int(used[0]), 0)
        return self._frames(compiled, starts[0], targets, weights, self.dt[:1], most)

    def _follow(self, choice: Choice, before: Vector, first: int, end: int | None = None) -> Answers:
        """Frames with one choice, from the pose before the first of them."""
        targets, weights = choice.reads(self.rows[first:end]), choice.counting(self.weights[first:end])
        continues = self.continues and first == 0
        return self._frames(choice.compiled, before, targets, weights, self.dt[first:end], self.most, continues)

    def _frames(
        self,
        compiled: Compiled,
        before: Vector,
        targets: Matrix,
        weights: Matrix,
        dt: Vector,
        most: int,
        continues: bool = False,
    ) -> Answers:
        return compiled.track(
            before,
            targets,
            level_weights(compiled, weights),
            dt=dt,
            speeds=self.speeds,
            continues=continues,
            refine=self.refine,
            escape=self.escape,
            restarts=self.restarts,
            most=most,
            budget=self._left,
            seed=self.seed,
        )

    def _meet_otherwise(self, found: Answers, members: NDArray[np.int64], chosen: Choice, first: int) -> None:
        """Frames, from `first` on, that are missed with the member chosen and met with another, as they are."""
        for choice in self.choices:
            at = first + np.flatnonzero(found.status[first:] != 0)
            if choice is chosen or not len(at):
                continue
            same = measured(choice, found.pose[at], self.rows[at], self.weights[at])
            met = same.status == 0
            found.errors[at[met]], found.status[at[met]] = same.errors[met], 0
            members[at[met]] = choice.members

    def _switch(self, found: Answers, members: NDArray[np.int64], chosen: Choice) -> None:
        """Frames that are missed are tried with other members; from one that is reached on, those are kept."""
        for t in range(1, len(self.rows)):  # in the first frame all were tried
            if found.status[t] == 0 or self._left <= 0.0:
                continue
            others = [choice for choice in self.choices if choice is not chosen]
            best, other = self._best(others, self.any_of, found.pose[t - 1], t)
            if best.status[0] != 0:
                continue
            chosen = other
            rest = self._follow(chosen, found.pose[t - 1], t)
            found.put(np.arange(t, len(self.rows)), rest)
            found.iterations[t:] += rest.iterations
            members[t:] = chosen.members
            self._meet_otherwise(found, members, chosen, t)

    @property
    def _left(self) -> float:
        """Seconds."""
        return max(self.until - time.perf_counter(), 0.0)
