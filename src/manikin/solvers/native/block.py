"""A figure with goals as one block of named arrays, which the native core compiles (cpp/model/named_arrays.h).

    "manikin\\0", version, number of arrays, length of the block; then for each array its name, its type and its numbers

All numbers are little-endian and every array is flat. Python, files and other programs pass the same bytes, so they get
the same answers.
"""

from __future__ import annotations

import itertools
import struct
import weakref
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from manikin import backend, rotations
from manikin.errors import BadValue, Unsupported
from manikin.figure.figure import Figure
from manikin.figure.movable import PARTS, partly_held
from manikin.goals import AnyOf, Goal, Placement
from manikin.goals.heading import heading_arrays
from manikin.problem import levels_of
from manikin.solvers.native.callbacks import GoalCallback
from manikin.solvers.native.goals import compiled_arrays
from manikin.solvers.native.speeds import joint_of_numbers, number_speeds
from manikin.solvers.native.tuning import Tuning

if TYPE_CHECKING:
    from manikin._core import Query

TWIST_HELD, SWING_HELD = 2, 3
"""Values of `Moving` in cpp/model/nodes.h, besides 0 (stays) and 1 (moves)."""
HELD = {TWIST_HELD: PARTS["twist"], SWING_HELD: PARTS["swing"]}
"""The steps of a ball that are left."""
MAGIC, VERSION = b"manikin\0", 3
Arrays = dict[str, NDArray[Any] | bytes]

_figures: dict[int, tuple[weakref.ref[Figure], Arrays]] = {}
"""The arrays of figures that are in use, by identity. Comparing figures would take longer than making the arrays."""


def texts(words: Sequence[str]) -> bytes:
    """Texts in the form of the block, each terminated by a zero byte."""
    return b"".join(word.replace("\0", " ").encode(errors="replace") + b"\0" for word in words)


def goal_words(goals: Sequence[Goal]) -> Arrays:
    """The names of goals: all labels, and for each goal its name and its segments."""
    words = [[goal.name or "", *dict.fromkeys(e.segment for e in goal.effectors)] for goal in goals]
    return {
        "goal_name": texts([goal.label for goal in goals]),
        "goal_words": _ints([len(some) for some in words]),
        "goal_word": texts([word for some in words for word in some]),
        "goal_placement": _ints([type(goal) is Placement for goal in goals]),
    }


def opened(block: bytes) -> Query:
    """The native query of a block; what is wrong with the block is a `BadValue`."""
    from manikin import _core

    try:
        return _core.Query(block)
    except ValueError as error:
        raise BadValue(str(error)) from None


def packed(arrays: Mapping[str, NDArray[Any] | bytes]) -> bytes:
    """The block of some arrays: int32, float64 or bytes."""
    parts: list[bytes] = []
    for name, values in arrays.items():
        word = name.encode("ascii")
        if isinstance(values, bytes):
            kind, count, data = 2, len(values), values
        else:
            kind, count = (0 if values.dtype.kind in "ib" else 1), values.size
            data = values.astype("<i4" if kind == 0 else "<f8", copy=False).tobytes()
        parts += [struct.pack("<IIQ", len(word), kind, count), _padded(word), _padded(data)]
    length = 24 + sum(map(len, parts))
    return b"".join([MAGIC, struct.pack("<IIQ", VERSION, len(arrays), length), *parts])


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 8)


def figure_arrays(figure: Figure) -> Arrays:
    """The arrays that do not depend on goals. They are cached as long as the figure exists."""
    key = id(figure)
    if key in _figures and _figures[key][0]() is figure:
        return _figures[key][1]
    layout, tree = figure.layout, figure.layout.tree
    cones = layout.cones
    arrays: Arrays = {
        "nq": _ints([tree.nq]),
        "nv": _ints([tree.nv]),
        "size": _reals([figure.size]),
        **{name: values.reshape(-1) for name, values in tree.arrays().items()},
        "lower": figure.lower,
        "upper": figure.upper,
        "rest": figure.clamp(figure.rest) if figure.violation(figure.rest) > 0.0 else figure.rest,
        "speed": number_speeds(figure, None),
        "joint": joint_of_numbers(figure),
        "balls": layout.balls,
        "cone_number": cones.number,
        "cone_reference": rotations.inverse(cones.inverse_reference).reshape(-1),
        "cone_basis": cones.basis.reshape(-1),
        "cone_swing": cones.swing.reshape(-1),
        "cone_twist": cones.twist.reshape(-1),
        "figure_name": texts([figure.name]),
        "number_name": texts(figure.number_names),
    }
    _figures[key] = (weakref.ref(figure, lambda _: _figures.pop(key, None)), arrays)
    return arrays


