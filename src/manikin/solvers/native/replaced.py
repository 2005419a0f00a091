"""Solvers with other offsets of effectors and other lengths of segments, for calibrations.

A calibration changes these numbers many times, and compiling goals takes milliseconds. If only numbers of the compiled
block change, they are written into a copy of the block, which the core opens in a fraction of a millisecond. The copy
equals the block of a new solver byte for byte. Otherwise a new solver is made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from manikin import arrays
from manikin.arrays import Vector
from manikin.errors import BadShape, BadValue, Unsupported
from manikin.figure.figure import Figure
from manikin.figure.joint import Free, Slider
from manikin.figure.measure import paths, size_of
from manikin.goals import AnyOf, Goal
from manikin.goals.goal import FARTHEST
from manikin.goals.heading import ARM
from manikin.reference.heading import LEAST_EFFECTORS
from manikin.reference.tree import ancestors
from manikin.solvers.native.goals import part_kind
from manikin.solvers.native.stored import array_places
from manikin.solvers.native.tuning import tuning

if TYPE_CHECKING:
    from manikin import _core
    from manikin.solvers.native.compiled import Compiled

Kind = TypeVar("Kind", bound="Compiled")
Offsets = Mapping[str, ArrayLike] | ArrayLike
"""Offsets by goal name (3,), or (goals, 3) with NaN in the rows of goals that keep theirs."""


TREE = (
    *("parent", "kind", "rotation", "offset", "axis", "number", "step", "ratio", "shift", "source"),
    *("segment", "mass", "center"),
)
"""The arrays of the tree in a block."""


class Numbers:
    """The arrays of a block, to be changed in place."""

    def __init__(self, block: bytes, places: dict[str, tuple[int, str, int]]) -> None:
        self._data, self._places = bytearray(block), places

    def __getitem__(self, name: str) -> Any:
        """A view of an array; writing to it changes the block."""
        at, kind, count = self._places[name]
        return np.frombuffer(self._data, kind, count, at)

    def block(self) -> bytes:
        """The changed block."""
        return bytes(self._data)


class Form:
    """Facts about the figure and the goals of a solver. They are the same for all its copies."""

    def __init__(self, figure: Figure, given: tuple[Goal, ...], block: bytes) -> None:
        self.places = array_places(block)
        now = Numbers(block, self.places)
        # Which numbers scale with which segment.
        self.names = {name: i for i, name in enumerate(figure.segment_names)}
        """Index of each segment."""
        parents = [-1 if s.parent is None else self.names[s.parent] for s in figure.segments]
        owner = {int(node): i for i, node in enumerate(figure.layout.tree.segment)}
        self.node_parent = np.array([owner.get(int(i), -1) for i in figure.layout.tree.parent])
        """(nodes,) the segment whose length scales the offset of each node; −1 if there is none."""
        self.first_node = _first_nodes(figure)
        """(segments,) the node that has the offset of each joint."""
        self.slide_parents = {
            parents[i]
            for i, s in enumerate(figure.segments)
            if parents[i] >= 0 and any(isinstance(m, (Slider, Free)) for m in s.joint.motions)
        }
        """Segments whose length scales the travel of a slider or a rest position."""
        self.paths = paths(figure.segments)
        # Which offsets belong to which goal.
        counts = [len(g.alternatives) for g in given]
        self.member = [int(m) for m in np.cumsum([0, *counts])[:-1]]
        """(goals,) the first member of each goal."""
        self.parts = [np.flatnonzero(now["part_member"] == m) for m in self.member]
        """(goals,) the parts of that member."""
        turns = (part_kind("orientation"), part_kind("aim"))
        self.angular = [np.isin(now["part_kind"][parts], turns) for parts in self.parts]
        self.own_offset = [
            len(parts) > 0 and not isinstance(g, AnyOf) and hasattr(g, "offset") and not g.effectors[0].turned
            for g, parts in zip(given, self.parts, strict=True)
        ]
        """(goals,) whether the goal's offset is a number of the block that belongs to this goal alone."""
        several = any(n > 1 for n in counts)
        self.only_parts = not (now["link_kind"].size or now["posture_member"].size or figure.loops or several)
        """Whether every goal concerns a single effector and has no alternatives."""
        # The heading, which depends on points of the figure.
        self.may_head = not several
        """Whether the points of the heading, if there is one, are those of the goals."""
        self.has_heading = bool(now["has_heading"][0])
        self.points = sum(g.point_slot is not None for goal in given for g in goal.alternatives)
        """Number of goals that could determine a heading."""
        self.point_goal = [int(m) for m in now["heading_point_member"]] if self.has_heading and self.may_head else []
        effectors = [given[k].effectors[0] for k in self.point_goal]
        names = list(dict.fromkeys(e.segment for e in effectors))
        self.point_segments = np.array([self.names[name] for name in names], dtype=np.int32)
        self.point_segment = [names.index(e.segment) for e in effectors]
        self.point_turn = [e.rotation for e in effectors]
        self.root = _nodes_to(figure, int(now["heading_turn"][-1])) if self.has_heading else []
        """Nodes from the top to the last joint of the free root."""


