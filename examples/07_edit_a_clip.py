"""Edit a recorded clip in its own file.

A run from the CMU motion capture database (a file of MANIKIN_DATA, the folder of sample files). For a while the right
hand goes higher and farther in front. The target is the recorded hand plus an offset that comes and goes smoothly.
Every frame starts from the recorded pose, and only the arm may move. `prefer=` with `settle=True` selects the pose
nearest to the recording among all poses that reach the target. The result is written into a copy of the file; other
channels are unchanged.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

import manikin as mk

if "MANIKIN_DATA" not in os.environ:
    raise SystemExit("this example needs the sample files: set MANIKIN_DATA to their folder")
file = Path(os.environ["MANIKIN_DATA"]) / "bvh" / "cmu_09_01_run.bvh"
clip = mk.load_motion(file)
figure, frames = clip.figure, np.arange(len(clip))
arm = ["RightShoulder", "RightArm", "RightForeArm", "RightHand"]

x = np.clip((50 - np.abs(frames - 80)) / 40, 0.0, 1.0)  # rises in 40 frames, holds for 20, falls in 40
ease = (10 * x**3 - 15 * x**4 + 6 * x**5)[:, None]  # no jump in velocity or acceleration
hand = clip.placements(["RightHand"])[:, 0, :3, 3]
targets = hand + ease * (-1.0, 3.0, 1.5)  # in the unit of the file

solver = mk.Solver(figure, [mk.Position("RightHand", targets[0])], only=arm)
answers = solver.solve_many(clip.poses, targets, prefer=clip.poses, settle=True, restarts=0)
edited = clip.replaced(poses=np.where(ease > 0, answers.poses, clip.poses))  # exact outside of the window


def acceleration(motion: mk.Motion) -> float:
    """Largest acceleration of the elbow, in lengths per second squared. The first frame of the file is a rest pose."""
    elbow = motion.placements(["RightForeArm"])[1:, 0, :3, 3]
    return float(np.linalg.norm(np.diff(elbow, n=2, axis=0), axis=1).max() * motion.rate**2)


moved = np.abs(edited.poses - clip.poses).max(axis=0)
joints = {name.split(".")[0] for name, by in zip(figure.number_names, moved, strict=True) if by > 0}
print(f"the hand is where it should be in {answers.reached.sum()} of {len(clip)} frames; joints that moved: {joints}")
print(f"largest acceleration of the elbow: {acceleration(edited):.0f}, in the recording {acceleration(clip):.0f}")
assert answers.reached.all()
assert joints <= set(arm)
assert acceleration(edited) < 1.05 * acceleration(clip)
mk.save(edited, "edited.bvh", like=file)
mk.plot(figure, edited.poses[30:131], paths=["RightHand"], most=4, view="right", save="07_edit_a_clip.png")
