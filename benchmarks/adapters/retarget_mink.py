"""The loop of GMR on mink: ideal placements of the parts of a robot in, poses of the robot out.

    python retarget_mink.py WORK.npz OUT.npz

GMR (General Motion Retargeting) solves each frame in two stages, from the pose of the frame before. The first stage has
orientations of all parts and positions of feet, the second has positions of all parts too. Each stage repeats
differential steps until the error falls by less than 0.001, at most ten times after the first step. This is a separate
implementation of that loop with other weights.
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

    def __init__(self, model: mujoco.MjModel, bodies: list[str], parts: list[str]) -> None:
        self.configuration = mink.Configuration(model)
        self.limits = [mink.ConfigurationLimit(model)]
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

    def frame(self, rows: Any) -> Any:
        """The pose for the targets (parts, 7) of a frame: positions and quaternions w x y z."""
        for tasks in self.stages:
            for task, row in zip(tasks, rows, strict=True):
                task.set_target(mink.SE3.from_rotation_and_translation(mink.SO3(row[3:]), row[:3]))
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


def main(work: str, out: str) -> None:
    given = np.load(work)
    model = without_meshes(str(given["path"]))
    bodies, parts = [str(x) for x in given["bodies"]], [str(x) for x in given["parts"]]
    rows = given["targets"]  # (frames, parts, 7)
    loop = Loop(model, bodies, parts)
    start = np.array(model.qpos0)
    start[:7] = rows[0, parts.index("pelvis")]
    loop.configuration.update(start)
    for _ in range(20):  # the first pose is not timed
        loop.frame(rows[0])
    poses = []
    began = time.process_time()
    for frame in rows:
        poses.append(loop.frame(frame))
    seconds = time.process_time() - began
    joints = [model.joint(k).name for k in range(1, model.njnt)]
    columns = [int(model.joint(k).qposadr[0]) for k in range(1, model.njnt)]
    poses = np.array(poses)
    np.savez(out, root=poses[:, :7], angles=poses[:, columns], joints=joints, seconds=seconds, version=version("mink"))


if __name__ == "__main__":
    main(*sys.argv[1:])
