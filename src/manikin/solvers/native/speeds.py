"""How fast joints may move in a track, and how long a frame lasts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manikin import arrays
from manikin.arrays import Vector
from manikin.errors import BadShape, BadValue
from manikin.figure.figure import Figure
from manikin.figure.joint import Free, Hinge, Motion, Slider, number_count
from manikin.reference.tree import SLIDE

MaxSpeed: TypeAlias = float | Mapping[str, float] | None

FRAME = 1.0 / 30.0
"""Seconds between two frames where neither `dt` nor `times` is given."""
TURNING = 60.0
"""Radians a second that a joint may turn where its file does not say. Above the fastest joint of the clips that it was
chosen on (55.5 rad/s, a run; docs/notebook/2026-11-17-tracking.md)."""


def number_speeds(figure: Figure, max_speed: MaxSpeed) -> Vector:
    """(nq,) the largest speed of each number, radians or lengths a second; infinite where there is no limit.

    Args:
        figure: whose joints.
        max_speed: None takes the speed of each joint (`Hinge.speed`, `Slider.speed`), and `TURNING` for joints that
            turn and have none. A number is for all joints that turn. A dict gives joints their own, by name.
    """
    named = max_speed if isinstance(max_speed, Mapping) else {}
    for joint in named:
        figure.index_of(joint)
    every = None if max_speed is None or isinstance(max_speed, Mapping) else _speed(max_speed, "max_speed")
    out = np.full(figure.nq, np.inf)
    for joint, at, motion in _motions(figure):
        if joint in named:
            speed = _speed(named[joint], f"max_speed of {joint}")
        elif isinstance(motion, Slider):
            speed = motion.speed
        elif every is not None:
            speed = every
        else:
            speed = motion.speed if isinstance(motion, Hinge) and np.isfinite(motion.speed) else TURNING
        first = at + 3 if isinstance(motion, Free) else at  # a free root slides as fast as it likes
        out[first : at + number_count(motion)] = speed
    tree = figure.layout.tree
    for i in reversed(np.flatnonzero(tree.source >= 0)):  # a coupled joint slows down the one it follows
        leader, ratio = int(tree.source[i]), abs(float(tree.ratio[i]))
        if ratio > 0.0:
            out[leader] = min(out[leader], out[tree.number[i]] / ratio)
    return out


def joint_of_numbers(figure: Figure) -> NDArray[np.int32]:
    """(nq,) which joint each number is of."""
    out = np.zeros(figure.nq, dtype=np.int32)
    for k, segment in enumerate(figure.segments):
        first = figure.index_of(segment.joint.name)
        out[first : first + segment.joint.nq] = k
    return out


def frame_times(count: int, dt: ArrayLike | None, times: ArrayLike | None, continues: bool) -> Vector:
    """(count,) seconds since the frame before. The first of a track that begins has none before it, and does not count.

    Args:
        count: how many frames, with the one before where a track is continued.
        dt: seconds between two frames.
        times: (T,) when each frame is, seconds; with the one before, (T + 1,), where a track is continued.
        continues: whether row 0 is the frame before.
    """
    if dt is not None and times is not None:
        raise BadValue("track was given both dt and times; give one of them")
    if times is None:
        every = FRAME if dt is None else arrays.scalar(dt, "dt")
        if not (0.0 < every < np.inf):
            raise BadValue(f"dt is {every:g}; it needs the seconds between two frames, above 0")
        return np.full(count, every)
    at = arrays.numbers(times, "times", (None,))
    if len(at) != count:
        which = "one a frame, and first that of the frame before" if continues else "one a frame"
        raise BadShape(f"times has {len(at)} numbers; it needs {count}, {which}")
    steps = np.diff(at)
    if np.any(steps <= 0.0):
        t = int(np.argmax(steps <= 0.0))
        raise BadValue(f"times goes from {at[t]:g} to {at[t + 1]:g} at frame {t + 1}; each must be later than the last")
    return np.concatenate([[FRAME], steps]) if count else np.zeros(0)


def note_on_speeds(figure: Figure, count: int, first: int, number: int, speeds: Vector) -> str:
    """Which frames are missed because a joint may not move faster, in words.

    Args:
        figure: whose joints.
        count: how many frames.
        first: the first of them.
        number: the number in q that is at its speed limit there.
        speeds: (nq,) the limits.
    """
    joint = figure.number_names[number].split(".")[0]
    unit = "rad/s" if not _slides(figure, number) else "lengths a second"
    some = f"frame {first} is" if count == 1 else f"{count} frames, the first {first}, are"
    return f"{some} missed while a joint moves as fast as it may: {joint} at {speeds[number]:g} {unit} (max_speed)"


def _motions(figure: Figure) -> Iterator[tuple[str, int, Motion]]:
    """(joint, where its numbers start, motion) of every motion."""
    for segment in figure.segments:
        at = figure.index_of(segment.joint.name)
        for motion in segment.joint.motions:
            yield segment.joint.name, at, motion
            at += number_count(motion)


def _slides(figure: Figure, number: int) -> bool:
    tree = figure.layout.tree
    return bool(((tree.kind == SLIDE) & (tree.number == number)).any())


def _speed(value: float, name: str) -> float:
    speed = float(value) if isinstance(value, (int, float, np.number)) and not isinstance(value, bool) else np.nan
    if not speed > 0.0:
        raise BadValue(f"{name} is {value!r}; it needs a speed above 0, radians (or lengths) a second")
    return speed
