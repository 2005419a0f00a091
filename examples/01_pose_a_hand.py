"""Pose a hand.

The shortest way from a figure to a picture: take the built-in person, say where a hand should be, solve, look. The root
of the person is free, so both feet are among the goals. Without them the whole body would float to the target.
"""

from __future__ import annotations

import manikin as mk

figure = mk.human()
left, right = figure.placements(figure.rest, ["LeftFoot", "RightFoot"])  # where the feet are now
goals = [
    mk.Placement("LeftFoot", left),
    mk.Placement("RightFoot", right),
    mk.Position("RightHand", (-0.42, 1.45, 0.42)),  # metres; y is up, the person looks along z, its right is −x
]
solution = mk.solve(figure, goals)

print(solution)
mk.plot(figure, solution.pose, goals, save="01_pose_a_hand.png")
