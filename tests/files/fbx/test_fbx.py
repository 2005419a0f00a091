"""FBX files made with Blender, against the placements that Blender has; and small files of our own as text."""

from __future__ import annotations

import contextlib
import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("ufbx", reason="ufbx is not installed")

import manikin as mk
from manikin.errors import BadFile, BadValue, NoMotion, OddFile, UnknownName, Unsupported
from manikin.files import fbx
from manikin.files.fbx import read

DATA = Path(__file__).parent / "data"
TRUTH = json.loads((DATA / "fbx.json").read_text())
TO_FILE = {"y": np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]]), "z": np.eye(3)}
"""From Blender's world (z up) to the file's, by the file's up axis."""
TICKS = 46_186_158_000
"""Units of time in a second."""


def truth(figure, placed):
    """Blender's origins (joints, 3) in the file's world and unit."""
    return np.array([placed[n] for n in figure.segment_names])[:, :3, 3] @ TO_FILE[figure.up].T / figure.unit


@pytest.mark.parametrize(
    ("name", "up", "unit", "clips"), [("rig", "y", 0.01, ["Walk"]), ("rig_z_up", "z", 1.0, ["Walk", "Jump"])]
)
def test_joints_are_where_blender_has_them_in_every_frame_of_every_clip(name, up, unit, clips):
    case = TRUTH["cases"][name]
    assert list(case["clips"]) == clips
    for clip in clips:
        motion = mk.load_motion(DATA / f"{name}.fbx", clip=f"Rig|{clip}")
        figure = motion.figure
        assert (figure.up, figure.unit) == (up, unit)
        assert figure.segment_names == tuple(case["rest"])
        assert len(motion) == len(case["clips"][clip])
        assert motion.rate == pytest.approx(TRUTH["fps"])
        for pose, placed in zip(motion, case["clips"][clip], strict=True):
            apart = figure.placements(pose)[:, :3, 3] - truth(figure, placed)
            assert np.linalg.norm(apart, axis=1).max() < 2e-6 * figure.size


def test_the_rest_pose_is_the_one_in_which_the_skin_was_bound():
    figure = mk.load_figure(DATA / "rig.fbx")
    apart = figure.placements(figure.rest)[:, :3, 3] - truth(figure, TRUTH["cases"]["rig"]["rest"])
    assert np.linalg.norm(apart, axis=1).max() < 2e-6 * figure.size


def test_bones_become_segments_and_what_carries_them_does_not():
    figure = mk.load_figure(DATA / "rig.fbx")
    kinds = [(s.name, s.parent, s.joint.kind) for s in figure.segments]
    assert kinds == [
        ("Hips", None, "free"),
        ("Upper.Arm.L", "Hips", "ball"),
        ("Hand L", "Upper.Arm.L", "slider+slider+slider+ball"),
    ]
    assert figure.source["clips"] == ("Rig|Walk",)
    assert figure.source["notes"] == ()


def test_clips_are_named_in_full_or_by_what_follows_the_bar():
    path = DATA / "rig_z_up.fbx"
    assert mk.load_figure(path).source["clips"] == ("Rig|Jump", "Rig|Walk")
    whole, short = mk.load_motion(path, clip="Rig|Jump"), mk.load_motion(path, clip="Jump")
    assert (whole.poses == short.poses).all()
    with pytest.raises(BadValue, match=r"2 clips; choose one with clip=: Rig\|Jump, Rig\|Walk"):
        mk.load_motion(path)
    with pytest.raises(UnknownName, match="no clip 'Swim'"):
        mk.load_motion(path, clip="Swim")
    assert mk.load_motion(DATA / "rig.fbx").name == "Rig|Walk"


def test_a_figure_from_fbx_is_solved_and_saved_in_another_format(tmp_path):
    motion = mk.load_motion(DATA / "rig.fbx")
    figure = motion.figure
    wanted = motion.placements(["Hand L"])[3, 0, :3, 3]
    solution = mk.solve(figure, [mk.Position("Hand L", wanted)])
    assert solution.reached
    mk.save(motion, tmp_path / "out.bvh")
    back = mk.load_motion(tmp_path / "out.bvh")
    apart = back.placements(["Hand L"])[:, 0, :3, 3] - motion.placements(["Hand L"])[:, 0, :3, 3]
    assert np.abs(apart).max() < 1e-5 * figure.size


def test_fbx_is_read_in_a_process_with_limits_too():
    assert mk.load_figure(DATA / "rig.fbx", safe=True) == mk.load_figure(DATA / "rig.fbx")


