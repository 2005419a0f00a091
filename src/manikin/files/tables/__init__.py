"""Motions as tables of numbers: .csv (text) and .npz (NumPy). They contain no figure, so reading needs one.

A table has a column for each number of a pose, named as in `figure.number_names`, and one for the time in seconds.
Angles are in radians, lengths in the unit of the figure. `text` and `archive` read the files, and `columns` assigns the
columns to the numbers of a pose.
"""

from __future__ import annotations

import os
from pathlib import Path

from manikin.base import writing
from manikin.errors import BadFile, BadValue, ManikinError
from manikin.figure import Figure
from manikin.files.common import oddities
from manikin.files.tables import archive, text
from manikin.files.tables.columns import poses_of
from manikin.motion.motion import Motion

USUAL_RATE = 30.0
"""Default frame rate in frames per second, if the table has no times and the caller gives no rate."""


def load_motion(path: str | os.PathLike[str], *, figure: Figure | None = None, rate: float | None = None) -> Motion:
    """Loads the motion of a figure from a table.

    Columns may be in any order. A number without a column keeps the value of the rest pose, with a warning, or follows
    the number to which it is coupled. An unknown column is ignored with a warning.

    Args:
        path: .csv or .npz.
        figure: the figure of the motion.
        rate: frames per second, for a table without times.

    Raises:
        BadValue: `figure` is missing, or `rate` is given for a table with times.
        BadFile: a CSV is wrong (the message contains the line), no column has the name of a number of the figure, or an
            NPZ contains Python objects, which are not unpickled.

    Warns:
        OddFile: columns are missing or unknown, or there are no times.
    """
    if not isinstance(figure, Figure):
        got = "" if figure is None else f", got {type(figure).__name__}"
        raise BadValue(f"{os.fspath(path)} has no figure; pass the figure that it poses as figure={got}")
    table = archive.read(path, figure) if Path(path).suffix.lower() == ".npz" else text.read(path, figure)
    notes = list(table.notes)
    poses = poses_of(path, table, figure, notes)
    if table.times is not None and rate is not None:
        raise BadValue(f"rate is {rate:g}, but {os.fspath(path)} states the times of its frames; leave out rate=")
    if table.times is None and rate is None:
        notes.append(
            f"the file does not state the times of its frames; {USUAL_RATE:g} frames per second are "
            "used; choose another rate with rate="
        )
        rate = USUAL_RATE
    source = {"format": "table", "path": os.path.abspath(path), "notes": tuple(notes)}
    try:
        motion = Motion(figure, poses, table.times, table.name or Path(path).stem, rate=rate, source=source)
    except ManikinError as error:
        raise BadFile(path, str(error)) from error
    oddities.tell(path, notes)
    return motion


def save(motion: Motion, path: str | os.PathLike[str]) -> None:
    """Writes the numbers and times of a motion. Reading returns the same bits."""
    with writing.writing(path) as file:
        if Path(path).suffix.lower() == ".npz":
            archive.write(motion, file)
        else:
            text.write(motion, file)
