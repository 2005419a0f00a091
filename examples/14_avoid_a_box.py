"""Avoid a box.

The Panda arm (a file of MANIKIN_DATA, the folder of sample files) reaches behind a box. Without `Clearance` its links
go through the box; with it they keep a distance of two centimetres. The meshes of the file are not in the folder, so
each link gets a capsule to the next one.
"""

from __future__ import annotations

import os
import warnings
from pathlib import Path

import numpy as np

import manikin as mk

if "MANIKIN_DATA" not in os.environ:
    raise SystemExit("this example needs the sample files: set MANIKIN_DATA to their folder")
warnings.simplefilter("ignore")  # the meshes are missing
panda = mk.load_figure(Path(os.environ["MANIKIN_DATA"]) / "urdf" / "panda.urdf")
at = {s.name: panda.placements(panda.rest, [s.name])[0] for s in panda.segments}
segments = []
for s in panda.segments:  # a capsule from each link to the next
    below = [c for c in panda.segments if c.parent == s.name]
    ends = [(np.linalg.inv(at[s.name]) @ at[c.name])[:3, 3] for c in below if "finger" not in c.name]
    segments.append(
        s.replaced(shapes=[mk.Capsule((0, 0, 0), tuple(e), 0.05) for e in ends if np.linalg.norm(e) > 0.05])
    )
panda = panda.replaced(segments=segments)

box = mk.Box(half=(0.06, 0.20, 0.06), center=(0.45, 0.0, 0.30))
goal = mk.Position("panda_hand", (0.60, 0.0, 0.15))
apart = mk.Clearance(0.02, obstacles=[box], between=[("*", "obstacle *")], name="box")
plain = mk.solve(panda, [goal])
careful = mk.solve(panda, [goal, apart])
measured = mk.solve(panda, [apart], plain.pose, iterations=0)
print(f"without clearance the arm is {100 * measured.errors[0]:.1f} cm too deep in the box")
print(f"{careful!r}: every link is at least {100 * (0.02 - careful.errors[1]):.2f} cm away from it")
assert careful.reached
assert measured.errors[0] > 0.02
mk.plot(panda, careful.pose, [goal, apart], view=(-60, 15), save="14_avoid_a_box.png")
