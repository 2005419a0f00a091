"""The picture of an example, in the style of the chapter: overlaid poses, paths, targets, and two charts.

All pictures use the style of `manikin.view`. The first and the last pose are drawn as solids, the others as lines.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.arrays import Placements, Points
from manikin.base import writing
from manikin.chapter.examples import Example
from manikin.chapter.measure import errors
from manikin.chapter.run import Course
from manikin.chapter.side import COLORS, side_charts
from manikin.view.extra import require_matplotlib
from manikin.view.marks import Label, Marks, Ring
from manikin.view.planar import Paper, paper_of
from manikin.view.scene import Scene, Stage
from manikin.view.solids import solids
from manikin.view.style import STYLE, blend

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture

OURS = "Lengths, initial angles and targets are not those of the chapter, which were not available."
"""A note on every picture."""
SIZE, DPI = (10.4, 6.5), 110.0
START_FADE = 0.62
"""How far the first pose is faded (0 to 1)."""
DETAIL = 1.5
"""Resolution of round ends."""
MISSED = 5e-3
"""An effector farther from its target than this fraction of the figure's size is labelled with its error."""


def picture(course: Course) -> Picture:
    """The picture of a run."""
    require_matplotlib("manikin chapter")
    example = course.example
    page = blank(SIZE, DPI)
    page.text(0.03, 0.955, _heading(example), color=STYLE.ink, fontsize=STYLE.title + 1, va="center", weight="bold")
    page.text(
        0.03,
        0.905,
        f"{_method(course)}     {_summary(course)}",
        color=STYLE.faint,
        fontsize=STYLE.text + 1,
        va="center",
    )
    ax = page.add_axes((0.035, 0.135, 0.60, 0.74))
    _poses(ax, course)
    _legend(page)
    side_charts(page, course)
    page.text(0.985, 0.022, OURS, color=STYLE.faint, fontsize=STYLE.text - 1, ha="right", va="center", style="italic")
    return page


def save(page: Picture, path: Path) -> None:
    """Writes a picture as PNG, atomically."""
    with writing.writing(path) as file:
        page.savefig(file, format="png", facecolor=page.get_facecolor(), metadata={"Software": "manikin"})


