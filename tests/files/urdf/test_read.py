"""What of a URDF file becomes what of a figure, on small files written for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from checks import assert_close

import manikin as mk
from manikin import rotations
from manikin.errors import BadValue, OddFile
from manikin.figure import Ball, Coupling, Figure, Free, Hinge, Slider
from manikin.figure.shapes import Box, Capsule, Sphere


def read(tmp_path: Path, body: str, name: str = "robot", **options: Any) -> Figure:
    path = tmp_path / "robot.urdf"
    path.write_text(f'<?xml version="1.0"?>\n<robot name="{name}">\n{body}\n</robot>\n')
    return mk.load_figure(path, **options)


def joint(kind: str, inside: str = "", name: str = "j", parent: str = "a", child: str = "b") -> str:
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{inside}</joint>\n'


AB = '<link name="a"/><link name="b"/>\n'


def motion(figure: Figure, name: str = "b") -> Any:
    return figure.segment(name).joint.motions[0]


def test_the_figure_is_in_metres_with_z_up_and_the_robots_names(tmp_path: Path) -> None:
    figure = read(tmp_path, AB + joint("fixed", name="weld"), name="arm")
    assert (figure.name, figure.unit, figure.up) == ("arm", 1.0, "z")
    assert figure.segment_names == ("a", "b")
    assert figure.joint_names == ("a", "weld")
    assert figure.nq == 0


def test_a_revolute_joint_is_a_hinge_with_limits_and_speed(tmp_path: Path) -> None:
    inside = '<axis xyz="0 1 0"/><limit lower="-0.5" upper="1.5" effort="3" velocity="2.5"/>'
    assert motion(read(tmp_path, AB + joint("revolute", inside))) == Hinge((0, 1, 0), (-0.5, 1.5), 2.5)


def test_a_continuous_joint_is_a_hinge_without_limits(tmp_path: Path) -> None:
    inside = '<axis xyz="0 0 -1"/><limit lower="-0.5" upper="1.5" effort="3" velocity="2.5"/>'
    assert motion(read(tmp_path, AB + joint("continuous", inside))) == Hinge((0, 0, -1), speed=2.5)


def test_a_prismatic_joint_is_a_slider(tmp_path: Path) -> None:
    inside = '<axis xyz="0 1 0"/><limit lower="0" upper="0.2" effort="3" velocity="0.1"/>'
    assert motion(read(tmp_path, AB + joint("prismatic", inside))) == Slider((0, 1, 0), (0, 0.2), 0.1)


def test_a_floating_joint_is_free(tmp_path: Path) -> None:
    assert motion(read(tmp_path, AB + joint("floating", '<axis xyz="0 0 0"/>'))) == Free()


def test_an_axis_left_out_is_x(tmp_path: Path) -> None:
    assert motion(read(tmp_path, AB + joint("continuous"))).axis == (1.0, 0.0, 0.0)


@pytest.mark.parametrize("text", ["3 0 4", "0.3 0.0 0.4", "3e200 0 4e200", "3e-200 0 4e-200"])
def test_an_axis_of_any_length_is_scaled_to_one(tmp_path: Path, text: str) -> None:
    assert_close(motion(read(tmp_path, AB + joint("continuous", f'<axis xyz="{text}"/>'))).axis, (0.6, 0, 0.8))


def test_an_axis_of_a_fixed_joint_may_be_zero_since_it_is_not_used(tmp_path: Path) -> None:
    assert read(tmp_path, AB + joint("fixed", '<axis xyz="0 0 0"/>')).nq == 0


@pytest.mark.parametrize(
    ("axis", "first", "second"),
    [
        ("0 0 1", (1, 0, 0), (0, 1, 0)),
        ("1 0 0", (0, 1, 0), (0, 0, 1)),
        ("0 2 0", (0, 0, 1), (1, 0, 0)),
        ("0 0 -1", (1, 0, 0), (0, -1, 0)),
    ],
)
def test_a_planar_joint_slides_in_the_plane_and_turns_about_its_normal(
    tmp_path: Path, axis: str, first: Any, second: Any
) -> None:
    figure = read(tmp_path, AB + joint("planar", f'<axis xyz="{axis}"/>'))
    along, across, normal = figure.segment("b").joint.motions
    assert isinstance(along, Slider)
    assert isinstance(across, Slider)
    assert isinstance(normal, Hinge)
    assert (along.axis, across.axis) == (first, second)
    # The segment's origin is where the lengths say, whatever the angle.
    placement = figure.placements([2.0, 3.0, 0.7])[1]
    assert_close(placement[:3, 3], 2.0 * np.array(first) + 3.0 * np.array(second))
    assert_close(placement[:3, :3] @ normal.axis, normal.axis)


def test_an_oblique_planar_joint_has_perpendicular_axes(tmp_path: Path) -> None:
    for axis in ("1 2 3", "0.01 0 -1", "1e-7 0 -1"):
        motions: Any = read(tmp_path, AB + joint("planar", f'<axis xyz="{axis}"/>')).segment("b").joint.motions
        basis = np.array([m.axis for m in motions])
        assert_close(basis @ basis.T, np.eye(3), tol=1e-14)
        assert np.linalg.det(basis) == pytest.approx(1.0)


def test_an_origin_places_the_joint_with_roll_pitch_yaw_about_fixed_axes(tmp_path: Path) -> None:
    figure = read(tmp_path, AB + joint("fixed", '<origin xyz="1 2 3" rpy="0.1 0.2 0.3"/>'))
    x, y, z = (rotations.axis_matrix(axis, angle) for axis, angle in (("x", 0.1), ("y", 0.2), ("z", 0.3)))
    placement = figure.placements([])[1]
    assert_close(placement[:3, 3], (1, 2, 3))
    assert_close(placement[:3, :3], z @ y @ x)


def test_limits_of_a_billion_or_more_stand_for_none(tmp_path: Path) -> None:
    inside = '<limit lower="-1e16" upper="2" effort="0" velocity="1e16"/>'
    assert motion(read(tmp_path, AB + joint("revolute", inside))) == Hinge((1, 0, 0), (-np.inf, 2.0))
    inside = '<limit lower="-inf" upper="inf" effort="0" velocity="inf"/>'
    assert motion(read(tmp_path, AB + joint("prismatic", inside))) == Slider((1, 0, 0))


def test_a_speed_of_zero_stands_for_unknown(tmp_path: Path) -> None:
    inside = '<limit lower="0" upper="1" effort="0" velocity="0"/>'
    assert motion(read(tmp_path, AB + joint("revolute", inside))).speed == np.inf


def test_a_revolute_joint_without_limit_is_unlimited_and_told(tmp_path: Path) -> None:
    with pytest.warns(OddFile, match="joint 'j' is revolute but has no <limit>"):
        figure = read(tmp_path, AB + joint("revolute"))
    assert motion(figure).limits == (-np.inf, np.inf)
    assert figure.source["notes"] == ["line 4: joint 'j' is revolute but has no <limit>; it is unlimited"]


def test_a_limit_without_bounds_is_zero_as_the_format_says_and_told(tmp_path: Path) -> None:
    figure = read(tmp_path, AB + joint("revolute", '<limit effort="1" velocity="1"/>'))
    assert motion(figure).limits == (0.0, 0.0)
    assert "without lower and upper" in figure.source["notes"][0]


def test_a_spherical_joint_is_a_ball(tmp_path: Path) -> None:
    assert motion(read(tmp_path, AB + joint("spherical"))) == Ball()
    with pytest.warns(OddFile, match="joint 'j' is spherical"):
        figure = read(tmp_path, AB + joint("spherical", '<limit lower="0.2" upper="0.8" twist="0.3"/>'))
    assert (motion(figure), figure.nq, figure.nv) == (Ball(), 4, 3)


def test_zero_bytes_behind_the_end_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    path.write_bytes(f'<robot name="r">{AB}{joint("spherical")}</robot>\r\n\0'.encode())
    assert mk.load_figure(path).nq == 4


def test_commas_between_numbers_are_passed_over_and_noted(tmp_path: Path) -> None:
    figure = read(tmp_path, AB + joint("continuous", '<origin xyz="0.07, 0, -0.69"/>'))
    assert figure.segment("b").joint.offset == (0.07, 0.0, -0.69)
    assert figure.source["notes"] == ["line 4: joint 'j': xyz has commas between its numbers; they are ignored"]


def test_a_rest_pose_outside_zero_is_within_the_limits(tmp_path: Path) -> None:
    figure = read(tmp_path, AB + joint("revolute", '<limit lower="1" upper="2" effort="1" velocity="1"/>'))
    assert figure.rest.tolist() == [1.5]


# Mimic


def chain_of(*joints: str) -> str:
    links = "".join(f'<link name="l{k}"/>' for k in range(len(joints) + 1))
    return links + "".join(joints)


def revolute(k: int, low: float = -1.0, high: float = 1.0, inside: str = "") -> str:
    limit = f'<limit lower="{low}" upper="{high}" effort="1" velocity="1"/>'
    return joint("revolute", limit + inside, f"j{k}", f"l{k - 1}", f"l{k}")


def test_a_mimic_is_a_coupling_and_has_no_step_of_its_own(tmp_path: Path) -> None:
    figure = read(
        tmp_path,
        chain_of(revolute(1), revolute(2, -9, 9, '<mimic joint="j1" multiplier="-2" offset="0.5"/>')),
    )
    assert figure.segment("l2").joint.coupling == Coupling("j1", -2.0, 0.5)
    assert (figure.nq, figure.nv) == (2, 1)
    assert figure.pose({"j1": 0.25}).tolist() == [0.25, 0.0]


def test_a_mimic_without_numbers_follows_one_to_one(tmp_path: Path) -> None:
    figure = read(tmp_path, chain_of(revolute(1), revolute(2, inside='<mimic joint="j1"/>')))
    assert figure.segment("l2").joint.coupling == Coupling("j1", 1.0, 0.0)


def test_mimics_of_mimics_work_in_any_order_of_the_file(tmp_path: Path) -> None:
    joints = (
        revolute(1, -9, 9, '<mimic joint="j2" multiplier="3" offset="1"/>'),
        revolute(2, -9, 9, '<mimic joint="j3" multiplier="2" offset="0.1"/>'),
        revolute(3, -0.5, 0.5),
    )
    figure = read(tmp_path, chain_of(*joints))
    assert_close(figure.pose({"j3": 0.2}), [3 * (2 * 0.2 + 0.1) + 1, 2 * 0.2 + 0.1, 0.2])
    assert figure == read(tmp_path, chain_of(*reversed(joints)))


@pytest.mark.parametrize(
    ("low", "high", "rule"),
    [
        (2.0, 3.0, 'joint="j1"'),  # nothing is left for the leader
        (0.0, 1.0, 'joint="j1" multiplier="-1"'),  # only 0 is left: the gripper of the PR2
        (1.0, 2.0, 'joint="j1" multiplier="0" offset="5"'),  # held outside its limits
    ],
)
def test_a_follower_whose_limits_stop_its_leader_loses_them_and_it_is_told(
    tmp_path: Path, low: float, high: float, rule: str
) -> None:
    with pytest.warns(OddFile, match="joint 'j1' cannot move while its follower 'j2' stays within"):
        figure = read(tmp_path, chain_of(revolute(1, 0.0, 1.0), revolute(2, low, high, f"<mimic {rule}/>")))
    assert motion(figure, "l2").limits == (-np.inf, np.inf)
    assert (figure.lower[0], figure.upper[0]) == (0.0, 1.0)
    (warning,) = figure.source["notes"]
    assert warning.startswith("line 4: joint 'j1' cannot move while its follower 'j2' stays within")


def test_two_followers_that_agree_with_the_leader_but_not_with_each_other_do_not_stop_it(tmp_path: Path) -> None:
    followers = [revolute(k, *ends, '<mimic joint="j1"/>') for k, ends in ((2, (-1.0, -0.5)), (3, (0.5, 1.0)))]
    with pytest.warns(OddFile, match="the follower's limits are removed"):
        figure = read(tmp_path, chain_of(revolute(1, -1.0, 1.0), *followers))
    assert (figure.lower[0], figure.upper[0]) == (-1.0, -0.5)
    assert len(figure.source["notes"]) == 1
    assert "'j3'" in figure.source["notes"][0]


def test_a_fixed_joint_that_mimics_and_a_fixed_leader_are_told(tmp_path: Path) -> None:
    fixed = joint("fixed", '<mimic joint="j2"/>', "j1", "l0", "l1")
    with pytest.warns(OddFile, match="'j2' mimics 'j1', which is fixed"):
        figure = read(tmp_path, chain_of(fixed, revolute(2, inside='<mimic joint="j1"/>')))
    assert figure.nv == 1
    assert len(figure.source["notes"]) == 2


# Masses


def test_mass_and_centre_are_read_and_the_inertia_turned_into_the_segments_axes(tmp_path: Path) -> None:
    figure = read(
        tmp_path,
        """<link name="a"><inertial><origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/><mass value="4"/>
        <inertia ixx="1" iyy="2" izz="3" ixy="0.1" ixz="0.2" iyz="0.3"/></inertial></link>""",
    )
    s = figure.segments[0]
    assert (s.mass, s.center) == (4.0, (1.0, 2.0, 3.0))
    # A quarter turn about z: x becomes y, and y becomes −x.
    assert_close(s.inertia, (2.0, -0.1, -0.3, 1.0, 0.2, 3.0))


def test_an_inertial_part_left_out_is_unknown_and_told(tmp_path: Path) -> None:
    figure = read(tmp_path, '<link name="a"><inertial><mass value="4"/></inertial></link>')
    assert (figure.segments[0].mass, figure.segments[0].inertia) == (4.0, ())
    assert "without <inertia>" in figure.source["notes"][0]
    with pytest.warns(OddFile, match="without <mass>; its mass is 0"):
        figure = read(tmp_path, '<link name="a"><inertial><inertia ixx="1" iyy="1" izz="1"/></inertial></link>')
    assert (figure.segments[0].mass, figure.segments[0].inertia) == (0.0, (1, 0, 0, 1, 0, 1))
    assert len(figure.source["notes"]) == 2


# Shapes


def collision(
    geometry: str, origin: str = '<origin xyz="1 2 3" rpy="0 1.5707963267948966 0"/>', name: str = "c"
) -> str:
    return f'<collision name="{name}">{origin}<geometry>{geometry}</geometry></collision>'


def test_collision_primitives_are_shapes(tmp_path: Path) -> None:
    solids = collision('<sphere radius="0.5"/>') + collision('<box size="2 4 6"/>')
    sphere, box = read(tmp_path, f'<link name="a">{solids}</link>').segments[0].shapes
    assert sphere == Sphere((1, 2, 3), 0.5)
    assert isinstance(box, Box)
    assert (box.half, box.center) == ((1, 2, 3), (1, 2, 3))
    assert_close(rotations.rotate(np.array(box.rotation), np.array([0.0, 0, 1])), (1, 0, 0))


@pytest.mark.parametrize("tag", ["cylinder", "capsule", "drake:capsule"])
def test_a_cylinder_is_the_capsule_of_its_axis_radius_and_length(tmp_path: Path, tag: str) -> None:
    solid = collision(f'<{tag} radius="0.5" length="4"/>')
    (capsule,) = read(tmp_path, f'<link name="a">{solid}</link>').segments[0].shapes
    assert isinstance(capsule, Capsule)
    assert_close([capsule.start, capsule.end], [(-1, 2, 3), (3, 2, 3)])
    assert capsule.radius == 0.5


def test_a_mesh_that_is_not_there_is_passed_over_and_noted(tmp_path: Path) -> None:
    solid = collision('<mesh filename="package://nowhere/arm.stl"/>')
    figure = read(tmp_path, f'<link name="a">{solid}</link>')
    assert figure.segments[0].shapes == ()
    assert figure.source["meshes"] == ["package://nowhere/arm.stl"]
    assert figure.source["shapeless"] == ["a"]
    (note,) = figure.source["notes"]
    assert note.endswith("link 'a': the mesh 'package://nowhere/arm.stl' gets no shape: the file does not exist")


def test_shapes_without_extent_or_of_an_unknown_kind_are_told(tmp_path: Path) -> None:
    geometries = ['<sphere radius="0"/>', '<box size="1 0 1"/>', '<cylinder radius="1" length="0"/>', "<torus/>", ""]
    solids = "".join(collision(g) for g in geometries)
    with pytest.warns(OddFile) as told:
        figure = read(tmp_path, f'<link name="a">{solids}<collision/></link>')
    assert len(told) == 5  # two say the same
    assert figure.segments[0].shapes == ()
    assert len(figure.source["notes"]) == 6


# Root


def test_a_free_root_is_a_joint_named_root(tmp_path: Path) -> None:
    figure = read(tmp_path, AB + joint("continuous"), root="free")
    assert figure.segments[0].joint.motions == (Free(),)
    assert figure.joint_names == ("root", "j")
    assert (figure.nq, figure.nv) == (8, 7)


def test_the_free_roots_name_gives_way_to_a_joint_of_the_file(tmp_path: Path) -> None:
    figure = read(tmp_path, AB + joint("continuous", name="root"), root="free")
    assert figure.joint_names == ("root_1", "root")
    assert read(tmp_path, AB + joint("continuous", name="a")).joint_names == ("root", "a")


def test_any_other_root_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(BadValue, match="root is 'loose'; it must be 'fixed' or 'free'"):
        read(tmp_path, AB + joint("fixed"), root="loose")


# What files look like


def test_links_and_joints_may_stand_in_any_order(tmp_path: Path) -> None:
    body = joint("fixed", name="k", parent="b", child="c") + '<link name="c"/>' + joint("continuous") + AB
    assert read(tmp_path, body).segment_names == ("a", "b", "c")


def test_other_tags_comments_prefixes_and_blank_lines_are_no_trouble(tmp_path: Path) -> None:
    path = tmp_path / "odd.urdf"
    path.write_text(
        """
