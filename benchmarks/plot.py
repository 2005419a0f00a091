"""One picture: time per call of every contestant on every workload, on a logarithmic axis."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.peers import EVERYONE
from benchmarks.summary import seconds

COLORS = {
    "ours": "#d62728",
    "ours-whole": "#ff7f0e",
    "rtb": "#1f77b4",
    "ssik": "#17becf",
    "eaik": "#2ca02c",
    "placo": "#9467bd",
    "pink": "#e377c2",
    "mink": "#8c564b",
    "optik": "#bcbd22",
    "trac": "#7f7f7f",
    "drake": "#1a5276",
    "momentum": "#145a32",
    "scipy": "#444444",
}
MARKERS = {"rtb": "o", "ssik": "^", "eaik": "v", "placo": "D", "pink": "P", "mink": "X", "optik": "h", "trac": "p"}
LEFT_OUT = ("ssik-near", "eaik-near", "placo-blind", "ours-threads")


def save(rows: Sequence[dict[str, Any]], header: dict[str, Any], path: Path) -> None:
    """Dots, with one line for each workload. They are hollow if fewer than 99 % are solved."""
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt
    from matplotlib.lines import Line2D

    shown = [r for r in rows if "failed" not in r and r["who"] not in LEFT_OUT and r["workload"] != "panda-threads"]
    keys = list(dict.fromkeys(r["workload"] for r in shown))
    height = 1.9 + 0.33 * len(keys)
    figure, axes = plt.subplots(figsize=(11.0, height), layout="constrained")
    for y, key in enumerate(keys):
        for r in (r for r in shown if r["workload"] == key):
            who, ours = r["who"], EVERYONE[r["who"]].ours
            full = r["solved"] >= 0.99
            axes.plot(
                1e6 * r["mean"],
                y,
                marker="s" if ours else MARKERS.get(who, "o"),
                markersize=9 if ours else 7,
                color=COLORS[who],
                markerfacecolor=COLORS[who] if full else "white",
                markeredgewidth=1.5,
                linestyle="none",
                zorder=4 if ours else 3,
            )
    titles = {r["workload"]: r["title"] for r in shown}
    axes.set_yticks(range(len(keys)), [titles[k] for k in keys], fontsize=9)
    axes.set_ylim(len(keys) - 0.4, -0.6)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(lambda x, _: seconds(1e-6 * x))
    axes.set_xlabel("mean CPU time of a frame or a target, from Python (logarithmic)")
    axes.grid(axis="x", which="major", color="#cccccc", linewidth=0.8)
    axes.grid(axis="y", color="#eeeeee", linewidth=0.8)
    axes.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    present = [k for k in COLORS if any(r["who"] == k for r in shown)]
    handles = [
        Line2D(
            [],
            [],
            linestyle="none",
            marker="s" if EVERYONE[k].ours else MARKERS.get(k, "o"),
            color=COLORS[k],
            label=EVERYONE[k].label,
        )
        for k in present
    ]
    handles.append(
        Line2D([], [], linestyle="none", marker="o", color="#666666", markerfacecolor="white", label="solves < 99 %")
    )
    figure.legend(handles=handles, loc="outside upper center", ncols=5, fontsize=9, frameon=False)
    quick = " · quick run, not to be quoted" if header["quick"] else ""
    caption = f"{header['date']} · {header['processor']}, one thread · manikin {header['manikin']}{quick}"
    axes.set_title(caption, fontsize=9, color="#555555", loc="left")
    figure.savefig(path, dpi=110)
    plt.close(figure)
