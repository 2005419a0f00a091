"""Mesh files: what is read of them, what is refused, and that trimesh reads the same."""

from __future__ import annotations

import struct
import sysconfig
from pathlib import Path

import numpy as np
import pytest
from checks import assert_close
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mesh_bytes import CORNERS, stl, stl_text
from strategies import rngs

from manikin.errors import BadFile, Unsupported
from manikin.files.common import collada, mesh
from manikin.files.common.mesh import read_points

ROBOTS = Path(sysconfig.get_path("purelib"), "cmeel.prefix/share/example-robot-data/robots")

OBJ = b"""# a tetrahedron and a point that no face has
mtllib ../../../etc/passwd
v 0 0 0
v 1 0 0 1.0
v 0 2 0
v 0 0 3
v 9 9 9
vn 0 0 1
f 1/1/1 2//1 3
f 1 2 \\
 4
f -5 -3 -2
"""

DAE = """<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
  <asset><unit name="centimeter" meter="0.01"/><up_axis>Y_UP</up_axis></asset>
  <library_geometries><geometry id="g"><mesh>
    <source id="p"><float_array id="pa" count="15">0 0 0  1 0 0  0 2 0  0 0 3  9 9 9</float_array>
      <technique_common><accessor source="#pa" count="5" stride="3"/></technique_common></source>
    <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
    <triangles count="2">
      <input semantic="VERTEX" source="#v" offset="1"/><input semantic="NORMAL" source="#n" offset="0"/>
      <p>7 0 7 1 7 2  7 0 7 1 7 3</p></triangles>
  </mesh></geometry></library_geometries>
  <library_visual_scenes><visual_scene id="s">
    <node><translate>100 0 0</translate><rotate>0 0 1 90</rotate><node><scale>1 2 1</scale>{}</node></node>
  </visual_scene></library_visual_scenes>
  <scene><instance_visual_scene url="#s"/></scene>
</COLLADA>"""
INSTANCE = '<instance_geometry url="#g"/>'


def written(folder: Path, name: str, content: bytes | str) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def unique(points):
    return np.unique(np.round(points, 9), axis=0)


@pytest.mark.parametrize(("name", "content"), [("a.stl", stl()), ("a.STL", stl_text()), ("a.obj", OBJ)])
def test_the_corners_of_all_faces_are_read(tmp_path, name, content):
    assert_close(unique(read_points(written(tmp_path, name, content))), unique(CORNERS))


def test_collada_is_in_metres_placed_by_its_nodes_and_not_turned_up(tmp_path):
    points = read_points(written(tmp_path, "a.dae", DAE.format(INSTANCE)))
    x, y, z = CORNERS.T
    assert_close(unique(points), unique(0.01 * np.stack([100.0 - 2.0 * y, x, z], axis=1)))


def test_collada_without_a_scene_has_its_geometries_as_they_are(tmp_path):
    text = (
        DAE.format("").replace("library_visual_scenes", "other").replace("<scene>", "<!--").replace("</scene>", "-->")
    )
    assert_close(unique(read_points(written(tmp_path, "a.dae", text))), unique(0.01 * CORNERS))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.stl", b"", "0 triangles need 84 bytes, the file has 0"),
        ("a.stl", stl()[:-1], "4 triangles need 284 bytes, the file has 283"),
        ("a.stl", b"\0" * 80 + struct.pack("<I", 2**32 - 1), "4294967295 triangles need 214,748,364,834 bytes"),
        ("a.stl", b"\0" * 84, "the mesh has no points"),
        ("a.stl", stl([[np.nan] * 3] * 4), "point 1 is .*; numbers must lie within"),
        ("a.stl", stl([[3e30] * 3] * 4), "point 1 is .*; numbers must lie within"),
        ("a.stl", b"solid x\nfacet\nvertex 1 2\n", "line 3: vertex needs three numbers, got 'vertex 1 2'"),
        ("a.stl", b"solid x\nfacet\nendsolid", "the mesh has no points"),
        ("a.obj", b"v 1 2 x\n", "line 1: v needs three numbers, got 'v 1 2 x'"),
        ("a.obj", b"v 1 2 3\nf 1 2 1\n", "line 2: a face refers to point '2'; there are 1"),
        ("a.obj", b"v 1 2 3\nf 0\n", "line 2: a face refers to point '0'; there are 1"),
        ("a.obj", b"v 1 2 3\nf -2\n", "line 2: a face refers to point '-2'; there are 1"),
        ("a.obj", b"v 1 2 3\nf " + b"9" * 5000, "line 2: a face refers to point"),
        ("a.obj", b"nothing", "the mesh has no points"),
        ("a.dae", b"<robot/>", "begins with <robot>"),
        ("a.dae", b"<COLLADA", "line 1"),
        ("a.dae", DAE.format('<instance_geometry url="#x"/>'), "refers to '#x', which is not in the file"),
        ("a.dae", DAE.format('<instance_geometry url="http://x"/>'), "refers to 'http://x', which is not in the file"),
        ("a.dae", DAE.format(INSTANCE).replace("100 0 0", "100 0"), "<translate> has 2 numbers; it needs 3"),
        ("a.dae", DAE.format(INSTANCE).replace("9 9 9", "9 9 x"), "has words that are not numbers"),
        ("a.dae", DAE.format(INSTANCE).replace('count="5"', 'count="6"'), "are stated, but there are only 15 numbers"),
        (
            "a.dae",
            DAE.format(INSTANCE).replace('stride="3"', 'stride="2"'),
            "are stated, but there are only 15 numbers",
        ),
        ("a.dae", DAE.format(INSTANCE).replace('stride="3"', 'stride="-3"'), "stride is '-3'; it needs a whole number"),
        ("a.dae", DAE.format(INSTANCE).replace("7 3</p>", "7 5</p>"), "refers to position 5; there are 5"),
        ("a.dae", DAE.format(INSTANCE).replace("7 3</p>", "7 1e300</p>"), "refers to position"),
        ("a.dae", DAE.format(INSTANCE).replace("0.01", "0"), "the unit is 0 metres"),
        (
            "a.dae",
            DAE.format(INSTANCE).replace("9 9 9</", "nan 9 9</").replace("7 3</p>", "7 4</p>"),
            "numbers must lie",
        ),
        ("a.dae", DAE.format(""), "the mesh has no points"),
    ],
)
def test_what_does_not_hold_together_is_one_clear_error(tmp_path, name, content, message):
    with pytest.raises(BadFile, match=message):
        read_points(written(tmp_path, name, content))


