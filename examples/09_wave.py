"""CesiumMan waves.

Khronos' sample character (a file of MANIKIN_DATA, the folder of sample files) walks in place. Here it stands and waves:
the hand moves from side to side above the shoulder, and only the joints of the arm move. The motion is written into a
copy of the character's file, with its mesh and skin, which any glTF viewer plays.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

import manikin as mk

if "MANIKIN_DATA" not in os.environ:
    raise SystemExit("this example needs the sample files: set MANIKIN_DATA to their folder")
file = Path(os.environ["MANIKIN_DATA"]) / "gltf" / "CesiumMan.glb"
walk = mk.load_motion(file)
figure, stand = walk.figure, walk.figure.rest
arm = ["Skeleton_arm_joint_R", "Skeleton_arm_joint_R__2_", "Skeleton_arm_joint_R__3_"]
upper, hand = figure.placements(stand, [arm[0], arm[2]])[:, :3, 3]
side = np.sign(hand[0] - upper[0]) * np.array([1.0, 0.0, 0.0])  # away from the body

times = np.arange(49) / 24.0
swing = 0.07 * np.sin(2.0 * np.pi * 1.5 * times)[:, None] * side
targets = upper + 0.20 * side + (0.0, 0.25, 0.05) + swing
goals = [mk.Position(arm[2], targets[0])]
raised = mk.solve(figure, goals, stand, only=arm)
answers = mk.Solver(figure, goals, only=arm).track(raised.pose, targets, times=times)

print(raised)
print(answers)
wave = mk.Motion(figure, answers.poses, times, name="wave", source=walk.source)
mk.save(wave, "wave.glb", like=file)
print(mk.load_motion("wave.glb", clip="wave"))
mk.plot(figure, wave.poses[:17], paths=[arm[2]], most=3, view="front", save="09_wave.png")
