"""`within=FOLDER`: files that a file names are opened below that folder, and nowhere else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from gltf_by_hand import Maker, turn

import manikin as mk
from manikin.errors import BadFile, BadValue, OddFile
from manikin.files.common.within import Within

BODY = '<body name="{}"><joint name="{}_j"/><geom size="0.1"/></body>'
RIG = """#usda 1.0
(
    defaultPrim = "Model"
)
def SkelRoot "Model"
{
    def Skeleton "Skel" (prepend apiSchemas = ["SkelBindingAPI"])
    {
        uniform token[] joints = ["Hip", "Hip/Knee"]
        uniform matrix4d[] bindTransforms = [((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,1,0,1)), ((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,.5,0,1))]
        uniform matrix4d[] restTransforms = [((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,1,0,1)), ((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,-.5,0,1))]
        rel skel:animationSource = </Model/Walk>
    }
    def SkelAnimation "Walk"
    {
        uniform token[] joints = ["Hip", "Hip/Knee"]
        float3[] translations = [(0, 1, 0), (0, -0.5, 0)]
        quatf[] rotations.timeSamples = { 1: [(1, 0, 0, 0), (1, 0, 0, 0)], 2: [(1, 0, 0, 0), (0.8, 0.6, 0, 0)] }
        half3[] scales = [(1, 1, 1), (1, 1, 1)]
    }
}
"""  # noqa: E501


def mjcf(folder: Path) -> Path:
    """A model whose parts lie in a folder beside its own, as those of MyoSuite do."""
    (folder / "parts").mkdir(parents=True)
    (folder / "arm").mkdir()
    (folder / "parts" / "hand.xml").write_text(f"<mujocoinclude>{BODY.format('hand', 'h')}</mujocoinclude>")
    path = folder / "arm" / "arm.xml"
    path.write_text(
        f'<mujoco><worldbody>{BODY.format("a", "a")}<include file="../parts/hand.xml"/></worldbody></mujoco>'
    )
    return path


def gltf(folder: Path) -> Path:
    """A file whose buffer lies in the folder above."""
    folder.mkdir(parents=True, exist_ok=True)
    maker = Maker([{"name": "A", "children": [1]}, {"name": "B", "translation": [0, 1, 0]}]).skin([0, 1])
    maker.animate("Bend", (1, "rotation", [0, 1], [turn((1, 0, 0), 0), turn((1, 0, 0), 90)], "LINEAR"))
    (folder / "scene").mkdir()
    (folder / "m.bin").write_bytes(maker.binary)
    path = folder / "scene" / "m.gltf"
    path.write_text(json.dumps(maker.json | {"buffers": [{"byteLength": len(maker.binary), "uri": "../m.bin"}]}))
    return path


def usd(folder: Path) -> Path:
    """A stage that refers to one in a folder beside its own."""
    (folder / "rigs").mkdir(parents=True)
    (folder / "shots").mkdir()
    (folder / "rigs" / "rig.usda").write_text(RIG)
    path = folder / "shots" / "shot.usda"
    path.write_text('#usda 1.0\ndef "Shot" (references = @../rigs/rig.usda@) { }\n')
    return path


MAKERS = {"mjcf": mjcf, "gltf": gltf, "usd": usd}


@pytest.fixture(params=MAKERS)
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    if request.param != "gltf":
        pytest.importorskip({"mjcf": "mujoco", "usd": "pxr"}[request.param])
    return MAKERS[request.param](tmp_path / "top")


def test_a_file_above_is_refused_and_the_message_names_the_option(path: Path) -> None:
    with pytest.raises(BadFile, match="within=FOLDER allows the files in another folder"):
        mk.load_figure(path)


@pytest.mark.parametrize("safe", [False, True])
def test_a_file_above_is_read_within_a_folder(path: Path, safe: bool) -> None:
    figure = mk.load_figure(path, within=path.parents[1], safe=safe)
    assert {"hand", "B", "Knee"} & set(figure.segment_names)


def test_the_folder_of_the_file_itself_is_no_wider(path: Path) -> None:
    with pytest.raises(BadFile, match="does not contain it"):
        mk.load_figure(path, within=path.parent)


def test_a_link_does_not_lead_out_of_the_folder(path: Path, tmp_path: Path) -> None:
    named = next(p for p in path.parents[1].rglob("*") if p.is_file() and p != path)
    outside = tmp_path / named.name
    named.rename(outside)
    named.symlink_to(outside)
    with pytest.raises(BadFile, match="does not contain it"):
        mk.load_figure(path, within=path.parents[1])
    assert mk.load_figure(path, within=tmp_path).nq


def test_the_folder_must_exist_and_contain_the_file(path: Path, tmp_path: Path) -> None:
    with pytest.raises(BadValue, match="which is not a folder"):
        mk.load_figure(path, within=tmp_path / "none")
    (tmp_path / "other").mkdir()
    with pytest.raises(BadValue, match="is not in that folder"):
        mk.load_figure(path, within=tmp_path / "other")
    with pytest.raises(BadValue, match="within is 3; it must be the path of a folder"):
        mk.load_figure(path, within=3)  # type: ignore[arg-type]


def test_formats_that_name_no_files_do_not_take_the_option(tmp_path: Path) -> None:
    mk.save(mk.chain(2), tmp_path / "a.urdf")
    with pytest.raises(BadValue, match="load_figure has no option within= for URDF"):
        mk.load_figure(tmp_path / "a.urdf", within=tmp_path)


@pytest.mark.parametrize("name", ["", "..", "../x", "a/../../x", "/etc/passwd"])
def test_a_folder_holds_what_is_below_it(name: str, tmp_path: Path) -> None:
    within = Within(str(tmp_path / "f" / "a.xml"))
    assert not within.holds(os.path.join(tmp_path, "f", name))
    assert within.holds(str(tmp_path / "f" / "b" / ".." / "c.xml"))
    assert not within.holds(str(tmp_path / "folder" / "c.xml"))  # which begins with the same letters


def test_a_mesh_above_is_fitted_within_a_folder(tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    from mesh_bytes import stl

    (tmp_path / "meshes").mkdir()
    (tmp_path / "model").mkdir()
    (tmp_path / "meshes" / "m.stl").write_bytes(stl())
    path = tmp_path / "model" / "m.xml"
    path.write_text(
        '<mujoco><compiler meshdir="../meshes"/><asset><mesh name="m" file="m.stl"/></asset><worldbody><body name="a">'
        '<joint/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>'
    )
    with pytest.warns(OddFile, match="outside the folder of the file; within=FOLDER"):
        figure = mk.load_figure(path)
    assert figure.segments[figure.segment_index("a")].mass == 0.0
    figure = mk.load_figure(path, within=tmp_path)
    assert figure.segments[figure.segment_index("a")].mass > 0.0


@pytest.mark.parametrize("kind", ["gltf", "usd"])
def test_a_motion_is_saved_into_a_file_that_names_one_above(kind: str, tmp_path: Path) -> None:
    if kind == "usd":
        pytest.importorskip("pxr")
    path = MAKERS[kind](tmp_path / "top")
    motion = mk.load_motion(path, within=tmp_path)
    edited = motion.replaced(poses=motion.poses[::-1])
    out = path.with_name("out" + path.suffix)
    with pytest.raises(BadFile, match="within=FOLDER"):
        mk.save(edited, out, like=path)
    mk.save(edited, out, like=path, within=tmp_path)
    again = mk.load_motion(out, within=tmp_path)
    assert np.abs(again.placements() - edited.placements()).max() < 1e-6
    assert np.abs(again.placements() - motion.placements()).max() > 0.1


def test_the_command_line_takes_the_option(tmp_path: Path) -> None:
    path = gltf(tmp_path / "top")
    command = [sys.executable, "-m", "manikin"]
    refused = subprocess.run([*command, "info", path], capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert "within=FOLDER" in refused.stderr
    subprocess.run([*command, "info", path, "--within", tmp_path], capture_output=True, check=True)
    out = path.with_name("out.gltf")
    subprocess.run([*command, "convert", path, out, "--within", tmp_path], capture_output=True, check=True)
    assert len(mk.load_motion(out, within=tmp_path)) == 2


def test_the_command_line_uses_the_option_for_the_file_of_like(tmp_path: Path) -> None:
    path = gltf(tmp_path / "top")
    command: list[str | Path] = [
        sys.executable,
        "-m",
        "manikin",
        "convert",
        path,
        path.with_name("out.gltf"),
        "--like",
        path,
    ]
    subprocess.run([*command, "--within", tmp_path], capture_output=True, check=True)
    assert len(mk.load_motion(path.with_name("out.gltf"), within=tmp_path)) == 2


def test_the_command_line_uses_the_option_for_the_figure_of_a_table(tmp_path: Path) -> None:
    path = gltf(tmp_path / "top")
    motion = mk.load_motion(path, within=tmp_path)
    mk.save(motion, tmp_path / "bend.csv")
    command: list[str | Path] = [sys.executable, "-m", "manikin", "info", tmp_path / "bend.csv", "--of", path]
    refused = subprocess.run(command, capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert "within=FOLDER" in refused.stderr
    shown = subprocess.run([*command, "--within", tmp_path], capture_output=True, text=True, check=True)
    assert "2 frames" in shown.stdout


# USD


@pytest.mark.parametrize("name", ["looks.mtlx", "../looks.mtlx", "cache.abc"])
def test_layers_that_are_not_usd_are_skipped_with_a_warning(name: str, tmp_path: Path) -> None:
    pytest.importorskip("pxr")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / name).write_text("<materialx/>")
    (tmp_path / "in" / "rig.usda").write_text(RIG)
    path = tmp_path / "in" / "shot.usda"
    path.write_text(
        f'#usda 1.0\n(\n subLayers = [@./rig.usda@]\n)\ndef "Looks" (references = @{name}@</MaterialX>) {{ }}\n'
    )
    with pytest.warns(OddFile) as heard:
        figure = mk.load_figure(path)
    assert [str(w.message) for w in heard] == [f"{path}: files to which it refers are not USD and are skipped: {name}"]
    assert figure.segment_names == ("Hip", "Knee")


def test_the_way_out_for_a_stage_of_several_folders_works(tmp_path: Path) -> None:
    pytest.importorskip("pxr")
    path = usd(tmp_path / "top")
    with pytest.raises(BadFile) as told:
        mk.load_figure(path)
    command = str(told.value).split("`")[1]
    assert command.startswith('python -c "')
    code = command.removeprefix('python -c "').removesuffix('"')
    subprocess.run([sys.executable, "-c", code], cwd=path.parent, check=True)
    one = mk.load_motion(path.parent / "one.usdc")
    assert np.abs(one.placements() - mk.load_motion(path, within=tmp_path).placements()).max() < 1e-6


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes here")
@pytest.mark.parametrize("how", ["subLayers", "references"])
def test_a_pipe_as_a_layer_is_refused_at_once(how: str, tmp_path: Path) -> None:
    pytest.importorskip("pxr")
    os.mkfifo(tmp_path / "pipe.usda")
    path = tmp_path / "shot.usda"
    sub = "(\n subLayers = [@./pipe.usda@]\n)\n" if how == "subLayers" else 'def "A" (references = @./pipe.usda@) { }\n'
    path.write_text("#usda 1.0\n" + sub)
    said: list[BaseException] = []

    def load() -> None:
        try:
            mk.load_figure(path)
        except BadFile as error:
            said.append(error)

    reader = threading.Thread(target=load, daemon=True)
    reader.start()
    reader.join(20.0)
    assert not reader.is_alive(), "reading waits for a writer of the pipe"
    assert "it needs an ordinary file" in str(said[0])
