"""Small stages, one idea each, held against Pixar's own code."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest

pytest.importorskip("pxr", reason="usd-core is not installed")

from pxr import Usd
from usd_truth import animation, distance, matrix, skeleton, stage, turned_by

import manikin as mk
from manikin import rotations
from manikin.errors import BadFile, BadValue, NoMotion, OddFile, UnknownName
from manikin.files import usd

JOINTS = ("Hip", "Hip/Knee", "Hip/Knee/Foot")
REST = (matrix((0, 1, 0)), matrix((0, -0.5, 0.1), (0.9, 0.1, 0, 0.2)), matrix((0, -0.5, 0)))
BOUND = "rel skel:animationSource = </Model/Walk>"


def pose(seed, joints=3, slide=0.0, scale=None):
    """A frame: (translation, quaternion, scale) of each joint, beside the rest pose."""
    rng = np.random.default_rng(seed)
    places = [(0, 1, 0), (0, -0.5, 0.1), (0, -0.5, 0)][:joints]
    frame = []
    for place in places:
        q = rotations.normalized(np.float32(rng.normal(size=4))).astype(np.float32)
        frame.append((np.array(place) + slide * rng.normal(size=3), q, scale or (1, 1, 1)))
    return frame


def scaled(seeds, *scales):
    """Frames with a scale for each joint."""
    return {k: [(t, q, s) for (t, q, _), s in zip(pose(k), scales, strict=True)] for k in seeds}


def written(tmp_path, text, name="a.usda"):
    path = tmp_path / name
    path.write_text(text)
    return path


def simple(tmp_path, walk=None, **more):
    walk = animation("Walk", JOINTS, {1: pose(1), 12: pose(2), 13.5: pose(3)}) if walk is None else walk
    return written(tmp_path, stage(skeleton("Skel", JOINTS, REST, BOUND) + walk, **more))


def test_a_stage_becomes_a_figure_and_its_motion(tmp_path):
    path = simple(tmp_path, head='upAxis = "Z"\n metersPerUnit = 0.1\n timeCodesPerSecond = 30')
    motion = mk.load_motion(path)
    figure = motion.figure
    assert figure.segment_names == ("Hip", "Knee", "Foot")
    assert [s.joint.kind for s in figure.segments] == ["free", "ball", "ball"]
    assert (figure.unit, figure.up, figure.name) == (0.1, "z", "a")
    assert motion.times == pytest.approx([1 / 30, 12 / 30, 13.5 / 30])
    assert motion.name == motion.source["clip"] == "Walk"
    assert figure.source["clips"] == ("Walk",)
    assert figure.source["skeletons"] == (("/Model/Skel", dict(zip(("Hip", "Knee", "Foot"), JOINTS, strict=True))),)
    assert distance(motion, path) < 5e-7
    assert turned_by(motion, path) < 1e-6
    assert (pickle.loads(pickle.dumps(motion)).poses == motion.poses).all()


def test_the_rest_pose_is_that_of_the_skeleton(tmp_path):
    figure = mk.load_figure(simple(tmp_path))
    origins = figure.placements(figure.rest)[:, :3, 3]
    turn = rotations.to_matrix(rotations.normalized(np.array([0.9, 0.1, 0.0, 0.2])))
    expected = [(0, 1, 0), (0, 0.5, 0.1), np.array([0, 0.5, 0.1]) + turn @ (0, -0.5, 0)]
    assert origins == pytest.approx(np.array(expected))


def test_an_animation_of_some_joints_in_another_order_leaves_the_others_at_rest(tmp_path):
    walk = animation("Walk", ("Hip/Knee/Foot", "Hip"), {1: [pose(1)[2], pose(2)[0]], 2: [pose(3)[2], pose(4)[0]]})
    path = simple(tmp_path, walk)
    motion = mk.load_motion(path)
    assert distance(motion, path) < 5e-7
    at = motion.figure.index_of("Knee")
    assert motion.poses[:, at : at + 4] == pytest.approx(np.tile([1.0, 0, 0, 0], (2, 1)))


def test_an_animation_is_inherited_from_a_prim_above(tmp_path):
    walk = animation("Walk", JOINTS, {1: pose(1), 2: pose(2)})
    path = written(tmp_path, stage(skeleton("Skel", JOINTS, REST) + walk, above=BOUND))
    motion = mk.load_motion(path)
    assert len(motion) == 2
    assert distance(motion, path) < 5e-7


def test_what_stands_above_a_skeleton_places_it_and_may_move_and_scale_it(tmp_path):
    ops = """double3 xformOp:translate.timeSamples = { 1: (1, 2, 3), 5: (4, 0, 3) }
    float3 xformOp:rotateXYZ = (20, -30, 40)
    float3 xformOp:scale = (0.01, 0.01, 0.01)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateXYZ", "xformOp:scale"]"""
    walk = animation("Walk", JOINTS, {1: pose(1), 2: pose(2)})
    path = simple(tmp_path, walk, above=ops)
    motion = mk.load_motion(path)
    assert motion.times * 24 == pytest.approx([1, 2, 5])
    assert motion.figure.size == pytest.approx(0.01 * (np.sqrt(0.26) + 0.5))
    assert distance(motion, path) < 5e-7
    assert turned_by(motion, path) < 1e-6


