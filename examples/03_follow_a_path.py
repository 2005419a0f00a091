"""Follow a path.

A planar chain moves its tip along a straight line, slowly at both ends. `path` makes the targets, and `follow` solves
them one after another, each from the previous pose. The picture shows the poses over each other, with earlier poses
faded, and the path of the tip.
"""

from __future__ import annotations

import numpy as np

import manikin as mk

chain = mk.chain([1.0, 0.9, 0.7, 0.5], planar=True)
start = np.array([1.9, -0.7, -0.6, -0.4])
goal = mk.Position("Tip", (2.4, -0.6), axes="xy")  # a planar figure has only two axes

tip = chain.placements(start, ["Tip"])[0, :2, 3]
targets = mk.path(tip, goal.target, steps=38, pace="smooth")
done = mk.follow(chain, goal, targets, start=start)

print(done)
way = chain.placements(done.motion.poses, ["Tip"])[:, 0, :2, 3]
print(f"farthest from the line: {np.abs(way - targets).max():.1e}")
mk.plot(done, title="The tip goes straight", save="03_follow_a_path.png")
