"""pytracik: TRAC-IK, two solvers in two threads, with random restarts."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pytracik
from harness import Work, main


class Peer:
    note = "SolveType.Speed, timeout 20 ms; two threads, whose CPU time is added"

    def __init__(self, work: Work) -> None:
        text = Path(work.path).read_text()
        eps = 0.5 * min(work.length, work.angle)
        self.solver = pytracik.TRAC_IK(work.base, work.links[0], text, 0.02, eps, pytracik.SolveType.Speed)
        assert pytracik.get_num_joints(self.solver) == len(work.joints)

    def start(self, q: Any) -> Any:
        return np.array(q)

    def target(self, rows: Any) -> Any:
        x, y, z, qw, qx, qy, qz = (float(v) for v in rows[0])
        return x, y, z, qx, qy, qz, qw

    def solve(self, q: Any, target: Any) -> Any:
        found = pytracik.ik(self.solver, q, *target)
        return found[1:] if found[0] >= 0 else None

    def pose(self, q: Any) -> Any:
        return np.array(q)


if __name__ == "__main__":
    main(Peer, version("pytracik"))
