"""Speed limits of joints in a track, and the duration of frames."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manikin import arrays
from manikin.arrays import Vector
from manikin.errors import BadShape, BadValue
from manikin.figure.figure import Figure
from manikin.figure.joint import Free, Hinge, Motion, Slider, number_count
from manikin.figure.kept import kept
from manikin.reference.tree import SLIDE

MaxSpeed: TypeAlias = float | Mapping[str, float] | None

FRAME = 1.0 / 30.0
"""Seconds between two frames if neither `dt` nor `times` is given."""
TURNING = 60.0
"""Default speed limit of a joint that turns, in rad/s. The fastest joint in the recorded clips reaches 55.5 rad/s, in a
run (docs/notebook/2026-11-17-tracking.md)."""


def number_speeds(figure: Figure, max_speed: MaxSpeed) -> Vector:
    """(nq,) the largest speed of each number, in radians or lengths per second; infinite if there is no limit.

    Args:
        figure: the figure with the joints.
        max_speed: None means the speed of each joint (`Hinge.speed`, `Slider.speed`), and `TURNING` for joints that
            turn and have no speed. A number applies to all joints that turn. A dict gives speeds by joint name.
    """
    named = max_speed if isinstance(max_speed, Mapping) else {}
    every = None if max_speed is None or isinstance(max_speed, Mapping) else checked_speed(max_speed, "max_speed")
    own, turns = _own_speeds(figure)
    out = np.array(own) if every is None else np.where(turns, every, own)
    for joint, value in named.items():
        at, speed = figure.index_of(joint), checked_speed(value, f"max_speed of {joint}")
        for motion in figure.segments[figure.joint_names.index(joint)].joint.motions:
            out[_limited(at, motion)] = speed
            at += number_count(motion)
    tree = figure.layout.tree
    for i in reversed(np.flatnonzero(tree.source >= 0)):  # a coupled joint limits its source
        leader, ratio = int(tree.source[i]), abs(float(tree.ratio[i]))
        if ratio > 0.0:
            out[leader] = min(out[leader], out[tree.number[i]] / ratio)
    return out


@kept
def _own_speeds(figure: Figure) -> tuple[Vector, NDArray[np.bool_]]:
    """(nq,) the largest speed of each number if the caller gives none, and whether its motion turns."""
    speeds, turns = np.full(figure.nq, np.inf), np.zeros(figure.nq, dtype=bool)
    for _, at, motion in _motions(figure):
        here = _limited(at, motion)
        if isinstance(motion, Slider):
            speeds[here] = motion.speed
        else:
            turns[here] = True
            speeds[here] = motion.speed if isinstance(motion, Hinge) and math.isfinite(motion.speed) else TURNING
    return speeds, turns


def _limited(first: int, motion: Motion) -> slice:
    """The numbers of a motion that have a speed limit. The position of a free root has none."""
    return slice(first + 3 if isinstance(motion, Free) else first, first + number_count(motion))


def joint_of_numbers(figure: Figure) -> NDArray[np.int32]:
    """(nq,) the joint of each number."""
    out = np.zeros(figure.nq, dtype=np.int32)
    for k, segment in enumerate(figure.segments):
        first = figure.index_of(segment.joint.name)
        out[first : first + segment.joint.nq] = k
    return out


def frame_times(count: int, dt: ArrayLike | None, times: ArrayLike | None, continues: bool) -> Vector:
    """(count,) seconds since the previous frame. The value of the first frame of a new track is not used.

    Args:
        count: number of frames, including the frame before if a track is continued.
        dt: seconds between two frames.
        times: (T,) the time of each frame, in seconds; (T + 1,) with the frame before if a track is continued.
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
        which = "one for each frame, after the time of the frame before" if continues else "one for each frame"
        raise BadShape(f"times has {len(at)} numbers; it needs {count}, {which}")
    steps = np.diff(at)
    if np.any(steps <= 0.0):
        t = int(np.argmax(steps <= 0.0))
        raise BadValue(f"times goes from {at[t]:g} to {at[t + 1]:g} at frame {t + 1}; each must be later than the last")
    return np.concatenate([[FRAME], steps]) if count else np.zeros(0)


def note_on_speeds(figure: Figure, count: int, first: int, number: int, speeds: Vector) -> str:
    """The note on frames that are missed because of a speed limit.

    Args:
        figure: the figure with the joints.
        count: number of such frames.
        first: the first of them.
        number: index in q of the number that is at its speed limit there.
        speeds: (nq,) the speed limits.
    """
    joint = figure.number_names[number].split(".")[0]
    unit = "rad/s" if not _slides(figure, number) else "lengths a second"
    some = f"frame {first} is" if count == 1 else f"{count} frames, the first {first}, are"
    return f"{some} missed while a joint moves at its speed limit: {joint} at {speeds[number]:g} {unit} (max_speed)"


def _motions(figure: Figure) -> Iterator[tuple[str, int, Motion]]:
    """(joint, index of its first number, motion) of every motion."""
    for segment in figure.segments:
        at = figure.index_of(segment.joint.name)
        for motion in segment.joint.motions:
            yield segment.joint.name, at, motion
            at += number_count(motion)


def _slides(figure: Figure, number: int) -> bool:
    tree = figure.layout.tree
    return bool(((tree.kind == SLIDE) & (tree.number == number)).any())


def checked_speed(value: float, name: str) -> float:
    """A speed above 0."""
    try:
        speed = float(value) if isinstance(value, (int, float, np.number)) and not isinstance(value, bool) else np.nan
    except OverflowError:  # an integer of hundreds of digits
        speed = np.nan
    if not speed > 0.0:
        raise BadValue(f"{name} is {value!r}; it needs a speed above 0, in radians (or lengths) per second")
    return speed
