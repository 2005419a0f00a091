"""The second step of a frame may use the Jacobian of the first. That costs hardly a step and no reached frame."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import manikin as mk
from manikin import backend, rotations

pytestmark = pytest.mark.skipif(not backend.native, reason="MANIKIN_BACKEND=reference: there is no native solver")

PARTS = ["Hips", "Head", "LeftHand", "RightHand", "LeftFoot", "RightFoot"]
FRAMES = 200
MORE_STEPS = 1.02
"""A track may take this many times the steps of `solve`, which computes the Jacobian in each step."""


@pytest.mark.parametrize("every", [1, 4])
@pytest.mark.parametrize("name", ["cmu_02_01_walk", "cmu_05_02_dance_pirouette", "cmu_09_01_run"])
def test_frames_take_no_more_steps_than_solves(name: str, every: int, data: Path) -> None:
    motion = mk.load_motion(data / "bvh" / f"{name}.bvh")
    poses = np.array(motion.poses[1 : 1 + FRAMES : every])
    dt = every * float(np.diff(motion.times[:2])[0])
    solver = mk.Solver(motion.figure, [mk.Placement(part, np.eye(4)) for part in PARTS])
    placements = motion.figure.placements(poses, PARTS)
    rows = np.concatenate([placements[..., :3, 3], rotations.from_matrix(placements[..., :3, :3])], axis=-1)
    rows = rows.reshape(len(poses), -1)
    found = solver.track(poses[0], rows, dt=dt)
    alone = [solver.solve(found.poses[t - 1], rows[t], restarts=0) for t in range(1, len(rows))]
    assert found.reached.all()
    assert found.iterations[1:].sum() <= MORE_STEPS * sum(one.iterations for one in alone)
    assert (found.iterations[1:] == 2).any()
    half = len(rows) // 2
    later = solver.track(found.poses[half - 1], rows[half:], dt=dt, before=rows[half - 1])
    assert np.array_equal(later.poses, found.poses[half:])  # the Jacobian of one frame is never used in the next
