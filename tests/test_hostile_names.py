"""Names from files are data. The same hostile names go through every reader, every writer and every page, and readers
of others say what became of them: the name comes back as data, or one clear error refuses it."""

from __future__ import annotations

import ast
import csv
import io
import json
import re
import warnings
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import hostile_name_files as files
import numpy as np
import pytest
from click.testing import CliRunner
from hostile_names import HOSTILE

import manikin as mk
from manikin.base import names
from manikin.cli.main import main
from manikin.errors import ManikinError

OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]")
"""What a terminal obeys, other than line ends and tabs."""
NAMES = pytest.mark.parametrize("name", HOSTILE, ids=ascii)
NAMED = pytest.mark.parametrize("name", [name for name in HOSTILE if name], ids=ascii)


# Readers


def heard(call: Callable[[], Any]) -> tuple[Any, list[str]]:
    """What a call returns, or its error, and everything that it would print: the error or the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            thing = call()
        except (ManikinError, OSError) as error:
            thing = error
    said = [str(w.message) for w in caught] + ([str(thing)] if isinstance(thing, ManikinError) else [])
    return thing, said


def texts(thing: Any) -> list[str]:
    """All that people see of a thing."""
    out = [repr(thing), str(thing)]
    out += [thing.describe()] if isinstance(thing, mk.Figure) else []
    return out


class Tags(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.comments, self.data = 0, ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        self.tags.append(tag)

    def handle_comment(self, data: str) -> None:  # noqa: ARG002
        self.comments += 1

    def handle_data(self, data: str) -> None:
        self.data += data


def check_seen(thing: Any, said: list[str]) -> None:
    """Nothing that people see is obeyed by a terminal, and a notebook shows only tags of tables."""
    for text in said + ([] if isinstance(thing, BaseException) else texts(thing)):
        assert not OBEYED.search(text), ascii(text)
    page = getattr(thing, "_repr_html_", lambda: "")()
    seen = Tags(page)
    assert set(seen.tags) <= {"div", "b", "table", "tr", "th", "td", "p"}
    assert seen.comments == 0
    assert not OBEYED.search(page)


@NAMES
@pytest.mark.parametrize("ending", list(files.FIGURES))
def test_readers_of_figures(ending: str, name: str, tmp_path: Path) -> None:
    pytest.importorskip({".xml": "mujoco", ".usda": "pxr", ".fbx": "ufbx"}.get(ending, "numpy"))
    path = tmp_path / f"x{ending}"
    path.write_bytes(files.FIGURES[ending](name))
    figure, said = heard(lambda: mk.load_figure(path))
    check_seen(figure, said)
    if not isinstance(figure, mk.Figure):
        assert len(said[-1]) > len(str(path))
        return
    stored = ending in (".json", ".gltf", ".glb", ".vrm", ".urdf", ".xml")
    assert not stored or not name.strip() or name in figure.segment_names
    check_command(["info", path], figure)
    check_command(["info", path, "--json"], figure)
    check_command(["map", path], figure)


@NAMES
@pytest.mark.parametrize("ending", list(files.MARKERS))
def test_readers_of_markers(ending: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / f"x{ending}"
    path.write_bytes(files.MARKERS[ending](name))
    markers, said = heard(lambda: mk.load_markers(path))
    check_seen(markers, said)
    if isinstance(markers, mk.Markers):
        check_command(["info", path], markers)
        check_command(["info", path, "--json"], markers)


@NAMES
@pytest.mark.parametrize("ending", list(files.TABLES))
def test_readers_of_tables_and_points(ending: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / f"x{ending}"
    path.write_bytes(files.TABLES[ending](name))
    hinge = mk.Joint("x", (mk.Hinge((0, 0, 1)),))
    check_seen(*heard(lambda: mk.load_motion(path, figure=mk.Figure("f", [mk.Segment("a", None, hinge)]))))
    path.write_bytes(files.keypoints(name))
    check_seen(*heard(lambda: mk.load_points(path, rate=30.0)))


@NAMES
def test_readers_of_maps_attachments_and_models(name: str, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(files.JSON["map"](name))
    check_seen(*heard(lambda: mk.bone_map(mk.human(), path)))
    path.write_bytes(files.JSON["attachments"](name))
    attachments, said = heard(lambda: mk.Attachments.load(path))
    check_seen(attachments, said)
    assert isinstance(attachments, ManikinError) or attachments.markers[0].name == name
    path = tmp_path / "x.osim"
    path.write_bytes(files.raw(files.OSIM.replace("NAME", files.attribute(name))))
    from manikin.files import osim

    check_seen(*heard(lambda: osim.load_attachments(path, mk.human())))


def check_command(args: list[Any], thing: Any) -> None:
    """A command ends with 0 or with one line, and prints nothing that a terminal obeys."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        done = CliRunner().invoke(main, [str(a) for a in args])
    assert done.exit_code in (0, 2), done.output
    assert done.exception is None or isinstance(done.exception, SystemExit)
    assert not OBEYED.search(done.output), ascii(done.output)
    if done.exit_code == 2:
        assert len(done.stderr.splitlines()) == 1
    elif "--json" in args:
        facts = json.loads(done.stdout)
        assert [s["name"] for s in facts.get("segments", facts.get("markers"))] == list(
            thing.segment_names if isinstance(thing, mk.Figure) else thing.names
        )


