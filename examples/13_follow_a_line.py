"""Follow a line within speed limits.

The Panda arm (a file of MANIKIN_DATA, the folder of sample files) moves its hand along a straight line and always
points down. `track` keeps every joint below the speed limit of the file. Two seconds are enough for the line. In a
fifth of a second the joints are too slow: frames are missed, and the notes name the joint that limits the speed.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

import manikin as mk

if "MANIKIN_DATA" not in os.environ:
    raise SystemExit("this example needs the sample files: set MANIKIN_DATA to their folder")
panda = mk.load_figure(Path(os.environ["MANIKIN_DATA"]) / "urdf" / "panda.urdf")
down = (0.0, 1.0, 0.0, 0.0)  # half a turn about x: the hand's z axis points down
line = mk.path((0.45, -0.35, 0.35), (0.45, 0.35, 0.35), steps=100, pace="smooth")
targets = np.hstack([line, np.tile(down, (len(line), 1))])
solver = mk.Solver(panda, [mk.Placement("panda_hand", targets[0])])
start = solver.solve(panda.rest, targets[0]).pose

speeds = np.array([getattr(m, "speed", None) or np.inf for s in panda.segments for m in s.joint.motions])
for seconds in (2.0, 0.2):
    times = np.linspace(0.0, seconds, len(targets))
    track = solver.track(start, targets, times=times)
    fastest = np.abs(np.diff(track.poses, axis=0)).max(axis=0) / (times[1] - times[0])
    joint = int(np.argmax(fastest / speeds))
    share = fastest[joint] / speeds[joint]
    print(f"{seconds} s: {track}, fastest {panda.number_names[joint]} at {share:.0%} of its limit")
    print("\n".join(track.notes))
    assert share <= 1.0 + 1e-9
    if seconds == 2.0:
        assert track.reached.all()
        mk.plot(panda, track.poses, paths=["panda_hand"], most=4, save="13_follow_a_line.png")
