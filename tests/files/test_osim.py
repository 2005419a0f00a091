"""Marker sets of OpenSim models, weights of set-ups, and motions for OpenSim."""

from __future__ import annotations

from pathlib import Path

import checks
import numpy as np
import pytest
from synthetic_markers import walk

import manikin as mk
from manikin.errors import BadFile, BadValue, Unsupported
from manikin.files import osim
from manikin.files.osim.model import read
from manikin.motion.gait_angles import gait_angles

FOUR = """<OpenSimDocument Version="40000"><Model name="small"><JointSet><objects>{joints}</objects></JointSet>
<MarkerSet><objects>{markers}</objects></MarkerSet></Model></OpenSimDocument>"""
JOINT = """<CustomJoint name="{child}"><socket_parent_frame>a</socket_parent_frame>
<socket_child_frame>b</socket_child_frame><frames>
<PhysicalOffsetFrame name="a"><socket_parent>/bodyset/{parent}</socket_parent><translation>{at}</translation>
</PhysicalOffsetFrame><PhysicalOffsetFrame name="b"><socket_parent>/bodyset/{child}</socket_parent>
</PhysicalOffsetFrame></frames><SpatialTransform>{axes}</SpatialTransform></CustomJoint>"""
MARKER = (
    "<Marker name='{name}'><socket_parent_frame>/bodyset/{body}</socket_parent_frame><location>{at}</location></Marker>"
)
LEGS = [
    ("pelvis", "ground", "0 0.93 0"),
    *(
        part
        for s, z in (("r", "0.086"), ("l", "-0.086"))
        for part in (
            (f"femur_{s}", "pelvis", f"0 0 {z}"),
            (f"tibia_{s}", f"femur_{s}", "0 -0.45 0"),
            (f"talus_{s}", f"tibia_{s}", "0 -0.43 0"),
            (f"calcn_{s}", f"talus_{s}", "-0.05 -0.04 0"),
        )
    ),
]


def small(markers: list[tuple[str, str, str]], joints: list[tuple[str, str, str]] = LEGS) -> str:
    return FOUR.format(
        joints="".join(JOINT.format(child=c, parent=p, at=at, axes="") for c, p, at in joints),
        markers="".join(MARKER.format(name=n, body=b, at=at) for n, b, at in markers),
    )


def test_markers_go_to_the_same_places_on_the_person(tmp_path: Path) -> None:
    path = tmp_path / "small.osim"
    path.write_text(
        small([("knee", "femur_l", "0 -0.45 -0.06"), ("heel", "calcn_r", "0 0 0"), ("thing", "box", "0 0 0")])
    )
    attach = osim.load_attachments(path, mk.human())
    assert attach.unknown == ("thing",)
    assert attach.calibrated
    plain = mk.human()
    length = np.linalg.norm(np.subtract(*plain.placements(plain.rest, ["LeftUpLeg", "LeftLeg"])[:, :3, 3]))
    person = plain.scaled(dict.fromkeys(("LeftUpLeg", "RightUpLeg"), 0.45 / length))
    assert attach["knee"].segment == "LeftUpLeg"
    thigh, knee = person.placements(person.rest, ["LeftUpLeg", "LeftLeg"])
    world = thigh[:3, :3] @ np.array(attach["knee"].offset) + thigh[:3, 3]
    checks.assert_close(world - knee[:3, 3], [0.06, 0.0, 0.0], tol=1e-6)  # outward of the left knee
    checks.assert_close(attach["heel"].offset, [0.0, -0.04, -0.05], tol=1e-6)
    assert attach.scales["thigh"] == pytest.approx(0.45 / length, rel=1e-6)


def test_functions_at_zero_and_frames_that_are_turned(tmp_path: Path) -> None:
    spline = "<SimmSpline><x>-1 -0.5 0.5 1</x><y>-0.4 -0.42 -0.42 -0.4</y></SimmSpline>"
    axes = (
        "<TransformAxis name='rotation1'><axis>0 0 1</axis><LinearFunction><coefficients>1 0.5</coefficients>"
        "</LinearFunction></TransformAxis><TransformAxis name='translation2'><axis>0 1 0</axis><MultiplierFunction>"
        f"<function>{spline}</function><scale>2</scale></MultiplierFunction></TransformAxis>"
    )
    path = tmp_path / "one.osim"
    path.write_text(FOUR.format(joints=JOINT.format(child="leg", parent="ground", at="1 0 0", axes=axes), markers=""))
    placed = read(path).placements["leg"]
    assert placed[0, 3] == 1.0
    assert -0.87 < placed[1, 3] < -0.84
    assert placed[0, 0] == pytest.approx(np.cos(0.5))


