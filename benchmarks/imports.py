"""What `import manikin` costs above `import numpy`, in CPU time, with bytecode compiled.

    python -m benchmarks.imports [--quick] [--name after]

Each import is the first of a new process. Ours and NumPy's take turns, and the median of each is taken.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import manikin
from benchmarks import pages
from benchmarks.machine import header
from benchmarks.runs import environment

MOST = 0.050
"""Seconds of CPU time that the import of manikin may take above that of NumPy."""
RUNS = 41
IMPORTS = ("pass", "import numpy", "import manikin")
"""What each process runs."""


def seconds(code: str, env: dict[str, str]) -> float:
    """CPU seconds of a new process that runs some code."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], env=env, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measured(runs: int) -> dict[str, list[float]]:
    """CPU seconds of each process, by what it runs."""
    with tempfile.TemporaryDirectory() as folder:
        paths = os.pathsep.join([str(Path(manikin.__file__).parents[1]), *filter(None, sys.path)])
        env = {**environment(True), "PYTHONPYCACHEPREFIX": folder, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": ""}
        for code in IMPORTS:
            seconds(code, env)  # writes the bytecode
        found: dict[str, list[float]] = {code: [] for code in IMPORTS}
        for _ in range(runs):
            for code in IMPORTS:
                found[code].append(seconds(code, env))
    return found


def page(head: dict[str, Any], medians: dict[str, float], runs: int) -> str:
    method = f"""CPU time of a new Python process in milliseconds, the median of {runs} runs. The bytecode of all
    modules is compiled, and BLAS has one thread. The import of manikin may take at most {1e3 * MOST:.0f} ms more
    than that of NumPy. `tests/test_imports.py` lists the modules that it loads."""
    above = medians["import manikin"] - medians["import numpy"]
    rows = [[f"`{code}`", f"{1e3 * value:.1f}"] for code, value in medians.items()]
    rows += [["manikin above NumPy", f"{1e3 * above:.1f}{'' if above <= MOST else ' (above the bound)'}"]]
    return "\n".join([*pages.title("The import of manikin", head, method), *pages.table(["process", "ms"], rows)])


def main(arguments: list[str] | None = None) -> int:
    options = pages.parser("imports", (__doc__ or "").splitlines()[0]).parse_args(arguments)
    runs = 5 if options.quick else RUNS
    found = measured(runs)
    medians = {code: float(np.median(values)) for code, values in found.items()}
    head = header(options.quick, options.seed)
    text = page(head, medians, runs)
    path = pages.save("imports", options, {"header": head, "seconds": found}, text)
    print(text)
    print(f"results are in {path.parent}")
    return 0 if medians["import manikin"] - medians["import numpy"] <= MOST else 1


if __name__ == "__main__":
    sys.exit(main())
