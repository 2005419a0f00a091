"""A recorded walk on other figures.

A walk from the CMU motion capture database (a file of MANIKIN_DATA, the folder of sample files) is put on the built-in
person and on a Unitree G1 robot. Nothing is written by hand: the parts of all figures are found, and feet that stand in
the recording stand in the result. `mk.plant` removes the slide from the recording itself.
"""

from __future__ import annotations

import os
from pathlib import Path

import matplotlib.pyplot as plt

import manikin as mk

if "MANIKIN_DATA" not in os.environ:
    raise SystemExit("this example needs the sample files: set MANIKIN_DATA to their folder")
data = Path(os.environ["MANIKIN_DATA"])
walk = mk.load_motion(data / "bvh" / "cmu_02_01_walk.bvh")[1:260]  # frame 0 is a T-pose

picture = plt.figure(figsize=(12, 4.5))
shown = [("recording", walk)]
for name, figure in (("person", mk.human()), ("robot", mk.load_figure(data / "mjcf" / "unitree_g1.xml"))):
    done = mk.retarget(walk, figure)
    found = done.measures
    print(f"{name}: limbs within {found['bone_error_deg']:.1f}°, feet slide by at most {found['slide_mm']:.1f} mm")
    shown.append((name, done.motion))

clean = mk.plant(walk)
print(f"slide in the recording: {clean.before['slide_mm']:.0f} mm, planted {clean.after['slide_mm']:.1f} mm")

for k, (name, motion) in enumerate(shown, start=1):
    ax = picture.add_subplot(1, 3, k, projection="3d")
    mk.plot(motion.figure, motion.poses[::50], ax=ax, view="left", title=name, labels=False)
picture.savefig("22_retarget_a_walk.png", dpi=110, bbox_inches="tight")
