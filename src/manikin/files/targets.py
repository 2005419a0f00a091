"""Targets over time from a table: a column of times, then columns such as RightHand.x, RightHand.qw."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from manikin import arrays
from manikin.base.reading import read_bytes
from manikin.errors import BadFile, unknown_name
from manikin.files.common.newlines import cells, with_newlines
from manikin.goals import Orientation, Placement, Position
from manikin.motion.over import Over

if TYPE_CHECKING:
    from manikin.arrays import Matrix, Vector
    from manikin.figure import Figure

POINT, TURN = ("x", "y", "z"), ("qw", "qx", "qy", "qz")


def load_targets(path: Path, figure: Figure, rate: float | None) -> tuple[list[Over], Vector]:
    """Goals over time and their times (T,). Empty cells are gaps.

    Columns SEGMENT.x, .y, .z give a position; .qw, .qx, .qy, .qz an orientation; all seven a placement.

    Raises:
        BadFile: the message names the line.
    """
    names, values, lines = _read(path)
    clock = next((k for k, name in enumerate(names) if name.lower() in ("time", "times", "t", "seconds")), None)
    if clock is None and rate is None:
        raise BadFile(path, "there is no column 'time'; add one, or give the rate (--rate)", 1)
    times = values[:, clock] if clock is not None else np.arange(len(values)) / arrays.positive(rate or 0.0, "rate")
    if not np.isfinite(times).all():
        raise BadFile(path, "a time is missing", lines[int(np.argmin(np.isfinite(times)))])
    columns: dict[str, dict[str, int]] = {}
    for k, name in enumerate(names):
        if k != clock:
            segment, _, part = name.rpartition(".")
            if part not in (*POINT, *TURN) or not segment:
                raise BadFile(
                    path, f"column {name!r} is not a target; it needs a name such as RightHand.x or Head.qw", 1
                )
            if part in columns.setdefault(segment, {}):
                raise BadFile(path, f"there are two columns {name!r}; each column needs its own name", 1)
            columns[segment][part] = k
    goals: list[Over] = []
    for segment, own in columns.items():
        if segment not in figure.segment_names:
            raise BadFile(
                path, str(unknown_name(f"figure {figure.name!r}", "segment", segment, figure.segment_names)), 1
            )
        parts = [p for p in (*POINT, *TURN) if p in own]
        rows = values[:, [own[p] for p in parts]]
        if parts == [*POINT, *TURN]:
            goals.append(Over(Placement(segment, (0, 0, 0, 1, 0, 0, 0)), rows))
        elif parts == [*POINT]:
            goals.append(Over(Position(segment, (0, 0, 0)), rows))
        elif parts == [*TURN]:
            goals.append(Over(Orientation(segment, (1, 0, 0, 0)), rows))
        else:
            raise BadFile(path, f"{segment} has {', '.join(parts)}; it needs x, y, z, or qw, qx, qy, qz, or all", 1)
    if not goals:
        raise BadFile(path, "there are no targets, only times", 1)
    return goals, times


def _read(path: Path) -> tuple[list[str], Matrix, list[int]]:
    """The names of the columns, the numbers (T, n) with NaN in empty cells, and the line of each row."""
    try:
        text = with_newlines(read_bytes(path)).decode()
    except UnicodeDecodeError as error:
        raise BadFile(path, "this is not a table: it needs text in UTF-8", offset=error.start) from error
    split = ((k, cells(path, line, k, ",")) for k, line in enumerate(text.split("\n"), start=1))
    found = [(k, row) for k, row in split if any(row)]
    numbers, lines = [number for number, _ in found], [row for _, row in found]
    if len(lines) < 2:
        raise BadFile(path, "there are no frames: a line of names and at least one line of numbers are needed", 1)
    names = lines[0]
    values = np.full((len(lines) - 1, len(names)), np.nan)
    for i, row in enumerate(lines[1:]):
        if len(row) != len(names):
            raise BadFile(path, f"this line has {len(row)} cells, but the first line has {len(names)}", numbers[i + 1])
        for k, cell in enumerate(row):
            if cell:
                try:
                    values[i, k] = float(cell)
                except ValueError as error:
                    raise BadFile(path, f"{names[k]} is {cell[:40]!r}; it needs a number", numbers[i + 1]) from error
    return names, values, numbers[1:]
