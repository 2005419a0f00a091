"""Things drawn with a figure: dots, rings, lines, patches, obstacles and labels, all in world space.

Only `goals.py` turns goals into marks. The 2D and the 3D drawing each know how to draw a mark.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from manikin.arrays import Points, Vector
from manikin.view.style import Color


@dataclass(frozen=True, eq=False)
class Ring:
    """A target: a ring with a dot in it."""

    point: Vector
    """(3,)"""
    color: Color


@dataclass(frozen=True, eq=False)
class Dot:
    """A filled dot."""

    point: Vector
    """(3,)"""
    color: Color
    width: float
    """Width in points."""


@dataclass(frozen=True, eq=False)
class Stroke:
    """A line through points."""

    points: Points
    """(n, 3)"""
    color: Color
    width: float
    """Width in points."""
    dashes: str = "-"
    """"-" solid, "--" dashed, ":" dotted."""
    arrow: bool = False
    """Whether it ends in an arrowhead."""
    behind: bool = False
    """Whether solids hide it."""


@dataclass(frozen=True, eq=False)
class Patch:
    """A transparent flat polygon under the figure."""

    corners: Points
    """(n, 3)"""
    color: Color


@dataclass(frozen=True, eq=False)
class Obstacle:
    """An obstacle: a convex surface in the world. It hides the figure's solids and is hidden by them."""

    faces: Points
    """(F, 4, 3) corners, counter-clockwise seen from outside; two may coincide."""


@dataclass(frozen=True, eq=False)
class Label:
    """A few words near a point: a name and notes."""

    point: Vector
    """(3,)"""
    name: str
    notes: tuple[str, ...] = ()
    """The errors, one short text each; empty if the goal is met."""
    met: bool = True
    """Whether the goal is met."""

    @property
    def text(self) -> str:
        """The drawn text: "RightHand ✓", "LeftHand 3.2 cm"."""
        return f"{self.name} ✓" if self.met else " ".join([self.name, ", ".join(self.notes)]).strip()

    def joined(self, other: Label) -> Label:
        """One label for two goals of the same name. It is met if both are."""
        return replace(self, notes=self.notes + other.notes, met=self.met and other.met)


@dataclass(eq=False)
class Marks:
    """All marks of a picture, in the order in which they are drawn."""

    rings: list[Ring] = field(default_factory=list)
    dots: list[Dot] = field(default_factory=list)
    lines: list[Stroke] = field(default_factory=list)
    patches: list[Patch] = field(default_factory=list)
    bodies: list[Obstacle] = field(default_factory=list)
    labels: list[Label] = field(default_factory=list)

    def add_label(self, label: Label) -> None:
        """Adds a label, or joins it to the one of the same name."""
        for k, there in enumerate(self.labels):
            if there.name == label.name:
                self.labels[k] = there.joined(label)
                return
        self.labels.append(label)

    def points(self) -> Points:
        """(n, 3) every point that the picture must show."""
        parts: list[Points] = [ring.point[None] for ring in self.rings]
        parts += [dot.point[None] for dot in self.dots]
        parts += [label.point[None] for label in self.labels]
        parts += [line.points for line in self.lines]
        parts += [patch.corners for patch in self.patches]
        parts += [body.faces.reshape(-1, 3) for body in self.bodies]
        return np.concatenate(parts) if parts else np.zeros((0, 3))

    def in_the_way(self) -> Points:
        """(n, 3) closely spaced points on all lines and obstacles, which labels avoid."""
        middles = [body.faces.mean(axis=1) for body in self.bodies]
        return np.concatenate([self._along_lines(), *(m[:: max(1, len(m) // 400)] for m in middles)])

    def _along_lines(self) -> Points:
        between = np.linspace(0.0, 1.0, 24)[:, None]
        parts = [
            start + between * (end - start)
            for line in self.lines
            for start, end in zip(line.points[:-1], line.points[1:], strict=True)
        ]
        return np.concatenate(parts)[:: max(1, len(parts) // 60)] if parts else np.zeros((0, 3))
