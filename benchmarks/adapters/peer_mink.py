"""mink: differential inverse kinematics on MuJoCo, one quadratic program for each step (DAQP)."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import mink
import mujoco
import numpy as np
from harness import Frames, Work, main, matrices
from stepper import Stepper


class Peer(Stepper):
    def __init__(self, work: Work) -> None:
        spec = mujoco.MjSpec.from_file(work.path)
        spec.compiler.fusestatic = False
        if work.free:
            spec.body(work.base).add_freejoint()
        self.model = spec.compile()
        self.columns = np.array([self.model.joint(name).qposadr[0] for name in work.joints])
        self.following = work.mode == "track"
        self.free, self.first = work.free, work.first
        self.tasks = []
        for link, kind in zip(work.links, work.kinds, strict=True):
            self.tasks.append(mink.FrameTask(link, "body", 1.0, 0.3 if kind == "placement" else 0.0))
        # DAQP is the fastest here, except when hundreds of limits become active at once.
        self.program = "osqp" if len(work.links) > 20 else "daqp"
        self.note, self.clip = f"solve_ik with {self.program.upper()}", self.program == "osqp"
        if self.clip:
            self.most = 100
            self.low, self.high = np.full(self.model.nq, -np.inf), np.full(self.model.nq, np.inf)
            self.low[self.columns], self.high[self.columns] = work.lower[self.first :], work.upper[self.first :]
        self.configuration = mink.Configuration(self.model)
        self.limits = [mink.ConfigurationLimit(self.model, gain=0.999)] if work.limited else []
        self.bodies, self.check = [self.model.body(link).id for link in work.links], Frames(work)

    def start(self, q: Any) -> Any:
        out = np.zeros(self.model.nq)
        out[: self.first] = q[: self.first]
        out[self.columns] = q[self.first :]
        self.begin(out)
        return out

    def begin(self, state: Any) -> None:
        self.configuration.update(state)

    def target(self, rows: Any) -> Any:
        return [mink.SE3(np.concatenate([r[3:], r[:3]])) for r in rows], matrices(rows)

    def aim(self, target: Any) -> None:
        for task, T in zip(self.tasks, target[0], strict=True):
            task.set_target(T)

    def step(self) -> bool:
        try:
            v = mink.solve_ik(self.configuration, self.tasks, 1.0, self.program, damping=1e-4, limits=self.limits)
        except mink.MinkError:
            return False
        self.configuration.integrate_inplace(v, 1.0)
        if self.clip:  # OSQP satisfies the limits only approximately
            self.configuration.update(np.clip(self.configuration.q, self.low, self.high))
        return True

    def met(self, target: Any) -> bool:
        data = self.configuration.data
        return self.check.met(data.xpos[self.bodies], data.xmat[self.bodies].reshape(-1, 3, 3), target[1])

    def state(self) -> Any:
        return np.array(self.configuration.q)

    def pose(self, q: Any) -> Any:
        return np.concatenate([q[: self.first], q[self.columns]])


if __name__ == "__main__":
    main(Peer, version("mink"))