def test_fbx_is_not_written_and_the_way_is_told(tmp_path):
    with pytest.raises(Unsupported, match="FBX is not"):
        mk.save(mk.chain(2), tmp_path / "a.fbx")
    with pytest.raises(Unsupported, match=r"blender -b --python-expr .*export_scene\.fbx"):
        fbx.save(mk.chain(2), tmp_path / "a.fbx")


# Files of our own, as text


def node(number, name, parent, kind="LimbNode", **properties):
    """A Model with its attribute, and the connections: (objects, connections)."""
    lines = []
    for key, value in properties.items():
        label = key.replace("Lcl", "Lcl ")
        values = ",".join(str(x) for x in np.atleast_1d(value).tolist())
        sort = {"L": (label, "A"), "I": ("enum", ""), "P": ("Vector3D", ""), "R": ("bool", "")}[key[0]]
        lines.append(f'   P: "{label}", "{sort[0]}", "", "{sort[1]}",{values}')
    shown = "\n".join(lines)
    flags = "Skeleton" if kind == "LimbNode" else "Null"
    objects = f""" Model: {number}, "Model::{name}", "{kind}" {{
  Version: 232
  Properties70:  {{
{shown}
  }}
 }}
 NodeAttribute: {number + 500}, "NodeAttribute::{name}", "{kind}" {{
  TypeFlags: "{flags}"
 }}
"""
    return objects, f' C: "OO",{number},{parent}\n C: "OO",{number + 500},{number}\n'


def text(*nodes, up=1, up_sign=1, front=2, front_sign=1, right=0, right_sign=1, unit=1.0):
    axes = {
        "UpAxis": up,
        "UpAxisSign": up_sign,
        "FrontAxis": front,
        "FrontAxisSign": front_sign,
        "CoordAxis": right,
        "CoordAxisSign": right_sign,
    }
    lines = "\n".join(f'  P: "{key}", "int", "Integer", "",{value}' for key, value in axes.items())
    return f"""; FBX 7.4.0 project file
FBXHeaderExtension:  {{
 FBXHeaderVersion: 1003
 FBXVersion: 7400
}}
GlobalSettings:  {{
 Version: 1000
 Properties70:  {{
{lines}
  P: "UnitScaleFactor", "double", "Number", "",{unit}
 }}
}}
Objects:  {{
{"".join(objects for objects, _ in nodes)}}}
Connections:  {{
{"".join(connections for _, connections in nodes)}}}
"""


def moved(number, target, prop, axis, times, values):
    """A curve on one axis of a property of a node, in the layer 5700: (objects, connections)."""
    ticks = ",".join(str(round(t * TICKS)) for t in times)
    count = len(times)
    objects = f""" AnimationCurveNode: {number}, "AnimCurveNode::{prop}", "" {{
 }}
 AnimationCurve: {number + 1}, "AnimCurve::", "" {{
  Default: 0
  KeyVer: 4008
  KeyTime: *{count} {{
   a: {ticks}
  }}
  KeyValueFloat: *{count} {{
   a: {",".join(repr(float(v)) for v in values)}
  }}
  KeyAttrFlags: *1 {{
   a: 4
  }}
  KeyAttrDataFloat: *4 {{
   a: 0,0,0,0
  }}
  KeyAttrRefCount: *1 {{
   a: {count}
  }}
 }}
"""
    return objects, (
        f' C: "OP",{number},{target},"{prop}"\n C: "OP",{number + 1},{number},"d|{axis}"\n C: "OO",{number},5700\n'
    )


STACK = (
    ' AnimationStack: 5600, "AnimStack::Take", "" {\n }\n AnimationLayer: 5700, "AnimLayer::Base", "" {\n }\n',
    ' C: "OO",5700,5600\n',
)


def written(tmp_path, content, name="a.fbx"):
    path = tmp_path / name
    path.write_text(content)
    return path


def origins(path):
    figure = mk.load_figure(path)
    return figure.placements(figure.rest)[:, :3, 3]


def chain_of_three(**child):
    return (
        node(100, "a", 0, LclTranslation=(1, 0, 0), LclScaling=(2, 2, 2)),
        node(101, "b", 100, LclTranslation=(1, 0, 0), LclRotation=(0, 0, 90), **child),
        node(102, "c", 101, LclTranslation=(1, 0, 0), **child),
    )


def test_a_text_file_is_read(tmp_path):
    path = written(tmp_path, text(*chain_of_three(), unit=2.54))
    assert origins(path) == pytest.approx(np.array([(1, 0, 0), (3, 0, 0), (3, 2, 0)]))
    figure = mk.load_figure(path)
    assert figure.unit == pytest.approx(0.0254)
    assert figure.up == "y"
    with pytest.raises(NoMotion, match="no animation"):
        mk.load_motion(path)


