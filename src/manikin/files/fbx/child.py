"""Reads an FBX file with ufbx in a separate process, which imports nothing else of manikin.

The library is sound: Blender reads FBX with it. But its Python binding (0.0.5) returns elements of lists without
counting the reference, so their memory is freed while it is in use. This module increments the count of each element,
never releases it, and ends the process without cleaning up. A crash does not affect the caller.

The request is JSON on stdin. The answer is a line of JSON on stdout, then numbers (float64, little endian).
"""

from __future__ import annotations

import array
import ctypes
import importlib
import itertools
import json
import math
import os
import sys
from collections.abc import Iterable
from typing import Any

DEEPEST = 1000
"""Largest depth of the tree of records of the file."""
MOST_NODES = 100_000
"""A scene with more nodes is refused."""
FASTEST = 1000.0
"""Largest frame rate in frames per second. A higher rate in the file is ignored."""
USUAL = 24.0
"""Default frame rate in frames per second."""
EVEN = 32
"""Number of evenly spaced times at which an animation is evaluated for the figure."""
MOST_PROBES = 256
"""Largest number of such times, including those of the extreme values of curves."""
MOST_PROBED = 4_000_000
"""Largest product of nodes and such times, summed over all animations."""
MOST_KEYS = 50_000
"""Largest number of keys of one animation that are read."""
TRS = 10
"""Numbers of a node in a frame: translation, quaternion xyzw, scale."""
POSITIVE = {0: "x", 2: "y", 4: "z"}
"""Axes of ufbx that point along a positive axis."""


class Refused(Exception):
    """The file cannot be read. The message says why."""


def main() -> None:
    """Reads the request, writes the answer, and ends the process."""
    out = os.dup(1)
    os.dup2(2, 1)  # output of libraries is not part of the answer
    request = json.load(sys.stdin)
    restrict(int(request["memory"]), int(request["seconds"]))
    sys.path.append(request["packages"])
    numbers = array.array("d")
    try:
        header = read(importlib.import_module("ufbx"), request, numbers)
    except Refused as error:
        header = {"error": str(error)}
    except MemoryError:
        header = {"error": "reading exceeds the memory limit"}
    except Exception as error:
        header = {"error": f"{type(error).__name__}: {error}"}
    if sys.byteorder == "big":
        numbers.byteswap()
    with os.fdopen(out, "wb") as file:
        file.write(json.dumps(header).encode() + b"\n")
        if "error" not in header:
            numbers.tofile(file)
    os._exit(0)