def test_a_skeleton_that_is_only_carried_has_a_motion_too(tmp_path):
    ops = """double3 xformOp:translate.timeSamples = { 1: (1, 2, 3), 5: (4, 0, 3) }
    uniform token[] xformOpOrder = ["xformOp:translate"]"""
    path = written(tmp_path, stage(skeleton("Skel", JOINTS, REST), above=ops))
    motion = mk.load_motion(path)
    assert len(motion) == 2
    assert distance(motion, path) < 5e-7


@pytest.mark.skipif(not hasattr(Usd.Attribute, "HasSpline"), reason="this USD has no curves yet")
def test_a_curve_above_a_skeleton_is_looked_at_at_every_time_code(tmp_path):
    ops = """double xformOp:translateX.spline = {
        1: 0; post held,
        4: 6,
    }
    uniform token[] xformOpOrder = ["xformOp:translateX"]"""
    path = written(tmp_path, stage(skeleton("Skel", JOINTS, REST), above=ops))
    motion = mk.load_motion(path)
    assert motion.times * 24 == pytest.approx([1, 2, 3, 4])
    assert distance(motion, path) < 5e-7


def test_joints_that_clips_move_along_slide_and_others_do_not(tmp_path):
    frames = {k: pose(k) for k in range(1, 5)}
    for k, frame in frames.items():
        frame[1] = (np.add(frame[1][0], (0.1 * k, 0, 0.02 * k)), *frame[1][1:])
    path = simple(tmp_path, animation("Walk", JOINTS, frames))
    motion = mk.load_motion(path)
    assert [s.joint.kind for s in motion.figure.segments] == ["free", "slider+slider+slider+ball", "ball"]
    knee = motion.figure.segment("Knee").joint
    assert all(m.limits == (-np.inf, np.inf) and m.held for m in knee.motions[:3])
    assert distance(motion, path) < 5e-7


def sliding(figure):
    """Names of the segments with sliders, all of which are held."""
    sliders = {s.name: [m for m in s.joint.motions if isinstance(m, mk.Slider)] for s in figure.segments}
    assert all(m.held for some in sliders.values() for m in some)
    return [name for name, some in sliders.items() if some]


