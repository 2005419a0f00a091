"""Draw a circle.

A planar arm draws a circle again and again. `track` solves each frame from the previous one, so the pose changes
smoothly. Matplotlib turns the frames into an animation (a GIF), and a picture shows the path of the tip.
"""

from __future__ import annotations

import numpy as np
from matplotlib.animation import FuncAnimation, PillowWriter
from matplotlib.figure import Figure

import manikin as mk

arm = mk.chain([1.0, 0.8, 0.6], planar=True)
turn = np.linspace(0.0, 2.0 * np.pi, 49)
circle = np.stack([1.2 + 0.5 * np.cos(turn), 0.6 + 0.5 * np.sin(turn)], axis=1)
goal = mk.Position("Tip", circle[0], axes="xy")
track = mk.Solver(arm, [goal]).track(mk.solve(arm, goal, [0.9, -0.6, -0.6]).pose, circle, dt=1 / 24)

tip = arm.placements(track.poses, ["Tip"])[:, 0, :2, 3]
print(track)
print(f"the tip leaves the circle by {np.abs(tip - circle).max():.1e}")
assert track.reached.all()

picture = Figure(figsize=(4, 4))
ax = picture.add_axes((0, 0, 1, 1))
ax.set(xlim=(-0.5, 2.2), ylim=(-0.9, 1.8), aspect="equal")
ax.plot(*circle.T, color="0.8")
(line,) = ax.plot([], [], "o-", linewidth=4)
joints = np.array([[*p[:, :2, 3]] for p in arm.placements(track.poses)])
movie = FuncAnimation(picture, lambda k: line.set_data(*joints[k].T), frames=len(joints), blit=False)
movie.save("circle.gif", writer=PillowWriter(fps=24), dpi=60)
mk.plot(arm, track.poses, goal, title="One round", save="18_draw_a_circle.png")
