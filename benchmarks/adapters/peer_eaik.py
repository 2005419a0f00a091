"""EAIK: analytic solutions for arms with suitable axes (here the UR5)."""

from __future__ import annotations

import sys
from importlib.metadata import version
from typing import Any

import numpy as np
from eaik.IK_URDF import UrdfRobot
from harness import Work, main, matrices
from urchin import URDF

TURN = 2.0 * np.pi


class Peer:
    note = "all solutions computed, the first exact one taken"

    def __init__(self, work: Work) -> None:
        self.robot = UrdfRobot(work.path)
        if not self.robot.hasKnownDecomposition():
            raise RuntimeError(f"EAIK knows no decomposition: {self.robot.getKinematicFamily()}")
        urdf = URDF.load(work.path, lazy_load_meshes=True)
        zero = urdf.link_fk()[urdf.link_map[work.links[0]]]
        # EAIK places the last axis and not the tool. A constant placement is between the two.
        self.shift = np.linalg.inv(zero) @ self.robot.fwdKin(np.zeros(len(work.joints)))
        self.lower, self.upper = work.lower, work.upper
        if work.mode == "track" or "near" in sys.argv:
            self.solve = self.near
            self.note = "all solutions computed, the nearest taken"

    def start(self, q: Any) -> Any:
        return np.array(q)

    def starts(self, q: Any) -> Any:
        return q

    def target(self, rows: Any) -> Any:
        return matrices(rows[0]) @ self.shift

    def targets(self, rows: Any) -> Any:
        return list(matrices(rows[:, 0]) @ self.shift)

    def solve(self, _q: Any, T: Any) -> Any:
        return self.first(self.robot.IK(T))

    def first(self, found: Any) -> Any:
        for solution, approximate in zip(found.Q, found.is_LS, strict=True):
            if not approximate:
                return solution
        return None

    def near(self, q: Any, T: Any) -> Any:
        found = self.robot.IK(T)
        Q = np.asarray(found.Q)[~np.asarray(found.is_LS, dtype=bool)]
        if not len(Q):
            return None
        Q = Q + TURN * np.round((q - Q) / TURN)
        Q = Q - TURN * (self.upper < Q) + TURN * (self.lower > Q)
        return Q[np.abs(Q - q).max(axis=1).argmin()]

    def solve_many(self, _starts: Any, targets: Any) -> Any:
        return [self.first(found) for found in self.robot.IK_batched(targets, 1)]

    def pose(self, q: Any) -> Any:
        return q


if __name__ == "__main__":
    main(Peer, version("EAIK"))