def _first_nodes(figure: Figure) -> list[int]:
    tree, ends = figure.layout.tree, set(map(int, figure.layout.tree.segment))
    out = []
    for last in tree.segment:
        node = int(last)
        while tree.parent[node] >= 0 and int(tree.parent[node]) not in ends:
            node = int(tree.parent[node])
        out.append(node)
    return out


def _nodes_to(figure: Figure, number: int) -> list[int]:
    """The node with this number of a pose, and those above it."""
    tree = figure.layout.tree
    return ancestors(tree, int(np.flatnonzero(tree.number == number)[0]))


def replaced(solver: Kind, offsets: Offsets | None, lengths: Mapping[str, float] | None) -> Kind:
    """A solver with other numbers. See `Solver.replaced`."""
    if solver._stored is not None:
        raise Unsupported(
            "this solver was opened from bytes, which have no goals to change; use mk.Solver(figure, goals)"
        )
    given, factors = _offsets(solver, offsets), _factors(solver, lengths)
    if not given and not factors:
        return solver
    other: Kind = object.__new__(type(solver))
    lazy = ("goals", "_natural", "_others", "_form", *(("figure",) if factors else ()))
    vars(other).update({name: value for name, value in vars(solver).items() if name not in lazy})
    other._offsets = {**solver._offsets, **given}
    if factors:
        other._scales = (*solver._scales, factors)
    form = solver._form
    block = _changed_block(solver, form, given, other._offsets, factors)
    query = None if block is None else _opened(block)
    if block is None or query is None:
        goals, options = other._made_of
        return type(solver)(other.figure, goals, **options)
    other._form, other._block, other._query = form, block, query
    now = Numbers(block, form.places)
    other._angle_length = float(now["angle_weight"][0]) * float(now["size"][0])
    return other


def with_tolerance(solver: Kind, tolerance: float) -> Kind:
    """The solver with one tolerance for all goals on single effectors, such as positions. Its `goals` keep theirs."""
    from manikin import _core

    numbers = Numbers(solver._block, array_places(solver._block))
    numbers["part_tolerance"][:] = tolerance
    numbers["member_tolerance"][numbers["part_member"]] = tolerance
    other: Kind = object.__new__(type(solver))
    vars(other).update(vars(solver))
    other._block = numbers.block()
    other._query = _core.Query(other._block)
    return other


def _opened(block: bytes) -> _core.Query | None:
    """The native query; None if the core refuses a number. Compiling the goals again then raises the error."""
    from manikin import _core

    try:
        return _core.Query(block)
    except ValueError:
        return None


def _offsets(solver: Compiled, offsets: Offsets | None) -> dict[int, tuple[float, ...]]:
    """The given offsets by the index of the goal."""
    if offsets is None:
        return {}
    goals, given = solver._targets.goals, solver._given
    out: dict[int, tuple[float, ...]] = {}
    if isinstance(offsets, Mapping):
        labels = Counter(goal.label for goal in goals)
        index = {goal.label: k for k, goal in enumerate(goals) if labels[goal.label] == 1}
        for name, offset in offsets.items():
            k = index[name] if name in index else goals.index(solver._targets.named(name))
            out[k] = tuple(arrays.vector3(offset, f"offset of {name!r}").tolist())
    else:
        rows = arrays.real(offsets, "offsets")
        if rows.shape != (len(goals), 3):
            raise BadShape(f"offsets has shape {rows.shape}; it needs ({len(goals)}, 3), a row for each goal")
        kept = np.isnan(rows).all(axis=1)
        arrays.require_finite(rows[~kept], "offsets")
        out = {int(k): tuple(rows[k].tolist()) for k in np.flatnonzero(~kept)}
    for k in out:
        if not hasattr(given[k], "offset"):
            raise BadValue(f"offsets: {goals[k].label} has no offset")
    return out


def _factors(solver: Compiled, lengths: Mapping[str, float] | None) -> dict[str, float]:
    """The given factors of lengths that differ from 1."""
    if lengths is None:
        return {}
    if not isinstance(lengths, Mapping):
        raise BadValue(f"lengths is {lengths!r}; it needs factors by segment, such as {{'LeftForeArm': 1.05}}")
    names = solver._form.names
    for name in lengths:
        if name not in names:
            solver.figure.segment_index(name)  # raises the error that names the segments
    factors = {name: arrays.positive(f, f"scale of {name!r}") for name, f in lengths.items()}
    return {name: f for name, f in factors.items() if f != 1.0}


