"""The door of the files room: formats by the ending of the name, content checked, options checked."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import manikin as mk
from manikin.errors import BadFile, BadValue, Unsupported
from manikin.figure import Figure

URDF = '<robot name="r"><link name="a"/></robot>'
BVH = """HIERARCHY
ROOT Hips
{
 OFFSET 0 0 0
 CHANNELS 3 Zrotation Xrotation Yrotation
 End Site
 {
  OFFSET 0 1 0
 }
}
MOTION
Frames: 2
Frame Time: 0.1
0 0 0
10 20 30
"""


@pytest.mark.parametrize("name", ["f.urdf", "f.URDF", "f.json", "f.bvh", "folder.with.dots/f.urdf"])
def test_a_figure_is_saved_and_loaded_by_its_ending(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder.with.dots").mkdir()
    figure = mk.chain(3, planar=True)
    for path in (tmp_path / name, str(tmp_path / name)):
        mk.save(figure, path)
        assert set(mk.load_figure(path).segment_names) >= {"Segment1", "Segment2", "Segment3"}


def test_a_motion_is_loaded_and_saved(tmp_path: Path) -> None:
    (tmp_path / "m.bvh").write_text(BVH)
    motion = mk.load_motion(tmp_path / "m.bvh")
    assert len(motion.poses) == 2
    for name in ("again.bvh", "m.glb"):
        mk.save(motion, tmp_path / name)
        assert (tmp_path / name).stat().st_size > 0


def test_a_glb_is_written(tmp_path: Path) -> None:
    mk.save(mk.chain(2), tmp_path / "f.glb")
    assert (tmp_path / "f.glb").read_bytes()[:4] == b"glTF"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: mk.load_figure("a.fbx"),
            "a.fbx: figures can be read from .bvh, .json, .urdf; the ending '.fbx' is not known",
        ),
        (lambda: mk.load_figure("a.glb"), "a.glb: figures can be read from .bvh, .json, .urdf; GLB is not among them"),
        (lambda: mk.load_figure("robot"), "robot: figures can be read from .bvh, .json, .urdf; the name has no ending"),
        (lambda: mk.load_motion("a.urdf"), "a.urdf: motions can be read from .bvh; URDF is not among them"),
        (
            lambda: mk.save(mk.chain(1), "a.obj"),
            "figures can be written as .bvh, .glb, .json, .urdf; the ending '.obj' is not",
        ),
        (lambda: mk.load_figure("r.urdf.xacro"), "r.urdf.xacro: xacro is not read; expand it first"),
    ],
)
def test_an_ending_that_is_not_known_is_unsupported_and_those_that_are_known_are_listed(
    call: Any, message: str
) -> None:
    with pytest.raises(Unsupported) as caught:
        call()
    assert message in str(caught.value)


def test_a_motion_is_not_saved_where_a_format_has_none(tmp_path: Path) -> None:
    (tmp_path / "m.bvh").write_text(BVH)
    motion = mk.load_motion(tmp_path / "m.bvh")
    for ending in (".urdf", ".json"):
        with pytest.raises(Unsupported, match=r"motions can be written as .bvh, .glb; .* is not among them"):
            mk.save(motion, tmp_path / f"m{ending}")
        assert not (tmp_path / f"m{ending}").exists()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.urdf", BVH, "the name says URDF, but the file begins like BVH (.bvh)"),
        ("a.bvh", URDF, "the name says BVH, but the file begins like URDF (.urdf)"),
        ("a.json", URDF, "the name says manikin's JSON, but the file begins like URDF"),
        ("a.urdf", '<mujoco model="x"/>', "the name says URDF, but the file begins like MJCF"),
        ("a.urdf", '<?xml version="1.0"?><sdf version="1"/>', "the name says URDF, but the file begins like SDF"),
        ("a.json", '{"asset": {"version": "2.0"}}', "the name says manikin's JSON, but the file begins like glTF"),
        ("a.bvh", "glTF\x02\x00\x00\x00", "the name says BVH, but the file begins like GLB"),
        ("a.urdf", "<?xml?> <!-- <robot> --> <!DOCTYPE x> <!-- --><sdf><robotNamespace/></sdf>", "begins like SDF"),
        ("a.bvh", "", "the file is empty"),
        ("a.urdf", " \n\n", "the file is empty"),
    ],
)
def test_a_file_that_is_not_what_its_name_says_is_told_as_that(
    tmp_path: Path, name: str, content: str, message: str
) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(BadFile) as caught:
        mk.load_figure(tmp_path / name)
    assert str(caught.value).startswith(f"{tmp_path / name}: ")
    assert message in str(caught.value)


def test_an_xml_file_is_read_where_a_urdf_is_in_it(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(URDF)
    assert mk.load_figure(tmp_path / "a.xml", root="free").nq == 7
    (tmp_path / "b.xml").write_text("<mujoco/>")
    with pytest.raises(Unsupported, match=r"of \.xml files only URDF is read; this is an MJCF file"):
        mk.load_figure(tmp_path / "b.xml")
    (tmp_path / "c.xml").write_text("<html/>")
    with pytest.raises(Unsupported, match="this is no URDF file"):
        mk.load_figure(tmp_path / "c.xml")


def test_a_missing_file_is_the_systems_error(tmp_path: Path) -> None:
    for load in (mk.load_figure, mk.load_motion):
        with pytest.raises(FileNotFoundError, match=r"none\.bvh"):
            load(tmp_path / "none.bvh")
    with pytest.raises(IsADirectoryError):
        mk.load_figure(_folder(tmp_path / "f.urdf"))
    with pytest.raises(FileNotFoundError):
        mk.save(mk.chain(1), tmp_path / "nowhere" / "f.json")


def _folder(path: Path) -> Path:
    path.mkdir()
    return path


def test_options_belong_to_formats(tmp_path: Path) -> None:
    (tmp_path / "m.bvh").write_text(BVH)
    with pytest.raises(BadValue, match="load_figure has no option root= for BVH; it takes no options"):
        mk.load_figure(tmp_path / "m.bvh", root="free")
    with pytest.raises(BadValue, match="load_motion has no option clip= for BVH"):
        mk.load_motion(tmp_path / "m.bvh", clip="Walk")
    with pytest.raises(BadValue, match="save has no option colour= for BVH; it takes like="):
        mk.save(mk.chain(1), tmp_path / "x.bvh", colour="red")


def test_only_figures_and_motions_are_saved(tmp_path: Path) -> None:
    with pytest.raises(BadValue, match="save needs a Figure, a Motion or Markers, got list"):
        mk.save([1, 2], tmp_path / "x.bvh")  # type: ignore[arg-type]


@pytest.mark.parametrize("path", [5, None, ["a.urdf"]])
def test_a_path_must_be_one(path: Any) -> None:
    for call in (mk.load_figure, mk.load_motion, lambda p: mk.save(mk.chain(1), p)):
        with pytest.raises(BadValue, match="it needs the name of a file"):
            call(path)


def test_a_package_that_is_not_installed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str) -> Any:
        raise ModuleNotFoundError("No module named 'nowhere'", name="nowhere")

    monkeypatch.setattr("manikin.files.importlib.import_module", fail)
    with pytest.raises(Unsupported, match=r"GLB needs the package 'nowhere', .* pip install 'manikin\[files\]' has it"):
        mk.save(mk.chain(1), tmp_path / "x.glb")


def test_saving_replaces_a_file_in_one_move(tmp_path: Path) -> None:
    path = tmp_path / "f.urdf"
    path.write_text("old")
    with pytest.raises(BadValue, match="has no known unit"):
        mk.save(mk.chain(1).replaced(unit=None), path)
    assert path.read_text() == "old"
    mk.save(mk.chain(1), path)
    assert isinstance(mk.load_figure(path), Figure)
    assert [p.name for p in tmp_path.iterdir()] == ["f.urdf"]


def test_the_door_loads_no_format_before_it_is_needed() -> None:
    code = (
        "import sys, manikin.files; "
        "early = [m for m in sys.modules if m.startswith(('manikin.files.', 'manikin.motion', 'pygltflib', 'scipy'))]; "
        "assert not early, early"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
