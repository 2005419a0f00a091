"""A hand to the face, for a second of a clip.

Goals over time become a motion: feet and hips stay as they are, and the right hand is at the face between 1.0 and
1.8 seconds. It is led there from where it is and back again, so nothing jumps.
"""

import numpy as np

import manikin as mk

person = mk.human()
times = np.arange(90) / 30

# A person who sways a little: what the clip would be without the hand.
sway = np.tile(person.rest, (len(times), 1))
sway[:, 0] += 0.05 * np.sin(2 * times)
base = mk.Motion(person, sway, times)

# The hips and the head follow the swaying, the feet stand, the hand comes for a while.
feet = ["LeftFoot", "RightFoot"]
stand = [mk.Placement(name, at) for name, at in zip(feet, base.placements(feet)[0], strict=True)]
goals = [mk.Over(mk.Position("Hips", (0, 0, 0)), base), mk.Over(mk.Position("Head", (0, 0, 0)), base), *stand]
face = base.placements(["Head"])[:, 0, :3, 3] + np.array([-0.03, 0.03, 0.18])
goals.append(mk.Over(mk.Position("RightHand", (0, 0, 0)), face, during=[(1.0, 1.8)]))

clip = mk.solve_motion(person, goals, times, start=person.rest)
print(clip)
print(clip.quality)
mk.animate(clip, "19_hand_to_the_face.html")  # a page that plays it
mk.plot_quality(clip, save="19_hand_to_the_face.png")
