"""Plots of the tables: error against α, and all methods in comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.chapter.page import number
from manikin.chapter.pictures import blank
from manikin.chapter.side import COLORS, chart
from manikin.chapter.statements import EXACTLY
from manikin.view.extra import require_matplotlib
from manikin.view.style import STYLE

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture

DPI = 110.0
PANELS = (
    ("iterations", "iterations"),
    ("milliseconds", "time, ms"),
    ("final_error_of_size", "error at the end / size"),
    ("deviation_of_size", "path deviation / size"),
)
"""Field and title of each panel of `methods_chart`."""
LEAST = 1e-13
"""Smaller errors are drawn with this value, because they are only rounding errors."""


def alpha_chart(table: dict[str, Any]) -> Picture:
    """Final error of "lbfgsb" against α, both logarithmic."""
    require_matplotlib("manikin chapter")
    page = blank((6.6, 4.2), DPI)
    ax = page.add_axes((0.13, 0.14, 0.84, 0.74))
    for (name, values), color, marker in zip(table["final_error_of_size"].items(), COLORS, "os^", strict=False):
        label = name.replace("-", " ").capitalize()
        ax.loglog(table["alphas"], values, marker=marker, markersize=4.5, color=color, linewidth=1.4, label=label)
    ax.axhline(EXACTLY, color=STYLE.target, linewidth=1.1, linestyle=(0, (4, 3)))
    ax.text(
        max(table["alphas"]), 1.6 * EXACTLY, "1e-6 of the size", color=STYLE.target, fontsize=STYLE.text, ha="right"
    )
    chart(ax, "error at the end / size, against α")
    ax.set_xlabel("α, length² per radian²", color=STYLE.faint, fontsize=STYLE.text)
    ax.legend(frameon=False, fontsize=STYLE.text, labelcolor=STYLE.ink, loc="upper left")
    return page


def methods_chart(title: str, rows: list[dict[str, Any]]) -> Picture:
    """Four panels of bars with one bar for each method, red if it did not reach all path points."""
    require_matplotlib("manikin chapter")
    shown = [{**r, "milliseconds": 1e3 * r["seconds"]} for r in rows if r["applies"]]
    # The page, its title above, and room for the key below.
    page = blank((10.4, 0.8 + 0.3 * len(shown) + 0.75), DPI)
    bottom, top = 0.62 / page.get_figheight(), 1.0 - 0.78 / page.get_figheight()
    page.text(
        0.015,
        1.0 - 0.24 / page.get_figheight(),
        title,
        color=STYLE.ink,
        fontsize=STYLE.title,
        va="center",
        weight="bold",
    )
    # One panel for each measure, with bars from below the least value.
    place = np.arange(len(shown))[::-1]
    colors = [STYLE.wood if r["points_reached"] == r["points"] else STYLE.missed for r in shown]
    for k, (field, name) in enumerate(PANELS):
        ax = page.add_axes((0.105 + 0.224 * k, bottom, 0.205, top - bottom))
        values = [max(r[field], LEAST) for r in shown]
        low, high = min(values), max(values)
        floor, room = low / 3.0, (high / low) ** 0.55 * 4.0
        ax.barh(
            place,
            [v - floor for v in values],
            left=floor,
            height=0.66,
            color=colors,
            edgecolor=STYLE.outline,
            linewidth=0.5,
        )
        ax.set_xscale("log")
        ax.set_xlim(floor, high * room)
        for y, v in zip(place, values, strict=True):
            ax.text(v * room**0.04, y, number(v), color=STYLE.ink, fontsize=STYLE.text - 1, va="center")
        # Only the names and the left edge of the axes remain.
        chart(ax, name)
        ax.grid(False)
        ax.set_xticks([])
        ax.minorticks_off()
        ax.set_ylim(-0.6, len(shown) - 0.4)
        ax.set_yticks(place, [r["method"] for r in shown] if k == 0 else [])
        ax.tick_params(axis="y", labelsize=STYLE.text, labelcolor=STYLE.ink)
        ax.spines["bottom"].set_visible(False)
        ax.spines["left"].set_visible(True)
        ax.spines["left"].set_color(STYLE.grid)
    _key(page)
    return page


def _key(page: Picture) -> None:
    from matplotlib.patches import Patch

    words = {"every path point reached": STYLE.wood, "some path points not reached": STYLE.missed}
    handles = [Patch(facecolor=color, edgecolor=STYLE.outline, linewidth=0.5) for color in words.values()]
    page.legend(
        handles,
        list(words),
        loc="lower left",
        bbox_to_anchor=(0.097, 0.0),
        ncols=2,
        frameon=False,
        fontsize=STYLE.text,
        labelcolor=STYLE.ink,
    )
    page.text(
        0.985,
        0.24 / page.get_figheight(),
        "bars on a logarithmic scale",
        color=STYLE.faint,
        fontsize=STYLE.text - 1,
        ha="right",
        va="center",
        style="italic",
    )
