"""Nineteen kinds of generated figures, one for each unusual property of joints, limits or lengths.

Every kind has masses, shapes and two effectors, so that every goal set can be used with it. A kind draws its lengths
and limits from a generator, so that each seed gives another figure.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import manikin as mk
from manikin.figure.joint import Joint, Motion

Rng = np.random.Generator
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
AXES = (Z, Y, X, Y, Z, Y, X)
"""Axes of hinges along a chain in space."""


@dataclass(frozen=True, eq=False)
class Kind:
    """A figure, and the segments for goals."""

    figure: mk.Figure
    first: str
    """The segment of the first effector: the end of the chain or of one arm."""
    second: str
    """The segment of the second effector: another arm's end, or a segment half way along the chain."""
    bend: str
    """A segment that starts at a bend between the root and the first effector."""


def _chain(joints: list[Motion] | Motion, rng: Rng, count: int = 7, lengths: list[float] | None = None) -> Kind:
    sizes = rng.uniform(0.2, 0.5, count).tolist() if lengths is None else lengths
    figure = mk.chain(sizes, joints)
    middle = len(sizes) // 2 + 1
    return Kind(figure, "Tip", f"Segment{middle + 1}", f"Segment{middle}")


def _hinges(rng: Rng, count: int, low: float, high: float) -> list[Motion]:
    """Hinges about changing axes, with limits that differ from one to the next."""
    return [mk.Hinge(AXES[k % 7], (low * rng.uniform(0.7, 1), high * rng.uniform(0.7, 1))) for k in range(count)]


def _cone(swing: tuple[float, float], twist: float) -> Motion:
    return mk.Ball(mk.SwingTwist(axis=X, swing=swing, twist=(-twist, twist), first=Y))


def planar(rng: Rng) -> Kind:
    return _chain([mk.Hinge(Z, (-2.0, 2.2)) for _ in range(5)], rng, 5)


def tree(rng: Rng) -> Kind:
    """A trunk of two segments and three arms of four."""
    parents = [-1, 0, *(k for first in (2, 6, 10) for k in (1, first, first + 1, first + 2))]
    figure = mk.tree(parents, rng.uniform(0.2, 0.5, 14), _hinges(rng, 14, -1.5, 1.5))
    return Kind(figure, "Tip6", "Tip10", "Segment5")


def euler(rng: Rng) -> Kind:
    return _chain([mk.Euler(o, ((-1.2, 1.0),) * 3) for o in ("ZYX", "XYZ", "YXZ", "ZXY")], rng, 4)


def euler_free(rng: Rng) -> Kind:
    return _chain([mk.Euler(o) for o in ("ZYX", "XYZ", "YXZ", "ZXY")], rng, 4)


def balls(rng: Rng) -> Kind:
    return _chain(mk.Ball(), rng, 4)


def cones(rng: Rng) -> Kind:
    return _chain([_cone((rng.uniform(0.6, 1.2), rng.uniform(0.6, 1.2)), 0.8) for _ in range(5)], rng, 5)


def thin_cones(rng: Rng) -> Kind:
    return _chain([_cone((rng.uniform(0.8, 1.2), 0.02) if k % 2 else (0.02, 1.0), 0.6) for k in range(6)], rng, 6)


def sliders(rng: Rng) -> Kind:
    """A gantry: three sliders, then a wrist of three hinges."""
    slides: list[Motion] = [mk.Slider(axis, (-0.6, rng.uniform(0.4, 0.8))) for axis in (X, Y, Z)]
    return _chain([*slides, *_hinges(rng, 3, -2.0, 2.0)], rng, 6)


def slider_arm(rng: Rng) -> Kind:
    """Hinges and sliders alternately."""
    joints = _hinges(rng, 7, -1.8, 1.8)
    for k in (1, 3, 5):
        joints[k] = mk.Slider(X, (0.0, rng.uniform(0.2, 0.5)))
    return _chain(joints, rng)


def mimic(rng: Rng) -> Kind:
    """Every third joint follows the previous one."""
    kind = _chain(_hinges(rng, 7, -1.0, 1.0), rng)
    segments = list(kind.figure.segments)
    for k in (2, 5):
        old, leader = segments[k].joint, segments[k - 1].joint
        follows = mk.Coupling(leader.name, ratio=0.8, offset=0.1)
        segments[k] = segments[k].replaced(joint=Joint(old.name, (mk.Hinge(AXES[k]),), old.offset, coupling=follows))
    return Kind(kind.figure.replaced(segments=segments), kind.first, kind.second, kind.bend)


def free_root(rng: Rng) -> Kind:
    """A floating body with two arms."""
    parents = [-1, 0, 1, 2, 0, 4, 5]
    joints: list[Motion] = [mk.Free(), *_hinges(rng, 6, -1.5, 1.5)]
    figure = mk.tree(parents, rng.uniform(0.2, 0.5, 7), joints)
    return Kind(figure, "Tip4", "Tip7", "Segment3")


def continuous(rng: Rng) -> Kind:
    return _chain([mk.Hinge(axis) for axis in AXES], rng)


def open_below(rng: Rng) -> Kind:
    """Limits (-inf, b]."""
    return _chain([mk.Hinge(axis, (-np.inf, rng.uniform(0.3, 1.5))) for axis in AXES], rng)


def open_above(rng: Rng) -> Kind:
    """Limits [a, inf)."""
    return _chain([mk.Hinge(axis, (rng.uniform(-1.5, -0.3), np.inf)) for axis in AXES], rng)


def tiny_ranges(rng: Rng) -> Kind:
    """Ranges of a hundredth of a radian."""
    return _chain(_hinges(rng, 7, -0.01, 0.01), rng)


def touching_limits(rng: Rng) -> Kind:
    """The lower and upper limit of every third joint are equal."""
    joints = _hinges(rng, 9, -1.5, 1.5)
    for k in (1, 4, 7):
        joints[k] = mk.Hinge(AXES[k % 7], (0.3, 0.3))
    return _chain(joints, rng, 9)


def long(rng: Rng) -> Kind:
    """Sixty hinges."""
    return _chain(_hinges(rng, 60, -0.5, 0.5), rng, 60)


def stretched(rng: Rng) -> Kind:
    """Elbows that bend in one direction only and are straight at rest. They start at their limits, and the chain is
    singular."""
    return _chain([mk.Hinge(Y if k == 3 else AXES[k], (0.0, 2.4) if k % 2 else (-1.5, 1.5)) for k in range(7)], rng)


def zero_length(rng: Rng) -> Kind:
    """Shoulder and wrist with three hinges at one place each."""
    arm = [0.0, 0.0, float(rng.uniform(0.3, 0.5)), float(rng.uniform(0.3, 0.5)), 0.0, 0.0, 0.1]
    joints: list[Motion] = [mk.Hinge(axis, (-1.8, 1.8)) for axis in (Z, Y, X, Y, X, Y, Z)]
    kind = _chain(joints, rng, lengths=arm)
    return Kind(kind.figure, "Tip", "Segment4", "Segment4")


KINDS: dict[str, Callable[[Rng], Kind]] = {
    "planar": planar,
    "tree": tree,
    "Euler": euler,
    "Euler, no limits": euler_free,
    "balls": balls,
    "cones": cones,
    "thin cones": thin_cones,
    "sliders": sliders,
    "slider arm": slider_arm,
    "mimic": mimic,
    "free root": free_root,
    "continuous": continuous,
    "(-inf, b]": open_below,
    "[a, inf)": open_above,
    "tiny ranges": tiny_ranges,
    "touching limits": touching_limits,
    "long": long,
    "stretched": stretched,
    "zero length": zero_length,
}
