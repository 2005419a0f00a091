"""What of an MJCF file becomes what of a figure, on small files written for it."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from checks import assert_close
from mjcf_judge import Judge, mujoco

import manikin as mk
from manikin import rotations
from manikin.errors import BadValue, OddFile
from manikin.figure import Ball, Box, Capsule, Coupling, Figure, Free, Hinge, Loop, Slider, Sphere
from manikin.files.mjcf import compile
from manikin.kinematics.cover import distances

GEOM = '<geom size="0.1"/>'


def body(inside: str, name: str = "a", more: str = "") -> str:
    return f'<body name="{name}" {more}>{inside}{GEOM}</body>'


def text(world: str, before: str = "", after: str = "") -> str:
    return f"<mujoco>{before}<worldbody>{world}</worldbody>{after}</mujoco>"


def read(folder: Path, world: str, before: str = "", after: str = "", **options: Any) -> Figure:
    path = folder / "model.xml"
    path.write_text(text(world, before, after))
    return mk.load_figure(path, **options)


def motion(figure: Figure, joint: str) -> Any:
    (found,) = [s.joint for s in figure.segments if s.joint.name == joint]
    return found.motions[0]


# Bodies and joints


def test_the_world_is_the_root_and_bodies_keep_their_names_and_order(tmp_path: Path) -> None:
    inner = body('<joint name="k"/>', "b") + body("", "c")
    figure = read(tmp_path, body(f'<joint name="j"/>{inner}') + body("", "d"))
    assert figure.segment_names == ("world", "a", "b", "c", "d")
    assert [s.parent for s in figure.segments] == [None, "world", "a", "a", "world"]
    assert figure.joint_names == ("world", "j", "k", "c", "d")
    assert (figure.name, figure.unit, figure.up) == ("model", 1.0, "z")
    assert figure.source["format"] == "mjcf"


def test_the_model_has_its_name(tmp_path: Path) -> None:
    path = tmp_path / "file.mjcf"
    path.write_text('<mujoco model="walker"><worldbody/></mujoco>')
    assert mk.load_figure(path).name == "walker"


def test_the_four_kinds_of_joints(tmp_path: Path) -> None:
    figure = read(
        tmp_path,
        body('<joint name="f" type="free"/>', more='pos="1 2 3"')
        + body('<joint name="b" type="ball"/>', "b")
        + body('<joint name="s" type="slide" axis="0 1 0"/>', "c")
        + body('<joint name="h" axis="1 0 0"/>', "d"),
    )
    assert [motion(figure, n) for n in "fbsh"] == [Free(), Ball(), Slider((0, 1, 0)), Hinge((1, 0, 0))]
    assert figure.nq == 7 + 4 + 1 + 1
    assert_close(figure.rest[:7], [1, 2, 3, 1, 0, 0, 0])


def test_several_joints_on_a_body_are_a_chain_of_segments_and_keep_their_names(tmp_path: Path) -> None:
    joints = '<joint name="x" type="slide" axis="1 0 0"/><joint name="y" axis="0 1 0"/><joint name="z" axis="0 0 1"/>'
    figure = read(tmp_path, body(joints))
    assert figure.segment_names == ("world", "a:x", "a:y", "a")
    assert figure.joint_names == ("world", "x", "y", "z")
    assert [s.mass > 0 for s in figure.segments] == [False, False, False, True]
    assert figure.number_names == ("x", "y", "z")


def test_an_anchor_off_the_origin_hangs_the_body_on_a_segment_of_the_joint(tmp_path: Path) -> None:
    figure = read(tmp_path, body('<joint name="knee" pos="0 0 0.5" axis="0 1 0"/>', more='pos="0 0 1"'))
    assert figure.segment_names == ("world", "a:knee", "a")
    placed = figure.placements([np.pi / 2], ["a:knee", "a"])
    assert_close(placed[:, :3, 3], [(0, 0, 1.5), (-0.5, 0, 1.5)], tol=1e-15)
    assert figure.joint_names == ("world", "knee", "a")


def test_joints_of_one_anchor_share_it(tmp_path: Path) -> None:
    anchor = 'pos="0.1 0.2 0.3"'
    figure = read(tmp_path, body(f'<joint name="x" axis="1 0 0" {anchor}/><joint name="y" axis="0 1 0" {anchor}/>'))
    assert figure.segment_names == ("world", "a:x", "a:y", "a")
    assert figure.segment("a:y").joint.offset == (0.0, 0.0, 0.0)


def test_a_reference_shifts_the_numbers_not_the_figure(tmp_path: Path) -> None:
    joints = '<joint name="s" type="slide" axis="0 0 1" ref="0.3"/><joint name="h" axis="0 0 1" ref="90"/>'
    figure = read(tmp_path, body(joints, more='pos="1 0 0"'))
    assert_close(figure.rest, [0.3, np.pi / 2])
    assert_close(figure.placements(figure.rest, ["a"])[0, :3], [[1, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0]], tol=1e-15)
    assert_close(figure.placements([0.0, 0.0], ["a"])[0, :3, 3], (1, 0, -0.3))


def test_names_that_are_taken_or_missing_are_made(tmp_path: Path) -> None:
    inner = '<body><joint/><joint axis="1 0 0"/><geom size="1"/></body>'
    figure = read(
        tmp_path,
        body(f'<joint name="a"/><site name="a"/><site/>{inner}') + body("", "joint") + body("<freejoint/>", "f"),
    )
    assert figure.segment_names == ("world", "a", "a:site", "body2:body2:1", "body2", "joint", "f")
    assert figure.joint_names == ("world", "a", "a:site", "body2:1", "body2:2", "joint", "f")


def test_a_fixed_body_may_have_the_name_of_a_joint(tmp_path: Path) -> None:
    figure = read(tmp_path, body('<joint name="b"/>' + body("", "b")))
    assert figure.joint_names == ("world", "b", "b:fixed")


# Limits


@pytest.mark.parametrize(
    ("attributes", "before", "limits"),
    [
        ('range="-90 45"', "", (-np.pi / 2, np.pi / 4)),
        ('range="-1 1"', '<compiler angle="radian"/>', (-1, 1)),
        ('range="-1 1" limited="false"', '<compiler angle="radian"/>', (-np.inf, np.inf)),
        ('range="-1 1" limited="true"', '<compiler angle="radian" autolimits="false"/>', (-1, 1)),
        ('type="slide" range="-1 1"', "", (-1, 1)),
        ("", '<default><joint range="0 180"/></default>', (0, np.pi)),
        ('class="c"', '<default><default class="c"><joint range="0 180"/></default></default>', (0, np.pi)),
    ],
)
def test_limits_are_in_radians_or_metres_however_the_file_says_them(
    tmp_path: Path, attributes: str, before: str, limits: tuple[float, float]
) -> None:
    figure = read(tmp_path, body(f'<joint name="j" {attributes}/>'), before)
    assert_close(motion(figure, "j").limits, limits, tol=1e-15)


def test_a_reference_pose_outside_the_limits_is_not_the_rest_pose(tmp_path: Path) -> None:
    figure = read(tmp_path, body('<joint name="j" range="20 40"/>'))
    assert_close(figure.rest, [np.radians(30)])


def test_the_range_of_a_ball_is_a_cone_about_the_reference_with_a_twist(tmp_path: Path) -> None:
    with pytest.warns(OddFile, match="MJCF limits the total rotation of these ball joints: b;"):
        figure = read(tmp_path, body('<joint name="b" type="ball" range="0 30"/>' + body("", "c", 'pos="0 2 0"')))
    cone = motion(figure, "b").limits
    assert_close([*cone.swing, *cone.twist], np.radians([30, 30, -30, 30]))
    assert (cone.axis, cone.reference) == ((0, 1, 0), rotations.IDENTITY)


# Masses, shapes, sites


def test_masses_are_those_of_the_geoms_or_stated(tmp_path: Path) -> None:
    stated = '<joint/><inertial pos="0 0 0.5" mass="3" diaginertia="1 2 2.5"/>'
    world = body("<joint/>", "a") + body(stated, "b")
    figure = read(tmp_path, world)
    judge = Judge.of_text(text(world))
    assert figure.segment("a").mass == pytest.approx(1000 * 4 / 3 * np.pi * 0.1**3)
    assert (figure.segment("b").mass, figure.segment("b").center) == (3.0, (0.0, 0.0, 0.5))
    assert_close(figure.segment("b").inertia, (1, 0, 0, 2, 0, 2.5))
    assert_close(figure.center_of_mass(figure.rest), judge.center(figure.rest))


def test_a_body_without_mass_has_none(tmp_path: Path) -> None:
    """MuJoCo wants mass on everything that moves; a figure does not."""
    figure = read(tmp_path, '<body name="a"><joint/><body name="b"/></body>')
    assert figure.mass == 0.0
    assert all(s.inertia == () for s in figure.segments)


def test_geoms_that_collide_are_shapes(tmp_path: Path) -> None:
    geoms = """<geom type="sphere" size="0.5" pos="1 2 3"/><geom type="box" size="1 2 3" euler="0 0 90"/>
    <geom type="capsule" size="0.1 2" euler="0 90 0" pos="1 0 0"/>
    <geom type="cylinder" size="0.2" fromto="0 0 0 0 0 4"/>
    <geom type="ellipsoid" size="1 2 3"/><geom type="sphere" size="9" contype="0" conaffinity="0"/>"""
    figure = read(tmp_path, f'<geom type="plane" size="1 1 1"/><body name="a">{geoms}</body>')
    sphere, box, capsule, cylinder = figure.segment("a").shapes
    assert sphere == Sphere((1, 2, 3), 0.5)
    assert isinstance(box, Box)
    assert box.half == (1, 2, 3)
    assert_close(np.abs(rotations.rotate(np.array(box.rotation), np.array([1.0, 0, 0]))), (0, 1, 0), tol=1e-15)
    assert isinstance(capsule, Capsule)
    assert_close([capsule.start, capsule.end], [(-1, 0, 0), (3, 0, 0)], tol=1e-15)
    assert isinstance(cylinder, Capsule)
    assert sorted([cylinder.start[2], cylinder.end[2]]) == [0.0, 4.0]
    assert (capsule.radius, cylinder.radius) == (0.1, 0.2)
    assert "geoms of unsupported types get no collision shape: 1 ellipsoid, 1 plane" in figure.source["notes"]


def test_what_stands_in_the_world_is_a_shape_of_the_root(tmp_path: Path) -> None:
    figure = read(tmp_path, '<geom type="box" size="1 1 0.1" pos="0 0 -0.1"/>' + body("<joint/>"))
    assert figure.segments[0].shapes == (Box((1, 1, 0.1), (0, 0, -0.1)),)
    assert figure.segments[0].mass == 0.0


def test_sites_are_fixed_segments_that_goals_can_be_put_on(tmp_path: Path) -> None:
    inside = '<joint name="j" axis="0 0 1"/><site name="grip" pos="1 0 0" quat="0 1 0 0"/>'
    figure = read(tmp_path, body(inside))
    assert figure.source["sites"] == ["grip"]
    assert figure.segment("grip").joint.motions == ()
    solution = mk.solve(figure, mk.Position("grip", (0, 1, 0)))
    assert solution.reached
    assert_close(solution.pose, [np.pi / 2], tol=1e-3)


# Equalities


def two_joints(equality: str, first: str = "", second: str = "") -> tuple[str, str, str]:
    world = body(f'<joint name="x" {first}/>', "a") + body(f'<joint name="y" {second}/>', "b")
    return world, '<compiler angle="radian"/>', f"<equality>{equality}</equality>"


def coupling_of(figure: Figure, joint: str) -> Coupling | None:
    return next(s.joint.coupling for s in figure.segments if s.joint.name == joint)


def test_a_linear_equality_is_a_coupling_measured_from_the_references(tmp_path: Path) -> None:
    equality = '<joint joint1="x" joint2="y" polycoef="0.1 2 0 0 0"/>'
    parts = two_joints(equality, 'ref="0.3"', 'ref="0.2"')
    figure, judge = read(tmp_path, *parts), Judge.of_text(text(*parts))
    assert (figure.nq, figure.nv) == (2, 1)
    for q in figure.random(np.random.default_rng(0), 5):
        assert_close(q[0] - 0.3, 0.1 + 2 * (q[1] - 0.2))
        assert_close(judge.gaps(q)[0], 0.0, tol=1e-12)


def test_an_equality_of_one_joint_holds_it(tmp_path: Path) -> None:
    figure = read(tmp_path, *two_joints('<joint joint1="x" polycoef="0.5 0 0 0 0"/>', 'ref="0.1"'))
    assert (figure.lower[0], figure.upper[0]) == (0.6, 0.6)
    assert figure.rest[0] == 0.6


def test_a_curve_is_told_with_its_joints_and_keeps_its_straight_part(tmp_path: Path) -> None:
    equality = '<joint joint1="x" joint2="y" polycoef="0.1 2 0.5 0 0"/>'
    with pytest.warns(OddFile, match=r"joint 'x' is tied to 'y' by a curve .* up to 2") as told:
        figure = read(tmp_path, *two_joints(equality, second='range="-2 1"'))
    assert len(told) == 1
    assert coupling_of(figure, "x") == Coupling("y", 2.0, 0.1)


@pytest.mark.parametrize(
    ("equalities", "message"),
    [
        ('<joint joint1="x" joint2="y"/><joint joint1="x"/>', "it already follows another joint"),
        ('<joint joint1="x" joint2="y"/><joint joint1="y" joint2="x"/>', "which already follows it"),
        ('<joint joint1="x" polycoef="9 0 0 0 0"/>', "is fixed at 9, outside its limits"),
        ('<joint joint1="x" joint2="y" polycoef="5 1 0 0 0"/>', "the limits of the follower are removed"),
        ('<joint joint1="x" joint2="y" polycoef="5 0 0 0 0"/>', "the limits of the follower are removed"),
    ],
)
def test_equalities_that_contradict_are_told(tmp_path: Path, equalities: str, message: str) -> None:
    with pytest.warns(OddFile, match=message):
        figure = read(tmp_path, *two_joints(equalities, 'range="-1 1"', 'range="-1 1"'))
    assert message in " ".join(figure.source["notes"])
    assert figure.violation(figure.rest) == 0.0


def test_a_row_of_followers_is_followed_to_its_end(tmp_path: Path) -> None:
    world = "".join(body(f'<joint name="{n}"/>', f"body-{n}") for n in "xyz")
    ties = '<joint joint1="x" joint2="y" polycoef="0 2 0 0 0"/><joint joint1="y" joint2="z" polycoef="1 3 0 0 0"/>'
    figure = read(tmp_path, world, '<compiler angle="radian"/>', f"<equality>{ties}</equality>")
    assert figure.nv == 1
    assert_close(figure.pose({"z": 0.1}), [2 * (1 + 0.3), 1 + 0.3, 0.1])


BAR = body('<joint name="p" axis="0 1 0"/>' + body('<joint name="q" axis="0 1 0"/>', "b", 'pos="1 0 0"'), "a") + body(
    '<joint name="r" axis="0 1 0"/>', "c", 'pos="2 0 0"'
)
"""A linkage of four bars, the ground one of them: a and b one after the other, c from the other side."""


@pytest.mark.parametrize(
    ("equality", "loop"),
    [
        ('<connect name="bar" body1="c" body2="b" anchor="0 0 1"/>', Loop("bar", "b", "c", (1, 0, 1), (0, 0, 1))),
        ('<connect body1="c" body2="b" anchor="0 0 1"/>', Loop("c b", "b", "c", (1, 0, 1), (0, 0, 1))),
        ('<connect body1="b" anchor="1 0 0"/>', Loop("b world", "world", "b", (2, 0, 0), (1, 0, 0))),
        (
            '<weld body1="c" body2="b"/>',
            Loop("c b", "b", "c", (0, 0, 0), (-1, 0, 0), (1, 0, 0, 0)),
        ),
        (
            '<weld body1="c" body2="b" torquescale="0"/>',
            Loop("c b", "b", "c", (0, 0, 0), (-1, 0, 0)),
        ),
    ],
)
def test_connects_and_welds_are_loops(tmp_path: Path, equality: str, loop: Loop) -> None:
    figure = read(tmp_path, BAR, after=f"<equality>{equality}</equality>")
    assert figure.loops == (loop,)


def test_a_solution_of_ours_closes_the_loop_for_mujoco_too(tmp_path: Path) -> None:
    after = '<equality><connect body1="c" body2="b" anchor="0 0 1"/></equality>'
    figure, judge = read(tmp_path, BAR, after=after), Judge.of_text(text(BAR, after=after))
    for angle in np.linspace(-0.6, 0.6, 7):
        solution = mk.solve(
            figure, mk.Posture(figure.pose({"p": angle})), freeze=["p"], start=figure.pose({"p": angle})
        )
        assert_close(judge.gaps(solution.pose)[0], 0.0, tol=1e-6 * figure.size)
        assert solution.errors[1] <= 1e-6 * figure.size


@pytest.mark.parametrize(
    ("world", "equality", "note"),
    [
        (BAR, '<connect body1="c" body2="b" anchor="0 0 1" active="false"/>', "is not active; it is left out"),
        (
            body("<joint/>" + body("", "b")),
            '<weld body1="a" body2="b"/>',
            "connects bodies that do not move relative to each other; it is left out",
        ),
    ],
)
def test_what_is_no_loop_is_noted(tmp_path: Path, world: str, equality: str, note: str) -> None:
    figure = read(tmp_path, world, after=f"<equality>{equality}</equality>")
    assert figure.loops == ()
    assert note in " ".join(figure.source["notes"])


def test_a_weld_to_a_mocap_body_is_a_handle_and_left_out(tmp_path: Path) -> None:
    world = body("<joint/>") + '<body name="hand" mocap="true" pos="1 1 1"/>'
    with pytest.warns(OddFile, match="'hand' and 'a' refers to a mocap body"):
        figure = read(tmp_path, world, after='<equality><weld body1="hand" body2="a"/></equality>')
    assert figure.loops == ()
    assert "mocap bodies are fixed at their place in the file: hand" in figure.source["notes"]


def test_an_equality_of_tendons_is_told(tmp_path: Path) -> None:
    after = (
        '<tendon><fixed name="t"><joint joint="j" coef="1"/></fixed></tendon><equality><tendon tendon1="t"/></equality>'
    )
    with pytest.warns(OddFile, match="equalities of tendons or soft bodies are ignored"):
        figure = read(tmp_path, body('<joint name="j"/>'), after=after)
    assert "elements that a figure cannot represent are left out: 1 tendons" in figure.source["notes"]


# What a figure has no place for


def test_actuators_sensors_textures_and_the_like_are_left_out_without_a_warning(tmp_path: Path) -> None:
    before = """<option timestep="0.1"/><visual><global offwidth="99999"/></visual><size memory="1G"/>
    <asset><texture name="t" type="2d" file="gone.png"/><material name="m" texture="t"/><hfield name="h" file="gone.png"
    size="1 1 1 1"/><skin file="gone.skn"/></asset><default><geom material="m"/><motor ctrlrange="0 1"/></default>"""
    world = body('<joint name="j"/><camera name="c"/><light/><geom type="hfield" hfield="h" material="m"/>')
    after = """<actuator><motor joint="j"/></actuator><sensor><jointpos joint="j"/></sensor>
    <contact><exclude body1="a" body2="world"/></contact><custom><numeric name="n" data="1"/></custom>"""
    figure = read(tmp_path, world, before, after)
    assert figure.nq == 1
    assert (
        "elements that a figure cannot represent are left out: 1 actuators, 1 sensors, 1 contact pairs and exclusions"
        in figure.source["notes"]
    )


def test_keyframes_are_kept_in_the_source(tmp_path: Path) -> None:
    after = (
        '<keyframe><key name="home" qpos="0.5"/><key time="1" qpos="1"/><key name="bad" qpos="1 2"/><key/></keyframe>'
    )
    figure = read(tmp_path, body('<joint name="j"/>'), after=after)
    assert figure.source["keyframes"] == {"home": [0.5], "key1": [1.0]}
    assert "keyframe 'bad' (line 1) is left out: it needs 1 finite numbers" in figure.source["notes"]


# Meshes


def stl(scale: float) -> bytes:
    """A tetrahedron of which the right angle is at the origin, in binary STL."""
    corners = scale * np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    out = b"\0" * 80 + struct.pack("<I", len(faces))
    for face in faces:
        out += struct.pack("<12fH", 0, 0, 0, *corners[list(face)].ravel(), 0)
    return out


MESH = '<asset><mesh name="m" file="m.stl"/></asset>'
INERTIAL = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
MESH_BODY = '<body name="a"><joint/><geom type="mesh" mesh="m" {}/></body>'


def test_a_mesh_that_is_there_gives_its_mass(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "m.stl").write_bytes(stl(1.0))
    before = '<compiler meshdir="parts"/><asset><mesh file="m.stl" scale="1 1 2"/></asset>'
    figure = read(tmp_path, MESH_BODY.format(""), before)
    assert figure.mass == pytest.approx(1000 * 2 / 6)
    assert_close(figure.segment("a").center, (0.25, 0.25, 0.5), tol=1e-6)
    assert len(figure.segment("a").shapes) == 1
    assert figure.source["shapeless"] == []


@pytest.mark.parametrize(
    ("folder", "file", "reason"),
    [("", "m.stl", "it does not exist"), ("", "../m.stl", "outside the folder"), ("..", "m.stl", "outside the folder")],
)
def test_a_mesh_that_is_not_there_leaves_the_mass_unknown(tmp_path: Path, folder: str, file: str, reason: str) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    if reason.startswith("outside"):
        (tmp_path / "m.stl").write_bytes(stl(1.0))
    before = f'<compiler meshdir="{folder}"/><asset><mesh name="m" file="{file}"/></asset>'
    with pytest.warns(OddFile, match=f"the masses of a are unknown.*{reason}"):
        figure = read(inside, MESH_BODY.format(""), before)
    assert figure.mass == 0.0


def test_a_stated_mass_is_kept_though_the_mesh_is_not_there(tmp_path: Path) -> None:
    with pytest.warns(OddFile, match="the masses of a are unknown or incomplete"):
        figure = read(tmp_path, MESH_BODY.format('mass="2" pos="0 0 1"'), MESH)
    assert (figure.mass, figure.segment("a").center) == (2.0, (0.0, 0.0, 1.0))
    assert figure.segment("a").shapes == ()


@pytest.mark.parametrize(
    "world",
    [
        f'<body name="a"><joint/>{INERTIAL}<geom type="mesh" mesh="m"/></body>',
        '<geom type="mesh" mesh="m"/><body name="a"><joint/><geom size="0.1"/></body>',
        '<body name="a"><joint/><geom size="0.1"/><geom type="mesh" mesh="m" mass="0"/></body>',
        '<body name="a"><joint/><geom size="0.1"/><geom class="shown"/></body>',
        '<body name="a" childclass="shown"><joint/><geom class="main" size="0.1"/><frame><geom/></frame></body>',
    ],
)
def test_a_mesh_that_no_mass_needs_is_not_missed(tmp_path: Path, world: str) -> None:
    classes = '<default><default class="shown"><geom type="mesh" mesh="m" density="0"/></default></default>'
    figure = read(tmp_path, world, MESH + classes)
    assert figure.mass > 0.0


def test_a_mesh_that_mujoco_cannot_read_is_gone_without(tmp_path: Path) -> None:
    (tmp_path / "m.stl").write_bytes(b"rubbish" * 100)
    with pytest.warns(OddFile, match="MuJoCo could not read the meshes"):
        figure = read(tmp_path, MESH_BODY.format(""), MESH)
    assert figure.nq == 1


def test_a_capsule_fitted_to_a_mesh_is_as_mujoco_fits_it(tmp_path: Path) -> None:
    (tmp_path / "m.stl").write_bytes(stl(0.5))
    world = f'<body name="a"><joint/>{INERTIAL}<geom type="capsule" mesh="m"/></body>'
    figure = read(tmp_path, world, MESH)
    model = mujoco.MjModel.from_xml_string(text(world, MESH), {"m.stl": stl(0.5)})
    (capsule,) = figure.segment("a").shapes
    assert isinstance(capsule, Capsule)
    assert capsule.radius == pytest.approx(float(model.geom_size[0, 0]))
    assert_close(0.5 * (np.array(capsule.start) + capsule.end), model.geom_pos[0], tol=1e-12)


def test_mujoco_computes_no_hull_of_a_mesh_and_visual_meshes_get_no_shape(tmp_path: Path, monkeypatch: Any) -> None:
    """Hulls take most of MuJoCo's time, and a figure does not use them."""
    (tmp_path / "m.stl").write_bytes(stl(0.5))
    world = '<body name="a"><joint/><geom type="mesh" mesh="m"/></body>'
    world += '<body name="b"><joint/><geom type="mesh" mesh="m" contype="0" conaffinity="0" priority="1"/></body>'
    seen: list[Any] = []
    kept = compile.records

    def records(mujoco: Any, model: Any, least: float, path: str) -> Any:
        seen.append(model)
        return kept(mujoco, model, least, path)

    monkeypatch.setattr(compile, "records", records)
    figure = read(tmp_path, world, MESH)
    assert seen[0].nmesh == 1
    assert (seen[0].mesh_graphadr < 0).all()
    assert len(figure.segment("a").shapes) == 1
    assert not figure.segment("b").shapes


