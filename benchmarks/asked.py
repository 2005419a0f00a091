"""What was asked of us, row by row, beside what was measured: ratios to the best peer, shares solved, jumps, growth."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.peers import EVERYONE

Row = dict[str, Any]
MOST = 1.2
"""Largest exponent of growth."""
LEAST_SOLVED = 0.7
"""A peer is compared with where it solves at least so much of what the best-solving peer does."""


@dataclass(frozen=True)
class Asked:
    """A ratio to reach on a workload, and what else must hold."""

    title: str
    workload: str
    who: str
    """Which of ours: "ours" (one call each) or "ours-whole" (track, solve_many)."""
    ratio: float | None
    """The best peer's time must be at least so many times ours; None where nothing was asked."""
    metric: str = "mean"
    """ "mean" (CPU), "median" or "p99" (wall)."""
    against: str = "all"
    """ "all", "numeric", "analytic", or keys of peers joined by commas."""
    solved: float = 1.0
    """Least share solved."""
    jump: float | None = None
    """Most that a joint may turn between frames, radians."""
    tail: float | None = None
    """Most that p99 may be, in medians."""


@dataclass(frozen=True)
class Line:
    """One line of the summary."""

    title: str
    ours: str
    peer: str
    ratio: float | None
    asked: str
    remarks: tuple[str, ...] = field(default=())
    """What else was asked and whether it holds."""
    reached: bool | None = None
    """None where nothing was asked or nothing can be compared."""


def wanted() -> Iterator[Asked]:
    """The table of the issue."""
    for key, name in (("panda", "Panda"), ("ur5", "UR5"), ("iiwa", "iiwa")):
        yield Asked(f"{name}, following a path, one call a frame", f"{key}-warm", "ours", 8, jump=0.15)
        yield Asked(f"{name}, following a path, track", f"{key}-warm", "ours-whole", 20, jump=0.15)
    for key, name in (("panda", "Panda"), ("ur5", "UR5"), ("iiwa", "iiwa")):
        against = "numeric" if key == "ur5" else "all"
        yield Asked(f"{name}, cold reach", f"{key}-cold", "ours", 25, against=against)
        yield Asked(f"{name}, cold reach, 99th percentile", f"{key}-cold", "ours", 25, "p99", against)
    for which, keys in (("any solution", "eaik,ssik"), ("the nearest one", "eaik-near,ssik-near")):
        yield Asked(f"UR5, cold reach, against analytic peers, {which}", "ur5-cold", "ours", 5, against=keys)
    yield Asked("Panda, batch of 10,000", "panda-batch", "ours-whole", 400)
    yield Asked("UR5, batch of 10,000", "ur5-batch", "ours-whole", 30)
    yield Asked("iiwa, batch of 10,000", "iiwa-batch", "ours-whole", None)
    for key, title in (
        ("rail-cold", "rail and six axes (a slider)"),
        ("eight-cold", "eight axes"),
        ("tool-cold", "Panda with a slanting tool"),
        ("baxter-cold", "Baxter, left arm"),
        ("position-cold", "Panda, position only"),
        ("leg-cold", "Solo12, a foot's position"),
        ("aim-cold", "Panda, aim"),
    ):
        yield Asked(title, key, "ours", 10, solved=0.999)
    # peers have the URDF, its balls expanded to hinges; of mk.human(), which stands beside it, nothing was asked
    for person, of, asked in (("", "person (URDF)", (100, 60, 60, 80)), ("-balls", "mk.human()", (None,) * 4)):
        track, call, tips, cold = asked
        yield Asked(f"{of}, following, track", f"person-track{person}", "ours-whole", track)
        yield Asked(f"{of}, following, one call a frame", f"person-track{person}", "ours", call)
        yield Asked(f"{of} and fingertips, following, track", f"person-tips-track{person}", "ours-whole", tips)
        yield Asked(
            f"{of}, pose from rest, median", f"person-cold{person}", "ours", cold, "median", solved=0.998, tail=10.0
        )
    yield Asked("Talos, full range, from rest", "talos-cold", "ours", 60, solved=0.995)
    yield Asked("chain of 300 three-hinge joints", "chain-300", "ours", 500)
    yield Asked("binary tree, 64 effectors", "tree-64", "ours", 1500)


