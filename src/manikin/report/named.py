"""What the caller of a report chooses: names and groups of goals, and the effort."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

from manikin.goals import Goal
from manikin.goals.loops import keeps_loop
from manikin.problem import Problem
from manikin.report.data import Kind

Groups: TypeAlias = Mapping[str, tuple[int, ...]]
"""Goals that belong together, by the name of their group."""
NO_GROUPS: Groups = MappingProxyType({})
"""No goals belong together."""


@dataclass(frozen=True)
class Effort:
    """How much a report searches."""

    starts: int = 40
    """Largest number of starts of the whole problem."""
    limits: bool = True
    """Whether to search for limits that would help, if other goals are the reason."""


FULL = Effort()
"""The effort of `solution.report`."""


def kind_of(problem: Problem, rival: int) -> Kind:
    """The kind of reason for a goal that prevents another: "held" or "conflict"."""
    goal = problem.goals[rival]
    held = goal.whole_figure or keeps_loop(problem.figure, goal)
    return "held" if held else "conflict"


def names_of(goals: tuple[Goal, ...]) -> tuple[str, ...]:
    """Labels of goals. Labels that occur more than once are numbered."""
    times, seen, names = Counter(g.label for g in goals), Counter[str](), []
    for goal in goals:
        seen[goal.label] += 1
        names.append(f"{goal.label} ({seen[goal.label]})" if times[goal.label] > 1 else goal.label)
    return tuple(names)


@dataclass(frozen=True)
class Rivals:
    """The goals as rivals of one another. Goals that belong together are one rival of all other goals."""

    names: tuple[str, ...]
    """Unique name of each goal."""
    groups: Groups
    counting: tuple[int, ...]
    """The goals that count."""

    def of(self, goal: int) -> list[tuple[int, ...]]:
        """The rivals of a goal. Goals that belong together are in one tuple, unless this goal is among them."""
        others, found = [j for j in self.counting if j != goal], list[tuple[int, ...]]()
        for j in others:
            some = tuple(k for k in self.whole((j,), goal) if k in others)
            if some not in found:
                found.append(some)
        return found

    def title(self, goals: tuple[int, ...], seen_from: int) -> str:
        """The name of a rival of the goal `seen_from`: that of its group if it has one, otherwise its own."""
        found = [n for n, group in self.groups.items() if goals[0] in group and seen_from not in group]
        return found[0] if found else self.names[goals[0]]

    def whole(self, goals: tuple[int, ...], seen_from: int) -> tuple[int, ...]:
        """A rival of the goal `seen_from`: all goals of its group, also those that do not count."""
        return next((g for g in self.groups.values() if goals[0] in g and seen_from not in g), goals)
