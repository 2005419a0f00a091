"""The net of natural starts in plain NumPy. `reference.natural` says what its inputs and outputs are."""

from __future__ import annotations

from typing import Any

import numpy as np

from manikin.arrays import Indices, Matrix, Vector

EFFECTORS, PARTS = 6, 17
PROPORTIONS = 7
"""Lengths of the body that are inputs; see `natural.anatomy.proportions`."""
INPUTS = 6 * 3 + 6 * 6 + 12 + 2 + PROPORTIONS
OUTPUTS = 3 * PARTS + 6 + 3
SLOPE = 0.01
"""Slope of the net's rectifier below 0."""
MOST = 4.0
"""Inputs are clipped to this many standard deviations."""


def mirror_inputs() -> tuple[Indices, Vector]:
    """The index and the sign of the input that replaces each input in the mirror image."""
    swap = [0, 2, 1, 4, 3, 5]
    place, sign = [], []
    for k in swap:
        place += [3 * k, 3 * k + 1, 3 * k + 2]
        sign += [-1.0, 1.0, 1.0]
    for k in swap:  # signs of the columns of S B S, S = diag(−1, 1, 1)
        place += [18 + 6 * k + j for j in range(6)]
        sign += [1.0, -1.0, -1.0, -1.0, 1.0, 1.0]
    place += [54 + k for k in swap] + [60 + k for k in swap] + [66, 67]
    place += range(68, INPUTS)
    return np.array(place, dtype=np.int32), np.array(sign + [1.0] * (14 + PROPORTIONS))


def mirror_outputs() -> tuple[Indices, Vector]:
    """The index and the sign of the output that replaces each output in the mirror image."""
    swap = [0, 1, 2, *range(10, 17), *range(3, 10)]
    place = [3 * k + j for k in swap for j in range(3)] + list(range(51, 60))
    sign = [1.0, -1.0, -1.0] * PARTS + [1.0, -1.0, -1.0, -1.0, 1.0, 1.0, -1.0, 1.0, 1.0]
    return np.array(place, dtype=np.int32), np.array(sign)


def net(on: Any, x: Vector) -> Vector:
    """Outputs (..., OUTPUTS) for inputs (..., INPUTS): the mean over x and the mirror image of x."""
    place, sign = mirror_inputs()
    back, back_sign = mirror_outputs()
    one, two = (_forward(on, v) for v in (x, x[..., place] * sign))
    out: Vector = 0.5 * (one + two[..., back] * back_sign) + on.out
    return out


def _forward(on: Any, x: Vector) -> Vector:
    h = np.clip((x - on.mean) / on.scale, -MOST, MOST)
    for W, b in ((on.W0, on.b0), (on.W1, on.b1), (on.W2, on.b2)):
        h = h @ W + b
        h = np.where(h > 0.0, h, SLOPE * h)
    out: Vector = h @ on.W3
    return out


def columns_to_rotation(six: Vector) -> Matrix:
    """(3, 3) the rotation with these first two columns, made orthogonal by Gram–Schmidt."""
    a = six[:3] / max(float(np.linalg.norm(six[:3])), 1e-12)
    b = six[3:] - a * (a @ six[3:])
    b = b / max(float(np.linalg.norm(b)), 1e-12)
    return np.stack([a, b, np.cross(a, b)], axis=1)
