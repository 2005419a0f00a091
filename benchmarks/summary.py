"""manikin and the best peer on each workload: times, ratios, shares solved, jumps, growth."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.peers import EVERYONE

Row = dict[str, Any]
LEAST_SOLVED = 0.7
"""A peer is used for comparison if it solves at least this fraction of the targets that the best peer solves."""


@dataclass(frozen=True)
class Compared:
    """A workload on which manikin is compared with the best peer."""

    title: str
    workload: str
    who: str
    """The variant of manikin: "ours" (one call each) or "ours-whole" (track, solve_many)."""
    metric: str = "mean"
    """ "mean" (CPU), "median" or "p99" (wall)."""
    against: str = "all"
    """ "all", "numeric", "analytic", or keys of peers joined by commas."""
    jumps: bool = False
    """Whether the largest move of a joint between frames is shown."""
    tail: bool = False
    """Whether the 99th percentile is shown, in medians."""
    in_readme: bool = False
    """Whether the README shows it: one row for each kind of use, including the least favourable ones."""


@dataclass(frozen=True)
class Line:
    """One line of the summary."""

    title: str
    ours: str
    peer: str = ""
    ratio: float | None = None
    """The time of the best peer divided by manikin's; None if there is no peer."""
    remarks: tuple[str, ...] = field(default=())
    in_readme: bool = False


def compared() -> Iterator[Compared]:
    """All comparisons."""
    for key, name in (("panda", "Panda"), ("ur5", "UR5"), ("iiwa", "iiwa")):
        call = f"{name}, following a path, one call a frame"
        yield Compared(call, f"{key}-warm", "ours", jumps=True, in_readme=key == "panda")
        yield Compared(f"{name}, following a path, track", f"{key}-warm", "ours-whole", jumps=True)
    for key, name in (("panda", "Panda"), ("ur5", "UR5"), ("iiwa", "iiwa")):
        against = "numeric" if key == "ur5" else "all"
        yield Compared(f"{name}, cold reach", f"{key}-cold", "ours", against=against, in_readme=key == "panda")
        yield Compared(f"{name}, cold reach, 99th percentile", f"{key}-cold", "ours", "p99", against)
    for which, keys in (("any solution", "eaik,ssik"), ("the nearest one", "eaik-near,ssik-near")):
        title = f"UR5, cold reach, against analytic peers, {which}"
        yield Compared(title, "ur5-cold", "ours", against=keys, in_readme=which == "any solution")
    for key, name in (("panda", "Panda"), ("ur5", "UR5"), ("iiwa", "iiwa")):
        yield Compared(f"{name}, batch of 10,000", f"{key}-batch", "ours-whole")
    for key, title in (
        ("rail-cold", "rail and six axes (a slider)"),
        ("eight-cold", "eight axes"),
        ("tool-cold", "Panda with a slanting tool"),
        ("baxter-cold", "Baxter, left arm"),
        ("position-cold", "Panda, position only"),
        ("leg-cold", "Solo12, a foot's position"),
        ("aim-cold", "Panda, aim"),
    ):
        yield Compared(title, key, "ours")
    # Peers use the URDF file, with balls expanded to hinges. mk.human() is listed next to it.
    for person, of in (("", "person (URDF)"), ("-balls", "mk.human()")):
        shown = person == ""  # the same file for everyone
        yield Compared(f"{of}, following, track", f"person-track{person}", "ours-whole")
        yield Compared(f"{of}, following, one call a frame", f"person-track{person}", "ours", in_readme=shown)
        yield Compared(f"{of} and fingertips, following, track", f"person-tips-track{person}", "ours-whole")
        title = f"{of}, pose from rest, median"
        yield Compared(title, f"person-cold{person}", "ours", "median", tail=True, in_readme=shown)
    yield Compared("Talos, full range, from rest", "talos-cold", "ours", in_readme=True)
    yield Compared("chain of 300 three-hinge joints", "chain-300", "ours")
    yield Compared("binary tree, 64 effectors", "tree-64", "ours")


def summary(rows: Sequence[Row], growth: dict[str, Any] | None) -> list[Line]:
    """All lines for which there are rows."""
    of = {(r["workload"], r["who"]): r for r in rows}
    lines = [_line(c, of) for c in compared() if (c.workload, c.who) in of]
    lines += _longer_chain(of) + _threads(of)
    for name, found in (growth or {}).items():
        for what, label in (("time", "time an iteration"), ("memory", "memory of a Solver")):
            lines.append(Line(f"{label}, against {name}", f"exponent {found[what]:.2f}"))
    return lines


def rivals(rows: Iterable[Row], against: str = "all") -> list[Row]:
    """The rows of peers that have a time, except those that solve much less than others."""
    out = []
    for r in rows:
        who = EVERYONE[r["who"]]
        if who.ours or "failed" in r:
            continue
        of_kind = against in ("numeric", "analytic") and who.analytic == (against == "analytic")
        if against == "all" or of_kind or r["who"] in against.split(","):
            out.append(r)
    most = max((r["solved"] for r in out), default=0.0)
    return [r for r in out if r["solved"] >= LEAST_SOLVED * most]


def _line(c: Compared, of: dict[tuple[str, str], Row]) -> Line:
    ours = of[c.workload, c.who]
    if "failed" in ours:
        return Line(c.title, f"failed: {ours['failed']}", in_readme=c.in_readme)
    shared = c.workload.removesuffix("-balls")  # peers use the URDF file
    others = rivals((r for (workload, _), r in of.items() if workload == shared), c.against)
    best = min(others, key=lambda r: float(r[c.metric]), default=None)
    ratio = None if best is None else best[c.metric] / ours[c.metric]
    remarks = [f"solved {share(ours['solved'])}"]
    if c.jumps:
        remarks.append(f"largest jump {ours['jump']:.3f} rad")
    if c.tail:
        remarks.append(f"p99 {ours['p99'] / ours['median']:.1f} medians")
    peer = "" if best is None else f"{best['label']}, {seconds(best[c.metric])}, {share(best['solved'])}"
    return Line(c.title, seconds(ours[c.metric]), peer, ratio, tuple(remarks), c.in_readme)


def _longer_chain(of: dict[tuple[str, str], Row]) -> list[Line]:
    short, long = of.get(("chain-300", "ours")), of.get(("chain-1000", "ours"))
    if short is None or long is None or "mean" not in short or "mean" not in long:
        return []
    text = f"{long['mean'] / short['mean']:.1f} times that of 300; solved {share(long['solved'])}"
    return [Line("chain of 1,000 joints", seconds(long["mean"]), remarks=(text,))]


def _threads(of: dict[tuple[str, str], Row]) -> list[Line]:
    one, two = of.get(("panda-threads", "ours-whole")), of.get(("panda-threads", "ours-threads"))
    if one is None or two is None or "wall" not in one or "wall" not in two:
        return []
    times = one["wall"] / two["wall"]
    text = f"{1e-6 / two['wall']:.2f} million a second, {times:.2f} times one thread (wall)"
    return [Line("Panda, 100,000 cold, two threads", text)]


def seconds(value: float) -> str:
    """1.23 µs, 45.6 ms, …"""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value / 1e-9:.0f} ns"


def share(value: float) -> str:
    """100 %, 99.9 %: never rounded up to 100 %."""
    if value == 1.0:
        return "100 %"
    return f"{min(100 * value, 99.99):.4g} %"
