"""Counts the instructions of the paths of paths.py by callgrind, and keeps the counts that they are held to.

    python tests/instructions/count.py             prints them beside the stored ones
    python tests/instructions/count.py --update    stores them: after a change that is meant to cost, or to save

Counts are repeatable for one binary; they are compared only where compiler, kernels and Python are those of the stored
ones (baseline.json).
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

HERE = Path(__file__).parent
BASELINE = HERE / "baseline.json"
GROWTH = 1.01
"""One of the four hottest paths fails above so many times its stored count. One binary gives the same count each time;
another place of the same files changes it by two thousandths at most."""
GROWTH_OF_OTHERS = 1.10
"""The same for the other paths, which spend more in Python."""
KERNELS_OF_OTHERS = {"MANIKIN_BACKEND": "base"}
"""Valgrind 3.19 does not know every AVX instruction of the second derivatives (a vmovq between registers), so that only
the kernels for any processor run those paths to their end."""


def allowed(name: str) -> float:
    """So many times its stored count a path may cost."""
    return GROWTH if name in _module("paths").HOTTEST else GROWTH_OF_OTHERS


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


def counted(kernels: str = "") -> dict[str, Any]:
    """The conditions, and under "counts" the instructions of one call of each path.

    With `kernels` the hottest paths only, by these instead of the usual ones.
    """
    paths = _module("paths")
    if kernels:
        _, counts = _counts("hottest", paths.HOTTEST, {"MANIKIN_BACKEND": kernels})
        return {**conditions(), "kernels": kernels, "counts": counts}
    used, counts = _counts("hottest", paths.HOTTEST, {})
    _, more = _counts("others", paths.OTHERS, KERNELS_OF_OTHERS)
    return {**conditions(), "kernels": used, "counts": counts | more}


def _counts(which: str, calls: dict[str, int], variables: dict[str, str]) -> tuple[str, dict[str, int]]:
    """The kernels in use, and the instructions of one call of each of these paths."""
    with tempfile.TemporaryDirectory() as folder:
        library, out = Path(folder, "requests.so"), Path(folder, "out")
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", str(library), str(HERE / "requests.c")], check=True)
        command = ["valgrind", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={out}"]
        env = dict(os.environ, PYTHONHASHSEED="0", OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", **variables)
        done = subprocess.run(
            [*command, sys.executable, str(HERE / "paths.py"), str(library), which],
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


def _module(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"instructions_{name}", HERE / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def stored() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(BASELINE.read_text())
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--update", action="store_true", help="store what is counted now")
    options = parser.parse_args()
    reason = missing()
    if reason:
        raise SystemExit(f"nothing can be counted: {reason}")
    found = counted()
    before = stored()["counts"] if BASELINE.exists() else {}
    for name, count in found["counts"].items():
        change = f", {count / before[name]:.3f} times the stored {before[name]:,}" if name in before else ""
        print(f"{name}: {count:,} instructions{change}")
    if options.update:
        BASELINE.write_text(json.dumps(found, indent=1) + "\n")
        print(f"stored in {BASELINE.name}")


if __name__ == "__main__":
    main()