def test_a_clip_that_holds_a_joint_beside_its_place_at_rest_lets_it_slide(tmp_path):
    frames = {k: pose(k) for k in range(1, 5)}
    for frame in frames.values():
        frame[1] = ((0.002, -0.5, 0.1), *frame[1][1:])
    path = simple(tmp_path, animation("Walk", JOINTS, frames))
    motion = mk.load_motion(path)
    assert sliding(motion.figure) == ["Knee"]
    knee = motion.figure.index_of("Knee")
    assert np.allclose(np.linalg.norm(motion.poses[:, knee : knee + 3], axis=1), 0.002, atol=1e-6)
    assert motion.figure.violation(motion.poses).max() == 0.0
    assert distance(motion, path) < 1e-6


# Scales


def test_scales_of_joints_at_rest_go_into_offsets(tmp_path):
    rest = (matrix((0, 1, 0), s=(2, 2, 2)), matrix((0, -0.5, 0.1), (0.9, 0.1, 0, 0.2), (3, 3, 3)), REST[2])
    frames = scaled((1, 2), (2, 2, 2), (3, 3, 3), (1, 1, 1))
    walk = animation("Walk", JOINTS, frames)
    path = written(tmp_path, stage(skeleton("Skel", JOINTS, rest, BOUND) + walk))
    motion = mk.load_motion(path)
    assert [s.joint.kind for s in motion.figure.segments] == ["free", "ball", "ball"]
    assert motion.figure.size == pytest.approx(2 * np.sqrt(0.26) + 6 * 0.5)
    assert distance(motion, path) < 5e-7
    assert turned_by(motion, path) < 1e-6


def test_a_mirrored_joint_is_followed(tmp_path):
    rest = (matrix((0, 1, 0), s=(-1, -1, -1)), *REST[1:])
    frames = scaled((1, 2), (-1, -1, -1), (1, 1, 1), (1, 1, 1))
    path = written(tmp_path, stage(skeleton("Skel", JOINTS, rest, BOUND) + animation("Walk", JOINTS, frames), ""))
    motion = mk.load_motion(path)
    assert [s.joint.kind for s in motion.figure.segments] == ["free", "ball", "ball"]
    assert distance(motion, path) < 5e-7


def test_a_scale_that_changes_keeps_positions_and_is_told(tmp_path):
    frames = {k: pose(k, scale=None) for k in (1, 2, 3)}
    for k, frame in frames.items():
        frame[0] = (*frame[0][:2], (0.5 * k, 0.5 * k, 0.5 * k))
    path = simple(tmp_path, animation("Walk", JOINTS, frames))
    with pytest.warns(OddFile, match="scales change over time .*: Hip; sliders keep the positions"):
        motion = mk.load_motion(path)
    assert distance(motion, path) < 1e-6
    assert sliding(motion.figure) == ["Knee", "Foot"]
    assert any("scales change" in note for note in motion.figure.source["notes"])


def test_a_scale_that_differs_along_its_axes_keeps_positions(tmp_path):
    rest = (matrix((0, 1, 0), s=(1, 2, 0.5)), *REST[1:])
    frames = scaled((1, 2, 3), (1, 2, 0.5), (1, 1, 1), (1, 1, 1))
    path = written(tmp_path, stage(skeleton("Skel", JOINTS, rest, BOUND) + animation("Walk", JOINTS, frames)))
    with pytest.warns(OddFile, match="a parent has a scale that differs between axes"):
        motion = mk.load_motion(path)
    assert distance(motion, path) < 1e-6
    assert sliding(motion.figure) == ["Foot"]  # the knee hangs on what is stretched, and is not turned by it


def test_a_scale_of_zero_hides_what_is_below_and_is_no_error(tmp_path):
    frames = {1: pose(1), 2: pose(2)}
    frames[2][1] = (*frames[2][1][:2], (0, 0, 0))
    path = simple(tmp_path, animation("Walk", JOINTS, frames))
    with pytest.warns(OddFile, match="scales change"):
        motion = mk.load_motion(path)
    assert distance(motion, path) < 1e-6


