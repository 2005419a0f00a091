"""Random things to test on, tried near the places where formulas break.

Figures and poses are drawn from a NumPy generator, and Hypothesis draws its seed: `@given(rngs())`. A figure covers
every joint kind; a pose puts some joints at named bad places (`PLACES`): a half turn, the apex or the rim of a cone,
gimbal lock, exactly at a limit, 1e-7 from the identity, a quaternion slightly off unit length.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from manikin import rotations
from manikin.arrays import Matrix, Points, Quaternions, Vector
from manikin.figure import Ball, Euler, Figure, Free, Slider, SwingTwist, samples
from manikin.kinematics import swing_twist

TINY = 1e-7
"""The distance at which formulas with a series for small angles break if they break."""
EULER_ORDERS = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX", "XYX", "XZX", "YXY", "YZY", "ZXZ", "ZYZ")
"""All twelve orders of three angles."""


def seeds() -> st.SearchStrategy[int]:
    """A seed for NumPy's generator."""
    return st.integers(min_value=0, max_value=2**32 - 1)


def rngs() -> st.SearchStrategy[np.random.Generator]:
    """NumPy's generator, freshly seeded."""
    return seeds().map(np.random.default_rng)


# Rotations


def random_direction(rng: np.random.Generator) -> Vector:
    """A unit vector (3,): one of the axes, or any."""
    if rng.uniform() < 0.4:
        axis: Vector = np.eye(3)[rng.integers(3)] * rng.choice([-1.0, 1.0])
        return axis
    v: Vector = rng.normal(size=3)
    v /= np.linalg.norm(v)
    return v


def random_angle(rng: np.random.Generator) -> float:
    """An angle in [−π, π], often at a bad place: 0, tiny, at the switch of a series, a quarter turn, a half turn."""
    bad = [0.0, TINY, 1e-12, rotations.SMALL, np.nextafter(rotations.SMALL, 0), np.pi / 2, np.pi / 2 - TINY]
    bad += [np.pi, np.pi - TINY, np.nextafter(np.pi, 0)]
    size = rng.choice(bad) if rng.uniform() < 0.5 else rng.uniform(0.0, np.pi)
    return float(rng.choice([-1.0, 1.0]) * size)


def random_quaternion(rng: np.random.Generator) -> Quaternions:
    """A unit quaternion (4,) of either sign, often at a bad place."""
    q = rotations.from_axis_angle(random_direction(rng), random_angle(rng))
    return float(rng.choice([-1.0, 1.0])) * rotations.normalized(q)


# Matrices


@st.composite
def jacobians(draw: st.DrawFn, rank: str = "any", rows: int | None = None, columns: int | None = None) -> Matrix:
    """A matrix (m, n), 1 ≤ m ≤ 8, 1 ≤ n ≤ 12 where not given.

    Args:
        rank: "full"; "lost" (a repeated effector, a row of zeros, or a sum of rows; all zeros where m = 1); "near"
            (smallest singular value 1e-7 of the largest); "any" of them.
    """
    rng = draw(rngs())
    m = rows if rows is not None else draw(st.integers(1, 8))
    n = columns if columns is not None else draw(st.integers(1, 12))
    kind = draw(st.sampled_from(["full", "lost", "near"])) if rank == "any" else rank
    U, s, Vt = np.linalg.svd(rng.normal(size=(m, n)), full_matrices=False)
    s = np.exp(rng.uniform(-1.0, 1.0, size=s.shape))  # well conditioned, so that "full" means it
    if kind == "near" and len(s) > 1:
        s[-1] = 1e-7 * s[:-1].max()
    J = np.asarray((U * s) @ Vt)
    if kind == "lost":
        J[-1] = rng.choice([0.0, 1.0, 0.5], size=m - 1) @ J[:-1]
    return J


# Figures


