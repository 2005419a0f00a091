"""Loads files, one after the other, in a process with limits; says of each what came of it. Run by `hostile.py`.

Arguments: mebibytes of memory that may be taken beyond what Python and the libraries have, seconds a file may take.
Input: lines of role (figure, motion, markers), a tab, and a path. Output: a line of JSON before and after each file.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import time
import warnings
from typing import Any

import numpy as np

import manikin as mk


def main() -> None:
    megabytes, seconds = int(sys.argv[1]), float(sys.argv[2])
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print
    limited = False
    for line in sys.stdin:
        role, _, path = line.rstrip("\n").partition("\t")
        print(json.dumps({"begins": path, "role": role}), file=out, flush=True)
        signal.setitimer(signal.ITIMER_REAL, seconds)
        told = load(role, path)
        signal.setitimer(signal.ITIMER_REAL, 0)
        print(json.dumps({"path": path, "role": role, **told}), file=out, flush=True)
        if not limited:  # the first file is a good one, which loads the libraries
            limited = True
            resource.setrlimit(resource.RLIMIT_AS, (address_space() + megabytes * 2**20, resource.RLIM_INFINITY))


def load(role: str, path: str) -> dict[str, Any]:
    begun = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mk.errors.OddFile)
        warnings.filterwarnings("error", category=RuntimeWarning)
        try:
            thing = getattr(mk, f"load_{role}")(path)
            told = {"kind": "loaded", "message": "", "usable": usable(thing)}
        except Exception as error:
            told = {"kind": type(error).__name__, "message": str(error), "bad": isinstance(error, mk.errors.BadFile)}
    return {**told, "seconds": time.perf_counter() - begun}


def usable(thing: Any) -> bool:
    """Whether what was loaded can be computed with: everything finite, gaps of markers aside."""
    if isinstance(thing, mk.Markers):
        return bool(np.isfinite(thing.positions[thing.present]).all() and np.isfinite(thing.times).all())
    figure = thing if isinstance(thing, mk.Figure) else thing.figure
    poses = figure.rest[None] if isinstance(thing, mk.Figure) else thing.poses[:: max(1, len(thing) // 3)]
    return bool(np.isfinite(figure.placements(poses)).all() and np.isfinite(figure.size))


def address_space() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


if __name__ == "__main__":
    main()
