"""Files in and out.

A figure goes out as URDF and comes back, which is how a robot would come in; a motion of the person goes out as BVH and
as GLB, which Blender, three.js and others open.
"""

from __future__ import annotations

import numpy as np

import manikin as mk

mk.save(mk.chain([0.4, 0.4, 0.2], mk.Hinge(axis=(0, 1, 0), limits=(-2.0, 2.0)), name="arm"), "arm.urdf")
arm = mk.load_figure("arm.urdf")
print(arm.describe())

person = mk.human()
wave = mk.solve(person, [mk.Position("RightHand", (-0.55, 1.75, 0.15)), mk.Position("Hips", (0.0, 0.93, 0.0))])
part = 0.5 - 0.5 * np.cos(np.linspace(0.0, 2.0 * np.pi, 61))  # up and down again, two seconds
step = person.difference(person.rest, wave.pose)
motion = mk.Motion(person, person.integrate(person.rest, part[:, None] * step), rate=30, name="wave")
mk.save(motion, "wave.bvh")
mk.save(motion, "wave.glb")
print(mk.load_motion("wave.bvh"))
mk.plot(person, motion.poses[:31], paths=["RightHand"], most=4, save="06_files_in_and_out.png")
