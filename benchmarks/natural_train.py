"""Trains the net of `manikin.natural` on the training subjects, with NumPy and one thread. The bits are reproducible.

python -m benchmarks.natural train
"""

from __future__ import annotations

import hashlib
import io
import time
import zipfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import cmu
from benchmarks.natural_poses import Poses, coordinates, joined, numbers, poses_of, sound
from benchmarks.turns import Array
from manikin.natural.anatomy import EFFECTORS, PARTS, anatomy_of
from manikin.reference.natural_net import INPUTS, MOST, SLOPE, mirror_inputs, mirror_outputs

FILE = Path(__file__).parent.parent / "src" / "manikin" / "natural" / "natural.npz"
THANKS = (
    "The data used in this project was obtained from mocap.cs.cmu.edu. "
    "The database was created with funding from NSF EIA-0196217."
)
CONDITIONS = {
    "a": ((1, 1, 1, 1, 1, 1), (1, 1, 1, 1, 1, 0)),
    "b": ((1, 1, 1, 1, 1, 0), (0, 0, 0, 0, 0, 0)),
    "c": ((1, 1, 1, 0, 0, 0), (1, 1, 1, 0, 0, 0)),
}
"""The effectors with a position, and those with an orientation, in the conditions of the benchmark."""


@dataclass(frozen=True)
class Settings:
    """Settings of the training. They were chosen on validation subjects."""

    width: int = 176
    steps: int = 32000
    batch: int = 256
    rate: float = 1e-3
    noise: float = 0.01
    """Standard deviation of the noise on positions, in legs, and on axes, in radians."""
    own: float = 0.2
    """Fraction of the masks for each condition of the benchmark. The other masks are random."""
    seed: int = 17


LEVERS = {"spine": 1.0, "neck": 0.3, "head": 0.2, "upper arm": 0.6, "forearm": 0.35, "hand": 0.1} | {
    "thigh": 1.0,
    "shank": 0.6,
    "foot": 0.2,
    "toes": 0.05,
}
"""Approximate displacement of the joints below a part when the part turns by one radian, in legs."""


def weights() -> Array:
    """(60,) weight of each output: approximately the displacement of joints that it causes."""
    out = [LEVERS[name.removeprefix("left ").removeprefix("right ")] for name in PARTS for _ in range(3)]
    return np.array(out + [1.0] * 6 + [2.0] * 3)


def training_poses(which: str = "training", data: str | None = None) -> tuple[Poses, Array]:
    """The poses of some subjects, without recording errors, and the mean pose of the training subjects (51,)."""
    back, sign = mirror_outputs()
    people = cmu.people("training", data)
    rows = [coordinates(anatomy_of(p.figure), p.figure.placements(p.poses)) for p in people]
    parts = np.concatenate([x[sound(x)] for x in rows])
    mean = parts.mean(axis=0)
    mean = 0.5 * (mean + mean[back[:51]] * sign[:51])
    wanted = people if which == "training" else cmu.people(which, data)
    poses = joined([poses_of(p, mean) for p in wanted])
    return poses.taken(sound(poses.parts)), mean


def masks(rng: np.random.Generator, count: int, own: float) -> tuple[Array, Array]:
    """Random masks: which effectors are known, and which of them have an orientation, (count, 6) each."""
    known = rng.random((count, len(EFFECTORS))) < 0.75
    none = ~known.any(axis=1)
    known[none, rng.integers(0, len(EFFECTORS), int(none.sum()))] = True
    turned = known & (rng.random(known.shape) < 0.5)
    kind = rng.random(count)
    for k, (places, axes) in enumerate(CONDITIONS.values()):
        rows = (kind >= k * own) & (kind < (k + 1) * own)
        known[rows], turned[rows] = np.array(places, dtype=bool), np.array(axes, dtype=bool)
    return known, turned


def shaken(poses: Poses, rng: np.random.Generator, noise: float) -> Poses:
    """Poses with noise on their effectors."""
    place = poses.place + noise * rng.normal(size=poses.place.shape)
    w = noise * rng.normal(size=(*poses.axes.shape[:2], 3))
    cross = np.zeros(poses.axes.shape)
    for (i, j), (k, sign) in {(0, 1): (2, -1), (0, 2): (1, 1), (1, 2): (0, -1)}.items():
        cross[..., i, j], cross[..., j, i] = sign * w[..., k], -sign * w[..., k]
    return replace(poses, place=place, axes=poses.axes + cross @ poses.axes)


