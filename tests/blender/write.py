"""Writes motions as GLB, BVH and USD, and where their joints are, for `check.py` to compare in Blender.

python tests/blender/write.py FOLDER
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import manikin as mk

ENDINGS = (".glb", ".bvh")
CLIPS = ("bvh/cmu_02_01_walk.bvh", "bvh/bvhio_example.bvh", "bvh/pymo_AV_8Walk_Meredith.bvh")
"""Real clips, taken where MANIKIN_DATA names their folder."""
MOST = 60
"""Frames of each clip."""
TO_Z_UP = {"x": ((0, 0, 1), (0, 1, 0), (1, 0, 0)), "y": ((1, 0, 0), (0, 0, -1), (0, 1, 0)), "z": np.eye(3)}
"""Blender has z up: (x, y, z) with y up is (x, −z, y) there."""


def motions() -> dict[str, mk.Motion]:
    """Figures of several kinds, each moving in all its joints."""
    rng = np.random.default_rng(0)
    figures = {
        "human": mk.human(),
        "quadruped": mk.quadruped(),
        "chain": mk.chain(5),
        "rail": mk.Figure(
            "rail",
            [
                mk.Segment("Base", None, mk.Free()),
                mk.Segment(
                    "Carriage", "Base", mk.Slider((1, 0, 0), (-1, 1)), offset=(0, 0.5, 0), rotation=(0.6, 0.8, 0, 0)
                ),
                mk.Segment("Arm", "Carriage", (mk.Slider((0, 0, 1)), mk.Ball()), offset=(0.2, 0, 0)),
                mk.Segment("Hand", "Arm", mk.Hinge((0, 1, 1), (-2, 2)), offset=(0, 0.4, 0)),
                mk.Segment("Tip", "Hand", offset=(0, 0.2, 0)),
            ],
        ),
    }
    made = {}
    for name, figure in figures.items():
        keys = figure.random(rng, 4)
        keys[0] = figure.rest
        steps = np.stack([figure.difference(a, b) for a, b in pairwise(keys)])
        part = np.linspace(0, 1, 10, endpoint=False)[:, None]
        poses = np.concatenate([figure.integrate(q, part * v) for q, v in zip(keys[:-1], steps, strict=True)])
        made[name] = mk.Motion(figure, poses, rate=25, name="Wave")
    folder = os.environ.get("MANIKIN_DATA")
    for clip in CLIPS if folder else ():
        motion = mk.load_motion(Path(str(folder)) / clip)[:MOST]
        figure = motion.figure.replaced(source={}, unit=None)  # converted, not given back in its own words
        made[Path(clip).stem] = mk.Motion(figure, motion.poses, rate=round(motion.rate or 30), name="Clip")
    return made


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    manifest: list[dict[str, Any]] = []
    for name, motion in motions().items():
        figure = motion.figure
        frames = sorted({0, 1, len(motion) // 3, len(motion) // 2, len(motion) - 1} & set(range(len(motion))))
        where = motion.placements()[frames][..., :3, 3] @ np.array(TO_Z_UP[figure.up], dtype=float).T
        for ending in ENDINGS:
            path = folder / f"{name}{ending}"
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", mk.errors.OddFile)
                mk.save(motion, path)
            scale = 1.0 if ending == ".bvh" or figure.unit is None else figure.unit  # BVH has no unit
            manifest.append(
                {
                    "file": path.name,
                    "rate": motion.rate,
                    "frames": frames,
                    "size": scale * max(figure.size, float(np.abs(where).max())),
                    "joints": {s: (scale * where[:, i]).tolist() for i, s in enumerate(figure.segment_names)},
                }
            )
    (folder / "manifest.json").write_text(json.dumps(manifest))
    print(f"wrote {len(manifest)} files to {folder}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
