"""Mirror a pose.

The person reaches to its right with planted feet. `figure.mirrored` gives the pose that a mirror would show: the left
arm does what the right one did. The names of the segments tell left from right, so this also works for characters and
robots from files. `motion.mirrored()` mirrors a whole clip.
"""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure as Picture

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
picture = Picture(figsize=(10, 7), facecolor="#faf7f0")
for k, (words, shown) in enumerate([("the pose", pose), ("its mirror image", other)]):
    ax = picture.add_axes((0.45 * k - 0.1, -0.04, 0.75, 1.0), projection="3d")
    mk.plot(figure, shown, ax=ax, view="front")
    ax.patch.set_visible(False)  # the two overlap
    picture.text(0.31 + 0.38 * k, 0.95, words, ha="center", size="large")
picture.savefig("11_mirror_a_pose.png", dpi=150)