# Writers


def thing_named(name: str) -> mk.Motion:
    """A motion whose figure, segment, joint and clip have a name."""
    turn = mk.Joint(f"{name}:turn", (mk.Hinge((0, 0, 1), (-1.0, 1.0)),), offset=(0, 1, 0))
    tip = mk.Segment("tip", name, mk.Joint("tip", (), offset=(0, 1, 0)))
    figure = mk.Figure(name, [mk.Segment("root"), mk.Segment(name, "root", turn), tip], unit=1.0)
    return mk.Motion(figure, [[0.1], [0.2], [0.3]], rate=10.0, name=name)


def motion_named(name: str) -> mk.Motion:
    made, said = heard(lambda: thing_named(name))
    check_seen(made, said)
    assert isinstance(made, mk.Motion)
    return made


def test_a_figure_refuses_an_empty_name() -> None:
    made, said = heard(lambda: thing_named(""))
    assert isinstance(made, ManikinError), said


def bvh_holds(data: bytes, name: str) -> bool:
    lines = [line.strip() for line in data.decode().split("\n")]
    words = [line.split(" ")[0] for line in lines if line]
    plan = ["HIERARCHY", "ROOT", "{", "OFFSET", "CHANNELS", "JOINT", "{", "OFFSET", "CHANNELS"]
    return words[: len(plan)] == plan and (lines[5] == f"JOINT {name.strip()}" or not name.isprintable() or "{" in name)


def gltf_holds(data: bytes, name: str) -> bool:
    return name in [node.get("name") for node in json.loads(data)["nodes"]]


def glb_holds(data: bytes, name: str) -> bool:
    from pygltflib import GLTF2

    if "\ud800" in name:
        return gltf_holds(data[20 : 20 + int.from_bytes(data[12:16], "little")], name)
    return name in [node.name for node in GLTF2.load_from_bytes(data).nodes]


def urdf_holds(data: bytes, name: str) -> bool:
    root = ElementTree.fromstring(data)
    return name in [link.get("name") for link in root.iter("link")] and {e.tag for e in root} <= {
        "link",
        "joint",
        "manikin",
    }


def csv_holds(data: bytes, name: str) -> bool:
    rows = list(csv.reader(io.StringIO(data.decode(), newline=""), strict=True))
    plain = all(cell[:1] not in (*"=+-@\t\r",) for cell in rows[0])
    return plain and len(rows) == 4 and names.csv_text(rows[0][1]) == f"{name}:turn"


def npz_holds(data: bytes, name: str) -> bool:
    with np.load(io.BytesIO(data), allow_pickle=False) as held:
        return list(held["names"]) == [f"{name}:turn"]


def usd_holds(data: bytes, name: str) -> bool:
    from pxr import Sdf

    layer = Sdf.Layer.CreateAnonymous(".usda")
    return bool(layer.ImportFromString(data.decode()))


def json_holds(data: bytes, name: str) -> bool:
    return name in [s["name"] for s in json.loads(data)["segments"]]


HOLDS: dict[str, Callable[[bytes, str], bool]] = {
    ".bvh": bvh_holds,
    ".gltf": gltf_holds,
    ".glb": glb_holds,
    ".urdf": urdf_holds,
    ".csv": csv_holds,
    ".npz": npz_holds,
    ".usda": usd_holds,
    ".json": json_holds,
}


def kept_or_refused(save: Callable[[], object], folder: Path) -> bool:
    """Whether a thing was saved. If not, one clear error says so, and nothing was written."""
    done, said = heard(save)
    check_seen(None, said)
    if isinstance(done, BaseException):
        assert isinstance(done, ManikinError), repr(done)
        assert re.search("cannot store|does not keep|too long", str(done)), str(done)
        assert list(folder.iterdir()) == []
        return False
    return True


@NAMED
@pytest.mark.parametrize("ending", list(HOLDS))
def test_writers_of_figures_and_motions(ending: str, name: str, tmp_path: Path) -> None:
    pytest.importorskip("pxr" if ending == ".usda" else "numpy")
    motion, path = motion_named(name), tmp_path / f"x{ending}"
    thing = motion.figure if ending in (".urdf", ".json") else motion
    if kept_or_refused(lambda: mk.save(thing, path), tmp_path):
        assert HOLDS[ending](path.read_bytes(), name)


