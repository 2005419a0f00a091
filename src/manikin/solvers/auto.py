"""The production solver, `method="auto"`: all goals, exact limits, an answer always.

Damped Gauss–Newton within limits (`descent`), from several starts (`starts`) where the first ends in a local minimum:

1. Position first: until every position is near, at most two iterations with orientations almost weightless.
2. All goals, with a pull toward mid-range that vanishes with the error.
3. A start is given up as trapped when F falls too slowly. The best of all starts is then polished to its minimum.

Lower priorities come in by weights in two stages: each level a hundred times the next until nearly converged, then ten
thousand times. What they still take from the upper ones is given back at the end.

Native (`native`) where the native solver knows all the goals; here, in NumPy, along the same lines, where it does not,
and where every iteration is asked about (`history`, `progress`).
"""

from __future__ import annotations

import numpy as np

from manikin.arrays import Vector
from manikin.problem import Evaluation, Problem, level_factors, levels_of
from manikin.solution import Status
from manikin.solvers import LARGEST_SEED, whole
from manikin.solvers.descent import Descent
from manikin.solvers.levels import STAGES, solve_levels
from manikin.solvers.native import Compiled, is_native
from manikin.solvers.run import Outcome, Run
from manikin.solvers.starts import Starts

ITERATIONS = 100_000
"""Most iterations of all starts together, unless told: more than the restarts can use up."""
NEAR = 0.03
"""Positions within this many sizes are near."""
POSITION_FIRST = 2
"""Iterations with orientations almost weightless."""
FAINT = 0.01
"""Weight of orientations meanwhile."""
PATIENCE = 6
"""Accepted steps before a start can be trapped."""
HOLDING = 40
"""Most iterations that bring an upper priority back."""
AGREE = 8
"""So many starts with the same lowest cost end the search: there is nothing below it."""


def solve(problem: Problem, run: Run, *, restarts: int = 30, seed: int = 0) -> Outcome:
    """
    Args:
        problem: what to solve.
        run: iterations, time, history.
        restarts: how often to start again when a start ends in a local minimum.
        seed: of the random starts; the same seed gives the same bits.
    """
    restarts, seed = whole(restarts, "restarts"), whole(seed, "seed", most=LARGEST_SEED)
    if is_native(problem.goals) and not run.keep_history and run.progress is None:
        return _native(problem, run, restarts, seed)
    chart = problem.range_chart
    stages = _stages(problem)
    run.scale = stages[-1]
    starts = Starts(problem, chart, run.cost, seed)
    ends: list[float] = []
    for index in range(restarts + 1):
        best = run.best or problem.at(problem.start)
        at = problem.at(problem.start if index == 0 else starts.start(index, best))
        end = _attempt(problem, run, at, stages)
        if run.status is not None:
            return run.outcome()
        ends.append(run.cost(end))
        if sum(cost <= 1.02 * min(ends) for cost in ends) >= AGREE:
            break
    assert run.best is not None
    _polish(problem, run, run.best, stages[-1])
    _hold(problem, run, stages[-1])
    return run.outcome()


def _native(problem: Problem, run: Run, restarts: int, seed: int) -> Outcome:
    """The same by the native solver."""
    compiled = Compiled(problem.figure, problem.goals, problem.movable)
    answer = solve_levels(
        compiled,
        problem.start[None],
        compiled.targets[None],
        np.array([g.weight for g in problem.goals]),
        restarts=restarts,
        seed=seed,
        most=run.iterations,
        budget=np.inf if run.budget is None else run.budget,
    )
    at = problem.at(answer.pose[0])
    ending = Status.REACHED if at.reached else _ENDINGS[int(answer.status[0])]
    return Outcome(problem, at.pose, ending, int(answer.iterations[0]))


_ENDINGS = (Status.STALLED, Status.STALLED, Status.OUT_OF_ITERATIONS, Status.OUT_OF_TIME)


def _stages(problem: Problem) -> list[Vector]:
    """Row scales of the stages: one where all goals have the same priority."""
    if not problem.levels.any():
        return [problem.scale]
    return [problem.scale * np.sqrt(level_factors(problem.levels, factor)) for factor in STAGES]


def _attempt(problem: Problem, run: Run, at: Evaluation, stages: list[Vector]) -> Evaluation:
    """One start, until all is reached, it is trapped, or the run must end."""
    faint = stages[0] * np.where(problem.angular, FAINT, 1.0)
    descent = Descent(problem, problem.range_chart, at, faint, run, pull=True)
    for _ in range(POSITION_FIRST):
        if _near(descent.at) or not problem.angular.any():
            break
        if not run.tick(descent.at):
            return descent.at
        descent.advance()
    for scale in stages:
        descent.rescale(scale)
        costs = [descent.cost]
        rejected = 0
        while True:
            if not run.tick(descent.at):
                return descent.at
            if descent.advance():
                costs.append(descent.cost)
                rejected = 0
            else:
                rejected += 1
            late = len(costs) > PATIENCE
            if rejected > 8 or (late and (costs[-1] > 0.7 * costs[-4] or descent.promise < 0.05)):
                break
    run.offer(descent.at)
    return descent.at


def _polish(problem: Problem, run: Run, at: Evaluation, scale: Vector) -> None:
    """From the best pose to its minimum: no pull, no trap test."""
    descent = Descent(problem, problem.range_chart, at, scale, run)
    costs, rejected = [descent.cost], 0
    while run.tick(descent.at):
        if descent.advance():
            costs.append(descent.cost)
            rejected = 0
        else:
            rejected += 1
        slow = len(costs) > 4 and costs[-1] > (1.0 - 1e-6) * costs[-4]
        if slow or rejected > 8 or descent.last_step < 1e-10:
            run.stalled(descent.at)
            return


def _hold(problem: Problem, run: Run, scale: Vector) -> None:
    """Where an upper priority still misses: from the best pose to where it is met, the lower ones let go."""
    priorities = levels_of([g.priority for g in problem.goals])

    def misses(at: Evaluation, cut: int) -> bool:
        return bool(np.any((at.errors > problem.tolerances) & problem.counting & (priorities <= cut)))

    for cut in np.unique(priorities)[-2::-1]:
        assert run.best is not None
        if not misses(run.best, cut):
            return
        descent = Descent(problem, problem.range_chart, run.best, np.where(problem.levels <= cut, scale, 0.0), run)
        for _ in range(HOLDING):
            if not misses(descent.at, cut):
                run.best = descent.at
                break
            descent.advance()


def _near(at: Evaluation) -> bool:
    """Whether every length is within `NEAR` of its target."""
    problem = at.problem
    rows = np.where(problem.one_sided, np.maximum(at.rows, 0.0), at.rows)[~problem.angular]
    return bool(np.abs(rows).max(initial=0.0) < NEAR * problem.figure.size)
