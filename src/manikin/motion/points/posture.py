"""What the seen limbs say about the joints that keypoints hardly show: spine, neck, head, feet and toes.

Two hips and two shoulders do not show how a back bends, and some layouts have no points on the feet. In recordings of
people these joints go with the directions of arms and legs: a foot points when the leg swings back, a back rounds when
the thighs come up. `posture.npz` has this relation as a linear Gaussian model

    y = b + W x + e,        e with mean 0 and covariance Σ,

learned from recorded poses by `python -m benchmarks.posture`. natural/LICENSE-CMU.txt has the terms of the recordings.

- y: the rotation vector of each joint, in the canonical axes of its parts (`figure.parts.calibration`). A spine has
  `SPINE` stations and a neck `NECK`. The joints of a figure with other numbers are spread over them.
- x: the directions of thighs and shanks in the axes of the pelvis, and those of upper arms and forearms in the axes of
  the chest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from manikin import rotations
from manikin.arrays import Matrix, Poses, Rotations, Vector, frozen
from manikin.base.numpy_file import NumpyFile
from manikin.figure import Figure
from manikin.figure.movable import movable_steps
from manikin.figure.parts.bone_map import SIDES
from manikin.figure.parts.calibration import Calibration, parent_part

SPINE, NECK = 5, 2
"""Number of stations of the spine and of the neck."""
CHAINS = {"spine": SPINE, "neck": NECK, "head": 1, "left foot": 1, "right foot": 1, "left toes": 1, "right toes": 1}
"""Parts whose joints are predicted, with the number of stations of each."""
BENDS = {"left toes": 1, "right toes": 1}
"""Number of coordinates of a station where it is not three: toes only bend."""
LIMBS = tuple(
    (f"{side} {limb}", frame)
    for frame, limbs in (("pelvis", ("thigh", "shank")), ("chest", ("upper arm", "forearm")))
    for limb in limbs
    for side in SIDES
)
"""The limbs whose directions are seen, and the part in whose axes they are measured."""
WIDER = {"spine": 2.0, "neck": 2.0, "head": 2.0, "foot": 4.0, "toes": 4.0}
"""The standard deviations are this many times those of the recordings, because other people and rigs differ more. Feet
may be pointed in all frames of a clip."""
WITHIN = 0.1
"""Standard deviation of the differences between joints of one station, in radians."""


@dataclass(frozen=True, eq=False)
class LearnedPosture:
    """The model y = b + W x + e. The rows are those of `coordinate_names`."""

    b: Vector
    W: Matrix
    covariance: Matrix


@cache
def learned_posture() -> LearnedPosture:
    """The model of this package."""
    with resources.as_file(resources.files(__package__) / "posture.npz") as path, NumpyFile(path) as file:
        b, W, covariance = (np.array(file.array(name), dtype=np.float64) for name in ("b", "W", "covariance"))
    return LearnedPosture(frozen(b), frozen(W), frozen(covariance))


def coordinate_names() -> list[str]:
    """The coordinates y: "spine 2 x" is the bend of the third station of the spine about the axis to the left."""
    return [f"{part} {k} {axis}" for part, count in CHAINS.items() for k in range(count) for axis in _axes(part)]


def _axes(part: str) -> str:
    return "xyz"[: BENDS.get(part, 3)]


class PostureCoordinates:
    """The coordinates y and x of a figure, with derivatives."""

    def __init__(self, calibration: Calibration, movable: NDArray[np.bool_] | None = None) -> None:
        """
        Args:
            calibration: of the figure.
            movable: (nv,) the steps that may change; None means all. Chains that cannot move freely are left out.
        """
        bones = calibration.bones
        self.figure: Figure = calibration.figure
        free = np.ones(self.figure.nv, dtype=bool) if movable is None else movable
        chains = {part: _free_parts(calibration, part, free) for part in CHAINS}
        self.rows = [
            i for i, name in enumerate(coordinate_names()) if chains[next(p for p in CHAINS if name.startswith(p))]
        ]
        """Indices of the coordinates of `coordinate_names` that this figure has."""
        spine = [part for part in bones if part.startswith("spine")]
        frames = {"pelvis": "pelvis", "chest": spine[-1] if spine else "pelvis"}
        turning = [part for own in chains.values() for part in own]
        befores = {part: parent_part(bones, part) or "pelvis" for part in turning}
        self.parts = list(dict.fromkeys([*turning, *befores.values(), *frames.values(), *(n for n, _ in LIMBS)]))
        self._turns = [(self.parts.index(part), self.parts.index(befores[part])) for part in turning]
        self._limbs = [(self.parts.index(name), self.parts.index(frames[frame])) for name, frame in LIMBS]
        self._segments = [bones.main(part) for part in self.parts]
        self._own_axes: Rotations = np.stack([calibration.axes[part] for part in self.parts])
        self.spread, self.within = _spread(chains)
        self.turned = [name for part in turning for name in bones[part]]
        """The segments whose joints change the coordinates y."""
        self.described = [
            n for n in self.turned if not (bones.part_of(n) in BENDS and _turns(self.figure, n, free) > 1)
        ]
        """Those of which the coordinates show every turn."""

    def values(self, poses: Poses) -> tuple[Matrix, Matrix, Matrix]:
        """y (T, rows), x (T, 24), and (T, m) how unlike the joints of one station are, if it has several."""
        axes = self._axes(poses)
        vectors = self._vectors(axes)
        return vectors @ self.spread.T, self._directions(axes), vectors @ self.within.T

    def jacobians(self, poses: Poses, columns: NDArray[np.intp]) -> tuple[Matrix, Matrix, Matrix]:
        """Derivatives of the three with respect to some steps: (T, rows, n), (T, 24, n) and (T, m, n)."""
        axes = self._axes(poses)
        poses = np.ascontiguousarray(poses)
        turns = np.stack([self.figure.jacobian(poses, name)[:, 3:, columns] for name in self._segments], axis=1)
        vectors = self._vectors(axes).reshape(len(poses), -1, 3)
        rows = []
        for k, (own, before) in enumerate(self._turns):
            local = np.swapaxes(axes[:, own], 1, 2) @ (turns[:, own] - turns[:, before])
            rows.append(_log_derivative(vectors[:, k]) @ local)
        of_vectors = np.concatenate(rows, axis=1) if rows else np.zeros((len(poses), 0, len(columns)))
        bones = []
        for own, frame in self._limbs:
            across = rotations.cross_matrix(axes[:, own, :, 1])
            bones.append(-np.swapaxes(axes[:, frame], 1, 2) @ across @ (turns[:, own] - turns[:, frame]))
        return self.spread @ of_vectors, np.concatenate(bones, axis=1), self.within @ of_vectors

    def _axes(self, poses: Poses) -> Matrix:
        """(T, parts, 3, 3) canonical axes of the parts in the world."""
        placed = self.figure.placements(np.ascontiguousarray(poses), self._segments)
        return np.asarray(placed[..., :3, :3] @ self._own_axes)

    def _vectors(self, axes: Matrix) -> Matrix:
        """(T, 3 joints) rotation vectors."""
        if not self._turns:
            return np.zeros((len(axes), 0))
        own, before = (list(index) for index in zip(*self._turns, strict=True))
        turn = np.swapaxes(axes[:, before], 2, 3) @ axes[:, own]
        return rotations.to_rotation_vector(rotations.from_matrix(turn)).reshape(len(axes), -1)

    def _directions(self, axes: Matrix) -> Matrix:
        return np.concatenate(
            [np.einsum("tji,tj->ti", axes[:, frame], axes[:, own, :, 1]) for own, frame in self._limbs], axis=1
        )


@dataclass(frozen=True, eq=False)
class PosturePull:
    """The cost ½ eᵀ Σ⁻¹ e of a pose, with e = y − b − W x, for the coordinates that a figure has."""

    coordinates: PostureCoordinates
    b: Vector
    W: Matrix
    weights: Matrix
    """Σ⁻¹"""
    within: float
    """1 / σ² of the differences between joints of one station."""

    @staticmethod
    def of(calibration: Calibration, movable: NDArray[np.bool_] | None = None) -> PosturePull:
        """The pull on a figure, on those joints of which the steps `movable` (nv,) may change."""
        coordinates, learned = PostureCoordinates(calibration, movable), learned_posture()
        rows = coordinates.rows
        names = [coordinate_names()[row] for row in rows]
        wider = np.array([next(factor for part, factor in WIDER.items() if part in name) for name in names])
        weights = np.asarray(np.linalg.inv(np.outer(wider, wider) * learned.covariance[np.ix_(rows, rows)]), np.float64)
        return PosturePull(coordinates, learned.b[rows], learned.W[rows], weights, 1.0 / WITHIN**2)

    def weakened(self, factor: float) -> PosturePull:
        """The pull, divided by a factor."""
        return replace(self, weights=self.weights / factor, within=self.within / factor)

    def cost(self, poses: Poses) -> Vector:
        """(T,) the cost of poses."""
        y, x, unlike = self.coordinates.values(poses)
        away = y - self.b - x @ self.W.T
        return np.asarray(
            0.5 * (away * (away @ self.weights)).sum(axis=1) + 0.5 * self.within * (unlike**2).sum(axis=1)
        )

    def slope(self, poses: Poses, columns: NDArray[np.intp]) -> tuple[Matrix, Matrix]:
        """The gradient (T, n) of the cost and its Gauss–Newton Hessian (T, n, n), for some steps."""
        y, x, unlike = self.coordinates.values(poses)
        of_y, of_x, of_unlike = self.coordinates.jacobians(poses, columns)
        J = of_y - self.W @ of_x
        away = (y - self.b - x @ self.W.T) @ self.weights
        gradient = np.einsum("tin,ti->tn", J, away) + self.within * np.einsum("tin,ti->tn", of_unlike, unlike)
        hessian = np.swapaxes(J, 1, 2) @ (self.weights @ J)
        return gradient, hessian + self.within * np.swapaxes(of_unlike, 1, 2) @ of_unlike


def _free_parts(calibration: Calibration, chain: str, movable: NDArray[np.bool_]) -> list[str]:
    """The parts of a chain that the figure has, if each has one joint that turns about all axes (toes: about one axis).
    A robot with hinges has none."""
    bones, figure = calibration.bones, calibration.figure
    parts = [part for part in bones if part == chain or (chain in ("spine", "neck") and part.startswith(f"{chain} "))]
    turns = [[n for name in bones[part] if (n := _turns(figure, name, movable))] for part in parts]
    return parts if all(own in ([3], [len(_axes(chain))]) for own in turns) else []


def _turns(figure: Figure, segment: str, movable: NDArray[np.bool_]) -> int:
    """Number of steps of the joint of a segment that may change."""
    joint = figure.segment(segment).joint
    if not joint.nq or joint.coupling is not None:
        return 0
    return int((movable & movable_steps(figure, only=[joint.name])).sum())


def _spread(chains: Mapping[str, Sequence[str]]) -> tuple[Matrix, Matrix]:
    """The matrices that spread the rotation vectors of the joints over the stations of each chain, and that give the
    part of them which no station shows."""
    spread, within = [], []
    count = 3 * sum(len(parts) for parts in chains.values())
    at = 0
    for name, parts in chains.items():
        n = len(parts)
        if not n:
            continue
        ends, marks = np.arange(n + 1) / n, np.arange(CHAINS[name] + 1) / CHAINS[name]
        shared = np.minimum(marks[1:, None], ends[None, 1:]) - np.maximum(marks[:-1, None], ends[None, :-1])
        share = n * np.maximum(shared, 0.0)
        axes = np.eye(3)[: len(_axes(name))]
        block = np.zeros((len(share) * len(axes), count))
        block[:, at : at + 3 * n] = np.kron(share, axes)
        spread.append(block)
        hidden = np.eye(n) - np.linalg.pinv(share) @ share
        if np.abs(hidden).max() > 1e-9:
            rest = np.zeros((3 * n, count))
            rest[:, at : at + 3 * n] = np.kron(hidden, np.eye(3))
            within.append(rest)
        at += 3 * n
    empty = np.zeros((0, count))
    return np.concatenate([empty, *spread]), np.concatenate([empty, *within])


def _log_derivative(vectors: Matrix) -> Matrix:
    """(T, 3, 3) the change of rotation vectors (T, 3) with a small turn in the turned axes."""
    angle = np.linalg.norm(vectors, axis=-1)
    safe = np.maximum(angle, 1e-4)
    factor = np.where(
        angle < 1e-3, 1.0 / 12.0 + angle**2 / 720.0, 1.0 / safe**2 - 0.5 / (safe * np.tan(0.5 * np.minimum(safe, 6.0)))
    )
    across = rotations.cross_matrix(vectors)
    return np.asarray(np.eye(3) + 0.5 * across + factor[:, None, None] * (across @ across))
