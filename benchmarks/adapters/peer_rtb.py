"""roboticstoolbox-python: `ETS.ik_LM`, its compiled Levenberg-Marquardt solver with restarts."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import numpy as np
import roboticstoolbox as rtb
from harness import Work, main, matrices
from roboticstoolbox.models.URDF.URDFRobot import URDF_file

GAINS = (1.0, 0.1, 0.01)
"""Gains in the range that the documentation gives for the method "chan". The fastest one on the first targets is
used."""


class Peer:
    def __init__(self, work: Work) -> None:
        links, name, *_ = URDF_file(work.path)
        robot = rtb.Robot(links, name=name)
        self.ets = robot.ets(end=work.links[0])
        moving = [link.name for link in robot.links if link.isjoint]
        child = {link.name: link for link in robot.links}
        on_way, link = [], child[work.links[0]]
        while link is not None:
            if link.isjoint:
                on_way.append(link)
            link = link.parent
        assert len(on_way) == len(work.joints) == len(moving) == self.ets.n
        self.mask = None if work.kinds[0] == "placement" else np.array([1.0, 1.0, 1.0, 0.0, 0.0, 0.0])
        self.tol = 0.5 * (0.99 * min(work.length, work.angle)) ** 2  # bound of half the squared error
        self.work, self.gain = work, 0.1
        self._choose()
        self.note = f"ik_LM, chan, k = {self.gain:g}"

    def _choose(self) -> None:
        import time

        tried = []
        rng = np.random.default_rng(0)
        low = np.where(np.isfinite(self.work.lower), self.work.lower, -np.pi)
        high = np.where(np.isfinite(self.work.upper), self.work.upper, np.pi)
        goals = [self.ets.eval(rng.uniform(low, high)) for _ in range(100)]
        starts = rng.uniform(low, high, (100, len(low)))
        for gain in GAINS:
            self.gain, began = gain, time.perf_counter()
            failed = sum(self.solve(q, goal) is None for q, goal in zip(starts, goals, strict=True))
            tried.append((failed, time.perf_counter() - began, gain))
        self.gain = min(tried)[2]

    def start(self, q: Any) -> Any:
        return np.array(q)

    def target(self, rows: Any) -> Any:
        return matrices(rows[0])

    def solve(self, q: Any, T: Any) -> Any:
        found = self.ets.ik_LM(T, q0=q, tol=self.tol, mask=self.mask, k=self.gain)
        return found.q if found.success else None

    def pose(self, q: Any) -> Any:
        return q


if __name__ == "__main__":
    main(Peer, version("roboticstoolbox-python"))
