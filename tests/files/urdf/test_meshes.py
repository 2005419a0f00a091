"""Shapes around the collision meshes of a URDF: where meshes are found, that they are held, and what saving keeps."""

from __future__ import annotations

import sysconfig
from pathlib import Path

import numpy as np
import pytest
from mesh_bytes import CORNERS, stl

import manikin as mk
from manikin import rotations
from manikin.errors import BadFile, MissingShape, OddFile
from manikin.files.common.mesh import read_points
from manikin.files.urdf import meshes as urdf_meshes
from manikin.kinematics.cover import distances

ROBOTS = Path(sysconfig.get_path("purelib"), "cmeel.prefix/share/example-robot-data/robots")
NO_ROBOTS = pytest.mark.skipif(not ROBOTS.is_dir(), reason="example-robot-data is not installed")


def robot(filename: str, more: str = "", place: str = "", link: str = "a") -> str:
    mesh = f'<collision>{place}<geometry><mesh filename="{filename}"{more}/></geometry></collision>'
    return f'<robot name="r"><link name="{link}">{mesh}</link></robot>'


def package(folder: Path, text: str) -> Path:
    """A file robot/urdf/r.urdf, with a mesh at robot/meshes/a.stl."""
    for name in ("urdf", "meshes"):
        (folder / "robot" / name).mkdir(parents=True)
    (folder / "robot" / "meshes" / "a.stl").write_bytes(stl())
    path = folder / "robot" / "urdf" / "r.urdf"
    path.write_text(text)
    return path


def held(shape, points) -> None:
    """That a shape holds points, and touches some of them."""
    ends = (shape.center, shape.center) if isinstance(shape, mk.Sphere) else (shape.start, shape.end)
    assert distances(points, *map(np.array, ends)).max() == pytest.approx(shape.radius, abs=1e-9)


@pytest.mark.parametrize(
    "filename",
    ["package://robot/meshes/a.stl", "package:///robot/meshes/a.stl", "../meshes/a.stl", "..\\meshes\\a.stl"],
)
def test_a_mesh_of_the_package_is_found_and_held(tmp_path, filename):
    figure = mk.load_figure(package(tmp_path, robot(filename)))
    held(figure.segments[0].shapes[0], CORNERS)
    assert figure.source["meshes"] == []
    assert figure.source["shapeless"] == []
    assert figure.source["notes"] == []


def test_a_mesh_is_scaled_turned_and_moved(tmp_path):
    place = '<origin xyz="1 2 3" rpy="0.3 -0.5 2"/>'
    figure = mk.load_figure(package(tmp_path, robot("../meshes/a.stl", ' scale="2 0.5 -1"', place)))
    turn = rotations.from_euler("zyx", [2.0, -0.5, 0.3])
    points = rotations.rotate(turn, CORNERS * [2.0, 0.5, -1.0]) + np.array([1.0, 2.0, 3.0])
    held(figure.segments[0].shapes[0], points)


def test_a_package_beside_the_folders_above_is_found(tmp_path):
    path = package(tmp_path, robot("package://other/b.stl"))
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "b.stl").write_bytes(stl(2.0 * CORNERS))
    held(mk.load_figure(path).segments[0].shapes[0], 2.0 * CORNERS)


def test_with_a_package_xml_a_relative_name_may_lead_as_far_up(tmp_path):
    path = package(tmp_path, "")
    deep = path.parent / "deep" / "er.urdf"
    deep.parent.mkdir()
    deep.write_text(robot("../../meshes/a.stl"))
    assert mk.load_figure(deep).segments[0].shapes == ()
    (tmp_path / "robot" / "package.xml").write_text("<package/>")
    held(mk.load_figure(deep).segments[0].shapes[0], CORNERS)


@pytest.mark.parametrize(
    ("filename", "reason"),
    [
        ("", "it has no file name"),
        ("{}/robot/meshes/a.stl", "absolute paths and other schemes are not allowed"),
        ("file://{}/robot/meshes/a.stl", "absolute paths and other schemes are not allowed"),
        ("http://example.org/a.stl", "absolute paths and other schemes are not allowed"),
        ("../../outside.stl", "it is outside its package"),
        ("package://robot/../outside.stl", "it is outside its package"),
        ("package://../outside.stl", "its name has no package"),
        ("../meshes/link.stl", "it is outside its package"),
        ("../meshes/b.stl", "the file does not exist"),
        ("../meshes/a.ply", "a mesh must be .stl, .obj, .dae"),
    ],
)
def test_what_is_not_followed_is_noted_with_the_reason(tmp_path, filename, reason):
    path = package(tmp_path, robot(filename.format(tmp_path)))
    (tmp_path / "outside.stl").write_bytes(stl())
    (tmp_path / "robot" / "meshes" / "a.ply").write_bytes(b"ply")
    (tmp_path / "robot" / "meshes" / "link.stl").symlink_to(tmp_path / "outside.stl")
    figure = mk.load_figure(path)
    assert figure.segments[0].shapes == ()
    assert figure.source["shapeless"] == ["a"]
    assert reason in figure.source["notes"][0]


@pytest.mark.parametrize("content", [b"", b"rubbish" * 50, stl()[:-7], stl([[np.nan] * 3] * 4)])
def test_a_broken_mesh_is_told_and_the_figure_read(tmp_path, content):
    path = package(tmp_path, robot("../meshes/b.stl"))
    (tmp_path / "robot" / "meshes" / "b.stl").write_bytes(content)
    with pytest.warns(OddFile, match=r"link 'a': the mesh '../meshes/b.stl' gets no shape: .*b.stl"):
        figure = mk.load_figure(path)
    assert figure.source["shapeless"] == ["a"]


