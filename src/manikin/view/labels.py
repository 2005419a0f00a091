"""Labels that are placed automatically: next to their points, apart from each other, and away from the figure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.lines import Line2D
from matplotlib.text import Text

from manikin.arrays import Matrix, Points, Vector
from manikin.base import names
from manikin.view.marks import Label
from manikin.view.style import STYLE, Style

_DIRECTIONS = 16
_DISTANCES = (10.0, 18.0, 28.0, 42.0, 60.0, 84.0, 112.0)
"""Distances between a label's near edge and its point that are tried, in points, nearest first."""
_GAP = 3.0
"""Least free space around a label, in points."""


class Labels(Artist):
    """Texts that are placed when the picture is drawn, so that they stay right when it is turned or resized."""

    def __init__(
        self,
        labels: Sequence[Label],
        project: Callable[[Points], Matrix],
        avoid: Points,
        style: Style = STYLE,
    ) -> None:
        """
        Args:
            labels: the texts and their points.
            project: maps points (n, 3) of the scene to pixels (n, 2) when the picture is drawn.
            avoid: (n, 3) points of the figure that labels should not cover.
            style: colours and text size.
        """
        super().__init__()
        self.labels = list(labels)
        """The labels."""
        self.boxes: Matrix = np.zeros((0, 4))
        """(n, 4) left, bottom, right, top of each label in pixels, after drawing."""
        self._project, self._avoid, self._style = project, avoid, style
        self.set_zorder(100.0)

    def draw(self, renderer: Any) -> None:
        """Places and draws every label, with a thin line to its point if it is far away."""
        if not self.get_visible() or not self.labels:
            return
        figure: Any = self.get_figure()
        scale = figure.dpi / 72.0
        anchors = self._project(np.array([label.point for label in self.labels]))
        texts = [self._text(label, figure) for label in self.labels]
        sizes = np.array([[e.width, e.height] for e in (t.get_window_extent(renderer) for t in texts)])
        avoid = self._project(self._avoid) if len(self._avoid) else np.zeros((0, 2))
        self.boxes = arrange(anchors, sizes, avoid, _page(figure, self.axes), scale)
        for text, anchor, box in zip(texts, anchors, self.boxes, strict=True):
            self._leader(anchor, box, text.get_color(), scale, figure).draw(renderer)
        for text, box in zip(texts, self.boxes, strict=True):
            text.set_position((0.5 * (box[0] + box[2]), 0.5 * (box[1] + box[3])))
            text.draw(renderer)

    def _text(self, label: Label, figure: Any) -> Text:
        edge = (*self._style.paper, 0.82)
        color = self._style.target if label.met else self._style.missed
        text = Text(
            0.0, 0.0, names.picture(label.text), color=color, fontsize=self._style.text, ha="center", va="center"
        )
        text.set_bbox({"boxstyle": "round,pad=0.22", "facecolor": edge, "edgecolor": "none"})
        text.set_figure(figure)
        return text

    def _leader(self, anchor: Vector, box: Vector, color: Any, scale: float, figure: Any) -> Line2D:
        near = np.clip(anchor, box[:2], box[2:])
        short = np.linalg.norm(near - anchor) < 14.0 * scale
        line = Line2D(*np.stack([anchor, near]).T, color=color, linewidth=0.7, alpha=0.0 if short else 0.7)
        line.set_figure(figure)
        return line


def arrange(anchors: Matrix, sizes: Matrix, avoid: Matrix, page: Vector, scale: float) -> Matrix:
    """Boxes (n, 4) for labels of given sizes next to their anchors. Labels are placed one after another, each at its
    cheapest place.

    The cost of a place contains its distance, the covered part of the figure, a high cost for a covered anchor, and the
    highest cost for an overlap with another label or the edge of the page. The side away from the middle of the figure
    is slightly cheaper.

    Args:
        anchors: (n, 2) pixels.
        sizes: (n, 2) width and height, pixels.
        avoid: (m, 2) points of the figure, pixels.
        page: (4,) left, bottom, right, top, pixels.
        scale: pixels per point.
    """
    middle = avoid.mean(axis=0) if len(avoid) else anchors.mean(axis=0)
    turn = np.linspace(0.0, 2.0 * np.pi, _DIRECTIONS, endpoint=False)
    compass = np.stack([np.cos(turn), np.sin(turn)], axis=-1)
    boxes = np.zeros((0, 4))
    for anchor, size in zip(anchors, sizes, strict=True):
        outward = (anchor - middle) / max(float(np.linalg.norm(anchor - middle)), 1e-9)
        best, lowest = np.zeros(4), np.inf
        for distance in _DISTANCES:
            for direction in compass:
                # The box touches the circle of this distance on the side that faces the anchor.
                reach = distance * scale + np.abs(direction) @ (0.5 * size)
                center = anchor + direction * reach
                box = np.concatenate([center - 0.5 * size, center + 0.5 * size])
                cost = 0.035 * distance + 0.5 * (1.0 - float(direction @ outward)) + 0.25 * abs(float(direction[1]))
                cost += 0.3 * _inside(avoid, box, 0.0) + 6.0 * _inside(anchors, box, 5.0 * scale)
                cost += 1e4 * _meets(boxes, box, _GAP * scale) + 1e4 * _outside(box, page)
                if cost < lowest:
                    best, lowest = box, cost
        boxes = np.concatenate([boxes, best[None]])
    return boxes


def _inside(points: Matrix, box: Vector, margin: float) -> int:
    """Number of points in a box that is widened by a margin."""
    if not len(points):
        return 0
    return int(np.all((points > box[:2] - margin) & (points < box[2:] + margin), axis=1).sum())


def _meets(boxes: Matrix, box: Vector, margin: float) -> int:
    """Number of boxes that are nearer than a margin to a box."""
    apart = np.any((boxes[:, :2] > box[2:] + margin) | (boxes[:, 2:] < box[:2] - margin), axis=1)
    return int((~apart).sum())


def _outside(box: Vector, page: Vector) -> int:
    return int(box[0] < page[0]) + int(box[1] < page[1]) + int(box[2] > page[2]) + int(box[3] > page[3])


def _page(figure: Any, ax: Any) -> Vector:
    """The part of the axes within the picture, in pixels, minus a small margin."""
    page, own = figure.bbox.get_points(), ax.bbox.get_points()
    low, high = np.maximum(page[0], own[0]), np.minimum(page[1], own[1])
    margin = 0.012 * float(np.min(high - low))
    return np.concatenate([low + margin, high - margin])
