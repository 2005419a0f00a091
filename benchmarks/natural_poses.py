"""Converts recorded poses to inputs and outputs of the net of `manikin.natural_pose` (`reference.natural`)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from benchmarks import natural_chain as chain
from benchmarks.cmu import Person
from benchmarks.turns import Array
from manikin import rotations
from manikin.prior.anatomy import PARTS, Anatomy, anatomy_of
from manikin.prior.arrays import NaturalBody
from manikin.prior.model import NAMES, Model
from manikin.reference.natural import ARM, FACING, FADE
from manikin.reference.natural_net import INPUTS, mirror_outputs

SWAP = [0, 2, 1, 4, 3, 5]
"""The index of each effector's counterpart on the other side."""
LARGEST = 2.8
"""A pose with a part turned by more than this from its center is a recording error, in radians."""
VARIANTS = 8
"""This many bodies of random proportions are drawn for each person in each pass."""
SIZES = {"trunk": 0.12, "neck": 0.2, "shoulders": 0.16, "upper arm": 0.12, "forearm": 0.12, "hips": 0.2, "thigh": 0.06}
"""Standard deviation of the logarithm of random factors of lengths."""


@dataclass(frozen=True, eq=False)
class Poses:
    """Poses in the frame of each figure at rest, lengths in legs."""

    parts: Array
    """(N, 51) coordinates of the parts."""
    root: Array
    """(N, 3, 3) anatomical axes of the pelvis."""
    pelvis: Array
    """(N, 3) position of the pelvis."""
    place: Array
    """(N, 6, 3) positions of the effectors."""
    axes: Array
    """(N, 6, 3, 3) their anatomical axes."""
    mean_place: Array
    """(N, 6, 3) positions of the effectors in the mean pose of each figure."""
    mean_axes: Array
    """(N, 6, 3, 3) rotations of their segments' anatomical axes there."""
    turns: Array
    """(N, TURNS, 3, 3) axes of the chain (`natural_chain`)."""
    bones: Array
    """(N, POINTS, 3) bones of the chain."""
    person: Array
    """(N,) a number for each person; negative for mirrored ones."""

    def __len__(self) -> int:
        return len(self.parts)

    def taken(self, rows: Array) -> Poses:
        return Poses(**{name: value[rows] for name, value in vars(self).items()})

    def mirrored(self) -> Poses:
        """The mirror images of the poses, with left and right swapped."""
        S = np.array([-1.0, 1.0, 1.0])
        back, sign = mirror_outputs()
        flip = S[:, None] * S
        return Poses(
            self.parts[:, back[:51]] * sign[:51],
            self.root * flip,
            self.pelvis * S,
            self.place[:, SWAP] * S,
            self.axes[:, SWAP] * flip,
            self.mean_place[:, SWAP] * S,
            self.mean_axes[:, SWAP] * flip,
            self.turns[:, chain.SWAPPED_TURNS] * flip,
            self.bones[:, chain.SWAPPED_POINTS] * S,
            -self.person,
        )

    def single(self) -> Poses:
        """The same in single precision."""
        kept = {name: value.astype(np.float32) for name, value in vars(self).items() if name != "person"}
        return Poses(**kept, person=self.person)

    def joints(self) -> Array:
        """(N, POINTS, 3) the points of the chain."""
        X = chain.points(_first(self.turns), _first(self.bones), self.pelvis.T)
        return np.ascontiguousarray(X.transpose(2, 1, 0))


def joined(several: list[Poses]) -> Poses:
    return Poses(**{name: np.concatenate([getattr(p, name) for p in several]) for name in vars(several[0])})


