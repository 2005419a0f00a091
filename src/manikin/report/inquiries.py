"""The reports of all goals of a solution: one inquiry for each priority."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property

import numpy as np

from manikin.problem import Evaluation, Problem
from manikin.report.data import Report, Unit
from manikin.report.known import Known
from manikin.report.named import FULL, NO_GROUPS, Effort, Groups, names_of
from manikin.report.reports import Reports
from manikin.report.sentences import opening
from manikin.report.why import Inquiry
from manikin.solution import Solution

SEED = 0
"""Seed of the random starts of a report."""


def explain(solution: Solution) -> Reports:
    """One report for each goal, in order. Reports of goals that were met or have weight 0 contain no reasons."""
    inquiries = Inquiries(solution)
    return Reports(inquiries.report(i) for i in range(len(solution.goals)))


def problem_of(solution: Solution) -> Problem:
    """The problem that a solution solves."""
    problem = Problem(solution.figure, solution.goals, solution.start)
    return problem if solution.movable is None else problem.variant(movable=np.array(solution.movable))


class Inquiries:
    """The inquiries of one solution, one for each priority.

    A goal of a lower priority cannot make a goal miss its target. So an inquiry leaves out the goals of lower
    priorities, which makes its solves cheaper.
    """

    def __init__(
        self,
        solution: Solution,
        groups: Groups = NO_GROUPS,
        go_on: Callable[[], bool] | None = None,
        effort: Effort = FULL,
    ) -> None:
        """
        Args:
            solution: the solution to explain.
            groups: goals that belong together and are named once.
            go_on: called once in each iteration of a solve. If it returns False, `report` raises `Cancelled`.
            effort: how much to search.
        """
        self.solution, self.groups, self.go_on, self.effort = solution, groups, go_on, effort
        self.problem = problem_of(solution)
        self.names = names_of(self.problem.goals)
        self._made, self._found = dict[int, Inquiry](), dict[int, Report]()

    def report(self, goal: int) -> Report:
        """Why one goal was missed. If a goal of the same group was explained before, its reasons are used."""
        plain, settled = self.unexplained(goal), self.problem.goals[goal]
        if plain.reached or settled.weight == 0.0:
            return plain
        for other, found in self._found.items():
            if any(goal in group and other in group for group in self.groups.values()):
                text = plain.text + found.text.removeprefix(self.unexplained(other).text)
                return replace(plain, reasons=found.reasons, changes=found.changes, pose=found.pose, text=text)
        if settled.rank not in self._made:
            self._made[settled.rank] = Inquiry(self.solution, self._known(settled.rank))
        self._found[goal] = self._made[settled.rank].explained(goal, plain)
        return self._found[goal]

    def unexplained(self, goal: int) -> Report:
        """The report of one goal without reasons: its error, and whether it is met."""
        solution, settled = self.solution, self.problem.goals[goal]
        error, tolerance = float(solution.errors[goal]), float(self.problem.tolerances[goal])
        if error <= tolerance or settled.weight == 0.0:
            text = f"{self.names[goal]} is {'met' if error <= tolerance else 'ignored (weight 0)'}."
        else:
            rows = self._at.counted[self.problem.slices[goal]]
            text = opening(self.names[goal], settled, rows, solution.figure.unit)
        unit: Unit = "rad" if all(settled.angular) else "length"
        return Report(self.names[goal], error, tolerance, unit, text=text)

    @cached_property
    def _at(self) -> Evaluation:
        return self.problem.at(self.solution.pose)

    def _known(self, rank: int) -> Known:
        """The facts for the goals of one level. Goals of later levels have weight 0."""
        problem, solution = self.problem, self.solution
        if any(g.rank > rank and g.weight > 0.0 for g in problem.goals):
            goals = [replace(g, weight=0.0) if g.rank > rank else g for g in problem.goals]
            problem = problem.variant(goals)
        pose = solution.figure.clamp(solution.pose) if solution.violation > 0.0 else solution.pose
        return Known.of(problem, np.array(pose), SEED, self.groups, self.go_on, self.effort)