def goal_arrays(
    figure: Figure,
    goals: Sequence[Goal],
    movable: NDArray[np.bool_],
    own: int,
    weights: Sequence[float],
    shares: Sequence[Sequence[float]] | None,
    tuned: Tuning,
) -> Arrays:
    """The arrays that depend on the goals. The arguments are those of `Compiled`.

    Raises:
        Unsupported: the native core is switched off.
    """
    if not backend.native:
        raise Unsupported(
            f"{backend.VARIABLE} is 'reference': the native solver has no NumPy twin; only its kinematics and "
            "its step have one. Use a method of the chapter instead, such as method='lbfgsb' or 'bounded-dls'"
        )
    several = [goal.alternatives for goal in goals]
    members = [member for group in several for member in group]
    starts = np.cumsum([0, *(len(m.target) for m in members)])
    owned = sum(map(len, several[:own]))
    out: Arrays = {
        **{name: _reals([value]) for name, value in tuned._asdict().items()},
        "moving": _moving(figure, movable),
        "own_goals": _ints([own]),
        "own_width": _ints([starts[owned]]),
        "goal_level": levels_of([g.rank for g in goals]),
        "goal_weight": _reals(weights),
        "goal_members": _ints([len(group) for group in several]),
        **goal_words(goals),
        "member_share": np.ones(len(members)) if shares is None else _reals(list(itertools.chain(*shares))),
        "member_tolerance": _reals([m.allowed for m in members]),
        "member_angular": _ints([all(m.angular) for m in members]),
        "member_target": starts,
        "targets": np.concatenate([m.target for m in members]),
        "quaternion_at": _ints([s + k for m, s in zip(members, starts, strict=False) for k in m.quaternions]),
        "direction_at": _ints([s + k for m, s in zip(members, starts, strict=False) for k in m.directions]),
        **compiled_arrays(figure, members, [int(s) for s in starts[:-1]]).arrays(),
    }
    return out | _heading(figure, members, movable)


def _heading(figure: Figure, members: Sequence[Goal], movable: NDArray[np.bool_]) -> Arrays:
    """The arrays for turning and moving the rest pose to the targets; see `reference.heading`."""
    found = heading_arrays(figure, members, np.asarray(figure_arrays(figure)["rest"]), movable)
    if found is None:
        return {"has_heading": _ints([0])}
    values = {name: np.atleast_1d(value).reshape(-1) for name, value in found.arguments().items() if name != "size"}
    for name in ("point_goal", "axes_goal"):  # the index is that of the member, not of the goal
        values[name.replace("goal", "member")] = values.pop(name)
    return {"has_heading": _ints([1]), **{f"heading_{name}": value for name, value in values.items()}}


def _moving(figure: Figure, movable: NDArray[np.bool_]) -> NDArray[np.int32]:
    """(nq,) how each number may change (`Moving` of cpp/model/nodes.h). For a ball, only the entry of its first number
    is used."""
    tree = figure.layout.tree
    out = np.zeros(tree.nq, dtype=np.int32)
    own = (tree.step >= 0) & (tree.source < 0)
    out[tree.number[own]] = movable[tree.step[own]]
    for number, left in partly_held(figure, movable).items():
        out[number] = SWING_HELD if left[2] else TWIST_HELD
    return out


def _ints(values: Any) -> NDArray[np.int32]:
    return np.array(values, dtype=np.int32).reshape(-1)


def _reals(values: Any) -> NDArray[np.float64]:
    return np.array(values, dtype=np.float64).reshape(-1)


def shares_of(goals: Sequence[Goal]) -> list[list[float]]:
    """The factors on the weight of each goal, one for each of its members."""
    return [[m.weight for m in g.members] if isinstance(g, AnyOf) else [1.0] for g in goals]


def callbacks_of(figure: Figure, goals: Sequence[Goal]) -> tuple[GoalCallback, ...]:
    """The goals that the native solver calls in Python, in the order of all members."""
    members = (member for goal in goals for member in goal.alternatives)
    return tuple(GoalCallback(member, figure.nv) for member in members if member.evaluated_in_python)