def blank(size: tuple[float, float], dpi: float) -> Picture:
    """An empty matplotlib Figure in the paper colour, not registered with pyplot."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Blank

    page = Blank(figsize=size, dpi=dpi, facecolor=STYLE.paper)
    FigureCanvasAgg(page)
    return page


def sheet_of(example: Example) -> Paper:
    """The plane of an example."""
    paper = paper_of(example.figure)
    assert paper is not None
    return paper


def sticks(example: Example, placements: Placements) -> Points:
    """(segments, 2, 2) each segment of one pose as a line from its joint to the next joint."""
    names = example.figure.segment_names
    index = {name: i for i, name in enumerate(names)}
    at = placements[:, :2, 3]
    lines = [(at[index[s.parent]], at[i]) for i, s in enumerate(example.figure.segments) if s.parent is not None]
    return np.array(lines)


def extent(course: Course) -> Points:
    """(n, 2) points that a picture of the run must show."""
    at = course.example.figure.placements(course.poses)[..., :2, 3].reshape(-1, 2)
    return np.concatenate([at, course.example.targets])


def tracks(ax: Any, course: Course) -> None:
    """The wanted paths, dashed."""
    for k in range(len(course.example.effectors)):
        ax.plot(*course.wanted[:, k].T, color=STYLE.faint, linewidth=1.1, linestyle=(0, (4, 3)), zorder=55.0)


def _heading(example: Example) -> str:
    number = f" (Example {example.example})" if example.example else ""
    return f"{example.label}{number}: {example.title}"


def _method(course: Course) -> str:
    """The formula of the method, and how it follows the paths."""
    formulas = {
        "lbfgsb": f"min ½‖f(θ) − X‖² + ½α‖θ − θ_ref‖²,  α = {course.example.alpha or 0.0:g}",
        "stacked": "dθ = [J₁; …; J_M]⁺ dX,  effector after effector",
        "pinv": "dθ = J⁺dX",
        "dls": "(JᵀJ + λ²I) dθ = JᵀdX",
        "bounded-dls": "min ‖J dθ − dX‖² + λ²‖dθ‖²,  l ≤ θ + dθ ≤ u",
    }
    count = len(course.poses) - 1
    way = f"one step for each of {count} path points" if course.example.stepped else f"{count} path points, each solved"
    return f"{formulas[course.method]}     {way}"


def _summary(course: Course) -> str:
    return f"largest step {course.step_norms.max():.2g} rad, error at the end {short(errors(course)[-1].max())}"


def short(value: float) -> str:
    """A length for reading: 0.104, 3e-12."""
    return f"{value:.0e}".replace("e-0", "e-") if value < 1e-3 else f"{value:.3f}"


def _poses(ax: Any, course: Course) -> None:
    from matplotlib.collections import LineCollection

    from manikin.view import flat

    example = course.example
    placements = example.figure.placements(course.poses)
    stages = [Stage(placements[0], START_FADE), Stage(placements[-1], 0.0)]
    scene = Scene(example.figure, solids(example.figure, True, DETAIL), stages, _marks(course))
    flat.draw(ax, scene, sheet_of(example), STYLE)
    between = placements[1:-1]
    fades = np.linspace(0.72, 0.28, len(between))
    for k, (at, fade) in enumerate(zip(between, fades, strict=True)):
        color = blend(STYLE.outline, STYLE.paper, float(fade))
        ax.add_collection(
            LineCollection(
                list(sticks(example, at)), colors=[color], linewidths=1.1, zorder=2.2 + 1e-3 * k, capstyle="round"
            )
        )
    tracks(ax, course)
    taken = example.positions(course.poses)
    for k, color in zip(range(taken.shape[1]), COLORS, strict=False):
        ax.plot(*taken[:, k].T, color=color, linewidth=1.7, zorder=62.0)
        ax.plot(*taken[:, k].T, "o", color=color, markersize=2.6, markeredgewidth=0.0, zorder=63.0)
    box = ax.get_window_extent()
    flat.frame(ax, extent(course), box.width, box.height, 0.07)


def _marks(course: Course) -> Marks:
    """Rings at the targets, and labels with the errors."""
    example = course.example
    marks = Marks()
    for e, x, left in zip(example.effectors, example.targets, errors(course)[-1], strict=True):
        place = np.array([*x, 0.0])
        marks.rings.append(Ring(place, STYLE.target))
        met = bool(left <= MISSED * example.figure.size)
        marks.labels.append(Label(place, e.label, () if met else (f"misses by {left:.2f}",), met))
    return marks


def _legend(page: Picture) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    # How each thing is drawn in the picture.
    def patch(fade: float) -> Patch:
        return Patch(
            facecolor=blend(STYLE.wood, STYLE.paper, fade),
            edgecolor=blend(STYLE.outline, STYLE.paper, fade),
            linewidth=0.9,
        )

    handles: list[Any] = [
        (patch(START_FADE), "start"),
        (Line2D([], [], color=blend(STYLE.outline, STYLE.paper, 0.5), linewidth=1.1), "between"),
        (patch(0.0), "end"),
        (Line2D([], [], color=STYLE.faint, linewidth=1.1, linestyle=(0, (4, 3))), "path wanted"),
        (Line2D([], [], color=COLORS[0], linewidth=1.7, marker="o", markersize=2.6), "path taken"),
        (
            Line2D(
                [],
                [],
                linestyle="",
                marker="o",
                markersize=STYLE.marker,
                markerfacecolor="none",
                markeredgecolor=STYLE.target,
                markeredgewidth=1.5,
            ),
            "target",
        ),
    ]
    # One row below the picture.
    page.legend(
        [h for h, _ in handles],
        [name for _, name in handles],
        loc="center left",
        bbox_to_anchor=(0.028, 0.068),
        ncols=len(handles),
        frameon=False,
        fontsize=STYLE.text,
        labelcolor=STYLE.ink,
        handlelength=1.7,
        columnspacing=1.5,
        handletextpad=0.6,
    )
