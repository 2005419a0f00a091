"""Stand and reach.

Several goals at once: both feet stay planted, one hand reaches down for something, the eyes look at it, and the centre
of mass stays above the feet. `Placement` fixes position and orientation, `Aim` points an axis of a segment at a point,
`Balance` keeps the figure from falling over. `prefer=` keeps the other arm near its rest pose.
"""

from __future__ import annotations

import manikin as mk

figure = mk.human()
left, right = figure.placements(figure.rest, ["LeftFoot", "RightFoot"])  # where the feet are now
thing = (-0.25, 0.45, 0.50)
goals = [
    mk.Placement("LeftFoot", left),
    mk.Placement("RightFoot", right),
    mk.Position("RightHand", thing, offset=(0.0, 0.08, 0.0)),  # a point on the palm, not the wrist
    mk.Aim("Head", thing, axis=(0, 0, 1), name="gaze"),
    mk.Balance(["LeftFoot", "RightFoot"], margin=0.01),
]
solution = mk.solve(figure, goals, prefer=figure.rest)

print(solution)
print("limits hold:", figure.violation(solution.pose) <= 1e-9)
mk.plot(figure, solution.pose, goals, view=(-60, 8), save="02_stand_and_reach.png")
