"""One call to look at a figure: `plot(figure, pose, goals)`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from manikin import arrays
from manikin.arrays import Points, Poses
from manikin.base import names, writing
from manikin.errors import BadValue
from manikin.figure import Figure
from manikin.motion import Motion, MotionResult, MotionSolution
from manikin.motion.result import motion_of
from manikin.view import camera
from manikin.view.extra import require_matplotlib
from manikin.view.followed import last_goals, with_goals
from manikin.view.goals import goal_effectors, goal_marks
from manikin.view.marks import Dot, Marks, Stroke
from manikin.view.planar import Paper, paper_of
from manikin.view.scene import Scene, build
from manikin.view.solids import mostly_shaped
from manikin.view.style import STYLE, Style

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture

_NARROW, _WIDE = 0.62, 1.75
"""Least and largest ratio of a picture's width to its height."""
_LABEL_ROOM = 0.09
"""Margin around a figure with labels, as a fraction of the picture."""
_ROOM = 0.04
"""Margin around a figure without labels, as a fraction of the picture."""
_TITLE_ROOM = 0.075


def plot(
    figure: Figure | Motion | MotionResult,
    pose: ArrayLike | None = None,
    goals: Any = None,
    *,
    ax: Any = None,
    save: str | os.PathLike[str] | None = None,
    view: str | Sequence[float] = "three-quarter",
    title: str | None = None,
    shapes: bool | None = None,
    size: float | Sequence[float] = 8.0,
    paths: Sequence[str] | None = None,
    most: int = 9,
    floor: float | bool | None = None,
    labels: bool = True,
    dpi: float = 150.0,
) -> Picture:
    """A picture of a figure in a pose, with goals, targets and errors.

    Solids are drawn with equal scale on all axes and with the figure's up axis upward. A planar figure is drawn in 2D.

    Args:
        figure: the figure to draw. Or a motion, or the result of a function that makes one: its poses are drawn, with
            the goals of the last frame. A fit to markers or keypoints is drawn with the measured points and the errors.
        pose: (nq,) one pose; None means the rest pose. Or (T, nq) several poses, drawn over each other, with earlier
            poses faded and with the paths of the effectors.
        goals: a goal or several. Targets and errors are those of the last pose. Obstacles of a Clearance are drawn near
            the figure only.
        ax: matplotlib axes to draw into, 3D for a figure in space (`projection="3d"`); None creates a new picture.
        save: a file to write (.png, .pdf, .svg …).
        view: "three-quarter", "front", "back", "left", "right", "top", or (azimuth, elevation) in degrees.
        title: text above the picture.
        shapes: True draws the shapes of segments (and tapered pieces for segments without shapes), False tapered pieces
            only. None draws shapes if most segments have them.
        size: the longer side of the picture in inches, or (width, height).
        paths: segments whose paths through several poses are drawn; None means those of the goals.
        most: largest number of poses that are drawn, evenly spaced. Paths go through all poses.
        floor: height of the floor in the figure's unit; None chooses it, False draws no floor.
        labels: False omits the names of goals. Markers have none.
        dpi: pixels per inch.

    Returns:
        The matplotlib Figure, which a notebook shows. It does not use pyplot: no window opens, and no figure stays in
        memory.

    Raises:
        Unsupported: matplotlib is not installed.

    Example:
        >>> picture = plot(chain(3, planar=True), [0.4, 0.3, 0.5], save="chain.png")   # doctest: +SKIP
    """
    require_matplotlib("plot")
    motion, solved = motion_of(figure), with_goals(figure)
    if solved is not None and pose is None and goals is None:
        goals, follows = last_goals(solved), isinstance(solved, MotionSolution)
        paths, labels = paths if follows or paths is not None else (), labels and follows
    if isinstance(motion, Motion):
        figure, pose = motion.figure, motion.poses if pose is None else pose
    if not isinstance(figure, Figure):
        raise BadValue(f"figure is {figure!r}; it needs a Figure, such as manikin.human()")
    style = STYLE
    poses = _poses(figure, pose)
    wanted = _goal_list(goals)
    marks = _all_marks(figure, poses, wanted, paths, labels, style)
    paper = paper_of(figure) if ax is None or not hasattr(ax, "get_zlim3d") else None
    if ax is not None and paper is None and not hasattr(ax, "get_zlim3d"):
        raise BadValue(
            f"ax is two-dimensional, but figure {figure.name!r} moves in space; make it with projection='3d'"
        )
    shaped = mostly_shaped(figure) if shapes is None else bool(shapes)
    scene = build(figure, poses, marks, shaped, _count(most), detail=1.0 if paper is None else 3.0)
    if paper is not None:
        picture = _flat_picture(scene, paper, ax, title, size, dpi, style)
    else:
        picture = _space_picture(scene, ax, title, size, dpi, view, floor, style)
    if save is not None:
        save_picture(picture, save, dpi)
    return picture


