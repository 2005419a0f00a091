"""The production solver, `method="auto"`: all goals, exact limits, always an answer. See docs/design/solver.md.

A query is compiled once for each figure and structure of goals. The structure is everything except targets and weights.
The most recently used queries are cached.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Vector, frozen
from manikin.errors import BadShape
from manikin.figure.figure import Figure
from manikin.figure.movable import Hold, movable_steps
from manikin.goals import AnyOf, Goal
from manikin.problem import ANGLE_LENGTH, Problem, settled
from manikin.solution import Question, Solution
from manikin.solvers import LARGEST_SEED, whole
from manikin.solvers.methods.run import Progress
from manikin.solvers.native.arguments import Stiffness, checked_pick, names, preference_options
from manikin.solvers.native.block import callbacks_of, figure_arrays, goal_arrays, opened, packed
from manikin.solvers.native.callbacks import GoalCallback
from manikin.solvers.native.natural import NaturalWords, Start
from manikin.solvers.native.watched import Watched

if TYPE_CHECKING:
    from manikin._core import Query

ITERATIONS = 1_000_000
"""Default limit of the iterations over all starts. It is more than the restarts can use."""
MAX_KEPT = 32
"""This many compiled queries are cached: the most recently used ones."""
CHANGING = ("targets", "goal_weight")
"""Arrays of a query that may change from call to call."""

_queries: OrderedDict[tuple[int, bytes], tuple[Figure, Query]] = OrderedDict()
_kept: OrderedDict[Any, _Asked] = OrderedDict()
_lock = Lock()


@dataclass(frozen=True, eq=False)
class NativeQuestion(Question):
    """A question with the compiled query that answers it."""

    _query: Query | None = None
    _callbacks: tuple[GoalCallback, ...] = ()

    def goals_of(self, solution: Solution) -> tuple[Goal, ...]:
        """The goals as they were solved."""
        chosen = solution.chosen
        return tuple(g.members[chosen[k]] if isinstance(g, AnyOf) else g for k, g in enumerate(self.goals))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles the question without its query. Solutions are pickled, but their questions are not solved again."""
        return (NativeQuestion, (self.figure, self.goals, self.method, self.movable, self.notes))


def solve(
    figure: Figure,
    goals: Sequence[Goal] | Goal,
    start: Start,
    freeze: Sequence[str],
    only: Sequence[str] | None,
    hold: Hold | None,
    iterations: int | None,
    budget: float | None,
    *,
    history: bool = False,
    progress: Progress | None = None,
    restarts: int | None = None,
    seed: int = 0,
    pick: str = "near",
    prefer: Start = None,
    stiffness: Stiffness = None,
    settle: bool = False,
) -> Solution:
    """
    Args:
        figure: the figure to pose.
        goals: all goals, including those of closed loops.
        start, freeze, only, hold: as in `manikin.solve`.
        iterations: largest number of iterations over all starts; None means `ITERATIONS`.
        budget: time limit in seconds; None means no limit.
        history, progress: as in `manikin.solve`.
        restarts: largest number of further starts if the first ends in a local minimum; see `Solver.solve_many`.
        seed: seed of the random starts. The same seed gives the same bits.
        pick: the solution to return for an arm that has several: "near" is the one nearest to the start, "first" the
            first one found.
        prefer, stiffness, settle: the preferred pose, as in `Solver.solve_many`.
    """
    from manikin import _core

    began = time.perf_counter()
    options = {
        "restarts": None if restarts is None else whole(restarts, "restarts"),
        "seed": whole(seed, "seed", largest=LARGEST_SEED),
        "pick": checked_pick(pick),
    }
    given = {"restarts": restarts, "seed": seed}
    asked = _asked(figure, goals, freeze, only, hold)
    wished = asked.natural.wished(start, asked.targets, asked.weights, None, prefer, stiffness)
    options |= preference_options(figure, 1, wished.prefer, wished.stiffness) | {"settle": bool(settle)}
    begin = None if wished.start is None else figure.check(wished.start, "start pose")
    if begin is not None and begin.shape != (figure.nq,):
        raise BadShape(f"start pose has shape {begin.shape}; one solve needs one pose, ({figure.nq},)")
    watched = Watched(asked.question, history, progress) if history or progress is not None else None
    found: Solution = _core.solve(
        asked.question,
        None if begin is None else np.ascontiguousarray(begin),
        asked.targets,
        weights=asked.weights,
        iterations=ITERATIONS if iterations is None else iterations,
        budget=budget,
        watch=watched,
        **options,
    )
    pose, errors = frozen(found.pose), frozen(_all_errors(asked.question, found))
    extra: dict[str, Any] = {"start": found.start, "options": given}
    if history and watched is not None:
        extra["history"] = watched.history(found)
    extra["time"] = time.perf_counter() - began
    values = (found.code, found.iterations, found.start_violation, found._notes, found._chosen, asked.question, extra)
    return wished.noted(Solution(pose, errors, *values))


