"""Which code computes: the native core built for this processor, or the NumPy twin when asked for. Chosen here, once.

The environment variable MANIKIN_BACKEND forces one: "v3" (x86-64-v3: AVX2 and FMA), "base" (any processor), or
"reference" (plain NumPy, slow, for reading and for tests). Without it the fastest that this processor runs is taken.
There is no silent fallback: a name that is not known, or a missing native core, is an error as soon as something is to
be computed (and not on import already, so that `manikin doctor` can say it in one line).
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from manikin.arrays import Matrix, Vector
from manikin.errors import BadValue
from manikin.reference.bounded import bounded_step as reference_step
from manikin.reference.heading import Heading, HeadingArrays
from manikin.reference.kinematics import Kinematics
from manikin.reference.tree import Tree

if TYPE_CHECKING:
    from manikin.reference.natural import Natural, NaturalArrays

VARIABLE = "MANIKIN_BACKEND"


def _choose() -> str:
    wanted = os.environ.get(VARIABLE, "")
    if wanted == "reference":
        return wanted
    from manikin import _core

    if wanted and wanted not in _core.available():
        there = ", ".join([*_core.available(), "reference"])
        raise BadValue(f"{VARIABLE} is {wanted!r}; on this machine it may be one of {there}")
    _core.use(wanted or _core.available()[-1])
    return _core.in_use()


_failure: Exception | None = None
"""Why nothing can compute; None where something can."""
try:
    name: str = _choose()
    """What is in use: "v3", "base" or "reference"."""
    native: bool = name != "reference"
except (BadValue, ImportError) as error:
    _failure = error


def __getattr__(attribute: str) -> Any:
    """`name` and `native` where there are none: the reason."""
    if attribute in ("name", "native") and _failure is not None:
        raise _failure
    raise AttributeError(f"module 'manikin.backend' has no attribute {attribute!r}")


def bounded_step(J: Matrix, dX: Vector, damping: float, lower: Vector, upper: Vector) -> Vector:
    """The damped step within bounds, native or reference (see `reference.bounded`). Arguments are trusted."""
    if native:
        from manikin import _core

        rows = [np.ascontiguousarray(a, dtype=np.float64) for a in (J, dX, lower, upper)]
        return _core.bounded_step(rows[0], rows[1], damping, rows[2], rows[3])
    return reference_step(J, dX, damping, lower, upper)[0]


def checked_step(J: Any, dX: Any, damping: Any, lower: Any, upper: Any, floor: float) -> Vector | None:
    """`bounded_step` at once where all arguments are arrays in order and damping is above `floor` · |J|; else None, and
    the caller looks for what is wrong, or converts what only needs converting."""
    from manikin import _core

    try:
        return _core.checked_bounded_step(J, dX, damping, lower, upper, floor)
    except (TypeError, ValueError):
        return None


def kinematics(tree: Tree) -> Kinematics:
    """The kinematics of a tree of nodes, native or reference: the same methods, the same results."""
    if _failure is not None:
        raise _failure
    if native:
        from manikin import _core

        return cast("Kinematics", _core.Kinematics(tree.nq, tree.nv, **tree.arrays()))
    return Kinematics(tree)


def heading(arrays: HeadingArrays) -> Heading:
    """What turns and moves a start to its targets, native or reference: the same method, the same results."""
    if _failure is not None:
        raise _failure
    if native:
        from manikin import _core

        return cast("Heading", _core.Heading(**arrays.arguments()))
    return Heading(arrays)


def natural(arrays: NaturalArrays) -> Natural:
    """What gives natural starts, native or reference: the same method, the same results."""
    if _failure is not None:
        raise _failure
    if native:
        from manikin import _core

        return cast("Natural", _core.Natural(**arrays.arguments()))
    from manikin.reference.natural import Natural

    return Natural(arrays)
