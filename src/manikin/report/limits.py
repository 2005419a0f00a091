"""Limits by name, and figures in which some of them are wider.

To *widen* a limit by an amount means

- a turn or slide: the lower limit is lowered, or the upper limit raised, by the amount (radians or lengths);
- the cone of a ball: both half angles grow by the amount, at most to π;
- the twist of a ball: like a turn, within ±π.

If a joint is coupled to another, its limits are widened as far as it must follow.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from manikin import rotations
from manikin.arrays import Vector
from manikin.errors import unknown_name
from manikin.figure.figure import Figure
from manikin.figure.joint import Ball, Euler, Hinge, Joint, Motion, Slider, number_count
from manikin.figure.layout import Layout
from manikin.kinematics import swing_twist
from manikin.kinematics.chart import Chart

QUARTER = 0.5 * np.pi
"""Default widening of turns, in radians."""
SLIDE_TRIED = 0.5
"""Default widening of slides, in sizes of the figure."""


NARROWEST = 1e-6
"""A range counts as at least this wide, in radians or sizes. Some ranges have zero width."""

Side: TypeAlias = Literal["lower", "upper"]
SIDES: tuple[Side, Side] = ("lower", "upper")


@dataclass(frozen=True)
class Limit:
    """One limit of a figure."""

    joint: str
    """Name of the joint."""
    part: Literal["number", "cone", "twist"]
    """The kind of quantity that is limited."""
    side: Side
    """The limited end; "upper" for a cone."""
    number: int
    """Index in q of the limited number, or of the ball's quaternion."""
    step: int
    """Index of the chart coordinate that it bounds."""
    label: str
    """Name of the number: "LeftForeArm", "Spine.x"."""
    slides: bool = False
    """Whether amounts are lengths; otherwise radians."""

    @property
    def name(self) -> str:
        """ "LeftForeArm (upper)", "LeftArm (cone)", "LeftArm (lower twist)"."""
        inside = {"number": self.side, "cone": "cone", "twist": f"{self.side} twist"}[self.part]
        return f"{self.label} ({inside})"

    @property
    def words(self) -> str:
        """ "LeftForeArm's upper limit", for sentences."""
        inside = {"number": f"{self.side} limit", "cone": "cone", "twist": f"{self.side} limit of twist"}[self.part]
        return f"{self.label}'s {inside}"


def limits_of(figure: Figure, chart: Chart) -> dict[tuple[int, str], Limit]:
    """Every limit, by the chart coordinate and the side that it bounds. `chart` is `chart_of(figure, …)`."""
    names, joints = figure.number_names, _joint_of_number(figure)
    slides = _slides(figure)
    found: dict[tuple[int, str], Limit] = {}
    for number, step in zip(chart.number.tolist(), chart.step.tolist(), strict=True):
        for side, bounds in zip(SIDES, (figure.lower, figure.upper), strict=True):
            if np.isfinite(bounds[number]):
                found[step, side] = Limit(joints[number], "number", side, number, step, names[number], slides[number])
    cones = chart.cones
    for c, (number, step) in enumerate(zip(cones.number.tolist(), cones.step.tolist(), strict=True)):
        label = names[number].removesuffix(".w")
        if cones.swing[c].min() < np.pi:
            found[step, "upper"] = Limit(joints[number], "cone", "upper", number, step, label)
        if not cones.turning[c]:
            for side in SIDES:
                found[step + 2, side] = Limit(joints[number], "twist", side, number, step + 2, label)
    return found


def limit_named(figure: Figure, name: str) -> Limit:
    """The limit with a name such as "LeftForeArm (upper)"."""
    from manikin.kinematics.chart import chart_of

    known = {limit.name: limit for limit in limits_of(figure, chart_of(figure, normalised=False)).values()}
    if name not in known:
        raise unknown_name(f"figure {figure.name!r}", "limit", name, list(known))
    return known[name]


def limits_on(figure: Figure, joint: str) -> list[Limit]:
    """All limits of one joint."""
    from manikin.kinematics.chart import chart_of

    return [limit for limit in limits_of(figure, chart_of(figure, normalised=False)).values() if limit.joint == joint]


def tried(limit: Limit, figure: Figure, turn: float = QUARTER) -> float:
    """The amount by which a limit is widened to test whether it causes the miss: a quarter turn, or half the figure's
    size."""
    return turn / QUARTER * SLIDE_TRIED * figure.size if limit.slides else turn


def span(limit: Limit, figure: Figure) -> float:
    """The width of the range of a limit, radians or length. At least `NARROWEST`; infinite if the other end is free."""
    if limit.part == "number":
        width = float(figure.upper[limit.number] - figure.lower[limit.number])
    else:
        cones = figure.layout.cones
        c = cones.number.tolist().index(limit.number)
        width = float(2.0 * cones.swing[c].mean() if limit.part == "cone" else np.ptp(cones.twist[c]))
    return max(width, NARROWEST * (figure.size if limit.slides else 1.0))


