"""Files in and out.

A figure is saved as URDF and read back, as a robot would be. A motion of the person is saved as BVH and as GLB, which
Blender, three.js and others open. Both files are read back with every joint where it was. A figure keeps the unit, up
axis and oddities of its file. `manikin info wave.glb` shows them; `manikin convert wave.bvh wave.usda` converts.
"""

from __future__ import annotations

import numpy as np

import manikin as mk

mk.save(mk.chain([0.4, 0.4, 0.2], mk.Hinge(axis=(0, 1, 0), limits=(-2.0, 2.0)), name="arm"), "arm.urdf")
arm = mk.load_figure("arm.urdf", root="free")
print(arm.describe())

person = mk.human()
arm_joints = ["RightShoulder", "RightArm", "RightForeArm", "RightHand"]
wave = mk.solve(person, mk.Position("RightHand", (-0.50, 1.66, 0.20)), only=arm_joints)
part = 0.5 - 0.5 * np.cos(np.linspace(0.0, 2.0 * np.pi, 61))  # up and down again, two seconds
step = person.difference(person.rest, wave.pose)
motion = mk.Motion(person, person.integrate(person.rest, part[:, None] * step), rate=30, name="wave")
mk.save(motion, "wave.bvh")
mk.save(motion, "wave.glb")

hand = motion.placements(["RightHand"])[:, 0, :3, 3]
for path in ("wave.bvh", "wave.glb"):
    back = mk.load_motion(path)
    apart = np.abs(back.placements(["RightHand"])[:, 0, :3, 3] - hand).max()
    print(f"{back}, unit {back.figure.unit}, {back.figure.up} up: the hand is within {apart:.0e} of where it was")
mk.plot(person, motion.poses[:31], paths=["RightHand"], most=4, save="06_files_in_and_out.png")
