"""Motions as tables of numbers: .csv (text) and .npz (NumPy). They hold no figure, so reading takes one.

A table has a column for each number of a pose, named as in `figure.number_names`, and one for the time in seconds.
Angles are in radians, lengths in the figure's unit. Reading: `text` and `archive` (the files), `columns` (which column
is which number).
"""

from __future__ import annotations

import os
from pathlib import Path

from manikin.errors import BadFile, BadValue, ManikinError
from manikin.figure import Figure
from manikin.files import atomic
from manikin.files.common import oddities
from manikin.files.tables import archive, text
from manikin.files.tables.columns import poses_of
from manikin.motion.motion import Motion

USUAL_RATE = 30.0
"""Frames per second where neither the table nor the caller says when frames are."""


def load_motion(path: str | os.PathLike[str], *, figure: Figure | None = None, rate: float | None = None) -> Motion:
    """The motion in a table, of a figure.

    Columns may stand in any order. A number without a column keeps its rest pose, or follows the number that it is
    coupled to; a column without a number is left out. Each of these raises a warning, couplings aside.

    Args:
        path: .csv or .npz.
        figure: whose motion it is.
        rate: frames per second, for a table without times.

    Raises:
        BadValue: there is no figure, or a rate beside times.
        BadFile: with the line of a CSV, where something is wrong; no column has the name of a number of the figure; or
            an NPZ holds objects, which only unpickling could read.

    Warns:
        OddFile: columns are missing, too many, or without times.
    """
    if not isinstance(figure, Figure):
        got = "" if figure is None else f", got {type(figure).__name__}"
        raise BadValue(f"{os.fspath(path)} holds numbers without a figure; figure= needs the one that they pose{got}")
    table = archive.read(path, figure) if Path(path).suffix.lower() == ".npz" else text.read(path, figure)
    notes = list(table.notes)
    poses = poses_of(path, table, figure, notes)
    if table.times is not None and rate is not None:
        raise BadValue(f"rate is {rate:g}, but {os.fspath(path)} says when its frames are; leave rate= out")
    if table.times is None and rate is None:
        notes.append(f"it does not say when its frames are; {USUAL_RATE:g} a second are taken, and rate= changes that")
        rate = USUAL_RATE
    source = {"format": "table", "path": os.path.abspath(path), "notes": tuple(notes)}
    try:
        motion = Motion(figure, poses, table.times, table.name or Path(path).stem, rate=rate, source=source)
    except ManikinError as error:
        raise BadFile(path, str(error)) from error
    oddities.tell(path, notes)
    return motion


def save(motion: Motion, path: str | os.PathLike[str]) -> None:
    """Write the numbers and times of a motion, so that reading gives the same bits again."""
    with atomic.writing(path) as file:
        if Path(path).suffix.lower() == ".npz":
            archive.write(motion, file)
        else:
            text.write(motion, file)
