"""Drake: `InverseKinematics` with SNOPT for cold starts; `DoDifferentialInverseKinematics` for arms along a path."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import numpy as np
from harness import Work, main, matrices
from pydrake.math import RotationMatrix
from pydrake.multibody.inverse_kinematics import (
    DifferentialInverseKinematicsParameters,
    DifferentialInverseKinematicsStatus,
    DoDifferentialInverseKinematics,
    InverseKinematics,
)
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant
from pydrake.solvers import SnoptSolver, SolverOptions
from stepper import Stepper


class Model:
    """The plant, and conversions of poses to its order."""

    def __init__(self, work: Work) -> None:
        self.work, self.free, self.first = work, work.free, work.first
        self.plant = MultibodyPlant(0.0)
        Parser(self.plant).AddModels(work.path)
        if not work.free:
            self.plant.WeldFrames(self.plant.world_frame(), self.plant.GetFrameByName(work.base))
        self.plant.Finalize()
        self.context = self.plant.CreateDefaultContext()
        self.world = self.plant.world_frame()
        self.frames = [self.plant.GetFrameByName(link) for link in work.links]
        self.columns = np.array([self.plant.GetJointByName(n).position_start() for n in work.joints])
        self.base = self.plant.GetBodyByName(work.base).floating_positions_start() if work.free else 0

    def start(self, q: Any) -> Any:
        out = np.zeros(self.plant.num_positions())
        if self.free:
            out[self.base : self.base + 7] = np.concatenate([q[3:7], q[:3]])  # Drake puts the quaternion first
        out[self.columns] = q[self.first :]
        return out

    def pose(self, q: Any) -> Any:
        joints = q[self.columns]
        if not self.free:
            return joints
        root = q[self.base : self.base + 7]
        return np.concatenate([root[4:], root[:4], joints])


class Optimizing(Model):
    """One nonlinear program for each target. For arms from cold starts, it tries random starts if it fails."""

    def __init__(self, work: Work) -> None:
        super().__init__(work)
        self.solver, self.options = SnoptSolver(), SolverOptions()
        self.options.SetOption(SnoptSolver.id(), "Major iterations limit", 200)
        # Constraints on angles are on their cosines. The default tolerance of 1e-6 would be 1.4 mrad.
        self.options.SetOption(SnoptSolver.id(), "Major feasibility tolerance", 1e-8)
        self.restarts = 10 if not work.free and work.mode != "track" and len(work.joints) < 20 else 0
        self.rng = np.random.default_rng(0)
        self.low, self.high = self.plant.GetPositionLowerLimits(), self.plant.GetPositionUpperLimits()
        self.note = "InverseKinematics, SNOPT" + (f", at most {self.restarts} restarts" if self.restarts else "")

    def target(self, rows: Any) -> Any:
        T = matrices(rows)
        return [(t[:3, 3].copy(), RotationMatrix(t[:3, :3])) for t in T]

    def solve(self, state: Any, target: Any) -> Any:
        ik = InverseKinematics(self.plant, self.context)
        slack = 0.99 * self.work.length / np.sqrt(3.0)
        for frame, kind, (point, R) in zip(self.frames, self.work.kinds, target, strict=True):
            if kind == "aim":
                ik.AddGazeTargetConstraint(
                    frame, np.zeros(3), np.array([0.0, 0.0, 1.0]), self.world, point, 0.9 * self.work.angle
                )
                continue
            ik.AddPositionConstraint(frame, np.zeros(3), self.world, point - slack, point + slack)
            if kind == "placement":
                ik.AddOrientationConstraint(self.world, R, frame, RotationMatrix(), 0.9 * self.work.angle)
        program, guess = ik.prog(), state
        for _ in range(1 + self.restarts):
            found = self.solver.Solve(program, guess, self.options)
            if found.is_success():
                return found.GetSolution(ik.q())
            guess = self.rng.uniform(np.maximum(self.low, -np.pi), np.minimum(self.high, np.pi))
        return None


class Differential(Model, Stepper):
    """One quadratic program for each step."""

    most = 10
    note = "DoDifferentialInverseKinematics"

    def __init__(self, work: Work) -> None:
        super().__init__(work)
        self.following = True
        n = self.plant.num_positions()
        self.parameters = DifferentialInverseKinematicsParameters(n, n)
        self.parameters.set_time_step(1.0)
        low, high = self.plant.GetPositionLowerLimits(), self.plant.GetPositionUpperLimits()
        self.parameters.set_joint_position_limits((low, high))
        self.q = np.zeros(n)

    def start(self, q: Any) -> Any:
        self.q = super().start(q)
        self.begin(self.q)
        return self.q

    def begin(self, state: Any) -> None:
        self.plant.SetPositions(self.context, state)

    def target(self, rows: Any) -> Any:
        return matrices(rows)[0]

    def aim(self, target: Any) -> None:
        self.goal = target
        self.error = self.apart()

    def apart(self) -> Any:
        """(6,) remaining rotation and translation, world axes."""
        X = self.frames[0].CalcPoseInWorld(self.context)
        R = self.goal[:3, :3] @ X.rotation().matrix().T
        # For small angles the antisymmetric part is the rotation vector.
        turn = 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
        return np.concatenate([turn, self.goal[:3, 3] - X.translation()])

    def step(self) -> bool:
        found = DoDifferentialInverseKinematics(self.plant, self.context, self.error, self.frames[0], self.parameters)
        if found.status == DifferentialInverseKinematicsStatus.kNoSolutionFound:
            return False
        self.q = np.clip(self.q + found.joint_velocities, self.work.lower[self.first :], self.work.upper[self.first :])
        self.plant.SetPositions(self.context, self.q)
        self.error = self.apart()
        return True

    def met(self, _target: Any) -> bool:
        e = self.error
        return bool(e[:3] @ e[:3] <= self.work.angle**2 and e[3:] @ e[3:] <= self.work.length**2)

    def state(self) -> Any:
        return self.q


def make(work: Work) -> Any:
    arm = not work.free and len(work.links) == 1 and work.kinds[0] == "placement"
    return Differential(work) if work.mode == "track" and arm else Optimizing(work)


if __name__ == "__main__":
    main(make, version("drake"))
