"""The loop of methods that change the whole pose in each iteration, without a step from a Jacobian."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from manikin.arrays import Vector
from manikin.problem import Evaluation, Problem
from manikin.solvers.methods.run import Outcome, Run
from manikin.solvers.methods.stepping import PATIENCE

SLOW = 1e-3
"""The run stalls if the cost does not fall by this fraction within `PATIENCE` iterations."""


def repeat(problem: Problem, run: Run, next_pose: Callable[[Evaluation], Vector]) -> Outcome:
    """Moves to the next pose (nq,) until the goals are reached, the run ends, or the cost no longer falls."""
    at, lowest, waited = problem.at(problem.start), np.inf, 0
    while run.tick(at):
        pose = next_pose(at)
        step = problem.figure.difference(at.pose, pose) / problem.step_unit
        run.record(at, float(np.linalg.norm(step)), 0.0, None)
        at = problem.at(pose)
        better = at.cost < (1.0 - SLOW) * lowest
        lowest, waited = (at.cost, 0) if better else (lowest, waited + 1)
        if waited > PATIENCE:
            run.stalled(at)
            break
    return run.outcome()