<?xml version="1.0"?>
<!-- made by hand -->
<ns0:robot name="odd" xmlns:ns0="http://example.com" xmlns:xacro="http://ros.org/wiki/xacro">
  <ns0:material name="red"/> <ns0:link name="a"/> <ns0:link name="b"/>
  <drake:joint name="x" type="ball"/> <gazebo reference="a"><link name="inside"/></gazebo>
  <ns0:joint name="j" type="fixed"><ns0:parent link="a"/><ns0:child link="b"/></ns0:joint>
  <transmission name="t"><joint name="j"/></transmission>
</ns0:robot>"""
    )
    assert mk.load_figure(path).joint_names == ("a", "j")


def odd(folder: Path, body: str) -> tuple[mk.Figure, list[str]]:
    """The figure of a file, and its warnings without the path."""
    with pytest.warns(OddFile) as heard:
        figure = read(folder, body)
    assert len(heard) == len(figure.source["notes"])
    return figure, [str(w.message).partition(": ")[2] for w in heard]


def test_limits_that_are_upside_down_are_swapped_with_a_warning(tmp_path: Path) -> None:
    figure, heard = odd(tmp_path, AB + joint("revolute", '<limit lower="2" upper="-1" velocity="3" effort="1"/>'))
    assert heard == ["line 4: joint 'j': lower 2 is above upper -1; the two are swapped"]
    assert (figure.lower, figure.upper) == ([-1.0], [2.0])


def test_a_negative_speed_is_none_with_a_warning(tmp_path: Path) -> None:
    figure, heard = odd(tmp_path, AB + joint("revolute", '<limit lower="0" upper="1" velocity="-2"/>'))
    assert heard == ["line 4: joint 'j': velocity is -2, which is negative; the speed is unlimited"]
    assert figure.segments[1].joint.motions[0].speed == np.inf


def test_the_mimic_of_a_joint_that_is_not_there_is_left_out_with_a_warning(tmp_path: Path) -> None:
    figure, heard = odd(tmp_path, AB + joint("continuous", '<mimic joint="jj" multiplier="2"/>'))
    assert heard == ["line 4: joint 'j' mimics 'jj', which the robot does not have; it moves independently"]
    assert figure.nv == 1


@pytest.mark.parametrize(
    ("body", "tag"),
    [
        ('<xacro:property name="length" value="2"/>' + AB, "xacro:property"),
        ('<include filename="leg.xacro"/>' + AB, "include"),
        ('<link name="a"><xacro:insert_block name="x"/></link><link name="b"/>', "xacro:insert_block"),
    ],
)
def test_tags_left_over_from_xacro_are_skipped_with_a_warning(tmp_path: Path, body: str, tag: str) -> None:
    figure, heard = odd(tmp_path, body + joint("continuous"))
    assert figure.segment_names == ("a", "b")
    assert heard == [
        f"line 3: xacro commands are left in the file and skipped (<{tag}>); if parts are missing, expand the file "
        "first (xacro robot.urdf.xacro > robot.urdf)"
    ]


def test_a_robot_without_a_name_is_called_like_its_file(tmp_path: Path) -> None:
    path = tmp_path / "nameless.urdf"
    path.write_text('<robot><link name="a"/></robot>')
    figure = mk.load_figure(path)
    assert figure.name == "nameless"
    assert figure.source["notes"] == ["line 1: the robot has no name; the name of the file is used"]


def test_latin_letters_and_utf16_are_read_as_the_file_declares_them(tmp_path: Path) -> None:
    text = '<?xml version="1.0" encoding="{}"?><robot name="Käfer"><link name="Fühler"/></robot>'
    for encoding in ("iso-8859-1", "utf-8", "utf-16"):
        path = tmp_path / f"{encoding}.urdf"
        path.write_bytes(text.format(encoding).encode(encoding))
        assert mk.load_figure(path).segment_names == ("Fühler",)