@pytest.mark.parametrize("inertial", [INERTIAL, ""])
def test_a_capsule_goes_around_a_mesh_that_collides(tmp_path: Path, inertial: str) -> None:
    """MuJoCo moves and turns meshes to their centre; together with the geom the points are where the file has them."""
    (tmp_path / "m.stl").write_bytes(stl(0.5))
    place = 'pos="0.1 0.2 0.3" euler="20 -40 70"'
    asset = '<asset><mesh name="m" file="m.stl" scale="1 2 3"/></asset>'
    figure = read(tmp_path, f'<body name="a"><joint/>{inertial}<geom type="mesh" mesh="m" {place}/></body>', asset)
    (shape,) = figure.segment("a").shapes
    assert isinstance(shape, Capsule)
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]) * 0.5 * [1, 2, 3]
    turn = rotations.from_euler("xyz", np.deg2rad([20.0, -40.0, 70.0]))
    away = distances(
        rotations.rotate(turn, points) + np.array([0.1, 0.2, 0.3]), np.array(shape.start), np.array(shape.end)
    )
    assert away.max() == pytest.approx(shape.radius, abs=1e-6)  # MuJoCo keeps points in single precision
    assert figure.source["shapeless"] == []


def test_a_mesh_that_only_shows_has_no_shape_and_is_not_missed(tmp_path: Path) -> None:
    shows = 'contype="0" conaffinity="0" mass="0"'
    figure = read(tmp_path, f'<body name="a"><joint/>{INERTIAL}<geom type="mesh" mesh="m" {shows}/></body>', MESH)
    assert figure.segment("a").shapes == ()
    assert figure.source["shapeless"] == []


