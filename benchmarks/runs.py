"""Runs contestants on workloads, one process each, and judges every result."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.peers import Contestant
from benchmarks.turns import Array
from benchmarks.workload import Workload, judged

TIMEOUT = 60.0
"""Time limit in seconds for one process, including imports and setup."""
_THREADS = ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "RAYON", "VECLIB_MAXIMUM", "BLIS")


def environment(ours: bool) -> dict[str, str]:
    """Environment variables: one thread, and nothing of manikin on a peer's path."""
    env = dict(os.environ)
    for name in _THREADS:
        env[f"{name}_NUM_THREADS"] = "1"
    if not ours:
        env.pop("PYTHONPATH", None)
    env["PYTHONWARNINGS"] = "ignore"
    return env


def run(w: Workload, who: Contestant, folder: Path) -> dict[str, Any]:
    """One row: times in seconds and the checker's verdict; or `failed`, the reason why there is no result."""
    row, poses, _ = measured(w, who, folder)
    return row if poses is None else row | asdict(judged(w, poses))


def measured(w: Workload, who: Contestant, folder: Path) -> tuple[dict[str, Any], Array | None, Array]:
    """The row without a verdict, the resulting poses (M, nq), and the seconds of each call (M,)."""
    row: dict[str, Any] = {"workload": w.key, "title": w.title, "who": who.key, "label": who.label}
    if not who.installed:
        return row | {"failed": who.missing}, None, np.zeros(0)
    given, taken = folder / f"{w.key}.npz", folder / f"{w.key}.{who.key}.result.npz"
    taken.unlink(missing_ok=True)
    said = _process(who.command(given, taken), environment(who.ours))
    if not taken.exists():
        return row | {"failed": said}, None, np.zeros(0)
    with np.load(taken, allow_pickle=False) as z:
        poses, wall = z["poses"], z["wall"]
        row |= {
            "mean": float(z["cpu"]),
            "median": float(np.median(wall)),
            "p99": float(np.percentile(wall, 99)),
            "wall": float(wall.mean()),
            "rounds": int(z["rounds"]),
            "setup": float(z["setup"]),
            "memory": int(z["memory"]),
            "said": float(np.mean(z["said"])),
            "version": str(z["version"]),
            "note": str(z["note"]),
        }
    taken.unlink()
    return row, poses, wall


def _process(command: list[str], env: dict[str, str]) -> str:
    """Runs the command and its children for at most TIMEOUT seconds. Returns the last line of its output."""
    process = subprocess.Popen(
        command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )
    try:
        out, _ = process.communicate(timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # its own session, so no other process is affected
        process.communicate()
        return f"not done within {TIMEOUT:g} s"
    lines = [line.strip() for line in out.splitlines() if line.strip()]
    if process.returncode < 0:
        return f"ended by signal {-process.returncode} ({reason(lines)})"
    return reason(lines)


def reason(lines: list[str]) -> str:
    """The line that contains the cause of the failure."""
    for line, after in itertools.pairwise([*lines, ""]):
        if "panicked" in line:
            return f"{line} {after}"[:200]
        if line.endswith("MemoryError"):
            return "it needs more memory than the 8 GiB that each may have"
    return lines[-1][:200] if lines else "said nothing"
