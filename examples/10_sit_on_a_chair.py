"""Sit on a chair.

Hips at the height of a seat, feet flat on the floor in front of it, hands on the knees, the trunk upright, the gaze
ahead. `Aim` keeps the trunk upright, and `Clearance` keeps the body out of the chair, which consists of boxes.
"""

from __future__ import annotations

import manikin as mk

figure = mk.human()
seat, back = 0.44, -0.52  # metres: height of the seat, position of the back rest
chair = [
    mk.Box(half=(0.22, 0.02, 0.22), center=(0.0, seat - 0.02, back + 0.24)),
    mk.Box(half=(0.22, 0.25, 0.02), center=(0.0, seat + 0.35, back - 0.02)),
    mk.Box(half=(0.03, 0.5 * seat - 0.02, 0.03), center=(0.0, 0.5 * seat - 0.02, back + 0.18)),
]
ankle = float(figure.placements(figure.rest, ["LeftFoot"])[0, 1, 3])
goals = [
    mk.Position("Hips", (0.0, seat + 0.13, back + 0.20), tolerance=0.01),
    mk.Aim("Spine4", direction=(0, 1, 0), axis=(0, 1, 0), tolerance=0.15, name="upright"),
    mk.Aim("Head", direction=(0, 0, 1), axis=(0, 0, 1), tolerance=0.1, name="gaze"),
    mk.Clearance(0.0, obstacles=chair, between=[("*", "obstacle *")], tolerance=0.005, name="chair"),
]
for side, x in (("Left", 0.13), ("Right", -0.13)):
    goals += [
        mk.Position(f"{side}Foot", (x, ankle, 0.12), tolerance=0.01),
        mk.Aim(f"{side}Foot", direction=(0, 0, 1), axis=(0, 0, 1), tolerance=0.1, name=f"{side} foot flat"),
        mk.Position(f"{side}Hand", (x, seat + 0.14, 0.02), tolerance=0.02),
    ]
solution = mk.solve(figure, goals)

print(solution)
mk.plot(figure, solution.pose, goals, view=(-50, 10), labels=False, save="10_sit_on_a_chair.png")