def summary(rows: Sequence[Row], growth: dict[str, Any] | None) -> list[Line]:
    """Every line that the rows have something to say about."""
    of = {(r["workload"], r["who"]): r for r in rows}
    lines = [_compared(a, of) for a in wanted() if (a.workload, a.who) in of]
    lines += _longer_chain(of) + _threads(of)
    for name, found in (growth or {}).items():
        for what, label in (("time", "time an iteration"), ("memory", "memory of a Solver")):
            exponent = found[what]
            text = f"exponent {exponent:.2f}"
            lines.append(Line(f"{label}, against {name}", text, "", None, f"at most {MOST}", (), exponent <= MOST))
    return lines


def rivals(rows: Iterable[Row], against: str = "all") -> list[Row]:
    """The peers' rows that have a time, but for those that solve much less than others."""
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


def _compared(a: Asked, of: dict[tuple[str, str], Row]) -> Line:
    ours, asked = of[a.workload, a.who], "" if a.ratio is None else f"{a.ratio:g}"
    if "failed" in ours:
        return Line(a.title, f"failed: {ours['failed']}", "", None, asked, (), False)
    shared = a.workload.removesuffix("-balls")  # peers have the URDF file
    others = rivals((r for (workload, _), r in of.items() if workload == shared), a.against)
    best = min(others, key=lambda r: float(r[a.metric]), default=None)
    ratio = None if best is None else best[a.metric] / ours[a.metric]
    remarks, holds = [], True
    for text, ok in _conditions(a, ours):
        remarks.append(text if ok else f"{text} (not reached)")
        holds = holds and ok
    reached = None if ratio is None or a.ratio is None else bool(ratio >= a.ratio and holds)
    peer = "" if best is None else f"{best['label']}, {seconds(best[a.metric])}, {share(best['solved'])}"
    return Line(a.title, seconds(ours[a.metric]), peer, ratio, asked, tuple(remarks), reached)


def _conditions(a: Asked, ours: Row) -> Iterator[tuple[str, bool]]:
    yield f"solved {share(ours['solved'])}", ours["solved"] >= a.solved
    if a.jump is not None:
        yield f"largest jump {ours['jump']:.3f} rad", ours["jump"] <= a.jump
    if a.tail is not None:
        yield f"p99 {ours['p99'] / ours['median']:.1f} medians", ours["p99"] <= a.tail * ours["median"]


def _longer_chain(of: dict[tuple[str, str], Row]) -> list[Line]:
    short, long = of.get(("chain-300", "ours")), of.get(("chain-1000", "ours"))
    if short is None or long is None or "mean" not in short or "mean" not in long:
        return []
    times = long["mean"] / short["mean"]
    text = f"{times:.1f} times that of 300; solved {share(long['solved'])}"
    return [Line("chain of 1,000 joints", seconds(long["mean"]), "", None, "4 times 300", (text,), times <= 4.0)]


def _threads(of: dict[tuple[str, str], Row]) -> list[Line]:
    one, two = of.get(("panda-threads", "ours-whole")), of.get(("panda-threads", "ours-threads"))
    if one is None or two is None or "wall" not in one or "wall" not in two:
        return []
    times = one["wall"] / two["wall"]
    text = f"{1e-6 / two['wall']:.2f} million a second, {times:.2f} times one thread (wall)"
    return [Line("Panda, 100,000 cold, two threads", text, "", None, "1.7 times one", (), times >= 1.7)]


def seconds(value: float) -> str:
    """1.23 µs, 45.6 ms, …"""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value / 1e-9:.0f} ns"


def share(value: float) -> str:
    """100 %, 99.9 %: never rounded up to all."""
    if value == 1.0:
        return "100 %"
    return f"{min(100 * value, 99.99):.4g} %"
