"""Reads MJCF files, the models of MuJoCo, as figures.

`tree` joins the file and its includes into one tree. `clean`, `meshes` and `bounds` remove the elements that a figure
does not need and limit sizes. MuJoCo compiles the rest (`compile`, `model`), so classes, angles, frames and masses are
exactly those of MuJoCo. Its bodies become segments (`figure`, `joints`, `shapes`), and its equalities become couplings
and closed loops (`equality`).
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from pathlib import Path

from manikin.errors import BadFile, BadValue, ManikinError, listing
from manikin.figure.figure import Figure
from manikin.figure.segment import Segment
from manikin.files.common import oddities
from manikin.files.mjcf.clean import Cleaned, clean
from manikin.files.mjcf.compile import compiled
from manikin.files.mjcf.figure import ROOTS, parts
from manikin.files.mjcf.meshes import Meshes
from manikin.files.mjcf.model import Model
from manikin.files.mjcf.rest import closed_rest
from manikin.files.mjcf.tree import Folder, Node, TreeReader

__all__ = ["load_figure"]


def load_figure(
    path: str | os.PathLike[str], root: str | None = None, within: str | os.PathLike[str] | None = None
) -> Figure:
    """Reads the figure of an MJCF file, in metres, z up.

    The world is the root segment, bodies are segments, every joint keeps its name, and `q` has the numbers of MuJoCo's
    `qpos` in the same order. A body with several joints is a chain of segments (`body:joint`, then `body`). Sites are
    fixed segments. Linear joint equalities become couplings; connects and welds become `figure.loops`. The rest pose
    closes the loops. It is MuJoCo's reference pose, except for joints whose limits exclude it. Included files and
    meshes must be in the folder of the file or below it. Shapes are fitted around meshes; a mesh may be missing.

    Args:
        path: the file.
        root: None keeps the joints between world and bodies; "free" adds a free joint to the only body that is fixed to
            the world; "fixed" removes the free joints of bodies on the world.
        within: a folder above the file; includes and meshes may come from anywhere in it.

    Returns:
        The figure. `figure.source` has `notes` (oddities and omissions), `keyframes` (poses by name), `sites` (names
        of the segments that were sites), `files` (all that were read) and `shapeless` (segments that collide, but whose
        surface has no equivalent shape).

    Raises:
        BadFile: the message names path and line.
        OSError: the file cannot be opened.
    """
    if root is not None and root not in ROOTS:
        raise BadValue(f"root is {root!r}; it must be 'fixed', 'free' or None (as in the file)")
    name = os.fspath(path)
    try:
        cleaned, model, files, refused = _model(name, within)
    except BadFile as error:
        if error.path != name:
            raise BadFile(path, f"an included file has an error: {error}") from None
        raise
    made = parts(model, root)
    odd = [*cleaned.lost, *made.odd]
    if cleaned.meshes.massless:
        bodies = list(dict.fromkeys(cleaned.meshes.massless))
        odd.append(
            f"the masses of {listing(bodies)} are unknown or incomplete, because these meshes cannot be read: "
            f"{listing(cleaned.meshes.missing, 4)}" + (f"; {refused}" if refused else "")
        )
    keyframes, faults = _keyframes(cleaned.keyframes, model.nq)
    called = cleaned.root.attributes.get("model") or Path(name).stem
    source = {"format": "mjcf", "path": name, "files": files, "keyframes": keyframes, "sites": made.sites}
    source["shapeless"] = list(dict.fromkeys([*made.shapeless, *filter(None, cleaned.meshes.shapeless)]))
    try:
        rested = ""
        segments: Sequence[Segment] = made.segments
        if made.loops:
            segments, rested = closed_rest(Figure(called, segments, unit=1.0, up="z", loops=made.loops))
        source["notes"] = [*odd, *made.notes, *([rested] if rested else []), *faults, *_left_out(cleaned)]
        figure = Figure(called, segments, unit=1.0, up="z", loops=made.loops, source=source)
    except ManikinError as error:
        raise BadFile(path, str(error)) from error
    oddities.tell(path, odd)
    return figure


def _model(path: str, within: str | os.PathLike[str] | None) -> tuple[Cleaned, Model, list[str], str]:
    """The cleaned tree, the compiled model, the files read, and MuJoCo's message if it refused the meshes."""
    refused = ""
    for use_files, fit in ((True, True), (True, False), (False, False)):
        folder = Folder(path, within)
        reader, meshes = TreeReader(folder), Meshes(folder, use_files, fit)
        cleaned = clean(reader.read(path), reader, meshes)
        try:
            return cleaned, compiled(cleaned), reader.files, refused
        except BadFile as error:
            # A mesh that MuJoCo cannot read must not prevent reading the figure. If the error has another cause, MuJoCo
            # reports it again.
            if not use_files or not any(key.startswith("mesh") for key in meshes.given):
                raise
            refused = str(error)
    raise AssertionError  # the last attempt returns or raises


def _keyframes(nodes: list[Node], nq: int) -> tuple[dict[str, list[float]], list[str]]:
    """The poses of the keyframes by name, and the problems of the others."""
    poses: dict[str, list[float]] = {}
    faults: list[str] = []
    for number, node in enumerate(nodes):
        name = node.attributes.get("name") or f"key{number}"
        text = node.attributes.get("qpos")
        if text is None:
            continue
        try:
            numbers = [float(word) for word in text.split()]
        except ValueError:
            numbers = []
        if len(numbers) == nq and all(math.isfinite(x) for x in numbers):
            poses[name] = numbers
        else:
            faults.append(f"keyframe {name!r} (line {node.line}) is left out: it needs {nq} finite numbers")
    return poses, faults


def _left_out(cleaned: Cleaned) -> list[str]:
    """Sentences on the elements that a figure cannot represent."""
    counts = [f"{count} {what}" for what, count in cleaned.left_out.items() if count]
    notes = [f"elements that a figure cannot represent are left out: {', '.join(counts)}"] if counts else []
    if cleaned.meshes.surfaces:
        why = f": {listing(cleaned.meshes.missing, 4)}" if cleaned.meshes.missing else ""
        notes.append(f"{cleaned.meshes.surfaces} geoms are meshes or other surfaces and get no collision shape{why}")
    return notes
