"""The small charts beside the poses of an example: distance, step, and one angle, against the path point."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.arrays import Matrix
from manikin.chapter.measure import errors
from manikin.chapter.run import Course
from manikin.view.style import STYLE, Color, rgb

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture

COLORS: tuple[Color, ...] = (STYLE.path, rgb("b8651b"), rgb("55833f"), STYLE.mass)
"""Colours of the effectors, in order."""


def side_charts(page: Picture, course: Course) -> None:
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
    """Uses a logarithmic scale if all values are near 0."""
    if values.max() < small:
        ax.set_yscale("symlog", linthresh=1e-16)
        ax.set_ylim(0.0, 1e-4)
        ax.set_yticks([1e-16, 1e-12, 1e-8, 1e-4])
        ax.minorticks_off()
    else:
        ax.set_ylim(0.0, 1.4 * float(values.max()))


def _angle(ax: Any, course: Course, angle: int) -> None:
    """The watched angle and its upper bound. Values beyond the bound are red."""
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
    """Applies the common style of the charts."""
    ax.set_facecolor(STYLE.paper)
    ax.set_title(title, loc="left", color=STYLE.ink, fontsize=STYLE.text, pad=4)
    ax.grid(True, axis="y", color=STYLE.grid, linewidth=0.5, alpha=0.7)
    ax.set_axisbelow(True)
    ax.tick_params(colors=STYLE.faint, labelsize=STYLE.text - 1.5, length=0)
    for side, spine in ax.spines.items():
        spine.set_visible(side == "bottom")
        spine.set_color(STYLE.grid)
