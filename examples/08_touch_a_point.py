"""Touch a point in a recorded walk.

A walk from the CMU motion capture database (a file of MANIKIN_DATA, the folder of sample files). The right hand
touches a point in front of the shoulder for a moment. Only that frame is solved: the arm reaches the point in the pose
nearest to the recorded one. The change of its joints is then eased in and out over half a second each, so the elbow
does not jump from one solution to another. Only the arm moves.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

import manikin as mk

if "MANIKIN_DATA" not in os.environ:
    raise SystemExit("this example needs the sample files: set MANIKIN_DATA to their folder")
walk = mk.load_motion(Path(os.environ["MANIKIN_DATA"]) / "bvh" / "cmu_02_01_walk.bvh")[1:]  # frame 0 is a rest pose
figure = walk.figure
arm = ["RightShoulder", "RightArm", "RightForeArm", "RightHand"]
touched = 180  # frame
point = walk.placements(["RightArm"])[touched, 0, :3, 3] + (-1.0, 1.0, 5.0)
x = np.clip(1.0 - np.abs(np.arange(len(walk)) - touched) / 60, 0.0, 1.0)
ease = (10 * x**3 - 15 * x**4 + 6 * x**5)[:, None]  # no jump in velocity or acceleration

recorded = walk.poses[touched]
goal = mk.Position("RightHand", point)
touch = mk.solve(figure, goal, recorded, only=arm, prefer=recorded, settle=True)
poses = figure.integrate(walk.poses, ease * figure.difference(recorded, touch.pose))
edited = walk.replaced(poses=np.where(ease > 0, poses, walk.poses), name="touch")

moved = np.abs(edited.poses - walk.poses).max(axis=0)
others = [name for name, by in zip(figure.number_names, moved, strict=True) if by > 0 and name.split(".")[0] not in arm]
elbows = [motion.placements(["RightForeArm"])[:, 0, :3, 3] for motion in (walk, edited)]
before, after = (np.linalg.norm(np.diff(elbow, n=2, axis=0), axis=1).max() for elbow in elbows)
off = np.linalg.norm(edited.placements(["RightHand"])[touched, 0, :3, 3] - point)
print(f"the hand is {off:.1e} from the point; other channels that moved: {others}")
print(f"largest change of the elbow's velocity in a frame: {after:.3f}, in the recording {before:.3f}")
assert off <= touch.tolerances[0]
assert not others
assert after < 1.05 * before
mk.save(edited, "touch.bvh")
shown = edited.poses[touched - 60 : touched + 1]
mk.plot(figure, shown, goal, most=4, view="left", save="08_touch_a_point.png")
