"""The picture of a planar figure: outlines on a sheet with a faint grid, with marks on top."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from matplotlib.ticker import MultipleLocator

from manikin.arrays import Matrix, Points
from manikin.view.camera import nice_step
from manikin.view.dots import draw_dots
from manikin.view.labels import Labels
from manikin.view.marks import Marks
from manikin.view.planar import Paper
from manikin.view.scene import Scene, Stage
from manikin.view.solids import silhouette
from manikin.view.style import STYLE, Style, blend

_PATCH, _BODIES, _SOLIDS, _LINES, _DOTS = 1.0, 1.8, 2.0, 60.0, 70.0


def draw(ax: Any, scene: Scene, paper: Paper, style: Style = STYLE) -> Points:
    """Draws a scene into a 2D axes and returns the points (n, 2) on paper that it must show."""
    shown = [paper.flatten(scene.points()), paper.flatten(scene.marks.points())]
    _bodies(ax, scene.marks, paper, style)
    for k, stage in enumerate(scene.stages):
        _figure(ax, scene, stage, paper, _SOLIDS + k / len(scene.stages), style)
    _marks(ax, scene.marks, paper, style)
    if scene.marks.labels:
        labels = [replace(label, point=paper.flatten(label.point)) for label in scene.marks.labels]
        lines = paper.flatten(scene.marks.in_the_way())
        avoid = np.concatenate([shown[0][:: max(1, len(shown[0]) // 2000)], lines])
        ax.add_artist(Labels(labels, _projector(ax), avoid, style))
    _sheet(ax, style)
    return np.concatenate(shown)


def frame(ax: Any, points: Points, width: float, height: float, margin: float) -> None:
    """Sets the limits of a 2D axes of a given width and height (any unit) around points (n, 2), with equal scale."""
    low, high = points.min(axis=0), points.max(axis=0)
    middle, span = 0.5 * (low + high), np.maximum(high - low, 1e-9)
    scale = float(np.max(span / np.array([width, height]))) / (1.0 - 2.0 * margin)
    half = 0.5 * scale * np.array([width, height])
    ax.set_xlim(middle[0] - half[0], middle[0] + half[0])
    ax.set_ylim(middle[1] - half[1], middle[1] + half[1])
    ax.set_aspect("equal", adjustable="box")
    step = nice_step(float(np.max(2.0 * half)) / 5.0)
    ax.xaxis.set_major_locator(MultipleLocator(step))
    ax.yaxis.set_major_locator(MultipleLocator(step))


def _figure(ax: Any, scene: Scene, stage: Stage, paper: Paper, order: float, style: Style) -> None:
    """One pose: a filled outline for each solid, a dot for each joint."""
    from matplotlib.collections import PolyCollection

    outlines = [
        silhouette(paper.flatten(solid.in_world(stage.placements)).reshape(-1, 2))
        for solid in scene.solids
        if solid.kind == "solid"
    ]
    fade = stage.fade
    face, edge, dot = (blend(c, style.paper, fade) for c in (style.wood, style.outline, style.joint_dark))
    outlines = [outline for outline in outlines if len(outline) > 2]
    if outlines:
        ax.add_collection(
            PolyCollection(
                outlines, facecolors=[face], edgecolors=[edge], linewidths=0.9, zorder=order, capstyle="round"
            )
        )
    moving = [i for i, s in enumerate(scene.figure.segments) if s.joint.motions]
    tips = [i for i, s in enumerate(scene.figure.segments) if not s.joint.motions and s.parent is not None]
    for chosen, width in ((moving, style.dot), (tips, 0.6 * style.dot)):
        at = paper.flatten(stage.placements[chosen, :3, 3])
        ax.plot(*at.T, "o", color=dot, markersize=width, markeredgewidth=0.0, zorder=order + 1e-3)


def _bodies(ax: Any, marks: Marks, paper: Paper, style: Style) -> None:
    """A filled outline for each obstacle, under the figure."""
    from matplotlib.collections import PolyCollection

    outlines = [silhouette(paper.flatten(body.faces).reshape(-1, 2)) for body in marks.bodies]
    if outlines:
        ax.add_collection(
            PolyCollection(
                outlines, facecolors=[style.stone], edgecolors=[style.stone_dark], linewidths=0.9, zorder=_BODIES
            )
        )


def _marks(ax: Any, marks: Marks, paper: Paper, style: Style) -> None:
    for patch in marks.patches:
        corners = paper.flatten(patch.corners)
        ax.fill(*corners.T, facecolor=(*patch.color, 0.22), edgecolor=(*patch.color, 0.8), linewidth=1.0, zorder=_PATCH)
    for line in marks.lines:
        points = paper.flatten(line.points)
        if line.arrow:
            if np.linalg.norm(points[-1] - points[-2]) < 1e-9:
                continue  # the obstacle is perpendicular to the paper
            ax.annotate(
                "",
                xy=points[-1],
                xytext=points[-2],
                zorder=_LINES,
                arrowprops={
                    "arrowstyle": "->",
                    "color": line.color,
                    "linewidth": line.width,
                    "shrinkA": 0,
                    "shrinkB": 0,
                },
            )
        else:
            order = _PATCH + 0.5 if line.behind else _LINES
            ax.plot(*points.T, color=line.color, linewidth=line.width, linestyle=line.dashes, zorder=order)
    draw_dots(ax, marks, paper.flatten, _DOTS, style)


def _sheet(ax: Any, style: Style) -> None:
    """A faint grid with small numbers and no frame."""
    ax.set_facecolor(style.paper)
    ax.grid(True, color=style.grid, linewidth=0.5, alpha=0.7)
    ax.set_axisbelow(True)
    ax.tick_params(colors=style.faint, labelsize=0.85 * style.text, length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)


def _projector(ax: Any) -> Any:
    def project(points: Points) -> Matrix:
        result: Matrix = ax.transData.transform(np.asarray(points)[..., :2])
        return result

    return project
