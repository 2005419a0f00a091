"""One thread for the matrix products of a call.

NumPy's OpenBLAS splits a product of a few hundred rows over all its threads. They wait for each other by spinning, so
eight threads take four to eight times the CPU time of one, and no less time. A call over a whole clip makes
thousands of such products, so it sets the number of threads to 1 and back. docs/decisions/0035-one-blas-thread.md has
the reasons.
"""

from __future__ import annotations

import ctypes
import functools
import sys
import threading
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

P = ParamSpec("P")
R = TypeVar("R")
MODULES = ("numpy.linalg._umath_linalg", "scipy.linalg._fblas")
"""Modules that load a BLAS. The wheels of NumPy and SciPy have one each."""
NAMES = (
    ("scipy_openblas_get_num_threads64_", "scipy_openblas_set_num_threads64_"),
    ("scipy_openblas_get_num_threads", "scipy_openblas_set_num_threads"),
    ("openblas_get_num_threads64_", "openblas_set_num_threads64_"),
    ("openblas_get_num_threads", "openblas_set_num_threads"),
)
"""Functions of OpenBLAS as wheels and as packages of systems name them."""


class _Section:
    """The calls that are under way, in all threads. They set one thread, and the last restores the numbers."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.calls = 0
        self.before: dict[str, int] = {}
        """The number of threads of each library that had more than one."""

    def __enter__(self) -> None:
        with self.lock:
            self.calls += 1
            for module, (get, set_) in _libraries().items():
                if module not in self.before and (count := int(get())) > 1:
                    self.before[module] = count
                    set_(1)

    def __exit__(self, *_error: object) -> None:
        with self.lock:
            self.calls -= 1
            if self.calls == 0:
                libraries = _libraries()
                for module, count in self.before.items():
                    libraries[module][1](count)
                self.before = {}


_section = _Section()


def one_thread(call: Callable[P, R]) -> Callable[P, R]:
    """Makes a function use one BLAS thread. The last of several calls restores the number of threads.

    The number is one for the whole process, so NumPy has one thread in other Python threads too during the call. With
    another BLAS than OpenBLAS nothing changes.
    """

    @functools.wraps(call)
    def alone(*args: P.args, **kwargs: P.kwargs) -> R:
        with _section:
            return call(*args, **kwargs)

    return alone


def solveh_banded(bands: NDArray[np.float64], right: NDArray[np.float64], **options: Any) -> NDArray[np.float64]:
    """SciPy's function of this name, with one thread. SciPy has a BLAS of its own, which is loaded here."""
    from scipy import linalg

    with _section:
        solved: NDArray[np.float64] = linalg.solveh_banded(bands, right, **options)
        return solved


def threads() -> dict[str, int]:
    """The number of threads of each OpenBLAS that is loaded, by the module that loaded it."""
    return {module: int(get()) for module, (get, _) in _libraries().items()}


def _libraries() -> dict[str, tuple[Any, Any]]:
    """The functions that get and set the number of threads, of each OpenBLAS that is loaded."""
    found = {module: _functions(module) for module in MODULES if module in sys.modules}
    return {module: functions for module, functions in found.items() if functions is not None}


@functools.cache
def _functions(module: str) -> tuple[Any, Any] | None:
    """The functions of the library of a module that is loaded; None if it is not OpenBLAS."""
    try:
        library = ctypes.CDLL(sys.modules[module].__file__)  # the libraries that it needs are searched, too
    except (OSError, TypeError, AttributeError):
        return None
    for get, set_ in NAMES:
        if hasattr(library, get) and hasattr(library, set_):
            return getattr(library, get), getattr(library, set_)
    return None
