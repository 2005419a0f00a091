"""The last solvers of a figure, so that the next clip on it need not compile them again."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

from manikin.figure import Figure
from manikin.figure.kept import kept
from manikin.goals import Goal
from manikin.solvers.native.solver import Solver

MOST = 6
"""Number of solvers that are kept for a figure. A call needs at most three: for the body, the legs and the fingers."""

Key = tuple[tuple[Goal, ...], tuple[str, ...], bool]
_LOCK = Lock()


def solver_for(figure: Figure, goals: Sequence[Goal], only: Sequence[str], loops: bool = True) -> Solver:
    """A solver of a figure. The arguments are those of `Solver`.

    Goals are compared as objects, so a solver is found again only by the same goals.
    """
    solvers = _solvers(figure)
    key = (tuple(goals), tuple(only), loops)
    with _LOCK:
        found = solvers.pop(key, None)
    found = Solver(figure, goals, only=only, loops=loops) if found is None else found
    with _LOCK:
        solvers[key] = found
        while len(solvers) > MOST:
            del solvers[next(iter(solvers))]
    return found


@kept
def _solvers(_: Figure) -> dict[Key, Solver]:
    """The solvers of the figure, the one that was used last at the end."""
    return {}
