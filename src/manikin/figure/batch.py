"""One pose or many: joins leading axes into one, and checks the arguments of batches (`out`, `threads`)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

import numpy as np

from manikin import arrays
from manikin.arrays import Matrix, Vector
from manikin.errors import BadShape, BadValue

MAX_THREADS = 1024
"""Largest number of threads, here and in the native core. Larger numbers are reduced to it."""


def rows(array: Vector, lead: tuple[int, ...]) -> Matrix:
    """(..., n) as contiguous rows (B, n)."""
    return blocks(array, lead, 1)


def blocks(array: Vector, lead: tuple[int, ...], inner: int) -> Matrix:
    """(..., inner axes) broadcast to `lead` and made contiguous with one leading axis."""
    tail = array.shape[array.ndim - inner :]
    count = int(np.prod(lead))
    return np.ascontiguousarray(np.broadcast_to(array, (*lead, *tail)).reshape(count, *tail))


def names(names: Sequence[str]) -> Sequence[str]:
    """The names of segments. A single name stands for a list of one."""
    if not isinstance(names, Iterable):
        raise BadValue(f"segments are {names!r}; they must be a list of names, or None for all")
    return [names] if isinstance(names, str) else names


def thread_count(threads: int) -> int:
    """Number of threads, an integer of at least 1."""
    return min(arrays.whole(threads, "threads", least=1), MAX_THREADS)


def check_out(out: Any, shape: tuple[int, ...], q: Any) -> None:
    """Raises unless results of this shape can be written into `out` while the poses q are read.

    The rule is the same for every function with an `out`: a NumPy array of float64, C-contiguous, writable, of the
    shape of the result, that does not overlap the input in memory.
    """
    arrays.require_plain(out, "out")
    if not isinstance(out, np.ndarray) or out.dtype != np.float64:
        _bad_out(f"is {type(out).__name__} of {getattr(out, 'dtype', 'no dtype')}; it needs a float64 array")
    if out.shape != shape:
        _bad_out(f"has shape {out.shape}; it needs {shape}")
    if not (out.flags.c_contiguous and out.flags.writeable):
        _bad_out("must be C-contiguous and writable")
    if np.may_share_memory(out, q):
        _bad_out("overlaps the poses in memory; pass an array that does not")


def _bad_out(problem: str) -> NoReturn:
    raise BadShape(f"out {problem}")