def test_version_three_has_joints_inside_of_bodies(tmp_path: Path) -> None:
    path = tmp_path / "three.osim"
    path.write_text(
        "<OpenSimDocument Version='30000'><Model name='m'><BodySet><objects><Body name='ground'/><Body name='leg'>"
        "<Joint>"
        "<PinJoint name='j'><parent_body>ground</parent_body><location_in_parent>0 1 0</location_in_parent>"
        "<location>0 0.25 0</location></PinJoint></Joint></Body></objects></BodySet><MarkerSet><objects>"
        "<Marker name='A'><body>leg</body><location>0 0 0.1</location></Marker></objects></MarkerSet></Model>"
        "</OpenSimDocument>"
    )
    model = read(path)
    checks.assert_close(model.placements["leg"][:3, 3], [0.0, 0.75, 0.0])
    assert model.markers[0].body == "leg"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("<robot/>", "not an OpenSim model"),
        ("<OpenSimDocument><Model>", "not well-formed"),
        ("<!DOCTYPE x [<!ENTITY a 'b'>]><OpenSimDocument><Model>&a;</Model></OpenSimDocument>", "entit"),
        (small([]), "no markers"),
        (small([("A", "pelvis", "0 0 0")], LEGS[:1]), "femur_r"),
        (small([("A", "pelvis", "0 0")]), "3 finite numbers"),
        (small([("A", "pelvis", "0 0 x")]), "needs numbers"),
        (small([("A", "pelvis", "0 0 0")], [("a", "b", "0 0 0"), ("b", "a", "0 0 0")]), "ground"),
    ],
)
def test_a_bad_model_says_what_is_wrong(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "bad.osim"
    path.write_text(text)
    with pytest.raises(BadFile, match=says):
        osim.load_attachments(path, mk.human())
    with pytest.raises(BadFile):
        osim.weights(path)


def test_weights_of_a_set_up(tmp_path: Path) -> None:
    path = tmp_path / "setup.xml"
    path.write_text(
        "<OpenSimDocument><InverseKinematicsTool><IKTaskSet><objects><IKMarkerTask name='A'><apply>true</apply>"
        "<weight>10</weight></IKMarkerTask><IKMarkerTask name='B'><apply>false</apply><weight>1</weight></IKMarkerTask>"
        "</objects></IKTaskSet></InverseKinematicsTool></OpenSimDocument>"
    )
    assert osim.weights(path) == {"A": 10.0, "B": 0.0}


def test_angles_of_known_poses() -> None:
    person = mk.human()
    poses = np.tile(person.rest, (2, 1))
    step = np.zeros(person.nv)
    step[person.step_of("LeftUpLeg")] = -0.4  # the thigh swings forward
    step[person.step_of("RightLeg")] = 0.3
    poses[1] = person.integrate(poses[1], step)
    angles = gait_angles(mk.Motion(person, poses, rate=10))
    first, last = ({name: values[k] for name, values in angles.items()} for k in (0, 1))
    assert last["hip_flexion_l"] - first["hip_flexion_l"] == pytest.approx(0.4, abs=1e-3)
    assert last["knee_angle_r"] - first["knee_angle_r"] == pytest.approx(-0.3, abs=1e-3)
    assert last["hip_flexion_r"] == pytest.approx(first["hip_flexion_r"], abs=1e-9)
    assert abs(first["pelvis_tilt"]) < 1e-9
    assert first["pelvis_ty"] == pytest.approx(0.9275)


def test_mirrored_poses_have_exchanged_angles() -> None:
    person = mk.human()
    motion = mk.Motion(person, walk(person, 9), rate=10)
    own, other = gait_angles(motion), gait_angles(motion.mirrored())
    for name in ("hip_flexion", "hip_adduction", "hip_rotation", "knee_angle", "ankle_angle"):
        checks.assert_close(own[f"{name}_l"], other[f"{name}_r"], tol=1e-6)


def test_a_motion_for_opensim(tmp_path: Path) -> None:
    person = mk.human()
    motion = mk.Motion(person, walk(person, 5), rate=10)
    path = tmp_path / "walk.mot"
    mk.save(motion, path)
    head, table = path.read_text().split("endheader\n")
    assert "inDegrees=yes" in head
    assert "nRows=5\nnColumns=24" in head
    lines = table.splitlines()
    assert lines[0].split("\t")[:2] == ["time", "pelvis_tilt"]
    values = np.array([[float(x) for x in line.split("\t")] for line in lines[1:]])
    at = lines[0].split("\t").index("hip_flexion_r")
    checks.assert_close(np.deg2rad(values[:, at]), gait_angles(motion)["hip_flexion_r"], tol=1e-8)
    with pytest.raises(Unsupported, match="OpenSim model"):
        mk.load_motion(path)
    with pytest.raises(BadValue, match="four legs"):
        mk.save(mk.Motion(mk.quadruped(), mk.quadruped().rest[None]), tmp_path / "dog.mot")


@pytest.mark.needs("data", "markers/gait2392/*.osim")
def test_the_same_question_has_the_same_answer(data: Path) -> None:
    """OpenSim's solution of subject01, with its attachments, lengths and weights. In sample: docs/markers.md."""
    folder, person = data / "markers/gait2392", mk.human()
    attach = osim.load_attachments(folder / "subject01_simbody.osim", person)
    assert not attach.unknown
    markers = mk.load_markers(folder / "subject01_walk1.trc")
    markers = markers.subset([name for name in markers.names if name in attach])
    given = osim.weights(folder / "subject01_Setup_IK.xml")
    feet = {"LeftFoot": "twist", "RightFoot": "twist"}
    fit = mk.fit_markers(
        person,
        markers,
        attach,
        weights={name: given.get(name, 0.0) for name in markers.names},
        hold=feet,
        robust=False,
        smooth=None,
    )
    lines = (folder / "subject01_walk1_ik.mot").read_text().split("endheader\n")[1].splitlines()
    truth = np.array([[float(x) for x in line.split()] for line in lines[1:]])
    times = fit.motion.times
    during = (times >= 0.5 - 1e-9) & (times <= 2.5 + 1e-9)
    angles = gait_angles(fit.motion)
    least = {"hip_flexion": 0.99, "knee_angle": 0.99, "ankle_angle": 0.98, "hip_rotation": 0.95}
    for name, bound in least.items():
        for side in "rl":
            theirs = np.interp(times[during], truth[:, 0], truth[:, lines[0].split().index(f"{name}_{side}")])
            assert np.corrcoef(theirs, angles[f"{name}_{side}"][during])[0, 1] >= bound, (name, side)
