"""The picture of an example, in the manner of the chapter: poses laid over each other, paths, targets, and two charts.

One style for all, that of `manikin.view`. The first and the last pose are drawn as solids, those between as lines.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.arrays import Matrix, Placements, Points
from manikin.chapter.examples import Example
from manikin.chapter.measure import errors
from manikin.chapter.run import Course
from manikin.files import atomic
from manikin.view.extra import require_matplotlib
from manikin.view.marks import Label, Marks, Ring
from manikin.view.planar import Paper, paper_of
from manikin.view.scene import Scene, Stage
from manikin.view.solids import solids
from manikin.view.style import STYLE, Color, blend, rgb

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture

OURS = "Lengths, initial angles and targets are ours; those of the chapter are lost."
"""Said on every picture."""
COLORS: tuple[Color, ...] = (STYLE.path, rgb("b8651b"), rgb("55833f"), STYLE.mass)
"""Of the effectors, in order."""
SIZE, DPI = (10.4, 6.5), 110.0
START_FADE = 0.62
"""How far the first pose has faded."""
DETAIL = 3.0
MISSED = 5e-3
"""An effector further from its target than this part of the figure's size is labelled with its error."""


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
    _charts(page, course)
    page.text(0.985, 0.022, OURS, color=STYLE.faint, fontsize=STYLE.text - 1, ha="right", va="center", style="italic")
    return page


def save(page: Picture, path: Path) -> None:
    """Write a picture as PNG, whole or not at all."""
    with atomic.writing(path) as file:
        page.savefig(file, format="png", facecolor=page.get_facecolor(), metadata={"Software": "manikin"})


def blank(size: tuple[float, float], dpi: float) -> Picture:
    """An empty matplotlib Figure in our paper's colour, unknown to pyplot."""
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
    """(segments, 2, 2) each segment of one pose as a line from its joint to where the next begins."""
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
    """The paths wanted, dashed."""
    for k in range(len(course.example.effectors)):
        ax.plot(*course.wanted[:, k].T, color=STYLE.faint, linewidth=1.1, linestyle=(0, (4, 3)), zorder=55.0)


def _heading(example: Example) -> str:
    number = f" (Example {example.example})" if example.example else ""
    return f"{example.label}{number}: {example.title}"


def _method(course: Course) -> str:
    """The formula of the method, and how the paths are followed."""
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
    """Rings at the targets, and labels with what is missing."""
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


def _charts(page: Picture, course: Course) -> None:
    """Distance from the path point, size of the step, and the watched angle, against the path point."""
    from matplotlib.ticker import MaxNLocator

    example = course.example
    rows = 3 if example.watched is not None else 2
    gap, bottom, top = 0.085, 0.135, 0.845
    height = (top - bottom - gap * (rows - 1)) / rows
    axes = [page.add_axes((0.715, top - height - k * (height + gap), 0.265, height)) for k in range(rows)]
    number = np.arange(len(course.poses))
    for k, (e, color) in enumerate(zip(example.effectors, COLORS, strict=False)):
        axes[0].plot(number, errors(course)[:, k], color=color, linewidth=1.5, label=e.label)
    chart(axes[0], "distance from the path point")
    _own_scale(axes[0], errors(course), 1e-3 * example.figure.size)
    if len(example.effectors) > 1:
        axes[0].legend(
            frameon=False,
            fontsize=STYLE.text - 1,
            labelcolor=STYLE.ink,
            loc="upper left",
            ncols=len(example.effectors),
            handlelength=0.9,
            handletextpad=0.4,
            columnspacing=0.9,
            borderaxespad=0.1,
        )
    axes[1].bar(number[1:], course.step_norms, color=STYLE.wood, edgecolor=STYLE.outline, linewidth=0.5, width=0.8)
    chart(axes[1], "step ‖dθ‖, rad")
    for ax in axes[:2]:
        if ax.get_yscale() == "linear":
            ax.yaxis.set_major_locator(MaxNLocator(4))
    if example.watched is not None:
        _angle(axes[2], course, example.watched)
    axes[-1].set_xlabel("path point", color=STYLE.faint, fontsize=STYLE.text - 1)
    for ax in axes[:-1]:
        ax.tick_params(labelbottom=False)


def _own_scale(ax: Any, values: Matrix, small: float) -> None:
    """Logarithmic where all is near 0: there is nothing else to see there."""
    if values.max() < small:
        ax.set_yscale("symlog", linthresh=1e-16)
        ax.set_ylim(0.0, 1e-4)
        ax.set_yticks([1e-16, 1e-12, 1e-8, 1e-4])
        ax.minorticks_off()
    else:
        ax.set_ylim(0.0, 1.4 * float(values.max()))


def _angle(ax: Any, course: Course, angle: int) -> None:
    """The watched angle and its upper bound; what is past it in red."""
    values, upper = course.poses[:, angle - 1], course.example.figure.upper[angle - 1]
    kept = course.method == "bounded-dls"
    number = np.arange(len(values))
    ax.axhline(upper, color=STYLE.missed, linewidth=1.2, linestyle="-" if kept else (0, (3, 2)))
    ax.plot(number, values, color=STYLE.ink, linewidth=1.5)
    ax.plot(number, np.where(values > upper, values, np.nan), color=STYLE.missed, linewidth=2.2)
    ax.set_ylim(-0.5, 0.5)
    words = (
        f"bound, θ{subscript(angle)} ≤ {upper:g}" if kept else f"bound of Figure 15, θ{subscript(angle)} ≤ {upper:g}"
    )
    ax.text(number[-1], -0.42, words, color=STYLE.missed, fontsize=STYLE.text - 1, ha="right", va="bottom")
    chart(ax, f"angle θ{subscript(angle)}, rad")


def subscript(number: int) -> str:
    """6 -> ₆"""
    return "".join(chr(0x2080 + int(digit)) for digit in str(number))


def chart(ax: Any, title: str) -> None:
    """The look of all charts."""
    ax.set_facecolor(STYLE.paper)
    ax.set_title(title, loc="left", color=STYLE.ink, fontsize=STYLE.text, pad=4)
    ax.grid(True, axis="y", color=STYLE.grid, linewidth=0.5, alpha=0.7)
    ax.set_axisbelow(True)
    ax.tick_params(colors=STYLE.faint, labelsize=STYLE.text - 1.5, length=0)
    for side, spine in ax.spines.items():
        spine.set_visible(side == "bottom")
        spine.set_color(STYLE.grid)
