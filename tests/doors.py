"""Every door of the package that reads a file, with a good small file for each.

`load_figure`, `load_motion` and `load_markers` stand here once for each format that `hostile_seeds` does not have.
"""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from hostile_seeds import GOOD

import manikin as mk
from manikin.cli.solve import start_pose
from manikin.files import fit_options, load_points
from manikin.files.common.mesh import read_points
from manikin.files.targets import load_targets
from manikin.jobs.folder.manifest import Manifest
from manikin.jobs.folder.places import LocalPlace
from manikin.jobs.folder.plan import BatchQuestion, Task
from manikin.motion.part_file import load_part, save_part
from manikin.prior import model as natural
from manikin.studio.figures import FigureSource
from manikin.studio.scene import StudioScene

TIMES = np.arange(4) / 30


@dataclass(frozen=True)
class Door:
    """One way for a file into the package."""

    ending: str
    make: Callable[[Path], object]
    """Writes a good file."""
    load: Callable[[Path], object]
    text: bool = False
    """Whether the file is text."""


@functools.cache
def arm() -> mk.Figure:
    """A small figure."""
    return mk.chain(3)


@functools.cache
def person() -> mk.Figure:
    return mk.human()


def motion() -> mk.Motion:
    return mk.Motion(arm(), arm().random(np.random.default_rng(0), 4), TIMES, name="wave")


def points(ending: str) -> Callable[[Path], object]:
    where = np.random.default_rng(0).normal(size=(4, 3, 3)).round(3)

    def make(path: Path) -> None:
        if ending == ".npy":
            np.save(path, where)
        elif ending == ".npz":
            np.savez(path, points=where, rate=30.0, names=np.array(["a", "b", "c"]), confidence=np.ones((4, 3)))
        else:
            heads = ",".join(f"{name}_{axis}" for name in "abc" for axis in "xyz")
            rows = [",".join(map(str, [t, *row.ravel()])) for t, row in zip(TIMES, where, strict=True)]
            path.write_text("\n".join([f"time,{heads}", *rows]) + "\n")

    return make


def saved(thing: Callable[[], Any]) -> Callable[[Path], object]:
    return lambda path: mk.save(thing(), path)


def write(text: str) -> Callable[[Path], object]:
    return lambda path: path.write_text(text)


def clip_arguments() -> tuple[Any, ...]:
    return arm(), mk.Over(mk.Position("Tip", (0, 0, 0)), lambda t: (1.0 + 0.1 * t, 1.0, 0.5)), TIMES


def make_part(path: Path) -> None:
    save_part(mk.solve_motion(*clip_arguments()), path)


def load_resume(path: Path) -> object:
    load_part(path, arm())
    return mk.solve_motion(*clip_arguments(), resume=path)


def make_manifest(path: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        manifest = Manifest(LocalPlace(folder), "check")
        for name in ("a.bvh", "b.bvh"):
            manifest.add(question(folder).record(Task(name, name), ANSWER))
        path.write_bytes((Path(folder) / "manifest.jsonl").read_bytes())


ANSWER: dict[str, Any] = {
    "result": "done",
    "good": True,
    "input": "0" * 64,
    "output": {"name": "a.bvh", "sha256": "0" * 64, "bytes": 10},
    "frames": 4,
    "quality": {"jerk": 1.5},
    "notes": ["a note"],
    "error": None,
    "kernels": "v3",
    "seconds": 0.1,
}


def question(folder: str) -> BatchQuestion:
    from manikin import jobs

    place = LocalPlace(folder)
    return BatchQuestion(jobs.find("check"), place, place, {"clip": None})


def load_manifest(path: Path) -> object:
    from manikin.jobs.folder.result import BatchResult

    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "manifest.jsonl").write_bytes(path.read_bytes())
        try:
            records = Manifest(LocalPlace(folder), "check").records
        except mk.errors.ManikinError as error:
            raise mk.errors.BadValue(f"{path}: {error}") from error
        asked = question(folder)
        for name, record in records.items():
            asked.answers(record, Task(name, name), frozenset({"v3"}), retry=False)
    return BatchResult


def make_block(path: Path) -> None:
    path.write_bytes(mk.Solver(arm(), mk.Position("Tip", (1.0, 1.0, 0.5))).to_bytes())


def load_block(path: Path) -> object:
    try:
        return mk.Solver.from_bytes(path.read_bytes())
    except mk.errors.ManikinError as error:  # the bytes have no path
        raise mk.errors.BadValue(f"{path}: {error}") from error


def make_net(path: Path) -> None:
    from importlib import resources

    with resources.as_file(resources.files("manikin.prior") / "natural.npz") as own:
        path.write_bytes(own.read_bytes())


STL = "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid\n"
DAE = """<COLLADA version="1.4.1"><library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="f" count="9">
0 0 0 1 0 0 0 1 0</float_array><technique_common><accessor source="#f" count="3" stride="3"><param name="X"/>
<param name="Y"/><param name="Z"/></accessor></technique_common></source><vertices id="v"><input semantic="POSITION"
source="#p"/></vertices><triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles>
</mesh></geometry></library_geometries></COLLADA>"""
OSIM = """<OpenSimDocument Version="40000"><IKMarkerTask name="LASI"><apply>true</apply><weight>2.5</weight>
</IKMarkerTask></OpenSimDocument>"""
TARGETS = "time,Tip.x,Tip.y,Tip.z\n0,1,1,0.5\n0.1,1,,0.5\n0.2,1,1.1,0.5\n"


def make_scene(path: Path) -> None:
    source = FigureSource("record", "chain", record=arm().to_dict())
    StudioScene.begin(source, arm()).save(path)


def make_attachments(path: Path) -> None:
    mk.Attachments.from_names(["LASI", "RASI", "LKNE", "Ball"], person()).save(path)


@functools.cache
def planar() -> mk.Figure:
    return mk.chain(3, planar=True)


DOORS: dict[str, Door] = {
    "points .npy": Door(".npy", points(".npy"), load_points),
    "points .npz": Door(".npz", points(".npz"), load_points),
    "points .csv": Door(".csv", points(".csv"), load_points, True),
    "points .trc": Door(".trc", GOOD[".trc"][0], load_points, True),
    "points .c3d": Door(".c3d", GOOD[".c3d"][0], load_points),
    "table .csv": Door(".csv", saved(motion), lambda path: mk.load_motion(path, figure=arm()), True),
    "table .npz": Door(".npz", saved(motion), lambda path: mk.load_motion(path, figure=arm())),
    "targets": Door(".csv", write(TARGETS), lambda path: load_targets(path, arm(), None), True),
    "pose": Door(".json", write('{"pose": [0.1, 0.2, 0.3]}'), lambda path: start_pose(planar(), path, 0), True),
    "resume": Door(".npz", make_part, load_resume),
    "manifest": Door(".jsonl", make_manifest, load_manifest, True),
    "attachments": Door(".json", make_attachments, mk.Attachments.load, True),
    "map": Door(".json", lambda p: mk.bone_map(person()).save(p), lambda p: mk.BoneMap.load(p, person()), True),
    "marker weights": Door(".xml", write(OSIM), fit_options.osim.weights, True),
    "mesh .stl": Door(".stl", write(STL), read_points, True),
    "mesh .obj": Door(".obj", write("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"), read_points, True),
    "mesh .dae": Door(".dae", write(DAE), read_points, True),
    "net": Door(".npz", make_net, natural.read),
    "scene": Door(".json", make_scene, StudioScene.load, True),
    "solver": Door(".bin", make_block, load_block),
}
"""By name."""
