"""The figure and the goals of a solver made by `Solver.from_bytes`, as far as the bytes describe them.

The native core opens and checks the block first (cpp/solve/description/description.cpp). So the block is complete, and
its arrays fit each other. This file checks only the names, which the core does not use.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manikin.arrays import Poses, Vector, frozen
from manikin.errors import BadValue, Unsupported
from manikin.figure.figure import Figure
from manikin.figure.numbers import check_pose
from manikin.goals.robust import LOSSES, Robust
from manikin.reference.tree import BALL
from manikin.solvers.native.block import HELD
from manikin.solvers.native.goals import link_kind
from manikin.solvers.native.speeds import MaxSpeed, checked_speed, number_speeds
from manikin.solvers.native.targets import GoalTarget

HEAD, ARRAY_HEAD = 24, 16
"""Bytes before the first array, and before the name of an array (cpp/model/named_arrays.h)."""
TYPES = ("<i4", "<f8", "S1")


def read_arrays(block: bytes) -> dict[str, NDArray[Any]]:
    """The arrays of a block that the native core has opened."""
    return {name: np.frombuffer(block, kind, count, at) for name, (at, kind, count) in array_places(block).items()}


def array_places(block: bytes) -> dict[str, tuple[int, str, int]]:
    """Where each array of such a block starts, its type, and its number of items."""
    out: dict[str, tuple[int, str, int]] = {}
    at = HEAD
    for _ in range(struct.unpack_from("<I", block, 12)[0]):
        length, kind, count = struct.unpack_from("<IIQ", block, at)
        at += ARRAY_HEAD
        name = block[at : at + length].decode("ascii")
        at += length + -length % 8
        out[name] = (at, TYPES[kind], count)
        length = count * np.dtype(TYPES[kind]).itemsize
        at += length + -length % 8
    return out


def texts(arrays: dict[str, NDArray[Any]], name: str, count: int) -> tuple[str, ...]:
    """`count` texts, each terminated by a zero byte."""
    try:
        words = arrays[name].tobytes().decode().split("\0")
    except (KeyError, UnicodeDecodeError):
        raise BadValue(f"compiled problem: array {name!r} is missing, or not text in UTF-8") from None
    if len(words) != count + 1 or words[-1]:
        raise BadValue(f"compiled problem: array {name!r} has {len(words) - 1} strings; it needs {count}")
    return tuple(words[:-1])


def _missing(what: str, name: str) -> Exception:
    if name.startswith("__"):
        return AttributeError(name)
    return Unsupported(
        f"this solver was opened from bytes, which contain no {what} ({name!r} is not available): it can solve "
        "and track, and knows targets by name; reports, joints by name and placements need mk.Solver(figure, goals)"
    )


class StoredFigure:
    """The description of a figure in bytes: the names of the numbers of a pose, and their limits."""

    def __init__(self, arrays: dict[str, NDArray[Any]], query: Any) -> None:
        self.name = texts(arrays, "figure_name", 1)[0]
        """Name of the figure."""
        self.nq, self.nv = int(arrays["nq"][0]), int(arrays["nv"][0])
        self.size = float(arrays["size"][0])
        self.number_names = texts(arrays, "number_name", self.nq)
        """(nq,) the name of each number of a pose."""
        self.rest, self.lower, self.upper = (frozen(arrays[name]) for name in ("rest", "lower", "upper"))
        self.speed: Vector = frozen(arrays["speed"])
        """(nq,) speed limits in radians or lengths per second; infinite without a limit."""
        tree = SimpleNamespace(**{name: arrays[name] for name in ("kind", "number", "step", "source", "ratio")})
        self.layout = SimpleNamespace(balls=arrays["balls"].astype(np.int64), tree=tree)
        self._query = query

    def check(self, q: ArrayLike, name: str = "pose") -> Poses:
        """A pose (..., nq) as float64, checked: shape, finite numbers, unit quaternions. Limits are not checked."""
        return check_pose(self, q, name)  # type: ignore[arg-type]

    def violation(self, q: ArrayLike) -> float:
        """0.0 if the pose is within all limits; otherwise the largest excess, in radians or lengths."""
        return float(self._query.violation(np.ascontiguousarray(self.check(q))))

    def speeds(self, every: float) -> Vector:
        """(nq,) the stored speeds, with the given speed for all joints that turn, as in `number_speeds`.

        Raises:
            Unsupported: a joint that turns follows a slider. The stored speed of the slider includes the speed of that
                joint, and its own speed is not known.
        """
        out: Vector | None = self._query.speeds(every)
        if out is None:
            raise _missing("figure", "the speed of a slider")
        return out

    def __getattr__(self, name: str) -> Any:
        raise _missing("figure", name)

    def __repr__(self) -> str:
        return f"<figure {self.name!r} of bytes: {self.nv} degrees of freedom>"


def speeds_of(figure: Figure | StoredFigure, max_speed: MaxSpeed) -> Vector:
    """(nq,) the largest speed of each number, as in `number_speeds`."""
    if isinstance(figure, Figure) or isinstance(max_speed, Mapping):
        return number_speeds(figure, max_speed)  # type: ignore[arg-type]
    return figure.speed if max_speed is None else figure.speeds(checked_speed(max_speed, "max_speed"))


@dataclass(frozen=True)
class StoredGoal:
    """The description of a goal, or of a member of an AnyOf, in bytes."""

    label: str
    name: str | None
    weight: float
    priority: int
    allowed: float
    """The largest error that counts as reached."""
    angular: tuple[bool, ...]
    """Whether its error is an angle."""
    robust: Robust | None
    """Its robust loss."""

    def __getattr__(self, name: str) -> Any:
        raise _missing("goals", name)


class Stored:
    """The description of a figure and its goals in a block."""

    def __init__(self, block: bytes, query: Any) -> None:
        arrays = read_arrays(block)
        if (arrays["link_kind"] == link_kind("callback")).any():
            raise BadValue("compiled problem: it has a goal in Python (Custom), which cannot be stored in bytes")
        self.figure = StoredFigure(arrays, query)
        self.own = int(arrays["own_goals"][0])
        """Number of goals that the caller gave. The goals of closed loops follow them."""
        # Goals and their members, and where their targets are in a row.
        count = len(arrays["goal_level"])
        labels, levels, weights = texts(arrays, "goal_name", count), arrays["goal_level"], arrays["goal_weight"]
        words = self._words(arrays, count)
        members = np.concatenate([[0], np.cumsum(arrays["goal_members"], dtype=np.int64)])
        starts, allowed, turns = arrays["member_target"], arrays["member_tolerance"], arrays["member_angular"]
        self.members: tuple[tuple[StoredGoal, ...], ...] = tuple(
            tuple(
                StoredGoal(
                    labels[g],
                    words[g][0] or None,
                    float(weights[g]),
                    int(levels[g]),
                    float(allowed[m]),
                    (bool(turns[m]),),
                    _robust(arrays, m),
                )
                for m in range(members[g], members[g + 1])
            )
            for g in range(count)
        )
        """(goals) the members of each goal; one for a goal without alternatives."""
        self.goal_targets: tuple[GoalTarget, ...] = tuple(
            GoalTarget(
                labels[g],
                words[g][0] or None,
                words[g][1:],
                bool(arrays["goal_placement"][g]),
                slice(int(starts[members[g]]), int(starts[members[g + 1]])),
            )
            for g in range(self.own)
        )
        # Numbers of the problem.
        self.targets: Vector = frozen(arrays["targets"][: int(arrays["own_width"][0])])
        """(k,) the goals' own targets."""
        self.weights: Vector = frozen(weights[: self.own])
        """(own,) the weights of the goals that the caller gave."""
        self.movable: NDArray[np.bool_] = frozen(_movable(arrays), bool)
        """(nv,) the steps that may change."""
        self.angle_length = float(arrays["angle_weight"][0]) * self.figure.size
        self.least_damping = float(arrays["least_damping"][0])

    def _words(self, arrays: dict[str, NDArray[Any]], count: int) -> list[tuple[str, ...]]:
        """The names of each goal: its own name, then those of its segments."""
        for name in ("goal_words", "goal_placement"):
            if name not in arrays or arrays[name].shape != (count,) or arrays[name].dtype != np.dtype("<i4"):
                raise BadValue(f"compiled problem: array {name!r} is missing, or does not fit the goals")
        counts = arrays["goal_words"].astype(np.int64)
        if (counts < 1).any():
            raise BadValue("compiled problem: a goal has no names")
        words = texts(arrays, "goal_word", int(counts.sum()))
        ends = np.concatenate([[0], np.cumsum(counts)])
        return [words[ends[g] : ends[g + 1]] for g in range(count)]


def _robust(arrays: dict[str, NDArray[Any]], member: int) -> Robust | None:
    """The loss of a member, which has one part if it is robust."""
    own = np.flatnonzero(arrays["part_member"] == member)
    kind = int(arrays["part_loss"][own[0]]) if len(own) == 1 else 0
    return LOSSES[kind](float(arrays["part_scale"][own[0]])) if kind else None


def _movable(arrays: dict[str, NDArray[Any]]) -> NDArray[np.bool_]:
    out = np.zeros(int(arrays["nv"][0]), dtype=bool)
    for i in np.flatnonzero((arrays["step"] >= 0) & (arrays["source"] < 0)):
        step, steps = int(arrays["step"][i]), 3 if arrays["kind"][i] == BALL else 1
        moving = int(arrays["moving"][arrays["number"][i]])
        out[step : step + steps] = HELD.get(moving, moving != 0)
    return out