def test_a_scale_that_is_not_handed_down_is_not(tmp_path):
    """InheritType 2 (Rrs) is Maya's segment scale compensation: b moves with the scale of a, but does not have it."""
    path = written(tmp_path, text(*chain_of_three(InheritType=2)))
    assert origins(path) == pytest.approx(np.array([(1, 0, 0), (3, 0, 0), (3, 1, 0)]))
    assert mk.load_figure(path).segment_names == ("a", "b", "c")


def test_turns_before_turns_and_pivots_are_reckoned_with(tmp_path):
    joint = node(100, "a", 0, RotationActive=1, PreRotation=(0, 0, 90), LclRotation=(90, 0, 0), RotationPivot=(0, 1, 0))
    path = written(tmp_path, text(joint, node(101, "b", 100, LclTranslation=(0, 1, 0))))
    # The pivot stays: p = T + pivot + Rz(90) Rx(90) (x − pivot); at x = 0 and at x = (0, 1, 0).
    assert origins(path) == pytest.approx(np.array([(0, 1, -1), (0, 1, 0)]), abs=1e-9)


def test_axes_are_the_files(tmp_path):
    nodes = (node(100, "a", 0), node(101, "b", 100, LclTranslation=(1, 2, 3)))
    z_up = written(tmp_path, text(*nodes, up=2, front=1, front_sign=-1))
    assert mk.load_figure(z_up).up == "z"
    assert origins(z_up)[1] == pytest.approx((1, 2, 3))


@pytest.mark.parametrize(
    ("axes", "told", "expected"),
    [
        ({"up_sign": -1, "right_sign": -1}, "up axis of the file points down", (-1, -2, 3)),
        ({"front_sign": -1}, "left-handed", None),
    ],
)
def test_axes_that_a_figure_cannot_have_are_turned_and_told(axes, told, expected, tmp_path):
    nodes = (node(100, "a", 0), node(101, "b", 100, LclTranslation=(1, 2, 3)))
    path = written(tmp_path, text(*nodes, **axes))
    with pytest.warns(OddFile, match=told):
        figure = mk.load_figure(path)
    assert figure.up == "y"
    b = figure.placements(figure.rest, ["b"])[0, :3, 3]
    assert b[1] == pytest.approx(2.0 if expected is None else expected[1])
    assert np.sort(np.abs(b)) == pytest.approx([1, 2, 3])
    if expected is not None:
        assert b == pytest.approx(expected)


def test_nodes_between_bones_are_segments_and_others_are_not(tmp_path):
    path = written(
        tmp_path,
        text(
            node(99, "Armature", 0, "Null", LclTranslation=(0, 5, 0)),
            node(100, "Hip", 99),
            node(101, "Group", 100, "Null", LclTranslation=(0, 1, 0)),
            node(102, "Knee", 101, LclTranslation=(0, 1, 0)),
            node(103, "Prop", 102, "Null"),
        ),
    )
    figure = mk.load_figure(path)
    assert figure.segment_names == ("Hip", "Group", "Knee")
    assert figure.placements(figure.rest)[:, 1, 3] == pytest.approx([5, 6, 7])


def test_a_scene_without_bones_has_its_nodes_for_segments(tmp_path):
    path = written(tmp_path, text(node(99, "Base", 0, "Null"), node(100, "Arm", 99, "Null", LclTranslation=(0, 1, 0))))
    with pytest.warns(OddFile, match="no bones; every node becomes a segment"):
        assert mk.load_figure(path).segment_names == ("Base", "Arm")
    with pytest.raises(BadFile, match="no bones and no other nodes"):
        mk.load_figure(written(tmp_path, text()))


def test_several_armatures_hang_on_a_fixed_root_and_names_are_told_apart(tmp_path):
    path = written(tmp_path, text(node(100, "Hip", 0), node(101, "Hip", 0, LclTranslation=(1, 0, 0))))
    with pytest.warns(OddFile, match="with the same name.*: Hip"):
        figure = mk.load_figure(path)
    assert figure.segment_names == ("Roots", "Hip", "Hip.2")


# Frames and keys


def arm(tmp_path, *curves):
    """A bone on a bone; the scene has 24 frames a second, as it does not say otherwise."""
    nodes = (node(100, "a", 0), node(101, "b", 100, LclTranslation=(0, 2, 0)))
    return written(tmp_path, text(*nodes, STACK, *curves))


def turning(times, degrees, number=5800):
    return moved(number, 101, "Lcl Rotation", "Z", times, degrees)


