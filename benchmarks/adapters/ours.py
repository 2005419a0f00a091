"""manikin in the same harness as the peers: `ours.py workload.npz result.npz call|whole [threads]`.

`call` is one `solver.solve(q, row)` for each target or frame, as a Python user would call it. `whole` is `solver.track`
or `solver.solve_many`.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from harness import Work, main

import manikin as mk


class Ours:
    def __init__(self, work: Work) -> None:
        if work.path.endswith(".json"):
            self.figure = mk.load_figure(work.path)
            self.columns = np.arange(self.figure.nq)
        else:
            self.figure = mk.load_figure(work.path, root=work.root)
            names = [self.figure.index_of(name) for name in work.joints]
            self.columns = np.array([*range(work.first), *names], dtype=np.intp)
        self.solver = mk.Solver(self.figure, [self._goal(work, i) for i in range(len(work.links))])
        self.kinds, self.one = work.kinds, self.solver.solve

    def _goal(self, work: Work, i: int) -> Any:
        link, kind = work.links[i], work.kinds[i]
        if kind == "placement":
            return mk.Placement(link, np.eye(4), tolerance=(work.length, work.angle))
        if kind == "position":
            return mk.Position(link, (0.0, 0.0, 0.0), tolerance=work.length)
        return mk.Aim(link, (1.0, 1.0, 1.0), axis=(0.0, 0.0, 1.0), tolerance=work.angle)

    def start(self, q: Any) -> Any:
        out = np.zeros(self.figure.nq)
        out[self.columns] = q
        return np.ascontiguousarray(out)

    def starts(self, q: Any) -> Any:
        out = np.zeros((len(q), self.figure.nq))
        out[:, self.columns] = q
        return out

    def target(self, rows: Any) -> Any:
        return np.concatenate([r if k == "placement" else r[:3] for r, k in zip(rows, self.kinds, strict=True)])

    def targets(self, rows: Any) -> Any:
        return np.array([self.target(r) for r in rows])

    def solve(self, q: Any, row: Any) -> Any:
        return self.one(q, row).pose

    def pose(self, q: Any) -> Any:
        return q[self.columns]


class Whole(Ours):
    threads = 1

    def follow(self, first: Any, goals: Any) -> Any:
        found = self.solver.track(first, goals)
        self.said = found.reached
        return found.poses

    def solve_many(self, starts: Any, targets: Any) -> Any:
        found = self.solver.solve_many(starts, targets, threads=self.threads)
        self.said = found.reached
        return found.poses


if __name__ == "__main__":
    if len(sys.argv) > 4:
        Whole.threads = int(sys.argv[4])
    main(Whole if sys.argv[3] == "whole" else Ours, mk.__version__)
