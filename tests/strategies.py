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
from manikin.figure import Ball, Coupling, Euler, Figure, Free, Hinge, Joint, Segment, Slider, SwingTwist
from manikin.figure.shapes import Box, Capsule, Shape, Sphere
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


def random_limits(rng: np.random.Generator, reach: float, touching: bool = True) -> tuple[float, float]:
    """(lower, upper) within ± reach: free, one-sided, with or without zero, or touching (lower = upper)."""
    low, high = np.sort(rng.uniform(-reach, reach, size=2))
    kind = rng.integers(7 if touching else 6)
    if kind == 0:
        return (-np.inf, np.inf)
    if kind == 1:
        return (low, np.inf) if rng.uniform() < 0.5 else (-np.inf, high)
    return (low, low) if kind == 6 else (low, high)


def random_cone(rng: np.random.Generator, widest: float = 2.8) -> SwingTwist:
    """Limits of a ball, some far from round, some with the identity outside."""
    low, high = np.sort(rng.uniform(-np.pi, np.pi, size=2))
    return SwingTwist(
        axis=random_direction(rng),  # type: ignore[arg-type]
        swing=(rng.uniform(0.05, widest), rng.uniform(0.05, widest)),
        twist=(-np.pi, np.pi) if rng.uniform() < 0.3 else (low, high),
        reference=rotations.IDENTITY if rng.uniform() < 0.5 else tuple(random_quaternion(rng)),
    )


def random_motions(rng: np.random.Generator, length: float, root: bool = False) -> tuple[Any, ...]:
    """The motions of one joint: nothing, one of each kind, or sliders followed by a rotation."""

    def slider() -> Slider:
        return Slider(tuple(random_direction(rng)), random_limits(rng, length))

    rotation: list[Any] = [
        Hinge(tuple(random_direction(rng)), random_limits(rng, 3.0)),
        Euler(rng.choice(EULER_ORDERS)),
        Euler(rng.choice(["XY", "ZX", "YZ"]), (random_limits(rng, 3.0), random_limits(rng, 1.5))),
        Ball(),
        Ball(random_cone(rng)),
    ]
    turn = rotation[rng.integers(len(rotation))]
    kind = rng.integers(6)
    if root and rng.uniform() < 0.5:
        return (Free(),)
    if kind == 0:
        return ()
    if kind == 1:
        return (slider(),)
    if kind == 2:
        sliders = tuple(slider() for _ in range(rng.integers(1, 4)))
        return (*sliders, turn) if rng.uniform() < 0.7 else sliders
    return (Free(),) if kind == 3 and rng.uniform() < 0.1 else (turn,)


def random_shapes(rng: np.random.Generator, length: float) -> tuple[Shape, ...]:
    """None, one or several solid shapes."""
    shapes: list[Shape] = []
    for _ in range(rng.integers(3)):
        radius, point = length * rng.uniform(0.01, 0.2), tuple(length * rng.normal(size=3))
        half, turn = tuple(length * rng.uniform(0.01, 0.2, size=3)), tuple(random_quaternion(rng))
        kinds: list[Shape] = [Sphere(point, radius), Capsule((0, 0, 0), point, radius), Box(half, point, turn)]
        shapes.append(kinds[rng.integers(3)])
    return tuple(shapes)


def random_figure(rng: np.random.Generator, segments: int | None = None, length: float | None = None) -> Figure:
    """A tree of every joint kind, with couplings, masses, shapes, zero-length segments; segments in shuffled order.

    Args:
        segments: how many; 1 to 12 where not given.
        length: how long a segment is about; from millimetres to hundreds where not given.
    """
    count = int(rng.integers(1, 13)) if segments is None else segments
    length = float(10.0 ** rng.integers(-3, 4)) if length is None else length
    deep = rng.uniform() < 0.5  # a chain rather than a bush
    made: list[Segment] = []
    leaders: list[tuple[str, bool, float]] = []  # joints of one number: name, whether it is a length, a value it takes
    for i in range(count):
        parent = None if i == 0 else f"S{i - 1 if deep else rng.integers(i)}"
        motions = random_motions(rng, length, root=i == 0)
        joint = Joint(f"J{i}" if rng.uniform() < 0.3 else "", motions)
        value = 0.0
        if leaders and rng.uniform() < 0.25:
            joint, value = _coupled(rng, length, *leaders[rng.integers(len(leaders))])
        elif joint.nq == 1:
            low, high = _single_limits(joint)
            value = min(max(0.0, low), high)
        if joint.nq == 1:
            leaders.append((joint.name or f"S{i}", isinstance(joint.motions[0], Slider), value))
        made.append(
            Segment(
                f"S{i}",
                parent,
                joint,
                mass=0.0 if rng.uniform() < 0.3 else rng.uniform(0.1, 5.0),
                center=length * rng.normal(size=3),
                inertia=rng.uniform(size=6) if rng.uniform() < 0.2 else (),
                shapes=random_shapes(rng, length),
                offset=(0, 0, 0) if rng.uniform() < 0.25 else length * rng.normal(size=3),
                rotation=random_quaternion(rng) if rng.uniform() < 0.4 else None,
            )
        )
    made[-1] = made[-1].replaced(mass=1.0)  # so that there is a centre of mass
    return Figure(
        f"random{count}",
        [made[i] for i in rng.permutation(count)],
        unit=None if rng.uniform() < 0.2 else float(rng.choice([1.0, 0.01, 0.0254])),
        up=str(rng.choice(["x", "y", "z"])),
    )


def _single_limits(joint: Joint) -> tuple[float, float]:
    motion = joint.motions[0]
    assert isinstance(motion, (Slider, Hinge))
    return motion.limits


def _coupled(
    rng: np.random.Generator, length: float, source: str, source_is_length: bool, source_value: float
) -> tuple[Joint, float]:
    """A joint of one number that follows another, and the value it takes where its leader takes the one given.

    Its limits hold that value, so that they narrow the leader's range but do not empty it.
    """
    slides = rng.uniform() < 0.5
    unit = length if slides else 1.0
    ratio = rng.choice([1.0, -1.0, 0.0, rng.uniform(-2.0, 2.0)]) * unit / (length if source_is_length else 1.0)
    offset = rng.uniform(-1.0, 1.0) * unit
    value = ratio * source_value + offset
    limits = (-np.inf, np.inf) if rng.uniform() < 0.5 else (value - unit, value + rng.uniform(0.1, 10.0) * unit)
    axis = tuple(random_direction(rng))
    motion = Slider(axis, limits) if slides else Hinge(axis, limits)
    return Joint(motions=(motion,), coupling=Coupling(source, ratio, offset)), value


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
    for n in figure._layout.balls:
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
