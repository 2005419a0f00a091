"""The picture of a figure in space: shaded solids, sorted by depth, on a floor with a shadow, with marks on top."""

from __future__ import annotations

from typing import Any

import numpy as np

from manikin.arrays import Matrix, Points
from manikin.view import camera
from manikin.view.camera import Eye, nice_step
from manikin.view.dots import draw_dots
from manikin.view.labels import Labels
from manikin.view.marks import Marks
from manikin.view.scene import Scene
from manikin.view.solids import normals, silhouette
from manikin.view.style import STYLE, Style, brightness
from manikin.view.union import skin

_FLOOR, _SHADOW, _PATCH, _SOLIDS, _LINES, _DOTS = 1.0, 2.0, 3.0, 4.0, 5.0, 6.0
"""Drawing order. Within each level, matplotlib sorts faces by depth."""
_ARROW = 0.02
"""Length of an arrowhead, as a fraction of the figure's size; at most a quarter of its line."""


def draw(ax: Any, scene: Scene, eye: Eye, floor: float | None, style: Style = STYLE) -> Points:
    """Draws a scene into a 3D axes and returns the points (n, 3), in upright space, that it must show.

    Args:
        ax: a 3D axes; its own axes are hidden.
        scene: the scene to draw.
        eye: the viewer's axes, for the light.
        floor: height of the floor in upright space; None draws no floor.
        style: colours and widths.
    """
    turn = camera.upright(scene.figure.up)
    ax.set_axis_off()
    ax.computed_zorder = False
    corners = _solids(ax, scene, eye, turn, style)
    shown = np.concatenate([corners.reshape(-1, 3), scene.marks.points() @ turn.T])
    if not np.any(np.ptp(shown, axis=0) > 0.0):  # a figure without extent: show some space around it
        half = 0.5 * scene.figure.size
        shown = np.concatenate([shown, shown[:1] - half, shown[:1] + half])
    if floor is not None:
        foot = corners.reshape(-1, 3).copy()
        foot[:, 2] = floor
        shown = np.concatenate([shown, foot[:: max(1, len(foot) // 400)]])
        _shadow(ax, scene, floor, turn, style)
        _grid(ax, shown, floor, style)
    _marks(ax, scene.marks, turn, eye, _ARROW * scene.figure.size, style)
    if scene.marks.labels:
        avoid = np.concatenate([_thinned(corners), scene.marks.in_the_way() @ turn.T])
        ax.add_artist(Labels(_turned_labels(scene.marks, turn), _projector(ax), avoid, style))
    return shown


def floor_height(scene: Scene) -> float:
    """Height of the floor: 0, or the lowest solid of the last pose if that is elsewhere."""
    turn = camera.upright(scene.figure.up)
    last = scene.stages[-1].placements
    heights = [(solid.in_world(last).reshape(-1, 3) @ turn.T)[:, 2].min() for solid in scene.solids]
    heights.append(float((last[:, :3, 3] @ turn.T)[:, 2].min()))
    lowest = float(min(heights))
    size = scene.figure.size
    return 0.0 if -0.04 * size <= lowest <= 0.75 * size else lowest


def _solids(ax: Any, scene: Scene, eye: Eye, turn: Matrix, style: Style) -> Points:
    """All faces of a pose in one collection, so that they hide each other correctly. Later poses are drawn over earlier
    ones, obstacles with the last.

    Returns the corners (F, 4, 3) of all faces.
    """
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    drawn: list[Points] = []
    for k, stage in enumerate(scene.stages):
        bodies = [body.faces for body in scene.marks.bodies] if stage is scene.stages[-1] else []
        if not scene.solids:
            drawn.append(np.repeat(stage.placements[:, None, :3, 3], 4, axis=1) @ turn.T)
            if not bodies:
                continue
        faces, colors = [], []
        for outside in bodies:
            light = brightness(normals(outside) @ turn.T, eye.right, eye.up, eye.toward)
            faces.append(outside @ turn.T)
            colors.append(style.ramp(light, "obstacle"))
        for solid, (outside, directions) in zip(scene.solids, skin(scene.solids, stage.placements), strict=True):
            light = brightness(directions @ turn.T, eye.right, eye.up, eye.toward)
            color = style.ramp(light, solid.kind)
            faces.append(outside @ turn.T)
            colors.append(color + stage.fade * (np.array(style.paper) - color))
        corners, paint = np.concatenate(faces), np.concatenate(colors)
        order = _SOLIDS + k / len(scene.stages)
        # Edges in the colour of their face close the thin gaps that antialiasing leaves between neighbours.
        ax.add_collection3d(
            Poly3DCollection(
                corners, facecolors=paint, edgecolors=paint, linewidths=0.35, zorder=order, zsort="average"
            )
        )
        drawn.append(corners[sum(map(len, bodies)) :])  # without the obstacles
    return np.concatenate(drawn)


def _shadow(ax: Any, scene: Scene, floor: float, turn: Matrix, style: Style) -> None:
    """The vertical projection on the floor of each obstacle and of each solid of the last pose."""
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    outlines = []
    surfaces = [body.faces for body in scene.marks.bodies]
    surfaces += [solid.in_world(scene.stages[-1].placements) for solid in scene.solids]
    for faces in surfaces:
        flat = silhouette((faces @ turn.T).reshape(-1, 3)[:, :2])
        if len(flat) > 2:
            outlines.append(np.column_stack([flat, np.full(len(flat), floor)]))
    if outlines:
        # Matplotlib pads outlines of different lengths with uninitialized memory and scales the axes by it. So each
        # outline repeats its last corner until all have the same length.
        longest = max(map(len, outlines))
        even = np.stack([np.pad(outline, ((0, longest - len(outline)), (0, 0)), mode="edge") for outline in outlines])
        ax.add_collection3d(
            Poly3DCollection(even, facecolors=[style.shade], edgecolors=[style.shade], linewidths=0.5, zorder=_SHADOW)
        )


def _grid(ax: Any, shown: Points, floor: float, style: Style) -> None:
    """Lines on the floor that fade with the distance from the figure."""
    from mpl_toolkits.mplot3d.art3d import Line3DCollection

    low, high = shown[:, :2].min(axis=0), shown[:, :2].max(axis=0)
    middle, widest = 0.5 * (low + high), float(np.ptp(shown, axis=0).max())
    radius = 0.5 * float(np.linalg.norm(high - low)) + 0.12 * widest
    step = nice_step(widest / 5.0)
    lines, colors = [], []
    first = np.floor((middle - radius) / step) * step
    count = int(np.ceil(2.0 * radius / step)) + 2
    pieces = np.linspace(0.0, count * step, 6 * count + 1)
    for axis in (0, 1):
        for k in range(count + 1):
            line = np.full((len(pieces), 3), floor)
            line[:, axis] = first[axis] + pieces
            line[:, 1 - axis] = first[1 - axis] + k * step
            near = 1.0 - np.linalg.norm(0.5 * (line[1:] + line[:-1])[:, :2] - middle, axis=1) / radius
            keep = near > 0.0
            lines.append(np.stack([line[:-1], line[1:]], axis=1)[keep])
            colors.append(np.column_stack([np.tile(style.grid, (keep.sum(), 1)), np.clip(1.6 * near[keep], 0.0, 1.0)]))
    ax.add_collection3d(
        Line3DCollection(np.concatenate(lines), colors=np.concatenate(colors), linewidths=0.7, zorder=_FLOOR)
    )


def _marks(ax: Any, marks: Marks, turn: Matrix, eye: Eye, arrow: float, style: Style) -> None:
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    for patch in marks.patches:
        corners = patch.corners @ turn.T
        ax.add_collection3d(
            Poly3DCollection(
                [corners],
                facecolors=[(*patch.color, 0.22)],
                edgecolors=[(*patch.color, 0.8)],
                linewidths=1.0,
                zorder=_PATCH,
            )
        )
    for line in marks.lines:
        order = _PATCH + 0.5 if line.behind else _LINES
        points = line.points @ turn.T
        ax.plot(
            *points.T,
            color=line.color,
            linewidth=line.width,
            linestyle=line.dashes,
            zorder=order,
            solid_capstyle="round",
        )
        if line.arrow:
            head = _arrowhead(points, arrow, eye)
            ax.plot(*head.T, color=line.color, linewidth=line.width, zorder=order, solid_capstyle="round")
    draw_dots(ax, marks, lambda point: (turn @ point)[:, None], _DOTS, style)


def _arrowhead(points: Points, length: float, eye: Eye) -> Points:
    """Two short strokes at the end of a line, (3, 3), perpendicular to the view."""
    along = points[-1] - points[-2]
    whole = float(np.linalg.norm(along))
    side = np.cross(along, eye.toward)
    wide = float(np.linalg.norm(side))
    if whole == 0.0 or wide < 1e-3 * whole:
        return np.repeat(points[-1:], 3, axis=0)
    length = min(length, 0.25 * whole)
    back, aside = points[-1] - along * (length / whole), side * (0.5 * length / wide)
    return np.stack([back + aside, points[-1], back - aside])


def _turned_labels(marks: Marks, turn: Matrix) -> list[Any]:
    from dataclasses import replace

    return [replace(label, point=turn @ label.point) for label in marks.labels]


def _projector(ax: Any) -> Any:
    """A function from upright space (n, 3) to pixels (n, 2) with the present view of the axes."""

    def project(points: Points) -> Matrix:
        from mpl_toolkits.mplot3d import proj3d

        x, y, _ = proj3d.proj_transform(*np.asarray(points).T, ax.get_proj())
        result: Matrix = ax.transData.transform(np.column_stack([x, y]))
        return result

    return project


def _thinned(corners: Points) -> Points:
    """The centres of about two thousand faces, enough to know where the figure is."""
    middles: Points = corners.mean(axis=1)
    return middles[:: max(1, len(middles) // 2000)]
