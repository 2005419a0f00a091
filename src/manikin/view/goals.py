"""Goals as marks: the target in one colour, the error in another, and a label. `drawings` draws them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from manikin.arrays import Vector
from manikin.errors import BadValue
from manikin.figure import Figure
from manikin.goals import Goal
from manikin.problem import Problem
from manikin.view.drawings import Look, draw
from manikin.view.marks import Dot, Label, Marks, Patch, Ring, Stroke
from manikin.view.style import STYLE, Color, Style, blend


def goal_marks(marks: Marks, figure: Figure, pose: Vector, goal: Goal, style: Style = STYLE) -> None:
    """Adds the marks of a goal, its target and its error at a pose (nq,), with one label."""
    if not isinstance(goal, Goal):
        raise BadValue(f"goal {goal!r} is not a goal; make one with Position(…), Aim(…) and the like")
    chosen, others = goal, []
    if len(goal.alternatives) > 1:
        members = goal.on(figure).alternatives
        stands = [Problem(figure, [m]).at(pose) for m in members]
        nearest = int(np.argmin([stand.errors[0] / stand.problem.tolerances[0] for stand in stands]))
        chosen, others = members[nearest], [m for k, m in enumerate(members) if k != nearest]
    for other in others:
        _faint(marks, other, figure, pose, style)
    look = _look(marks, figure, chosen, pose, style)
    anchor = draw(look.goal, look)
    marks.add_label(Label(anchor, _name(goal, look.goal), _notes(look), look.met))


def _look(marks: Marks, figure: Figure, goal: Goal, pose: Vector, style: Style) -> Look:
    at = Problem(figure, [goal]).at(pose)
    settled = at.problem.goals[0]
    error = np.maximum(at.rows, 0.0) if settled.one_sided else at.rows
    return Look(marks, figure, settled, at.readings[0], error, bool(at.reached), style)


def goal_effectors(figure: Figure, goals: Sequence[Goal]) -> list[tuple[str, Vector]]:
    """Segments and points (3,) on them whose paths are drawn: those of goals with `traced`, each once."""
    found: dict[tuple[str, tuple[float, ...]], None] = {}
    for goal in goals:
        for member in goal.alternatives:
            if member.traced:
                found.update({(e.segment, e.offset): None for e in member.effectors})
    for segment, _ in found:
        figure.segment_index(segment)
    return [(segment, np.array(offset)) for segment, offset in found]


def length_text(length: float, unit: float | None) -> str:
    """A length for reading: millimetres, centimetres or metres; a plain number if the figure has no unit.

    Example:
        >>> length_text(0.0412, 1.0), length_text(3.0, 0.01), length_text(0.0412, None)
        ('4.1 cm', '3 cm', '0.0412')
    """
    if unit is None:
        return f"{length:.3g}"
    metres = length * unit
    for scale, name in ((1.0, "m"), (1e-2, "cm"), (1e-3, "mm")):
        if metres >= scale or scale == 1e-3:
            return f"{metres / scale:.2g} {name}" if metres < 100 * scale else f"{metres / scale:.0f} {name}"
    raise AssertionError("the last scale takes every length")


def _faint(marks: Marks, goal: Goal, figure: Figure, pose: Vector, style: Style) -> None:
    """Draws an alternative that was not chosen: its marks in pale colours, without error and label."""
    apart = Marks()
    look = replace(_look(apart, figure, goal, pose, style), met=True)
    draw(look.goal, look)

    def pale(color: Color) -> Color:
        return blend(color, style.paper, 0.6)

    marks.rings += [Ring(m.point, pale(m.color)) for m in apart.rings]
    marks.dots += [Dot(m.point, pale(m.color), m.width) for m in apart.dots]
    marks.bodies += apart.bodies
    marks.patches += [Patch(m.corners, pale(m.color)) for m in apart.patches]
    marks.lines += [Stroke(m.points, pale(m.color), m.width, m.dashes, m.arrow, m.behind) for m in apart.lines]


def _name(goal: Goal, chosen: Goal) -> str:
    """Name of a goal in a picture: its own name, otherwise its effector's, or the kind if that is clearer."""
    if goal.name is not None:
        return goal.name
    if chosen.whole_figure or not chosen.effectors:
        return type(chosen).__name__
    segment: str = getattr(chosen, "segment", chosen.effectors[0].segment)
    return segment


def _notes(look: Look) -> tuple[str, ...]:
    """The error in words: lengths in mm, cm or m, angles in degrees; empty if the goal is met."""
    if look.met:
        return ()
    goal = look.goal
    if goal.whole_figure:
        return (length_text(goal.measure(look.error), look.figure.unit),)
    angular = np.array(goal.angular, dtype=bool)
    length, angle = (float(np.linalg.norm(look.error[part])) for part in (~angular, angular))
    apart = isinstance(goal.tolerance, tuple)  # lengths and angles have separate tolerances
    notes = []
    if not angular.all() and not (apart and length <= goal.tolerance[0]):
        notes.append(length_text(length, look.figure.unit))
    if angular.any() and not (apart and angle <= goal.tolerance[1]):
        notes.append(_degrees(angle))
    return tuple(notes)


def _degrees(angle: float) -> str:
    degrees = np.degrees(angle)
    return f"{degrees:.2g}°" if degrees < 10.0 else f"{degrees:.0f}°"
