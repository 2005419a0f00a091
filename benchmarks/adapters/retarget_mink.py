"""The loop of GMR on mink: ideal placements of the parts of a robot in, poses of the robot out.

    python retarget_mink.py WORK.npz OUT.npz

GMR (General Motion Retargeting) solves each frame in two stages, from the pose of the frame before. The first stage has
orientations of all parts and positions of feet, the second has positions of all parts too. Each stage repeats
differential steps until the error falls by less than 0.001, at most ten times after the first step. This is a separate
implementation of that loop with other weights.

The loop runs twice. The first run does the work of GMR's `retarget` method:

- For each frame it scales the positions of all parts relative to the hips and applies an offset to each placement. The
  scales are 1 and the offsets are zero here, so the targets do not change.
- It calls `mink.solve_ik` without `limits`, so mink builds the joint limits from the model in every step. GMR builds
  them once, but passes them in the place of the argument `safety_break`.

The second run leaves out both: targets are used directly, and the limits are built once. The poses are the same.
"""

from __future__ import annotations

import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from importlib.metadata import version
from pathlib import Path
from typing import Any

import mink
import mujoco
import numpy as np
from scipy.spatial.transform import Rotation

STAGES = ({"other": (0.0, 8.0), "foot": (40.0, 8.0)}, {"other": (12.0, 4.0), "foot": (40.0, 4.0)})
"""Weights (position, orientation) of feet and other parts in both stages."""
LEAST_GAIN = 1e-3
"""A stage ends if the error falls by less than this in a step."""
MOST_STEPS = 10
"""Largest number of steps of a stage, after its first step."""
DAMPING = 0.5
TASK_DAMPING = 1.0


def without_meshes(path: str) -> mujoco.MjModel:
    """Loads a model whose mesh files are missing."""
    tree = ElementTree.parse(path)
    for parent in tree.iter():
        for child in list(parent):
            if child.tag == "mesh" or (child.tag == "geom" and "mesh" in child.attrib):
                parent.remove(child)
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "robot.xml"
        tree.write(plain)
        return mujoco.MjModel.from_xml_path(str(plain))


class Loop:
    """Two stages of tasks on one configuration."""

    def __init__(self, model: mujoco.MjModel, bodies: list[str], parts: list[str], lean: bool) -> None:
        self.configuration = mink.Configuration(model)
        self.limits = [mink.ConfigurationLimit(model)] if lean else None
        self.lean = lean
        self.root = parts.index("pelvis")
        self.scales = np.ones(len(parts))
        self.offsets = [(Rotation.identity(), np.zeros(3)) for _ in parts]
        self.steps = 0
        self.stages = []
        for table in STAGES:
            costs = [table["foot" if part.endswith("foot") else "other"] for part in parts]
            self.stages.append(
                [
                    mink.FrameTask(body, "body", position, orientation, lm_damping=TASK_DAMPING)
                    for body, (position, orientation) in zip(bodies, costs, strict=True)
                ]
            )
        self.dt = model.opt.timestep

    def error(self, tasks: list[Any]) -> float:
        return float(np.linalg.norm(np.concatenate([task.compute_error(self.configuration) for task in tasks])))

    def step(self, tasks: list[Any]) -> None:
        velocity = mink.solve_ik(self.configuration, tasks, self.dt, "daqp", damping=DAMPING, limits=self.limits)
        self.configuration.integrate_inplace(velocity, self.dt)
        self.steps += 1

    def targets(self, rows: Any) -> list[tuple[Any, Any]]:
        """The quaternion and the position of each part, scaled relative to the hips and then offset."""
        root = rows[self.root, :3]
        out = []
        for row, scale, (turn, way) in zip(rows, self.scales, self.offsets, strict=True):
            at = scale * (row[:3] - root) + self.scales[self.root] * root
            turned = (Rotation.from_quat(row[3:], scalar_first=True) * turn).as_quat(scalar_first=True)
            out.append((turned, at + Rotation.from_quat(turned, scalar_first=True).apply(way)))
        return out

    def frame(self, rows: Any) -> Any:
        """The pose for the targets (parts, 7) of a frame: positions and quaternions w x y z."""
        wanted = [(row[3:], row[:3]) for row in rows] if self.lean else self.targets(rows)
        for tasks in self.stages:
            for task, (turn, at) in zip(tasks, wanted, strict=True):
                task.set_target(mink.SE3.from_rotation_and_translation(mink.SO3(turn), at))
        for tasks in self.stages:
            before = self.error(tasks)
            self.step(tasks)
            now = self.error(tasks)
            for _ in range(MOST_STEPS):
                if before - now <= LEAST_GAIN:
                    break
                before = now
                self.step(tasks)
                now = self.error(tasks)
        return self.configuration.q.copy()


def run(model: mujoco.MjModel, bodies: list[str], parts: list[str], rows: Any, lean: bool) -> tuple[Any, float, float]:
    """(frames, nq) poses, the seconds of the loop, and the number of steps per frame."""
    loop = Loop(model, bodies, parts, lean)
    start = np.array(model.qpos0)
    start[:7] = rows[0, loop.root]
    loop.configuration.update(start)
    for _ in range(20):  # the first pose is not timed
        loop.frame(rows[0])
    loop.steps = 0
    began = time.process_time()
    poses = [loop.frame(frame) for frame in rows]
    return np.array(poses), time.process_time() - began, loop.steps / len(rows)


def main(work: str, out: str) -> None:
    given = np.load(work)
    model = without_meshes(str(given["path"]))
    bodies, parts = [str(x) for x in given["bodies"]], [str(x) for x in given["parts"]]
    rows = given["targets"]  # (frames, parts, 7)
    poses, seconds, steps = run(model, bodies, parts, rows, lean=False)
    lean_poses, lean_seconds, _ = run(model, bodies, parts, rows, lean=True)
    joints = [model.joint(k).name for k in range(1, model.njnt)]
    columns = [int(model.joint(k).qposadr[0]) for k in range(1, model.njnt)]
    np.savez(
        out,
        root=poses[:, :7],
        angles=poses[:, columns],
        joints=joints,
        seconds=seconds,
        lean_seconds=lean_seconds,
        lean_apart=np.abs(poses - lean_poses).max(),
        steps=steps,
        version=version("mink"),
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