def restrict(memory: int, seconds: int) -> None:
    """Sets limits on this process, if the system supports them."""
    try:
        import resource
    except ImportError:  # Windows
        return
    for which, most in ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CPU, seconds), (resource.RLIMIT_CORE, 0)):
        hard = resource.getrlimit(which)[1]
        try:
            resource.setrlimit(which, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
        except (OSError, ValueError):
            continue


def read(ufbx: Any, request: dict[str, Any], numbers: array.array[float]) -> dict[str, Any]:
    """The header of the answer. Appends the static pose, the bind pose and each clip to `numbers`."""
    scene, up, notes = _scene(ufbx, request["path"])
    nodes = items(scene.nodes)
    if len(nodes) > MOST_NODES:
        raise Refused(f"there are {len(nodes)} nodes; the limit is {MOST_NODES}")
    place = {node.element_id: i for i, node in enumerate(nodes)}
    for node in nodes:
        numbers.extend(_flat(node.local_transform))
    for matrix in _bind_pose(scene, nodes, place):
        numbers.extend(matrix)
    return {
        "up": up,
        "unit": scene.settings.unit_meters,
        "nodes": [
            {
                "name": node.name,
                "parent": place[node.parent.element_id] if node.parent is not None else -1,
                "bone": _is_bone(node),
                "helper": bool(node.is_scale_helper or node.is_geometry_transform_helper),
                "shown": node.light is None and node.camera is None,
            }
            for node in nodes
        ],
        "clips": _clips(ufbx, scene, nodes, place, request, numbers),
        "notes": notes,
    }


def items(things: Any, which: range | None = None) -> list[Any]:
    """The elements of a list of the binding (or some of them), each with one more reference."""
    counted = ctypes.pythonapi.Py_IncRef
    counted.argtypes, counted.restype = [ctypes.py_object], None
    found = []
    for i in range(len(things)) if which is None else which:
        thing = things[i]
        counted(thing)
        found.append(thing)
    return found


def _scene(ufbx: Any, path: str) -> tuple[Any, str, list[str]]:
    """The scene, its up axis, and notes. A left-handed or upside-down scene is converted to y up."""
    options = {
        "file_format": ufbx.FileFormat.FBX,
        "ignore_geometry": True,
        "ignore_embedded": True,
        "node_depth_limit": DEEPEST,
        "inherit_mode_handling": ufbx.InheritModeHandling.HELPER_NODES,
    }
    scene = _loaded(ufbx, path, options)
    right, up, front = (int(a) for a in scene.settings.axes)
    notes = []
    if 6 in (right, up, front):
        return scene, "y", ["the file does not state which axis is up; y is used"]
    if up in POSITIVE and _right_handed(right, up, front):
        return scene, POSITIVE[up], []
    options["target_axes"] = ufbx.axes_right_handed_y_up
    if not _right_handed(right, up, front):
        options["handedness_conversion_axis"] = ufbx.MirrorAxis.X
        notes.append("the axes of the file are left-handed; the figure is mirrored to right-handed axes with y up")
    else:
        notes.append("the up axis of the file points down; the figure is rotated so that y is up")
    return _loaded(ufbx, path, options), "y", notes


def _loaded(ufbx: Any, path: str, options: dict[str, Any]) -> Any:
    try:
        return ufbx.load_file(path, **options)
    except ufbx.UfbxError as error:
        raise Refused(str(error) or type(error).__name__) from None


def _right_handed(right: int, up: int, front: int) -> bool:
    """Whether right × up is front."""
    a, b = [0, 0, 0], [0, 0, 0]
    a[right // 2], b[up // 2] = 1 - 2 * (right % 2), 1 - 2 * (up % 2)
    cross = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    return cross[front // 2] == 1 - 2 * (front % 2)


def _is_bone(node: Any) -> bool:
    """Whether a node is a bone. If its children do not inherit its scale, a helper node has the scale and the bone."""
    if node.is_scale_helper:
        return False
    return node.bone is not None or (node.scale_helper is not None and node.scale_helper.bone is not None)


def _bind_pose(scene: Any, nodes: list[Any], place: dict[int, int]) -> list[list[float]]:
    """World placement of each node when the skin was bound: twelve numbers by columns, NaN if it is not in the file.

    It is in the clusters of each skin and in bind poses. Clusters move the skin, so they come first: some files have
    bind poses that give bones the places of other bones. The first entry of a node is used.
    """
    matrices = [[math.nan] * 12 for _ in nodes]
    poses = [pose for pose in items(scene.poses) if pose.is_bind_pose]
    said = [(one.bone_node, one.bind_to_world) for one in items(scene.skin_clusters)]
    said += [(one.bone_node, one.bone_to_world) for pose in poses for one in items(pose.bone_poses)]
    for node, matrix in said:
        if node is not None and math.isnan(matrices[place[node.element_id]][0]):
            matrices[place[node.element_id]] = [x for column in matrix for x in column]
    return matrices


# Animations


def _clips(
    ufbx: Any, scene: Any, nodes: list[Any], place: dict[int, int], request: dict[str, Any], numbers: array.array[float]
) -> list[dict[str, Any]]:
    """For each animation: the pose of all nodes at its start, then the moving nodes at a few times (`_probes`).

    The animation with the index `sample` of the request is also sampled frame by frame.
    """
    stated = float(scene.settings.frames_per_second)
    stated = stated if math.isfinite(stated) and 0.0 < stated <= FASTEST else USUAL
    clips = []
    stacks = items(scene.anim_stacks)
    most = probes_each(len(stacks), len(nodes))
    for k, stack in enumerate(stacks):
        anim = stack.anim
        curves = _curves(anim, place)
        moving = _with_helpers({i for i, _ in curves}, nodes, place)
        begin, end = float(stack.time_begin), float(stack.time_end)
        if not end > begin:
            begin = min((float(c.min_time) for _, c in curves), default=0.0)
            end = max((float(c.max_time) for _, c in curves), default=0.0)
        if not (math.isfinite(begin) and math.isfinite(end) and abs(begin) < 1e9 and abs(end) < 1e9):
            raise Refused(
                f"animation {stack.name!r} lasts from {begin:g} to {end:g} s; times must be finite and within ±1e9 s"
            )
        times = _probes(curves, begin, end, most)
        for node in nodes:
            numbers.extend(_flat(ufbx.evaluate_transform(anim, node, begin)))
        _sample(ufbx, anim, [nodes[i] for i in moving], times, numbers)
        varying = {i for i, c in curves if c.max_value > c.min_value}
        clip = {"name": stack.name, "moving": moving, "times": times}
        clip["varying"] = _with_helpers(varying, nodes, place)
        if k == request["sample"]:
            rate, clip["dense"] = _rate([c for _, c in curves], begin, end, stated, request["rate"])
            samples = int(request["samples"]) // max(len(nodes), 1)
            frames = _frames(begin, end, rate)
            if frames > samples and request["rate"] is None and rate > stated:
                rate, clip["dense"] = stated, rate
                frames = _frames(begin, end, rate)
            if frames > samples:
                raise Refused("there are too many samples of nodes")
            _sample(ufbx, anim, [nodes[i] for i in moving], (begin + f / rate for f in range(frames)), numbers)
            clip |= {"begin": begin, "rate": rate, "frames": frames}
        clips.append(clip)
    return clips


def probes_each(stacks: int, nodes: int) -> int:
    """The number of times at which each animation is evaluated. It limits memory for any number of animations.

    Raises:
        Refused: the number would be less than two.
    """
    share = MOST_PROBED // max(stacks * nodes, 1)
    if share < 2:
        raise Refused(f"there are {stacks} animations of {nodes} nodes, which is too many")
    return min(share, MOST_PROBES)


def _curves(anim: Any, place: dict[int, int]) -> list[tuple[int, Any]]:
    """The curves that drive nodes, each with the index of its node."""
    found = []
    for layer in items(anim.layers):
        for prop in items(layer.anim_props):
            node = place.get(prop.element.element_id)
            if node is not None:
                found += [(node, curve) for curve in items(prop.anim_value.curves) if curve is not None]
    return found


def _with_helpers(moving: set[int], nodes: list[Any], place: dict[int, int]) -> list[int]:
    """The moving nodes and the helper nodes that have their scales."""
    helpers = [h for i in moving for h in (nodes[i].scale_helper, nodes[i].geometry_transform_helper) if h is not None]
    return sorted(moving | {place[h.element_id] for h in helpers})


def _sample(ufbx: Any, anim: Any, nodes: list[Any], times: Iterable[float], numbers: array.array[float]) -> None:
    for time in times:
        for node in nodes:
            numbers.extend(_flat(ufbx.evaluate_transform(anim, node, time)))


def _probes(curves: list[tuple[int, Any]], begin: float, end: float, most: int) -> list[float]:
    """Times that show which nodes slide or change their scale: evenly spaced times, and the extreme values of curves.

    At most `MOST_KEYS` keys are read and `most` times are returned, so the length of the animation does not matter.
    """
    even = min(EVEN, most)
    times = {begin + (end - begin) * k / (even - 1) for k in range(even)}
    varying = [c for _, c in curves if c.max_value > c.min_value]
    share = max(2, MOST_KEYS // max(len(varying), 1))
    for curve in varying:
        if len(times) >= most:
            break
        count = len(curve.keyframes)
        keys = items(curve.keyframes, range(0, count, -(-count // share)))
        times |= {extreme(keys, key=lambda key: key.value).time for extreme in (min, max)}
    return sorted(t for t in times if begin <= t <= end)[:most]


def _rate(curves: list[Any], begin: float, end: float, stated: float, wanted: float | None) -> tuple[float, float]:
    """The frame rate, and the rate that would keep the keys between frames (0 if there are none).

    The frame rate is that of the scene, or that of the keys if these are evenly spaced and denser. The second number is
    above `FASTEST` if no rate keeps every key.
    """
    if wanted is not None:
        return wanted, 0.0
    varying = [c for c in curves if c.max_value > c.min_value]
    share = max(2, MOST_KEYS // max(len(varying), 1))
    rows = [[float(k.time) for k in items(c.keyframes, range(min(len(c.keyframes), share)))] for c in varying]
    gaps = [b - a for row in rows for a, b in itertools.pairwise(row) if b - a > 0.5 / FASTEST]
    dense = 1.0 / min(gaps, default=math.inf)
    inside = sorted({t for row in rows for t in row if begin <= t <= end})
    if dense <= 1.01 * stated:
        return stated, 0.0 if _on_frames(inside, begin, stated) else _keeping(inside, begin, stated)
    dense = float(round(dense)) if abs(dense - round(dense)) < 1e-3 * dense else dense
    start = min(row[0] for row in rows if row)
    if dense > FASTEST or not all(_on_frames(row, start, dense) for row in rows):
        return stated, dense
    return dense, 0.0 if _on_frames(inside, begin, dense) else _keeping(inside, begin, dense)


def _on_frames(times: list[float], begin: float, rate: float) -> bool:
    """Whether every time is within 0.05 frames of a frame."""
    return all(abs((t - begin) * rate - round((t - begin) * rate)) < 0.05 for t in times)


def _keeping(times: list[float], begin: float, least: float) -> float:
    """The lowest integer rate that has a frame at each of these times. Above `FASTEST` if there is none."""
    rates = range(math.ceil(least), int(FASTEST) + 1)
    return float(next((r for r in rates if _on_frames(times, begin, r)), 2.0 * FASTEST))


def _frames(begin: float, end: float, rate: float) -> int:
    return max(1, math.floor((end - begin) * rate + 1e-4) + 1)


def _flat(transform: Any) -> tuple[float, ...]:
    return (*transform.translation, *transform.rotation, *transform.scale)


if __name__ == "__main__":
    main()
