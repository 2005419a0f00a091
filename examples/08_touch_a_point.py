"""Touch a point in a recorded walk.

A walk of the CMU motion capture database (a file of MANIKIN_DATA, the folder of sample files). The right hand is to
touch a point beside the path for a moment. Its target leaves the recorded way of the hand and comes back to it, only
the arm may move, and the arm stays as near to the recording as the target lets it. No other channel changes.
Frames are solved one by one, so a pop is possible: this point and moment were chosen so that there is none, which the
last lines check (docs/limitations.md says how often there is one).
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

import manikin as mk

if "MANIKIN_DATA" not in os.environ:
    raise SystemExit("this example needs the sample files: set MANIKIN_DATA to their folder")
walk = mk.load_motion(Path(os.environ["MANIKIN_DATA"]) / "bvh" / "cmu_02_01_walk.bvh")[
    1:
]  # the first frame is the rest pose
figure = walk.figure
arm = ["RightShoulder", "RightArm", "RightForeArm", "RightHand"]
hand = walk.placements(["RightHand"])[:, 0, :3, 3]

touched = 120  # frame
point = walk.placements(["RightArm"])[touched, 0, :3, 3] + (-2.0, -1.0, 4.0)  # in front of the shoulder
away = (np.arange(len(walk)) - touched) / 25.0  # a fifth of a second to go there, and one to come back
pull = np.where(np.abs(away) < 1.0, np.cos(0.5 * np.pi * away) ** 2, 0.0)[:, None]
targets = hand + pull * (point - hand)

goals = [mk.Position("RightHand", point), mk.Posture(figure.rest, priority=1)]
solver = mk.Solver(figure, goals, only=arm)
answers = solver.solve_many(walk.poses, np.concatenate([targets, walk.poses], axis=1), restarts=0)
edited = walk.replaced(poses=answers.poses, name="touch")

moved = np.abs(edited.poses - walk.poses).max(axis=0)
others = [name for name, by in zip(figure.number_names, moved, strict=True) if by > 0 and name.split(".")[0] not in arm]
bend = [np.abs(np.diff(m.placements(["RightForeArm"])[:, 0, :3, 3], n=2, axis=0)).max() for m in (walk, edited)]
missed = answers.errors[:, 0].max() > solver.goals[0].tolerance
print(f"frames in which the hand misses its target: {missed:d}; other channels that moved: {others}")
print(f"largest change of the elbow's velocity in a frame: {bend[1]:.3f}, in the recording {bend[0]:.3f}")
assert not missed
assert not others
assert bend[1] < 1.01 * bend[0]
mk.save(edited, "touch.bvh")
shown = edited.poses[touched - 25 : touched + 1]
mk.plot(figure, shown, mk.Position("RightHand", point), most=4, view="left", save="08_touch_a_point.png")
