"""Build a figure of your own.

A desk lamp: segments with joints, limits, masses and shapes. It lights a point on the desk, with its head at a given
height above it. The figure is saved as JSON and read back without any change.
"""

from __future__ import annotations

import numpy as np

import manikin as mk

upright = mk.SwingTwist(axis=(0, 1, 0), swing=(np.radians(60), np.radians(60)), twist=(-np.pi, np.pi))
lamp = mk.Figure(
    "lamp",
    [
        mk.Segment("Foot", mass=2.0, shapes=[mk.Box(half=(0.12, 0.015, 0.12), center=(0, 0.015, 0))]),
        mk.Segment("Lower", "Foot", mk.Ball(upright), mass=0.3, offset=(0, 0.04, 0),
                   shapes=[mk.Capsule((0, 0, 0), (0, 0.36, 0), 0.016)]),
        mk.Segment("Upper", "Lower", mk.Hinge(axis=(1, 0, 0), limits=(0.1, 2.4)), mass=0.3, offset=(0, 0.36, 0),
                   shapes=[mk.Capsule((0, 0, 0), (0, 0.36, 0), 0.016)]),
        mk.Segment("Head", "Upper", mk.Euler("XZ", ((-0.5, 2.2), (-0.8, 0.8))), mass=0.2, offset=(0, 0.36, 0),
                   shapes=[mk.Sphere((0, 0.06, 0), 0.06), mk.Capsule((0, 0, 0), (0, 0.03, 0), 0.03)]),
    ],
)  # fmt: skip
goals = [
    mk.Aim("Head", (0.15, 0.0, 0.40), axis=(0, 1, 0), name="light"),
    mk.Plane("Head", point=(0, 0.42, 0), normal=(0, 1, 0), name="height"),
]
solution = mk.solve(lamp, goals)

print(lamp.describe())
print(solution)
mk.save(lamp, "lamp.json")
print("comes back exactly:", mk.load_figure("lamp.json") == lamp)
mk.plot(lamp, solution.pose, goals, save="04_build_a_figure.png")