def _flat_picture(
    scene: Scene, paper: Paper, ax: Any, title: str | None, size: Any, dpi: float, style: Style
) -> Picture:
    from manikin.view import flat

    if ax is not None:
        points = flat.draw(ax, scene, paper, style)
        box = ax.get_window_extent()
        flat.frame(ax, points, box.width, box.height, _margin(scene.marks))
        _title(ax.figure, ax, title, style)
        return ax.figure  # type: ignore[no-any-return]
    points = np.concatenate([paper.flatten(scene.points()), paper.flatten(scene.marks.points())])
    span = np.maximum(np.ptp(points, axis=0), 1e-9)
    width, height = _inches(size, float(span[0]), float(span[1]), title is not None)
    picture = blank(width, height, dpi, style)
    top = _TITLE_ROOM if title else 0.02
    ax = picture.add_axes((0.07, 0.06, 0.91, 1.0 - top - 0.06))
    flat.draw(ax, scene, paper, style)
    flat.frame(ax, points, 0.91 * width, (1.0 - top - 0.06) * height, _margin(scene.marks))
    _title(picture, None, title, style)
    return picture


def _space_picture(
    scene: Scene, ax: Any, title: str | None, size: Any, dpi: float, view: Any, floor: Any, style: Style
) -> Picture:
    from manikin.view import space

    azimuth, elevation = camera.angles(view)
    eye = camera.Eye.at(azimuth, elevation)
    height_of_floor = _floor(scene, floor, space.floor_height)
    margin = _margin(scene.marks)
    room = (margin, margin, 1.0 - margin, 1.0 - _top(margin, title if ax is None else None))
    if ax is None:
        turned = np.concatenate([scene.points(), scene.marks.points()]) @ camera.upright(scene.figure.up).T
        width, height = _inches(size, *camera.outline(turned, eye), title is not None)
        picture = blank(width, height, dpi, style)
        # A 3D axes is always square. It covers the picture's longer side, and the rest of it is outside.
        square = max(width, height)
        left, bottom = 0.5 * (width - square), 0.5 * (height - square)
        ax = picture.add_axes((left / width, bottom / height, square / width, square / height), projection="3d")
        room = (
            (room[0] * width - left) / square,
            (room[1] * height - bottom) / square,
            (room[2] * width - left) / square,
            (room[3] * height - bottom) / square,
        )
        _title(picture, None, title, style)
    else:
        picture = ax.figure
        _title(picture, ax, title, style)
    ax.set_facecolor(style.paper)
    ax.view_init(elev=elevation, azim=azimuth)
    shown = space.draw(ax, scene, eye, height_of_floor, style)
    camera.frame(ax, shown, eye, room)
    return picture


