"""Chooses the code that computes: the native core built for this processor, or its NumPy twin.

The environment variable MANIKIN_BACKEND selects one: "v3" (x86-64-v3: AVX2 and FMA), "base" (any processor), or
"reference" (plain NumPy, slow, for reading and for tests). Without it, the fastest one that this processor supports is
used.

There is no silent fallback. An unknown name or a missing native core raises an error when something is computed, not on
import. So `manikin doctor` can report the error in one line.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from manikin.arrays import Indices, Matrix, Vector
from manikin.errors import BadValue
from manikin.reference.bounded import bounded_step as reference_step
from manikin.reference.heading import Heading, HeadingArrays
from manikin.reference.kinematics import Kinematics
from manikin.reference.smooth import correction as reference_correction
from manikin.reference.tree import Tree

if TYPE_CHECKING:
    from manikin.reference.natural import Natural
    from manikin.reference.natural_arrays import NaturalArrays

VARIABLE = "MANIKIN_BACKEND"


def _choose() -> str:
    wanted = os.environ.get(VARIABLE, "")
    if wanted == "reference":
        return wanted
    from manikin import _core

    if wanted and wanted not in _core.available():
        there = ", ".join([*_core.available(), "reference"])
        raise BadValue(f"{VARIABLE} is {wanted!r}; on this machine it must be one of {there}")
    _core.use(wanted or _core.available()[-1])
    return _core.in_use()


_failure: Exception | None = None
"""The reason why no backend works; None if one works."""
try:
    name: str = _choose()
    """The backend in use: "v3", "base" or "reference"."""
    native: bool = name != "reference"
except (BadValue, ImportError) as error:
    _failure = error


def __getattr__(attribute: str) -> Any:
    """Raises the reason if there is no `name` or `native`."""
    if attribute in ("name", "native") and _failure is not None:
        raise _failure
    raise AttributeError(f"module 'manikin.backend' has no attribute {attribute!r}")


def bounded_step(J: Matrix, dX: Vector, damping: float, lower: Vector, upper: Vector) -> Vector:
    """The damped step within bounds, native or reference (see `reference.bounded`). Arguments are not checked."""
    if native:
        from manikin import _core

        rows = [np.ascontiguousarray(a, dtype=np.float64) for a in (J, dX, lower, upper)]
        return _core.bounded_step(rows[0], rows[1], damping, rows[2], rows[3])
    return reference_step(J, dX, damping, lower, upper)[0]


def checked_step(J: Any, dX: Any, damping: Any, lower: Any, upper: Any, floor: float) -> Vector | None:
    """Calls `bounded_step` if all arguments are valid arrays and damping is above `floor` · |J|. Otherwise returns
    None; the caller then converts the arguments or raises an error."""
    from manikin import _core

    try:
        return _core.checked_bounded_step(J, dX, damping, lower, upper, floor)
    except (TypeError, ValueError):
        return None


def kinematics(tree: Tree) -> Kinematics:
    """The kinematics of a tree of nodes, native or reference. Both have the same methods and the same results."""
    if _failure is not None:
        raise _failure
    if native:
        from manikin import _core

        return cast("Kinematics", _core.Kinematics(tree.nq, tree.nv, **tree.arrays()))
    return Kinematics(tree)


def heading(arrays: HeadingArrays) -> Heading:
    """The object that turns and moves a start to its targets, native or reference. Both have the same method and
    results."""
    if _failure is not None:
        raise _failure
    if native:
        from manikin import _core

        return cast("Heading", _core.Heading(**arrays.arguments()))
    return Heading(arrays)


def smooth_correction(
    rows: Matrix, first: Indices, bent: Matrix, weights: Matrix, wish: Matrix | None = None
) -> Matrix:
    """The correction of values over time, native or reference (see `reference.smooth`). Arguments are not checked."""
    if native:
        from manikin import _core

        out = np.empty((len(weights), bent.shape[1]))
        given = np.empty((0, bent.shape[1])) if wish is None else wish
        floats = [np.ascontiguousarray(a, dtype=np.float64) for a in (rows, bent, weights, given)]
        _core.smooth_correction(
            floats[0], np.ascontiguousarray(first, dtype=np.int32), floats[1], floats[2], floats[3], out
        )
        return out
    return reference_correction(rows, first, bent, weights, wish)


def natural(arrays: NaturalArrays) -> Natural:
    """The object that computes natural starts, native or reference. Both have the same methods and results."""
    if _failure is not None:
        raise _failure
    if native:
        from manikin import _core

        return cast("Natural", _core.Natural(**arrays.arguments()))
    from manikin.reference.natural import Natural

    return Natural(arrays)
