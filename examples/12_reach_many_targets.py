"""Reach a thousand targets.

The Panda arm (a file of MANIKIN_DATA, the folder of sample files) with a tool on its flange. `mk.Solver` is compiled
once and solves a thousand placements in one call. It accepts 4×4 matrices directly. If several poses reach a target,
each row gets the one nearest to its start.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

import manikin as mk

if "MANIKIN_DATA" not in os.environ:
    raise SystemExit("this example needs the sample files: set MANIKIN_DATA to their folder")
panda = mk.load_figure(Path(os.environ["MANIKIN_DATA"]) / "urdf" / "panda.urdf")
turn = mk.rotations.from_axis_angle((0, 1, 0), np.radians(30.0))
tool = mk.rotations.placement(turn, np.array([0.0, 0.0, 0.12]))  # 12 cm long and slanted by 30°

rng = np.random.default_rng(1)
targets = panda.placements(panda.random(rng, 1000), ["panda_link8"])[:, 0] @ tool  # certainly within reach
goal = mk.Placement("panda_link8", targets[0], offset=tool[:3, 3], rotation=tool[:3, :3])
answers = mk.Solver(panda, [goal]).solve_many(panda.rest, targets)

found = panda.placements(answers.poses, ["panda_link8"])[:, 0] @ tool
off = np.linalg.norm(found[:, :3, 3] - targets[:, :3, 3], axis=1)
print(answers)
print(
    f"largest distance {1e3 * off.max():.3f} mm; every limit holds: {bool(np.all(panda.violation(answers.poses) <= 0))}"
)
assert answers.reached.all()
part = mk.Segment("tool", "panda_link8", mk.Joint("tool", (), offset=tool[:3, 3]))  # to be seen in the picture
drawn = panda.replaced(segments=[*panda.segments, part])
shown = mk.Position("tool", targets[0, :3, 3], name="one of 1,000 targets")
mk.plot(drawn, answers.poses[[8, 5, 0]], shown, paths=[], view=(-60, 12), save="12_reach_many_targets.png")
