"""The first fit with a finished calibration in a fresh process: seconds of CPU time.

    python -m benchmarks.marker_first RECORDING ATTACHMENTS

The modules are imported and the person is made before. Everything else that the first fit prepares counts.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

import manikin as mk
from manikin.motion.marker_fit.result import MarkerFit


def fresh(name: str, clean: MarkerFit, runs: int) -> float:
    """The median of several processes, in seconds."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "attachments.json"
        clean.attachments.save(path)
        command = [sys.executable, "-m", "benchmarks.marker_first", name, str(path)]
        return float(np.median([float(subprocess.check_output(command, text=True)) for _ in range(runs)]))


def main() -> None:
    from benchmarks.markers import load

    name, path = sys.argv[1:]
    attach, markers, person, fit = mk.Attachments.load(path), load(name), mk.human(), mk.fit_markers
    warnings.simplefilter("ignore")
    began = time.process_time()
    fit(person, markers, attach)
    print(time.process_time() - began)


if __name__ == "__main__":
    main()
