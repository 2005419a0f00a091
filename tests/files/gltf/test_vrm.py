"""VRM: the bones of a human, version 0.x with limits and 1.0, in files of our own and in real ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from checks import assert_close
from gltf_by_hand import Maker, turn

import manikin as mk
from manikin import rotations
from manikin.errors import BadFile, OddFile
from manikin.files.gltf import vrm_limits

X, Y, Z = np.eye(3)
BONES: dict[str, tuple[str | None, tuple[float, float, float]]] = {
    "hips": (None, (0, 1, 0)),
    "spine": ("hips", (0, 0.1, 0)),
    "chest": ("spine", (0, 0.2, 0)),
    "neck": ("chest", (0, 0.2, 0)),
    "head": ("neck", (0, 0.1, 0)),
    "leftUpperArm": ("chest", (-0.15, 0.15, 0)),
    "leftLowerArm": ("leftUpperArm", (-0.3, 0, 0)),
    "leftHand": ("leftLowerArm", (-0.3, 0, 0)),
    "leftIndexProximal": ("leftHand", (-0.1, 0, -0.03)),
    "leftIndexIntermediate": ("leftIndexProximal", (-0.04, 0, 0)),
    "rightUpperArm": ("chest", (0.15, 0.15, 0)),
    "rightLowerArm": ("rightUpperArm", (0.3, 0, 0)),
    "rightHand": ("rightLowerArm", (0.3, 0, 0)),
    "leftUpperLeg": ("hips", (-0.1, 0, 0)),
    "leftLowerLeg": ("leftUpperLeg", (0, -0.45, 0)),
    "leftFoot": ("leftLowerLeg", (0, -0.45, 0)),
    "leftToes": ("leftFoot", (0, -0.05, -0.15)),
    "rightUpperLeg": ("hips", (0.1, 0, 0)),
    "rightLowerLeg": ("rightUpperLeg", (0, -0.45, 0)),
    "rightFoot": ("rightLowerLeg", (0, -0.45, 0)),
}
"""A T-pose as in VRM 0.x, facing −z: each bone, what it hangs on, and where."""
UNITY = {
    "spine": ((-40, -40, -40), (40, 40, 40)),
    "head": ((-40, -40, -40), (40, 40, 40)),
    "leftUpperArm": ((-90, -100, -60), (90, 100, 100)),
    "rightUpperArm": ((-90, -100, -60), (90, 100, 100)),
    "leftLowerArm": ((-90, 0, -80), (90, 0, 80)),
    "rightLowerArm": ((-90, 0, -80), (90, 0, 80)),
    "leftUpperLeg": ((-60, -60, -90), (60, 60, 50)),
    "rightUpperLeg": ((-60, -60, -90), (60, 60, 50)),
    "leftLowerLeg": ((-90, 0, -80), (90, 0, 80)),
    "leftFoot": ((-30, 0, -50), (30, 0, 50)),
    "leftIndexIntermediate": ((0, 0, -45), (0, 0, 45)),
}
"""The ranges that Unity has by default, min and max in degrees."""


def nodes(turned: str = "") -> list[dict[str, Any]]:
    names = list(BONES)
    return [
        {
            "name": f"J_{bone}",
            "translation": list(at),
            "children": [k for k, b in enumerate(names) if BONES[b][0] == bone],
            **({"rotation": turn((1, 1, 0), 50)} if bone == turned else {}),
        }
        for bone, (_, at) in BONES.items()
    ]


def vrm0(path: Path, limits: dict[str, Any] | None = None, more: list[dict[str, Any]] | None = None) -> Path:
    def vector(values: Any) -> dict[str, float]:
        return dict(zip("xyz", values, strict=True))

    bones = []
    for k, bone in enumerate(BONES):
        entry: dict[str, Any] = {"bone": bone, "node": k, "useDefaultValues": True}
        if limits and bone in limits:
            low, high = limits[bone]
            entry |= {
                "useDefaultValues": False,
                "min": vector(low),
                "max": vector(high),
                "center": vector((0, 0, 0)),
                "axisLength": 0.1,
            }
        bones.append(entry)
    return Maker(nodes(), extensions={"VRM": {"humanoid": {"humanBones": bones + (more or [])}}}).write(path)


def vrm1(path: Path, extension: str = "VRMC_vrm") -> Path:
    human = {bone: {"node": k} for k, bone in enumerate(BONES)}
    return Maker(nodes(), extensions={extension: {"specVersion": "1.0", "humanoid": {"humanBones": human}}}).write(path)


def test_both_versions_say_which_segment_is_which_bone(tmp_path: Path) -> None:
    for path, version in (
        (vrm0(tmp_path / "a.vrm"), "0.x"),
        (vrm1(tmp_path / "b.vrm"), "1.0"),
        (vrm1(tmp_path / "c.glb"), "1.0"),
    ):
        figure = mk.load_figure(path)
        assert figure.source["vrm"] == version
        assert figure.source["humanoid"] == {bone: f"J_{bone}" for bone in BONES}
        assert {s.joint.kind for s in figure.segments[1:]} == {"ball"}
        assert figure.segment("J_hips").joint.kind == "free"


def test_that_0x_faces_backward_is_noted_and_nothing_is_turned(tmp_path: Path) -> None:
    old, new = mk.load_figure(vrm0(tmp_path / "a.vrm")), mk.load_figure(vrm1(tmp_path / "b.vrm"))
    assert any("faces −z" in note for note in old.source["notes"])
    assert not any("faces" in note for note in new.source["notes"])
    assert_close(old.placements(old.rest), new.placements(new.rest))


def test_a_vrm_animation_has_its_bones_too(tmp_path: Path) -> None:
    maker_path = vrm1(tmp_path / "a.vrma", "VRMC_vrm_animation")
    assert mk.load_figure(maker_path).source["humanoid"]["hips"] == "J_hips"


def test_the_hips_are_free_and_what_is_above_them_stands(tmp_path: Path) -> None:
    above = [{"name": "Root", "children": [1]}, {"name": "Armature", "children": [2]}]
    below = [{**n, "children": [c + 2 for c in n["children"]]} for n in nodes()]
    human = {bone: {"node": k + 2} for k, bone in enumerate(BONES)}
    maker = Maker([*above, *below], extensions={"VRMC_vrm": {"humanoid": {"humanBones": human}}})
    figure = mk.load_figure(maker.skin(list(range(len(BONES) + 2))).write(tmp_path / "a.vrm"))
    assert [s.joint.kind for s in figure.segments[:4]] == ["fixed", "fixed", "free", "ball"]


def test_default_limits_are_none_and_1_0_has_none(tmp_path: Path) -> None:
    zero = {"spine": ((0, 0, 0), (0, 0, 0))}  # not the default ones, but none either
    for path in (vrm0(tmp_path / "a.vrm"), vrm0(tmp_path / "b.vrm", zero), vrm1(tmp_path / "c.vrm")):
        figure = mk.load_figure(path)
        assert all(m.limits is None for s in figure.segments for m in s.joint.motions if isinstance(m, mk.Ball))


@pytest.fixture
def limited(tmp_path: Path) -> mk.Figure:
    return mk.load_figure(vrm0(tmp_path / "human.vrm", UNITY))


def bent(figure: mk.Figure, bone: str, axis: np.ndarray, degrees: float) -> float:
    """By how many degrees a bone that is turned about an axis of the world, at rest, is beyond its limits."""
    name = figure.source["humanoid"][bone]
    q = rotations.from_axis_angle(axis, np.radians(degrees))
    return float(np.degrees(figure.violation(figure.pose({name: q}))))


# Off the axes of its cone, a bone meets the ellipse before the box: an arm stands 30° from them at rest, a thigh 20°.
# A turn about an axis n moves the tip p of a bone to n × p; the figure faces −z, its left is −x.
MAY = [
    ("spine", X, -39, "bow"),
    ("spine", X, 39, "lean back"),
    ("spine", Z, 39, "lean to the left"),
    ("spine", Y, 39, "look to the left"),
    ("head", X, 39, "look up"),
    ("leftUpperArm", Z, -56, "raise the arm by 56"),
    ("leftUpperArm", Z, 90, "let it hang"),
    ("rightUpperArm", Z, 56, "raise the arm by 56"),
    ("rightUpperArm", Z, -90, "let it hang"),
    ("leftUpperArm", Y, -120, "reach across"),
    ("leftUpperArm", Y, 69, "reach back"),
    ("leftLowerArm", Y, -150, "bend the elbow"),
    ("rightLowerArm", Y, 150, "bend the elbow"),
    ("leftUpperLeg", X, 115, "lift the thigh"),
    ("leftUpperLeg", X, -19, "swing it back"),
    ("leftUpperLeg", Z, -40, "spread"),
    ("leftLowerLeg", X, -150, "bend the knee"),
    ("leftFoot", X, 45, "flex"),
    ("leftIndexIntermediate", Z, 79, "curl"),
]
MAY_NOT = [
    ("spine", X, -45, 5, "bow"),
    ("spine", Z, 45, 5, "lean"),
    ("spine", Y, 50, 10, "look"),
    ("leftUpperArm", Z, -70, 10, "raise"),
    ("leftUpperArm", Z, 110, 10, "let hang"),
    ("rightUpperArm", Z, 70, 10, "raise"),
    ("leftUpperArm", Y, 80, 10, "reach back"),
    ("leftLowerArm", Y, 10, 10, "overstretch the elbow"),
    ("rightLowerArm", Y, -10, 10, "overstretch the elbow"),
    ("leftLowerArm", Y, -170, 10, "bend the elbow"),
    ("leftUpperLeg", X, 130, 10, "lift the thigh"),
    ("leftUpperLeg", X, -30, 10, "swing it back"),
    ("leftLowerLeg", X, 10, 10, "overstretch the knee"),
    ("leftLowerLeg", X, -170, 10, "bend the knee"),
    ("leftIndexIntermediate", Z, -15, 5, "overstretch"),
]


@pytest.mark.parametrize(("bone", "axis", "degrees", "what"), MAY, ids=[f"{b}: {w}" for b, _, _, w in MAY])
def test_unitys_own_limits_let_a_human_move(
    limited: mk.Figure, bone: str, axis: Any, degrees: float, what: str
) -> None:
    del what
    assert bent(limited, bone, axis, degrees) == 0.0


@pytest.mark.parametrize(
    ("bone", "axis", "degrees", "beyond", "what"), MAY_NOT, ids=[f"{b}: {w}" for b, _, _, _, w in MAY_NOT]
)
def test_unitys_own_limits_keep_a_human_from_breaking(
    limited: mk.Figure, bone: str, axis: Any, degrees: float, beyond: float, what: str
) -> None:
    del what
    assert bent(limited, bone, axis, degrees) == pytest.approx(beyond, abs=2.0)


def test_the_rest_pose_is_within_the_limits(limited: mk.Figure) -> None:
    # An arm at rest is 30° back and 40° up of where Unity counts from: inside the box, and inside the ellipse in it.
    assert limited.violation(limited.rest) == pytest.approx(0.0, abs=1e-9)


def test_limits_follow_a_bone_that_is_turned_at_rest(tmp_path: Path) -> None:
    straight = mk.load_figure(vrm0(tmp_path / "a.vrm", {"head": ((-10, -20, -30), (10, 20, 30))}))
    maker = Maker(
        nodes(turned="head"),
        extensions={
            "VRM": {
                "humanoid": {
                    "humanBones": [
                        {
                            "bone": b,
                            "node": k,
                            **(
                                {
                                    "useDefaultValues": False,
                                    "min": {"x": -10, "y": -20, "z": -30},
                                    "max": {"x": 10, "y": 20, "z": 30},
                                }
                                if b == "head"
                                else {}
                            ),
                        }
                        for k, b in enumerate(BONES)
                    ]
                }
            }
        },
    )
    turned = mk.load_figure(maker.write(tmp_path / "b.vrm"))
    back = rotations.inverse(np.roll(turn((1, 1, 0), 50), 1))
    for axis in (X, Y, Z, (X + Y + Z) / np.sqrt(3)):
        for degrees in (-33, -15, 12, 40):
            assert bent(turned, "head", rotations.rotate(back, axis), degrees) == pytest.approx(
                bent(straight, "head", axis, degrees), abs=1e-6
            )


def test_center_shifts_the_range(tmp_path: Path) -> None:
    human = [
        {"bone": "hips", "node": 0},
        {
            "bone": "spine",
            "node": 1,
            "useDefaultValues": False,
            "min": {"z": -10},
            "max": {"z": 10},
            "center": {"z": 20},
        },
    ]
    figure = mk.load_figure(
        Maker(nodes(), extensions={"VRM": {"humanoid": {"humanBones": human}}}).write(tmp_path / "a.vrm")
    )
    assert bent(figure, "spine", X, 25) == 0.0
    assert bent(figure, "spine", X, 5) == pytest.approx(5, abs=0.2)
    assert bent(figure, "spine", X, 35) == pytest.approx(5, abs=0.2)


def test_axes_are_perpendicular_whatever_way_a_bone_points() -> None:
    rng = np.random.default_rng(0)
    for bone in [*BONES, "jaw", "leftEye", "rightEye", "upperChest", "leftThumbProximal", "rightLittleDistal"]:
        for tip in (np.zeros(3), X, Y, -Z, rng.standard_normal(3)):
            axes = vrm_limits.muscle_axes(bone, tip)
            assert_close(axes @ axes.T, np.eye(3), tol=1e-12)
            if np.any(tip):
                assert abs(axes[0] @ tip) == pytest.approx(np.linalg.norm(tip))


@pytest.mark.parametrize(
    ("bone", "message"),
    [
        ({"min": {"x": 10}, "max": {"x": -10}}, "its limits are in the wrong order, min.x 10 is above max.x -10"),
        ({"min": {"x": "a"}, "max": {"x": 1}}, "min.x needs degrees within ±360, got a"),
        ({"min": {"y": -1e300}, "max": {"x": 1}}, "min.y needs degrees within ±360, got -1e+300"),
        ({"min": 5, "max": {"x": 1}}, "min needs an object, got 5"),
    ],
)
def test_limits_that_are_none_are_refused(tmp_path: Path, bone: dict[str, Any], message: str) -> None:
    human = [{"bone": "spine", "node": 1, "useDefaultValues": False, **bone}]
    path = Maker(nodes(), extensions={"VRM": {"humanoid": {"humanBones": human}}}).write(tmp_path / "a.vrm")
    with pytest.raises(BadFile) as caught:
        mk.load_figure(path)
    assert f"VRM: bone 'spine': {message}" in str(caught.value)


@pytest.mark.filterwarnings("ignore:.*bones neck and head are the same node")
def test_bones_given_twice_or_on_one_node_or_on_none_are_told(tmp_path: Path) -> None:
    with pytest.warns(OddFile, match="VRM: bone 'head' is given twice; the second is used"):
        figure = mk.load_figure(
            vrm0(tmp_path / "a.vrm", more=[{"bone": "head", "node": 3}, {"bone": "jaw", "node": -1}])
        )
    assert "head" not in figure.source["humanoid"]  # it is the neck, which came first
    assert "jaw" not in figure.source["humanoid"]


def test_limits_are_kept_where_a_motion_goes_into_the_file(tmp_path: Path) -> None:
    path = vrm0(tmp_path / "a.vrm", UNITY)
    figure = mk.load_figure(path)
    goal = mk.Position("J_leftHand", (-0.2, 1.3, -0.3))
    solution = mk.solve(figure, [goal])
    assert solution.reached
    assert figure.violation(solution.pose) < 1e-9
    mk.save(mk.Motion(figure, solution.pose, name="Reach"), tmp_path / "b.vrm", like=path)
    again = mk.load_motion(tmp_path / "b.vrm")
    assert_close(again.placements(["J_leftHand"])[0, 0, :3, 3], goal.target, tol=1e-3)
    assert again.figure.segment("J_leftLowerArm").joint.motions[-1].limits is not None


@pytest.mark.parametrize(("name", "count"), [("sphere_vrm0.vrm", 22), ("minimal_vrm0.vrm", 17)])
def test_real_files_have_their_bones_and_no_limits(data: Path, name: str, count: int) -> None:
    figure = mk.load_figure(data / "gltf" / name)
    human = figure.source["humanoid"]
    assert len(human) == count
    assert set(human) >= {"hips", "head", "leftHand", "rightFoot"}
    assert set(human.values()) <= set(figure.segment_names)
    assert all(m.limits is None for s in figure.segments for m in s.joint.motions if isinstance(m, mk.Ball))
    left, right = (figure.placements(figure.rest, [human[b]])[0, 0, 3] for b in ("leftHand", "rightHand"))
    assert left < 0 < right  # facing −z, left is −x
