"""A histogram of one quality figure as SVG text. It needs no other package."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median

from manikin.base.names import html

WIDTH, HEIGHT = 460, 150
"""Size of the picture in pixels."""
LEFT, RIGHT, TOP, BOTTOM = 10, 450, 26, 118
"""The area of the bars."""
BINS = 40


def histogram(values: Sequence[float], most: float | None = None) -> str:
    """A histogram of the values, with marks at the median, at the 95th percentile and at the limit `most`.

    Args:
        values: one number for each clip, at least one.
        most: clips above it are not good; their bars have another colour. None if there is no limit.
    """
    low, high = _range(values)
    counts = [0] * BINS
    for value in values:
        counts[min(BINS - 1, max(0, int(BINS * (value - low) / (high - low))))] += 1
    width = (RIGHT - LEFT) / BINS
    bars = []
    for k, count in enumerate(counts):
        start, end = (low + j * (high - low) / BINS for j in (k, k + 1))
        if count:
            tall = max(2.0, (BOTTOM - TOP) * count / max(counts))
            bad = most is not None and end > max(most, low) and high > most
            bars.append(
                f'<rect class="{"bad" if bad else "bar"}" x="{LEFT + k * width:.1f}" y="{BOTTOM - tall:.1f}" '
                f'width="{width - 1:.1f}" height="{tall:.1f}"><title>{count} clips, '
                f"{start:.3g} to {end:.3g}</title></rect>"
            )
    ordered = sorted(values)
    marks = [(median(values), "median"), (ordered[math.ceil(0.95 * len(ordered)) - 1], "95 %")]
    marks += [(most, "limit")] if most is not None and low < most <= high else []
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="histogram">{"".join(bars)}'
        f'<line class="axis" x1="{LEFT}" y1="{BOTTOM}" x2="{RIGHT}" y2="{BOTTOM}"/>{_ticks(low, high)}'
        f"{_marks(marks, low, high)}</svg>"
    )


def _range(values: Sequence[float]) -> tuple[float, float]:
    """The ends of the axis. It begins at 0 unless values are negative."""
    low, high = min(0.0, *values), max(values)
    return (low, high) if high > low else (low, low + 1.0)


def _x(value: float, low: float, high: float) -> float:
    return LEFT + (RIGHT - LEFT) * (value - low) / (high - low)


def _ticks(low: float, high: float) -> str:
    """About five round numbers below the axis."""
    rough = (high - low) / 5
    size = 10.0 ** math.floor(math.log10(rough))
    step = next(size * m for m in (1, 2, 5, 10) if size * m >= rough)
    out, k = [], math.ceil(low / step)
    while k * step <= high * (1 + 1e-9):
        x = _x(k * step, low, high)
        anchor = "start" if x < LEFT + 12 else "end" if x > RIGHT - 12 else "middle"
        out.append(
            f'<line class="axis" x1="{x:.1f}" y1="{BOTTOM}" x2="{x:.1f}" y2="{BOTTOM + 4}"/>'
            f'<text x="{x:.1f}" y="{BOTTOM + 18}" text-anchor="{anchor}">{html(f"{k * step:g}")}</text>'
        )
        k += 1
    return "".join(out)


def _marks(marks: Sequence[tuple[float, str]], low: float, high: float) -> str:
    """Vertical lines with labels above the bars. Labels that would overlap move to the right or are left out."""
    out, free = [], float(LEFT)
    for value, label in sorted(marks):
        x = _x(value, low, high)
        name = "limit" if label == "limit" else "mark"
        out.append(f'<line class="{name}" x1="{x:.1f}" y1="{TOP - 6}" x2="{x:.1f}" y2="{BOTTOM}"/>')
        text = f"{label} {value:.3g}"
        wide = 7.2 * len(text)
        start = max(free, min(x - wide / 2, RIGHT - wide))
        if start + wide <= WIDTH and start <= x + wide:
            out.append(f'<text x="{start:.1f}" y="{TOP - 11}">{html(text)}</text>')
            free = start + wide + 6
    return "".join(out)