def coordinates(anatomy: Anatomy, placed: Array) -> Array:
    """(N, 51) the coordinates of the parts in poses with these placements (N, S, 4, 4)."""
    turn = rotations.from_matrix(placed[..., :3, :3])
    B = rotations.multiply(turn, anatomy.axes)
    out = np.zeros((len(placed), len(PARTS), 3))
    for k, name in enumerate(PARTS):
        if name in anatomy.joints:
            before, own = B[:, anatomy.before(name)], B[:, anatomy.end(name)]
            turn = rotations.multiply(rotations.inverse(before), own)
            out[:, k] = rotations.to_rotation_vector(rotations.multiply(rotations.inverse(chain.CENTERS[k]), turn))
    return out.reshape(len(placed), -1)


def plain_model(pose: Array) -> Model:
    """A model without a net, for mean poses."""
    arrays = {name: np.zeros(1) for name in NAMES} | {"center": chain.CENTERS}
    return Model.of({**arrays, "pose": pose, "sigma": np.ones(60)})


def poses_of(person: Person, pose: Array) -> Poses:
    """The poses of a person; `pose` (51,) are the coordinates of the mean pose."""
    anatomy = anatomy_of(person.figure)
    placed = person.figure.placements(person.poses)
    body = NaturalBody(person.figure, plain_model(pose))
    mean = person.figure.placements(body.mean_pose(pose))
    E, leg, own = anatomy.frame, anatomy.leg, list(anatomy.effectors)
    F = rotations.to_matrix(anatomy.axes)
    n = len(placed)
    B = np.einsum("ji,nsjk,skl->nsil", E, placed[:, :, :3, :3], F)
    here = np.einsum("ji,nsj->nsi", E, placed[:, :, :3, 3]) / leg
    mean_axes = np.einsum("ji,sjk,skl->sil", E, mean[own, :3, :3], F[own])
    pelvis = here[:, anatomy.pelvis] + B[:, anatomy.pelvis] @ anatomy.hips / leg
    place, mean_place = here[:, own], mean[own, :3, 3] @ E / leg
    place[:, -1] = pelvis
    mean_place[-1] += mean_axes[-1] @ anatomy.hips / leg
    return Poses(
        coordinates(anatomy, placed),
        B[:, anatomy.pelvis],
        pelvis,
        place,
        B[:, own],
        np.repeat(mean_place[None], n, axis=0),
        np.repeat(mean_axes[None], n, axis=0),
        chain.turns_of(anatomy, placed),
        np.repeat(chain.bones_of(anatomy)[None], n, axis=0),
        np.full(n, person.subject),
    )


def resized(poses: Poses, pose: Array, rng: np.random.Generator) -> Poses:
    """The same turns on bodies of random proportions; `pose` (51,) is the mean pose."""
    _, first, number = np.unique(poses.person, return_index=True, return_inverse=True)
    bones = _random_sizes(np.repeat(poses.bones[first], VARIANTS, axis=0), rng)
    columns = np.repeat(poses.mean_axes[first, -1], VARIANTS, axis=0)
    rows = [np.tile(pose, (len(bones), 1)), columns[..., 0], columns[..., 1], np.zeros((len(bones), 3))]
    y = np.concatenate(rows, axis=1).astype(bones.dtype)
    mean = chain.Chain(np.ascontiguousarray(y.T), _first(bones))
    drawn = number.reshape(-1) * VARIANTS + rng.integers(0, VARIANTS, len(poses))
    out = replace(
        poses,
        bones=bones[drawn],
        mean_place=mean.X[:, chain.EFFECTOR_POINT].transpose(2, 1, 0)[drawn],
        mean_axes=mean.B[:, :, chain.EFFECTOR_TURN].transpose(3, 2, 0, 1)[drawn],
    )
    return replace(out, place=out.joints()[:, chain.EFFECTOR_POINT])


