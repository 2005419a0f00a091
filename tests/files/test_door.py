"""The door of the files room: formats by the ending of the name, content checked, options checked."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import manikin as mk
from manikin.errors import BadFile, BadValue, Unsupported
from manikin.figure import Figure
from manikin.files import content
from manikin.files.formats import FORMATS

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


def able(role: str) -> str:
    """The endings that have a function for a role, as messages list them."""
    return ", ".join(ending for ending, kind in FORMATS.items() if getattr(kind, role) is not None)


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
            lambda: mk.load_figure("a.qqq"),
            f"a.qqq: figures can be read from {able('figure')}; the extension '.qqq' is",
        ),
        (
            lambda: mk.load_figure("robot"),
            f"robot: figures can be read from {able('figure')}; the name has no extension",
        ),
        (
            lambda: mk.load_motion("a.urdf"),
            f"a.urdf: motions can be read from {able('motion')}; URDF is not one of them; load_figure reads it",
        ),
        (
            lambda: mk.save(mk.chain(1), "a.obj"),
            f"a.obj: figures can be written as {able('save_figure')}; the extension",
        ),
        (lambda: mk.load_figure("r.urdf.xacro"), "r.urdf.xacro: .xacro files cannot be read. Xacro: expand it first"),
        (
            lambda: mk.load_motion("walk.amc"),
            "walk.amc: .amc files cannot be read. Acclaim's AMC and ASF: convert the pair to BVH with "
            "`amc2bvh skeleton.asf",
        ),
        (lambda: mk.load_figure("dancer.blend"), "Blender: open it in Blender and export it as .glb"),
        (lambda: mk.load_figure("model.osim"), "model.osim: .osim files cannot be read. OpenSim: convert it to MJCF"),
        (lambda: mk.load_figure("model.sdf"), "`sdf2mjcf model.sdf model.xml` (pip install sdformat-mjcf)"),
        (
            lambda: mk.load_markers("take.tsv"),
            "take.tsv: .tsv files cannot be read. Tables of markers: export .c3d or .trc",
        ),
        (lambda: mk.load_markers("take.csv"), "markers can be read from .c3d, .trc; CSV is not one of them"),
        (lambda: mk.load_figure("walk.c3d"), "C3D is not one of them; load_markers and load_points read it"),
        (lambda: mk.load_markers("walk.bvh"), "BVH is not one of them; load_figure and load_motion read it"),
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
        with pytest.raises(Unsupported, match=r"motions can be written as \.bvh, .* is not one of them"):
            mk.save(motion, tmp_path / f"m{ending}")
        assert not (tmp_path / f"m{ending}").exists()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.urdf", BVH, "the extension says URDF, but the file begins like BVH (.bvh)"),
        ("a.bvh", URDF, "the extension says BVH, but the file begins like URDF (.urdf)"),
        ("a.json", URDF, "the extension says manikin's JSON, but the file begins like URDF"),
        ("a.urdf", '<mujoco model="x"/>', "the extension says URDF, but the file begins like MJCF"),
        ("a.urdf", '<?xml version="1.0"?><sdf version="1"/>', "the extension says URDF, but the file begins like SDF"),
        ("a.json", '{"asset": {"version": "2.0"}}', "the extension says manikin's JSON, but the file begins like glTF"),
        ("a.bvh", "glTF\x02\x00\x00\x00", "the extension says BVH, but the file begins like GLB"),
        ("a.urdf", "<?xml?> <!-- <robot> --> <!DOCTYPE x> <!-- --><sdf><robotNamespace/></sdf>", "begins like SDF"),
        ("a.bvh", "PK\x03\x04", "begins like a ZIP archive (.zip). An archive: unpack it first"),
        ("a.bvh", "\x02P" + 510 * "\0", "begins like C3D (.c3d)"),
        ("a.bvh", "PathFileType\t4", "begins like TRC (.trc)"),
        ("a.bvh", "PXR-USDC", "begins like binary USD (.usdc)"),
        ("a.bvh", "#usda 1.0", "begins like USD text (.usda)"),
        ("a.bvh", "Kaydara FBX Binary  \0", "begins like FBX (.fbx)"),
        ("a.bvh", "; FBX 7.5.0 project file", "begins like FBX (.fbx)"),
        ("a.bvh", "BLENDER-v300", "begins like a Blender file (.blend). Blender: open it in Blender"),
        ("a.bvh", "<!DOCTYPE html><html>", "begins like a web page; was a web page saved instead of the file?"),
        (
            "a.bvh",
            "version https://git-lfs.github.com/spec/v1",
            "a Git LFS pointer; run `git lfs pull` to get the file",
        ),
        ("a.urdf", "<mujocoinclude/>", "begins like a part for inclusion in MJCF files"),
        ("a.urdf", '<?xml version="1.0"?><OpenSimDocument/>', "an OpenSim model (.osim). OpenSim: convert it"),
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
    assert str(caught.value).startswith(f"{tmp_path / name}, byte 0: ")
    assert message in str(caught.value)


def test_an_xml_file_is_read_where_a_urdf_is_in_it(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(URDF)
    assert mk.load_figure(tmp_path / "a.xml", root="free").nq == 7
    (tmp_path / "wide.xml").write_text(f'<?xml version="1.0" encoding="UTF-16"?>{URDF}', encoding="utf-16")
    assert mk.load_figure(tmp_path / "wide.xml").nq == 0
    (tmp_path / "b.xml").write_text("<sdf/>")
    with pytest.raises(Unsupported, match=r"b\.xml: .*begins like SDF"):
        mk.load_figure(tmp_path / "b.xml")
    (tmp_path / "c.xml").write_text("<note/>")
    with pytest.raises(Unsupported, match="this one is neither"):
        mk.load_figure(tmp_path / "c.xml")


def test_a_json_file_may_have_its_keys_in_any_order() -> None:
    assert content.sniff(b'{"asset": {"version": "2.0"}}') == ".gltf"
    assert content.sniff(b'{"manikin": 1, "segments": []}') == ".json"
    assert content.sniff(b'{"buffers": [{"uri": "data:' + 100_000 * b"A") == ""


def test_the_first_element_of_xml_is_found_behind_whatever_stands_before_it() -> None:
    before = b'<?xml version="1.0"?> <!-- <sdf> --> <!DOCTYPE x [ <!ENTITY a "<sdf>"> ]>\n<!DOCTYPE y>'
    assert content.sniff(before + b"<ns:robot>") == ".urdf"
    for end in (b"<!DOCTYPE x [ <!ENTITY", b"<!-- <robot>", b"<?xml", b"<!DOCTYPE x ["):
        assert content.sniff(end) == ""


def test_the_mark_of_a_c3d_file_counts_with_any_block_where_the_name_says_so() -> None:
    assert content.sniff(b"AP" + bytes(510), ".c3d") == ".c3d"
    assert content.sniff(b"APPLE", ".bvh") == ""


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    mkfifo = getattr(os, "mkfifo", None)
    if mkfifo is None:
        pytest.skip("this system has no named pipes")
    mkfifo(tmp_path / "p.bvh")
    with pytest.raises(BadFile, match=r"p\.bvh: this is a pipe; it needs an ordinary file"):
        mk.load_figure(tmp_path / "p.bvh")


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


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda s: s.replaced(offset=(0, 1e16, 0)),
            r"segment 'Tip': offset has 1e\+16; numbers must lie within ±1e\+15",
        ),
        (lambda s: s.replaced(mass=1e300), r"segment 'Tip': mass has 1e\+300"),
        (lambda s: s.replaced(center=(1e308, 0, 0)), r"segment 'Tip': centre of mass has 1e\+308"),
        (lambda s: s.replaced(inertia=(1e308, 0, 0, 1, 0, 1)), r"segment 'Tip': inertia has 1e\+308"),
        (lambda s: s.replaced(shapes=mk.Sphere(radius=1e20)), r"segment 'Tip': a sphere has 1e\+20"),
        (lambda s: s.replaced(shapes=mk.Capsule(end=(0, 0, 1e20))), r"segment 'Tip': a capsule has 1e\+20"),
        (lambda s: s.replaced(shapes=mk.Box(half=(1, 1, 1e20))), r"segment 'Tip': a box has 1e\+20"),
        (lambda s: s.replaced(joint=mk.Slider((1, 0, 0), (0, 1e20))), r"Tip: upper limit is 1e\+20"),
    ],
)
def test_a_figure_too_large_to_compute_with_is_refused(change: Any, message: str, tmp_path: Path) -> None:
    figure = mk.chain(2)
    segments = [change(s) if s.name == "Tip" else s for s in figure.segments]
    mk.save(figure.replaced(segments=segments), tmp_path / "large.json")
    with pytest.raises(BadFile, match=message):
        mk.load_figure(tmp_path / "large.json")


def test_markers_too_far_away_to_compute_with_are_refused(tmp_path: Path) -> None:
    mk.save(mk.Markers(["A", "B"], [[[0, 0, 0], [0, 0, 1e30]]], rate=1, unit=1.0), tmp_path / "far.c3d")
    with pytest.raises(BadFile, match=r"far\.c3d: B is 1e\+30 in frame 1; numbers must lie within"):
        mk.load_markers(tmp_path / "far.c3d")


def test_options_belong_to_formats(tmp_path: Path) -> None:
    (tmp_path / "m.bvh").write_text(BVH)
    with pytest.raises(BadValue, match="load_figure has no option root= for BVH"):
        mk.load_figure(tmp_path / "m.bvh", root="free")
    with pytest.raises(BadValue, match="load_motion has no option clip= for BVH"):
        mk.load_motion(tmp_path / "m.bvh", clip="Walk")
    with pytest.raises(BadValue, match="save has no option colour= for BVH; the options are like="):
        mk.save(mk.chain(1), tmp_path / "x.bvh", colour="red")


def test_only_figures_and_motions_are_saved(tmp_path: Path) -> None:
    with pytest.raises(BadValue, match="save needs a Figure, a Motion or Markers, got list"):
        mk.save([1, 2], tmp_path / "x.bvh")  # type: ignore[arg-type]


@pytest.mark.parametrize("path", [5, None, ["a.urdf"], "a\0.bvh"])
def test_a_path_must_be_one(path: Any) -> None:
    for call in (mk.load_figure, mk.load_motion, mk.load_markers, lambda p: mk.save(mk.chain(1), p)):
        with pytest.raises(BadValue, match=r"it must be the path of a file|a path cannot contain a zero byte"):
            call(path)


def test_a_package_that_is_not_installed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str) -> Any:
        raise ModuleNotFoundError("No module named 'nowhere'", name="nowhere")

    monkeypatch.setattr("manikin.files.importlib.import_module", fail)
    with pytest.raises(Unsupported, match=r"GLB needs .*'nowhere'.*'manikin\[files\]'"):
        mk.save(mk.chain(1), tmp_path / "x.glb")


@pytest.mark.parametrize(
    ("name", "start", "package", "message"),
    [
        (
            "a.fbx",
            "; FBX 7.4.0 project file",
            "ufbx",
            r"FBX needs the package 'ufbx', .*; or open it in Blender and expo",
        ),
        ("a.usda", "#usda 1.0", "pxr", r"USDA needs the package 'pxr', .*; or export it as \.glb or \.bvh from the"),
        ("a.xml", "<mujoco/>", "mujoco", r"MJCF needs the package 'mujoco', .*\[files\]'$"),
    ],
)
def test_without_its_package_a_format_says_what_to_do(
    tmp_path: Path, name: str, start: str, package: str, message: str
) -> None:
    (tmp_path / name).write_text(start)
    code = f"""
import sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition('.')[0] == {package!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Hidden())
import manikin as mk
try:
    mk.load_figure({str(tmp_path / name)!r})
except mk.errors.Unsupported as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert re.search(message, done.stdout.strip()), done.stdout


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
        "early = {m for m in sys.modules if m.startswith(('manikin.files.', 'manikin.motion', 'pygltflib', 'scipy'))}; "
        "early -= {'manikin.files.' + m for m in ('content', 'formats', 'unsupported', 'finite')}; "
        "assert not early, early"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("ending", [".glb", ".gltf", ".vrm", ".usda"])
def test_a_figure_alone_is_not_put_into_a_file_that_has_it(ending: str, tmp_path: Path) -> None:
    if ending == ".usda":
        pytest.importorskip("pxr", reason="usd-core is not installed")
    with pytest.raises(BadValue, match=r"like= .*[mM]otion"):
        mk.save(mk.chain(2), tmp_path / f"a{ending}", like=tmp_path / f"b{ending}")
