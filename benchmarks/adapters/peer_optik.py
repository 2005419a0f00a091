"""optik-py: nonlinear optimisation with random restarts, one thread."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import numpy as np
import optik
from harness import Work, main, matrices


class Peer:
    def __init__(self, work: Work) -> None:
        self.robot = optik.Robot.from_urdf_file(work.path, work.base, work.links[0])
        self.robot.set_parallelism(1)
        turning = 1.0 if work.kinds[0] == "placement" else 0.0
        # The objective is half the squared error. It stops when that is below the smaller tolerance.
        small = 0.99 * (min(work.length, work.angle) if turning else work.length)
        self.config = optik.SolverConfig(
            solution_mode="speed", max_time=0.1, tol_f=0.5 * small**2, angular_weight=[turning] * 3
        )
        self.note = "SolverConfig(solution_mode='speed'), one thread"

    def start(self, q: Any) -> Any:
        return [float(x) for x in q]

    def target(self, rows: Any) -> Any:
        return matrices(rows[0]).tolist()

    def solve(self, q: Any, T: Any) -> Any:
        found = self.robot.ik(self.config, T, q)
        return None if found is None else found[0]

    def pose(self, q: Any) -> Any:
        return np.array(q)


if __name__ == "__main__":
    main(Peer, version("optik-py"))