def test_a_mesh_without_extent_has_no_shape(tmp_path):
    path = package(tmp_path, robot("../meshes/b.stl"))
    (tmp_path / "robot" / "meshes" / "b.stl").write_bytes(stl(np.ones((4, 3))))
    assert "it has no volume" in mk.load_figure(path).source["notes"][0]


def test_so_many_meshes_and_bytes_are_read_and_no_more(tmp_path, monkeypatch):
    meshes = "".join(
        f'<collision><geometry><mesh filename="../meshes/a.stl" scale="1 1 {k}"/></geometry></collision>'
        for k in range(1, 6)
    )
    path = package(tmp_path, f'<robot name="r"><link name="a">{meshes}</link></robot>')
    monkeypatch.setattr(urdf_meshes, "MOST_FITTED", 3)
    figure = mk.load_figure(path)
    assert len(figure.segments[0].shapes) == 3
    assert "more than 3 meshes" in figure.source["notes"][0]
    monkeypatch.setattr(urdf_meshes, "MOST_TOGETHER", 10)
    assert "together have more than 10 bytes" in mk.load_figure(path).source["notes"][0]


def test_a_scale_that_is_no_three_numbers_is_an_error(tmp_path):
    with pytest.raises(BadFile, match="link 'a': mesh: scale"):
        mk.load_figure(package(tmp_path, robot("../meshes/a.stl", ' scale="1 2"')))


def test_saving_keeps_the_mesh_and_its_shape_wherever_the_file_goes(tmp_path):
    text = robot("../meshes/a.stl").replace(
        "</link>", '<collision><geometry><sphere radius="0.5"/></geometry></collision></link>'
    )
    figure = mk.load_figure(package(tmp_path, text))
    assert [type(shape) for shape in figure.segments[0].shapes] == [mk.Sphere, mk.Capsule]
    away = tmp_path / "away.urdf"
    mk.save(figure, away)
    written = away.read_text()
    assert written.count("<collision") == 2  # the ball and the mesh, as in the file it came from
    assert '<mesh filename="../meshes/a.stl"' in written
    again = mk.load_figure(away)
    assert again == figure
    assert again.source["shapeless"] == []
    mk.save(again, away)
    assert away.read_text() == written


def test_shapes_that_were_taken_away_stay_away(tmp_path):
    figure = mk.load_figure(package(tmp_path, robot("../meshes/a.stl")))
    ball = mk.Sphere((0, 0, 1), 0.2)
    other = figure.replaced(segments=[figure.segments[0].replaced(shapes=ball)])
    path = tmp_path / "robot" / "urdf" / "other.urdf"
    mk.save(other, path)
    assert mk.load_figure(path).segments[0].shapes == (ball,)


# A robot


def panda_points():
    """The real points of the Panda's collision meshes by segment, in its space."""
    folder = ROBOTS / "panda_description" / "meshes" / "collision"
    names = {f"panda_link{k}": f"link{k}" for k in range(8)} | {"panda_hand": "hand"}
    return {segment: read_points(folder / f"{name}.stl") for segment, name in names.items()}


@NO_ROBOTS
def test_every_point_of_the_panda_is_in_its_shapes_and_these_are_snug():
    panda = mk.load_figure(ROBOTS / "panda_description" / "urdf" / "panda.urdf")
    assert panda.source["shapeless"] == []
    for name, points in panda_points().items():
        (shape,) = panda.segment(name).shapes
        held(shape, points)
        width = np.ptp(points, axis=0)
        assert 2.0 * shape.radius <= 1.25 * np.sort(width)[1]


@NO_ROBOTS
@pytest.mark.parametrize("target", [(0.5, 0.0, 0.3), (0.3, 0.3, 0.2), (0.55, -0.2, 0.35)])
@pytest.mark.parametrize("height", [0.45, 0.5])
def test_under_a_low_ceiling_the_panda_keeps_its_meshes_below(target, height):
    """With shapes on its fingers alone it was "reached", with the elbow through the ceiling."""
    panda = mk.load_figure(ROBOTS / "panda_description" / "urdf" / "panda.urdf")
    fingers_only = panda.replaced(
        segments=[s.replaced(shapes=s.shapes if "finger" in s.name else ()) for s in panda.segments]
    )
    ceiling = mk.HalfSpace((0.0, 0.0, height), (0.0, 0.0, -1.0))
    goals = [mk.Position("panda_hand_tcp", target), mk.Clearance(obstacles={"ceiling": ceiling})]
    meshes = panda_points()

    def above(pose):
        placed = zip(panda.placements(pose, list(meshes)), meshes.values(), strict=True)
        return max((T[2, :3] @ points.T + T[2, 3]).max() for T, points in placed) - height

    with pytest.warns(MissingShape, match="panda_link1, panda_link2, .*, panda_hand have no shape"):
        before = mk.solve(fingers_only, goals)
    assert before.reached
    assert above(before.pose) > 0.02
    solution = mk.solve(panda, goals)
    assert solution.reached
    assert solution.notes == ()
    assert above(solution.pose) <= 1e-4 * panda.size


@NO_ROBOTS
@pytest.mark.parametrize(
    "path",
    ["ur_description/urdf/ur5_robot.urdf", "romeo_description/urdf/romeo.urdf", "xarm_description/urdf/xarm7.urdf"],
)
def test_robots_with_stl_and_collada_meshes_get_shapes_for_all_of_them(path):
    figure = mk.load_figure(ROBOTS / path)
    assert figure.source["meshes"] == []
    assert figure.source["shapeless"] == []
    assert sum(bool(s.shapes) for s in figure.segments) >= 8
