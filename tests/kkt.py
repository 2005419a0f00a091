"""Whether a pose is a minimum of the distance from a preferred pose among the poses that meet the goals.

At such a minimum multipliers λ of the goals and μ ≥ 0 of the limits that hold make the gradient vanish,

    g + Jᵀλ − μ_lower + μ_upper = 0.

`residual` is what the best multipliers leave of g. It says nothing where a minimum has no multipliers (`regular`):
where the rows of the goals lose rank at the pose, and where an effector stands at the point that it aims at.
"""

from __future__ import annotations

import numpy as np

import manikin as mk
from manikin.reference import preference
from manikin.reference.bounded import bounded_step
from manikin.reference.tree import BALL

AT_LIMIT = 1e-7
"""Radians or sizes from a limit within which it holds."""
RANK = 1e-6
"""Share of the largest singular value below which another one is 0."""
AIMED = 1e-4
"""Sizes between an effector and the point that it aims at, below which the aim turns with any move."""
NEARBY = 0.1
"""Radians or lengths between a pose and those that its rank is compared with."""


def residual(problem, pose, preferred, metric):
    """The largest number of what multipliers leave of the gradient, as a share of the whole.

    metric: (nv,) weights of the squares.
    """
    figure, local, tree = problem.figure, problem.chart.at(pose), problem.figure.layout.tree
    balls = tree.step[tree.kind == BALL].astype(np.int64)
    pull = preference.pull(figure.difference(preferred, pose), metric, balls)
    gradient = local.columns(pull[None])[0]  # by the chart's coordinates: radians and sizes
    rows = orthogonal(local.columns(problem.at(pose).jacobian))
    each = np.eye(len(gradient))
    at_lower, at_upper = each[local.lower > -AT_LIMIT], each[local.upper < AT_LIMIT]
    system = np.concatenate([rows, -at_lower, at_upper]).T
    free, signed = len(rows), len(at_lower) + len(at_upper)
    lower = np.concatenate([np.full(free, -np.inf), np.zeros(signed)])
    multipliers, _ = bounded_step(system, -gradient, 1e-9, lower, np.full(free + signed, np.inf))
    return np.abs(gradient + system @ multipliers).max() / (1.0 + np.abs(gradient).max())


def goal_rows(problem, pose):
    """(m, nv) derivatives of the goals, all lengths in units of the figure's size."""
    return problem.at(pose).jacobian * problem.step_unit


def orthogonal(rows):
    """Orthogonal rows of the same span."""
    _, sizes, span = np.linalg.svd(rows, full_matrices=False)
    return span[sizes > RANK * sizes.max(initial=0.0)]


def regular(problem, pose):
    """Whether a minimum at this pose has multipliers."""
    figure = problem.figure
    for goal in problem.goals:
        if isinstance(goal, mk.Aim):
            P = figure.placements(pose, [goal.segment])[0]
            at = P[:3, 3] + P[:3, :3] @ np.broadcast_to(goal.offset, 3)
            if np.linalg.norm(goal.target[:3] - at) < AIMED * figure.size:
                return False
    rng = np.random.default_rng(0)
    near = [
        figure.clamp(figure.integrate(pose, np.where(problem.movable, NEARBY * rng.normal(size=figure.nv), 0.0)))
        for _ in range(5)
    ]
    return rank(problem, pose) >= max(rank(problem, other) for other in near)


def rank(problem, pose):
    return len(orthogonal(goal_rows(problem, pose)))
