"""What tests of the hooks of the native solver share."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import manikin as mk
from manikin.arrays import Vector
from manikin.problem import Problem
from manikin.solvers.native.answers import Answers
from manikin.solvers.native.compiled import Compiled


class Glance(NamedTuple):
    """What a watcher was shown of one iteration."""

    pose: Vector
    cost: float
    damping: float
    step: float
    iteration: int
    moved: bool


def compiled(figure: mk.Figure, goals: list[mk.Goal], start: Any) -> tuple[Problem, Compiled]:
    problem = Problem(figure, goals, start)
    return problem, Compiled.of(figure, problem.goals, problem.movable)


def solved(figure: mk.Figure, goals: list[mk.Goal], start: Any, **options: Any) -> Answers:
    problem, solver = compiled(figure, goals, start)
    weights = np.array([g.weight for g in problem.goals])
    return solver.run(problem.start[None], solver.targets[None], weights, **{"restarts": 0, **options})


def watched(figure: mk.Figure, goals: list[mk.Goal], start: Any, **options: Any) -> tuple[Answers, list[Glance]]:
    """The answer, and every iteration that led to it."""
    seen: list[Glance] = []
    return solved(figure, goals, start, watch=lambda *at: seen.append(Glance(*at)), **options), seen