def test_bodies_that_collide_with_what_has_no_shape_are_named(tmp_path: Path) -> None:
    world = f"""<geom type="plane" size="1 1 1"/><body name="a"><joint/>{INERTIAL}<geom type="mesh" mesh="m"/></body>
        <body name="b"><joint/>{INERTIAL}<geom type="ellipsoid" size="1 2 3"/></body>
        <body name="c"><joint/>{INERTIAL}<geom size="1"/></body>"""
    figure = read(tmp_path, world, MESH)
    assert sorted(figure.source["shapeless"]) == ["a", "b", "world"]
    assert any(
        note.endswith("and get no collision shape: m.stl (it does not exist)") for note in figure.source["notes"]
    )


def test_a_mesh_that_mujoco_cannot_read_takes_no_masses_of_others_away(tmp_path: Path) -> None:
    (tmp_path / "m.stl").write_bytes(stl(1.0))
    (tmp_path / "bad.stl").write_bytes(b"rubbish" * 100)
    assets = '<asset><mesh name="m" file="m.stl"/><mesh name="bad" file="bad.stl"/></asset>'
    world = MESH_BODY.format("") + f'<body name="b"><joint/>{INERTIAL}<geom type="mesh" mesh="bad"/></body>'
    figure = read(tmp_path, world, assets)
    assert figure.segment("a").mass == pytest.approx(1000 / 6)
    assert figure.source["shapeless"] == ["b"]


