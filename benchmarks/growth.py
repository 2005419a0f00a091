"""Growth of the time per iteration and of the memory of a Solver with joints and effectors, with fitted exponents.

The figures are chains of three-axis joints with one Position goal at the tip; binary trees with one Position goal at
every leaf (the joints grow with the leaves); and a chain of 300 joints with an increasing number of goals along it.
"""

from __future__ import annotations

import ctypes
import gc
import json
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.runs import environment

JOINTS = (10, 30, 100, 300, 1000, 3000)
EFFECTORS = (1, 2, 4, 8, 16, 32, 64, 128)


def run(quick: bool, seed: int) -> dict[str, Any]:
    """Times are measured in one process, memory in another, in which Python allocates objects with malloc so that they
    are counted."""
    times, memory = (_process(quick, seed, what) for what in ("time", "memory"))
    out = {}
    for name, rows in times.items():
        joined = [row | more for row, more in zip(rows, memory[name], strict=True)]
        out[name] = {"rows": joined, "time": exponent(joined, "seconds"), "memory": exponent(joined, "bytes")}
    return out


def _process(quick: bool, seed: int, what: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.growth", str(seed), "quick" if quick else "full", what]
    env = environment(ours=True) | ({"PYTHONMALLOC": "malloc"} if what == "memory" else {})
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True, timeout=300)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def measured(seed: int, quick: bool, of: Callable[..., dict[str, Any]]) -> dict[str, Any]:
    joints, effectors = (JOINTS[:4], EFFECTORS[:5]) if quick else (JOINTS, EFFECTORS)
    figures = {
        "joints of a chain": (chain, joints),
        "effectors, on a tree that grows with them": (tree, effectors),
        "effectors, along a chain of 300 joints": (along, effectors),
    }
    return {name: [of(*make(n), n, seed, quick) for n in sizes] for name, (make, sizes) in figures.items()}


def exponent(rows: list[dict[str, Any]], of: str) -> float:
    """Slope of the line through the logarithms of the four largest sizes. For smaller sizes the cost of the call hides
    the growth."""
    rows = rows[-4:]
    sizes, values = np.array([r["size"] for r in rows]), np.array([max(r[of], 1e-12) for r in rows])
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def chain(count: int) -> tuple[Any, list[Any]]:
    import manikin as mk

    figure = mk.chain(np.full(count, 0.05), mk.Euler("ZYX", ((-0.6, 0.6),) * 3))
    return figure, [mk.Position("Tip", (0, 0, 0), tolerance=1e-3)]


def tree(leaves: int) -> tuple[Any, list[Any]]:
    """2 * leaves - 1 branches of two joints each."""
    import manikin as mk

    parents: list[int] = []
    ends = [-1]
    while True:
        made = []
        for end in ends:
            parents += [end, len(parents)]
            made.append(len(parents) - 1)
        if len(made) >= leaves:
            break
        ends = [end for end in made for _ in range(2)]
    figure = mk.tree(parents, np.full(len(parents), 0.1), mk.Euler("ZYX", ((-0.8, 0.8),) * 3))
    tips = [name for name in figure.segment_names if name.startswith("Tip")]
    return figure, [mk.Position(tip, (0, 0, 0), tolerance=1e-3) for tip in tips]


def along(goals: int) -> tuple[Any, list[Any]]:
    import manikin as mk

    figure, _ = chain(300)
    at = np.linspace(300, 300 / goals, goals).round().astype(int)
    names = ["Tip" if n == 300 else f"Segment{n}" for n in at]
    return figure, [mk.Position(name, (0, 0, 0), tolerance=1e-3) for name in names]


def _rows(figure: Any, goals: list[Any], size: int, seed: int, quick: bool) -> Any:
    """Targets of random poses."""
    rng = np.random.default_rng([seed, size])
    poses = figure.random(rng, 2 if quick else 6)
    return figure.placements(poses, [g.segment for g in goals])[..., :3, 3].reshape(len(poses), -1)


def timed(figure: Any, goals: list[Any], size: int, seed: int, quick: bool) -> dict[str, Any]:
    """CPU seconds per iteration, in solves from the rest pose."""
    import manikin as mk

    solver, rest = mk.Solver(figure, goals), figure.rest
    points = _rows(figure, goals, size, seed, quick)
    best = np.inf
    for row in points:
        solver.solve(rest, row)
    for _ in range(3 if quick else 7):
        began, steps = time.process_time(), 0
        while time.process_time() - began < 0.02:
            for row in points:
                steps += solver.solve(rest, row).iterations
        best = min(best, (time.process_time() - began) / steps)
    return {"size": size, "freedom": figure.nv, "seconds": best}


def held(figure: Any, goals: list[Any], size: int, seed: int, quick: bool) -> dict[str, Any]:
    """Bytes that a Solver keeps after its first solve."""
    import manikin as mk

    row = _rows(figure, goals, size, seed, quick)[0]
    mk.Solver(figure, goals).solve(figure.rest, row)  # lets the figure fill its own caches
    gc.collect()
    before = _allocated()
    solver = mk.Solver(figure, goals)
    solver.solve(figure.rest, row)
    gc.collect()
    return {"bytes": _allocated() - before}


class _Counts(ctypes.Structure):
    """glibc's struct mallinfo2."""

    _fields_ = tuple(
        (n, ctypes.c_size_t)
        for n in ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keep")
    )


def _allocated() -> int:
    """Bytes in use by malloc, including mapped ones."""
    libc = ctypes.CDLL(None)
    libc.mallinfo2.restype = _Counts
    counts = libc.mallinfo2()
    return int(counts.uordblks + counts.hblkhd)


if __name__ == "__main__":
    what = {"time": timed, "memory": held}[sys.argv[3]]
    print(json.dumps(measured(int(sys.argv[1]), sys.argv[2] == "quick", what)))
