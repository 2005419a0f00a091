"""The formats: which module reads and writes each extension, and which options it takes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Format:
    """A file format: the module of its functions, and their options. None if there is no such function."""

    name: str
    module: str
    figure: tuple[str, ...] | None = None
    """Options of `load_figure`."""
    motion: tuple[str, ...] | None = None
    """Options of `load_motion`."""
    save_figure: tuple[str, ...] | None = None
    """Options of `save` with a Figure."""
    save_motion: tuple[str, ...] | None = None
    """Options of `save` with a Motion."""
    markers: tuple[str, ...] | None = None
    """Options of `load_markers`."""
    save_markers: tuple[str, ...] | None = None
    """Options of `save` with Markers."""
    points: tuple[str, ...] | None = None
    """Options of `load_points`. The module `keypoints` reads the keypoints of all formats."""


_LIKE = ("like", "within")
_GLTF = {"figure": ("within",), "motion": ("clip", "within"), "save_figure": _LIKE, "save_motion": _LIKE}
_USD_READ = {"figure": ("skeleton", "within"), "motion": ("clip", "skeleton", "within")}
_USD = {**_USD_READ, "save_figure": _LIKE, "save_motion": _LIKE}
_TABLE = {"motion": ("figure", "rate"), "save_motion": (), "points": ("rate", "unit")}
FORMATS = {
    ".bvh": Format("BVH", "manikin.files.bvh", figure=(), motion=(), save_figure=("like",), save_motion=("like",)),
    ".c3d": Format("C3D", "manikin.files.c3d", markers=(), save_markers=(), points=("unit",)),
    ".csv": Format("CSV", "manikin.files.tables", **_TABLE),
    ".fbx": Format("FBX", "manikin.files.fbx", figure=(), motion=("clip", "rate")),
    ".glb": Format("GLB", "manikin.files.gltf", **_GLTF),
    ".gltf": Format("glTF", "manikin.files.gltf", **_GLTF),
    ".json": Format("manikin's JSON", "manikin.files.figure_json", figure=(), save_figure=()),
    ".mjcf": Format("MJCF", "manikin.files.mjcf", figure=("root", "within")),
    ".mot": Format("OpenSim MOT", "manikin.files.mot", save_motion=()),
    ".npy": Format("NPY", "manikin.files.keypoints", points=_TABLE["points"]),
    ".npz": Format("NPZ", "manikin.files.tables", **_TABLE),
    ".trc": Format("TRC", "manikin.files.trc", markers=(), save_markers=(), points=("unit",)),
    ".urdf": Format("URDF", "manikin.files.urdf", figure=("root",), save_figure=()),
    ".usd": Format("USD", "manikin.files.usd", **_USD),
    ".usda": Format("USDA", "manikin.files.usd", **_USD),
    ".usdc": Format("USDC", "manikin.files.usd", **_USD),
    ".usdz": Format("USDZ", "manikin.files.usd", **_USD_READ),
    ".vrm": Format("VRM", "manikin.files.gltf", **_GLTF),
    ".vrma": Format("VRM animation", "manikin.files.gltf", **{**_GLTF, "save_figure": None}),
}
"""Formats by extension in lower case. An .xml file is URDF or MJCF, depending on its content."""
READ = {
    "figure": "figures can be read from",
    "motion": "motions can be read from",
    "markers": "markers can be read from",
    "points": "keypoints can be read from",
}
WRITTEN = {
    "save_figure": "figures can be written as",
    "save_motion": "motions can be written as",
    "save_markers": "markers can be written as",
}
