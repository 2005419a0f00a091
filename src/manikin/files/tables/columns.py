"""Converts the columns of a table to poses: finds the number of the figure for each column."""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np

from manikin.arrays import Matrix, Poses, Vector
from manikin.errors import BadFile, listing
from manikin.figure import Figure

ROUNDED = 1e-2
"""A quaternion whose length differs from 1 by less than this was rounded when it was written. It is normalized."""
EXACT = 1e-6
"""A quaternion whose length differs from 1 by less than this is used unchanged."""


@dataclass(frozen=True, eq=False)
class Table:
    """The content of a file."""

    names: tuple[str, ...]
    """Names of the columns, without repetition."""
    values: Matrix
    """(frames, columns)."""
    times: Vector | None = None
    """(frames,) seconds; None if the file has no times."""
    name: str = ""
    """Name of the motion; empty if the file has none."""
    notes: tuple[str, ...] = ()


def poses_of(path: str | os.PathLike[str], table: Table, figure: Figure, notes: list[str]) -> Poses:
    """(frames, nq) the poses of a figure. Oddities are added to the notes.

    Raises:
        BadFile: no column matches a number of the figure.
    """
    place = {name: k for k, name in enumerate(table.names)}
    wanted = figure.number_names
    there = [i for i, name in enumerate(wanted) if name in place]
    if not there:
        raise BadFile(
            path,
            f"none of its columns ({listing(list(table.names), 6)}) is a number of figure {figure.name!r}, "
            f"which has {listing(list(wanted), 6)}",
        )
    poses = np.tile(figure.rest, (len(table.values), 1))
    poses[:, there] = table.values[:, [place[wanted[i]] for i in there]]
    _tell(table, figure, set(there), notes)
    _normalise(figure, poses, notes)
    missing = [i for i in range(figure.nq) if i not in set(there)]
    if missing:  # coupled numbers follow their leaders
        poses[:, missing] = figure.integrate(poses, np.zeros(figure.nv))[:, missing]
    return poses


def _tell(table: Table, figure: Figure, there: set[int], notes: list[str]) -> None:
    """Adds notes on missing and extra columns."""
    coupled = {s.joint.name for s in figure.segments if s.joint.coupling is not None}
    missing = [n for i, n in enumerate(figure.number_names) if i not in there and n not in coupled]
    if missing:
        notes.append(f"the file has no column for {listing(missing)}; they keep their values in the rest pose")
    known = set(figure.number_names)
    extra = [name for name in table.names if name not in known]
    if extra:
        notes.append(
            f"figure {figure.name!r} has no numbers with the names of the columns {listing(extra)}; "
            "these columns are ignored"
        )


def _normalise(figure: Figure, poses: Poses, notes: list[str]) -> None:
    """Normalizes rounded quaternions, in place."""
    names = figure.number_names
    rounded = []
    for i, name in enumerate(names):
        joint = name.removesuffix(".w")
        if joint == name or names[i + 1 : i + 4] != tuple(f"{joint}.{axis}" for axis in "xyz"):
            continue
        q = poses[:, i : i + 4]
        off = np.abs(np.linalg.norm(q, axis=1) - 1.0)
        near = (off > EXACT) & (off <= ROUNDED)
        if near.any():
            q[near] /= np.linalg.norm(q[near], axis=1, keepdims=True)
            rounded.append(joint)
    if rounded:
        notes.append(f"the quaternions of {listing(rounded)} do not have length 1 exactly; they are normalized")
