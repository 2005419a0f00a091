"""Two tables of the chapter: the error of nonlinear programming against α, and the effect of λ on one linear step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from manikin.chapter.examples import EXAMPLES, Example
from manikin.chapter.measure import finite
from manikin.chapter.run import Course
from manikin.linalg import damping_study
from manikin.motion.follow import with_targets
from manikin.posing import solve
from manikin.problem import Problem

ALPHAS = (1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-6, 1e-8, 1e-10)
"""α of the table, length² per radian²."""
DAMPINGS = (0.0, 0.1, 0.25, 1.5, 10.0)
"""λ of Figures 10 to 14, length per radian."""


def alpha_table(examples: Sequence[Example]) -> dict[str, Any]:
    """Final error of "lbfgsb" for each α, with the start as θ_ref: the largest over the effectors, as a fraction of the
    figure's size.

    α > 0 pulls the result toward θ_ref, so the error goes to 0 in proportion to α.
    """
    rows = {e.name: [_error(e, alpha) for alpha in ALPHAS] for e in examples if e.name in NLP}
    return {"alphas": list(ALPHAS), "final_error_of_size": rows}


NLP = tuple(e.name for e in EXAMPLES if "lbfgsb" in e.compared)
"""Names of the examples in the table."""


def _error(example: Example, alpha: float) -> float:
    solution = solve(example.figure, example.goals, example.start, "lbfgsb", alpha=alpha, reference=example.start)
    return float(solution.errors.max() / example.figure.size)


def damping_table(course: Course) -> dict[str, Any]:
    """Lemmas 7.1 and 7.2 at one pose: condition number, residual and step of the last linear step, for each λ."""
    example = course.example
    at = Problem(example.figure, with_targets(example.goals, course.wanted[-1].ravel())).at(course.poses[-2])
    study = damping_study(at.jacobian, -at.residual, DAMPINGS)
    sigma = np.linalg.svd(at.jacobian, compute_uv=False)
    return {
        "pose_of": example.name,
        "smallest_singular_value": float(sigma[-1]),
        "dampings": list(DAMPINGS),
        "condition_numbers": [finite(x) for x in study.condition_numbers],
        "residuals": [float(x) for x in study.residual_norms],
        "steps": [float(x) for x in study.step_norms],
    }
