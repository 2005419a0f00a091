"""Limits of a person on rigs of every make: the same whatever names, axes and rest pose, and real.

The built-in person is made into rigs (`rigs`): its own random poses, which are within its limits, must be within those
of the rig; poses that no person takes must not.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from bodies import both, other_side, turn
from rigs import FAMILIES, HUMAN, STANDS, Rig, excess

import manikin as mk
from manikin import rotations
from manikin.errors import BadValue
from manikin.figure.human.arm import BENT

RNG = np.random.default_rng(5)
POSES = HUMAN.random(RNG, 60)


def knee(angle: float) -> np.ndarray:
    """The person with both knees bent by degrees from straight, where its own limits begin."""
    return HUMAN.pose(both({"Leg": np.deg2rad(angle) + HUMAN.lower[HUMAN.index_of("LeftLeg")]}))


def elbow(angle: float) -> np.ndarray:
    return HUMAN.pose(both({"ForeArm": np.deg2rad(angle - BENT)}))


IMPOSSIBLE = {
    "knees bent backward": (knee(-40.0), ("LeftLeg", "RightLeg")),
    "elbows bent backward": (elbow(-40.0), ("LeftForeArm", "RightForeArm")),
    "head turned around": (HUMAN.pose({"Head": turn("y", 150.0)}), ("Head",)),
    "thighs behind": (HUMAN.pose(both({"UpLeg": turn("x", 80.0)})), ("LeftUpLeg", "RightUpLeg")),
    "thighs across": (HUMAN.pose({"LeftUpLeg": turn("z", -80.0)}), ("LeftUpLeg",)),
    "thighs turned out": (HUMAN.pose({"LeftUpLeg": turn("y", 110.0)}), ("LeftUpLeg",)),
    "arms through the back": (
        HUMAN.pose({"LeftArm": rotations.multiply(turn("z", 60.0), turn("x", -110.0))}),
        ("LeftArm",),
    ),
    "feet turned back": (HUMAN.pose(both({"Foot": turn("y", 120.0)})), ("LeftFoot", "RightFoot")),
    "feet up the shin": (HUMAN.pose(both({"Foot": turn("x", -70.0)})), ("LeftFoot", "RightFoot")),
    "clavicles down": (HUMAN.pose({"LeftShoulder": turn("z", -60.0)}), ("LeftShoulder",)),
    "spine bent back": (
        HUMAN.pose({n: turn("x", -40.0) for n in ("Spine", "Spine1", "Spine2")}),
        ("Spine", "Spine1"),
    ),
}
"""Poses that no person takes, and the joints (by Mixamo's names) that do not."""


@pytest.fixture(scope="module")
def by_stand() -> dict[str, dict[str, np.ndarray]]:
    """How far outside its limits each joint is in the person's poses and impossible ones, by rest pose."""
    poses = [*POSES, *(q for q, _ in IMPOSSIBLE.values())]
    return {stand: _excess(Rig(stand), poses) for stand in STANDS}


def _excess(rig: Rig, poses: list[np.ndarray], **options: object) -> dict[str, np.ndarray]:
    figure = rig.figure.with_limits("human", **options)  # type: ignore[arg-type]
    return excess(figure, rig.poses(poses, figure))


# The same whatever the make


def test_the_limits_do_not_depend_on_the_rest_pose(by_stand: dict[str, dict[str, np.ndarray]]) -> None:
    for stand in ("A", "hanging"):
        for name, outside in by_stand[stand].items():
            assert np.abs(outside - by_stand["T"][name]).max() < 1e-6, (stand, name)


@pytest.mark.parametrize("seed", [1, 2])
def test_the_limits_do_not_depend_on_the_axes_of_the_segments(
    seed: int, by_stand: dict[str, dict[str, np.ndarray]]
) -> None:
    poses = [*POSES, *(q for q, _ in IMPOSSIBLE.values())]
    found = _excess(Rig("T", rng=np.random.default_rng(seed)), poses)
    for name, outside in found.items():
        assert np.abs(outside - by_stand["T"][name]).max() < 1e-6, name


def test_where_the_rest_pose_is_none_a_pose_that_is_given_tells_the_same(
    by_stand: dict[str, dict[str, np.ndarray]],
) -> None:
    rig = Rig("T", rng=np.random.default_rng(3), rest=False)
    with pytest.raises(BadValue, match="its rest pose is not that of a standing person"):
        rig.figure.with_limits("human")
    stand = rig.poses([STANDS["T"]])[0]
    poses = [*POSES, *(q for q, _ in IMPOSSIBLE.values())]
    limited = rig.figure.with_limits("human", pose=stand)
    assert np.allclose(limited.rest, stand)
    found = excess(limited, rig.poses(poses, limited))
    for name, outside in found.items():
        assert np.abs(outside - by_stand["T"][name]).max() < 1e-6, name


def test_a_figure_moved_turned_and_of_another_size_gets_the_same_limits() -> None:
    rig = Rig("T")
    root, *others = rig.figure.segments
    turned = rotations.normalized(np.array([0.3, -0.5, 0.2, 0.9]))
    moved = mk.Figure("moved", [root.replaced(offset=(5.0, -3.0, 2.0), rotation=turned), *others], up="z")
    first, second = (f.with_limits("human") for f in (rig.figure, moved.scaled(56.0)))
    for a, b in zip(first.segments[1:], second.segments[1:], strict=True):
        if a.joint.motions:
            one, two = a.joint.motions[-1].limits, b.joint.motions[-1].limits
            # Nearly: where up is about an axis of the world, the body is taken to stand along it.
            assert abs(np.dot(one.reference, two.reference)) > np.cos(np.deg2rad(1.0)), a.name
            assert np.allclose(one.axis, two.axis, atol=0.03)
            assert np.allclose([one.swing, one.twist], [two.swing, two.twist])


@pytest.mark.parametrize("order", ["", "ZXY"])
def test_left_and_right_are_mirror_images(order: str) -> None:
    rig = Rig("A", order=order)
    figure = rig.figure.with_limits("human")
    poses = POSES[:20]
    mirrored = np.array([_mirrored(q) for q in poses])
    one = excess(figure, rig.poses(poses, figure))
    two = excess(figure, rig.poses(mirrored, figure))
    for name in one:
        left = name.replace("mixamorig:", "")
        other = "mixamorig:" + other_side(left)
        tolerance = 1e-6 if not order else 1e-2  # boxes are made of samples
        assert np.abs(one[name] - two[other]).max() < tolerance, name


def _mirrored(q: np.ndarray) -> np.ndarray:
    """The person's pose in a mirror, see `manikin.figure.mirror`."""
    out = np.array(q)
    for s in HUMAN.segments:
        a, b = HUMAN.index_of(s.joint.name), HUMAN.index_of(other_side(s.joint.name))
        motion = s.joint.motions[-1] if s.joint.motions else None
        if isinstance(motion, mk.Ball):
            out[b : b + 4] = q[a : a + 4] * [1, 1, -1, -1]
        elif isinstance(motion, mk.Euler):
            out[b : b + 2] = q[a : a + 2] * [1 if letter == "X" else -1 for letter in motion.order]
        elif isinstance(motion, mk.Hinge):
            out[b] = q[a]
    return out


# What people do is within, what they cannot is not


@pytest.mark.parametrize("family", FAMILIES)
def test_what_the_person_can_do_is_within(family: str) -> None:
    rig = Rig("T", family)
    figure = rig.figure.with_limits("human")
    assert figure.source["unmapped"] == ()
    outside = excess(figure, rig.poses(POSES, figure))
    within = {name: (e == 0.0).mean() for name, e in outside.items()}
    # Not all: wrists and knuckles of the person have boxes of two angles, whose corners are outside of a cone.
    assert np.mean(list(within.values())) > 0.95, within
    corners = ("Hand", "Wrist", "hand")
    assert all(w > 0.8 for name, w in within.items() if not any(c in name for c in corners)), within
    assert np.rad2deg(max(np.percentile(e, 90) for e in outside.values())) < 25.0


@pytest.mark.parametrize("what", IMPOSSIBLE)
@pytest.mark.parametrize("stand", STANDS)
def test_what_no_person_does_is_not(what: str, stand: str, by_stand: dict[str, dict[str, np.ndarray]]) -> None:
    at = len(POSES) + list(IMPOSSIBLE).index(what)
    for joint in IMPOSSIBLE[what][1]:
        assert by_stand[stand][f"mixamorig:{joint}"][at] > np.deg2rad(5.0), joint


@pytest.mark.parametrize("order", ["XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"])
@pytest.mark.parametrize("stand", STANDS)
def test_boxes_hold_knees_and_elbows_back_in_every_order_of_axes(order: str, stand: str) -> None:
    """Not the elbows of arms half-way down: there no axis of the world is along them or across."""
    rig = Rig(stand, "VRoid", order)
    figure = rig.figure.with_limits("human")
    for pose, joints in ((knee, ("LeftLeg", "RightLeg")), (elbow, ("LeftForeArm", "RightForeArm"))):
        if stand == "A" and pose is elbow:
            continue
        names = [rig.name[j] for j in joints]
        backward = excess(figure, rig.poses([pose(-40.0)], figure), names)
        bent = excess(figure, rig.poses([pose(a) for a in (0.0, 5.0, 30.0, 60.0, 85.0)], figure), names)
        for name in names:
            assert backward[name][0] > np.deg2rad(10.0), name
            assert (bent[name] == 0.0).all(), name


@pytest.mark.parametrize("order", ["XYZ", "YXZ", "ZYX"])
def test_boxes_leave_out_nothing_that_the_cones_allow(order: str) -> None:
    rig = Rig("T", "SMPL", order, np.random.default_rng(8))
    boxes, cones = rig.figure.with_limits("human"), rig.figure.with_limits("human", balls=True)
    free = cones.random(RNG, 40)
    for s in boxes.segments[1:]:
        part = boxes.source["mapped"].get(s.name, "")
        if not s.joint.motions or part.endswith("forearm"):  # of whose turn only a part is boxed
            continue
        at = cones.index_of(s.joint.name)
        angles = rotations.to_euler(order, free[:, at : at + 4])
        box = np.array(s.joint.motions[-1].limits)
        middle = np.where(np.isfinite(box), box, 0.0).mean(axis=1)
        angles -= 2 * np.pi * np.round((angles - middle) / (2 * np.pi))
        assert (angles > box[:, 0] - 0.06).all(), s.name
        assert (angles < box[:, 1] + 0.06).all(), s.name


def test_more_slack_is_wider_by_so_much() -> None:
    rig = Rig("T")
    tight, wide = (rig.figure.with_limits("human", slack=x) for x in (0.0, 20.0))
    for a, b in zip(tight.segments[1:], wide.segments[1:], strict=True):
        if a.joint.motions and "thumb" not in tight.source["mapped"][a.name]:
            one, two = a.joint.motions[-1].limits, b.joint.motions[-1].limits
            more = np.minimum(np.array(one.swing) + np.deg2rad(20.0), np.pi)
            assert np.allclose(two.swing, more, atol=1e-5), a.name
    straight = rig.poses([knee(-8.0)], tight)
    name = rig.name["LeftLeg"]
    assert excess(tight, straight, [name])[name][0] > np.deg2rad(6.0)
    assert excess(wide, straight, [name])[name][0] == 0.0


# What a figure with limits is


def test_the_rest_pose_is_within_and_nothing_else_changes() -> None:
    for order in ("", "ZXY"):
        figure = Rig("T", "Unreal", order).figure
        limited = figure.with_limits("human")
        assert limited.violation(limited.rest) == 0.0
        assert np.array_equal(limited.rest, figure.rest)
        assert np.array_equal(limited.placements(limited.rest), figure.placements(figure.rest))
        assert limited.segment_names == figure.segment_names
        assert limited.source["mapped"]["upperarm_l"] == "left upper arm"
        assert limited.with_limits("human") == limited  # what has limits keeps them


def test_a_rest_pose_outside_of_the_ranges_is_let_in() -> None:
    bent = HUMAN.pose(both({"Foot": turn("x", 75.0)}))
    STANDS["on tiptoe"] = bent
    try:
        rig = Rig("on tiptoe")
    finally:
        del STANDS["on tiptoe"]
    limited = rig.figure.with_limits("human")
    assert limited.violation(limited.rest) == 0.0


def test_joints_with_limits_of_their_own_keep_them() -> None:
    figure = Rig("T").figure
    own = mk.Ball(mk.SwingTwist(swing=(0.1, 0.2)))
    segments = [s.replaced(joint=own) if s.name.endswith("LeftLeg") else s for s in figure.segments]
    limited = figure.replaced(segments=segments).with_limits("human")
    assert limited.segment("mixamorig:LeftLeg").joint.motions == (own,)
    assert limited.segment("mixamorig:RightLeg").joint.motions[0].limits is not None


def test_what_could_not_be_mapped_is_told() -> None:
    figure = Rig("T").figure
    hat = [mk.Segment("Hat", "mixamorig:Head", mk.Ball()), mk.Segment("Fixed", "Hat")]
    with pytest.warns(UserWarning, match="1 joints got no limits, because their names .*: Hat") as said:
        limited = figure.replaced(segments=[*figure.segments, *hat]).with_limits("human")
    assert limited.source["unmapped"] == ("Hat",)
    assert said[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure.with_limits("human")


def test_hinges_get_the_range_about_their_axis() -> None:
    figure = Rig("hanging").figure
    segments = [
        s.replaced(joint=mk.Hinge((1, 0, 0))) if s.name.endswith(("LeftLeg", "LeftForeArm")) else s
        for s in figure.segments
    ]
    limited = figure.replaced(segments=segments).with_limits("human")
    low, high = np.rad2deg(limited.segment("mixamorig:LeftLeg").joint.motions[0].limits)
    assert -14.0 < low < -8.0
    assert 145.0 < high < 155.0
    low, high = np.rad2deg(limited.segment("mixamorig:LeftForeArm").joint.motions[0].limits)
    assert low < -100.0
    assert 15.0 < high < 40.0  # rests bent by 14 degrees


def test_euler_joints_become_balls_on_request_with_the_same_placements() -> None:
    rig = Rig("A", "Unreal", "YZX", np.random.default_rng(4))
    balls = rig.figure.with_limits("human", balls=True)
    assert {s.joint.kind for s in balls.segments[1:]} <= {"ball", "fixed"}
    motion = mk.Motion(rig.figure, rig.poses(POSES), rate=10)
    moved = motion.on(balls)
    assert np.allclose(moved.placements(), motion.placements(), atol=1e-9)
    as_balls = Rig("A", "Unreal", rng=np.random.default_rng(4)).figure.with_limits("human")
    assert np.allclose(as_balls.violation(moved.poses), balls.violation(moved.poses))


def test_solving_keeps_to_the_limits() -> None:
    for order in ("", "ZYX"):
        figure = Rig("T", "Unreal", order).figure.with_limits("human")
        heel = figure.placements(figure.rest, ["foot_l"])[0, :3, 3]
        goals = [
            mk.Position("foot_l", heel + np.array([0.0, 0.35, -0.3])),
            mk.Position("hand_r", (-0.1, 1.3, 0.4)),
        ]
        solution = mk.solve(figure, goals)
        assert solution.reached
        assert figure.violation(solution.pose) == 0.0
        knee_at, foot = figure.placements(solution.pose, ["calf_l", "foot_l"])[:, :3, 3]
        thigh = figure.placements(solution.pose, ["thigh_l"])[0, :3, 3]
        forward = knee_at - 0.5 * (thigh + foot)
        assert forward[2] > 0.0  # the knee points forward


def test_the_map_of_a_vrm_humanoid_counts_where_there_is_one() -> None:
    bones = {"Hips": "hips", "Spine": "spine", "Neck": "neck", "Head": "head"}
    for s in ("Left", "Right"):
        for ours, theirs in (("Arm", "UpperArm"), ("ForeArm", "LowerArm"), ("UpLeg", "UpperLeg"), ("Leg", "LowerLeg")):
            bones[f"{s}{ours}"] = f"{s.lower()}{theirs}"
    names = {ours: f"骨{i}" for i, ours in enumerate(bones)}
    figure = Rig("T", names).figure
    with pytest.raises(BadValue, match="recognised are none"):
        figure.with_limits("human")
    humanoid = {bones[ours]: name for ours, name in names.items()}
    limited = figure.replaced(source={"humanoid": humanoid}).with_limits("human")
    assert limited.source["mapped"][names["LeftLeg"]] == "left shank"
    assert limited.segment(names["LeftLeg"]).joint.motions[0].limits is not None


@pytest.mark.parametrize(
    ("figure", "options", "message"),
    [
        (Rig("T").figure, {"kind": "horse"}, "limits 'horse' are unknown; only 'human' is known"),
        (Rig("T").figure, {"slack": -1.0}, "slack is -1"),
        (Rig("T").figure, {"pose": [1.0, 2.0]}, "has shape"),
        (mk.quadruped(), {}, r"not that of a standing person|recognised are"),
        (mk.chain(4), {}, "recognised are none"),
    ],
)
def test_what_is_wrong_is_named(figure: mk.Figure, options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        figure.with_limits(**options)  # type: ignore[arg-type]