def random_cone(rng: np.random.Generator, widest: float = 2.8) -> SwingTwist:
    """Limits of a ball, some far from round, some with the identity outside."""
    low, high = np.sort(rng.uniform(-np.pi, np.pi, size=2))
    return SwingTwist(
        axis=tuple(random_direction(rng)),
        swing=(rng.uniform(0.05, widest), rng.uniform(0.05, widest)),
        twist=(-np.pi, np.pi) if rng.uniform() < 0.3 else (low, high),
        reference=rotations.IDENTITY if rng.uniform() < 0.5 else tuple(random_quaternion(rng)),
    )


def random_figure(rng: np.random.Generator, segments: int | None = None, kinds: list[str] | None = None) -> Figure:
    """A tree of every joint kind (`samples.random_figure`) of 1 to 12 segments where not said."""
    return samples.random_figure(rng, int(rng.integers(1, 13)) if segments is None else segments, kinds)


# Poses


def random_pose(figure: Figure, rng: np.random.Generator, inside: bool = False) -> Vector:
    """A pose (nq,), some joints at bad places; the root and unbounded sliders are moved too.

    Args:
        inside: within all limits (then no quaternion is off unit length).
    """
    q = np.array(figure.random(rng))
    for segment in figure.segments:
        at = figure.index_of(segment.joint.name)
        for motion in segment.joint.motions:
            at = _place(q, at, motion, figure.size, rng)
    q = figure.integrate(q, np.zeros(figure.nv))  # coupled numbers follow
    if inside:
        return figure.clamp(q)
    for n in figure.layout.balls:
        if rng.uniform() < 0.2:
            q[n : n + 4] *= 1.0 + rng.uniform(-0.9e-6, 0.9e-6)
    return q


def random_poses(figure: Figure, rng: np.random.Generator, count: int) -> Matrix:
    """(count, nq), each as from `random_pose`."""
    return np.stack([random_pose(figure, rng) for _ in range(count)]) if count else np.zeros((0, figure.nq))


def random_cone_coordinates(cone: SwingTwist, rng: np.random.Generator) -> Points:
    """(σ₁, σ₂, τ) inside a cone: at its apex, 1e-7 from it, on the rim, or anywhere; twist at an end or anywhere."""
    radius = rng.choice([0.0, TINY, 1.0, 1.0 - TINY, np.sqrt(rng.uniform())])
    around = rng.choice([0.0, np.pi / 2, rng.uniform(0, 2 * np.pi)])
    twist = rng.choice([cone.twist[0], cone.twist[1], rng.uniform(*cone.twist)])
    return np.array([radius * np.cos(around) * cone.swing[0], radius * np.sin(around) * cone.swing[1], twist])


def _place(q: NDArray[np.float64], at: int, motion: Any, size: float, rng: np.random.Generator) -> int:
    """Move one motion's numbers to a bad place or leave them; returns where the next motion's start."""
    leave = rng.uniform() < 0.5
    if isinstance(motion, Free):
        q[at : at + 3] = size * rng.normal(size=3)
        q[at + 3 : at + 7] = random_quaternion(rng)
        return at + 7
    if isinstance(motion, Ball):
        if motion.limits is None:
            q[at : at + 4] = q[at : at + 4] if leave else random_quaternion(rng)
        elif not leave:
            turn = swing_twist.compose(random_cone_coordinates(motion.limits, rng), motion.limits.basis)
            q[at : at + 4] = rotations.multiply(np.array(motion.limits.reference), turn)
        return at + 4
    if isinstance(motion, Euler):
        for k, (low, high) in enumerate(motion.limits):
            ends = [x for x in (low, high) if np.isfinite(x)]
            gimbal = [x for x in (0.0, np.pi / 2, -np.pi / 2, np.pi, np.pi / 2 - TINY) if low <= x <= high]
            if not leave and ends + gimbal:
                q[at + k] = rng.choice(ends + gimbal)
        return at + len(motion.limits)
    low, high = motion.limits
    ends = [x for x in (low, high) if np.isfinite(x)]
    if isinstance(motion, Slider) and len(ends) < 2:
        q[at] = float(np.clip(size * rng.normal(), low, high))
    if not leave and ends:
        q[at] = rng.choice(ends)
    return at + 1
