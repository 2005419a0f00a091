"""Random figures with every kind of joint, for tests that compare two implementations."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from manikin import rotations
from manikin.errors import BadValue
from manikin.figure.figure import Figure
from manikin.figure.joint import (
    Ball,
    Coupling,
    Euler,
    Free,
    Hinge,
    Joint,
    Motion,
    Numbers,
    Pair,
    Slider,
    SwingTwist,
    as_tuple,
)
from manikin.figure.segment import Segment
from manikin.figure.shapes import Box, Capsule, Shape, Sphere

ORDERS = ["XY", "YX", "ZX", "YZ", "XYZ", "ZXY", "YZX", "ZYX", "YXZ", "XZY", "XYX", "ZXZ", "YZY", "ZYZ", "XZX", "YXY"]
KINDS = ["fixed", "hinge", "slider", "euler", "ball", "cone", "sliders", "free"]


def random_figure(rng: np.random.Generator, segments: int = 12, kinds: list[str] | None = None) -> Figure:
    """A tree of `segments` segments with random joints.

    It uses all features of a figure:

    - chains, stars and bushes; oblique and principal axes; Euler joints of all orders;
    - joints rotated in their parent, also by half a turn;
    - segments of length zero, of a billionth and of ten times the usual length;
    - limits on one side, on both, touching, and not around 0; narrow and wide cones;
    - sliders before rotations;
    - couplings and chains of them, with ratio 0 and between lengths and angles;
    - masses and no masses; shapes;
    - joints with other names than their segments; segments in any order.

    Lengths are in one of several units. The rest pose is within its limits.

    Args:
        rng: source of all choices; the same state gives the same figure.
        segments: number of segments, at least 1.
        kinds: the kinds of joints to draw from: "fixed", "hinge", "slider", "euler", "ball", "cone", "sliders" (sliders
            then perhaps a rotation), "free". Default: all. "free" is for the root only.

    Example:
        >>> figure = random_figure(np.random.default_rng(1), segments=5)
        >>> len(figure.segments), figure.violation(figure.rest)
        (5, 0.0)
    """
    if segments < 1:
        raise BadValue(f"a random figure of {segments} segments; it needs at least 1")
    wanted = KINDS if kinds is None else list(kinds)
    for kind in wanted:
        if kind not in KINDS:
            raise BadValue(f"kind {kind!r} of a random figure is not one of {', '.join(KINDS)}")
    return _Drawing(rng, wanted).figure(segments)


@dataclass
class _Drawing:
    """The state while one random figure is drawn."""

    rng: np.random.Generator
    kinds: list[str]
    scale: float = 1.0
    """The length of an ordinary segment."""
    leaders: dict[str, tuple[float, bool]] = field(default_factory=dict)
    """Joints of one number that others may follow: a value within all limits, and whether it is a length."""

    def figure(self, count: int) -> Figure:
        rng = self.rng
        self.scale = float(rng.choice([1e-3, 1.0, 1.0, 1.0, 100.0]))
        shape = rng.choice(["chain", "star", "bush"])
        segments = []
        for i in range(count):
            parent = {"chain": i - 1, "star": min(i - 1, 0), "bush": int(rng.integers(0, i)) if i else -1}[str(shape)]
            segments.append(self.segment(i, f"S{parent}" if parent >= 0 else None))
        if rng.random() < 0.5:
            segments = [segments[i] for i in rng.permutation(count)]
        unit = [None, 1.0, 0.01, 0.0254][int(rng.integers(4))]
        return Figure(f"random {count}", segments, unit=unit, up="xyz"[int(rng.integers(3))])

    def segment(self, i: int, parent: str | None) -> Segment:
        rng, name = self.rng, f"S{i}"
        joint = self.joint(f"J{i}" if rng.random() < 0.2 else name, root=parent is None)
        heavy = i == 0 or rng.random() < 0.7
        return Segment(
            name,
            parent,
            joint,
            mass=float(rng.uniform(0.1, 5.0)) if heavy else 0.0,
            center=self.vector() if heavy else (0.0, 0.0, 0.0),
            shapes=[self.shape() for _ in range(int(rng.integers(0, 3)))],
        )

    def joint(self, name: str, root: bool) -> Joint:
        rng = self.rng
        rotation = [as_tuple(rotations.IDENTITY), self.turn(), self.half_turn()][int(rng.choice(3, p=[0.4, 0.5, 0.1]))]
        possible = [kind for kind in self.kinds if root or kind != "free"]
        kind = str(rng.choice(possible)) if possible else "fixed"
        coupled = kind in ("hinge", "slider") and bool(self.leaders) and rng.random() < 0.35
        if coupled:
            return self.follower(name, kind, rotation)
        motions = self.motions(kind)
        joint = Joint(name, motions, self.offset(), rotation)
        if joint.nq == 1:
            self.leaders[name] = (_inner(motions[0]), isinstance(motions[0], Slider))
        return joint

    def follower(self, name: str, kind: str, rotation: Numbers) -> Joint:
        """A joint of one number that follows another. Its limits contain the value that follows from the known value of
        its leader."""
        rng = self.rng
        leader = str(rng.choice(list(self.leaders)))
        value, of_length = self.leaders[leader]
        # The ratio is in the units of both joints. 0 keeps the follower still.
        ratio = float(rng.choice([1.0, -1.0, 0.0, rng.uniform(-2.0, 2.0)]))
        ratio *= (self.scale if kind == "slider" else 1.0) / (self.scale if of_length else 1.0)
        shift = float(rng.uniform(-0.5, 0.5)) * (self.scale if kind == "slider" else 1.0)
        mine = ratio * value + shift
        reach = self.scale if kind == "slider" else 1.0
        limits: Pair = (-np.inf, np.inf)
        if rng.random() < 0.5:
            limits = (mine - reach * float(rng.uniform(0.1, 2.0)), mine + reach * float(rng.uniform(0.1, 2.0)))
        axis = self.axis()
        motion: Motion = Slider(axis, limits) if kind == "slider" else Hinge(axis, limits)
        self.leaders[name] = (mine, kind == "slider")
        return Joint(name, (motion,), self.offset(), rotation, coupling=Coupling(leader, ratio, shift))

    def motions(self, kind: str) -> tuple[Motion, ...]:
        rng = self.rng
        if kind == "sliders":
            sliders = tuple(self.slider() for _ in range(int(rng.integers(1, 4))))
            return (*sliders, *self.motions(str(rng.choice(["fixed", "hinge", "euler", "ball", "cone"]))))
        single: dict[str, Motion] = {
            "hinge": Hinge(self.axis(), self.limits(1.0)),
            "slider": self.slider(),
            "euler": self.euler(),
            "ball": Ball(),
            "cone": Ball(self.cone()),
            "free": Free(),
        }
        return () if kind == "fixed" else (single[kind],)

    def slider(self) -> Slider:
        return Slider(self.axis(), self.limits(self.scale))

    def euler(self) -> Euler:
        order = str(self.rng.choice(ORDERS))
        return Euler(order, tuple(self.limits(1.0) for _ in order) if self.rng.random() < 0.7 else ())

    def cone(self) -> SwingTwist:
        rng = self.rng
        swing = [float(rng.choice([0.02, rng.uniform(0.2, 1.5), rng.uniform(1.5, 3.0), np.pi])) for _ in range(2)]
        middle, half = float(rng.uniform(-0.5, 0.5)), float(rng.uniform(0.0, 2.0))
        return SwingTwist(
            axis=self.axis(),
            swing=(swing[0], swing[1]),
            twist=(middle - half, middle + half) if rng.random() < 0.8 else (-np.pi, np.pi),
            reference=self.turn() if rng.random() < 0.7 else as_tuple(rotations.IDENTITY),
        )

    def limits(self, reach: float) -> Pair:
        """None, on one side, around zero, not around zero, or touching."""
        rng = self.rng
        a, b = sorted(reach * rng.uniform(-2.0, 2.0, size=2))
        kind = int(rng.choice(5, p=[0.2, 0.1, 0.4, 0.2, 0.1]))
        choices = [(-np.inf, np.inf), (a, np.inf), (-abs(a), abs(b)), (a, b), (a, a)]
        low, high = choices[kind]
        return (float(low), float(high))

    def axis(self) -> Numbers:
        """One of the coordinate axes, with either sign, or an oblique direction."""
        if self.rng.random() < 0.5:
            return as_tuple(np.eye(3)[int(self.rng.integers(3))] * self.rng.choice([-1.0, 1.0]))
        return as_tuple(self.rng.normal(size=3))

    def turn(self) -> Numbers:
        return as_tuple(rotations.normalized(self.rng.normal(size=4)))

    def half_turn(self) -> Numbers:
        axis = np.array(self.axis())
        return as_tuple([0.0, *(axis / np.linalg.norm(axis))])

    def offset(self) -> Numbers:
        length = self.scale * float(self.rng.choice([0.0, 1.0, 1e-9, 10.0], p=[0.2, 0.6, 0.1, 0.1]))
        return as_tuple(length * np.array(self.axis()))

    def vector(self) -> Numbers:
        return as_tuple(self.scale * self.rng.normal(size=3))

    def shape(self) -> Shape:
        radius = self.scale * float(self.rng.uniform(0.01, 0.2))
        kind = int(self.rng.integers(3))
        if kind == 0:
            return Sphere(self.vector(), radius)
        if kind == 1:
            return Capsule(self.vector(), self.vector(), radius)
        return Box((radius, 2 * radius, 0.5 * radius), self.vector(), self.turn())


def _inner(motion: Motion) -> float:
    """A value within the limits of a one-number motion, at which followers may be placed: 0, or the nearest to it."""
    assert isinstance(motion, (Slider, Hinge))
    low, high = motion.limits
    return float(min(max(0.0, low), high))
