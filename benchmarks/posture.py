"""Learns how spine, neck, head and feet go with the limbs, for `mk.fit_points`: `manikin.motion.points.posture`.

    MANIKIN_DATA=... python -m benchmarks.posture [--out FILE]

The poses of the training subjects (`benchmarks.cmu`) are retargeted to `mk.human()`. The linear model is fitted to them
and to their mirror images. The table compares it on the validation subjects: the log likelihood of a pose, and the root
mean square of the errors in degrees. Test subjects, which have the clips of `benchmarks.keypoints`, are not read.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import numpy as np

import manikin as mk
from benchmarks.cmu import people
from benchmarks.turns import Array
from manikin.figure.parts.calibration import calibrate
from manikin.motion.points import posture
from manikin.motion.points.posture import LIMBS, LearnedPosture, PostureCoordinates, coordinate_names
from manikin.motion.points.pulls import SIGMAS

RIDGE = 1e-3
"""Strength of the pull of W toward 0, for each pose. The likelihood hardly changes between 1e-4 and 3e-2."""
SHORTEST = 6
"""Clips with fewer poses are left out."""
RATE = 5.0
"""Poses of the file for each second."""


def coordinates(which: str) -> tuple[Array, Array]:
    """y (N, 32) and x (N, 24) of the poses of one part of the split, on `mk.human()`."""
    figure = mk.human()
    body = PostureCoordinates(calibrate(figure, mk.bone_map(figure)))
    ys, xs = [], []
    for person in people(which):
        for clip in np.unique(person.clip):
            poses = person.poses[person.clip == clip]
            if len(poses) < SHORTEST:
                continue
            motion = mk.Motion(person.figure, poses, np.arange(len(poses)) / RATE)
            y, x, _ = body.values(mk.retarget(motion, figure, plant=False).motion.poses)
            ys.append(y)
            xs.append(x)
    return np.concatenate(ys), np.concatenate(xs)


def mirrored(y: Array, x: Array) -> tuple[Array, Array]:
    """The coordinates of the mirror images."""
    names, limbs = coordinate_names(), [name for name, _ in LIMBS]
    of_y = [names.index(_other_side(name)) for name in names]
    of_x = [3 * limbs.index(_other_side(name)) + k for name in limbs for k in range(3)]
    sign = np.array([1.0 if name.endswith("x") else -1.0 for name in names])
    return y[:, of_y] * sign, x[:, of_x] * np.tile([-1.0, 1.0, 1.0], len(limbs))


def _other_side(name: str) -> str:
    sides = {"left": "right", "right": "left"}
    return " ".join(sides.get(word, word) for word in name.split())


def learned(y: Array, x: Array) -> LearnedPosture:
    """The model that fits these coordinates and their mirror images."""
    both = [np.concatenate(pair) for pair in zip((y, x), mirrored(y, x), strict=True)]
    rows = np.concatenate([np.ones((len(both[1]), 1)), both[1]], axis=1)
    ridge = RIDGE * len(rows) * np.eye(rows.shape[1])
    ridge[0, 0] = 0.0
    solved = np.linalg.solve(rows.T @ rows + ridge, rows.T @ both[0])
    away = both[0] - rows @ solved
    return LearnedPosture(solved[0], solved[1:].T, away.T @ away / len(away))


def judged(model: LearnedPosture, y: Array, x: Array) -> tuple[float, Array]:
    """The mean log likelihood, without its constant, and the root mean square error of each coordinate in radians."""
    away = y - model.b - x @ model.W.T
    far = np.einsum("ti,ij,tj->t", away, np.linalg.inv(model.covariance), away).mean()
    return float(-0.5 * far - 0.5 * np.linalg.slogdet(model.covariance)[1]), np.sqrt((away**2).mean(axis=0))


def at_rest() -> LearnedPosture:
    """The prior of `pulls.SIGMAS`: independent joints near the rest pose."""
    names = coordinate_names()
    kinds = [next(word for word in name.split() if word not in ("left", "right")) for name in names]
    sigma = np.array([SIGMAS["neck" if kind == "head" else kind] for kind in kinds])
    return LearnedPosture(np.zeros(len(names)), np.zeros((len(names), 3 * len(LIMBS))), np.diag(sigma**2))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--out", default=str(Path(posture.__file__).with_name("posture.npz")), help="the file to write")
    out = parser.parse_args().out
    warnings.simplefilter("ignore", mk.errors.OddFile)
    y, x = coordinates("training")
    model, without = learned(y, x), learned(y, np.zeros_like(x))
    b, W, covariance = (value.astype(np.float32) for value in (model.b, model.W, model.covariance))
    np.savez(out, b=b, W=W, covariance=covariance)
    other = coordinates("validation")
    table = {"near the rest pose": at_rest(), "mean and covariance": without, "with the limbs": model}
    print(f"{len(y)} poses of training subjects, {len(other[0])} of validation subjects")
    for words, found in table.items():
        likelihood, errors = judged(found, *other)
        degrees = {part: np.degrees(_rms(errors, part)) for part in ("spine", "neck", "head", "foot", "toes")}
        print(f"{words}: {likelihood:.1f}; " + ", ".join(f"{part} {angle:.1f}°" for part, angle in degrees.items()))
    print(f"wrote {out}")


def _rms(errors: Array, part: str) -> float:
    return float(np.sqrt(np.mean([e**2 for e, name in zip(errors, coordinate_names(), strict=True) if part in name])))


if __name__ == "__main__":
    main()
