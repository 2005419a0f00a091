"""Trains the net of `mk.natural_pose` on the training subjects, with NumPy and one thread. The bits are reproducible.

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
from benchmarks.natural_chain import CENTERS, MARKED
from benchmarks.natural_fit import Net
from benchmarks.natural_poses import Poses, coordinates, joined, numbers, poses_of, resized, sound
from benchmarks.turns import Array
from manikin.prior.anatomy import EFFECTORS, PARTS, anatomy_of
from manikin.prior.model import VERSION, Model
from manikin.reference.natural_net import INPUTS, JOIN, SPLIT, SYMMETRIC, mirror_outputs

FILE = Path(__file__).parent.parent / "src" / "manikin" / "prior" / "natural.npz"
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

    width: int = 160
    """Number of pairs of units in each hidden layer."""
    layers: int = 3
    steps: int = 12000
    batch: int = 256
    rate: float = 1e-3
    noise: float = 0.02
    """Standard deviation of the noise on positions, in legs, and on axes, in radians."""
    hand_noise: float = 0.1
    """The same for the axes of hands, which CMU's recordings show least precisely."""
    far_hand_noise: float = 0.5
    """The same if no foot is known. The legs would follow the recorded axes of hands otherwise, which shake."""
    own: tuple[float, float, float] = (0.3, 0.15, 0.3)
    """Fraction of the masks for each condition of the benchmark. The other masks are random."""
    leaning: float = 0.2
    """So many of the poses that lean by more than `LEAN` have the mask of condition c."""
    steady: float = 0.003
    """Weight of the differences of the outputs if the inputs differ by `NUDGE`."""
    far_steady: float = 0.02
    """The same if no foot is known. Feet would shake otherwise that stand still in the recording."""
    decay: float = 0.2
    """The matrices shrink by this times the rate in each step."""
    chained: float = 10.0
    """Weight of the distances of joints, per leg. The outputs themselves have the weight `outputs`."""
    outputs: float = 0.2
    marks: float = 0.3
    """Weight of the marks of the chain. Joints have 1."""
    seed: int = 17


LEAN = 0.25 * np.pi
"""A pose leans if its pelvis is turned from upright by more than this angle, in radians."""
NUDGE = 0.02
"""Standard deviation of the difference of inputs for `Settings.steady`: of the axes of hands, and of the head if no
foot is known, in radians. Positions, in legs, and other axes differ by a fifth of it."""
SMALLEST = 1e-12
"""A column of weights that are all smaller than this is rounded to 0."""
WARMING = 300
"""The learning rate rises during this many steps."""
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


def masks(rng: np.random.Generator, count: int, own: float | tuple[float, ...]) -> tuple[Array, Array]:
    """Random masks: which effectors are known, and which of them have an orientation, (count, 6) each."""
    known = rng.random((count, len(EFFECTORS))) < 0.75
    none = ~known.any(axis=1)
    known[none, rng.integers(0, len(EFFECTORS), int(none.sum()))] = True
    turned = known & (rng.random(known.shape) < 0.5)
    kind = rng.random(count)
    ends = np.cumsum([0.0, *np.broadcast_to(own, len(CONDITIONS))])
    for (places, axes), low, high in zip(CONDITIONS.values(), ends[:-1], ends[1:], strict=True):
        rows = (kind >= low) & (kind < high)
        known[rows], turned[rows] = np.array(places, dtype=bool), np.array(axes, dtype=bool)
    return known, turned


def shaken(
    poses: Poses,
    rng: np.random.Generator,
    noise: float,
    hand_noise: float | Array | None = None,
    head_noise: float | Array | None = None,
) -> Poses:
    """Poses with noise on their effectors; None means that the axes of hands, or of the head, have the same noise as
    others. It may differ from row to row, (N, 1, 1)."""
    place = poses.place + noise * rng.normal(size=poses.place.shape)
    w = noise * rng.normal(size=(*poses.axes.shape[:2], 3))
    if hand_noise is not None:
        w[:, 1:3] *= hand_noise / noise
    if head_noise is not None:
        w[:, :1] *= head_noise / noise
    cross = np.zeros(poses.axes.shape)
    for (i, j), (k, sign) in {(0, 1): (2, -1), (0, 2): (1, 1), (1, 2): (0, -1)}.items():
        cross[..., i, j], cross[..., j, i] = sign * w[..., k], -sign * w[..., k]
    return replace(poses, place=place, axes=poses.axes + cross @ poses.axes)


def wanted_points(poses: Poses, y: Array) -> Array:
    """(3, POINTS, N) the points of the recorded poses, in the frame of the outputs y (N, 60)."""
    B = np.stack([y[:, 51:54], y[:, 54:57], np.cross(y[:, 51:54], y[:, 54:57])], axis=1)  # transposed
    X = (poses.joints() - poses.pelvis[:, None]) @ (poses.root @ B) + y[:, None, 57:]
    return np.ascontiguousarray(X.transpose(2, 1, 0))


