"""Linear algebra of a step: pseudo-inverses, projectors, several effectors, damping, bounds. Matrices only.

Read the modules in the order of the theory: `inverses` (docs/theory/4-pseudo-inverse.md), `projectors` and `recursions`
(5-two-effectors.md, 6-many-effectors.md), `damping` and `bounded` (7-regularisation.md). `inverses.rank` alone decides
which singular values count as zero.
"""

from manikin.linalg.bounded import bounded_step
from manikin.linalg.damping import DampingStudy, damped_step, damping_study
from manikin.linalg.inverses import RANK_TOLERANCE, pinv, pinv_step, rank
from manikin.linalg.projectors import projector, projectors
from manikin.linalg.recursions import blocks, dual_step, stacked_inverse, stacked_step, three_blocks

__all__ = [
    "RANK_TOLERANCE",
    "DampingStudy",
    "blocks",
    "bounded_step",
    "damped_step",
    "damping_study",
    "dual_step",
    "pinv",
    "pinv_step",
    "projector",
    "projectors",
    "rank",
    "stacked_inverse",
    "stacked_step",
    "three_blocks",
]
