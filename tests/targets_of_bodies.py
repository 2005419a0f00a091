"""Whole-body targets that are reachable by construction: placements of random poses within limits."""

from __future__ import annotations

from typing import Any

import numpy as np

import manikin as mk
from manikin import rotations
from manikin.kinematics import swing_twist

HEAD, LIMBS = "Head", ("LeftHand", "RightHand", "LeftFoot", "RightFoot")
TIPS = tuple(f"{s}Hand{f}4" for s in ("Left", "Right") for f in ("Thumb", "Index", "Middle", "Ring", "Pinky"))
LENGTH, ANGLE = 1e-3, 1e-2
"""Tolerances: 1 mm, 0.01 rad."""


def goals(limbs: tuple[str, ...] = LIMBS, head: str = HEAD, tips: tuple[str, ...] = ()) -> list[Any]:
    """Head position, limbs position and orientation, fingertips position."""
    placed = [mk.Placement(s, np.eye(4), tolerance=(LENGTH, ANGLE)) for s in limbs]
    return [mk.Position(s, (0, 0, 0), tolerance=LENGTH) for s in (head, *tips)] + placed


def targets(figure: mk.Figure, wanted: list[Any], poses: np.ndarray) -> np.ndarray:
    """(B, k) the targets that these poses meet."""
    rows = []
    for goal in wanted:
        P = figure.placements(poses, [goal.segment])[:, 0]
        rows.append(P[:, :3, 3] + P[:, :3, :3] @ np.asarray(goal.offset))
        if isinstance(goal, mk.Placement):
            rows.append(rotations.from_matrix(P[:, :3, :3]))
    return np.concatenate(rows, axis=1)


def near_limits(figure: mk.Figure, rng: np.random.Generator, count: int) -> np.ndarray:
    """Poses with every joint within a tenth of its range from a limit."""
    q, cones = figure.random(rng, count), figure.layout.cones
    shape = (count, len(cones.number))
    around, radius = rng.uniform(0, 2 * np.pi, shape), rng.uniform(0.9, 1.0, shape)
    sigma = radius[..., None] * np.stack([np.cos(around), np.sin(around)], axis=-1) * cones.swing
    middle, half = cones.twist.mean(axis=1), 0.5 * np.ptp(cones.twist, axis=1)
    tau = middle + half * rng.uniform(0.9, 1.0, shape) * rng.choice([-1.0, 1.0], shape)
    turn = swing_twist.compose(np.concatenate([sigma, tau[..., None]], axis=-1), cones.basis)
    q[:, cones.number[:, None] + np.arange(4)] = rotations.multiply(rotations.inverse(cones.inverse_reference), turn)
    bounded = np.isfinite(figure.lower) & np.isfinite(figure.upper)
    share = rng.uniform(0.0, 0.1, (count, int(bounded.sum())))
    share = np.where(rng.random(share.shape) < 0.5, share, 1.0 - share)
    low, high = figure.lower[bounded], figure.upper[bounded]
    q[:, bounded] = np.clip(low + share * (high - low), low, high)
    return q


def turned(figure: mk.Figure, rng: np.random.Generator, count: int) -> np.ndarray:
    """Random poses with the root turned by up to half a turn and moved."""
    q = figure.random(rng, count)
    axis = rng.normal(size=(count, 3))
    axis /= np.linalg.norm(axis, axis=1, keepdims=True)
    q[:, 3:7] = rotations.from_axis_angle(axis, rng.uniform(0.0, np.pi, count))
    q[:, :3] += 0.5 * rng.normal(size=(count, 3))
    return q


def solved(figure: mk.Figure, wanted: list[Any], poses: np.ndarray, meant: np.ndarray) -> np.ndarray:
    """(B,) whether the poses meet what `meant` meets, by placements computed anew."""
    ok = np.ones(len(poses), dtype=bool)
    for goal in wanted:
        A, B = (figure.placements(q, [goal.segment])[:, 0] for q in (poses, meant))
        ok &= np.linalg.norm(A[:, :3, 3] - B[:, :3, 3], axis=1) <= LENGTH * (1 + 1e-9)
        if isinstance(goal, mk.Placement):
            turn = rotations.from_matrix(A[:, :3, :3] @ B[:, :3, :3].transpose(0, 2, 1))
            ok &= np.linalg.norm(rotations.to_rotation_vector(turn), axis=1) <= ANGLE * (1 + 1e-9)
    return ok
