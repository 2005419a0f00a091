"""Smoothing over time in plain NumPy: Whittaker's smoother, as a correction of the given values.

For values x (T, n), weights w ≥ 0 and a penalty on their k-th differences, the correction δ minimises

    Σ_t w_t |δ_t − wish_t|² + Σ_r |bent_r + Σ_j rows_rj δ_{first_r + j}|²,        bent = the rows applied to x,

so x + δ is smooth and near x + wish. A row is √λ times a k-th difference; with

    λ = (2 sin(π f / rate))^(−2k)

a wave of frequency f keeps half of its amplitude. Slower waves keep more, faster ones less. Polynomials of degree below
k have no k-th differences, so they are unchanged.

The system (W + RᵀR) δ = W wish − Rᵀ bent has k diagonals on each side of the middle one. It is solved by Cholesky, once
for all columns if they share their weights. The system needs only `bent`, not x. For poses, `bent` comes from the steps
between frames, so rotations are smoothed as rotations.

Degenerate: if all weights are 0, the system is singular.
"""

from __future__ import annotations

import numpy as np

from manikin.arrays import Indices, Matrix, Vector


def strength(rate: float, frequency: float, order: int) -> float:
    """λ, for a gain of one half at `frequency`; 0 (no smoothing) if `frequency` is half the rate or more."""
    if frequency >= 0.5 * rate:
        return 0.0
    return float((2.0 * np.sin(np.pi * frequency / rate)) ** (-2.0 * order))


def difference_rows(times: Vector, order: int) -> Matrix:
    """(T − k, k + 1) coefficients of the k-th differences of frames at these times, k = order.

    Evenly spaced frames have binomial coefficients (−1, 3, −3, 1). Uneven frames have divided differences times k! hᵏ,
    with h the mean spacing. These have the same scale, and are 0 for every polynomial in time of degree below k.
    """
    count = len(times) - order
    if count <= 0:
        return np.zeros((0, order + 1))
    spacing = (times[-1] - times[0]) / (len(times) - 1)
    window = np.lib.stride_tricks.sliding_window_view((times - times[0]) / spacing, order + 1)  # (T − k, k + 1)
    apart = window[:, :, None] - window[:, None, :]
    apart[:, np.arange(order + 1), np.arange(order + 1)] = 1.0
    rows: Matrix = float(np.prod(np.arange(1, order + 1))) / apart.prod(axis=2)
    return rows


def bend(rows: Matrix, first: Indices, values: Matrix) -> Matrix:
    """(M, n) the rows applied to values (T, n). Row r begins at frame first[r]."""
    out = np.zeros((len(rows), values.shape[1]))
    for j in range(rows.shape[1]):
        out += rows[:, j, None] * values[first + j]
    return out


def bend_steps(rows: Matrix, first: Indices, steps: Matrix) -> Matrix:
    """(M, n) the rows applied to poses, of which only the steps (T − 1, n) from frame to frame are given.

    A row with the sum 0 gives Σ_j c_j q_j = Σ_j s_j (q_{j+1} − q_j) with s_j = −(c_0 + … + c_j).
    """
    return bend(-np.cumsum(rows, axis=1)[:, :-1], first, steps)


def correction(rows: Matrix, first: Indices, bent: Matrix, weights: Matrix, wish: Matrix | None = None) -> Matrix:
    """δ (T, n), the correction that the module docstring defines.

    Args:
        rows: (M, k + 1) coefficients, √λ included.
        first: (M,) the frame at which each row begins.
        bent: (M, n) the rows applied to the values.
        weights: (T,) for all columns, or (T, n).
        wish: (T, n) the wanted correction; None means 0.

    Raises:
        ValueError: the weights are too small to determine the values.
    """
    from manikin.base.blas import solveh_banded  # not on `import manikin`

    band = np.zeros((rows.shape[1], len(weights)))  # lower form: band[d, t] couples frames t and t + d
    for j in range(rows.shape[1]):
        for i in range(j, rows.shape[1]):
            np.add.at(band[i - j], first + j, rows[:, j] * rows[:, i])
    right = np.zeros((len(weights), bent.shape[1]))
    for j in range(rows.shape[1]):
        np.subtract.at(right, first + j, rows[:, j, None] * bent)
    columns = weights[:, None] if weights.ndim == 1 else weights
    if wish is not None:
        right += columns * wish
    out = np.empty_like(right)
    for c in range(columns.shape[1]):
        system = band.copy()
        system[0] += columns[:, c]
        these = slice(None) if weights.ndim == 1 else slice(c, c + 1)
        try:
            out[:, these] = solveh_banded(system, right[:, these], lower=True)
        except np.linalg.LinAlgError as error:
            raise ValueError("smoothing: the weights do not determine the values") from error
    return out
