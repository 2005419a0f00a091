"""Keys become a motion; a few of its frames are edited.

Three keyed poses are joined smoothly, and feet that stand at two keys stay where they are between them. Then one hand
is raised in some frames: only the arm moves, and the rest of the clip keeps its numbers.
"""

import numpy as np

import manikin as mk

person = mk.human()
feet = ["LeftFoot", "RightFoot"]
stand = [mk.Placement(name, at) for name, at in zip(feet, person.placements(person.rest, feet), strict=True)]
low = mk.solve(person, [*stand, mk.Position("Hips", (0, 0.8, 0), axes="y")], person.rest)
up = mk.solve(person, [*stand, mk.Position("LeftHand", (0.3, 1.7, 0.2))], person.rest)

keys = mk.Motion(person, [person.rest, low.pose, up.pose], times=[0.0, 1.0, 2.0], name="keys")
clip = mk.inbetween(keys, rate=30)
slide = np.ptp(clip.motion.placements(feet)[:, :, :3, 3], axis=0).max()
print(f"{len(clip.motion)} frames; feet slide by {1000 * slide:.2f} mm")

edited = mk.edit(clip.motion, mk.Position("RightHand", (-0.4, 1.4, 0.35)), frames=(25, 35), blend=10)
changed = (edited.motion.poses != clip.motion.poses).any(axis=1)
print(f"{changed.sum()} frames changed; {edited.notes[-1]}")
mk.animate(edited, "21_keys_and_edits.gif", ghosts=3, size=(400, 400))
mk.plot(person, edited.motion.poses, save="21_keys_and_edits.png", paths=["RightHand", "LeftHand"], most=4)
