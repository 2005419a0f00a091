"""Drawings of goals: one function for each kind, selected by the class of the goal."""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch

import numpy as np

from manikin import rotations
from manikin.arrays import Matrix, Points, Vector
from manikin.figure import Figure
from manikin.goals import (
    Aim,
    Balance,
    Clearance,
    Goal,
    HalfSpace,
    Orientation,
    Placement,
    Plane,
    Position,
    Reading,
)
from manikin.goals.support import ground_axes, hull
from manikin.view.marks import Dot, Marks, Obstacle, Patch, Ring, Stroke
from manikin.view.solids import Solid, lathed, obstacle_faces
from manikin.view.style import Style

_TRIAD = 0.11
"""Length of the arrows of an orientation, as a fraction of the figure's size."""
_RAY = 0.75
"""Longest part of an aim's ray that is drawn, as a fraction of the figure's size. Otherwise far targets would shrink
the figure."""
_ARROW = 0.25
"""Length of the arrow of an aim along a direction, as a fraction of the figure's size."""
_WALL = 0.3
"""Half the edge of the drawn piece of a half-space, as a fraction of the figure's size."""
_PATCH = 0.22
"""Half the edge of the drawn piece of a plane, as a fraction of the figure's size."""


@dataclass(frozen=True, eq=False)
class Look:
    """One goal and its state in a pose of a figure."""

    marks: Marks
    """The marks to which this goal adds its own."""
    figure: Figure
    goal: Goal
    """The goal, settled on the figure."""
    reading: Reading
    """The goal's reading of the pose."""
    error: Vector
    """(m,) error of the goal; rows of one-sided goals are at least 0."""
    met: bool
    """Whether the error is within the tolerance."""
    style: Style

    @property
    def position(self) -> Vector:
        """(3,) position of the first effector."""
        return self.reading.position

    def missing(self, start: Vector, end: Vector) -> None:
        """Draws the error as a line with a dot at its start; draws nothing if the goal is met."""
        if not self.met:
            self.marks.lines.append(Stroke(np.stack([start, end]), self.style.missed, self.style.line))
            self.marks.dots.append(Dot(start, self.style.missed, 0.7 * self.style.dot))


@singledispatch
def draw(goal: Goal, look: Look) -> Vector:  # noqa: ARG001  (its type chooses the function)
    """Adds the marks of a goal and returns the place of its label, (3,).

    The default for other goals is a dot on the effector, or on the centre of mass or the root if there is no effector.
    """
    if len(look.reading.placements):
        place = look.position
    elif look.reading.center_of_mass is not None:
        place = look.reading.center_of_mass
    else:
        place = look.figure.placements(look.figure.rest)[0, :3, 3]
    color = look.style.target if look.met else look.style.missed
    look.marks.dots.append(Dot(place, color, look.style.dot))
    return place


@draw.register
def _(goal: Position, look: Look) -> Vector:
    target = np.array(look.position)
    target[["xyz".index(a) for a in goal.axes]] = goal.point
    look.marks.rings.append(Ring(target, look.style.target))
    look.missing(look.position, target)
    return target


@draw.register
def _(goal: Orientation, look: Look) -> Vector:
    _triads(rotations.to_matrix(goal.rotation), look.position, look)
    return look.position


@draw.register
def _(goal: Placement, look: Look) -> Vector:
    target: Vector = goal.placement[:3]
    _triads(rotations.to_matrix(goal.placement[3:]), target, look)
    look.marks.rings.append(Ring(target, look.style.target))
    look.missing(look.position, target)
    return target


@draw.register
def _(goal: Aim, look: Look) -> Vector:
    away = goal.direction if goal.direction is not None else goal.point - look.position
    distance = float(np.linalg.norm(away))
    if distance == 0.0:
        return look.position
    near = goal.direction is None and distance <= 1.2 * _RAY * look.figure.size
    length = distance if near else (_RAY if goal.direction is None else _ARROW) * look.figure.size
    end = look.position + length / distance * away
    ray = np.stack([look.position, end])
    look.marks.lines.append(Stroke(ray, look.style.target, 0.75 * look.style.line, "--", arrow=not near))
    if near:
        look.marks.rings.append(Ring(np.array(goal.point), look.style.target))
    if not look.met:
        short = min(length, 0.4 * _RAY * look.figure.size)
        pointing = look.position + short * look.reading.rotation @ np.array(goal.axis)
        look.marks.lines.append(
            Stroke(np.stack([look.position, pointing]), look.style.missed, 0.75 * look.style.line, arrow=True)
        )
    anchor: Vector = look.position + 0.5 * (end - look.position)
    return anchor


@draw.register
def _(goal: Plane, look: Look) -> Vector:
    n = np.asarray(goal.normal)
    foot = look.position - n * float(n @ (look.position - goal.point))
    _piece(foot, -n if goal.side == "below" else n, _PATCH * look.figure.size, look)  # the arrow shows the allowed side
    look.missing(look.position, foot)
    return look.position


