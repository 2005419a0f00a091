"""Figures written as URDF and read again, and figures expanded to one motion a joint."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from checks import assert_close
from hypothesis import given
from strategies import random_cone, random_cone_coordinates, random_figure, random_pose, random_quaternion, rngs

import manikin as mk
from manikin import rotations
from manikin.errors import BadFile, BadValue
from manikin.figure import Ball, Coupling, Euler, Figure, Free, Hinge, Joint, Segment, Slider, SwingTwist
from manikin.figure.shapes import Box, Capsule, Sphere
from manikin.files import urdf
from manikin.files.common import xml_safe
from manikin.files.urdf.ball import chart
from manikin.files.urdf.inertia import estimated_inertia
from manikin.kinematics import swing_twist


def there_and_back(figure: Figure, tmp_path: Path) -> Figure:
    path = tmp_path / "written.urdf"
    mk.save(figure, path)
    return mk.load_figure(path)


def in_metres(figure: Figure) -> Figure:
    return (figure if figure.unit is not None else figure.replaced(unit=1.0)).in_metres()


def assert_same_places(figure: Figure, q: Any, other: Figure, other_q: Any, tol: float = 1e-12) -> None:
    ours, theirs = figure.placements(q), other.placements(other_q, figure.segment_names)
    scale = max(figure.size, float(np.abs(ours[..., :3, 3]).max()))
    assert_close(ours[..., :3, :3], theirs[..., :3, :3], tol=tol)
    assert_close(ours[..., :3, 3], theirs[..., :3, 3], scale, tol)


# Laws


@given(rng=rngs())
def test_a_written_figure_puts_every_segment_where_it_was(
    rng: np.random.Generator, tmp_path_factory: pytest.TempPathFactory
) -> None:
    figure = in_metres(random_figure(rng))
    again = there_and_back(figure, tmp_path_factory.mktemp("urdf"))
    expansion = urdf.expanded(figure)
    q = np.stack([random_pose(figure, rng, inside=True) for _ in range(3)])
    spread = expansion.pose(q)
    assert_same_places(figure, q, expansion.figure, spread)
    assert_same_places(figure, q, again, spread)
    assert_same_places(figure, q, figure, expansion.original_pose(spread))


@given(rng=rngs())
def test_what_is_read_back_is_the_expanded_figure(
    rng: np.random.Generator, tmp_path_factory: pytest.TempPathFactory
) -> None:
    figure = in_metres(random_figure(rng))
    again, wanted = there_and_back(figure, tmp_path_factory.mktemp("urdf")), urdf.expanded(figure).figure
    assert (again.name, again.up, again.unit) == (figure.name, figure.up, 1.0)
    assert again.segment_names == wanted.segment_names
    assert again.joint_names[1:] == wanted.joint_names[1:]
    assert again.nv == wanted.nv
    for a, b in zip(again.segments, wanted.segments, strict=True):
        assert (a.parent, a.mass, a.center, a.inertia) == (b.parent, b.mass, b.center, b.inertia)
        assert a.joint.motions == b.joint.motions
        assert a.joint.coupling == b.joint.coupling
        assert a.joint.offset == b.joint.offset
        assert a.joint.rest == b.joint.rest
        assert_same_shapes(a.shapes, b.shapes)
    assert_close(again.rest, wanted.rest, tol=0.0)


def assert_same_shapes(ours: Any, theirs: Any) -> None:
    """Equal to the bit, but for the rotation of a box, which becomes roll, pitch and yaw in between."""
    assert len(ours) == len(theirs)
    for a, b in zip(ours, theirs, strict=True):
        if isinstance(b, Box):
            assert (a.half, a.center) == (b.half, b.center)
            assert_close(
                rotations.to_matrix(np.array(a.rotation)), rotations.to_matrix(np.array(b.rotation)), tol=1e-14
            )
        else:
            assert a == b


@given(rng=rngs())
def test_read_write_read_gives_an_equal_figure(
    rng: np.random.Generator, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("urdf")
    once = there_and_back(in_metres(random_figure(rng)), folder)
    again = there_and_back(once, folder)
    assert again == once
    second = (folder / "written.urdf").read_bytes()
    assert there_and_back(again, folder) == once
    assert (folder / "written.urdf").read_bytes() == second


@given(rng=rngs())
def test_a_pose_within_the_limits_stays_within_the_expanded_limits(rng: np.random.Generator) -> None:
    figure = random_figure(rng)
    expansion = urdf.expanded(figure)
    q = random_pose(figure, rng, inside=True)
    assert expansion.figure.violation(expansion.pose(q)) <= figure.violation(q) + 1e-9


@given(rng=rngs())
def test_the_rest_pose_of_the_expanded_figure_is_the_rest_pose(rng: np.random.Generator) -> None:
    expansion = urdf.expanded(random_figure(rng))
    assert_close(expansion.figure.rest, expansion.pose(expansion.original.rest), expansion.original.size, 1e-12)


@given(rng=rngs())
def test_poses_of_the_expanded_figure_come_back(rng: np.random.Generator) -> None:
    figure = random_figure(rng)
    expansion = urdf.expanded(figure)
    spread = expansion.figure.random(rng, 4)
    back = expansion.original_pose(spread)
    assert_same_places(figure, back, expansion.figure, spread)
    assert_same_places(figure, back, expansion.figure, expansion.pose(back))


# Balls


@given(rng=rngs())
def test_the_three_hinges_of_a_ball_make_its_rotation_everywhere(rng: np.random.Generator) -> None:
    for ball in (Ball(), Ball(random_cone(rng, np.pi))):
        three, q = chart(ball), random_quaternion(rng)
        back = three.ball(three.angles(q))
        assert_close(rotations.to_matrix(back), rotations.to_matrix(q), tol=1e-14)


@given(rng=rngs())
def test_the_box_of_the_hinges_contains_the_cone(rng: np.random.Generator) -> None:
    cone = random_cone(rng, np.pi)
    three = chart(Ball(cone))
    low, high = np.array(three.limits).T
    at = np.stack([random_cone_coordinates(cone, rng) for _ in range(50)])
    q = rotations.multiply(np.array(cone.reference), swing_twist.compose(at, cone.basis))
    angles = three.angles(q)
    assert (angles >= low - 1e-12).all()
    assert (angles <= high + 1e-12).all()


@pytest.mark.parametrize(("r1", "r2"), [(0.3, 0.3), (1.2, 0.4), (0.2, 1.5), (2.5, 1.0), (1.5, 1.5), (0.01, 3.0)])
def test_the_box_of_the_hinges_touches_the_cone(r1: float, r2: float) -> None:
    cone = SwingTwist((0, 1, 0), (r1, r2), (-0.3, 0.4))
    three = chart(Ball(cone))
    around = np.linspace(0.0, 2 * np.pi, 4001)
    inner = np.linspace(0.0, 1.0, 41)[:, None]
    sigma = np.stack([inner * r1 * np.cos(around), inner * r2 * np.sin(around)], axis=-1)
    lowest, highest = np.full(3, np.inf), np.full(3, -np.inf)
    for tau in (-0.3, 0.4):
        at = np.concatenate([sigma, np.full((*sigma.shape[:-1], 1), tau)], axis=-1)
        angles = three.angles(swing_twist.compose(at, cone.basis)).reshape(-1, 3)
        lowest, highest = np.minimum(lowest, angles.min(axis=0)), np.maximum(highest, angles.max(axis=0))
    low, high = np.array(three.limits).T
    assert_close(low, lowest, tol=1e-3)
    assert_close(high, highest, tol=1e-3)


def test_a_ball_without_limits_becomes_hinges_without() -> None:
    expansion = urdf.expanded(Figure("f", [Segment("S", joint=Ball())]))
    assert [s.joint.motions for s in expansion.figure.segments] == [
        (Hinge((1, 0, 0)),),
        (Hinge((0, 1, 0)),),
        (Hinge((0, 0, 1)),),
    ]


# Expansion


def test_only_the_last_segment_of_a_row_has_mass_and_shapes_and_all_have_telling_names() -> None:
    s = Segment(
        "Arm", "Base", Joint("shoulder", (Ball(SwingTwist()),)), 2.0, (1, 0, 0), shapes=(Sphere(),), offset=(1, 2, 3)
    )
    made = urdf.expanded(Figure("f", [Segment("Base"), s])).figure
    assert made.segment_names == ("Base", "Arm_swing1", "Arm_swing2", "Arm")
    assert made.joint_names == ("Base", "shoulder_swing1", "shoulder_swing2", "shoulder_twist")
    assert [x.mass for x in made.segments] == [0, 0, 0, 2]
    assert [x.shapes for x in made.segments] == [(), (), (), (Sphere(),)]
    assert [x.joint.offset for x in made.segments] == [(0, 0, 0), (1, 2, 3), (0, 0, 0), (0, 0, 0)]


def test_euler_joints_and_sequences_are_taken_apart_in_order() -> None:
    motions = (Slider((1, 0, 0), (0, 1)), Slider((0, 0, 1)), Euler("ZXY", ((-1, 1), (-2, 2), (-3, 3))))
    made = urdf.expanded(Figure("f", [Segment("S", joint=motions)])).figure
    assert made.joint_names == ("S_tx", "S_tz", "S_z", "S_x", "S_y")
    assert [s.joint.motions[0] for s in made.segments] == [
        Slider((1, 0, 0), (0, 1)),
        Slider((0, 0, 1)),
        Hinge((0, 0, 1), (-1, 1)),
        Hinge((1, 0, 0), (-2, 2)),
        Hinge((0, 1, 0), (-3, 3)),
    ]


def test_names_that_are_taken_are_avoided() -> None:
    segments = [Segment("S"), Segment("S_x", "S"), Segment("T", "S", Joint("S_1")), Segment("world", "S")]
    segments[0] = segments[0].replaced(joint=Joint("S", (Euler("XY"),)))
    made = urdf.expanded(Figure("f", segments)).figure
    assert made.segment_names == ("S_x_1", "S", "S_x", "T", "world")
    root = xml_safe.parse(urdf.to_urdf(Figure("f", segments)).encode(), "f.urdf")
    assert next(root.all("link")).attributes["name"] == "world_1"


def test_many_poses_are_mapped_at_once() -> None:
    figure = mk.chain(3, Ball())
    expansion = urdf.expanded(figure)
    q = figure.random(np.random.default_rng(0), 6).reshape(2, 3, -1)
    assert expansion.pose(q).shape == (2, 3, 9)
    assert_close(expansion.pose(q)[1, 2], expansion.pose(q[1, 2]))
    assert expansion.original_pose(expansion.pose(q)).shape == (2, 3, 12)


# The file


def test_a_free_root_is_a_floating_joint_from_a_world_and_comes_back_free(tmp_path: Path) -> None:
    figure = Figure("f", [Segment("Hips", joint=Free()), Segment("Head", "Hips", Hinge(limits=(-1, 1)))], up="y")
    root = xml_safe.parse(urdf.to_urdf(figure).encode(), "f.urdf")
    joint = next(root.all("joint"))
    assert (joint.attributes["type"], joint.attributes["name"]) == ("floating", "Hips")
    again = there_and_back(figure, tmp_path)
    assert again == figure
    assert mk.load_figure(tmp_path / "written.urdf", root="free") == figure


def test_a_root_that_turns_comes_back_and_can_be_freed(tmp_path: Path) -> None:
    figure = Figure("f", [Segment("A", joint=Hinge(limits=(-1, 1)), offset=(1, 2, 3))], up="z")
    assert there_and_back(figure, tmp_path) == figure
    free = mk.load_figure(tmp_path / "written.urdf", root="free")
    assert free.segment_names == ("world", "A")
    assert free.nv == 7


def test_a_link_named_world_in_somebody_elses_file_stays(tmp_path: Path) -> None:
    path = tmp_path / "theirs.urdf"
    path.write_text(
        '<robot name="r"><link name="world"/><link name="a"/>'
        '<joint name="j" type="floating"><parent link="world"/><child link="a"/></joint></robot>'
    )
    figure = mk.load_figure(path)
    assert figure.segment_names == ("world", "a")
    assert there_and_back(figure, tmp_path) == figure


def test_limits_speeds_and_couplings_are_written(tmp_path: Path) -> None:
    segments = [
        Segment("A"),
        Segment("B", "A", Hinge((0, 1, 0), (-0.1, 0.7), 3.5)),
        Segment("C", "A", Slider((0, 0, 1), (-np.inf, 0.7))),
        Segment("D", "A", Joint("d", (Hinge((0, 0, 1), (-np.inf, np.inf), 2.0),), coupling=Coupling("B", -0.5, 0.25))),
        Segment("E", "A", Joint("e", (Slider(),), coupling=Coupling("d", 2.0))),
        Segment("F", "A", (Slider((1, 0, 0)), Slider((0, 1, 0)), Hinge((0, 0, 1)))),
    ]
    figure = Figure("f", segments, up="z")
    assert there_and_back(figure, tmp_path) == figure


def test_lengths_are_written_in_metres(tmp_path: Path) -> None:
    figure = Figure("f", [Segment("A"), Segment("B", "A", Hinge(), offset=(100, 0, 0))], unit=0.01, up="z")
    assert there_and_back(figure, tmp_path) == figure.in_metres()
    with pytest.raises(BadValue, match="has no known unit"):
        mk.save(figure.replaced(unit=None), tmp_path / "no.urdf")
    assert not (tmp_path / "no.urdf").exists()


def test_every_shape_comes_back(tmp_path: Path) -> None:
    shapes = (
        Sphere((1, 2, 3), 0.1),
        Capsule((0, 0, 0), (0.1, 0.2, 0.3), 0.05),
        Box((0.1, 0.2, 0.3), (1, 0, 0), (0.5, 0.5, 0.5, 0.5)),
        Capsule((1, 1, 1), (1, 1, 1), 0.2),
        Capsule((0, 0, 1), (0, 0, -1), 0.2),
    )
    figure = Figure("f", [Segment("A", shapes=shapes)], up="z")
    assert_same_shapes(there_and_back(figure, tmp_path).segments[0].shapes, shapes)


def test_spheres_that_only_share_the_names_of_a_capsule_stay_spheres(tmp_path: Path) -> None:
    figure = Figure("f", [Segment("A", shapes=(Capsule((0, 0, 0), (0, 0, 1), 0.1),))], up="z")
    text = urdf.to_urdf(figure)
    path = tmp_path / "moved.urdf"
    at = text.rindex("_end")
    path.write_text(text[:at] + text[at:].replace("0.0 0.0 1.0", "0.0 0.5 1.0", 1))
    kinds = [type(s).__name__ for s in mk.load_figure(path).segments[0].shapes]
    assert kinds == ["Capsule", "Sphere", "Sphere"]


def test_odd_letters_in_names_come_back(tmp_path: Path) -> None:
    name = "a <b> & \"c\" 'd'\n\té ネ 😀"
    figure = Figure(name, [Segment(name), Segment("x", name, Joint(name + "!", (Hinge(),)))], up="z")
    assert there_and_back(figure, tmp_path) == figure


@pytest.mark.parametrize("letter", ["\x00", "\x1b", "\ud800", "\ufffe"])
def test_letters_that_no_xml_can_hold_are_an_error(tmp_path: Path, letter: str) -> None:
    with pytest.raises(BadValue, match="which XML cannot store"):
        mk.save(Figure("f", [Segment(f"a{letter}")]), tmp_path / "no.urdf")


# Faithfulness


THEIRS = """<robot name="arm" version="1.0">
<material name="red"><color rgba="1 0 0 1"/></material>
<link name="a"><visual><geometry><mesh filename="package://p/a.dae"/></geometry></visual>
<collision><geometry><mesh filename="package://p/a.stl"/></geometry></collision>
<collision><origin xyz="0 0 .5" rpy="0.10 0 0"/>
<geometry><cylinder radius="0.10" length="1.0"/></geometry></collision></link>
<link name="b"/>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><origin rpy="1.5708 0 -1.5708" xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="87.0" velocity="0"/><dynamics damping="0.5"/>
<safety_controller k_velocity="10"/></joint>
<transmission name="t"><type>SimpleTransmission</type><joint name="j"/></transmission>
<gazebo reference="a"><material>Gazebo/Red</material></gazebo>
</robot>"""


def test_what_a_figure_does_not_hold_is_written_back(tmp_path: Path) -> None:
    path = tmp_path / "theirs.urdf"
    path.write_text(THEIRS)
    figure = mk.load_figure(path)
    mk.save(figure, path)
    root = xml_safe.read(path)
    assert root.attributes == {"name": "arm", "version": "1.0"}
    assert [e.tag for e in root.children] == ["link", "link", "joint", "material", "transmission", "gazebo"]
    link, _, joint, _, transmission, _ = root.children
    assert sorted(e.tag for e in link.children) == ["collision", "collision", "visual"]
    text = xml_safe.to_text(root)
    for kept in ("package://p/a.dae", "package://p/a.stl", 'rpy="1.5708 0 -1.5708"', 'effort="87.0"', 'velocity="0"'):
        assert kept in text
    assert '<cylinder radius="0.10" length="1.0"/>' in text
    assert {"dynamics", "safety_controller"} <= {e.tag for e in joint.children}
    assert transmission.children[0].content == ["SimpleTransmission"]
    assert mk.load_figure(path) == figure


def test_a_joint_that_was_changed_is_written_as_it_is_now(tmp_path: Path) -> None:
    path = tmp_path / "theirs.urdf"
    path.write_text(THEIRS)
    figure = mk.load_figure(path)
    a, b = figure.segments
    turned = b.replaced(joint=Joint("j", (Hinge((1, 0, 0), (-2, 2), 4.0),), (0, 0, 2), (0.6, 0.8, 0, 0)))
    changed = figure.replaced(segments=[a.replaced(shapes=()), turned])
    again = there_and_back(changed, tmp_path)
    assert again.segments[0].shapes == ()
    assert again.segment("b").joint.motions == turned.joint.motions
    assert_same_places(changed, [0.3], again, [0.3])


def test_an_oblique_planar_joint_of_a_file_is_written_back_as_planar(tmp_path: Path) -> None:
    path = tmp_path / "theirs.urdf"
    path.write_text(
        '<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="planar"><parent link="a"/>'
        '<child link="b"/><axis xyz="1 2 3"/></joint></robot>'
    )
    figure = mk.load_figure(path)
    assert there_and_back(figure, tmp_path) == figure
    # One that was built here is taken apart, since others would take its normal for z.
    assert len(urdf.expanded(figure.replaced(source={})).figure.segments) == 4


# Inertia


def test_an_unknown_inertia_is_written_as_a_valid_one_and_comes_back_unknown(tmp_path: Path) -> None:
    figure = mk.human()
    again = there_and_back(figure, tmp_path)
    assert all(s.inertia == () for s in again.segments)
    assert again.mass == figure.mass
    root = xml_safe.read(tmp_path / "written.urdf")
    checked = 0
    for link in root.all("link"):
        inertial = link.first("inertial")
        if inertial is None:
            continue
        i = {k: float(v) for k, v in inertial.first("inertia").attributes.items()}  # type: ignore[union-attr]
        I = np.array([[i["ixx"], i["ixy"], i["ixz"]], [i["ixy"], i["iyy"], i["iyz"]], [i["ixz"], i["iyz"], i["izz"]]])  # noqa: E741
        low, middle, high = np.linalg.eigvalsh(I)
        assert low > 0.0
        assert low + middle >= high * (1 - 1e-12)
        checked += 1
    assert checked > 50


@pytest.mark.parametrize(
    "shape",
    [
        Sphere((0.1, 0, 0), 0.5),
        Box((0.1, 0.2, 0.3), (0, 0.1, 0), (0.5, 0.5, 0.5, 0.5)),
        Capsule((0, 0, -1), (0, 0.5, 1), 0.4),
    ],
    ids=["sphere", "box", "capsule"],
)
def test_the_inertia_of_a_shape_is_that_of_points_spread_in_it(shape: Any) -> None:
    rng = np.random.default_rng(0)
    reach = 0.5 if isinstance(shape, Box) else 1.5
    points = rng.uniform(-reach, reach, size=(400_000, 3))
    if isinstance(shape, Box):
        own = rotations.rotate(rotations.inverse(np.array(shape.rotation)), points - shape.center)
        inside = (np.abs(own) <= shape.half).all(axis=1)
    else:
        start, end = (
            np.array(p) for p in ((shape.center,) * 2 if isinstance(shape, Sphere) else (shape.start, shape.end))
        )
        d = end - start
        along = np.clip((points - start) @ d / max(d @ d, 1e-300), 0, 1)
        inside = np.linalg.norm(points - start - along[:, None] * d, axis=1) <= shape.radius
    center = np.array([0.05, 0.02, -0.03])
    p = points[inside] - center
    wanted = 3.0 * ((p**2).sum(axis=1).mean() * np.eye(3) - p.T @ p / len(p))
    xx, xy, xz, yy, yz, zz = estimated_inertia(Segment("S", mass=3.0, center=center, shapes=(shape,)))
    got = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    assert_close(got, wanted, float(np.abs(wanted).max()), 0.02)


def test_a_segment_without_shapes_has_the_inertia_of_a_ball_of_water() -> None:
    xx, xy, *_ = estimated_inertia(Segment("S", mass=1000.0 * 4 / 3 * np.pi, center=(5, 0, 0)))
    assert xx == pytest.approx(0.4 * 1000.0 * 4 / 3 * np.pi)  # radius 1 m
    assert xy == 0.0


def test_closed_loops_are_kept_for_our_own_reader(tmp_path: Path) -> None:
    loops = [
        mk.Loop("rod", "Tip", "Segment1", (0.1, 0.2, 0.3), (1.0, 0.0, -0.5)),
        mk.Loop("weld", "Tip", "Segment2", rotation=(0.6, 0.0, 0.8, 0.0)),
    ]
    figure = mk.chain(3).replaced(loops=loops)
    again = there_and_back(figure, tmp_path)
    assert again.loops == figure.loops
    assert there_and_back(again, tmp_path) == again


@pytest.mark.parametrize(
    ("loop", "message"),
    [
        ('segment="a" to="b"', "a loop has no 'name'"),
        ('name="x" segment="a" to="b" offset="1 2" to_offset="0 0 0"', "loop 'x': offset needs three numbers"),
        ('name="x" segment="a" to="a" offset="0 0 0" to_offset="0 0 0"', "segment and `to` are both 'a'"),
        ('name="x" segment="a" to="c" offset="0 0 0" to_offset="0 0 0"', "has no segment 'c'"),
    ],
)
def test_a_loop_that_is_wrong_is_told(tmp_path: Path, loop: str, message: str) -> None:
    path = tmp_path / "bad.urdf"
    path.write_text(
        f'<robot name="r"><manikin><loop {loop}/></manikin><link name="a"/><link name="b"/>'
        '<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>'
    )
    with pytest.raises(BadFile, match=message):
        mk.load_figure(path)
