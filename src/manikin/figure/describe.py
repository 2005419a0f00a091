"""A figure as a readable tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from manikin.base.names import stacked
from manikin.figure.joint import Ball, Euler, Free, Hinge, Joint, Motion, Pair, Slider
from manikin.figure.loop import Loop

if TYPE_CHECKING:
    from manikin.figure.figure import Figure


DEEPEST = 30
"""Number of levels of the tree that are indented. Deeper segments are not indented further; otherwise a chain of ten
thousand segments would be ten thousand columns wide."""


class Row(NamedTuple):
    """The text of one segment."""

    lead: str
    """The tree lines before its name."""
    name: str
    joint: str
    """Kind, axes, limits in degrees, and the joint that it follows."""
    mass: str
    """The mass; empty if it has none."""
    under: str
    """The tree lines for further lines of this segment."""


def describe(figure: Figure) -> str:
    """One line for each segment: the tree on the left; the joint, its limits and the mass on the right. Then the
    loops."""
    rows = tree(figure)
    left = max(len(row.lead + row.name) for row in rows)
    middle = max(len(row.joint) for row in rows)
    unit = "no unit" if figure.unit is None else "metres" if figure.unit == 1.0 else f"unit {figure.unit:g} m"
    head = (
        f"{figure.name}: {len(figure.segments)} segments, {figure.nv} degrees of freedom, {figure.nq} numbers, "
        f"{unit}, {figure.up} up, size {figure.size:.4g}" + (f", mass {figure.mass:.4g} kg" if figure.mass else "")
    )
    if figure.loops:
        head += ", 1 closed loop" if len(figure.loops) == 1 else f", {len(figure.loops)} closed loops"
    lines = [f"{row.lead + row.name:<{left}}  {row.joint:<{middle}}  {row.mass}".rstrip() for row in rows]
    return stacked([head, *lines, *(describe_loop(loop) for loop in figure.loops)])


def tree(figure: Figure) -> list[Row]:
    """The segments, each after its parent, with branches kept together."""
    children: dict[str | None, list[str]] = {}
    for s in figure.segments:
        children.setdefault(s.parent, []).append(s.name)
    rows: list[Row] = []
    # A stack, not recursion: a chain may be longer than Python's recursion limit.
    stack: list[tuple[str, str, str, int]] = [(children[None][0], "", "", 0)]
    while stack:
        name, lead, below, depth = stack.pop()
        s, inner = figure.segment(name), children.get(name, [])
        mass, under = f"{s.mass:.3g} kg" if s.mass else "", below + ("│ " if inner else "")
        rows.append(Row(lead, name, _joint(s.joint, name), mass, under))
        for k, child in reversed(list(enumerate(inner))):
            last = k == len(inner) - 1
            deeper = "" if depth >= DEEPEST else "  " if last else "│ "
            stack.append((child, below + ("└ " if last else "├ "), below + deeper, depth + 1))
    return rows


def describe_loop(loop: Loop) -> str:
    """A closed loop as one line."""
    held = "welded to" if loop.holds_turn else "joined to"
    return f"loop {loop.name}: {loop.segment} {_point(loop.offset)} {held} {loop.to} {_point(loop.to_offset)}"


def _point(point: tuple[float, ...]) -> str:
    return "at (" + ", ".join(f"{x:.3g}" for x in point) + ")"


def _joint(joint: Joint, segment: str) -> str:
    text = " + ".join(_motions(joint)) or "fixed"
    if joint.coupling is not None:
        text += f", follows {joint.coupling.source} × {joint.coupling.ratio:g}"
        text += f" + {joint.coupling.offset:g}" if joint.coupling.offset else ""
    return text if joint.name == segment else f"{joint.name}: {text}"


def _motions(joint: Joint) -> list[str]:
    """Each motion in words. Several sliders without limits, as in character files, are combined."""
    sliders = [m for m in joint.motions if isinstance(m, Slider)]
    alike = all(np.isinf(m.limits).all() and m.held == sliders[0].held for m in sliders)
    if len(sliders) < 2 or not alike:
        return [_motion(m) for m in joint.motions]
    together = f"sliders {', '.join(_axis(m.axis) for m in sliders)} {'held' if sliders[0].held else 'free'}"
    return [together, *(_motion(m) for m in joint.motions[len(sliders) :])]


def _motion(motion: Motion) -> str:
    if isinstance(motion, Hinge):
        return f"hinge {_axis(motion.axis)} {_degrees(motion.limits)}"
    if isinstance(motion, Slider):
        words = [_lengths(motion.limits), *(["held"] if motion.held else [])]
        return f"slider {_axis(motion.axis)} {' '.join(words).replace('free held', 'held')}"
    if isinstance(motion, Euler):
        if all(np.isinf(pair).all() for pair in motion.limits):
            return f"euler {motion.order}"
        parts = [f"{c.lower()} {_degrees(p)}" for c, p in zip(motion.order, motion.limits, strict=True)]
        return f"euler {motion.order} ({', '.join(parts)})"
    if isinstance(motion, Ball):
        if motion.limits is None:
            return "ball"
        r1, r2 = np.degrees(motion.limits.swing)
        return f"ball, swing {r1:.0f}° × {r2:.0f}°, twist {_degrees(motion.limits.twist)}"
    assert isinstance(motion, Free)
    return "free"


def _axis(axis: tuple[float, ...]) -> str:
    for letter, unit in zip("xyz", np.eye(3), strict=True):
        if np.array_equal(axis, unit):
            return letter
        if np.array_equal(axis, -unit):
            return f"−{letter}"
    return "(" + ", ".join(f"{x:.3g}" for x in axis) + ")"


def _degrees(pair: Pair) -> str:
    return "free" if np.isinf(pair).all() else f"{np.degrees(pair[0]):.0f}…{np.degrees(pair[1]):.0f}°"


def _lengths(pair: Pair) -> str:
    return "free" if np.isinf(pair).all() else f"{pair[0]:.3g}…{pair[1]:.3g}"