def _changed_block(
    solver: Compiled,
    form: Form,
    given: dict[int, tuple[float, ...]],
    offsets: dict[int, tuple[float, ...]],
    factors: dict[str, float],
) -> bytes | None:
    """The block with other numbers; None if more than numbers would change."""
    if not all(form.own_offset[k] for k in given) or (factors and not form.only_parts):
        return None
    if (form.has_heading and not form.may_head) or (not form.has_heading and form.points >= LEAST_EFFECTORS):
        return None  # whether there is a heading may change
    numbers = Numbers(solver._block, form.places)
    size = float(numbers["size"][0])
    if factors:
        scale = np.ones(len(form.names) + 1)  # the last is for nodes without such a segment
        scale[[form.names[name] for name in factors]] = list(factors.values())
        if any(scale[i] != 1.0 for i in form.slide_parents):
            return None
        size = _scale(numbers, form, scale)
        _retune(solver, numbers, form, size)
    far = FARTHEST * max(size, 1.0)
    part_offset = numbers["part_offset"].reshape(-1, 3)
    for k, offset in given.items():
        if max(map(abs, offset)) > far:
            return None
        part_offset[form.parts[k]] = offset
    if form.has_heading and not _turn_to_points(solver, numbers, form, offsets, size, bool(factors)):
        return None
    return numbers.block()


def _scale(numbers: Numbers, form: Form, scale: Vector) -> float:
    """Scales the tree. Returns the size of the figure."""
    offset, center = numbers["offset"].reshape(-1, 3), numbers["center"].reshape(-1, 3)
    nodes, count = len(form.node_parent), len(form.names)
    offset[:nodes] *= scale[form.node_parent][:, None]
    center[:count] *= scale[:count, None]
    size = size_of(form.paths, offset[form.first_node])
    numbers["size"][0] = size
    return size


def _retune(solver: Compiled, numbers: Numbers, form: Form, size: float) -> None:
    """Writes the values that depend on the size of the figure: default tolerances and the tuning."""
    member, part = numbers["member_tolerance"], numbers["part_tolerance"]
    sized: Any = SimpleNamespace(size=size)
    for goal, m, parts, angular in zip(solver._given, form.member, form.parts, form.angular, strict=True):
        if goal.tolerance is None:
            allowed: Any = goal._default_tolerance(sized)
            length, angle = allowed if isinstance(allowed, tuple) else (allowed, allowed)
            member[m] = length
            part[parts] = np.where(angular, angle, length)
    options = solver._options
    for name, value in tuning(size, options["damping"], options["angle_length"])._asdict().items():
        numbers[name][0] = value


def _turn_to_points(
    solver: Compiled,
    numbers: Numbers,
    form: Form,
    offsets: dict[int, tuple[float, ...]],
    size: float,
    scaled: bool,
) -> bool:
    """Writes the points of the heading. Returns False if there would be no heading, or if the root moves."""
    from manikin import _core

    own = [offsets.get(k, getattr(solver._given[k], "offset", None)) for k in form.point_goal]
    keys = list(zip(form.point_segment, own, form.point_turn, strict=True))
    index = {key: k for k, key in enumerate(dict.fromkeys(keys))}
    if len(index) < LEAST_EFFECTORS:
        return False
    if scaled:
        before = Numbers(solver._block, form.places)["offset"].reshape(-1, 3)[form.root]
        if (numbers["offset"].reshape(-1, 3)[form.root] != before).any():
            return False
        numbers["heading_arm"][0], numbers["heading_most"][0] = ARM * size, FARTHEST * size
    tree = {name: numbers[name] for name in TREE}
    kinematics = _core.Kinematics(int(numbers["nq"][0]), int(numbers["nv"][0]), **tree)
    placed: Any = kinematics.placements(numbers["heading_start"][None], form.point_segments)
    point = numbers["heading_point"].reshape(-1, 3)
    for k, (segment, offset, _) in enumerate(keys):
        at = placed[0, segment]
        point[k] = at[:3, :3] @ np.array(offset) + at[:3, 3]
    numbers["heading_point_effector"][:] = [index[key] for key in keys]
    return True


def with_offsets(goals: tuple[Goal, ...], offsets: dict[int, tuple[float, ...]]) -> tuple[Goal, ...]:
    """The goals, with other offsets by index."""
    return tuple(
        replace(goal, offset=offsets[k]) if k in offsets else goal  # type: ignore[call-arg]
        for k, goal in enumerate(goals)
    )
