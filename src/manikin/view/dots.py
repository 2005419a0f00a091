"""Draws dots and rings, in a 2D or a 3D picture."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from manikin.arrays import Vector
from manikin.view.marks import Marks
from manikin.view.style import Style


def draw_dots(ax: Any, marks: Marks, place: Callable[[Vector], Any], order: float, style: Style) -> None:
    """Draws the dots and rings of some marks.

    Args:
        ax: the axes.
        marks: their dots and rings are drawn.
        place: the coordinates on the axes of a point (3,).
        order: the drawing order, as matplotlib's `zorder`.
        style: the size of rings, and the color of the paper.
    """
    for dot in marks.dots:
        ax.plot(*place(dot.point), "o", color=dot.color, markersize=dot.width, markeredgewidth=0.0, zorder=order)
    for ring in marks.rings:
        at = place(ring.point)
        ax.plot(
            *at,
            "o",
            markersize=style.marker,
            markerfacecolor=(*style.paper, 0.55),
            markeredgecolor=ring.color,
            markeredgewidth=1.5,
            zorder=order,
        )
        ax.plot(*at, "o", color=ring.color, markersize=0.32 * style.marker, markeredgewidth=0.0, zorder=order)
