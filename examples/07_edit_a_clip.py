"""Edit a clip in the user's own file.

A character comes with a clip (here it is the built-in person, saved as GLB). Its left hand is to rise in front of the
body. Every frame starts from the clip's own pose, only the arm may move, and what the hand leaves free stays as near to
the clip as it can (a `Posture` of a later priority), so nothing jumps from frame to frame. The result goes back into a
copy of the same file: everything that is not this motion stays.
"""

from __future__ import annotations

import numpy as np

import manikin as mk

person = mk.human()
reach = mk.solve(person, [mk.Position("RightHand", (-0.5, 1.6, 0.3))], freeze=["Hips"]).pose
part = np.linspace(0.0, 1.0, 25)[:, None]
clip = mk.Motion(
    person, person.integrate(person.rest, part * person.difference(person.rest, reach)), rate=24, name="Reach"
)
mk.save(clip, "dancer.glb")

motion = mk.load_motion("dancer.glb", clip="Reach")
figure = motion.figure.with_limits("human")  # the file has no limits of its own
motion = motion.on(figure)
hand = motion.placements(["LeftHand"])[:, 0, :3, 3]
ease = (0.5 - 0.5 * np.cos(np.pi * part)) * np.sign(part)  # from 0, where the clip is, to 1
targets = hand + ease * ((0.3, 1.25, 0.45) - hand)

arm = ["LeftShoulder", "LeftArm", "LeftForeArm", "LeftForeArmTwist", "LeftHand"]
goals = [mk.Position("LeftHand", targets[0]), mk.Posture(figure.rest, priority=1)]
solver = mk.Solver(figure, goals, only=arm)
answers = solver.solve_many(motion.poses, np.concatenate([targets, motion.poses], axis=1), restarts=0)

edited = motion.replaced(poses=answers.poses)
reached = answers.errors[:, 0] <= solver.goals[0].tolerance  # the posture is a wish; it need not be met
print(f"the hand is where it should be in {reached.sum()} of {len(reached)} frames")
print(f"no joint moves by more than {np.degrees(np.abs(np.diff(edited.poses, axis=0)).max()):.1f}° from frame to frame")
mk.save(edited, "edited.glb", like="dancer.glb")
print(mk.load_motion("edited.glb"))
mk.plot(figure, edited.poses, paths=["LeftHand", "RightHand"], most=4, save="07_edit_a_clip.png")
