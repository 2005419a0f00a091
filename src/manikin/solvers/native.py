"""Problems compiled for the native solver, and its answers. What it knows of goals is in `native_goals`."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from manikin import rotations
from manikin.arrays import Matrix, Vector
from manikin.figure.figure import Figure
from manikin.figure.layout import Layout
from manikin.goals import Goal
from manikin.goals.heading import heading_of
from manikin.problem import levels_of
from manikin.reference.heading import Heading
from manikin.reference.tree import follow
from manikin.solvers.native_goals import compiled_arrays, is_native
from manikin.solvers.speeds import joint_of_numbers
from manikin.solvers.target_rows import TargetRows

__all__ = ["Answers", "Compiled", "is_native"]

if TYPE_CHECKING:
    from manikin._core import Quick

FEW_ROWS = 16
"""Up to so many rows the errors of all goals are found in one call, else goal by goal: each is faster there."""
ITERATIONS_A_START = 40
"""Most iterations of one start."""


@dataclass(frozen=True, eq=False)
class Answers:
    """What the native solver gives for B queries."""

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
    limited: NDArray[np.int32]
    """(B,) of a track: the number in a pose that is at its speed limit in a frame that is missed, else −1."""

    def taken(self, at: NDArray[np.bool_]) -> Answers:
        """Some of the rows."""
        return Answers(*(a[at] for a in vars(self).values()))

    def room(self, count: int) -> Answers:
        """As many to be filled."""
        return Answers(*(np.zeros((count, *a.shape[1:]), dtype=a.dtype) for a in vars(self).values()))

    def put(self, rows: NDArray[np.int64], other: Answers) -> None:
        """Poses, errors and endings of some rows replaced; iterations and starts are counted by the caller."""
        self.pose[rows], self.errors[rows], self.status[rows] = other.pose, other.errors, other.status


class Compiled:
    """Goals on a figure, compiled once. Thread-safe: nothing in it changes."""

    def __init__(self, figure: Figure, goals: Sequence[Goal], movable: NDArray[np.bool_]) -> None:
        """
        Args:
            figure: what is posed.
            goals: settled on the figure (`goal.on`), all known natively (`is_native`).
            movable: (nv,) steps that are allowed.
        """
        from manikin import _core

        self.figure, self.goals = figure, tuple(goals)
        widths = np.cumsum([0, *(len(g.target) for g in goals)])
        self.slices = [slice(int(a), int(b)) for a, b in itertools.pairwise(widths)]
        """Where each goal's target stands in a row of targets."""
        self.width = int(widths[-1])
        arrays = compiled_arrays(figure, goals, self.slices)
        self.levels = levels_of([g.priority for g in goals])
        """(goals,) levels of priority, 0 first, without gaps."""
        self.tolerances = np.array([g.allowed for g in goals])
        """(goals,) the largest error that counts as reached."""
        self._goal_of = np.array([*arrays.part_goal, *arrays.link_goal, *arrays.posture_goal], dtype=np.int64)
        allowed = np.array([*arrays.part_tolerance, *arrays.link_tolerance, *arrays.posture_tolerance])
        self._by_goal = np.argsort(self._goal_of, kind="stable")
        """What is measured, goal after goal, and where each goal begins in it."""
        self._of_goals = np.flatnonzero(np.diff(self._goal_of[self._by_goal], prepend=-1))
        self._share = np.array([goals[g].allowed for g in self._goal_of]) / allowed
        tree, layout = figure._layout.tree, figure._layout
        self._native = _core.Solver(
            tree.nq,
            tree.nv,
            size=figure.size,
            goals=len(goals),
            target_width=self.width,
            **tree.arrays(),
            lower=figure.lower,
            upper=figure.upper,
            moving=_moving(figure, movable),
            joint=joint_of_numbers(figure),
            cone_number=layout.cones.number,
            cone_reference=np.ascontiguousarray(rotations.inverse(layout.cones.inverse_reference)),
            cone_basis=layout.cones.basis,
            cone_swing=layout.cones.swing,
            cone_twist=layout.cones.twist,
            **arrays.arguments(),
        )
        self._movable = movable

    @cached_property
    def heading(self) -> Heading | None:
        """What turns and moves the rest pose to rows of targets; None where it stays as it is."""
        figure = self.figure
        rest = figure.clamp(figure.rest) if figure.violation(figure.rest) > 0.0 else figure.rest
        return heading_of(figure, self.goals, rest, self._movable)

    def quick(self, weights: Vector, targets: Vector, width: int, rows: TargetRows) -> Quick:
        """One query at a time, checked natively: `weights` (goals,), `targets` (k,) of which callers give `width`."""
        from manikin import _core

        tree, layout = self.figure._layout.tree, self.figure._layout
        coupled = np.flatnonzero(tree.source >= 0)
        return _core.Quick(
            self._native,
            rest=np.array(self.figure.rest),
            lower=np.array(self.figure.lower),
            upper=np.array(self.figure.upper),
            balls=[int(n) for n in layout.balls],
            cones=layout.cones.number.tolist(),
            cone_numbers=_cone_numbers(layout),
            weights=weights,
            quaternions=rows.quaternions,
            directions=rows.directions,
            own_targets=targets.tolist(),
            width=width,
            goal_of=self._goal_of.tolist(),
            share=self._share.tolist(),
            coupled=tree.number[coupled].tolist(),
            source=tree.source[coupled].tolist(),
            ratio=tree.ratio[coupled].tolist(),
            shift=tree.shift[coupled].tolist(),
            heading=cast("_core.Heading | None", self.heading),
        )

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
        restarts: int,
        seed: int = 0,
        most: int = 1_000_000,
        budget: float = np.inf,
        near: bool = False,
        threads: int = 1,
    ) -> Answers:
        """
        Args:
            starts: (B, nq) within limits.
            targets: (B, k).
            weights: (goals,) or (B, goals); 0 where a goal does not count.
            restarts: most starts after the first.
            seed: of the random starts.
            most: most iterations of all starts together.
            budget: seconds.
            near: the start is near: it is taken as it is, all goals at once.
            threads: over the queries.
        """
        pose = np.array(starts, dtype=np.float64, order="C")
        measures = np.zeros((len(pose), len(self._goal_of)))
        counts = np.zeros((len(pose), 4), dtype=np.int32)
        self._native.solve_many(
            pose,
            np.ascontiguousarray(targets),
            np.ascontiguousarray(weights),
            measures,
            counts,
            restarts=restarts,
            iterations=ITERATIONS_A_START,
            most=most,
            tracking=near,
            seed=seed,
            budget=budget,
            threads=threads,
        )
        return self._answers(pose, measures, counts)

    def track(
        self,
        start: Vector,
        targets: Matrix,
        weights: Matrix,
        *,
        dt: Vector,
        speeds: Vector,
        restarts: int,
        continues: bool = False,
        refine: bool = False,
        escape: bool = False,
        seed: int = 0,
        most: int = 1_000_000,
        budget: float = np.inf,
    ) -> Answers:
        """Frame after frame: targets (T, k), each solved from the pose before; see `Solver.track`.

        Args:
            start: (nq,) within limits.
            targets: (T, k).
            weights: (goals,) or (T, goals), with the factors of their priorities; 0 where a goal does not count.
            dt: (T,) seconds since the frame before.
            speeds: (nq,) how fast each number may change; infinite without a limit.
            restarts: with more than 0 a frame that is missed is searched anew.
            continues: the start is the pose of the first frame.
            refine, escape: as for `Solver.track`.
            seed: of the random starts.
            most: most iterations of one frame.
            budget: seconds.
        """
        pose = np.zeros((len(targets), self.figure.nq))
        measures = np.zeros((len(pose), len(self._goal_of)))
        counts = np.zeros((len(pose), 4), dtype=np.int32)
        self._native.track(
            np.ascontiguousarray(start),
            pose,
            np.ascontiguousarray(targets),
            np.ascontiguousarray(weights),
            measures,
            counts,
            dt=np.ascontiguousarray(dt),
            speed=np.ascontiguousarray(speeds),
            levels=self.levels.astype(np.int32) if self.levels.any() else None,
            continues=continues,
            refine=refine,
            escape=escape,
            restarts=restarts,
            iterations=ITERATIONS_A_START,
            most=most,
            seed=seed,
            budget=budget,
        )
        return self._answers(pose, measures, counts)

    def _answers(self, pose: Matrix, measures: Matrix, counts: NDArray[np.int32]) -> Answers:
        """Errors of the goals from those of their parts; coupled numbers set from their sources."""
        errors = np.zeros((len(pose), len(self.goals)))
        if len(pose) > FEW_ROWS:
            for k, goal in enumerate(self._goal_of):
                np.maximum(errors[:, goal], measures[:, k] * self._share[k], out=errors[:, goal])
        elif len(self._of_goals):  # one call for all goals
            largest = np.maximum.reduceat((measures * self._share)[:, self._by_goal], self._of_goals, axis=1)
            errors[:, self._goal_of[self._by_goal[self._of_goals]]] = largest
        follow(self.figure._layout.tree, pose)
        return Answers(pose, errors, counts[:, 0], counts[:, 1], counts[:, 2], counts[:, 3])


def _cone_numbers(layout: Layout) -> Vector:
    """(12 cones,): reference times basis, basis, half angles of the swing, range of the twist."""
    cones = layout.cones
    if not len(cones.number):
        return np.zeros(0)
    basis = rotations.from_matrix(cones.basis.transpose(0, 2, 1))
    whole = rotations.multiply(rotations.inverse(cones.inverse_reference), basis)
    return np.concatenate([whole, basis, cones.swing, cones.twist], axis=1).ravel()


def _moving(figure: Figure, movable: NDArray[np.bool_]) -> NDArray[np.int32]:
    """(nq,) which numbers may change; a ball of which only some steps may does not occur."""
    tree = figure._layout.tree
    out = np.zeros(tree.nq, dtype=np.int32)
    for i in np.flatnonzero(tree.step >= 0):
        if tree.source[i] < 0:
            out[tree.number[i]] = movable[tree.step[i]]
    return out
