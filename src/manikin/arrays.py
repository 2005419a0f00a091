"""Checks of arrays: input is checked and copied, output is read-only.

All checks of shapes and values are here, so that all messages have the same wording. The rest of the package trusts its
arguments.
"""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manikin.errors import BadShape, BadValue

Vector: TypeAlias = NDArray[np.float64]
"""(n,) float64."""
Matrix: TypeAlias = NDArray[np.float64]
"""(m, n) float64."""
Points: TypeAlias = NDArray[np.float64]
"""(..., 3) float64."""
Quaternions: TypeAlias = NDArray[np.float64]
"""(..., 4) float64, wxyz, unit length, to parent from local."""
Rotations: TypeAlias = NDArray[np.float64]
"""(..., 3, 3) float64, to parent from local."""
Placements: TypeAlias = NDArray[np.float64]
"""(..., 4, 4) float64, to world from local."""
Poses: TypeAlias = NDArray[np.float64]
"""(..., nq) float64."""
Steps: TypeAlias = NDArray[np.float64]
"""(..., nv) float64."""
Indices: TypeAlias = NDArray[np.int32]
"""(n,) int32."""

LEAST_DIRECTION = 1e-300
"""A vector has no direction if its largest coordinate is at most this."""
PLAIN = frozenset({int, float, bool, str, type(None), np.float64})
"""Types that hold exactly one value."""
UNIT_TOLERANCE = 1e-6
"""The length of a quaternion or direction may differ from 1 by at most this. A larger difference is an error, not
rounding."""

WITH_GIL = 500
"""NumPy keeps the GIL while it computes with at most this many numbers."""


def frozen(values: ArrayLike, dtype: Any = np.float64) -> NDArray[Any]:
    """A read-only copy."""
    array = np.array(values, dtype=dtype)
    array.flags.writeable = False
    return array


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """A read-only view of an array, without a copy."""
    view: NDArray[Any] = array.view()
    view.flags.writeable = False
    return view


def numbers(values: ArrayLike, name: str, shape: tuple[int | None, ...], finite: bool = True) -> NDArray[np.float64]:
    """`values` as a float64 array of the given shape. None in `shape` stands for any length, a leading -1 for any
    number of leading axes.

    Raises:
        BadShape: names the array, its shape and the shape it needs.
        BadValue: names the array and its first value that is not a finite number.
    """
    if isinstance(values, tuple) and shape in ((len(values),), (None,)) and _all_finite(values):
        return np.array(values)
    array = real(values, name)
    leading = bool(shape) and shape[0] == -1
    wanted = shape[1:] if leading else shape
    actual = array.shape[len(array.shape) - len(wanted) :] if leading else array.shape
    fits = len(actual) == len(wanted) and all(w is None or w == a for w, a in zip(wanted, actual, strict=True))
    if not fits:
        raise BadShape(f"{name} has shape {array.shape}; it needs {_spelled(shape)}")
    if finite:
        require_finite(array, name)
    return array


def of_one_moment(values: ArrayLike) -> ArrayLike:
    """Many numbers as they are now: a copy, which is made with the GIL. NumPy computes, and copies, without it, so that
    another thread could write to an array meanwhile."""
    if type(values) is np.ndarray and values.dtype == np.float64 and values.size > WITH_GIL:
        copied: NDArray[np.float64] = np.frombuffer(bytearray(values)).reshape(values.shape)
        return copied
    return values


def few(values: ArrayLike, name: str, count: int | None = None) -> tuple[float, ...]:
    """A tuple of `count` finite numbers; None means any number of them."""
    if isinstance(values, tuple) and count in (None, len(values)) and _all_finite(values):
        return tuple(values)
    return tuple(numbers(values, name, (count,)).tolist())


def _all_finite(values: tuple[Any, ...]) -> bool:
    """Whether a tuple has finite floats only. This is faster than an array for a few numbers."""
    return set(map(type, values)) <= {float} and all(map(math.isfinite, values))


