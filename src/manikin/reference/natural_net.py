"""The net of natural starts in plain NumPy. `reference.natural` says what its inputs and outputs are.

Mirrored inputs give mirrored outputs, because the net computes with two halves. Let x' be the mirror image of x. The
symmetric half s = (x + x')/2 is the same for x' as for x. The antisymmetric half d = (x − x')/2 changes its sign.
Hidden units are in pairs (u, v), which the mirror swaps. A layer is

    s = A s + b,  d = B d,  u = f(s + d),  v = f(s − d),  s = (u + v)/2,  d = (u − v)/2

with the leaky rectifier f. Symmetric outputs are linear in the last s, antisymmetric outputs in the last d.

The net computes in single precision. The inputs of each layer are rounded to 17 significant bits, and weights have 7.
So products are exact, and every processor computes the same bits, whether it fuses products with sums or not.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Indices, Matrix, Vector

Single = NDArray[np.float32]
EFFECTORS, PARTS = 6, 17
PROPORTIONS = 7
"""Lengths of the body that are inputs; see `natural.anatomy.proportions`."""
INPUTS = 6 * 3 + 6 * 6 + 12 + 2 + PROPORTIONS
OUTPUTS = 3 * PARTS + 6 + 3
SLOPE = 2.0**-7
"""Slope of the net's rectifier below 0. Products with a power of 2 are exact."""
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


def halves(place: Indices, sign: Vector) -> tuple[Matrix, int]:
    """The matrix (n, n) that takes numbers to their symmetric half and, after it, their antisymmetric half; and the
    size of the symmetric half. Two numbers that the mirror swaps give one number of each half."""
    own, same = np.arange(len(place)), np.eye(len(place))
    image = same[place] * sign[:, None]
    first = own < place
    symmetric, other = first | ((own == place) & (sign > 0.0)), first | ((own == place) & (sign < 0.0))
    return 0.5 * np.concatenate([(same + image)[symmetric], (same - image)[other]]), int(symmetric.sum())


SPLIT, SYMMETRIC = halves(*mirror_inputs())
"""(INPUTS, INPUTS) takes inputs to their halves; and the size of the symmetric half."""
_SPLIT_OUT, SYMMETRIC_OUT = halves(*mirror_outputs())
JOIN = np.sign(_SPLIT_OUT).T
"""(OUTPUTS, OUTPUTS) takes the halves of outputs to the outputs."""


def net(on: Any, x: Vector) -> Vector:
    """Outputs (..., OUTPUTS) for inputs (..., INPUTS)."""
    seen = x.astype(np.float32) @ SPLIT.T.astype(np.float32)
    shifted = (seen - on.mean.astype(np.float32)) * (1.0 / on.scale).astype(np.float32)
    z = rounded(np.clip(shifted, np.float32(-MOST), np.float32(MOST)))
    s, d = z[..., :SYMMETRIC], z[..., SYMMETRIC:]
    for W, b in ((on.W0, on.b0), (on.W1, on.b1), (on.W2, on.b2)):
        n = s.shape[-1]
        s, d = layer(s, d, W[:n], W[n:], b, SLOPE)
    A, B = on.W3[:, :SYMMETRIC_OUT], on.W3[:, SYMMETRIC_OUT:]
    A = np.pad(A, ((0, 0), (0, B.shape[1] - A.shape[1])))
    s, d = layer(s, d, A, B, np.zeros(B.shape[1]), 1.0)
    out: Vector = np.concatenate([s[..., :SYMMETRIC_OUT], d], axis=-1).astype(np.float64) @ JOIN.T + on.out
    return out


def layer(s: Single, d: Single, A: Matrix, B: Matrix, b: Vector, slope: float) -> tuple[Single, Single]:
    """The halves after a layer, from those before it."""
    p, q = summed(s, A, b), summed(d, B, np.zeros(len(b)))
    u, v = (np.where(z > 0.0, z, np.float32(slope) * z) for z in (p + q, p - q))
    return rounded(np.float32(0.5) * (u + v)), rounded(np.float32(0.5) * (u - v))


def summed(x: Single, W: Matrix, b: Vector) -> Single:
    """b + x W in single precision, row by row."""
    out = np.broadcast_to(b.astype(np.float32), (*x.shape[:-1], len(b)))
    for i, row in enumerate(W.astype(np.float32)):
        out = out + x[..., i, None] * row
    return out


def rounded(z: Single) -> Single:
    """Numbers rounded to 17 significant bits; single precision has 24."""
    bits = np.ascontiguousarray(z).view(np.uint32) + np.uint32(0x40)
    out: Single = (bits & np.uint32(0xFFFFFF80)).view(np.float32)
    return out


def columns_to_rotation(six: Vector) -> Matrix:
    """(3, 3) the rotation with these first two columns, made orthogonal by Gram–Schmidt."""
    a = six[:3] / max(float(np.linalg.norm(six[:3])), 1e-12)
    b = six[3:] - a * (a @ six[3:])
    b = b / max(float(np.linalg.norm(b)), 1e-12)
    return np.stack([a, b, np.cross(a, b)], axis=1)