def test_rotations_that_are_not_of_length_1_do_what_they_do_in_usd(tmp_path):
    frames = {1: pose(1), 2: pose(2)}
    frames[2][0] = (frames[2][0][0], np.array(frames[2][0][1]) * 0.9995, (1, 1, 1))
    path = simple(tmp_path, animation("Walk", JOINTS, frames))
    with pytest.warns(OddFile, match="do not have length 1: Hip"):
        motion = mk.load_motion(path)
    assert distance(motion, path) < 1e-6


# Several


def two(tmp_path, bound=True):
    """Two skeletons of the same joints, each with an animation of its own."""
    parts = []
    for k, name in enumerate(("One", "Two")):
        rel = f"rel skel:animationSource = </Model/{name}Walk>" if bound else ""
        parts.append(skeleton(name, JOINTS, REST, rel))
        parts.append(animation(f"{name}Walk", JOINTS, {1: pose(10 * k), 2 + k: pose(10 * k + 1)}))
    return written(tmp_path, stage("".join(parts)))


def test_several_skeletons_hang_on_a_fixed_root(tmp_path):
    path = two(tmp_path)
    with pytest.warns(OddFile, match=r"joints with the same name get a number.*: Foot, Hip, Knee"):
        motion = mk.load_motion(path)
    figure = motion.figure
    assert figure.segment_names == ("Roots", "Hip", "Knee", "Foot", "Hip.2", "Knee.2", "Foot.2")
    assert not figure.segments[0].joint.motions
    assert motion.times * 24 == pytest.approx([1, 2, 3])
    assert distance(motion, path) < 5e-7
    assert motion.name == "stage"
    assert figure.source["clips"] == ("stage", "OneWalk", "TwoWalk")


def test_one_of_several_skeletons_is_read_by_name(tmp_path):
    path = two(tmp_path)
    motion = usd.load_motion(path, skeleton="Two")
    assert motion.figure.segment_names == ("Hip", "Knee", "Foot")
    assert motion.name == "TwoWalk"
    assert usd.load_figure(path, skeleton="/Model/Two") == motion.figure
    with pytest.raises(UnknownName, match=r"no skeleton 'Three'.*/Model/One, /Model/Two"):
        usd.load_figure(path, skeleton="Three")


def test_a_skeleton_with_several_roots_gets_a_fixed_one(tmp_path):
    joints = ("Left", "Right", "Right/End")
    frames = {1: pose(1), 2: pose(2)}
    path = written(tmp_path, stage(skeleton("Skel", joints, REST, BOUND) + animation("Walk", joints, frames)))
    motion = mk.load_motion(path)
    assert [(s.name, s.parent) for s in motion.figure.segments] == [
        ("Roots", None),
        ("Left", "Roots"),
        ("Right", "Roots"),
        ("End", "Right"),
    ]
    assert distance(motion, path) < 5e-7


def test_a_clip_is_named_by_its_prim_or_path_and_the_bound_one_is_the_default(tmp_path):
    clips = [animation(name, JOINTS, {1: pose(k), 2: pose(k + 5)}) for k, name in enumerate(("Walk", "Run"))]
    path = written(tmp_path, stage(skeleton("Skel", JOINTS, REST, BOUND) + "".join(clips)))
    assert mk.load_figure(path).source["clips"] == ("Walk", "Run")
    assert mk.load_motion(path).name == "Walk"
    run = mk.load_motion(path, clip="Run")
    assert run.name == "Run"
    assert (mk.load_motion(path, clip="/Model/Run").poses == run.poses).all()
    assert not np.allclose(run.poses, mk.load_motion(path).poses)
    assert run.figure == mk.load_figure(path)
    with pytest.raises(UnknownName, match="no clip 'Rum'; did you mean 'Run'"):
        mk.load_motion(path, clip="Rum")


