"""The net of `manikin.natural_pose` while it is trained: its loss, the gradient of the loss, and the steps of Adam."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.natural_chain import Chain
from benchmarks.turns import Array
from manikin.reference.natural_net import INPUTS, JOIN, MOST, SLOPE, SPLIT, SYMMETRIC, SYMMETRIC_OUT

ROUND = 0.02
"""Distances of joints shorter than this are weighted less, in legs."""
_SPLIT, _JOIN, _SLOPE = SPLIT.astype(np.float32), JOIN.astype(np.float32), np.float32(SLOPE)


class Net:
    """The net of `manikin.reference.natural_net` with hidden layers of one width, trained by Adam."""

    def __init__(
        self,
        rng: np.random.Generator,
        width: int,
        mean: Array,
        scale: Array,
        out: Array,
        size: Array,
        layers: int = 2,
    ) -> None:
        """
        Args:
            rng: draws the first weights.
            width: number of pairs of units in each hidden layer.
            mean, scale: (INPUTS,) of the halves of the inputs. The means of the antisymmetric half are 0.
            out, size: (60,) means and sizes of the outputs, symmetric under the mirror.
            layers: number of hidden layers.
        """
        shapes = [(INPUTS, width), *[(2 * width, width)] * (layers - 1), (width, len(out))]
        each = [INPUTS, *[width] * layers]
        self.W = [
            rng.normal(size=s).astype(np.float32) * np.float32(np.sqrt(2.0 / n))
            for s, n in zip(shapes, each, strict=True)
        ]
        self.W[-1] *= np.float32(0.1)
        self.b = [np.zeros(width, dtype=np.float32) for _ in range(layers)]
        self.mean, self.scale, self.out, self.size = (np.asarray(v, dtype=np.float32) for v in (mean, scale, out, size))
        self._moments = [[np.zeros_like(p), np.zeros_like(p)] for p in self.parameters]
        self._count = 0

    @property
    def parameters(self) -> list[Array]:
        return [*self.W, *self.b]

    def forward(self, x: Array) -> tuple[Array, list[tuple[Array, Array, Array, Array]]]:
        """The outputs relative to `out` in units of `size`; and for each layer the halves of its inputs, and where the
        units of each pair are positive."""
        z = np.clip((x @ _SPLIT.T - self.mean) / self.scale, -MOST, MOST)
        s, d = z[:, :SYMMETRIC], z[:, SYMMETRIC:]
        layers = []
        half = np.float32(0.5)
        for W, b in zip(self.W, self.b, strict=False):
            n = s.shape[1]
            one, two = s @ W[:n] + b, d @ W[n:]
            u, v = one + two, one - two
            layers.append((s, d, u > 0, v > 0))
            u, v = half * np.maximum(u, _SLOPE * u), half * np.maximum(v, _SLOPE * v)
            s, d = u + v, u - v
        layers.append((s, d, s, d))
        last = self.W[-1]
        given = np.concatenate([s @ last[:, :SYMMETRIC_OUT], d @ last[:, SYMMETRIC_OUT:]], axis=1)
        return given @ _JOIN.T, layers

    def gradient(
        self,
        x: Array,
        y: Array,
        weight: Array,
        bones: Array | None = None,
        points: Any = None,
        far: Any = None,
        near: Array | None = None,
        steady: Any = None,
    ) -> tuple[float, list[Array]]:
        """The robust loss  Σ w (√(1 + r²) − 1),  mean over rows, and its gradient with respect to the parameters.

        With bones (3, POINTS, n), the distances of the points of the chain from `points` (3, POINTS, n) are added, with
        weights `far` (POINTS,). With inputs `near` (n, INPUTS) beside x, the squared differences of the outputs for x
        and `near` are added, with weights `steady / 2`, (60,) or (n, 60).
        """
        every, layers = self.forward(x if near is None else np.concatenate([x, near]))
        given = every[: len(x)]
        r = given - (y - self.out) / self.size
        root = np.sqrt(np.float32(1.0) + r * r)
        loss = float(((root - 1.0) * weight).sum() / len(x))
        d = (r / root) * weight / np.float32(len(x))
        if bones is not None:
            more, slope = distances(given * self.size + self.out, bones, points, far)
            loss, d = loss + more, d + slope * self.size
        if near is not None:
            apart = given - every[len(x) :]
            pull = apart * steady / np.float32(len(x))
            loss, d = loss + 0.5 * float((apart * pull).sum()), np.concatenate([d + pull, -pull])
        return loss, self._backward(layers, d)

    def _backward(self, layers: list[tuple[Array, Array, Array, Array]], g: Array) -> list[Array]:
        """The gradient with respect to the parameters from that with respect to the outputs."""
        g = g @ _JOIN
        s, d, _, _ = layers[-1]
        gs, gd = g[:, :SYMMETRIC_OUT], g[:, SYMMETRIC_OUT:]
        gW, gb = [np.concatenate([s.T @ gs, d.T @ gd], axis=1)], []
        W = self.W[-1]
        gs, gd = gs @ W[:, :SYMMETRIC_OUT].T, gd @ W[:, SYMMETRIC_OUT:].T
        half = np.float32(0.5)
        for k in range(len(self.b) - 1, -1, -1):
            s, d, up, vp = layers[k]
            gs, gd = half * gs, half * gd
            gu, gv = gs + gd, gs - gd
            gu, gv = np.where(up, gu, _SLOPE * gu), np.where(vp, gv, _SLOPE * gv)
            gs, gd = gu + gv, gu - gv
            gW.insert(0, np.concatenate([s.T @ gs, d.T @ gd]))
            gb.insert(0, gs.sum(axis=0))
            n = s.shape[1]
            gs, gd = gs @ self.W[k][:n].T, gd @ self.W[k][n:].T
        return [*gW, *gb]

    def step(self, rate: float, gradient: list[Array], decay: float = 0.0) -> None:
        """One step of Adam. The matrices also shrink by the fraction `rate` · `decay`."""
        self._count += 1
        correct = np.sqrt(1.0 - 0.999**self._count) / (1.0 - 0.9**self._count)
        for p, g, moments in zip(self.parameters, gradient, self._moments, strict=True):
            moments[0] += np.float32(0.1) * (g - moments[0])
            moments[1] += np.float32(0.001) * (g * g - moments[1])
            p[...] -= np.float32(rate * correct) * moments[0] / (np.sqrt(moments[1]) + np.float32(1e-8))
        for W in self.W:
            W[...] *= np.float32(1.0 - rate * decay)


def distances(given: Array, bones: Array, points: Array, far: Array) -> tuple[float, Array]:
    """The mean over rows of the weighted distances of the points of a chain from `points` (3, POINTS, n), and its
    gradient (n, 60) for the outputs `given` (n, 60)."""
    found = Chain(np.ascontiguousarray(given.T), bones)
    away = found.X - points
    length = np.sqrt((away * away).sum(axis=0) + away.dtype.type(ROUND**2))
    weight = (far[:, None] / away.dtype.type(len(given))).astype(away.dtype)
    return float((length * weight).sum()), found.gradient(away * (weight / length)).T
