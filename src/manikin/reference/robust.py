"""Robust losses: functions of an error that grow slowly for outliers.

The native twin is cpp/kernels/solver/evaluate/robust.h. A goal with error d and weight w costs ½ w L(d) instead of
½ w d². Its weight in the least-squares step is w L′, with L′ = dL/d(d²):

    Geman–McClure    L = c² d² / (c² + d²)                  L′ = (c² / (c² + d²))²
    Huber            L = d² for d ≤ c, else c (2 d − c)     L′ = 1 for d ≤ c, else c / d

c is the scale: an error far below c counts fully. L′ is at least `LEAST_WEIGHT`; from there on L is continued with this
slope. L is concave in d², so a step that lowers Σ w L′ d², with L′ of the present pose, lowers Σ w L at least as much.
"""

from __future__ import annotations

import numpy as np

from manikin.arrays import Vector

GEMAN_MCCLURE, HUBER = 1, 2
"""Kinds of losses (`LossKind` in cpp/model/goals.h)."""
LEAST_WEIGHT = 1e-6
"""Smallest slope L′; `kLeastSlope` in cpp/kernels/solver/constants.h is the same."""


def loss(kind: int, scale: float, errors: Vector) -> tuple[Vector, Vector]:
    """L and L′ of errors (...), for a scale in the unit of the errors."""
    d = np.asarray(errors, dtype=np.float64)
    square, c2 = d * d, scale * scale
    if kind == HUBER:
        last = scale / LEAST_WEIGHT
        far = np.minimum(np.maximum(d, scale), last)
        value = np.where(d <= scale, square, scale * (2.0 * far - scale))
        slope = np.where(d <= scale, 1.0, scale / far)
        return np.asarray(value + LEAST_WEIGHT * np.where(d > last, square - last * last, 0.0)), slope
    edge = c2 * (1.0 / np.sqrt(LEAST_WEIGHT) - 1.0)
    inner = np.minimum(square, edge)
    share = c2 / (c2 + inner)
    value = share * inner + LEAST_WEIGHT * (square - inner)
    return np.asarray(value), np.asarray(np.maximum(share * share, LEAST_WEIGHT))