def angle(motion):
    """Of b about z, in degrees."""
    w, _, _, z = motion.poses[:, -4:].T
    return np.degrees(2.0 * np.arctan2(z, w))


def test_keys_denser_than_the_scene_set_the_rate(tmp_path):
    times = np.arange(61) / 120.0
    degrees = np.where(np.arange(61) % 2, 30.0, -30.0)  # at 24 frames a second this would stand still
    motion = mk.load_motion(arm(tmp_path, turning(times, degrees)))
    assert motion.rate == pytest.approx(120.0)
    assert angle(motion) == pytest.approx(degrees, abs=1e-4)
    assert motion.source["notes"] == ()


def test_keys_as_dense_as_the_scene_leave_its_rate(tmp_path):
    times = np.arange(13) / 24.0
    motion = mk.load_motion(arm(tmp_path, turning(times, 5.0 * np.arange(13))))
    assert motion.rate == pytest.approx(24.0)
    assert angle(motion) == pytest.approx(5.0 * np.arange(13), abs=1e-4)


def test_dense_keys_that_are_not_even_are_told_and_a_rate_keeps_them(tmp_path):
    times, degrees = [0.0, 0.111, 0.1177, 0.125, 0.5], [0, 0, 80, 0, 0]
    path = arm(tmp_path, turning(times, degrees))
    with pytest.warns(OddFile, match=r"clip 'Take' .* \(24 per second\).*rate=150"):
        motion = mk.load_motion(path)
    assert motion.rate == pytest.approx(24.0)
    assert angle(motion).max() < 10.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        finer = mk.load_motion(path, rate=900)
    assert finer.rate == pytest.approx(900.0)
    assert angle(finer).max() > 70.0


def test_sparse_keys_between_frames_are_told_and_a_rate_keeps_them(tmp_path):
    times, degrees = np.arange(6) / 15.0, np.array([0.0, 80.0, 0.0, 80.0, 0.0, 0.0])  # at 1.6, 3.2, 4.8 … frames
    path = arm(tmp_path, turning(times, degrees))
    with pytest.warns(OddFile, match=r"clip 'Take' .* \(24 per second\).*rate=30"):
        motion = mk.load_motion(path)
    assert motion.rate == pytest.approx(24.0)
    assert angle(motion).max() < 75.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kept = mk.load_motion(path, rate=30)
    assert angle(kept)[::2] == pytest.approx(degrees, abs=1e-4)


def test_sparse_keys_on_frames_are_not_told(tmp_path):
    times = np.array([0.0, 3.0, 4.0, 11.0, 12.01]) / 24.0  # within a hundredth of a frame, as rounding leaves them
    motion = mk.load_motion(arm(tmp_path, turning(times, [0, 30, -30, 10, 0])))
    assert motion.rate == pytest.approx(24.0)
    assert motion.source["notes"] == ()


def test_keys_that_no_rate_keeps_are_told_without_one(tmp_path):
    times = [0.0, 0.1 * np.sqrt(2.0), 0.1 * np.sqrt(5.0), 0.2 * np.sqrt(3.0), 0.1 * np.pi * 1.7, 0.1 * np.e * 2.9, 1.0]
    with pytest.warns(OddFile, match="keys between its frames.*a higher rate= loses less"):
        mk.load_motion(arm(tmp_path, turning(times, [0, 10, 50, 20, 80, 5, 0])))


def test_even_keys_that_start_between_frames_are_told(tmp_path):
    path = arm(tmp_path, turning(np.arange(13) / 24.0 + 0.5 / 24.0, np.arange(13.0)), turning([0.0, 1.0], [0, 1], 5900))
    with pytest.warns(OddFile, match="keys between its frames.*rate=48 keeps them"):
        mk.load_motion(path)


@pytest.mark.parametrize("rate", [0.0, -24.0, np.nan, np.inf, 1001.0])
def test_a_rate_that_is_none_is_refused(rate, tmp_path):
    with pytest.raises(BadValue, match="rate"):
        mk.load_motion(DATA / "rig.fbx", rate=rate)


def test_a_figure_is_read_from_a_motion_too_long_to_sample(tmp_path):
    day = 86_400.0
    slide = moved(5820, 101, "Lcl Translation", "X", [0.0, 0.3 * day, 0.3 * day + 1.0, day], [0, 0, 1, 0])
    path = arm(tmp_path, turning([0.0, 30 * day], [0, 90]), slide)
    figure = mk.load_figure(path)
    assert figure.segments[1].joint.kind == "slider+slider+slider+ball"
    assert figure.source["clips"] == ("Take",)
    with pytest.raises(BadFile, match="too many samples of nodes"):
        mk.load_motion(path)


