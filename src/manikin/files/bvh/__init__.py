"""BVH files: reads and writes a figure and its motion.

`header` reads the tree, `numbers` reads the frames, and `figure` converts both. A motion that came from a BVH file is
written with the text of that file (`faithful`). Everything else is converted (`convert`).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from manikin.arrays import Vector
from manikin.base import writing
from manikin.base.reading import read_bytes
from manikin.errors import BadValue, NoMotion, listing
from manikin.figure import Figure
from manikin.files.bvh import convert, faithful, write
from manikin.files.bvh.figure import build_figure, repeated_names, to_numbers
from manikin.files.bvh.header import Header, read_header
from manikin.files.bvh.numbers import read_numbers
from manikin.files.bvh.standing import first_pose, up_axis
from manikin.files.common import oddities
from manikin.files.common.newlines import with_newlines
from manikin.motion.motion import Motion


def load_figure(path: str | os.PathLike[str]) -> Figure:
    """Reads the figure of a BVH file. The rest pose is that of HIERARCHY. Only the first frame is read.

    Raises:
        BadFile: the file is cut off or wrong; the message names the line.
    """
    data = with_newlines(read_bytes(path))
    header = read_header(path, data)
    notes = _oddities(header)
    figure = _figure(header, Path(path).stem, notes, first_pose(header, data))
    oddities.tell(path, notes)
    return figure


def load_motion(path: str | os.PathLike[str]) -> Motion:
    """Reads the motion of a BVH file, with its figure. q has the file's numbers, with angles in radians.

    Oddities, such as a wrong number of frames, raise a warning.

    Raises:
        BadFile: the file is cut off or wrong; the message names the line.
    """
    data = with_newlines(read_bytes(path))
    header = read_header(path, data)
    if header.frames is None:
        raise NoMotion(path, "the file has no MOTION part, so there is no motion to load", header.line)
    table, text = read_numbers(path, data, header.data, header.line, header.channel_count)
    notes = _oddities(header)
    if len(table) == 0:
        raise NoMotion(path, "the file has no frames, so there is no motion to load", header.line)
    if len(table) != header.frames:
        notes.append(f"Frames: is {header.frames}, but the file has {len(table)} frames; all of them are used")
    step = faithful.frame_step(header)
    if len(table) > 1 and step != header.frame_time:
        notes.append(f"Frame Time: is {header.frame_time_text} s; {step:.4g} s is used instead")
    to_numbers(table, header)
    table.flags.writeable = False
    figure = _figure(header, Path(path).stem, notes, first_pose(header, data))
    source = {"format": "bvh", "bvh": text, "header": header, "frames": range(len(table)), "notes": tuple(notes)}
    motion = Motion(figure, table, np.arange(len(table)) * step, Path(path).stem, source=source)
    oddities.tell(path, notes)
    return motion


def save(
    thing: Figure | Motion, path: str | os.PathLike[str], like: str | os.PathLike[str] | Figure | Motion | None = None
) -> None:
    """Writes a motion, or a figure in its rest pose, as BVH.

    A motion that came from a BVH file keeps the text of that file: its head, and every number that was not changed. A
    changed rotation is written with the angles nearest to those of the neighbouring frames. Everything else is
    converted (see `convert`): world positions are the same with y up, and angles have no jumps.

    Args:
        thing: a Motion or a Figure.
        path: the new file. An existing file is replaced atomically.
        like: a BVH file, or the figure or motion read from one, whose text is kept. Needed if `thing` has none.

    Raises:
        BadValue: `like` has a different figure.
    """
    motion = thing if isinstance(thing, Motion) else Motion(thing, thing.rest, name=thing.name)
    if not motion.even:
        rate = float(1.0 / np.median(np.diff(motion.times)))
        oddities.warn(
            f"the frames of motion {motion.name!r} are not evenly spaced in time, which BVH requires; the "
            "motion is resampled to "
            f"{rate:.6g} frames per second"
        )
        motion = motion.resampled(rate)
    words = _words(motion, like)
    if words is None:
        changed = [name for name in motion.figure.segment_names if convert.clean_name(name) != name]
        if changed:
            oddities.warn(
                f"{os.fspath(path)}: BVH cannot store the names {listing([repr(name) for name in changed], 4)}; "
                "line breaks are written as _, and spaces around a name are removed"
            )
    with writing.writing(path) as file:
        file.writelines(_converted(motion) if words is None else faithful.content(motion, words))


def _figure(header: Header, name: str, notes: list[str], first: Vector | None) -> Figure:
    figure = build_figure(header, name, tuple(notes))
    up = up_axis(figure, first)
    if up == figure.up:
        return figure
    said = f"BVH does not store the up axis; {up} is used, because the figure stands along it"
    return figure.replaced(up=up, source={**figure.source, "notes": (*notes, said)})


def _words(motion: Motion, like: str | os.PathLike[str] | Figure | Motion | None) -> faithful.Words | None:
    """The text of the file to imitate; None if there is none."""
    if like is None:
        words = faithful.words_of(motion)
        return words if words and faithful.difference(motion.figure, words.header) is None else None
    if isinstance(like, (Figure, Motion)):
        found = faithful.words_of(like)
        if found is None:
            raise BadValue(
                f"like={like!r} was not read from a BVH file; like= needs the path of a BVH file, or "
                "a figure or motion read from one"
            )
        words, label = found, repr(like.name)
    else:
        data = with_newlines(read_bytes(like))
        header = read_header(like, data)
        text = read_numbers(like, data, header.data, header.line, header.channel_count)[1]
        words, label = faithful.Words(header, text, range(len(text))), os.fspath(like)
    wrong = faithful.difference(motion.figure, words.header)
    if wrong is not None:
        raise BadValue(
            f"figure {motion.figure.name!r} differs from the figure of {label}: {wrong}; leave out "
            "like= to convert the motion"
        )
    own = faithful.words_of(motion)
    if own is not None and own.text is not None and words.text is not None and own.text.raw == words.text.raw:
        return own  # a part of the same file, with its frame indices
    return words


def _converted(motion: Motion) -> Iterator[bytes]:
    nodes, table = convert.convert(motion.figure, motion.poses)
    digits = write.length_digits(motion.figure.size)
    yield write.hierarchy(nodes, digits).encode()
    step = faithful.STANDARD_STEP if motion.rate is None else 1.0 / motion.rate
    yield write.motion_head(len(motion), write.seconds(step)).encode()
    angular = [c.endswith("rotation") for n in nodes for c in n.channels]
    yield from write.rows(table, write.formats(angular, digits))


def _oddities(header: Header) -> list[str]:
    notes = list(header.notes)
    twice = repeated_names(header)
    if twice:
        notes.append(f"joints with the same name get a number: {listing(twice)}")
    return notes