@NAMES
@pytest.mark.parametrize("ending", [".trc", ".c3d"])
def test_writers_of_markers(ending: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / f"x{ending}"
    made, said = heard(lambda: mk.Markers(["m", name], np.arange(24.0).reshape(4, 2, 3), rate=10.0, unit=1.0))
    check_seen(made, said)
    if not isinstance(made, mk.Markers) or not kept_or_refused(lambda: mk.save(made, path), tmp_path):
        return
    if ending == ".trc":
        assert len({line.count("\t") for line in path.read_text(encoding="utf-8").split("\n")[5:]} - {0}) == 1
    assert mk.load_markers(path).names == ("m", name)


# Pages, pictures, scripts


@NAMED
def test_a_page_of_animate(name: str, tmp_path: Path) -> None:
    motion, path = motion_named(name), tmp_path / "x.html"
    mk.animate(motion, path)
    text = path.read_text(encoding="utf-8")
    plain = tmp_path / "plain.html"
    mk.animate(thing_named("a"), plain)
    assert Tags(text).tags == Tags(plain.read_text(encoding="utf-8")).tags
    assert Tags(text).comments == Tags(plain.read_text(encoding="utf-8")).comments
    (data,) = re.findall(r"^const D = (.*);$", text, re.MULTILINE)
    assert "<" not in data
    assert json.loads(data)["name"] == motion.name
    (title,) = re.findall(r"<title>([^<]*)</title>", text)
    assert Tags(title).data == names.line(motion.name)


@NAMED
@pytest.mark.parametrize("ending", [".png", ".svg"])
def test_pictures(ending: str, name: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    motion, path = motion_named(name), tmp_path / f"x{ending}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the font has not every letter
        goal = mk.Position("tip", (5.0, 0.0, 0.0), name=name)
        mk.plot(motion.figure, motion.figure.rest, goal, title=name, save=path, dpi=40)
        if ending == ".svg":
            assert ElementTree.fromstring(path.read_bytes()).tag.endswith("svg")
        mk.plot_quality(motion.quality(), save=path, dpi=40)


@NAMED
def test_a_script_of_the_studio(name: str) -> None:
    from manikin.studio.exports import exported
    from manikin.studio.figures import FigureSource
    from manikin.studio.scene import StudioScene
    from manikin.studio.timeline import Timeline

    figure = motion_named(name).figure
    pose = np.array([0.5])
    scene, said = heard(lambda: StudioScene(FigureSource.of_figure(figure), pose, name=name))
    check_seen(None, said)
    if not isinstance(scene, StudioScene):
        return
    for kind in ("script", "scene", "bvh", "glb", "csv"):
        made, said = heard(lambda kind=kind: exported(scene, figure, Timeline(figure), kind))  # type: ignore[misc]
        check_seen(None, said)
        if not isinstance(made, BaseException):
            assert re.fullmatch(r"[A-Za-z0-9_-]+(\.manikin)?\.[a-z]+", made[0])
            f'attachment; filename="{made[0]}"'.encode("latin-1")
    from manikin.studio.script import script

    tree = ast.parse(script(scene, figure).encode("utf-8"))
    kinds = [type(node).__name__ for node in tree.body]
    assert kinds == ["Expr", "Import", "Assign", "Assign", "Assign", "Assign"], kinds
    assert ast.get_docstring(tree, clean=False) == f'The pose of the scene "{name}", written by manikin studio.'


@NAMES
def test_the_report_of_a_batch(name: str) -> None:
    from manikin.jobs import Measure
    from manikin.jobs.folder import report
    from manikin.jobs.folder.result import BatchResult

    failed = {"clip": name, "result": "failed", "error": {"kind": name, "message": name}, "seconds": 1.0}
    done = {"clip": name, "result": "done", "good": True, "frames": 1, "seconds": 1.0, "quality": {"q": 1.0}}
    measures = (Measure("q", "words", 2.0),)
    result = BatchResult("check", (failed, done), 0, True, name, None, measures, 1.0, (name,))
    page = report.page(result, {"option": name})
    page.encode()
    plain = {**failed, "clip": "a", "error": {"kind": "a", "message": "a"}}
    other = BatchResult("check", (plain, {**done, "clip": "a"}), 0, True, "a", None, measures, 1.0, ("a",))
    assert Tags(page).tags == Tags(report.page(other, {"option": "a"})).tags
    assert Tags(page).comments == 0
    check_seen(result, [])


@NAMED
def test_texts_of_solutions_and_commands_on_a_terminal(name: str, tmp_path: Path) -> None:
    from rich.console import Console

    from manikin.cli import info, say, tables
    from manikin.cli.loading import load

    motion = motion_named(name)
    solution = mk.solve(motion.figure, mk.Position("tip", (5.0, 0.0, 0.0), name=name))
    check_seen(solution, [])
    for report in solution.report:
        check_seen(report, [])
    check_seen(motion.quality(), [])
    path = tmp_path / "x.json"
    mk.save(motion.figure, path)
    out = io.StringIO()
    console = Console(file=out, width=120, markup=False, emoji=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        info.show(load(str(path), lenient=True), console)
    console.print(say.cell(name))
    assert not OBEYED.search(out.getvalue())
    shown = names.line(name).strip()
    assert shown[:20] in out.getvalue()
    table = tables.plain(["goal"], [[name]])
    assert len(table.split("\n")) == 3
    assert names.line(name).rstrip() in table
