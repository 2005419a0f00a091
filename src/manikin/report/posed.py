"""Reports for any pose of a `Solver`: `solver.explain`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from manikin.arrays import frozen
from manikin.base.progress import Progress, goes_on, require_progress
from manikin.errors import BadShape, BadValue, Unsupported, unknown_name
from manikin.goals import Goal
from manikin.problem import Problem
from manikin.report.data import Report
from manikin.report.inquiries import Inquiries
from manikin.report.named import Effort, Groups
from manikin.report.reports import Reports
from manikin.report.resolver import Cancelled
from manikin.solution import STATUSES, Solution, Status
from manikin.solvers import whole
from manikin.solvers.native.targets import Targets

if TYPE_CHECKING:
    from manikin.solvers.native.solver import Solver

Name: TypeAlias = str | int
"""A goal: its name, its label, or its index."""


def explain_pose(
    solver: Solver,
    pose: ArrayLike,
    targets: Targets,
    goals: Iterable[Name] | None,
    groups: Mapping[str, Iterable[Name]] | None,
    weights: ArrayLike | None,
    active: ArrayLike | None,
    starts: int,
    limits: bool,
    progress: Progress | None,
) -> Reports:
    """See `Solver.explain`."""
    require_progress(progress)
    solution = posed(solver, pose, targets, weights, active)
    count = len(solution.goals)
    wanted = set(range(count)) if goals is None else set(_places(solver.goals, goals, "goals"))
    together = _groups(solver.goals, groups)
    effort = Effort(whole(starts, "starts", 1), bool(limits))
    inquiries = Inquiries(solution, together, None if progress is None else Counted(progress), effort)
    found: dict[int, Report] = {}
    try:
        for k in sorted(wanted, key=lambda k: (solution.goals[k].rank, k)):  # reasons come from the first level
            found[k] = inquiries.report(k)
    except Cancelled:
        pass
    return Reports(found[k] if k in found else inquiries.unexplained(k) for k in range(count))


class Counted:
    """Counts the iterations for `progress`. Once the caller has cancelled, it is not called again."""

    def __init__(self, progress: Progress) -> None:
        self._progress, self._count, self._goes_on = progress, 0, True

    def __call__(self) -> bool:
        if self._goes_on:
            self._goes_on = goes_on(self._progress, self._count)
            self._count += 1
        return self._goes_on


def posed(
    solver: Solver, pose: ArrayLike, targets: Targets, weights: ArrayLike | None, active: ArrayLike | None
) -> Solution:
    """A pose as a solution: the errors of the solver's goals at the pose. Nothing is solved."""
    if solver._stored is not None:
        raise Unsupported(
            f"this solver was opened from bytes, which have no figure: {solver.figure.name!r} cannot be solved again "
            "for a report; mk.Solver(figure, goals) can"
        )
    q = solver.figure.check(pose, "pose")
    if q.ndim != 1:
        raise BadShape(f"pose has shape {q.shape}; explain takes one pose, ({solver.figure.nq},)")
    at = solver.solve(q, targets, weights=weights, active=active, restarts=0, iterations=0)
    status = Status.REACHED if at.reached else Status.STALLED
    goals, errors = at.goals, at.errors
    if active is not None:
        on = np.asarray(active).reshape(-1) != 0
        goals = tuple(replace(g, weight=0.0) if k < len(on) and not on[k] else g for k, g in enumerate(goals))
    ignored = [k for k, g in enumerate(goals) if g.weight == 0.0]
    if ignored:  # the core gives no error for these goals
        errors = np.array(errors)
        errors[ignored] = Problem(solver.figure, goals, at.pose).at(at.pose).errors[ignored]
    extra = {"start": frozen(at.pose), "targets": at.targets, "weights": at.weights, "goals": goals}
    code, outside = STATUSES.index(status), at.start_violation
    return Solution(at.pose, frozen(errors), code, 0, outside, (), at.chosen, solver, extra)


def _places(goals: tuple[Goal, ...], names: Iterable[Name], what: str) -> list[int]:
    """The indices of some goals."""
    if isinstance(names, (str, int)):
        names = (names,)
    elif not isinstance(names, Iterable):
        raise BadValue(f"{what} is {names!r}; it needs names or indices of goals, such as ['RightHand']")
    return [_place(goals, name, what) for name in names]


def _place(goals: tuple[Goal, ...], name: Name, what: str) -> int:
    if isinstance(name, (int, np.integer)) and not isinstance(name, bool):
        if not 0 <= name < len(goals):
            raise BadValue(f"{what} contains {name}; the solver has {len(goals)} goals, 0 to {len(goals) - 1}")
        return int(name)
    found = [k for k, goal in enumerate(goals) if name in (goal.name, goal.label)]
    found = found or [k for k, goal in enumerate(goals) if name in {e.segment for e in goal.effectors}]
    if len(found) == 1:
        return found[0]
    if found:
        labels = ", ".join(goals[k].label for k in found)
        raise BadValue(f"{what}: {len(found)} goals are about {name!r} ({labels}); give goals a name and use that")
    raise unknown_name("this solver", "goal", str(name), [goal.label for goal in goals])


def _groups(goals: tuple[Goal, ...], groups: Mapping[str, Iterable[Name]] | None) -> Groups:
    """The groups with indices of goals. A goal belongs to at most one group."""
    if groups is None:
        return {}
    if not isinstance(groups, Mapping):
        raise BadValue(f"groups is {groups!r}; it needs a dict, such as {{'left foot': ['LeftToeBase', 'LeftFoot']}}")
    made = {str(name): tuple(_places(goals, members, f"groups[{name!r}]")) for name, members in groups.items()}
    owner: dict[int, str] = {}
    for name, members in made.items():
        for k in members:
            if owner.setdefault(k, name) != name:
                raise BadValue(f"groups: {goals[k].label} is in {owner[k]!r} and in {name!r}; it may be in one group")
    return made
