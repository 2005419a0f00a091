"""One picture of the quality of a motion: its curves over time, with the bad frames marked."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.base import names
from manikin.errors import BadValue
from manikin.motion import Motion, MotionResult
from manikin.motion.ease import stretches
from manikin.motion.quality import MOST, Quality
from manikin.view.extra import require_matplotlib
from manikin.view.picture import blank, save_picture
from manikin.view.style import STYLE

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture

WIDTH = 9.0
"""Width of the picture, in inches."""
PANEL = 1.05
"""Height of a panel, in inches."""


def plot_quality(
    quality: Quality | Motion | MotionResult, save: str | os.PathLike[str] | None = None, dpi: float = 150.0
) -> Picture:
    """Draws the quality of a motion, with one panel for each curve. Frames in which a curve is too large are shaded.

    Args:
        quality: a Motion, the result of a function that makes one, or the result of `Motion.quality`.
        save: a file to write (.png, .pdf, .svg …).
        dpi: pixels per inch.
    """
    require_matplotlib("plot_quality")
    if isinstance(quality, Motion):
        quality = quality.quality()
    elif isinstance(quality, MotionResult):
        quality = quality.quality
    if not isinstance(quality, Quality):
        raise BadValue(f"cannot plot the quality of {type(quality).__name__}; pass a Motion or its quality")
    panels = _panels(quality)
    height = 0.75 + PANEL * len(panels) + 0.5
    picture = blank(WIDTH, height, dpi, STYLE)
    picture.text(
        0.02, 1.0 - 0.2 / height, names.picture(quality.headline()), color=STYLE.ink, fontsize=STYLE.title, va="top"
    )
    left, wide, gap = 0.14, 0.84, 0.22
    for k, (label, curves, most, mask) in enumerate(panels):
        bottom = height - 0.75 - PANEL * (k + 1) + gap
        ax = picture.add_axes((left, bottom / height, wide, (PANEL - gap) / height))
        _panel(ax, quality.times, label, curves, most, mask, last=k == len(panels) - 1)
    if save is not None:
        save_picture(picture, save, dpi)
    return picture


def _panels(q: Quality) -> list[tuple[str, list[Any], float | None, Any]]:
    """(label, curves, largest good value, bad frames) of each panel that has something to show."""
    length = 1000.0 * q.scale
    reasons = q.reasons
    none = np.zeros(len(q.times), dtype=bool)
    found = [
        ("foot slide\nmm", [q.slide * length], 1000.0 * MOST["slide"], reasons["slide"]),
        ("sinking\nmm", [q.sinking * length], 1000.0 * MOST["sinking"], reasons["sinking"]),
        ("speed\nrad/s", [q.speed], MOST["speed"], reasons["speed"]),
        ("jerk\nkrad/s³", [q.jerk / 1000.0], None, none),
        ("limit use\n%", [100.0 * q.limit_use], 100.0, reasons["outside"]),
        ("balance\nmm outside", [q.balance * length], None, none),
    ]
    if len(q.goal_names):
        ratio = q.errors / q.tolerances
        found.append(("goal errors\n/ tolerance", list(ratio.T), 1.0, reasons["goals"]))
    return [panel for panel in found if any(np.isfinite(curve).any() for curve in panel[1])]


def _panel(ax: Any, times: Any, label: str, curves: list[Any], most: float | None, mask: Any, last: bool) -> None:
    ax.set_facecolor(STYLE.paper)
    step = float(np.median(np.diff(times))) if len(times) > 1 else 1.0
    for a, b in stretches(mask):
        ax.axvspan(times[a] - 0.5 * step, times[b - 1] + 0.5 * step, color=STYLE.missed, alpha=0.16, linewidth=0)
    for curve in curves:
        ax.plot(times, curve, color=STYLE.path, linewidth=1.1)
    top = max((float(np.nanmax(c)) for c in curves if np.isfinite(c).any()), default=1.0)
    if most is not None and top > 0.35 * most:
        ax.axhline(most, color=STYLE.missed, linewidth=0.9, linestyle=(0, (4, 3)))
    ax.set_xlim(float(times[0]), float(times[-1]) if len(times) > 1 else float(times[0]) + 1.0)
    ax.set_ylabel(label, rotation=0, ha="right", va="center", color=STYLE.ink, fontsize=STYLE.text)
    ax.tick_params(colors=STYLE.faint, labelsize=STYLE.text - 1.5, length=2.5, labelbottom=last)
    ax.locator_params(axis="y", nbins=3)
    ax.grid(True, color=STYLE.grid, linewidth=0.5, alpha=0.6)
    for side in ("top", "right", "left", "bottom"):
        ax.spines[side].set_visible(False)
    if last:
        ax.set_xlabel("seconds", color=STYLE.faint, fontsize=STYLE.text)
