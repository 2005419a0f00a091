"""pin-pink: differential inverse kinematics on Pinocchio, one quadratic program for each step (DAQP)."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import numpy as np
import pink
import pinocchio as pin
from harness import Frames, Work, main, matrices
from pink.limits import ConfigurationLimit
from stepper import Stepper


class Peer(Stepper):
    note = "solve_ik with DAQP"

    def __init__(self, work: Work) -> None:
        if work.free:
            self.model = pin.buildModelFromUrdf(work.path, pin.JointModelFreeFlyer())
        else:
            self.model = pin.buildModelFromUrdf(work.path)
        self.columns = np.array([self.model.joints[self.model.getJointId(n)].idx_q for n in work.joints])
        self.wraps = [self.model.joints[self.model.getJointId(n)].nq == 2 for n in work.joints]  # continuous: cos, sin
        self.following = work.mode == "track"
        self.free, self.first = work.free, work.first
        self.tasks = []
        for link, kind in zip(work.links, work.kinds, strict=True):
            self.tasks.append(pink.FrameTask(link, 1.0, 0.3 if kind == "placement" else 0.0))
        self.configuration = pink.Configuration(self.model, self.model.createData(), pin.neutral(self.model))
        self.limits = [ConfigurationLimit(self.model, config_limit_gain=1.0)]
        self.frames, self.check = [self.model.getFrameId(link) for link in work.links], Frames(work)

    def start(self, q: Any) -> Any:
        out = pin.neutral(self.model)
        if self.free:
            out[:3], out[3:6], out[6] = q[:3], q[4:7], q[3]  # Pinocchio uses xyzw
        for at, wraps, x in zip(self.columns, self.wraps, q[self.first :], strict=True):
            if wraps:
                out[at], out[at + 1] = np.cos(x), np.sin(x)
            else:
                out[at] = x
        self.begin(out)
        return out

    def begin(self, state: Any) -> None:
        self.configuration.update(state)

    def target(self, rows: Any) -> Any:
        T = matrices(rows)
        return [pin.SE3(t) for t in T], T

    def aim(self, target: Any) -> None:
        for task, T in zip(self.tasks, target[0], strict=True):
            task.set_target(T)

    def step(self) -> bool:
        try:
            v = pink.solve_ik(
                self.configuration, self.tasks, 1.0, "daqp", damping=1e-4, limits=self.limits, safety_break=False
            )
        except pink.PinkError:
            return False
        self.configuration.integrate_inplace(v, 1.0)
        return True

    def met(self, target: Any) -> bool:
        placed = [self.configuration.data.oMf[f] for f in self.frames]
        return self.check.met(
            np.array([p.translation for p in placed]), np.array([p.rotation for p in placed]), target[1]
        )

    def state(self) -> Any:
        return np.array(self.configuration.q)

    def pose(self, q: Any) -> Any:
        joints = [
            np.arctan2(q[at + 1], q[at]) if wraps else q[at] for at, wraps in zip(self.columns, self.wraps, strict=True)
        ]
        return np.concatenate([q[:3], q[6:7], q[3:6], joints]) if self.free else np.array(joints)


if __name__ == "__main__":
    main(Peer, version("pin-pink"))