def test_an_animation_that_nothing_is_bound_to_is_taken_where_it_is_the_only_one(tmp_path):
    walk = animation("Walk", JOINTS, {1: pose(1), 2: pose(2)})
    path = written(tmp_path, stage(skeleton("Skel", JOINTS, REST) + walk))
    with pytest.warns(OddFile, match="Walk is the only one that fits"):
        assert len(mk.load_motion(path)) == 2
    path = written(tmp_path, stage(skeleton("Skel", JOINTS, REST) + walk + walk.replace("Walk", "Run")))
    with pytest.raises(BadValue, match=r"2 clips.*choose one with clip=: Walk, Run"):
        mk.load_motion(path)
    assert mk.load_motion(path, clip="Run").name == "Run"


def test_a_stage_without_animation_has_a_figure_and_no_motion(tmp_path):
    path = written(tmp_path, stage(skeleton("Skel", JOINTS, REST)))
    assert len(mk.load_figure(path).segments) == 3
    with pytest.raises(NoMotion, match="no animation"):
        mk.load_motion(path)


# What files leave out, or say oddly


def test_joint_names_of_the_file_are_used_where_there_is_one_for_each(tmp_path):
    names = 'uniform token[] jointNames = ["my hip", "my.knee", "Foot:L"]'
    path = written(tmp_path, stage(skeleton("Skel", JOINTS, REST, names)))
    assert mk.load_figure(path).segment_names == ("my hip", "my.knee", "Foot:L")
    path = written(tmp_path, stage(skeleton("Skel", JOINTS, REST, 'uniform token[] jointNames = ["a", "b"]')))
    with pytest.warns(OddFile, match="jointNames does not have one name for each"):
        assert mk.load_figure(path).segment_names == ("Hip", "Knee", "Foot")


def test_a_skeleton_without_rest_rests_as_it_was_bound(tmp_path):
    whole = mk.load_figure(simple(tmp_path))
    bind = whole.placements(whole.rest)
    matrices = ", ".join(str(tuple(tuple(row) for row in m.T.tolist())) for m in bind)
    text = stage(skeleton("Skel", JOINTS, REST).replace("restTransforms = [", "bindTransforms = [ #"))
    start = text.index("bindTransforms = [")
    text = text[:start] + f"bindTransforms = [{matrices}]" + text[text.index("\n", start) :]
    with pytest.warns(OddFile, match="no restTransforms.*the bind pose is used as the rest pose"):
        figure = mk.load_figure(written(tmp_path, text, "b.usda"))
    assert figure.placements(figure.rest) == pytest.approx(bind, abs=1e-12)


def test_a_skeleton_without_any_pose_rests_as_its_animation_begins(tmp_path):
    walk = animation("Walk", JOINTS, {1: pose(1), 2: pose(2)})
    text = stage(skeleton("Skel", JOINTS, REST, BOUND) + walk)
    start = text.index("uniform matrix4d[]")
    text = text[:start] + text[text.index("\n", start) :]
    with pytest.warns(OddFile, match="no rest pose; the first frame"):
        motion = mk.load_motion(written(tmp_path, text))
    names = motion.figure.segment_names
    assert motion.placements(names)[0] == pytest.approx(motion.figure.placements(motion.figure.rest), abs=1e-7)
    without = text.replace(BOUND, "").replace("SkelAnimation", "Scope")
    with pytest.raises(BadFile, match="neither restTransforms nor bindTransforms"):
        mk.load_figure(written(tmp_path, without))


def test_joints_in_any_order_hang_together_by_their_paths(tmp_path):
    order = (2, 0, 1)
    joints, rest = [JOINTS[i] for i in order], [REST[i] for i in order]
    with pytest.warns(OddFile, match="comes before its parent"):
        figure = mk.load_figure(written(tmp_path, stage(skeleton("Skel", joints, rest))))
    assert figure == mk.load_figure(written(tmp_path, stage(skeleton("Skel", JOINTS, REST))))