def _all_marks(
    figure: Figure, poses: Poses, goals: list[Any], paths: Sequence[str] | None, labels: bool, style: Style
) -> Marks:
    """Marks of the goals at the last pose, and the paths of effectors through all poses."""
    marks = Marks()
    if len(poses) > 1 or paths is not None:
        named = goal_effectors(figure, goals) if paths is None else [(name, np.zeros(3)) for name in paths]
        for segment, offset in named:
            way = _way(figure, poses, segment, offset)
            marks.lines.append(Stroke(way, style.path, 1.2))
            marks.dots.append(Dot(way[0], style.path, 0.6 * style.dot))
    for goal in goals:
        goal_marks(marks, figure, poses[-1], goal, style)
    if not labels:
        marks.labels.clear()
    return marks


def _way(figure: Figure, poses: Poses, segment: str, offset: Points) -> Points:
    """(T, 3) positions of a point of a segment in each pose."""
    at = figure.placements(poses, [segment])[:, 0]  # (T, 4, 4)
    result: Points = at[:, :3, :3] @ offset + at[:, :3, 3]
    return result


def _poses(figure: Figure, pose: ArrayLike | None) -> Poses:
    """(T, nq), T ≥ 1."""
    q = figure.check(figure.rest if pose is None else pose)
    if q.ndim > 2 or 0 in q.shape[:-1]:
        raise BadValue(
            f"pose has shape {q.shape}; a picture needs ({figure.nq},) or (T, {figure.nq}) with T at least 1"
        )
    return q[None] if q.ndim == 1 else q


def _goal_list(goals: Any) -> list[Any]:
    if goals is None:
        return []
    return list(goals) if isinstance(goals, (list, tuple)) else [goals]


def _count(most: int) -> int:
    if isinstance(most, bool) or not isinstance(most, (int, np.integer)) or most < 1:
        raise BadValue(f"most is {most!r}; it needs a whole number of at least 1")
    return int(most)


def _floor(scene: Scene, floor: Any, choose: Any) -> float | None:
    if floor is False:
        return None
    if floor is None or floor is True:
        return float(choose(scene))
    return arrays.scalar(floor, "floor")


def _top(margin: float, title: str | None) -> float:
    return max(margin, _TITLE_ROOM + 0.4 * margin) if title else margin


def _margin(marks: Marks) -> float:
    return _LABEL_ROOM if marks.labels else _ROOM


def _inches(size: Any, wide: float, high: float, titled: bool) -> tuple[float, float]:
    """(width, height) of a picture in inches: in the proportions of its content, or as given."""
    if not np.isscalar(size):
        pair = arrays.numbers(size, "size", (2,))
        return arrays.positive(pair[0], "size: width"), arrays.positive(pair[1], "size: height")
    longer = arrays.positive(size, "size")  # type: ignore[arg-type]
    ratio = float(np.clip(wide / high * (1.0 - _TITLE_ROOM if titled else 1.0), _NARROW, _WIDE))
    return (longer, longer / ratio) if ratio > 1.0 else (longer * ratio, longer)


def blank(width: float, height: float, dpi: float, style: Style) -> Picture:
    """An empty matplotlib Figure with its own canvas, not registered with pyplot."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    from manikin.view.notebook import Picture as Blank

    picture = Blank(figsize=(width, height), dpi=dpi, facecolor=style.paper)
    FigureCanvasAgg(picture)
    return picture


def _title(picture: Any, ax: Any, title: str | None, style: Style) -> None:
    if not title:
        return
    title = "\n".join(map(names.picture, title.split("\n")))
    if ax is not None:
        ax.set_title(title, color=style.ink, fontsize=style.title)
    else:
        picture.text(0.5, 0.985, title, ha="center", va="top", color=style.ink, fontsize=style.title)


def save_picture(picture: Any, path: str | os.PathLike[str], dpi: float) -> None:
    """Writes a picture atomically, in the format of the file name's extension."""
    ending = os.path.splitext(path)[1].lower().lstrip(".")
    known = picture.canvas.get_supported_filetypes()
    if ending not in known:
        raise BadValue(f"save is {os.fspath(path)!r}; a picture's name must end in one of .{', .'.join(sorted(known))}")
    with writing.writing(path) as file:
        picture.savefig(file, format=ending, dpi=dpi, facecolor=picture.get_facecolor())