# Includes and attached models


def test_included_files_are_read_as_if_they_stood_there(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "leg.xml").write_text(
        '<mujocoinclude><include file="foot.xml"/><joint name="j"/></mujocoinclude>'
    )
    (tmp_path / "parts" / "foot.xml").write_text('<mujoco><site name="foot"/><geom size="0.1"/></mujoco>')
    (tmp_path / "common.xml").write_text('<mujoco><default><joint range="0 90"/></default></mujoco>')
    figure = read(tmp_path, '<body name="leg"><include file="parts/leg.xml"/></body>', '<include file="./common.xml"/>')
    assert figure.segment_names == ("world", "leg", "foot")
    assert_close(figure.upper, [np.pi / 2])
    assert [Path(f).name for f in figure.source["files"]] == ["model.xml", "common.xml", "leg.xml", "foot.xml"]


def test_a_model_attaches_another(tmp_path: Path) -> None:
    (tmp_path / "arm.xml").write_text(
        '<mujoco model="arm"><compiler angle="radian"/><asset><texture file="gone.png"/></asset><worldbody>'
        + body('<joint name="j" range="0 1"/>', "arm")
        + '</worldbody><actuator><motor joint="j"/></actuator></mujoco>'
    )
    attach = '<frame pos="{} 0 0"><attach model="arm" body="arm" prefix="{}_"/></frame>'
    figure = read(
        tmp_path, attach.format(1, "l") + attach.format(-1, "r"), '<asset><model name="arm" file="arm.xml"/></asset>'
    )
    assert figure.joint_names == ("world", "l_j", "r_j")
    assert_close(figure.upper, [1, 1])
    assert_close(figure.placements(figure.rest, ["l_arm", "r_arm"])[:, 0, 3], [1, -1])


