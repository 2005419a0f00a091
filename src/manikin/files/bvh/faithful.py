"""Writes a motion with the text of the BVH file that it came from.

A number that is equal to that of the file bit for bit keeps its text. If a joint was changed in a frame, its angles are
chosen nearest to those of the previous frame. Other joints and frames keep their text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Poses
from manikin.figure import Euler, Figure, Hinge, Joint, Slider
from manikin.files.bvh import euler, write
from manikin.files.bvh.figure import build_segments, columns, rotation_order, to_columns, to_numbers
from manikin.files.bvh.header import Header
from manikin.files.bvh.numbers import Text
from manikin.motion.motion import Motion

STANDARD_STEP = 1.0 / 30.0
"""Seconds between frames if a file says 0, and for a single pose."""
SAME_STEP = 1e-6
"""Two times between frames are the same if their relative difference is below this."""
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Words:
    """The text of the file that a motion came from."""

    header: Header
    text: Text | None = None
    """The numbers of its frames; None if only its figure was read."""
    frames: Sequence[int] = ()
    """The frame of the file for each frame of the motion, as far as the file has one."""


def words_of(thing: Figure | Motion) -> Words | None:
    """The text of the BVH file that a motion or a figure came from."""
    figure = thing.figure if isinstance(thing, Motion) else thing
    header = figure.source.get("bvh")
    if isinstance(thing, Motion) and isinstance(thing.source.get("bvh"), Text):
        own: Header = thing.source["header"]
        if not isinstance(header, Header) or header.nodes == own.nodes:
            return Words(own, thing.source["bvh"], thing.source["frames"])
    return Words(header) if isinstance(header, Header) else None


def frame_step(header: Header) -> float:
    """Seconds between frames; 1/30 if the file says 0, or too little to distinguish frames."""
    return header.frame_time if header.frame_time > 1e-9 else STANDARD_STEP


def difference(figure: Figure, header: Header) -> str | None:
    """The first difference between a figure and that of a file, apart from limits, masses and shapes; None if they are
    equal."""
    expected = build_segments(header)
    if len(expected) != len(figure.segments):
        return f"it has {len(figure.segments)} segments, the file has {len(expected)}"
    for ours, theirs in zip(figure.segments, expected, strict=True):
        if (ours.name, ours.parent) != (theirs.name, theirs.parent):
            return (
                f"it has {ours.name!r} as a child of {ours.parent!r}, where the file has {theirs.name!r} as "
                f"a child of {theirs.parent!r}"
            )
        if _shape(ours.joint) != _shape(theirs.joint):
            return f"joint {ours.joint.name!r} differs from the joint in the file"
    return None


def content(motion: Motion, words: Words) -> Iterator[bytes]:
    """The file, piece by piece."""
    header, text = words.header, words.text
    changed = _changed(motion.poses, words)
    same_time = motion.rate is None or abs(1.0 / motion.rate / frame_step(header) - 1.0) <= SAME_STEP
    same_head = same_time and len(motion) == header.frames
    whole = text is not None and words.frames == range(len(text)) and text.raw.startswith(header.text)
    if text is not None and whole and same_head and not changed.any():
        yield text.raw
        return
    end = b"\r\n" if b"\r\n" in header.text else b"\n"
    yield header.text
    if same_head:
        yield header.motion_text + end
    else:
        step = header.frame_time_text if same_time and header.frame_time_text else None
        step = step or write.seconds(STANDARD_STEP if motion.rate is None else 1.0 / motion.rate)
        yield end + write.motion_head(len(motion), step).encode().replace(b"\n", end)
    yield from _lines(_branches(motion.poses, changed, header), changed, words, end, motion.figure.size)


def _shape(joint: Joint) -> tuple[object, ...]:
    """The properties of a joint that a BVH file states."""
    motions = tuple(
        m.order if isinstance(m, Euler) else (type(m), m.axis) if isinstance(m, (Slider, Hinge)) else type(m)
        for m in joint.motions
    )
    return (joint.offset, joint.rotation, motions, joint.coupling)


def _rows(words: Words, start: int, stop: int) -> list[int]:
    """The frames of the file for frames start … stop − 1 of the motion; shorter if the file has fewer."""
    if words.text is None:
        return []
    rows = []
    for frame in words.frames[start:stop]:
        if not 0 <= frame < len(words.text):
            break
        rows.append(int(frame))
    return rows


def _changed(poses: Poses, words: Words) -> Mask:
    """(frames, nq), whether a number differs from the file."""
    changed = np.ones(poses.shape, dtype=bool)
    for start in range(0, len(poses), write.LINES):
        rows = _rows(words, start, min(start + write.LINES, len(poses)))
        if not rows or words.text is None:
            break
        before = words.text.numbers(rows)
        to_numbers(before, words.header)
        changed[start : start + len(rows)] = poses[start : start + len(rows)] != before
    return changed


def _branches(poses: Poses, changed: Mask, header: Header) -> Poses:
    """The poses with changed rotations near their neighbours. Marks the angles that move with them in `changed`."""
    if not changed.any():
        return poses
    out = np.array(poses)
    first = 0
    for node in header.nodes:
        order = rotation_order(node)
        last = first + len(node.channels)
        own = slice(last - len(order), last)  # rotations come after sliders in q
        if order and changed[:, own].any():
            edited: Mask = np.asarray(changed[:, own].any(axis=1))
            out[:, own] = euler.near_neighbours(order, poses[:, own], edited)
            changed[:, own] |= out[:, own] != poses[:, own]
        first = last
    return out


def _lines(poses: Poses, changed: Mask, words: Words, end: bytes, size: float) -> Iterator[bytes]:
    """The frames: the text of the file, except for the numbers that changed."""
    order, angular = columns(words.header)
    in_file = np.empty(len(order), dtype=bool)
    in_file[order] = angular
    formats = write.formats(in_file.tolist(), write.length_digits(size))
    for start in range(0, len(poses), write.LINES):
        stop = min(start + write.LINES, len(poses))
        rows = _rows(words, start, stop)
        lines = words.text.lines(rows) if words.text is not None and rows else []
        lines += [b""] * (stop - start - len(rows))
        altered = np.empty((stop - start, len(order)), dtype=bool)
        altered[:, order] = changed[start:stop]
        for i in np.flatnonzero(altered.any(axis=1)):
            values = to_columns(poses[start + i : start + i + 1], words.header)[0]
            tokens: list[bytes] = lines[i].split() or [b""] * len(order)
            for k in np.flatnonzero(altered[i]):
                tokens[k] = write.written(float(values[k]), formats[k]).encode()
            lines[i] = b" ".join(tokens)
        yield b"".join([line.rstrip(b"\r") + end for line in lines])
