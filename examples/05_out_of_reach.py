"""Out of reach.

A goal that is not reached is an answer, not an error: the pose comes as near as it can within its limits, and `reached`
is False. The picture shows the remaining distance.
"""

from __future__ import annotations

import manikin as mk

arm = mk.chain([0.5, 0.4, 0.2], mk.Euler("XYZ", ((-1, 1), (-1, 1), (-1, 1))), name="arm")
goals = [mk.Position("Tip", (0.9, 0.75, 0.3)), mk.Position("Segment3", (0.55, 0.55, 0.1))]
solution = mk.solve(arm, goals)

print(solution)
print("reached:", solution.reached, "| within limits:", arm.violation(solution.pose) == 0.0)
mk.plot(arm, solution.pose, goals, save="05_out_of_reach.png")
