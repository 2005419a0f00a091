"""Reads the content of an FBX file through `child` in a separate process, and builds its rig."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from manikin import rotations
from manikin.arrays import Matrix, Placements, Vector
from manikin.base.reading import open_file
from manikin.errors import BadFile, Unsupported, listing
from manikin.files.common.rig import MOST_SAMPLES, Local, Rig, factors
from manikin.files.common.rig_figure import unique_names
from manikin.files.fbx import child

MEMORY = 4 * 2**30
"""Address space that the process may use, in bytes."""
SECONDS = 300
"""Limit of both processor time and wall-clock time, in seconds."""
MOST = 1e15
"""Numbers must be between −MOST and MOST, so that their squares and products do not overflow."""


@dataclass(frozen=True, eq=False)
class Frames:
    """An animation stack, sampled."""

    times: Vector
    """(frames,) seconds."""
    poses: Matrix
    """(frames, nodes, 10), in the form of Clip.poses."""
    dense: float
    """Frames per second that would keep keys which fall between these frames; 0 if there are no such keys."""


@dataclass(frozen=True, eq=False)
class Clip:
    """An animation stack."""

    name: str
    times: Vector
    """(probes,) seconds: a few times that suffice to choose the joints of the figure."""
    poses: Matrix
    """(probes, nodes, 10): translation, quaternion xyzw and scale, relative to the parent."""
    varying: frozenset[int]
    """Nodes whose curves are not constant."""
    frames: Frames | None = None
    """All of its frames, if they were requested."""


@dataclass(frozen=True, eq=False)
class Scene:
    """The content of a file."""

    path: str
    names: list[str]
    """Names of the nodes in the file."""
    parents: list[int]
    bones: list[bool]
    helpers: list[bool]
    """Nodes that are not in the file. They carry a scale that is not inherited."""
    shown: list[bool]
    """False for lights and cameras."""
    static: Matrix
    """(nodes, 10) the pose without animation."""
    bind: Placements
    """(nodes, 3, 4) bind pose of the skin, in the world; NaN if the file has none."""
    clips: list[Clip]
    unit: float
    """Unit of length in metres."""
    up: str
    notes: list[str] = field(default_factory=list)


def read_scene(path: str, sample: int | None = None, rate: float | None = None) -> Scene:
    """Reads the content of a file in a separate process.

    Args:
        path: the file.
        sample: the index of the animation stack whose frames are all read.
        rate: frames per second of these frames; None means the rate of the scene, or that of denser keys.

    Raises:
        BadFile: the file is broken or hostile, or crashed the reader.
        Unsupported: no Python interpreter can be started.
    """
    with open_file(path):  # raises OSError as for other formats if the file cannot be opened
        pass
    header, numbers = _ask(path, sample, rate)
    nodes = header["nodes"]
    n = len(nodes)
    static, at = numbers[: n * child.TRS].reshape(n, child.TRS), n * child.TRS
    bind, at = numbers[at : at + n * 12].reshape(n, 4, 3).swapaxes(1, 2), at + n * 12
    clips = []
    for clip in header["clips"]:
        times, moving = np.array(clip["times"], dtype=np.float64), [int(i) for i in clip["moving"]]
        first, at = numbers[at : at + n * child.TRS].reshape(n, child.TRS), at + n * child.TRS
        poses, at = _poses(numbers, at, first, len(times), moving)
        frames = None
        if "frames" in clip:
            count, rate = int(clip["frames"]), float(clip["rate"])
            whole, at = _poses(numbers, at, first, count, moving)
            frames = Frames(float(clip["begin"]) + np.arange(count) / rate, whole, float(clip["dense"]))
        varying = frozenset(int(i) for i in clip["varying"])
        clips.append(Clip(str(clip["name"]), times, poses, varying, frames))
    scene = Scene(
        path,
        names=[str(node["name"]) for node in nodes],
        parents=[int(node["parent"]) for node in nodes],
        bones=[bool(node["bone"]) for node in nodes],
        helpers=[bool(node["helper"]) for node in nodes],
        shown=[bool(node["shown"]) for node in nodes],
        static=static,
        bind=bind,
        clips=clips,
        unit=float(header["unit"]),
        up=str(header["up"]),
        notes=[str(x) for x in header["notes"]],
    )
    _check(scene)
    return scene


def _poses(numbers: Vector, at: int, first: Matrix, count: int, moving: list[int]) -> tuple[Matrix, int]:
    """(count, nodes, 10) from index `at` of the numbers, which contain only the moving nodes; and the index of their
    end."""
    end = at + count * len(moving) * child.TRS
    poses = np.repeat(first[None], count, axis=0)
    poses[:, moving] = numbers[at:end].reshape(count, len(moving), child.TRS)
    return poses, end


def _ask(path: str, sample: int | None, rate: float | None) -> tuple[dict[str, Any], Vector]:
    """The header and the numbers in the answer of the process."""
    if not sys.executable or getattr(sys, "frozen", False):
        raise Unsupported(
            "FBX is read in a separate process, which needs a Python executable; sys.executable names none"
        )
    found = importlib.util.find_spec("ufbx")
    if found is None or found.origin is None:
        raise Unsupported("FBX needs the package 'ufbx', which is not installed; run pip install 'manikin[files]'")
    request = {
        "path": os.path.abspath(path),
        "packages": os.fspath(Path(found.origin).parent.parent),
        "sample": sample,
        "rate": rate,
        "samples": MOST_SAMPLES,
        "memory": MEMORY,
        "seconds": SECONDS,
    }
    flags = getattr(subprocess, "CREATE_NO_WINDOW", 0)
    command = [sys.executable, "-I", *(["-B"] if sys.dont_write_bytecode else []), child.__file__]
    try:
        done = subprocess.run(
            command,
            input=json.dumps(request).encode(),
            capture_output=True,
            timeout=SECONDS,
            creationflags=flags,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise BadFile(path, f"reading took more than {SECONDS} s and was stopped") from None
    line, _, rest = done.stdout.partition(b"\n")
    if done.returncode != 0 or not line:
        words = done.stderr.decode(errors="replace").split()
        said = f": {' '.join(words)[-300:]}" if words else ""
        raise BadFile(path, f"the FBX reader (ufbx) crashed (exit code {done.returncode}){said}")
    header: dict[str, Any] = json.loads(line)
    if "error" in header:
        raise BadFile(path, f"the FBX file cannot be read: {' '.join(str(header['error']).split())[:300]}")
    return header, np.frombuffer(rest, dtype="<f8").astype(np.float64)


def _check(scene: Scene) -> None:
    """Checks that numbers are usable, that there is a unit, and that the nodes form a tree."""
    if not (np.isfinite(scene.unit) and scene.unit > 0.0):
        raise BadFile(scene.path, f"the unit is {scene.unit:g} metres; it must be above 0")
    clips = [(c.name, poses) for c in scene.clips for poses in (c.poses, *([c.frames.poses] if c.frames else []))]
    for what, values in (("static pose", scene.static), *((f"clip {name!r}", poses) for name, poses in clips)):
        bad = ~(np.abs(values) <= MOST)
        if bad.any():
            node = int(np.argwhere(bad)[0][-2])
            name = scene.names[node]
            raise BadFile(scene.path, f"{what}: node {name!r} has a number that is not finite, or too large")
        if (np.abs((values[..., 3:7] ** 2).sum(axis=-1) - 1.0) > 1e-6).any():
            raise BadFile(scene.path, f"{what}: a rotation quaternion does not have length 1")


# The rig


def rig_of(scene: Scene) -> tuple[Rig, list[int], list[bool]]:
    """The rig, the index in the scene of each of its nodes, and which of them are segments.

    Segments are the bones and the nodes between bones; nodes above the topmost bones carry them. In a scene without
    bones, every node except lights and cameras is a segment.
    """
    count = len(scene.names)
    carries = list(scene.bones)  # whether the node or a descendant is a bone
    for i in reversed(range(count)):
        if scene.parents[i] >= 0 and carries[i]:
            carries[scene.parents[i]] = True
    below = [False] * count  # whether the node or an ancestor is a bone
    for i in range(count):
        below[i] = scene.bones[i] or (scene.parents[i] >= 0 and below[scene.parents[i]])
    if any(scene.bones):
        kept = [i for i in range(count) if carries[i]]
        inner = [below[i] and not scene.helpers[i] for i in kept]
    else:
        kept = [i for i in range(count) if scene.parents[i] < 0 or scene.shown[i]]
        inner = [scene.parents[i] >= 0 and not scene.helpers[i] for i in kept]
        if not any(inner):
            raise BadFile(scene.path, "the file has no bones and no other nodes, so there is no figure to load")
        scene.notes.append("the file has no bones; every node becomes a segment")
    place = {i: k for k, i in enumerate(kept)}
    parents = tuple(place.get(scene.parents[i], -1) for i in kept)
    names, twice = unique_names([scene.names[i] or f"node{i}" for i in kept])
    segments = {names[k] for k in range(len(kept)) if inner[k]}
    if segments & set(twice):
        both = listing(sorted(segments & set(twice)))
        scene.notes.append(f"nodes with the same name get a number: {both}")
    return Rig(tuple(names), parents, tuple(inner)), kept, inner


def local(poses: Matrix) -> Local:
    """(frames, nodes, 10) as local transforms of the rig."""
    p = np.moveaxis(poses, 1, 0)
    return Local(p[..., :3], np.roll(p[..., 3:7], 1, axis=-1), p[..., 7:, None] * np.eye(3))


def rest(scene: Scene, rig: Rig, kept: list[int], inner: list[bool]) -> Local:
    """The rest pose of the nodes: the bind pose of the skin if the file has one, otherwise the pose without
    animation."""
    plain = local(scene.static[None, kept])
    t, q, D = plain.translation.copy(), plain.turn.copy(), plain.stretch.copy()
    world: list[Matrix] = []
    refused = []
    for k, i in enumerate(kept):
        p = rig.parents[k]
        above = world[p] if p >= 0 else np.eye(4)
        own = np.eye(4)
        own[:3, :3], own[:3, 3] = rotations.to_matrix(q[k, 0]) @ D[k, 0], t[k, 0]
        bound = np.vstack([scene.bind[i], [0.0, 0.0, 0.0, 1.0]])
        if inner[k] and np.isfinite(bound).all():
            flat = min(abs(np.linalg.det(bound)), abs(np.linalg.det(above))) < 1e-30
            if np.abs(bound).max() <= MOST and not flat:
                own = np.linalg.solve(above, bound)
                t[k, 0], q[k, 0], D[k, 0] = factors(own)
            else:
                refused.append(rig.names[k])
        world.append(above @ own)
    if refused:
        scene.notes.append(
            f"the bind pose of some nodes cannot be used: {listing(refused)}; their rest pose is "
            "the pose without animation"
        )
    return Local(t, q, D)