def excess(limit: Limit, figure: Figure, q: Vector) -> float:
    """The amount by which a limit must be widened to allow a pose; 0 if the pose is within the limit."""
    if limit.part == "number":
        value = float(q[limit.number])
        low, high = float(figure.lower[limit.number]), float(figure.upper[limit.number])
        return max(0.0, low - value if limit.side == "lower" else value - high)
    cones = figure.layout.cones
    c = cones.number.tolist().index(limit.number)
    turn = rotations.multiply(cones.inverse_reference[c], q[limit.number : limit.number + 4])
    s1, s2, tau = (float(x) for x in swing_twist.decompose(turn, cones.basis[c]))
    if limit.part == "twist":
        low, high = (float(x) for x in cones.twist[c])
        if low <= tau <= high:
            return 0.0
        below, above = (low - tau) % (2 * np.pi), (tau - high) % (2 * np.pi)  # on the circle
        nearer = "lower" if below < above else "upper"
        return min(below, above) if limit.side == nearer else 0.0
    r1, r2 = (float(x) for x in cones.swing[c])
    if np.hypot(s1 / r1, s2 / r2) <= 1.0:
        return 0.0
    inside, outside = np.pi, 0.0  # bisection: the radius falls as the cone grows
    for _ in range(50):
        middle = 0.5 * (inside + outside)
        if np.hypot(s1 / (r1 + middle), s2 / (r2 + middle)) <= 1.0:
            inside = middle
        else:
            outside = middle
    return inside


def wider_view(figure: Figure, by: Mapping[Limit, float]) -> Figure:
    """A view of the figure with some limits wider, for solving (`Figure.limits_view`)."""
    layout = figure.layout
    lower, upper = layout.lower.copy(), layout.upper.copy()
    swing, twist = layout.cones.swing.copy(), layout.cones.twist.copy()
    place = {int(n): c for c, n in enumerate(layout.cones.number)}
    for limit, amount in by.items():
        n = limit.number
        if limit.part == "cone":
            swing[place[n]] = np.minimum(swing[place[n]] + amount, np.pi)
        elif limit.part == "twist" and limit.side == "lower":
            twist[place[n], 0] = max(twist[place[n], 0] - amount, -np.pi)
        elif limit.part == "twist":
            twist[place[n], 1] = min(twist[place[n], 1] + amount, np.pi)
        elif limit.side == "lower":
            lower[n] -= amount
        else:
            upper[n] += amount
    _follow(layout, lower, upper)
    return figure.limits_view(lower, upper, swing, twist)


def with_wider_limits(figure: Figure, by: Mapping[Limit, float]) -> Figure:
    """A separate figure with some limits wider and nothing else changed."""
    view = wider_view(figure, by)
    widened = {limit.joint for limit in by}
    coupled = {s.joint.name for s in figure.segments if s.joint.coupling is not None}
    segments = [
        s.replaced(joint=_joint(s.joint, figure, view)) if s.joint.name in widened | coupled else s
        for s in figure.segments
    ]
    return figure.replaced(segments=segments)


def _joint(joint: Joint, figure: Figure, view: Figure) -> Joint:
    """A joint with the limits of the view. Its rest pose is unchanged."""
    first = n = figure.index_of(joint.name)
    motions = []
    for motion in joint.motions:
        motions.append(_motion(motion, view, n))
        n += number_count(motion)
    rest = tuple(float(x) for x in figure.rest[first : first + joint.nq])
    return replace(joint, motions=tuple(motions), rest=rest)


def _motion(motion: Motion, view: Figure, n: int) -> Motion:
    """A motion with the limits that the view has for its numbers, which start at index n."""
    layout = view.layout
    pairs = [(float(a), float(b)) for a, b in zip(layout.lower[n:], layout.upper[n:], strict=True)]
    if isinstance(motion, Euler):
        return replace(motion, limits=tuple(pairs[: len(motion.order)]))
    if isinstance(motion, Ball):
        if motion.limits is None:
            return motion
        c = layout.cones.number.tolist().index(n)
        (r1, r2), (low, high) = layout.cones.swing[c].tolist(), layout.cones.twist[c].tolist()
        return replace(motion, limits=replace(motion.limits, swing=(r1, r2), twist=(low, high)))
    return replace(motion, limits=pairs[0]) if isinstance(motion, (Slider, Hinge)) else motion


def _follow(layout: Layout, lower: Vector, upper: Vector) -> None:
    """Widens limits of coupled numbers, in place, to contain the range that their source implies."""
    tree = layout.tree
    for i in np.flatnonzero(tree.source >= 0):
        n, source = int(tree.number[i]), int(tree.source[i])
        with np.errstate(invalid="ignore"):
            ends = tree.ratio[i] * np.array([lower[source], upper[source]]) + tree.shift[i]
        if np.isfinite(ends).all():
            lower[n], upper[n] = min(lower[n], ends.min()), max(upper[n], ends.max())


def _joint_of_number(figure: Figure) -> dict[int, str]:
    """Maps each number to the name of its joint."""
    found = {}
    for s in figure.segments:
        first = figure.index_of(s.joint.name)
        found.update(dict.fromkeys(range(first, first + s.joint.nq), s.joint.name))
    return found


def _slides(figure: Figure) -> dict[int, bool]:
    """Maps each number of a pose to whether it is a length."""
    found = {}
    for s in figure.segments:
        n = figure.index_of(s.joint.name)
        for motion in s.joint.motions:
            for _ in range(number_count(motion)):
                found[n] = isinstance(motion, Slider)
                n += 1
    return found
