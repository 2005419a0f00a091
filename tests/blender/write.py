"""Writes motions as GLB, BVH and USD, and the positions of their joints, for the comparison of `check.py` in Blender.

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

ENDINGS = (".glb", ".bvh", ".usda", ".usdc")
CLIPS = ("bvh/cmu_02_01_walk.bvh", "bvh/bvhio_example.bvh", "bvh/pymo_AV_8Walk_Meredith.bvh")
"""Real clips, taken where MANIKIN_DATA names their folder."""
UNKNOWN = {".glb": 1.0, ".usda": 0.01, ".usdc": 0.01}
"""Metres that a length is taken for where the figure has no unit: glTF has metres, USD centimetres if it says nothing.
BVH has no unit at all, and its numbers are Blender's."""
OWN = {
    "bvh/bvhio_example.bvh": "LeftHand",
    "gltf/CesiumMan.glb": "Skeleton_arm_joint_R__2_",
    "gltf/Fox.glb": "b_Head_05",
    "usd/lbs.usda": None,
}
"""Files of other people's and the segment that is sent elsewhere in them; the last found where none is named."""
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


def solved(path: Path, segment: str | None) -> mk.Motion:
    """The motion of a file, with one segment sent elsewhere in the second half of its frames."""
    motion = mk.load_motion(path)
    figure, poses = motion.figure, np.array(motion.poses)
    segment = segment or figure.segment_names[-1]
    for k in range(len(motion) // 2, len(motion)):
        where = figure.placements(poses[k], [segment])[0, :3, 3] + 0.05 * figure.size
        poses[k] = mk.solve(figure, [mk.Position(segment, where)], start=poses[k]).pose
    return motion.replaced(poses=poses)


def entry(path: Path, motion: mk.Motion, rate: float) -> dict[str, Any]:
    """What Blender should find in a file."""
    figure = motion.figure
    chosen = sorted({0, 1, len(motion) // 3, len(motion) // 2, len(motion) - 1} & set(range(len(motion))))
    where = motion.placements()[chosen][..., :3, 3] @ np.array(TO_Z_UP[figure.up], dtype=float).T
    scale = 1.0 if path.suffix == ".bvh" else figure.unit or UNKNOWN[path.suffix]
    return {
        "file": path.name,
        "clip": motion.name,
        "rate": rate,
        "frames": [float(motion.times[k] * rate) if path.suffix != ".bvh" else k for k in chosen],
        "size": scale * max(figure.size, float(np.abs(where).max())),
        "joints": {s: (scale * where[:, i]).tolist() for i, s in enumerate(figure.segment_names)},
    }


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    manifest: list[dict[str, Any]] = []
    warnings.simplefilter("ignore", mk.errors.OddFile)
    for name, motion in motions().items():
        for ending in ENDINGS:
            path = folder / f"{name}{ending}"
            mk.save(motion, path)
            manifest.append(entry(path, motion, motion.rate or 30.0))
    data = os.environ.get("MANIKIN_DATA")
    for name, segment in OWN.items() if data else ():
        source = Path(str(data)) / name
        motion = solved(source, segment)
        path = folder / f"own_{source.name}"
        mk.save(motion, path, like=source)
        manifest.append(entry(path, motion, 24.0))
    (folder / "manifest.json").write_text(json.dumps(manifest))
    print(f"wrote {len(manifest)} files to {folder}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