@dataclass(frozen=True, eq=False)
class _Asked:
    """A question in the form that the native core needs."""

    question: NativeQuestion
    targets: Vector
    weights: Vector
    goals: tuple[Goal, ...]
    """The given goals. As long as they are stored here, no other object can have their `id`."""
    natural: NaturalWords


def _asked(
    figure: Figure,
    goals: Sequence[Goal] | Goal,
    freeze: Sequence[str],
    only: Sequence[str] | None,
    hold: Hold | None,
) -> _Asked:
    """The question of these goals. It is cached by the identity of the goals."""
    given = tuple([goals] if isinstance(goals, Goal) else goals) if isinstance(goals, (Goal, Iterable)) else ()
    key = (id(figure), tuple(map(id, given)), names(freeze), None if only is None else names(only), repr(hold))
    with _lock:
        if key in _kept and _kept[key].question.figure is figure:
            _kept.move_to_end(key)
            return _kept[key]
    settled_goals = settled(figure, given or goals)
    movable = movable_steps(figure, freeze, only, hold)
    shares = [[m.weight for m in g.members] if isinstance(g, AnyOf) else [1.0] for g in given]
    weights = [g.weight for g in given]
    arrays = goal_arrays(figure, settled_goals.goals, movable, weights=weights, shares=shares)
    question = NativeQuestion(
        figure,
        settled_goals.goals,
        "auto",
        frozen(movable, bool),
        settled_goals.notes,
        _query=compiled(figure, arrays),
        _callbacks=callbacks_of(figure, settled_goals.goals),
    )
    targets, own_weights = (np.array(arrays[name], dtype=np.float64) for name in CHANGING)
    natural = NaturalWords(figure, settled_goals.goals, movable, ANGLE_LENGTH * figure.size)
    made = _Asked(question, targets, own_weights, given, natural)
    with _lock:
        _kept[key] = made
        while len(_kept) > MAX_KEPT:
            _kept.popitem(last=False)
    return made


def compiled(figure: Figure, arrays: dict[str, NDArray[Any] | bytes]) -> Query:
    """The query of a figure and of goals with this structure. It is compiled if it is not cached."""
    structure = packed({name: values for name, values in arrays.items() if name not in CHANGING})
    key = (id(figure), structure)
    with _lock:
        if key in _queries and _queries[key][0] is figure:
            _queries.move_to_end(key)
            return _queries[key][1]
    query = opened(packed({**figure_arrays(figure), **arrays}))
    with _lock:
        _queries[key] = (figure, query)
        while len(_queries) > MAX_KEPT:
            _queries.popitem(last=False)
    return query


def _all_errors(question: NativeQuestion, found: Solution) -> Vector:
    """The errors of all goals, including those with weight 0."""
    goals = question.goals_of(found)
    if all(g.weight > 0.0 for g in goals):
        return found.errors
    return Problem(question.figure, goals, found.pose).at(found.pose).errors
