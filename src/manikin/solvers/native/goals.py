"""Converts the terms of goals (`goals.native_terms`) to the flat arrays from which the native solver is built."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Points
from manikin.errors import Unsupported
from manikin.figure.figure import Figure
from manikin.goals import Effector, Goal
from manikin.goals.native_terms import LinkTerm, PartTerm, Term
from manikin.goals.robust import Robust
from manikin.solvers.native.callbacks import GoalCallback
from manikin.solvers.native.tools import tool_arrays

if TYPE_CHECKING:
    from manikin.goals.solids import Pairs


def part_kind(name: str) -> int:
    """The number of a kind of part in the core."""
    from manikin import _core

    return _core.PART_KINDS.index(name)


def link_kind(name: str) -> int:
    """The number of a kind of link in the core."""
    from manikin import _core

    return _core.LINK_KINDS.index(name)


class GoalArrays:
    """The arrays of parts and links, as lists. They grow with each goal that is added.

    The names and types are those of the core (cpp/solve/description/goal_arrays.h).
    """

    def __init__(self, figure: Figure) -> None:
        from manikin import _core

        self.figure = figure
        self.tools: list[Effector] = []
        """Effectors with separate axes. Each becomes a fixed segment after those of the figure (`native.tools`)."""
        self._types = _core.goal_arrays()
        vars(self).update({name: [] for name in self._types})

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> list[Any]: ...
        def __setattr__(self, name: str, value: object) -> None: ...

    def add(self, member: int, at: int, term: Term, robust: Robust | None = None) -> None:
        """Appends a term of a member. The member's target starts at `at` in a row of targets."""
        if isinstance(term, PartTerm):
            self._add_part(member, at, term)
            self.part_loss.append(0 if robust is None else robust.kind)
            self.part_scale.append(1.0 if robust is None else robust.scale)
        elif isinstance(term, LinkTerm):
            self._add_link(member, at, term)
        else:
            self.posture_member.append(member)
            self.posture_target.append(at)
            self.posture_tolerance.append(term.tolerance)
            self.posture_stiffness.append(term.stiffness)

    def add_callback(self, member: int, at: int, callback: GoalCallback) -> None:
        """Append a goal that is evaluated in Python."""
        goal = callback.goal
        self._add_link(member, at, LinkTerm("callback", (), goal.allowed, flags=callback.flags))
        self.link_counts[-3:] = [len(goal.effectors), goal.rows, len(goal.target)]
        self.effector_segment += [self.figure.segment_index(e.segment) for e in goal.effectors]
        self.effector_offset += [tuple(e.offset) for e in goal.effectors]
        self.callback_row += callback.row_flags

    def _add_part(self, member: int, at: int, part: PartTerm) -> None:
        self.part_kind.append(part_kind(part.kind))
        self.part_member.append(member)
        segment, offset = self._place(part.effector)
        self.part_segment.append(segment)
        self.part_target.append(at + part.target)
        self.part_flags.append(part.flags)
        self.part_offset.append(offset)
        self.part_axis.append(tuple(part.axis))
        self.part_tolerance.append(part.tolerance)
        self.part_share.append(part.share)

    def _place(self, effector: Effector) -> tuple[int, Sequence[float]]:
        """The segment of an effector and its offset there."""
        if not effector.turned:
            return self.figure.segment_index(effector.segment), tuple(effector.offset)
        if effector not in self.tools:
            self.tools.append(effector)
        return len(self.figure.segments) + self.tools.index(effector), (0.0, 0.0, 0.0)

    def _add_link(self, member: int, at: int, link: LinkTerm) -> None:
        self.link_kind.append(link_kind(link.kind))
        self.link_member.append(member)
        self.link_target.append(at + link.target)
        self.link_flags.append(link.flags)
        self.link_tolerance.append(link.tolerance)
        self.link_margin.append(link.margin)
        ends = [(self.figure.segment_index(e.segment), tuple(e.offset)) for e in link.effectors]
        if link.point is not None:
            ends.append((-1, tuple(link.point)))
        ends += [(-1, (0.0, 0.0, 0.0))] * (3 - len(ends))
        self.link_segments += [segment for segment, _ in ends]
        self.link_offset += [x for _, offset in ends for x in offset]
        if link.pairs is not None:
            self.link_counts.extend(self._add_pairs(link.pairs))
        else:
            self.link_counts.extend(self._add_contacts(link.contacts))

    def _add_contacts(self, contacts: Mapping[str, Points]) -> tuple[int, int, int]:
        """Appends contact points by segment. Returns their number, and two zeros."""
        for name, points in contacts.items():
            self.contact_segment += [self.figure.segment_index(name)] * len(points)
            self.contact_point += [tuple(p) for p in points]
        return sum(map(len, contacts.values())), 0, 0

    def _add_pairs(self, pairs: Pairs) -> tuple[int, int, int]:
        """Appends shapes that must stay apart. Returns the numbers of solids, of pairs, and of corners before
        half-spaces."""
        solids = pairs.solids
        segment = [self.figure.segment_index(name) for name in solids.names[: solids.segments]]
        segment += [-1] * (len(solids.names) - solids.segments)
        self.solid_segment += [segment[owner] for owner in solids.owner]
        self.solid_center += solids.center.tolist()
        self.solid_box += [0] * (len(solids.owner) - solids.boxes) + [1] * solids.boxes
        self.solid_edges += solids.edges.reshape(-1, 3).tolist()
        self.solid_radius += solids.radius.tolist()
        self.apart_solids += np.stack([pairs.a, pairs.b], axis=1).ravel().tolist()
        self.apart_margin += pairs.margin.tolist()
        for shape, point, wall, margin in zip(pairs.corner, pairs.point, pairs.wall, pairs.wall_margin, strict=True):
            half_space = solids.half_spaces[wall][1]
            self.corner_segment.append(segment[solids.owner[shape]])
            self.corner_point.append(point.tolist())
            self.corner_normal.append(tuple(half_space.normal))
            level = float(np.dot(half_space.normal, half_space.point))
            self.corner_numbers.append((float(solids.radius[shape]), float(margin), level))
        return len(solids.owner), len(pairs.a), len(pairs.corner)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Flat arrays by name. If there are tools, they include the arrays of the tree, which replace those of the
        figure."""
        return {
            name: np.array(vars(self)[name], dtype=kind).reshape(-1) for name, kind in self._types.items()
        } | tool_arrays(self.figure, self.tools)


def compiled_arrays(figure: Figure, members: Sequence[Goal], starts: Sequence[int]) -> GoalArrays:
    """The arrays of goals, or of members of goals. `starts` are the indices of their targets in a row of targets."""
    arrays = GoalArrays(figure)
    for k, (goal, at) in enumerate(zip(members, starts, strict=True)):
        if goal.evaluated_in_python:
            if goal.robust is not None:
                raise Unsupported(f"{goal.label} is evaluated in Python, so it cannot be robust")
            arrays.add_callback(k, at, GoalCallback(goal, figure.nv))
            continue
        terms = goal.native_terms()
        if goal.robust is not None and len(terms) > 1:
            raise Unsupported(f"{goal.label} counts in {len(terms)} parts, so it cannot be robust")
        for term in terms:
            arrays.add(k, at, term, goal.robust)
    return arrays