@draw.register
def _(goal: Clearance, look: Look) -> Vector:
    """Obstacles as stone-coloured solids, half-spaces as a piece of their plane, and the worst pair if it is too
    near."""
    size = look.figure.size
    places = look.reading.placements[:, :3, 3]
    anchors: list[Vector] = []
    for obstacle in goal.obstacles.values():
        if isinstance(obstacle, HalfSpace):
            anchors.append(_wall(np.array(obstacle.point), np.array(obstacle.normal), places, look))
            continue
        faces = obstacle_faces(obstacle, places, size)
        if len(faces):  # obstacles far away would only shrink the figure
            look.marks.bodies.append(Obstacle(faces))
            anchors.append(faces.mean(axis=(0, 1)))
    worst = goal.worst(look.reading)
    if worst is None:
        return anchors[0] if anchors else look.position
    if not look.met:
        look.missing(*worst)
        return worst[0]
    return anchors[0] if anchors else worst[0]


def _wall(point: Vector, normal: Vector, places: Points, look: Look) -> Vector:
    """The piece of a half-space's boundary under the figure, with an arrow to the allowed side. Returns its middle."""
    middle = places.mean(axis=0)
    foot: Vector = middle - normal * float(normal @ (middle - point))
    _piece(foot, normal, _WALL * look.figure.size, look)
    return foot


def _piece(foot: Vector, n: Vector, half: float, look: Look) -> None:
    """A square piece of a plane around a point, with its normal."""
    first = rotations.perpendicular(n)
    second = np.cross(n, first)
    corners = np.array([foot + half * (a * first + b * second) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))])
    look.marks.patches.append(Patch(corners, look.style.support))
    normal = np.stack([foot, foot + 0.35 * _PATCH * look.figure.size * n])
    look.marks.lines.append(Stroke(normal, look.style.support, 0.75 * look.style.line, arrow=True, behind=True))


@draw.register
def _(goal: Balance, look: Look) -> Vector:
    assert look.reading.center_of_mass is not None
    assert goal.up is not None
    center, ground = look.reading.center_of_mass, ground_axes(goal.up)
    up = np.array(rotations.AXES[goal.up])
    contacts = [
        local @ placement[:3, :3].T + placement[:3, 3]
        for placement, local in zip(look.reading.placements, goal.points.values(), strict=True)
    ]
    flat = np.concatenate(contacts) @ ground.T  # (k, 2)
    height = _sole(goal, look, up, float((np.concatenate(contacts) @ up).min()))
    corners = flat[hull(flat)]
    if len(corners) > 2:
        look.marks.patches.append(Patch(corners @ ground + height * up, look.style.support))
    else:
        look.marks.lines.append(
            Stroke(corners[[0, -1]] @ ground + height * up, look.style.support, look.style.line, behind=True)
        )
    below = (ground @ center) @ ground + height * up
    color = look.style.mass if look.met else look.style.missed
    look.marks.lines.append(Stroke(np.stack([center, below]), color, 0.75 * look.style.line, ":"))
    look.marks.dots += [Dot(center, color, 1.6 * look.style.dot), Dot(below, color, look.style.dot)]
    if not look.met:
        look.missing(below, _nearest_of(corners, ground @ center) @ ground + height * up)
    return center


def _sole(goal: Balance, look: Look, up: Vector, lowest: float) -> float:
    """Height of the underside of the contacts, or of their solids if they have any."""
    for placement, name in zip(look.reading.placements, goal.contacts, strict=True):
        for shape in lathed(look.figure.segment(name).shapes, look.figure.size):
            points: Points = Solid.of(0, "solid", shape).faces @ placement[:3, :3].T + placement[:3, 3]
            lowest = min(lowest, float((points @ up).min()))
    return lowest


def _nearest_of(corners: Matrix, point: Vector) -> Vector:
    """The point of a convex outline (k, 2) nearest to a point (2,) outside it."""
    best, least = corners[0], np.inf
    for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        along = b - a
        square = float(along @ along)
        t = float(np.clip((point - a) @ along / square, 0.0, 1.0)) if square > 0.0 else 0.0
        distance = float(np.linalg.norm(a + t * along - point))
        if distance < least:
            best, least = a + t * along, distance
    result: Vector = best
    return result


def _triads(wanted: Matrix, place: Vector, look: Look) -> None:
    """The wanted axes (3, 3) as arrows. If the goal is missed, also the segment's present axes as thin arrows."""
    length = _TRIAD * look.figure.size
    for k, color in enumerate(look.style.axes):
        arrow = np.stack([place, place + length * wanted[:, k]])
        look.marks.lines.append(Stroke(arrow, color, look.style.line, arrow=True))
        if not look.met:
            own = np.stack([look.position, look.position + length * look.reading.rotation[:, k]])
            look.marks.lines.append(Stroke(own, color, 0.6 * look.style.line, ":"))