def test_nodes_that_stand_for_each_other_end(tmp_path):
    round_and_round = DAE.format('<node id="n"><instance_node url="#n"/></node>')
    with pytest.raises(BadFile, match="nested more than 64 levels deep"):
        read_points(written(tmp_path, "a.dae", round_and_round))
    doubling = "".join(
        f'<node id="n{k}"><instance_node url="#n{k + 1}"/><instance_node url="#n{k + 1}"/></node>' for k in range(40)
    )
    with pytest.raises(BadFile, match="more than 20,000 nodes"):
        read_points(written(tmp_path, "b.dae", DAE.format(doubling + f'<node id="n40">{INSTANCE}</node>')))


def test_a_scene_of_too_many_points_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(collada, "MOST_POINTS", 10)
    with pytest.raises(BadFile, match="more than 10 points"):
        read_points(written(tmp_path, "a.dae", DAE.format(3 * INSTANCE)))


def test_files_that_are_too_large_or_of_another_kind_are_not_opened(tmp_path, monkeypatch):
    monkeypatch.setattr(mesh, "MOST_BYTES", 100)
    with pytest.raises(BadFile, match="the file has 284 bytes; the limit for a mesh is 100"):
        read_points(written(tmp_path, "a.stl", stl()))
    with pytest.raises(Unsupported, match=r"a mesh must be .stl, .obj, .dae, got '.ply'"):
        read_points(tmp_path / "a.ply")
    (tmp_path / "folder.stl").mkdir()
    with pytest.raises(IsADirectoryError):
        read_points(tmp_path / "folder.stl")
    with pytest.raises(FileNotFoundError):
        read_points(tmp_path / "none.stl")


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(["stl", "STL", "obj", "dae"]), rngs(), st.integers(1, 6))
def test_broken_bytes_are_read_or_refused(tmp_path, kind, rng, count):
    """Bytes changed, cut off or put in at random: points, or BadFile, and nothing else."""
    data = bytearray({"stl": stl(), "STL": stl_text(), "obj": OBJ, "dae": DAE.format(INSTANCE).encode()}[kind])
    for _ in range(count):
        at = int(rng.integers(len(data)))
        data[at : at + int(rng.integers(0, 3))] = rng.bytes(int(rng.integers(0, 3)))
    if rng.uniform() < 0.3:
        del data[int(rng.integers(len(data))) :]
    try:
        points = read_points(written(tmp_path, f"a.{kind}", bytes(data)))
    except BadFile:
        return
    assert points.shape[1] == 3
    assert len(points)
    assert np.isfinite(points).all()


def judged(path: Path):
    """The box around a mesh as trimesh reads it; COLLADA as coal does, since trimesh needs another package for it."""
    if path.suffix.lower() == ".dae":
        coal = pytest.importorskip("coal")
        found = coal.MeshLoader().load(str(path), np.ones(3))
        found.computeLocalAABB()
        return np.array([found.aabb_local.min_, found.aabb_local.max_])
    trimesh = pytest.importorskip("trimesh")
    return np.asarray(trimesh.load(path, process=False, force="mesh", skip_materials=True).bounds)


@pytest.mark.skipif(not ROBOTS.is_dir(), reason="example-robot-data is not installed")
@pytest.mark.parametrize("robot", ["panda", "ur", "tiago", "romeo", "a1", "xarm", "hector", "z1"])
def test_meshes_of_robots_are_as_large_as_others_read_them(robot):
    paths = [p for p in sorted((ROBOTS / f"{robot}_description").rglob("*")) if p.suffix.lower() in mesh.ENDINGS]
    small = [p for p in paths if p.stat().st_size < 1_000_000][:12]
    assert small
    for path in small:
        points = read_points(path)
        box = np.array([points.min(axis=0), points.max(axis=0)])
        assert_close(box, judged(path), tol=1e-5 * max(1e-3, float(np.abs(box).max())))