def train(settings: Settings, data: str | None = None, say: Any = print) -> dict[str, Array]:
    """Trains a net and returns the arrays of the model file."""
    began = time.process_time()
    rng = np.random.default_rng(settings.seed)
    poses, mean_pose = training_poses("training", data)
    every = poses.single()
    x, y, _ = drawn(every, mean_pose, rng, settings)
    back, back_sign = mirror_outputs()
    z = x @ SPLIT.T
    mean = np.where(np.arange(INPUTS) < SYMMETRIC, z.mean(axis=0), 0.0)
    scale = np.maximum(np.sqrt(np.mean((z - mean) ** 2, axis=0)), 0.03)
    image = y[:, back] * back_sign
    out, size = 0.5 * (y + image).mean(axis=0), np.concatenate([y, image]).std(axis=0)
    size = np.maximum(size, 0.02)
    net = Net(rng, settings.width, mean, scale, out, size, settings.layers)
    weight = (weights() * size).astype(np.float32)
    steady = weight**2 / np.float32(NUDGE**2)
    weight *= np.float32(settings.outputs) / weight.sum()
    far = np.where(MARKED, settings.marks, 1.0)
    far = (far * (settings.chained / far.sum())).astype(np.float32)
    done, loss = 0, 0.0
    while done < settings.steps:
        order = rng.permutation(len(every))
        own = resized(every.taken(order), mean_pose, rng)
        x, y, near = drawn(own, None, rng, settings)
        strict = np.where(x[:, 57:59].any(axis=1), settings.steady, settings.far_steady)[:, None].astype(np.float32)
        points, bodies = wanted_points(own, y), own.bones.transpose(2, 1, 0)
        for first in range(0, len(every) - settings.batch, settings.batch):
            rate = settings.rate * 0.5 * (1.0 + np.cos(np.pi * done / settings.steps)) * min(1.0, (done + 1) / WARMING)
            rows = slice(first, first + settings.batch)
            bones = np.ascontiguousarray(bodies[..., rows])
            pull = strict[rows] * steady
            now, gradient = net.gradient(x[rows], y[rows], weight, bones, points[..., rows], far, near[rows], pull)
            net.step(rate, gradient, settings.decay)
            loss = 0.99 * loss + 0.01 * now
            done += 1
            if done % 4000 == 0:
                say(f"step {done}: loss {loss:.4f}, {time.process_time() - began:.0f} s")
            if done == settings.steps:
                break
    arrays = {"mean": net.mean, "scale": net.scale, "out": net.out, "pose": mean_pose, "center": CENTERS}
    arrays |= {f"b{k}": b for k, b in enumerate(net.b)}
    arrays = {name: np.asarray(v, dtype=np.float32) for name, v in arrays.items()}
    of_half = np.abs(JOIN).argmax(axis=0)  # an output of each half; those of a pair have the same size
    for k, W in enumerate([*net.W[:-1], net.W[-1] * net.size[of_half]]):
        arrays[f"W{k}"], arrays[f"W{k}_unit"] = quantised(W)
    arrays["sigma"] = spread(arrays, every, rng, settings).astype(np.float32)
    return arrays


def drawn(poses: Poses, mean: Array | None, rng: np.random.Generator, settings: Settings) -> tuple[Array, Array, Array]:
    """Inputs and outputs of the net for random masks and noise, and inputs beside them for `Settings.steady`; with a
    mean pose, for bodies of random proportions."""
    own = poses if mean is None else resized(poses, mean, rng)
    known, turned = masks(rng, len(own), settings.own)
    rows = (own.root[:, 1, 1] < np.cos(LEAN)) & (rng.random(len(own)) < settings.leaning)
    known[rows], turned[rows] = (np.array(m, dtype=bool) for m in CONDITIONS["c"])
    floor = rng.random(len(own)) < 0.5
    hands = np.where(known[:, 3:5].any(axis=1), settings.hand_noise, settings.far_hand_noise)
    noisy = shaken(own, rng, settings.noise, hands[:, None, None])
    x, y = numbers(noisy, known, turned, floor)
    head = np.where(known[:, 3:5].any(axis=1), 0.2 * NUDGE, NUDGE)
    near, _ = numbers(shaken(noisy, rng, 0.2 * NUDGE, NUDGE, head[:, None, None]), known, turned, floor)
    return x.astype(np.float32), y.astype(np.float32), near.astype(np.float32)


def quantised(W: Array) -> tuple[Array, Array]:
    """A matrix in whole numbers of at most 127, and the unit of each column. Units are powers of 2, so weights have at
    most seven significant bits."""
    largest = np.maximum(np.abs(W).max(axis=0).astype(np.float64), SMALLEST)
    unit = (2.0 ** np.ceil(np.log2(largest / 127.0))).astype(np.float32)
    return np.rint(W / unit).astype(np.int8), unit


def spread(arrays: dict[str, Array], poses: Poses, rng: np.random.Generator, settings: Settings) -> Array:
    """(60,) standard deviation of the training poses from the outputs of the net."""
    from types import SimpleNamespace

    from manikin.reference.natural_net import net as evaluated

    x, y = numbers(poses, *masks(rng, len(poses), settings.own), rng.random(len(poses)) < 0.5)
    on = SimpleNamespace(**Model.of(arrays | {"sigma": np.ones(60)}).arrays)
    away = y - evaluated(on, x)
    back, _ = mirror_outputs()
    square = np.mean(away**2, axis=0)
    return np.sqrt(0.5 * (square + square[back]))


def write(path: Path) -> None:
    """Trains the net and writes its file. The bytes are reproducible on one machine."""
    save(path, train(Settings()))


def save(path: Path, arrays: dict[str, Array]) -> None:
    """Writes the arrays of `train` and their source to a file."""
    arrays = {**arrays, "version": np.array(VERSION), "about": np.array(THANKS)}
    arrays |= {"parts": np.array(PARTS), "effectors": np.array(EFFECTORS)}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name in sorted(arrays):
            held = io.BytesIO()
            np.save(held, arrays[name])
            file.writestr(zipfile.ZipInfo(f"{name}.npy", (1980, 1, 1, 0, 0, 0)), held.getvalue(), zipfile.ZIP_DEFLATED)
    print(f"wrote {path.name}: {path.stat().st_size} bytes, SHA-256 {hashlib.sha256(path.read_bytes()).hexdigest()}")
