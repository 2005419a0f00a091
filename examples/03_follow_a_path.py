"""Follow a path.

A planar chain takes its tip along a straight line, slowly at both ends: `path` makes the targets, `follow` solves them
one after the other, each from the pose before. Poses are laid over each other, fading into the past, with the way that
the tip went.
"""

from __future__ import annotations

import numpy as np

import manikin as mk

chain = mk.chain([1.0, 0.9, 0.7, 0.5], planar=True)
start = np.array([1.9, -0.7, -0.6, -0.4])
goal = mk.Position("Tip", (2.4, -0.6), axes="xy")  # two axes are all that a planar figure has

tip = chain.placements(start, ["Tip"])[0, :2, 3]
targets = mk.path(tip, goal.target, steps=38, ease="smooth")
motion = mk.follow(chain, goal, targets, start=start)

print(motion)
way = chain.placements(motion.poses, ["Tip"])[:, 0, :2, 3]
print(f"farthest from the line: {np.abs(way - targets).max():.1e}")
mk.plot(chain, motion.poses, goal, title="The tip goes straight", save="03_follow_a_path.png")
