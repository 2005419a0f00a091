"""Random Jacobians, stacks of them, and bounds, many of them at the places where the algebra breaks.

Hypothesis draws the sizes, the kind and a seed; NumPy fills in the numbers. Singular values are either well above the
rank tolerance or rounding of zero, so that what the rank *is* leaves no doubt; "near-singular" means 1e-6 of the
largest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from manikin.arrays import Matrix, Vector
from manikin.linalg.inverses import norm

SMALLEST_KEPT = 1e-6
"""Least singular value of what we draw that is not zero, as a fraction of the largest."""
CLEAR = 1e-8
"""Between what our stacks leave of an effector (1e-7 and more) and rounding (1e-10 and less)."""
KINDS = ("plain", "graded", "near-singular", "deficient", "zero", "zero rows", "zero columns", "repeated rows", "whole")
DEFECTS = (
    "repeated effector",
    "scaled copy",
    "within the earlier",
    "zero effector",
    "zero row",
    "nearly the same",
    "singular itself",
    "shared angles",
    "more rows than angles",
)


def seeds() -> st.SearchStrategy[int]:
    return st.integers(0, 2**32 - 1)


def scales() -> st.SearchStrategy[float]:
    """Mostly ordinary, sometimes as large or small as floating point lets us square."""
    return st.one_of(st.just(1.0), st.integers(-6, 6).map(lambda k: 10.0**k), st.sampled_from([1e-100, 1e100]))


def with_singular_values(rng: np.random.Generator, m: int, n: int, values: Vector) -> Matrix:
    """A random (m, n) with the given singular values, at most min(m, n) of them."""
    k = len(values)
    U, V = np.linalg.qr(rng.normal(size=(m, k)))[0], np.linalg.qr(rng.normal(size=(n, k)))[0]
    made: Matrix = (U * values) @ V.T
    return made


@st.composite
def jacobians(draw: st.DrawFn, rank: str = "any", most_rows: int = 8, most_columns: int = 14) -> Matrix:
    """A Jacobian (m, n). rank: "any" (zero and deficient ones too), "full", "rows" (full, m ≤ n), "columns" (m ≥ n)."""
    m, n = draw(st.integers(1, most_rows)), draw(st.integers(1, most_columns))
    if (rank == "rows" and m > n) or (rank == "columns" and m < n):
        m, n = n, m
    kind = draw(st.sampled_from(KINDS if rank == "any" else KINDS[:3]))
    rng = np.random.default_rng(draw(seeds()))
    k = min(m, n)
    J = with_singular_values(rng, m, n, 10.0 ** rng.uniform(-1.0, 0.0, size=k))
    if kind == "graded":
        J = with_singular_values(rng, m, n, np.geomspace(1.0, SMALLEST_KEPT, k))
    elif kind == "near-singular":
        J = with_singular_values(rng, m, n, np.append(np.ones(k - 1), SMALLEST_KEPT))
    elif kind == "deficient":
        J = with_singular_values(rng, m, n, rng.uniform(0.1, 1.0, size=draw(st.integers(0, k - 1))))
    elif kind == "zero":
        J = np.zeros((m, n))
    elif kind == "zero rows":
        J[rng.random(m) < 0.5] = 0.0
    elif kind == "zero columns":
        J[:, rng.random(n) < 0.5] = 0.0
    elif kind == "repeated rows":
        J = J[rng.integers(0, m, size=m)]
    elif kind == "whole":
        J = rng.integers(-2, 3, size=(m, n)).astype(float)
    return J * draw(scales())


@st.composite
def stacks(draw: st.DrawFn, rank: str = "full", least: int = 1, most: int = 5, spread: int = 3) -> list[Matrix]:
    """Jacobians of several effectors with the same angles, each at its own scale, up to 10^±spread.

    rank: "full" (well-conditioned but for the scales), "near" (full, but one effector has all but 1e-4 of its motion
    in common with the others), "any" (one or two of the DEFECTS).
    """
    count = draw(st.integers(least, most))
    rows = [draw(st.integers(1, 4)) for _ in range(count)]
    n = sum(rows) + draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(seeds()))
    whole = with_singular_values(rng, sum(rows), n, rng.uniform(0.1, 1.0, size=sum(rows)))
    Js = [J.copy() for J in np.split(whole, np.cumsum(rows)[:-1])]
    if rank == "near" and count > 1:
        Js[-1] = _mixture(rng, Js[:-1], len(Js[-1])) + 1e-4 * Js[-1]
    if rank == "any":
        for _ in range(draw(st.integers(1, 2))):
            Js = _damaged(rng, Js, draw(st.sampled_from(DEFECTS)))
    return [J * 10.0 ** draw(st.integers(-spread, spread)) for J in Js]


def _mixture(rng: np.random.Generator, Js: list[Matrix], rows: int) -> Matrix:
    """`rows` random combinations of the rows of all Js."""
    together = np.vstack(Js)
    mixed: Matrix = rng.uniform(-1.0, 1.0, size=(rows, len(together))) @ together
    return mixed


def _damaged(rng: np.random.Generator, Js: list[Matrix], defect: str) -> list[Matrix]:
    i = int(rng.integers(len(Js)))
    J, others = Js[i], [*Js[:i], *Js[i + 1 :]]
    at = int(rng.integers(len(Js) + 1))
    if defect == "repeated effector":
        return [*Js[:at], J.copy(), *Js[at:]]
    if defect == "scaled copy":
        return [*Js[:at], -3.0 * J, *Js[at:]]
    if defect == "within the earlier":
        return [*Js, _mixture(rng, Js, int(rng.integers(1, 4)))]
    if defect == "zero effector":
        return [*Js[:at], np.zeros_like(J), *Js[at:]]
    if defect == "zero row":
        J[int(rng.integers(len(J)))] = 0.0
        return Js
    if defect == "nearly the same":
        return [*others, J, J + 1e-4 * rng.uniform(-1.0, 1.0, size=J.shape)]
    if defect == "singular itself":
        Js[i] = np.vstack([J, J[:1] - J[-1:]])
        return Js
    if defect == "shared angles":
        moving = rng.random(J.shape[1]) < 0.6
        return [J * moving for J in Js]
    n = int(rng.integers(1, J.shape[1] + 1))
    return [J[:, :n] for J in Js]


def brought_to_one_size(Js: list[Matrix]) -> Matrix:
    """The stack with every effector divided by its norm: the same null space, without the scales."""
    return np.vstack([J / (norm(J) or 1.0) for J in Js])


def common_null_space(Js: list[Matrix]) -> Matrix:
    """Orthonormal columns, by one decomposition of the whole stack."""
    _, values, Vt = np.linalg.svd(brought_to_one_size(Js), full_matrices=True)
    null_space: Matrix = Vt[np.count_nonzero(values > CLEAR * values.max(initial=0.0)) :].T
    return null_space


def condition(Js: list[Matrix]) -> float:
    """Of the stack brought to one size, as far as its rank goes."""
    values = np.linalg.svd(brought_to_one_size(Js), compute_uv=False)
    kept = values[values > CLEAR * values.max(initial=0.0)]
    return float(kept.max() / kept.min()) if len(kept) else 1.0


@dataclass(frozen=True, eq=False)
class Boxed:
    """A problem for `bounded_step`."""

    J: Matrix
    """(m, n)"""
    dX: Vector
    """(m,)"""
    damping: float
    lower: Vector
    """(n,), −inf where free."""
    upper: Vector
    """(n,), inf where free."""


def boxed(rng: np.random.Generator, J: Matrix, damping: float) -> Boxed:
    """Bounds around and beside 0, some open, some closed to one point, some touched by the damped step exactly; and a
    displacement that may be out of reach."""
    m, n = J.shape
    size = float(np.abs(J).max(initial=0.0)) or 1.0
    dX = J @ rng.normal(size=n) if rng.random() < 0.4 else size * rng.normal(size=m)
    width = 10.0 ** rng.uniform(-2.0, 1.0)
    lower, upper = -width * rng.random(n), width * rng.random(n)
    if rng.random() < 0.3:
        shift = width * rng.normal(size=n)
        lower, upper = lower + shift, upper + shift
    if rng.random() < 0.3:
        lower, upper = np.round(lower), np.round(upper)
    if rng.random() < 0.3:
        closed = rng.random(n) < 0.3
        lower[closed] = upper[closed]
    lower[rng.random(n) < rng.choice([0.0, 0.5, 1.0])] = -np.inf
    upper[rng.random(n) < rng.choice([0.0, 0.5, 1.0])] = np.inf
    return Boxed(J, dX, damping, lower, upper)


@st.composite
def boxed_problems(draw: st.DrawFn, undamped: bool = False) -> Boxed:
    """A Jacobian of any rank and scale, a damping that suits the scale (or 0), and bounds."""
    J = draw(jacobians(most_rows=10, most_columns=12))
    size = float(np.abs(J).max(initial=0.0)) or 1.0
    damping = 0.0 if undamped else size * 10.0 ** draw(st.integers(-4, 1))
    return boxed(np.random.default_rng(draw(seeds())), J, damping)