class Net:
    """Two hidden layers, trained by Adam."""

    def __init__(
        self, rng: np.random.Generator, width: int, mean: Array, scale: Array, out: Array, size: Array
    ) -> None:
        shapes = [(INPUTS, width), (width, width), (width, len(out))]
        self.W = [rng.normal(size=s).astype(np.float32) * np.float32(np.sqrt(2.0 / s[0])) for s in shapes]
        self.W[2] *= np.float32(0.1)
        self.b = [np.zeros(width, dtype=np.float32) for _ in range(2)]
        self.mean, self.scale, self.out, self.size = (np.asarray(v, dtype=np.float32) for v in (mean, scale, out, size))
        self._moments = [[np.zeros_like(p), np.zeros_like(p)] for p in self.parameters]
        self._count = 0

    @property
    def parameters(self) -> list[Array]:
        return [*self.W, *self.b]

    def forward(self, x: Array) -> tuple[Array, list[Array]]:
        """The outputs relative to `out` in units of `size`, and the outputs of the layers."""
        h = np.clip((x - self.mean) / self.scale, -MOST, MOST)
        layers = [h]
        for W, b in zip(self.W, self.b, strict=False):
            z = h @ W + b
            h = np.where(z > 0, z, np.float32(SLOPE) * z)
            layers.append(h)
        return h @ self.W[2], layers

    def gradient(self, x: Array, y: Array, weight: Array) -> tuple[float, list[Array]]:
        """The robust loss  Σ w (√(1 + r²) − 1),  mean over rows, and its gradient with respect to the parameters."""
        given, layers = self.forward(x)
        r = given - (y - self.out) / self.size
        root = np.sqrt(np.float32(1.0) + r * r)
        loss = float(((root - 1.0) * weight).sum() / len(x))
        d = (r / root) * weight / np.float32(len(x))
        gW: list[Any] = [None] * 3
        gb: list[Any] = [None] * 2
        gW[2] = layers[2].T @ d
        d = d @ self.W[2].T
        for k in (1, 0):
            d = d * np.where(layers[k + 1] > 0, np.float32(1.0), np.float32(SLOPE))
            gW[k], gb[k] = layers[k].T @ d, d.sum(axis=0)
            d = d @ self.W[k].T
        return loss, [*gW, *gb]

    def step(self, x: Array, y: Array, weight: Array, rate: float) -> float:
        """One step of Adam."""
        loss, gradient = self.gradient(x, y, weight)
        self._count += 1
        correct = np.sqrt(1.0 - 0.999**self._count) / (1.0 - 0.9**self._count)
        for p, g, moments in zip(self.parameters, gradient, self._moments, strict=True):
            moments[0] += np.float32(0.1) * (g - moments[0])
            moments[1] += np.float32(0.001) * (g * g - moments[1])
            p[...] -= np.float32(rate * correct) * moments[0] / (np.sqrt(moments[1]) + np.float32(1e-8))
        return loss


def train(settings: Settings, data: str | None = None, say: Any = print) -> dict[str, Array]:
    """Trains a net and returns the arrays of the model file."""
    began = time.process_time()
    rng = np.random.default_rng(settings.seed)
    poses, mean_pose = training_poses("training", data)
    both = joined([poses, poses.mirrored()])
    x, y = numbers(both, *masks(rng, len(both), settings.own), rng.random(len(both)) < 0.5)
    place, sign = mirror_inputs()
    back, back_sign = mirror_outputs()
    mean, scale = x.mean(axis=0), np.maximum(x.std(axis=0), 0.05)
    mean, scale = 0.5 * (mean + mean[place] * sign), 0.5 * (scale + scale[place])
    out, size = y.mean(axis=0), np.maximum(y.std(axis=0), 0.02)
    out, size = 0.5 * (out + out[back] * back_sign), 0.5 * (size + size[back])
    net = Net(rng, settings.width, mean, scale, out, size)
    weight = (weights() * size).astype(np.float32)
    weight /= weight.mean()
    done, loss = 0, 0.0
    while done < settings.steps:
        order = rng.permutation(len(both))
        x, y = numbers(
            shaken(both, rng, settings.noise), *masks(rng, len(both), settings.own), rng.random(len(both)) < 0.5
        )
        x, y = x[order].astype(np.float32), y[order].astype(np.float32)
        for first in range(0, len(both) - settings.batch, settings.batch):
            rate = settings.rate * 0.5 * (1.0 + np.cos(np.pi * done / settings.steps))
            rows = slice(first, first + settings.batch)
            loss = 0.99 * loss + 0.01 * net.step(x[rows], y[rows], weight, rate)
            done += 1
            if done % 4000 == 0:
                say(f"step {done}: loss {loss:.4f}, {time.process_time() - began:.0f} s")
            if done == settings.steps:
                break
    half = [a.astype(np.float16) for a in (*net.W[:2], net.W[2] * net.size)]
    arrays = {
        "mean": net.mean,
        "scale": net.scale,
        "W0": half[0],
        "W1": half[1],
        "W2": half[2],
        "b0": net.b[0],
        "b1": net.b[1],
        "out": net.out,
        "pose": mean_pose,
    }
    arrays = {
        name: np.asarray(v, dtype=np.float16 if name.startswith("W") else np.float32) for name, v in arrays.items()
    }
    arrays["sigma"] = spread(arrays, both, rng, settings).astype(np.float32)
    return arrays


def spread(arrays: dict[str, Array], poses: Poses, rng: np.random.Generator, settings: Settings) -> Array:
    """(60,) standard deviation of the training poses from the outputs of the net."""
    from types import SimpleNamespace

    from manikin.reference.natural_net import net as evaluated

    x, y = numbers(poses, *masks(rng, len(poses), settings.own), rng.random(len(poses)) < 0.5)
    on = SimpleNamespace(**{name: np.asarray(v, dtype=np.float64) for name, v in arrays.items()})
    away = y - evaluated(on, x)
    back, _ = mirror_outputs()
    square = np.mean(away**2, axis=0)
    return np.sqrt(0.5 * (square + square[back]))


def write(path: Path) -> None:
    """Trains the net and writes its file. The bytes are reproducible on one machine."""
    arrays = {**train(Settings()), "version": np.array(1), "about": np.array(THANKS)}
    arrays |= {"parts": np.array(PARTS), "effectors": np.array(EFFECTORS)}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name in sorted(arrays):
            held = io.BytesIO()
            np.save(held, arrays[name])
            file.writestr(zipfile.ZipInfo(f"{name}.npy", (1980, 1, 1, 0, 0, 0)), held.getvalue(), zipfile.ZIP_DEFLATED)
    print(f"wrote {path.name}: {path.stat().st_size} bytes, SHA-256 {hashlib.sha256(path.read_bytes()).hexdigest()}")
