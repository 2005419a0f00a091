"""A guess at why goals were missed, without a solve, for `print(solution)`.

Facts that lengths prove are stated without reservation. The rest is computed at the pose and marked "probably". If the
pose is not a minimum, the solver has not finished. Otherwise the guess names the strongest obstacle there: a frozen
joint, a limit or another goal. The guess is right in about three of four cases; `solution.report` solves changed
problems and is reliable.
"""

from __future__ import annotations

import numpy as np

from manikin.report.inquiries import problem_of
from manikin.report.limits import Limit
from manikin.report.local import NOTHING, Local
from manikin.report.named import kind_of, names_of
from manikin.report.reach import Lengths
from manikin.report.resolver import Resolver
from manikin.report.sentences import length
from manikin.report.still import above, still_joints
from manikin.report.why import STUCK
from manikin.solution import Solution

ON_THE_WAY = 0.01
"""A pose with a residue (see `local`) above this is not a minimum."""


def guesses(solution: Solution) -> tuple[str, ...]:
    """A few words for each goal, in order; empty for goals that were met."""
    problem = problem_of(solution)
    pose = solution.figure.clamp(solution.pose) if solution.violation > 0.0 else solution.pose
    lengths, local = Lengths(problem, pose), Local(problem, pose, Resolver(problem).levels)
    words, names = [""] * len(problem.goals), names_of(problem.goals)
    counting = np.flatnonzero(problem.counting)
    for i in np.flatnonzero((solution.errors > problem.tolerances) & problem.counting):
        goal = problem.goals[i]
        short = lengths.shortfall(goal)
        apart = [j for j in counting if j != i and lengths.apart(goal, problem.goals[j]) > 0.0]
        if short is not None and short.amount > problem.tolerances[i]:
            frozen = [still for still in above(problem, [int(i)], still_joints(problem)) if not still.root]
            while_frozen = " while joints are frozen" if frozen else ""
            words[i] = f"out of reach by at least {length(short.amount, solution.figure.unit)}{while_frozen}"
        elif apart:
            words[i] = f"in conflict with {names[apart[0]]}"
        elif local.residue > ON_THE_WAY:
            words[i] = "probably not finished"
        elif local.own(int(i), free=False) < STUCK:
            joint, pull = _frozen(local, int(i))
            stretched = "stretched to the edge of reach, or a singular pose"
            words[i] = f"probably {f'because {joint} is frozen' if pull >= STUCK else stretched}"
        else:
            words[i] = _strongest(local, int(i), names)
    return tuple(words)


def _frozen(local: Local, goal: int) -> tuple[str, float]:
    """The frozen joint, other than a root, whose release would help a goal most, and how much, as `Local.own`."""
    problem = local.problem
    would = Local(problem.variant(movable=np.ones_like(problem.movable)), local.pose, local.levels)
    rows = problem.slices[goal]
    size = float(np.linalg.norm(would.jacobian[rows]) * np.linalg.norm(would.residual[rows])) + NOTHING
    pulls = [
        (float(np.linalg.norm(would.gradients[goal][list(still.steps)])) / size, still.joint)
        for still in still_joints(problem).values()
        if still.steps and not still.root
    ]
    pull, joint = max(pulls, default=(0.0, ""))
    return joint, pull


def _strongest(local: Local, goal: int, names: tuple[str, ...]) -> str:
    """The strongest obstacle to a goal: another goal, measured along its pull, or a limit."""
    pull = local.gradients[goal]
    size = float(pull @ pull) + NOTHING
    found: list[tuple[float, str]] = []
    problem = local.problem
    errors = problem.at(local.pose).errors
    for j, name in enumerate(names):
        if j != goal and (against := -local.opposition(goal, j) / size) > 0.0:
            way = "held back by" if kind_of(problem, j) == "held" else "in conflict with"
            stays = way == "in conflict with" and errors[j] <= problem.tolerances[j]
            found.append((against, f"out of reach while {name} stays" if stays else f"{way} {name}"))
    blocking: list[tuple[Limit, float, float]] = local.blocking(goal)
    found += [(own * own / size, f"blocked by {limit.words}") for limit, _, own in blocking[:1]]
    return f"probably {max(found)[1]}" if found else ""
