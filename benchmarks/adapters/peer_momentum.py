"""pymomentum: Gauss-Newton over error functions, in float32 and centimetres. Limits are additional error functions."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pymomentum.geometry as geometry
import pymomentum.solver2 as solver
from harness import Frames, Work, main, matrices
from stepper import STEPS

CM = 100.0
ROOT = 10.0
"""pymomentum measures the position of a floating joint in units of 0.1 m."""
TURN_WEIGHT = 30.0**2
"""One radian counts as 30 cm. The error of an orientation is the difference of two matrices, which is √2 times the
angle."""


class Peer:
    def __init__(self, work: Work) -> None:
        path = work.path
        if work.free:  # pymomentum moves a root only if the file says so
            text = Path(path).read_text()
            floating = (
                f'<link name="world_link"/><joint name="floating_base" type="floating"><parent link="world_link"/>'
                f'<child link="{work.base}"/><origin xyz="0 0 0" rpy="0 0 0"/></joint></robot>'
            )
            path = path.replace(".urdf", "-floating.urdf")
            Path(path).write_text(text.replace("</robot>", floating))
        self.character = geometry.Character.load_urdf(path)
        names = list(self.character.parameter_transform.names)
        self.columns = np.array([names.index(n) for n in work.joints])
        slides = np.array([_is_prismatic(work.path, n) for n in work.joints])
        self.units = np.where(slides, CM, 1.0)
        self.root = [i for i in range(len(names)) if names[i] not in set(work.joints)]
        self.free, self.first, self.size = work.free, work.first, len(names)
        assert len(self.root) == (6 if work.free else 0), names
        joints = list(self.character.skeleton.joint_names)
        self.kinds = np.array(work.kinds)
        of = np.array([joints.index(link) for link in work.links], dtype=np.int32)
        self.moves, self.turns, self.aims = (self.kinds != "aim"), (self.kinds == "placement"), (self.kinds == "aim")
        self.move_of, self.turn_of, self.aim_of = of[self.moves], of[self.turns], of[self.aims]
        functions: list[Any] = []
        self.move = solver.PositionErrorFunction(self.character)
        self.turn = solver.OrientationErrorFunction(self.character, weight=0.5 * TURN_WEIGHT)
        self.aim = solver.AimDirErrorFunction(self.character, weight=TURN_WEIGHT)
        for function, wanted in ((self.move, self.moves), (self.turn, self.turns), (self.aim, self.aims)):
            if wanted.any():
                functions.append(function)
        functions.append(solver.LimitErrorFunction(self.character, weight=TURN_WEIGHT))
        self.function = solver.SkeletonSolverFunction(self.character, functions)
        self.links, self.check = of, Frames(work)
        self.large = self.size > 500
        self.choose(20 if self.large else 100)

    def choose(self, most: int) -> None:
        """The solver with at most `most` iterations. The settings were found by trial: large figures need the QR
        solver."""
        options = solver.GaussNewtonSolverQROptions() if self.large else solver.GaussNewtonSolverOptions()
        options.max_iterations, options.min_iterations = most, 1
        options.threshold = 10.0 if self.large else 1e4
        options.regularization, options.do_line_search = (1e-5, False) if self.large else (1.0, True)
        kind = solver.GaussNewtonSolverQR if self.large else solver.GaussNewtonSolver
        self.solver = kind(self.function, options)
        self.note = f"{kind.__name__}, at most {most} iterations, then apply_model_param_limits; float32"

    def prepare(self, first: Any, goals: Any) -> None:
        """For paths: finds the least number of iterations with which the first frames are within tolerance."""
        best = (-1, 0)
        for count in STEPS:
            self.choose(count)
            state, good = self.start(first), 0
            for goal in goals:
                state = self.solve(state, goal)
                placed = geometry.model_parameters_to_skeleton_state(self.character, state[None])[0, self.links]
                T = matrices(np.concatenate([placed[:, :3] / CM, placed[:, [6, 3, 4, 5]]], axis=1))
                good += self.check.met(T[:, :3, 3], T[:, :3, :3], goal[3])
            if good > best[0]:
                best = (good, count)
            if good == len(goals):
                break
        self.choose(best[1])

    def start(self, q: Any) -> Any:
        out = np.zeros(self.size, dtype=np.float32)
        if self.free:
            out[self.root[:3]] = ROOT * q[:3]
            out[self.root[3:]] = _euler(q[3:7])
        out[self.columns] = self.units * q[self.first :]
        return out

    def target(self, rows: Any) -> Any:
        points = np.ascontiguousarray(CM * rows[:, :3], dtype=np.float32)
        turns = np.ascontiguousarray(rows[:, [4, 5, 6, 3]], dtype=np.float32)  # pymomentum uses xyzw
        return points[self.moves], turns[self.turns], points[self.aims], matrices(rows)

    def solve(self, state: Any, target: Any) -> Any:
        points, turns, looked, _ = target
        if len(points):
            self.move.clear_constraints()
            self.move.add_constraints(self.move_of, target=points)
        if len(turns):
            self.turn.clear_constraints()
            self.turn.add_constraints(turns, self.turn_of)
        if len(looked):
            self.aim.clear_constraints()
            zero = np.zeros_like(looked)
            self.aim.add_constraints(zero, zero + np.float32([0, 0, 1]), looked, self.aim_of, None)
        return self.character.apply_model_param_limits(self.solver.solve(state))

    def pose(self, state: Any) -> Any:
        q = np.asarray(state, dtype=float)
        joints = q[self.columns] / self.units
        if not self.free:
            return joints
        return np.concatenate([q[self.root[:3]] / ROOT, _quaternion(q[self.root[3:]]), joints])


def _is_prismatic(path: str, joint: str) -> bool:
    return f'<joint name="{joint}" type="prismatic">' in Path(path).read_text()


def _euler(q: Any) -> Any:
    """(x, y, z) with R = Rz Ry Rx, from a quaternion wxyz."""
    w, x, y, z = q
    return np.array(
        [
            np.arctan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)),
            np.arcsin(np.clip(2 * (w * y - z * x), -1.0, 1.0)),
            np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)),
        ]
    )


def _quaternion(a: Any) -> Any:
    cx, cy, cz = np.cos(0.5 * np.asarray(a))
    sx, sy, sz = np.sin(0.5 * np.asarray(a))
    return np.array(
        [
            cx * cy * cz + sx * sy * sz,
            sx * cy * cz - cx * sy * sz,
            cx * sy * cz + sx * cy * sz,
            cx * cy * sz - sx * sy * cz,
        ]
    )


if __name__ == "__main__":
    main(Peer, version("pymomentum-core"))