def _random_sizes(bones: Array, rng: np.random.Generator) -> Array:
    """Bones (M, POINTS, 3) with random factors of lengths. The length of a leg stays."""
    out = bones.copy()
    factor = {name: np.exp(s * rng.normal(size=(len(bones), 1))).astype(bones.dtype) for name, s in SIZES.items()}
    for name, of in chain.BONES.items():
        if name in factor:
            out[:, of] *= factor[name][..., None]
    for name, of in (("shoulders", chain.BONES["shoulder"]), ("hips", chain.BONES["hip"])):
        out[:, of, 0] *= factor[name]
    for thigh, shank in zip(chain.BONES["leg"][::2], chain.BONES["leg"][1::2], strict=True):
        before = [np.linalg.norm(out[:, p], axis=1, keepdims=True) for p in (thigh, shank)]
        after = [before[0] * factor["thigh"], before[1] / factor["thigh"]]
        same = (before[0] + before[1]) / (after[0] + after[1])
        for p, old, new in zip((thigh, shank), before, after, strict=True):
            out[:, p] *= same * new / old
    return out


def _first(rows: Array) -> Array:
    """Components first: (3, K, N) of (N, K, 3), and (3, 3, K, N) of (N, K, 3, 3)."""
    order = (2, 1, 0) if rows.ndim == 3 else (2, 3, 1, 0)
    return np.ascontiguousarray(rows.transpose(order))


def sound(parts: Array) -> Array:
    """(N,) whether a pose has no part that is turned by more than `LARGEST`."""
    return np.linalg.norm(parts.reshape(len(parts), -1, 3), axis=-1).max(axis=1) < LARGEST


def numbers(poses: Poses, known: Array, turned: Array, floor: Array) -> tuple[Array, Array]:
    """The inputs of the net (N, INPUTS) and its wanted outputs (N, 60).

    Args:
        poses: N poses.
        known: (N, 6) whether each effector has a position; at least one in each row.
        turned: (N, 6) whether each effector has an orientation.
        floor: (N,) whether the floor is known to be at 0.
    """
    n = len(poses)
    count = known.sum(axis=1)[:, None]
    center = (poses.place * known[..., None]).sum(axis=1) / count
    mean_center = (poses.mean_place * known[..., None]).sum(axis=1) / count
    a, b = poses.mean_place - mean_center[:, None], poses.place - center[:, None]
    C = ((a[..., 0] * b[..., 0] + a[..., 2] * b[..., 2]) * known).sum(axis=1)
    S = ((a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2]) * known).sum(axis=1)
    # any three axes fixed to a segment give the same sums, so anatomical axes are used
    u, v = poses.mean_axes * np.array(FACING, dtype=poses.axes.dtype)[:, None, None], poses.axes
    C += ARM**2 * ((u[:, :, 0] * v[:, :, 0] + u[:, :, 2] * v[:, :, 2]).sum(axis=-1) * turned).sum(axis=1)
    S += ARM**2 * ((u[:, :, 2] * v[:, :, 0] - u[:, :, 0] * v[:, :, 2]).sum(axis=-1) * turned).sum(axis=1)
    length = np.hypot(C, S)
    C = C + np.maximum(FADE - length, 0.0)
    length = np.maximum(np.hypot(C, S), 1e-12)
    c, s, zero = C / length, S / length, np.zeros(n)
    turn = np.stack([c, zero, s, zero, zero + 1.0, zero, -s, zero, c], axis=1).reshape(n, 3, 3)
    x = np.zeros((n, INPUTS))
    x[:, :18] = (np.einsum("nji,nej->nei", turn, b) * known[..., None]).reshape(n, -1)
    B = np.einsum("nji,nejk->neik", turn, v) * turned[..., None, None]
    x[:, 18:54] = np.concatenate([B[..., 0], B[..., 1]], axis=-1).reshape(n, -1)
    x[:, 54:60], x[:, 60:66] = known, turned
    x[:, 66], x[:, 67] = center[:, 1] * floor, floor
    x[:, 68:] = chain.proportions(poses.bones)
    y = np.empty((n, 60))
    y[:, :51] = poses.parts
    root = np.einsum("nji,njk->nik", turn, poses.root)
    y[:, 51:57] = np.concatenate([root[..., 0], root[..., 1]], axis=-1)
    y[:, 57:] = np.einsum("nji,nj->ni", turn, poses.pelvis - center)
    return x, y
