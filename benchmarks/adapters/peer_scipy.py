"""SciPy's L-BFGS-B on Pinocchio, with limits as bounds and an exact gradient. Arms get random restarts."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import numpy as np
import pinocchio as pin
from harness import Work, main, matrices
from scipy.optimize import minimize

LEVER = 0.3
"""One radian counts as this many metres."""


class Peer:
    def __init__(self, work: Work) -> None:
        if work.free:  # six plain numbers, so that a pose is a vector
            root = pin.JointModelComposite(2)
            root.addJoint(pin.JointModelTranslation())
            root.addJoint(pin.JointModelSphericalZYX())
            self.model = pin.buildModelFromUrdf(work.path, root)
        else:
            self.model = pin.buildModelFromUrdf(work.path)
        if self.model.nq != self.model.nv:
            raise RuntimeError("a continuous joint has two numbers in Pinocchio; this adapter has no place for them")
        self.data = self.model.createData()
        self.columns = np.array([self.model.joints[self.model.getJointId(n)].idx_q for n in work.joints])
        self.frames = [self.model.getFrameId(link) for link in work.links]
        self.kinds, self.work, self.free, self.first = work.kinds, work, work.free, work.first
        low, high = np.full(self.model.nq, -np.inf), np.full(self.model.nq, np.inf)
        low[self.columns], high[self.columns] = work.lower[work.first :], work.upper[work.first :]
        self.bounds, self.low, self.high = list(zip(low, high, strict=True)), low, high
        self.restarts = 30 if not work.free and work.mode != "track" and len(work.joints) < 20 else 0
        self.rng = np.random.default_rng(0)
        self.note = f"at most {self.restarts} restarts" if self.restarts else "one start"

    def start(self, q: Any) -> Any:
        out = np.zeros(self.model.nq)
        if self.free:
            w, x, y, z = q[3:7]
            out[:3] = q[:3]
            out[3] = np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
            out[4] = np.arcsin(np.clip(2 * (w * y - z * x), -1.0, 1.0))
            out[5] = np.arctan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y))
        out[self.columns] = q[self.first :]
        return out

    def target(self, rows: Any) -> Any:
        T = matrices(rows)
        return [(t[:3, 3].copy(), t[:3, :3].copy()) for t in T]

    def solve(self, state: Any, target: Any) -> Any:
        found = self.descend(state, target)
        tries = 0
        while not self.met and tries < self.restarts:
            low, high = np.maximum(self.low, -np.pi), np.minimum(self.high, np.pi)
            found = self.descend(self.rng.uniform(low, high), target)
            tries += 1
        return found

    def descend(self, start: Any, target: Any) -> Any:
        self.met = False
        options = {"maxiter": 300, "maxcor": 20, "ftol": 1e-14, "gtol": 1e-9}
        found = minimize(
            self.cost, start, (target,), "L-BFGS-B", jac=True, bounds=self.bounds, options=options, callback=self.stop
        )
        return found.x

    def cost(self, q: Any, target: Any) -> Any:
        """Half the sum of squares and its gradient. Records whether every goal is within tolerance."""
        pin.computeJointJacobians(self.model, self.data, q)
        value, gradient, met = 0.0, np.zeros(self.model.nv), True
        for frame, kind, (point, R) in zip(self.frames, self.kinds, target, strict=True):
            placed = pin.updateFramePlacement(self.model, self.data, frame)
            J = pin.getFrameJacobian(self.model, self.data, frame, pin.LOCAL_WORLD_ALIGNED)
            if kind == "aim":
                away = point - placed.translation
                length = np.linalg.norm(away)
                e = placed.rotation[:, 2] - away / length
                d = away / length
                value += 0.5 * LEVER**2 * (e @ e)
                across = e - d * (d @ e)
                gradient += LEVER**2 * (J[3:].T @ np.cross(placed.rotation[:, 2], e) + J[:3].T @ (across / length))
                met = met and np.linalg.norm(e) <= 0.99 * self.work.angle
                continue
            e = placed.translation - point
            value += 0.5 * (e @ e)
            gradient += J[:3].T @ e
            met = met and e @ e <= (0.99 * self.work.length) ** 2
            if kind == "placement":
                phi = pin.log3(placed.rotation @ R.T)
                value += 0.5 * LEVER**2 * (phi @ phi)
                gradient += LEVER**2 * (J[3:].T @ phi)
                met = met and phi @ phi <= (0.99 * self.work.angle) ** 2
        self.met, self.now = met, q
        return value, gradient

    def stop(self, intermediate_result: Any) -> None:
        if self.met and np.array_equal(intermediate_result.x, self.now):
            raise StopIteration

    def pose(self, q: Any) -> Any:
        joints = q[self.columns]
        if not self.free:
            return joints
        (cz, cy, cx), (sz, sy, sx) = np.cos(0.5 * q[3:6]), np.sin(0.5 * q[3:6])
        turn = [
            cx * cy * cz + sx * sy * sz,
            sx * cy * cz - cx * sy * sz,
            cx * sy * cz + sx * cy * sz,
            cx * cy * sz - sx * sy * cz,
        ]
        return np.concatenate([q[:3], turn, joints])


if __name__ == "__main__":
    main(Peer, f"{version('scipy')} on pin {version('pin')}")
