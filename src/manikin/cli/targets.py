"""Targets over time from a table: a column of times, then columns such as RightHand.x, RightHand.qw."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from manikin.errors import BadFile, unknown_name

if TYPE_CHECKING:
    from manikin.arrays import Matrix, Vector
    from manikin.figure import Figure
    from manikin.motion import Over

POINT, TURN = ("x", "y", "z"), ("qw", "qx", "qy", "qz")


def load_targets(path: Path, figure: Figure, rate: float | None) -> tuple[list[Over], Vector]:
    """Goals over time and their times (T,). Empty cells are gaps.

    Columns SEGMENT.x, .y, .z give a position; .qw, .qx, .qy, .qz an orientation; all seven a placement.

    Raises:
        BadFile: the message names the line.
    """
    import manikin as mk

    names, values = _read(path)
    clock = next((k for k, name in enumerate(names) if name.lower() in ("time", "times", "t", "seconds")), None)
    if clock is None and rate is None:
        raise BadFile(path, "there is no column 'time'; add one, or give --rate", 1)
    times = np.arange(len(values)) / rate if clock is None else values[:, clock]  # type: ignore[operator]
    if not np.isfinite(times).all():
        raise BadFile(path, "a time is missing", 2 + int(np.argmin(np.isfinite(times))))
    columns: dict[str, dict[str, int]] = {}
    for k, name in enumerate(names):
        if k != clock:
            segment, _, part = name.rpartition(".")
            if part not in (*POINT, *TURN) or not segment:
                raise BadFile(
                    path, f"column {name!r} is not a target; it needs a name such as RightHand.x or Head.qw", 1
                )
            columns.setdefault(segment, {})[part] = k
    goals: list[Over] = []
    for segment, own in columns.items():
        if segment not in figure.segment_names:
            raise unknown_name(f"figure {figure.name!r}", "segment", segment, figure.segment_names)
        parts = [p for p in (*POINT, *TURN) if p in own]
        rows = values[:, [own[p] for p in parts]]
        if parts == [*POINT, *TURN]:
            goals.append(mk.Over(mk.Placement(segment, (0, 0, 0, 1, 0, 0, 0)), rows))
        elif parts == [*POINT]:
            goals.append(mk.Over(mk.Position(segment, (0, 0, 0)), rows))
        elif parts == [*TURN]:
            goals.append(mk.Over(mk.Orientation(segment, (1, 0, 0, 0)), rows))
        else:
            raise BadFile(path, f"{segment} has {', '.join(parts)}; it needs x, y, z, or qw, qx, qy, qz, or all", 1)
    if not goals:
        raise BadFile(path, "there are no targets, only times", 1)
    return goals, times


def _read(path: Path) -> tuple[list[str], Matrix]:
    """The names of the columns and the numbers (T, n), NaN in empty cells."""
    lines = [
        row for row in csv.reader(path.read_text(encoding="utf-8-sig").splitlines()) if any(c.strip() for c in row)
    ]
    if len(lines) < 2:
        raise BadFile(path, "there are no frames: a line of names and at least one line of numbers are needed", 1)
    names = [cell.strip() for cell in lines[0]]
    values = np.full((len(lines) - 1, len(names)), np.nan)
    for i, row in enumerate(lines[1:]):
        if len(row) != len(names):
            raise BadFile(path, f"this line has {len(row)} cells, but the first line has {len(names)}", i + 2)
        for k, cell in enumerate(row):
            if cell.strip():
                try:
                    values[i, k] = float(cell)
                except ValueError as error:
                    raise BadFile(path, f"{names[k]} is {cell.strip()!r}; it needs a number", i + 2) from error
    return names, values
