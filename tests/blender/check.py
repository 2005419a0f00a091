"""Opens the files of `write.py` in Blender (bpy) and compares the positions of the joints, frame by frame.

    python tests/blender/check.py FOLDER     # in an environment of its own that has bpy

The exit code is 1 if a joint is missing, or further than TOLERANCE of the figure's size from its place in manikin.
"""

from __future__ import annotations

import json
import logging
import sys
from pathlib import Path
from typing import Any

import bpy

TOLERANCE = 1e-5
"""Of the figure's size (or its distance from the origin): Blender computes in single precision."""
FEWEST = 0.5
"""At least this part of the segments must be found: end sites are only the tails of bones in Blender."""


def open_file(path: Path, rate: float) -> int:
    """Open a file in an empty scene; gives the frame of the scene on which its first frame is."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps, scene.render.fps_base = round(rate), round(rate) / rate
    if path.suffix == ".bvh":
        bpy.ops.import_anim.bvh(filepath=str(path), frame_start=0, use_fps_scale=False, update_scene_fps=False)
    elif path.suffix == ".glb":
        bpy.ops.import_scene.gltf(filepath=str(path))
    else:
        bpy.ops.wm.usd_import(filepath=str(path))
    scene.render.fps, scene.render.fps_base = round(rate), round(rate) / rate
    return 1 if path.suffix == ".bvh" else 0  # the importer of BVH keeps frame_start itself for the rest pose


def play(clip: str) -> None:
    """Of several clips, which come as tracks, play one; without its track, which puts it on other frames."""
    for thing in bpy.data.objects:
        tracks = list(thing.animation_data.nla_tracks) if thing.animation_data else []
        for track in tracks if len(tracks) > 1 else []:
            track.mute = True
            if track.name == clip:
                thing.animation_data.action = track.strips[0].action
                thing.animation_data.action_slot = track.strips[0].action_slot


def found() -> dict[str, Any]:
    """Name of each object or bone, and a function that tells where it is now."""
    places: dict[str, Any] = {}
    for thing in bpy.data.objects:
        places.setdefault(thing.name, lambda o=thing: o.matrix_world.translation)
    for thing in bpy.data.objects:
        if thing.type == "ARMATURE":
            for bone in thing.pose.bones:
                places[bone.name] = lambda o=thing, b=bone: o.matrix_world @ b.head
    return places


def compare(folder: Path, entry: dict[str, Any]) -> tuple[float, int]:
    """The worst distance in parts of the size, and how many joints were found."""
    first = open_file(folder / entry["file"], entry["rate"])
    play(entry["clip"])
    places = found()
    joints = {name: where for name, where in entry["joints"].items() if name in places}
    worst = 0.0
    for k, frame in enumerate(entry["frames"]):
        bpy.context.scene.frame_set(first + int(frame), subframe=frame - int(frame))
        bpy.context.view_layer.update()
        for name, where in joints.items():
            there = places[name]()
            distance = sum((a - b) ** 2 for a, b in zip(there, where[k], strict=True)) ** 0.5
            worst = max(worst, distance / entry["size"])
    return worst, len(joints)


def main(folder: Path) -> int:
    logging.disable(logging.WARNING)  # the importer of glTF tells of every node
    failed = 0
    for entry in json.loads((folder / "manifest.json").read_text()):
        worst, count = compare(folder, entry)
        right = worst <= TOLERANCE and count >= FEWEST * len(entry["joints"])
        failed += not right
        print(
            f"{'ok  ' if right else 'BAD '} {entry['file']:<36} {count:>3} of {len(entry['joints']):>3} joints, "
            f"{len(entry['frames'])} frames: within {worst:.1e} of the size"
        )
    print(
        f"Blender {bpy.app.version_string}: "
        + (f"{failed} files differ" if failed else "all joints where they should be")
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