def test_copies_are_made_as_mujoco_makes_them(tmp_path: Path) -> None:
    post = body('<joint name="j"/><site name="s"/>')
    world = f'<replicate count="3" offset="1 0 0" euler="0 0 30">{post}</replicate>'
    figure, judge = read(tmp_path, world), Judge.of_text(text(world))
    assert figure.joint_names[1::2] == ("j0", "j1", "j2")
    assert judge.worst(figure, figure.random(np.random.default_rng(0))) < 1e-12


# The root


def test_a_root_can_be_freed_and_fixed(tmp_path: Path) -> None:
    standing, place = body("<joint/>", "b", 'pos="1 2 3" quat="0.6 0 0.8 0"'), 'pos="1 2 3" quat="0.6 0 0.8 0"'
    still = body(body('<joint name="j"/>', "c"), "b", place)
    free = read(tmp_path, still + '<body name="table" pos="5 0 0"><geom size="1"/></body>', root="free")
    assert free.segment("b").joint.motions == (Free(),)
    assert_close(free.rest[:7], [1, 2, 3, 0.6, 0, 0.8, 0])
    fixed = read(tmp_path, body("<freejoint/>" + body('<joint name="j"/>', "c"), "b", place), root="fixed")
    assert fixed.nq == 1
    assert_close(fixed.placements(fixed.rest, ["c"]), free.placements(free.rest, ["c"]))
    again = read(tmp_path, body("<freejoint/>", "b", place), root="free")
    assert again.nq == 7
    with pytest.raises(BadValue, match="'b' already has joints to the world"):
        read(tmp_path, standing, root="free")
    with pytest.raises(BadValue, match="the world must have exactly one moving child; it has a, b"):
        read(tmp_path, body("") + body("", "b"), root="free")
    with pytest.raises(BadValue, match="root is 'loose'; it must be 'fixed', 'free' or None"):
        read(tmp_path, standing, root="loose")


# Faces of the format


@pytest.mark.parametrize("name", ["model.xml", "model.mjcf", "MODEL.XML"])
def test_every_ending_of_the_format_is_known(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("\n<!-- a comment -->\n" + text(body("<joint/>")))
    assert mk.load_figure(path).nq == 1


def test_static_bodies_keep_their_names_though_mujoco_would_fuse_them(tmp_path: Path) -> None:
    figure = read(tmp_path, body("<joint/>" + body("", "hand", 'pos="1 0 0"')), '<compiler fusestatic="true"/>')
    assert figure.segment_names == ("world", "a", "hand")


def test_a_figure_is_saved_as_json_and_urdf_and_comes_back(tmp_path: Path) -> None:
    after = '<equality><connect body1="c" body2="b" anchor="0 0 1"/></equality>'
    figure = read(tmp_path, BAR, after=after)
    mk.save(figure, tmp_path / "f.json")
    assert mk.load_figure(tmp_path / "f.json") == figure
    mk.save(figure, tmp_path / "f.urdf")
    again = mk.load_figure(tmp_path / "f.urdf")
    assert again.loops == figure.loops
    q = figure.random(np.random.default_rng(2))
    assert_close(again.placements(q), figure.placements(q), tol=1e-14)
