"""Five axes: a position and a direction.

An arm with five hinges cannot reach every placement, because one rotation is missing. It can bring its tip to a point
and point its tool along a direction; the rotation about the tool is free (`Aim` with `direction=`). A whole `Placement`
is missed, and the report says why and which goal to use instead.
"""

from __future__ import annotations

import numpy as np

import manikin as mk

links = [("Base", "z", 0.10, 3.1), ("Shoulder", "y", 0.0, 1.9), ("Elbow", "y", 0.30, 2.4), ("Pitch", "y", 0.25, 2.0)]
links += [("Roll", "z", 0.08, 3.1)]
axes = {"y": (0, 1, 0), "z": (0, 0, 1)}
segments, parent = [mk.Segment("Stand", shapes=[mk.Capsule((0, 0, 0), (0, 0, 0.10), 0.05)])], "Stand"
for k, (name, axis, away, most) in enumerate(links):
    length = links[k + 1][2] if k + 1 < len(links) else 0.10
    joint = mk.Joint(name, (mk.Hinge(axes[axis], (-most, most)),), offset=(0, 0, away))
    shape = [mk.Capsule((0, 0, 0), (0, 0, length), 0.03)] if length else []
    segments.append(mk.Segment(name, parent, joint, shapes=shape))
    parent = name
segments.append(mk.Segment("Tool", "Roll", mk.Joint("Tool", (), offset=(0, 0, 0.10))))
arm = mk.Figure("five axes", segments, up="z")

point = (0.35, 0.15, 0.26)
goals = [mk.Position("Tool", point), mk.Aim("Tool", direction=(0, 0, -1), axis=(0, 0, 1), name="down")]
solution = mk.solve(arm, goals)
print(solution)
assert solution.reached

turn = mk.rotations.from_euler("xyz", np.radians([170.0, 25.0, 40.0]))
missed = mk.solve(arm, mk.Placement("Tool", [*point, *turn]))
print(missed.report[0])
mk.plot(arm, solution.pose, goals, save="16_five_axes.png")
