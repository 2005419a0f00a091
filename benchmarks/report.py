"""Results as Markdown: manikin and the best peer, then all measured numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from benchmarks.peers import EVERYONE
from benchmarks.summary import Line, seconds, share

METHOD = """One thread; means are CPU time of the process, medians and percentiles are wall time of single calls from
Python. Every peer runs in its own interpreter, in its own process, on the same files, starts and targets; each workload
in up to 8 rounds, of which the fastest counts. Every pose is judged by one independent checker (its own forward
kinematics): solved is 0.1 mm and 1 mrad for arms, 1 mm and 0.01 rad for the others, limits to 1e-6. The best peer is
the fastest of the peers that solve at least 0.7 times as many targets as the peer that solves most. Peers stop after a
few seconds; the tables give the number of targets that they processed.""".replace("\n", " ")


def head(header: dict[str, Any]) -> str:
    """Date and machine of a run."""
    quick = ", **quick: not to be quoted**" if header["quick"] else ""
    return (
        f"{header['date']}, {header['processor']} ({header['cores']} cores, {header['system']}), Python "
        f"{header['python']}, manikin {header['manikin']} ({header['kernels']} kernels), seed {header['seed']}{quick}"
    )


def summary_table(lines: Sequence[Line]) -> str:
    out = ["| workload | manikin | best peer | times faster | |", "| --- | --- | --- | --- | --- |"]
    for line in lines:
        ratio = "" if line.ratio is None else _ratio(line.ratio)
        out.append(f"| {line.title} | {line.ours} | {line.peer} | {ratio} | {'; '.join(line.remarks)} |")
    return "\n".join(out)


def _ratio(value: float) -> str:
    return f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def details(rows: Sequence[dict[str, Any]]) -> str:
    """One table for each workload."""
    out: list[str] = []
    for key in dict.fromkeys(r["workload"] for r in rows):
        of = [r for r in rows if r["workload"] == key]
        out += [f"### {of[0]['title']}", ""]
        out.append("| | targets | solved | mean | median | p99 | worst error | beyond limits | largest jump | how |")
        out.append("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
        done = sorted((r for r in of if "failed" not in r), key=lambda r: float(r["mean"]))
        out += [_detail(r) for r in done]
        out += [f"| {r['label']} | | | | | | | | | could not: {r['failed']} |" for r in of if "failed" in r]
        out.append("")
    return "\n".join(out)


def _detail(r: dict[str, Any]) -> str:
    label = f"**{r['label']}**" if EVERYONE[r["who"]].ours else r["label"]
    whole = r["who"] in ("ours-whole", "ours-threads")
    jump = "" if math.isnan(r["jump"]) else f"{r['jump']:.3f} rad"
    worst = f"{1e3 * r['worst_length']:.2g} mm, {1e3 * r['worst_angle']:.2g} mrad" if r["solved"] else ""
    cells = [
        label,
        f"{r['count']:,}",
        share(r["solved"]),
        seconds(r["mean"]),
        "" if whole else seconds(r["median"]),
        "" if whole else seconds(r["p99"]),
        worst,
        f"{r['violation']:.1g}",
        jump,
        r["note"],
    ]
    return "| " + " | ".join(cells) + " |"


def growth_table(growth: dict[str, Any]) -> str:
    out: list[str] = []
    for name, found in growth.items():
        out += [
            f"Against {name}: exponent {found['time']:.2f} for the time of an iteration, {found['memory']:.2f} for the "
            "memory of a Solver (fitted over the four largest).",
            "",
            "| size | degrees of freedom | time an iteration | memory |",
            "| --- | --- | --- | --- |",
        ]
        for r in found["rows"]:
            out.append(f"| {r['size']:,} | {r['freedom']:,} | {seconds(r['seconds'])} | {r['bytes'] / 1e3:,.0f} kB |")
        out.append("")
    return "\n".join(out)


def plain_table(rows: Sequence[dict[str, Any]]) -> str:
    """A table of any rows."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    out = ["| " + " | ".join(columns) + " |", "|" + " --- |" * len(columns)]
    out += ["| " + " | ".join(_cell(row.get(c)) for c in columns) + " |" for row in rows]
    return "\n".join(out)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def versions(rows: Sequence[dict[str, Any]]) -> str:
    """Versions of every measured peer, and the reasons why others were not measured."""
    measured = {EVERYONE[r["who"]].script: f"{r['label'].split(',')[0]} {r['version']}" for r in rows if "version" in r}
    peers = [text for script, text in measured.items() if script != "ours.py"]
    return ", ".join(peers) if peers else "no peers"
