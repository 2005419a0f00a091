"""Both hands and balance.

Unitree's G1 humanoid (a file of MANIKIN_DATA, the folder of sample files) reaches for a tall box with both hands. Each
wrist has a place beside the box, both feet stay where they are, and the centre of mass stays above them. The picture
shows the box as the obstacle of a `Clearance`.
"""

from __future__ import annotations

import os
import warnings
from pathlib import Path

import numpy as np

import manikin as mk

if "MANIKIN_DATA" not in os.environ:
    raise SystemExit("this example needs the sample files: set MANIKIN_DATA to their folder")
warnings.simplefilter("ignore")  # the meshes of the sample are missing
g1 = mk.load_figure(Path(os.environ["MANIKIN_DATA"]) / "mjcf" / "unitree_g1.xml")
feet = ["left_ankle_roll_link", "right_ankle_roll_link"]
sole = np.array([[x, y, -0.03] for x in (-0.05, 0.12) for y in (-0.03, 0.03)])
goals = [mk.Placement(name, at) for name, at in zip(feet, g1.placements(g1.rest, feet), strict=True)]
goals += [
    mk.Balance(dict.fromkeys(feet, sole), margin=0.02),
    mk.Position("left_wrist_yaw_link", (0.38, 0.15, 0.42)),
    mk.Position("right_wrist_yaw_link", (0.38, -0.15, 0.42)),
]
solution = mk.solve(g1, goals, g1.rest)

print(solution)
print("centre of mass", g1.center_of_mass(solution.pose).round(3))
assert solution.reached
box = mk.Clearance(obstacles=[mk.Box(half=(0.11, 0.11, 0.21), center=(0.42, 0.0, 0.21))], between=[("*", "obstacle *")])
mk.plot(g1, solution.pose, [*goals, box], view=(70, 14), labels=False, save="15_both_hands_and_balance.png")
