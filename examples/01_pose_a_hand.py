"""Pose a hand.

The shortest way from a figure to a picture: take the built-in person, say where a hand should be, solve, look. Nothing
else is asked for, so the whole body would help, and even walk there; here only the arm may move.
"""

from __future__ import annotations

import manikin as mk

figure = mk.human()
goals = [mk.Position("RightHand", (-0.42, 1.45, 0.42))]  # metres; y is up, the person looks along z, its right is −x
arm = ["RightShoulder", "RightArm", "RightForeArm", "RightForeArmTwist", "RightHand"]
solution = mk.solve(figure, goals, only=arm)

print(solution)
mk.plot(figure, solution.pose, goals, save="01_pose_a_hand.png")
