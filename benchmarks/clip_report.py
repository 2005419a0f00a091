"""The page of `benchmarks.clips`: all clips together first, then each clip."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks import pages

if TYPE_CHECKING:
    from benchmarks.clips import Cell

METHOD = """Six placements (hips, head, hands, feet) of recorded people, from the true pose of the first frame on. The
figures come from BVH files: their joints have no limits; they are scaled to 1.5 m from the feet to the head joint.
*Noisy* adds 1 cm to each coordinate and 0.05 rad to each part of a turn (standard deviations; frames are independent).
*Hand out of reach* pulls the left hand away by 1 m and back in the middle half of the clip. Reached is judged from the
figure's placements, all six within 1e-4 of the figure's size and 1e-3 rad (the default), and within 1 mm and 0.01 rad.
Times are wall times of single calls from Python, in microseconds per frame. One call for all frames has only a mean.
Speed is the fastest turn of any joint between frames; the recording has its own speed. Every method stops after two
seconds; one call of `track` stops after six seconds, and its mean then has a > before it. The tables give the number of
frames that a method processed. Peers step until they are within the default tolerance, at most
40 steps per frame."""
COLUMNS = ["frames", "reached %", "1 mm, 0.01 rad %", "error mm", "mean µs", "median µs", "p99 µs", "max µs", "rad/s"]


def page(head: dict[str, Any], cells: Sequence[Cell], left_out: Sequence[str]) -> str:
    out = pages.title("Tracking recorded motion", head, METHOD)
    if left_out:
        out += ["Clips left out, with the reason:", "", *(f"- {line}" for line in left_out), ""]
    failed = dict.fromkeys(f"{c.method}: {c.failed}" for c in cells if c.failed)
    if failed:
        out += ["What could not be measured, with the reason:", "", *(f"- {line}" for line in failed), ""]
    out += ["## All clips together", "", *summary(cells), ""]
    for name in dict.fromkeys(cell.clip for cell in cells):
        out += [f"## {name}", ""]
        of = [cell for cell in cells if cell.clip == name]
        rows = [[c.joints, f"{c.rate:.0f}", c.input, c.method, *_numbers([c])] for c in of]
        out += [*pages.table(["joints", "a second", "input", "method", *COLUMNS], rows, words=4), ""]
    return "\n".join(out)


def summary(cells: Sequence[Cell]) -> list[str]:
    """One line for each method: frames and times of all clips together."""
    groups: dict[tuple[str, str, str, str], list[Cell]] = {}
    for cell in cells:
        rate = "own" if cell.own else "about 30"
        groups.setdefault((cell.joints, rate, cell.input, cell.method), []).append(cell)
    order = sorted(groups, key=lambda g: (g[0] != "Euler", g[1] != "own"))
    rows = [[*group, *_numbers(groups[group])] for group in order]
    return pages.table(["joints", "rate", "input", "method", *COLUMNS], rows, words=4)


def _numbers(cells: Sequence[Cell]) -> list[str]:
    done = [c for c in cells if not c.failed]
    frames = sum(c.frames for c in done)
    if not frames:
        return ["none", *[""] * (len(COLUMNS) - 1)]
    times = np.concatenate([c.times for c in done])
    mean = [c.mean * c.frames for c in done if c.mean is not None]
    spread = np.percentile(times, [50, 99, 100]).tolist() if len(times) else [None] * 3
    return [
        f"{frames:,}",
        pages.percent(sum(c.reached for c in done) / frames),
        pages.percent(sum(c.nearly for c in done) / frames),
        f"{1e3 * float(np.median([c.error for c in done])):.3g}",
        (">" if any(c.cut for c in done) else "") + (pages.micros(sum(mean) / frames) if mean else ""),
        *(pages.micros(value) for value in spread),
        f"{max(c.speed for c in done):.1f}",
    ]
