"""Smoothing of poses and of targets with gaps over time. `reference/smooth.py` has the mathematics.

import manikin as mk
calm = motion.smoothed(8.0)      # a motion whose waves above 8 Hz are gone
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from manikin import backend, rotations
from manikin.arrays import Indices, Matrix, Poses, Quaternions, Vector
from manikin.errors import BadValue
from manikin.figure import Figure
from manikin.motion.triples import Triples
from manikin.reference import smooth
from manikin.reference.tree import TURN

Mask = NDArray[np.bool_]

ORDER = 3
"""k, the order of the differences that smoothing makes small. Third differences measure jerk; second ones do not limit
it."""
ROUNDS = 2
"""Number of corrections of poses. A correction is linear in the steps, but rotations are not; the second round corrects
the remainder."""
TENSION = 1e-3
"""Weight of first differences within gaps, in λ^(1/k). It prevents overshoot in long gaps. It has an effect in gaps of
more than about one period of the frequency."""
STRONGEST = 1e12
"""Largest λ. Above it, the system is too ill-conditioned for float64."""
LEAST_INFORMATION = 1e-3
"""Weight of a coordinate that has no influence on the goals of a frame."""


def smooth_poses(
    figure: Figure,
    poses: Poses,
    times: Vector,
    frequency: float,
    *,
    order: int = ORDER,
    weights: Matrix | None = None,
    clamp: bool = True,
) -> Poses:
    """Poses (T, nq) without their waves above a frequency. Each frame is within its limits.

    The k-th differences of a motion are the (k − 1)-th differences of the steps from frame to frame. Balls and Euler
    joints of three axes are smoothed as rotations. A single angle that jumps by a whole turn takes the shorter way.

    Args:
        figure: the figure of the poses.
        poses: (T, nq).
        times: (T,) seconds.
        frequency: Hz, where the gain is one half.
        order: k.
        weights: (T,) for all coordinates, or (T, nv), see `information_weights`; None means 1. Weights of single
            coordinates belong to angles, so Euler joints are then smoothed as angles.
        clamp: whether to move the frames inside the limits.
    """
    original = np.ascontiguousarray(poses)
    rows, first = _rows(times, frequency, order)
    if not len(rows):
        return np.array(original)
    held = np.ones(len(original)) if weights is None else weights
    tree, kinematics = figure.layout.tree, figure._kinematics
    triples = Triples.of(figure) if held.ndim == 1 else Triples.none()
    turning = np.unique(tree.step[(tree.kind == TURN) & (tree.step >= 0)])
    columns = triples.steps.ravel()
    given = triples.rotations(original)
    out, turns, wish = original, given, None
    for k in range(ROUNDS):
        steps = kinematics.difference(out[:-1], out[1:])
        steps[:, turning] = rotations.wrapped(steps[:, turning])
        if len(columns):
            steps[:, columns] = triples.between(turns[:-1], turns[1:])
        if k:
            wish = kinematics.difference(out, original)
            if len(columns):
                wish[:, columns] = triples.between(turns, given)
        moved = backend.smooth_correction(rows, first, smooth.bend_steps(rows, first, steps), held, wish)
        out = kinematics.integrate(out, moved)
        if len(columns):
            turns = triples.moved(turns, moved)
    triples.put(turns, out, original)
    return figure.clamp(out) if clamp else out


class Samples:
    """Values over time with gaps, prepared once so that they can be smoothed at several frequencies.

    A row with NaN is a gap. Rows before the first and after the last sample stay NaN.
    """

    def __init__(
        self,
        values: Matrix,
        times: Vector,
        *,
        order: int = ORDER,
        weights: Vector | None = None,
        quaternions: Sequence[int] = (),
    ) -> None:
        """
        Args:
            values: (T, n).
            times: (T,) seconds.
            order: k.
            weights: (T,) positive weights of the samples; None means 1.
            quaternions: columns at which quaternions begin. Their signs are made continuous and their lengths 1.
        """
        seen: Mask = np.asarray(np.isfinite(values).all(axis=1))
        self.shape = values.shape
        a, b = (int(np.argmax(seen)), len(seen) - int(np.argmax(seen[::-1]))) if seen.any() else (0, 0)
        self.inside = slice(a, b)
        """The rows from the first to the last sample."""
        self.known: Mask = seen[a:b]
        """Whether each row inside is a sample."""
        self.quaternions = tuple(quaternions)
        self.times, self.order = times[a:b], min(order, b - a - 1)
        self.values: Matrix = bridged(values[a:b], self.times, self.known, quaternions) if b > a else values[a:b]
        """The values inside, with linear interpolation in gaps."""
        if self.order < 1:
            return
        self.rate = (b - a - 1) / float(self.times[-1] - self.times[0])
        self._held = np.where(self.known, 1.0 if weights is None else weights[a:b], 0.0)
        rows, first = _unit_rows(self.times, self.order)
        across, at = _gap_rows(self.known, rows.shape[1])
        self._rows, self._first = np.concatenate([rows, across]), np.concatenate([first, at]).astype(np.int32)
        self._bent = smooth.bend(self._rows, self._first, self.values)
        self._bending = len(rows)

    def at(self, frequency: float) -> Matrix:
        """The values (T, n) without their waves above a frequency in Hz, with gaps bridged. At this frequency the gain
        is one half."""
        out = np.full(self.shape, np.nan)
        out[self.inside] = self.inner(frequency)
        return out

    def inner(self, frequency: float) -> Matrix:
        """The rows of `at` from the first to the last sample."""
        strength = self._strength(frequency)
        if strength == 0.0:
            filled: Matrix = np.array(self.values)
        else:
            sizes = np.full(len(self._rows), np.sqrt(strength))
            sizes[self._bending :] = np.sqrt(TENSION * smooth.strength(self.rate, frequency, 1))
            rows, bent = sizes[:, None] * self._rows, sizes[:, None] * self._bent
            filled = self.values + backend.smooth_correction(rows, self._first, bent, self._held)
        for at in self.quaternions:
            filled[:, at : at + 4] = rotations.normalized(filled[:, at : at + 4])
        return filled

    def _strength(self, frequency: float) -> float:
        """λ; 0 if there is nothing to smooth."""
        if self.order < 1:
            return 0.0
        return smooth.strength(self.rate, check_frequency(frequency, self.rate, "smoothing"), self.order)


def smooth_values(
    values: Matrix,
    times: Vector,
    frequency: float,
    *,
    order: int = ORDER,
    weights: Vector | None = None,
    quaternions: Sequence[int] = (),
) -> Matrix:
    """Values (T, n) without their waves above a frequency, with gaps bridged: `Samples` at one frequency."""
    return Samples(values, times, order=order, weights=weights, quaternions=quaternions).at(frequency)


def bridged(values: Matrix, times: Vector, known: Mask, quaternions: Sequence[int] = ()) -> Matrix:
    """Values (T, n) with linear interpolation in gaps and continuous signs of quaternions. The first and the last row
    must be known."""
    given = np.array(values[known])
    for at in quaternions:
        given[:, at : at + 4] = continuous(given[:, at : at + 4])
    return np.stack([np.interp(times, times[known], column) for column in given.T], axis=1) if given.size else given


def continuous(turns: Quaternions) -> Quaternions:
    """Quaternions (T, 4) with signs that do not jump from one frame to the next."""
    flips = (turns[1:] * turns[:-1]).sum(axis=1) < 0.0
    signs = np.concatenate([[1.0], np.where(np.cumsum(flips) % 2 == 1, -1.0, 1.0)])
    return np.asarray(turns * signs[: len(turns), None])


def information_weights(information: Matrix) -> Matrix:
    """Weights (T, nv) for `smooth_poses`, from the information of the goals of each frame about each coordinate.

    The information of a coordinate is the diagonal of JᵀWJ over the active goals of a frame. In a frame with less
    information than the median frame, a coordinate has a smaller weight, at least `LEAST_INFORMATION`. The neighbouring
    frames then determine it. Frames that hardly inform about the coordinate do not count for the median.
    """
    informed = information > LEAST_INFORMATION * information.max(axis=0, initial=0.0)
    middle = np.median(information, axis=0)
    for k in np.flatnonzero(informed.any(axis=0) & ~informed.all(axis=0)):
        middle[k] = np.median(information[informed[:, k], k])
    share = information / np.where(middle > 0.0, middle, 1.0)
    return np.where(middle > 0.0, np.clip(share, LEAST_INFORMATION, 1.0), 1.0)


def check_frequency(frequency: float, rate: float, name: str) -> float:
    """Checks a frequency for smoothing.

    Raises:
        BadValue: it is not above 0, or too low for the rate.
    """
    least = _least(rate)
    if not frequency >= least:
        raise BadValue(f"{name} is {frequency:g} Hz; at {rate:g} frames per second it needs at least {least:.2g} Hz")
    return float(frequency)


def least_frequency(times: Vector) -> float:
    """The lowest frequency in Hz at which frames at these times (T,) can be smoothed."""
    return _least((len(times) - 1) / float(times[-1] - times[0])) if len(times) > 1 else 0.0


def _least(rate: float) -> float:
    return float(rate / np.pi * np.arcsin(0.5 * STRONGEST ** (-0.5 / ORDER)))


def _rows(times: Vector, frequency: float, order: int) -> tuple[Matrix, Indices]:
    """√λ times the k-th differences, and the first frame of each row; no rows if there is nothing to smooth."""
    order = min(order, len(times) - 1)
    nothing = np.zeros((0, 1)), np.zeros(0, dtype=np.int32)
    if order < 1:
        return nothing
    rate = (len(times) - 1) / (times[-1] - times[0])
    strength = smooth.strength(rate, check_frequency(frequency, rate, "smoothing"), order)
    if strength == 0.0:
        return nothing
    rows, first = _unit_rows(times, order)
    return np.sqrt(strength) * rows, first


def _unit_rows(times: Vector, order: int) -> tuple[Matrix, Indices]:
    """The k-th differences, and the first frame of each row."""
    rows = smooth.difference_rows(_evened(times), order)
    return rows, np.arange(len(rows), dtype=np.int32)


def _gap_rows(known: Mask, width: int) -> tuple[Matrix, Indices]:
    """First differences between frames of which at least one is in a gap, and the first frame of each row."""
    at = np.flatnonzero(~(known[1:] & known[:-1]))
    begin = np.minimum(at, len(known) - width)
    rows = np.zeros((len(at), width))
    rows[np.arange(len(at)), at - begin] = -1.0
    rows[np.arange(len(at)), at - begin + 1] = 1.0
    return rows, begin.astype(np.int32)


def _evened(times: Vector) -> Vector:
    """Times that are even up to rounding become frame numbers, so that the rows are the same for all frames."""
    from manikin.motion.motion import is_even

    step = (times[-1] - times[0]) / (len(times) - 1)
    return np.arange(float(len(times))) if is_even(times, step) else times