def test_many_keys_cost_a_figure_little(tmp_path):
    """A hundred thousand keys: the figure looks at a few hundred times, whatever their number."""
    times = np.arange(100_000) / 24.0
    path = arm(tmp_path, turning(times, 40.0 * np.sin(times)), moved(5820, 101, "Lcl Translation", "X", times, times))
    scene = read.read_scene(str(path))
    assert len(scene.clips[0].times) <= 256
    assert scene.clips[0].frames is None
    assert scene.clips[0].poses[:, -1, 0].max() == pytest.approx(times[-1], rel=1e-5)


def test_many_animations_share_what_is_looked_at():
    assert read.child.probes_each(1, 100) == 256
    for stacks, nodes in ((1000, 60), (200, 10_000), (1, 2_000_000)):
        assert 2 <= read.child.probes_each(stacks, nodes) <= 4_000_000 / (stacks * nodes)
    with pytest.raises(read.child.Refused, match="1000 animations of 10000 nodes, which is too many"):
        read.child.probes_each(1000, 10_000)


def test_a_node_that_slides_for_one_key_slides_in_the_figure(tmp_path):
    times, values = np.arange(2001) / 24.0, np.zeros(2001)
    values[1234] = 0.5
    path = arm(tmp_path, turning([0.0, 80.0], [0, 90]), moved(5820, 101, "Lcl Translation", "X", times, values))
    figure, motion = mk.load_figure(path), mk.load_motion(path)
    assert figure.segments[1].joint.kind == "slider+slider+slider+ball"
    assert figure.joint_names == motion.figure.joint_names
    assert figure.nq == motion.figure.nq


# Broken and hostile


@pytest.mark.parametrize("cut", [30, 200, 0.3, 0.7, 0.99])
def test_a_file_that_is_cut_off_is_refused(cut, tmp_path):
    whole = (DATA / "rig.fbx").read_bytes()
    path = tmp_path / "cut.fbx"
    path.write_bytes(whole[: cut if cut > 1 else int(cut * len(whole))])
    with pytest.raises(BadFile, match="the FBX file cannot be read"):
        mk.load_figure(path)


@pytest.mark.parametrize("bad", ["nan", "inf", "1e300"])
def test_numbers_that_cannot_be_computed_with_are_refused(bad, tmp_path):
    path = written(
        tmp_path,
        text(node(100, "a", 0), node(101, "b", 100, LclTranslation=(7, 0, 0))).replace(",7,0,0", f",{bad},0,0"),
    )
    with pytest.raises(BadFile):
        mk.load_figure(path)


def test_nodes_that_go_round_in_a_circle_do_not(tmp_path):
    path = written(tmp_path, text(node(100, "a", 101), node(101, "b", 100)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OddFile)
        try:
            figure = mk.load_figure(path)
        except BadFile:
            return
    assert len(figure.segments) <= 3


def test_too_many_samples_are_refused_by_their_number(monkeypatch):
    monkeypatch.setattr(read, "MOST_SAMPLES", 20)
    with pytest.raises(BadFile, match="too many samples of nodes"):
        mk.load_motion(DATA / "rig.fbx")
    assert mk.load_figure(DATA / "rig.fbx").source["clips"] == ("Rig|Walk",)


def test_a_reader_that_breaks_down_is_a_bad_file(monkeypatch, tmp_path):
    broken = tmp_path / "child.py"
    broken.write_text("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n")
    monkeypatch.setattr(read.child, "__file__", str(broken))
    with pytest.raises(BadFile, match="crashed"):
        mk.load_figure(DATA / "rig.fbx")


def test_a_file_that_is_not_there_is_an_error_of_the_system(tmp_path):
    with pytest.raises(FileNotFoundError):
        mk.load_figure(tmp_path / "none.fbx")


@settings(max_examples=12)
@given(seed=st.integers(0, 10**6))
def test_broken_bytes_are_read_or_refused(seed, tmp_path_factory):
    rng = np.random.default_rng(seed)
    hurt = bytearray((DATA / "rig.fbx").read_bytes())
    for _ in range(rng.integers(1, 8)):
        hurt[rng.integers(27, len(hurt))] = rng.integers(256)
    path = tmp_path_factory.mktemp("fbx") / "a.fbx"
    path.write_bytes(bytes(hurt))
    with warnings.catch_warnings(), contextlib.suppress(BadFile):
        warnings.simplefilter("ignore", OddFile)
        assert mk.load_figure(path).segments
