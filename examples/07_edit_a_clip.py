"""Edit a clip in the user's own file.

A character comes with a clip (here it is the built-in person, saved as GLB). One hand is to go elsewhere in every
frame, while hips, feet and the other hand stay as the clip has them; the figure has no limits of its own, so it gets
those of a person. The result goes back into a copy of the same file: everything that is not this motion stays.
"""

from __future__ import annotations

import numpy as np

import manikin as mk

person = mk.human()
reach = mk.solve(person, [mk.Position("RightHand", (-0.5, 1.6, 0.3)), mk.Position("Hips", (0.0, 0.93, 0.0))]).pose
part = np.linspace(0.0, 1.0, 25)[:, None]
clip = mk.Motion(
    person, person.integrate(person.rest, part * person.difference(person.rest, reach)), rate=24, name="Reach"
)
mk.save(clip, "dancer.glb")

motion = mk.load_motion("dancer.glb", clip="Reach")
figure = motion.figure.with_limits("human")
motion = motion.on(figure)
keep = ["Hips", "LeftFoot", "RightFoot", "RightHand"]
poses, missed = [], 0
for frame, pose in enumerate(motion):
    target = (0.3, 1.0 + 0.02 * frame, 0.45)  # the left hand rises in front of the body
    goals = [mk.Placement(name, where) for name, where in zip(keep, figure.placements(pose, keep), strict=True)]
    solution = mk.solve(figure, [*goals, mk.Position("LeftHand", target)], start=poses[-1] if poses else pose)
    poses.append(solution.pose)
    missed += not solution.reached
print(f"{len(poses)} frames, {missed} with a goal that was not reached")
mk.save(motion.replaced(poses=np.array(poses)), "edited.glb", like="dancer.glb")
print(mk.load_motion("edited.glb"))
mk.plot(figure, np.array(poses), paths=["LeftHand", "RightHand"], most=4, save="07_edit_a_clip.png")
