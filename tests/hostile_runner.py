"""Loads files, one after the other, in a process with limits; says of each what came of it. Run by `hostile.py`.

Arguments: mebibytes of memory that may be taken beyond what Python and the libraries have, seconds of processor time a
file may take. A process that waits for long instead of computing ends too.
Input: lines of role (figure, motion, markers, or a door of `doors`), a tab, and a path.
Output: a line of JSON before and after each file.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import warnings
from pathlib import Path
from typing import Any

import doors
import numpy as np

import manikin as mk

WAIT = 600.0
"""Seconds that a file may take at all, so that one that waits for something ends."""


def main() -> None:
    megabytes, seconds = int(sys.argv[1]), float(sys.argv[2])
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print
    limits = {signal.ITIMER_PROF: seconds, signal.ITIMER_REAL: WAIT}
    limited = False
    for line in sys.stdin:
        role, _, path = line.rstrip("\n").partition("\t")
        print(json.dumps({"begins": path, "role": role}), file=out, flush=True)
        for clock, most in limits.items():
            signal.setitimer(clock, most)
        told = load(role, path)
        for clock in limits:
            signal.setitimer(clock, 0)
        print(json.dumps({"path": path, "role": role, **told}), file=out, flush=True)
        if not limited:  # the first file is a good one, which loads the libraries
            limited = True
            resource.setrlimit(resource.RLIMIT_AS, (address_space() + megabytes * 2**20, resource.RLIM_INFINITY))


def load(role: str, path: str) -> dict[str, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mk.errors.OddFile)
        warnings.filterwarnings("error", category=RuntimeWarning)
        try:
            if role in doors.DOORS:
                doors.DOORS[role].load(Path(path))
                return {"kind": "loaded", "message": ""}
            thing = getattr(mk, f"load_{role}")(path)
            return {"kind": "loaded", "message": "", "usable": usable(thing)}
        except Exception as error:
            kind = mk.errors.ManikinError if role in doors.DOORS else mk.errors.BadFile
            return {"kind": type(error).__name__, "message": str(error), "bad": isinstance(error, kind)}


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
