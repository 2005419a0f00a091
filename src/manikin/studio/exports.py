"""Exports: the motion or the pose of a scene as a file that other programs read."""

from __future__ import annotations

import io
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

from manikin.base.names import file_name
from manikin.errors import Unsupported, unknown_name
from manikin.figure.figure import Figure
from manikin.motion.motion import Motion
from manikin.studio.scene import StudioScene
from manikin.studio.script import script_files
from manikin.studio.timeline import Timeline

ENDINGS = {"bvh": ".bvh", "glb": ".glb", "usd": ".usda", "csv": ".csv"}
"""Endings of the files with a motion, by the kind of export."""
KINDS = (*ENDINGS, "scene", "script")
"""Kinds of exports. Pictures are made by the page."""


def exported(
    scene: StudioScene, figure: Figure, timeline: Timeline, kind: str, folders: Sequence[Path] = ()
) -> tuple[str, bytes]:
    """The name of a file, and its content.

    Args:
        scene: the scene.
        figure: its figure.
        timeline: makes its motion. Without a motion, the file holds one frame with the present pose.
        kind: one of `KINDS`.
        folders: where the file of the figure may lie. A glTF export is a copy of that file, with its meshes.

    Raises:
        UnknownName: there is no such kind.
        Unsupported, BadValue: the format cannot hold the figure.
    """
    name = file_name(scene.name, "pose")
    if kind == "scene":
        return f"{name}.manikin.json", scene.to_json().encode()
    if kind == "script":
        files = script_files(scene, figure)
        if len(files) == 1:
            return f"{name}.py", files["pose.py"].encode()
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for entry, text in files.items():
                archive.writestr(zipfile.ZipInfo(entry), text)
        return f"{name}.zip", packed.getvalue()
    if kind not in ENDINGS:
        raise unknown_name("the studio", "export", kind, KINDS)
    from manikin.files import save

    take = timeline.take(scene)
    motion = Motion(figure, scene.pose[None], rate=scene.fps, name=name) if take is None else take.motion
    like = _original(scene, kind, folders)
    with tempfile.TemporaryDirectory(prefix="manikin-") as folder:
        path = Path(folder) / f"{name}{ENDINGS[kind]}"
        try:
            save(motion, path, like=like)
        except Unsupported:
            if like is None:
                raise
            save(motion, path)  # the original cannot hold this motion, a new file may
        return path.name, path.read_bytes()


def _original(scene: StudioScene, kind: str, folders: Sequence[Path]) -> Path | None:
    """The file of the figure, if a copy of it can hold the motion."""
    endings = {"glb": (".glb", ".vrm")}.get(kind, ())
    if scene.source.kind != "file" or Path(scene.source.name).suffix.lower() not in endings:
        return None
    return next((f / scene.source.name for f in folders if (f / scene.source.name).exists()), None)
