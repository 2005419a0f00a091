"""The last solvers, so that the next clip on a figure need not compile them again."""

from __future__ import annotations

from collections.abc import Sequence

from manikin.figure import Figure
from manikin.goals import Goal
from manikin.solvers.native.recent import recent
from manikin.solvers.native.solver import Solver


def solver_for(figure: Figure, goals: Sequence[Goal], only: Sequence[str], loops: bool = True) -> Solver:
    """A solver of a figure. The arguments are those of `Solver`.

    Goals are compared as objects, so a solver is found again only by the same goals.
    """
    key = ("retarget", id(figure), tuple(goals), tuple(only), loops)
    return recent(key, (figure,), lambda: Solver(figure, goals, only=only, loops=loops))