def test_a_joint_hangs_on_the_nearest_joint_above_it(tmp_path):
    joints = ("Hip", "Hip/gap/Knee", "Hip/gap/Knee/x/y/Foot")
    figure = mk.load_figure(written(tmp_path, stage(skeleton("Skel", joints, REST))))
    assert [s.parent for s in figure.segments] == [None, "Hip", "Knee"]


def test_names_that_are_no_paths_still_hang_together(tmp_path):
    joints = ("rig:Hip", "rig:Hip/rig:Knee", "rig:Hip/rig:Knee/Foot.L")
    with pytest.warns(OddFile, match="not valid USD paths"):
        figure = mk.load_figure(written(tmp_path, stage(skeleton("Skel", joints, REST))))
    assert figure.segment_names == ("rig:Hip", "rig:Knee", "Foot.L")
    assert [s.parent for s in figure.segments] == [None, "rig:Hip", "rig:Knee"]


def test_an_animation_without_scales_is_told_and_left_out_as_in_usd(tmp_path):
    walk = animation("Walk", JOINTS, {1: pose(1), 2: pose(2)}).replace("scales", "other")
    path = simple(tmp_path, walk)
    with pytest.warns(OddFile, match="Walk has no scales; UsdSkel ignores it"):
        mk.load_figure(path)
    with pytest.raises(NoMotion):
        mk.load_motion(path)


def test_a_binding_without_its_schema_is_followed_and_told(tmp_path):
    walk = animation("Walk", JOINTS, {1: pose(1), 2: pose(2)})
    text = stage(skeleton("Skel", JOINTS, REST, BOUND) + walk).replace('(prepend apiSchemas = ["SkelBindingAPI"])', "")
    with pytest.warns(OddFile, match="SkelBindingAPI is not applied"):
        assert len(mk.load_motion(written(tmp_path, text))) == 2


def test_layers_that_refer_to_each_other_in_one_folder_are_read_together(tmp_path):
    walk = animation("Walk", JOINTS, {1: pose(1), 2: pose(2)})
    written(tmp_path, stage(skeleton("Skel", JOINTS, REST, BOUND) + walk, head="timeCodesPerSecond = 12"), "rig.usda")
    shot = "#usda 1.0\n(\n timeCodesPerSecond = 24\n)\n" + 'def "Shot" (references = @./rig.usda@) { }\n'
    path = written(tmp_path, shot, "shot.usda")
    motion = mk.load_motion(path)
    assert motion.times == pytest.approx([1 / 12, 2 / 12])
    assert motion.figure.source["skeletons"][0][0] == "/Shot/Skel"
    assert distance(motion, path) < 5e-7


def test_a_skeleton_in_an_instance_is_found(tmp_path):
    walk = animation("Walk", JOINTS, {1: pose(1), 2: pose(2)})
    written(tmp_path, stage(skeleton("Skel", JOINTS, REST, BOUND) + walk), "rig.usda")
    shot = "#usda 1.0\n" + 'def "Shot" (references = @./rig.usda@\n instanceable = true) { }\n'
    path = written(tmp_path, shot, "shot.usda")
    motion = mk.load_motion(path)
    assert distance(motion, path) < 5e-7


def test_a_file_that_is_not_there_is_told_and_left_out(tmp_path):
    text = simple(tmp_path).read_text() + 'def "Prop" (references = @./gone.usda@) { }\n'
    with pytest.warns(OddFile, match=r"do not exist and are left out: \./gone\.usda"):
        assert len(mk.load_motion(written(tmp_path, text))) == 3


def test_nothing_is_printed_and_no_warning_told_twice(tmp_path, capfd):
    joints = ("rig:Hip", "rig:Hip/rig:Knee", "rig:Hip/rig:Knee/Foot.L")
    path = written(tmp_path, stage(skeleton("Skel", joints, REST)))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        mk.load_figure(path)
    assert len(told) == 1
    assert capfd.readouterr() == ("", "")
