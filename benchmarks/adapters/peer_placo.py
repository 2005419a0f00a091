"""placo: one quadratic program for each step, in C++."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import numpy as np
import placo
from harness import Work, main, matrices
from stepper import Stepper


class Peer(Stepper):
    note = "KinematicsSolver, soft tasks, joint limits"

    def __init__(self, work: Work) -> None:
        self.robot = placo.RobotWrapper(work.path, placo.Flags.ignore_collisions)
        self.solver = placo.KinematicsSolver(self.robot)
        self.solver.mask_fbase(not work.free)
        self.solver.enable_joint_limits(work.limited)
        self.solver.dt = 1.0
        self.tasks: list[Any] = []
        for link, kind in zip(work.links, work.kinds, strict=True):
            if kind == "placement":
                task = self.solver.add_frame_task(link, np.eye(4))
                task.configure(link, "soft", 1.0, 0.3)
                self.tasks.append((task, task.position(), task.orientation()))
            else:
                task = self.solver.add_position_task(link, np.zeros(3))
                task.configure(link, "soft", 1.0)
                self.tasks.append((task, task, None))
        self.solver.add_regularization_task(1e-5)
        self.columns = np.array([self.robot.get_joint_offset(name) for name in work.joints])
        self.following = work.mode == "track"
        self.free, self.first = work.free, work.first
        self.length, self.angle = work.length, work.angle
        self.neutral = np.array(self.robot.state.q)

    def start(self, q: Any) -> Any:
        out = self.neutral.copy()
        if self.free:
            out[:3], out[3:6], out[6] = q[:3], q[4:7], q[3]  # placo uses xyzw
        out[self.columns] = q[self.first :]
        self.begin(out)
        return out

    def begin(self, state: Any) -> None:
        self.robot.state.q = state
        self.robot.update_kinematics()

    def target(self, rows: Any) -> Any:
        T = matrices(rows)
        return [t if turn is not None else t[:3, 3].copy() for t, (_, _, turn) in zip(T, self.tasks, strict=True)]

    def aim(self, target: Any) -> None:
        for (task, _, turn), T in zip(self.tasks, target, strict=True):
            if turn is None:
                task.target_world = T
            else:
                task.T_world_frame = T

    def step(self) -> bool:
        try:
            self.solver.solve(True)
        except RuntimeError:  # the program has no solution
            return False
        self.robot.update_kinematics()
        return True

    def met(self, _target: Any) -> bool:
        for _, move, turn in self.tasks:
            move.update()
            if move.error_norm() > self.length:
                return False
            if turn is not None:
                turn.update()
                if turn.error_norm() > self.angle:
                    return False
        return True

    def state(self) -> Any:
        return np.array(self.robot.state.q)

    def pose(self, q: Any) -> Any:
        joints = q[self.columns]
        return np.concatenate([q[:3], q[6:7], q[3:6], joints]) if self.free else joints


if __name__ == "__main__":
    main(Peer, version("placo"))
