"""Mirror a pose.

The person reaches to its right with planted feet. `figure.mirrored` gives the pose that a mirror would show: the left
arm does what the right one did. Left and right are told apart by the names of the segments, so it works on characters
and robots from files too; `motion.mirrored()` does it to a whole clip.
"""

from __future__ import annotations

import numpy as np

import manikin as mk

figure = mk.human()
feet = ["LeftFoot", "RightFoot"]
goals = [mk.Placement(name, at) for name, at in zip(feet, figure.placements(figure.rest, feet), strict=True)]
goals += [mk.Position("RightHand", (-0.65, 1.55, 0.25)), mk.Aim("Head", (-0.65, 1.55, 0.25))]
pose = mk.solve(figure, goals).pose
other = figure.mirrored(pose)

right = figure.placements(pose, ["RightHand"])[0, :3, 3]
left = figure.placements(other, ["LeftHand"])[0, :3, 3]
print("right hand", right.round(3), "becomes left hand", left.round(3))
print(f"mirrored twice: {np.abs(figure.difference(pose, figure.mirrored(other))).max():.0e} from the pose")
both = np.stack([pose, other])
mk.plot(figure, both, paths=["RightHand", "LeftHand"], view="front", save="11_mirror_a_pose.png")