def real(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """`values` as float64, of any shape. Strings, dates and complex numbers raise an error; they are not converted."""
    if type(values) is np.ndarray and values.dtype == np.float64:
        return values
    require_plain(values, name)
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "biufO" or (array.dtype.kind == "O" and any(x is None for x in array.flat)):
            raise TypeError(f"no conversion from {array.dtype}")
        return np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise BadValue(f"{name} needs numbers, got {_short(values)}") from error


def floats(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """`values` as float64, for functions that make no other checks."""
    if type(values) is not np.ndarray:
        require_plain(values, name)
    return np.asarray(values, dtype=np.float64)


def require_plain(values: Any, name: str) -> None:
    """Raise BadValue for arrays that hold more than numbers: a masked array, or a tensor whose gradient would be lost.

    Also checks the elements of lists and tuples.
    """
    if isinstance(values, (list, tuple)):
        kinds = set(map(type, values)) - PLAIN
        for value in values if kinds else ():
            if type(value) in kinds:
                require_plain(value, name)
    elif isinstance(values, np.ma.MaskedArray):
        raise BadValue(f"{name} is a masked array; pass one without a mask, such as array.filled(…)")
    elif getattr(values, "requires_grad", False) is True:
        raise BadValue(f"{name} is a tensor that requires a gradient, which would be lost; pass tensor.detach()")


def copies(*values: Any) -> tuple[Any, ...]:
    """The arguments of a call, each array as a copy: another thread may write to the caller's arrays meanwhile."""
    return tuple(value.copy() if isinstance(value, np.ndarray) else value for value in values)


def require_finite(array: NDArray[np.float64], name: str) -> None:
    """Raise BadValue naming the first value that is NaN or infinite."""
    if not np.isfinite(array).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        at = f"[{', '.join(map(str, where))}]" if where else ""
        raise BadValue(f"{name}{at} is {array[where]}; it needs a finite number")


def vector3(values: ArrayLike, name: str) -> Vector:
    """Three finite numbers."""
    return numbers(values, name, (3,))


def direction(values: ArrayLike, name: str) -> Vector:
    """Three finite numbers, scaled to length 1. A zero vector is an error."""
    array = vector3(values, name)
    largest = float(np.abs(array).max())
    if not largest > LEAST_DIRECTION:
        raise BadValue(f"{name} is {_short(values)}, which has no direction; it needs a vector of length above 0")
    if not 1e-100 < largest < 1e100:  # its squares would underflow or overflow
        array = array / largest
    length = float(np.linalg.norm(array))
    return array if abs(length - 1.0) <= 1e-15 else array / length


def quaternion(values: ArrayLike, name: str) -> Vector:
    """Four finite numbers wxyz of length 1 (within 1e-6). They are scaled to length 1 if that changes a bit."""
    array = numbers(values, name, (4,))
    length = float(np.linalg.norm(array))
    if abs(length - 1.0) > UNIT_TOLERANCE:
        what = "is zero" if length == 0.0 else f"has length {length:.6g}"
        raise BadValue(f"{name}: quaternion {_short(values)} {what}; it needs length 1, in the order w, x, y, z")
    return array if abs(length - 1.0) <= 1e-15 else array / length


def positive(value: float, name: str) -> float:
    """A finite number above 0."""
    number = scalar(value, name)
    if not number > 0.0:
        raise BadValue(f"{name} is {number:g}; it must be above 0")
    return number


def non_negative(value: float, name: str) -> float:
    """A finite number of at least 0."""
    number = scalar(value, name)
    if number < 0.0:
        raise BadValue(f"{name} is {number:g}; it must be at least 0")
    return number


def scalar(value: Any, name: str) -> float:
    """One finite number."""
    if type(value) is float and math.isfinite(value):
        return value
    require_plain(value, name)
    number = _number(value, f"{name} is {_short(value)}; it needs one number")
    if not np.isfinite(number):
        raise BadValue(f"{name} is {number}; it needs a finite number")
    return number


def text(value: Any, name: str) -> str:
    """A string of at least one character."""
    if not isinstance(value, str) or not value:
        raise BadValue(f"{name} is {_short(value)}; it needs a string of at least one character")
    return value


def whole(value: Any, name: str, least: int) -> int:
    """A whole number of at least `least`."""
    require_plain(value, name)
    if not isinstance(value, (int, np.integer)) or value < least:
        raise BadValue(f"{name} is {_short(value)}; it must be a whole number of at least {least}")
    return int(value)


def lead(a: NDArray[Any], a_name: str, a_inner: int, b: NDArray[Any], b_name: str, b_inner: int) -> tuple[int, ...]:
    """The leading axes that two arrays share by broadcasting, given the number of inner axes of each.

    Raises:
        BadShape: names both arrays.
    """
    first, second = a.shape[: a.ndim - a_inner], b.shape[: b.ndim - b_inner]
    try:
        return np.broadcast_shapes(first, second)
    except ValueError as error:
        raise BadShape(
            f"{a_name} has shape {a.shape} and {b_name} has shape {b.shape}; "
            f"their leading axes {first} and {second} cannot be broadcast together"
        ) from error


def limits(values: Any, name: str) -> tuple[float, float]:
    """A pair (lower, upper), lower <= upper. None or an infinity means no limit."""
    if values is None:
        return (-np.inf, np.inf)
    require_plain(values, f"{name}: limits")
    try:
        lower, upper = values
    except (TypeError, ValueError) as error:
        raise BadValue(f"{name}: limits are {_short(values)}; they must be a pair (lower, upper)") from error
    low = -np.inf if lower is None else _bound(lower, name)
    high = np.inf if upper is None else _bound(upper, name)
    if low > high:
        raise BadValue(f"{name}: limits are in the wrong order, lower {low:g} is above upper {high:g}")
    if low == np.inf or high == -np.inf:
        raise BadValue(f"{name}: limits ({low:g}, {high:g}) allow no value; lower must be finite or -inf")
    return (low, high)


def matrix(values: ArrayLike, name: str, columns: int | None = None) -> Matrix:
    """Finite numbers of shape (m, n). If `columns` is given, n must equal it."""
    array = numbers(values, name, (-1,))
    if array.ndim != 2 or columns not in (None, array.shape[1]):
        raise BadShape(f"{name} has shape {array.shape}; it needs (m, {'n' if columns is None else columns})")
    return array


def fitting(values: ArrayLike, name: str, length: int, matrix: Matrix, matrix_name: str) -> Vector:
    """Finite numbers of shape (length,). The length is a number of rows or columns of a matrix.

    Example:
        >>> fitting([1.0, 2.0], "displacement", 3, np.zeros((3, 9)), "jacobian")
        Traceback (most recent call last):
        manikin.errors.BadShape: displacement has shape (2,); jacobian of shape (3, 9) needs (3,)
    """
    array = numbers(values, name, (-1,), finite=False)
    if array.shape != (length,):
        raise BadShape(f"{name} has shape {array.shape}; {matrix_name} of shape {matrix.shape} needs ({length},)")
    require_finite(array, name)
    return array


def box(lower: ArrayLike, upper: ArrayLike, length: int) -> tuple[Vector, Vector]:
    """Two vectors (length,), lower <= upper, infinite where there is no bound. One number stands for all."""
    pair = []
    for name, values, never in (("lower", lower, np.inf), ("upper", upper, -np.inf)):
        array = numbers(values, name, (-1,), finite=False)
        if array.shape not in ((), (length,)):
            raise BadShape(f"{name} has shape {array.shape}; it needs ({length},), or one number for all")
        array = np.array(np.broadcast_to(array, (length,)))
        wrong = np.isnan(array) | (array == never)
        if wrong.any():
            i = int(np.argmax(wrong))
            raise BadValue(f"{name}[{i}] is {array[i]}; it needs a finite number, or {-never} for no limit")
        pair.append(array)
    above = pair[0] > pair[1]
    if above.any():
        i = int(np.argmax(above))
        raise BadValue(f"limits are in the wrong order: lower[{i}] is {pair[0][i]:g}, above upper[{i}], {pair[1][i]:g}")
    return pair[0], pair[1]


def _bound(value: Any, name: str) -> float:
    if type(value) is float and not math.isnan(value):
        return value
    number = _number(value, f"{name}: limit {_short(value)} is not a number")
    if np.isnan(number):
        raise BadValue(f"{name}: limit is NaN; it needs a number, or infinity for no limit")
    return number


def _number(value: Any, problem: str) -> float:
    """A float from anything that is a single number. Strings and arrays with axes raise TypeError."""
    try:
        if isinstance(value, (str, bytes)) or np.ndim(value) != 0:
            raise TypeError("not one number")
        return float(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise BadValue(problem) from error


def _spelled(shape: tuple[int | None, ...]) -> str:
    parts = ["…" if n == -1 else "n" if n is None else str(n) for n in shape]
    return f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"


def _short(value: object, max_length: int = 60) -> str:
    text = " ".join(repr(value.tolist() if isinstance(value, np.ndarray) else value).split())
    return text if len(text) <= max_length else text[: max_length - 1] + "…"
