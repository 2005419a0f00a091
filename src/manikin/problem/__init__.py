"""Problems: goals on a figure, as errors and Jacobians. Only this package connects goals with joints.

A goal sees where its effectors are, but not the joints. A solver sees errors and Jacobians, but not the joints. A
problem multiplies the derivatives of the goals by the Jacobians of the figure (chain rule):

    rows      = goal.error(reading)                               space only
    jacobian  = goal.derivative(reading) @ figure's Jacobians     (m, nv)

All rows are converted to lengths. Angles are multiplied by `angle_length`, which is a fifth of `figure.size`. Every
row is then multiplied by the square root of its goal's weight. The cost is  F = ½ Σ wᵢ ‖rowsᵢ‖²  in lengths². The same
figure in centimetres has the same minima. Theory: docs/theory/2-state-and-effectors.md.
"""

from manikin.problem.evaluation import Evaluation
from manikin.problem.levels import WIDEST, level_factors, levels_of
from manikin.problem.problem import ANGLE_LENGTH, MAX_CHOICES, Member, Problem, notes_on_starts
from manikin.problem.settled import Settled, settled

__all__ = [
    "ANGLE_LENGTH",
    "MAX_CHOICES",
    "WIDEST",
    "Evaluation",
    "Member",
    "Problem",
    "Settled",
    "level_factors",
    "levels_of",
    "notes_on_starts",
    "settled",
]
