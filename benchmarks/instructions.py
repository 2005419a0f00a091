"""Counts the instructions of the paths of instruction_paths.py by callgrind, and compares them with the stored counts.

    python -m benchmarks.instructions             prints them beside the stored ones
    python -m benchmarks.instructions --update    stores them: after a change that is meant to cost, or to save

Counts do not depend on what else the machine does, unlike times. They are compared only where compiler, kernels and
Python are those of the stored ones (results/instructions.json). The exit code is 1 if a path costs 3 % more. Needs
valgrind and a C compiler.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.instruction_paths import HOTTEST, OTHERS

HERE = Path(__file__).parent
BASELINE = HERE / "results" / "instructions.json"
GROWTH = 1.03
"""A path has grown if it costs more than so many times its stored count. One binary gives the same count each time;
another place of the same files changes it by two thousandths at most."""
BASE = {"MANIKIN_BACKEND": "base"}
"""Valgrind 3.19 does not know every AVX instruction of the second derivatives (a vmovq between registers), so that only
the kernels for any processor run the other paths to their end."""


def conditions() -> dict[str, str]:
    """What must be the same for counts to be compared, besides the kernels in use."""
    found = importlib.util.find_spec("manikin._core")
    if found is None or found.origin is None:
        return {}
    made = re.search(rb"GCC: \([^)]*\) [\d.]+|clang version [\d.]+", Path(found.origin).read_bytes())
    python = f"{sys.version_info[0]}.{sys.version_info[1]}"
    return {"compiler": made.group().decode() if made else "unknown", "python": python}


def missing() -> str:
    """Why nothing can be counted here; empty where it can."""
    if not sys.platform.startswith("linux"):
        return "valgrind counts on Linux"
    for program in ("valgrind", "cc"):
        if shutil.which(program) is None:
            return f"{program} is not installed"
    if not Path("/usr/include/valgrind/callgrind.h").exists():
        return "valgrind/callgrind.h is not installed"
    return "" if conditions() else "the native core is not built"


def counted() -> dict[str, Any]:
    """The conditions, and under "counts" the instructions of one call of each path.

    The hottest paths are counted with the usual kernels, and with those for any processor: vectors of 32 bytes are two
    registers there, and a compiler that takes them apart into single numbers costs more.
    """
    used, counts = _counts("hottest", HOTTEST, {})
    if used != "base":
        counts |= {f"{name} (base kernels)": count for name, count in _counts("hottest", HOTTEST, BASE)[1].items()}
    counts |= _counts("others", OTHERS, BASE)[1]
    return {**conditions(), "kernels": used, "counts": counts}


def _counts(which: str, calls: dict[str, int], variables: dict[str, str]) -> tuple[str, dict[str, int]]:
    """The kernels in use, and the instructions of one call of each of these paths."""
    with tempfile.TemporaryDirectory() as folder:
        library, out = Path(folder, "requests.so"), Path(folder, "out")
        source = HERE / "instruction_requests.c"
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
        command = ["valgrind", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={out}"]
        env = dict(os.environ, PYTHONHASHSEED="0", OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", **variables)
        done = subprocess.run(
            [*command, sys.executable, str(HERE / "instruction_paths.py"), str(library), which],
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"valgrind ended with {done.returncode}: {done.stderr[-2000:]}")
        totals = dict(_dumps(Path(folder)))
    counts = {name: round((totals[f"{name}|2"] - totals[f"{name}|1"]) / n) for name, n in calls.items()}
    return done.stdout.strip(), counts


def _dumps(folder: Path) -> Any:
    """(name, instructions) of each dump."""
    for path in folder.glob("out.*"):
        text = path.read_text()
        name = re.search(r"^desc: Trigger: Client Request: (.+)$", text, re.MULTILINE)
        total = re.search(r"^summary: (\d+)", text, re.MULTILINE)
        if name and total:
            yield name.group(1), int(total.group(1))


def compared(found: dict[str, Any], stored: dict[str, Any]) -> tuple[list[str], bool]:
    """A line for each path, and whether one has grown. Counts of other conditions are not compared."""
    other = [k for k in ("compiler", "python", "kernels") if found[k] != stored.get(k)]
    before = {} if other else stored["counts"]
    lines = [f"not compared: {k} is {found[k]}, stored are counts of {stored.get(k)}" for k in other]
    grown = False
    for name, count in found["counts"].items():
        ratio = count / before[name] if name in before else 1.0
        grown |= ratio > GROWTH
        change = f", {ratio:.3f} times the stored {before[name]:,}" if name in before else ""
        lines.append(f"{name}: {count:,} instructions{change}{' (grown)' if ratio > GROWTH else ''}")
    return lines, grown


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.instructions", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--update", action="store_true", help="store what is counted now")
    options = parser.parse_args(arguments)
    if reason := missing():
        raise SystemExit(f"nothing can be counted: {reason}")
    found = counted()
    lines, grown = compared(found, json.loads(BASELINE.read_text(encoding="utf-8")))
    print("\n".join(lines))
    if options.update:
        BASELINE.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        print(f"stored in {BASELINE.name}")
    return int(grown and not options.update)


if __name__ == "__main__":
    sys.exit(main())
