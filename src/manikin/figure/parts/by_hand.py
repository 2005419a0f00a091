"""Corrections in a map file: a standing pose, sole points, and turns of parts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin import arrays
from manikin.arrays import Vector
from manikin.errors import BadValue, unknown_name

if TYPE_CHECKING:
    from manikin.figure.figure import Figure

SIDES = ("left", "right")
POINTS = ("toe", "heel")
KEYS = ("pose", "soles", "turns", "digest")
"""Keys of a map file, besides figure, up, legs and parts."""

Triple = tuple[float, ...]


@dataclass(frozen=True)
class ByHand:
    """The corrections of a map. Most maps have none."""

    pose: Mapping[str, float] | None = None
    """The numbers of a standing pose that differ from the rest pose, by name; empty for the rest pose. None finds a
    pose."""
    soles: Mapping[str, Triple] = field(default_factory=dict)
    """(3,) "left toe", "left heel" and those of the right side, in the space of the main segment of the foot."""
    turns: Mapping[str, Triple] = field(default_factory=dict)
    """(4,) for some parts: a rotation (quaternion w x y z) that corrects the axes that were found, given in these
    axes."""

    def standing(self, figure: Figure) -> Vector | None:
        """(nq,) the standing pose; None if the map has none."""
        if self.pose is None:
            return None
        out = np.array(figure.rest)
        for name, value in self.pose.items():
            out[figure.number_names.index(name)] = value
        return out

    def to_dict(self, figure: Figure) -> dict[str, Any]:
        """The keys of the map file; empty if nothing is given by hand."""
        out: dict[str, Any] = {}
        if self.pose is not None:
            out["pose"] = dict(self.pose) or "rest"
        if self.soles:
            out["soles"] = {
                side: {p: list(self.soles[f"{side} {p}"]) for p in POINTS if f"{side} {p}" in self.soles}
                for side in SIDES
                if any(name.startswith(side) for name in self.soles)
            }
        if self.turns:
            out["turns"] = {part: list(turn) for part, turn in self.turns.items()}
        return {**out, "digest": figure.digest} if out else {}


def read_by_hand(figure: Figure, parts: Mapping[str, Any], data: Mapping[str, Any]) -> tuple[ByHand, tuple[str, ...]]:
    """The corrections in the keys of a map file, checked, and notes.

    Args:
        figure: the figure of the map.
        parts: the parts of the map.
        data: the keys of the map file.

    Raises:
        BadValue, UnknownName: a name is unknown, or a value is not what it must be.
    """
    owner = f"the map of figure {figure.name!r}"
    soles = {}
    for side, points in _object(data.get("soles"), f"{owner}: soles").items():
        if side not in SIDES:
            raise unknown_name(f"{owner}, soles", "side", side, SIDES)
        for point, at in _object(points, f"{owner}: soles of the {side} foot").items():
            if point not in POINTS:
                raise unknown_name(f"{owner}, soles of the {side} foot", "point", point, POINTS)
            soles[f"{side} {point}"] = _numbers(at, f"{owner}: {side} {point}", 3)
    turns = {}
    for part, turn in _object(data.get("turns"), f"{owner}: turns").items():
        if part not in parts:
            raise unknown_name(f"{owner}, turns", "part", part, list(parts))
        four = np.array(_numbers(turn, f"{owner}: turn of the {part}", 4))
        length = float(np.linalg.norm(four))
        if abs(length - 1.0) > 1e-3:
            raise BadValue(f"{owner}: turn of the {part} has length {length:g}; a quaternion w x y z has length 1")
        turns[part] = tuple(float(x) for x in four / length)
    notes: tuple[str, ...] = ()
    known = data.get("digest")
    if known is not None and known != figure.digest:
        notes = ("the map was written for another version of this figure; check pose, soles and turns",)
    return ByHand(_pose(figure, data.get("pose"), owner), soles, turns), notes


def _pose(figure: Figure, given: Any, owner: str) -> dict[str, float] | None:
    if given is None:
        return None
    if given == "rest":
        return {}
    out = {}
    for name, value in _object(given, f"{owner}: pose").items():
        if name not in figure.number_names:
            raise unknown_name(f"{owner}, pose", "number", name, figure.number_names)
        out[name] = arrays.scalar(value, f"{owner}: {name}")
    return out


def _object(given: Any, what: str) -> Mapping[str, Any]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise BadValue(f"{what} is {given!r}; it needs an object with names as keys")
    return given


def _numbers(given: Any, what: str, count: int) -> Triple:
    return tuple(float(x) for x in arrays.numbers(given, what, (count,)))
