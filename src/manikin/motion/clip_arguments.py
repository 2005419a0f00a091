"""Arguments of `solve_motion`: checks, and a fingerprint by which a stopped clip is recognised."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from manikin import arrays
from manikin.arrays import Vector
from manikin.errors import BadShape, BadValue
from manikin.figure import Figure
from manikin.motion.smoothing import check_frequency

if TYPE_CHECKING:
    from manikin.motion.clip import ClipQuestion

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")  # in the repr of a function; differs between processes


def checked_times(times: ArrayLike) -> Vector:
    """(T,) times of frames, in seconds.

    Raises:
        BadShape, BadValue: there are no frames, or times do not increase.
    """
    t = arrays.numbers(times, "times", (None,))
    if not len(t):
        raise BadShape("times has shape (0,); there must be at least one frame")
    late = np.flatnonzero(np.diff(t) <= 0.0)
    if late.size:
        i = int(late[0])
        raise BadValue(f"times must increase, but times[{i + 1}] is {t[i + 1]:g} s after {t[i]:g} s")
    return np.array(t)


def checked_frequency(smooth: float | bool | None, times: Vector) -> float | None:
    """Checks `smooth`. Returns the given frequency; None if there is none, or if it is chosen automatically."""
    if smooth is None or isinstance(smooth, (bool, np.bool_)):
        return None
    frequency = arrays.positive(smooth, "smooth")
    if len(times) < 2:
        return frequency
    return check_frequency(frequency, (len(times) - 1) / float(times[-1] - times[0]), "smooth")


def fingerprint(figure: Figure, question: ClipQuestion, times: Vector, exact: bool, start: Vector | None) -> str:
    """A fingerprint of everything that the result depends on."""
    digest = hashlib.sha256(figure.digest.encode())
    for goal in question.goals:
        digest.update(_ADDRESS.sub("", repr(goal)).encode())
    for array in (question.rows, question.active, question.parts, times, np.zeros(0) if start is None else start):
        digest.update(np.ascontiguousarray(array).data)
    digest.update(b"exact" if exact else b"noisy")
    return digest.hexdigest()
