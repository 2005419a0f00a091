"""Figures and motions as new stages, and motions put into the user's own."""

from __future__ import annotations

import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("pxr", reason="usd-core is not installed")

from pxr import Sdf, Usd, UsdGeom, UsdSkel
from usd_truth import animation, distance, matrix, skeleton, stage, world

import manikin as mk
from manikin import rotations
from manikin.errors import BadValue, OddFile, Unsupported
from manikin.figure.random_figure import random_figure

JOINTS = ("Hip", "Hip/Knee", "Hip/Knee/Foot")
REST = (matrix((0, 1, 0)), matrix((0, -0.5, 0.1), (0.9, 0.1, 0, 0.2)), matrix((0, -0.5, 0)))
PLACES = ((0, 1, 0), (0, -0.5, 0.1), (0, -0.5, 0))
BOUND = "rel skel:animationSource = </Model/Walk>"


def frame(seed, scales=((1, 1, 1),) * 3):
    q = rotations.normalized(np.random.default_rng(seed).normal(size=(3, 4))).astype(np.float32)
    return list(zip(PLACES, q, scales, strict=True))


def small(folder, text=None, name="small.usda"):
    path = folder / name
    if text is None:
        walk = animation("Walk", JOINTS, {1: frame(1), 2: frame(2), 4: frame(3)})
        text = stage(skeleton("Skel", JOINTS, REST, BOUND) + walk)
    path.write_text(text)
    return path


def bent(motion, name, frames=slice(None), angle=0.7):
    """The motion with one joint turned on in some frames."""
    poses = np.array(motion.poses)
    at = motion.figure.index_of(name) + motion.figure.segment(name).joint.nq - 4
    turn = rotations.from_axis_angle((0.6, 0.0, 0.8), angle)
    poses[frames, at : at + 4] = rotations.multiply(poses[frames, at : at + 4], turn)
    return motion.replaced(poses=poses)


# New stages


@settings(max_examples=25)
@given(seed=st.integers(0, 10_000), up=st.sampled_from("xyz"), unit=st.sampled_from([None, 1.0, 0.01]))
def test_any_figure_and_motion_goes_out_and_comes_back(seed, up, unit, tmp_path_factory):
    rng = np.random.default_rng(seed)
    figure = random_figure(rng).replaced(up=up, unit=unit)
    motion = mk.Motion(figure, figure.random(rng, 4), rate=30, name="a clip, 50 %")
    path = tmp_path_factory.mktemp("usd") / f"any{rng.choice(['.usda', '.usdc'])}"
    mk.save(motion, path)
    back = mk.load_motion(path)
    assert back.figure.segment_names == figure.segment_names
    assert [s.parent for s in back.figure.segments] == [s.parent for s in figure.segments]
    assert back.figure.unit == unit
    assert back.figure.up == ("y" if up == "x" else up)
    assert np.allclose(back.times, motion.times, atol=1e-9)
    turn = np.eye(3) if up != "x" else rotations.axis_matrix("z", np.pi / 2)
    for a, b in (
        (motion.placements(), back.placements()),
        (figure.placements(figure.rest), back.figure.placements(back.figure.rest)),
    ):
        scale = max(1.0, figure.size, np.abs(a[..., :3, 3]).max())
        assert np.abs(a[..., :3, 3] @ turn.T - b[..., :3, 3]).max() < 1e-6 * scale
        assert np.abs(turn @ a[..., :3, :3] - b[..., :3, :3]).max() < 2e-6


def test_a_new_stage_is_what_other_programs_expect(tmp_path):
    figure = mk.human()
    motion = mk.Motion(figure, [figure.rest, figure.random(np.random.default_rng(0))], rate=25, name="Wave")
    mk.save(motion, tmp_path / "human.usda")
    opened = Usd.Stage.Open(str(tmp_path / "human.usda"))
    root = opened.GetDefaultPrim()
    assert root.IsA(UsdSkel.Root)
    skeletons = [p for p in opened.Traverse() if p.IsA(UsdSkel.Skeleton)]
    assert [s.GetParent() for s in skeletons] == [root]
    query = UsdSkel.Cache().GetSkelQuery(UsdSkel.Skeleton(skeletons[0]))
    assert query.GetTopology().Validate()[0]
    assert query.HasRestPose()
    assert query.HasBindPose()
    assert str(UsdSkel.BindingAPI(skeletons[0]).GetAnimationSource().GetPath()).endswith("/Wave")
    assert (opened.GetStartTimeCode(), opened.GetEndTimeCode(), opened.GetTimeCodesPerSecond()) == (0, 1, 25)
    assert UsdGeom.GetStageMetersPerUnit(opened) == 1.0
    assert UsdGeom.StageHasAuthoredMetersPerUnit(opened)
    joints = world(tmp_path / "human.usda", [0, 1])[str(skeletons[0].GetPath())]
    assert np.abs(joints[..., :3, 3] - motion.placements()[..., :3, 3]).max() < 1e-6 * figure.size


def test_a_figure_alone_is_a_skeleton_without_animation(tmp_path):
    mk.save(mk.human(), tmp_path / "human.usdc")
    back = mk.load_figure(tmp_path / "human.usdc")
    assert back.segment_names == mk.human().segment_names
    assert back.source["clips"] == ()
    assert (tmp_path / "human.usdc").read_bytes().startswith(b"PXR-USDC")


def test_the_ending_says_text_or_binary(tmp_path):
    for ending, start in ((".usda", b"#usda"), (".usdc", b"PXR-USDC"), (".usd", b"PXR-USDC")):
        mk.save(mk.chain(2), tmp_path / f"a{ending}")
        assert (tmp_path / f"a{ending}").read_bytes().startswith(start)
    with pytest.raises(Unsupported, match="USDZ is not one of them"):
        mk.save(mk.chain(2), tmp_path / "a.usdz")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.usd", "a.usda", "a.usdc"]


def test_times_that_are_unevenly_spaced_stay_as_they_are(tmp_path):
    arm = mk.chain(2)
    times = [0.5, 0.6, 1.75]
    mk.save(mk.Motion(arm, [arm.rest] * 3, times), tmp_path / "a.usda")
    assert mk.load_motion(tmp_path / "a.usda").times == pytest.approx(times, abs=1e-9)


def test_one_pose_has_one_time(tmp_path):
    arm = mk.chain(2)
    mk.save(mk.Motion(arm, arm.rest), tmp_path / "a.usda")
    assert len(mk.load_motion(tmp_path / "a.usda")) == 1


def test_a_number_that_32_bits_cannot_hold_is_told(tmp_path):
    slider = mk.Figure("far", [mk.Segment("A", joint=mk.Slider()), mk.Segment("B", "A", offset=(1, 0, 0))])
    with pytest.raises(BadValue, match="1e\\+39"):
        mk.save(mk.Motion(slider, [[0.0], [1e39]]), tmp_path / "a.usda")
    assert not list(tmp_path.iterdir())


def test_what_is_read_is_the_file_even_where_an_older_state_of_it_is_open_in_the_process(tmp_path):
    arm = mk.chain(2)
    mk.save(mk.Motion(arm, [arm.rest] * 3, rate=24), tmp_path / "a.usda")
    opened = Usd.Stage.Open(str(tmp_path / "a.usda"))
    mk.save(mk.Motion(arm, [arm.rest] * 5, rate=24), tmp_path / "a.usda")
    assert len(mk.load_motion(tmp_path / "a.usda")) == 5
    # Edits that are not saved are the user's, and stay.
    opened.SetStartTimeCode(-3)
    assert len(mk.load_motion(tmp_path / "a.usda")) == 5
    assert opened.GetStartTimeCode() == -3


# Into the user's own stage


def test_an_edit_changes_its_joint_at_its_frames_and_nothing_else(tmp_path):
    path = small(tmp_path)
    edited = bent(mk.load_motion(path), "Knee", [1])
    mk.save(edited, tmp_path / "out.usda", like=path)
    before, after = (Sdf.Layer.FindOrOpen(str(p)) for p in (path, tmp_path / "out.usda"))
    walk = "/Model/Walk"
    for part in ("translations", "scales"):
        for code in (1.0, 2.0, 4.0):
            assert after.QueryTimeSample(f"{walk}.{part}", code) == before.QueryTimeSample(f"{walk}.{part}", code)
    for code in (1.0, 2.0, 4.0):
        old, new = (list(x.QueryTimeSample(f"{walk}.rotations", code)) for x in (before, after))
        assert [a == b for a, b in zip(old, new, strict=True)] == [True, code != 2.0, True]
    assert "".join(path.read_text().split()).count("restTransforms") == 1
    back = mk.load_motion(tmp_path / "out.usda")
    assert np.abs(back.placements() - edited.placements()).max() < 1e-6


def test_frames_may_come_and_go(tmp_path):
    path = small(tmp_path)
    motion = mk.load_motion(path)
    longer = motion.resampled(48)
    mk.save(longer, tmp_path / "out.usda", like=path)
    back = mk.load_motion(tmp_path / "out.usda")
    assert back.times == pytest.approx(longer.times)
    assert np.abs(back.placements() - longer.placements()).max() < 1e-6
    opened = Usd.Stage.Open(str(tmp_path / "out.usda"))
    assert opened.GetEndTimeCode() >= longer.times[-1] * 24
    mk.save(motion[1:2], tmp_path / "out.usda", like=path)
    assert mk.load_motion(tmp_path / "out.usda").times * 24 == pytest.approx([2])


def test_joints_that_the_animation_did_not_drive_are_added_when_they_move(tmp_path):
    walk = animation("Walk", JOINTS[1:2], {1: frame(1)[1:2], 2: frame(2)[1:2]})
    path = small(tmp_path, stage(skeleton("Skel", JOINTS, REST, BOUND) + walk))
    motion = mk.load_motion(path)
    mk.save(bent(motion, "Knee"), tmp_path / "out.usda", like=path)
    opened = Usd.Stage.Open(str(tmp_path / "out.usda"))
    assert list(opened.GetPrimAtPath("/Model/Walk").GetAttribute("joints").Get()) == ["Hip/Knee"]
    del opened
    edited = bent(motion, "Foot")
    mk.save(edited, tmp_path / "out.usda", like=path)
    opened = Usd.Stage.Open(str(tmp_path / "out.usda"))
    assert list(opened.GetPrimAtPath("/Model/Walk").GetAttribute("joints").Get()) == ["Hip/Knee", "Hip/Knee/Foot"]
    assert np.abs(mk.load_motion(tmp_path / "out.usda").placements() - edited.placements()).max() < 1e-6


def test_a_stage_without_animation_gets_one(tmp_path):
    path = small(
        tmp_path, stage(skeleton("Skel", JOINTS, REST)).replace('(prepend apiSchemas = ["SkelBindingAPI"])', "")
    )
    figure = mk.load_figure(path)
    poses = [figure.rest, figure.random(np.random.default_rng(1))]
    motion = mk.Motion(figure, poses, rate=24, name="Skel wave")
    mk.save(motion, tmp_path / "out.usdc", like=path)
    back = mk.load_motion(tmp_path / "out.usdc")
    assert back.name == "Skel_wave"
    assert np.abs(back.placements() - motion.placements()).max() < 1e-6
    assert distance(back, tmp_path / "out.usdc") < 1e-6


def test_another_clip_than_the_bound_one_is_edited_in_its_own_place(tmp_path):
    clips = [animation(n, JOINTS, {1: frame(k), 2: frame(k + 3)}) for k, n in enumerate(("Walk", "Run"))]
    path = small(tmp_path, stage(skeleton("Skel", JOINTS, REST, BOUND) + "".join(clips)))
    run = bent(mk.load_motion(path, clip="Run"), "Foot")
    mk.save(run, tmp_path / "out.usda", like=path)
    assert np.abs(mk.load_motion(tmp_path / "out.usda", clip="Run").poses - run.poses).max() < 1e-6
    assert (mk.load_motion(tmp_path / "out.usda").poses == mk.load_motion(path).poses).all()


@pytest.mark.parametrize("scales", [((2, 2, 2), (0.5, 0.5, 0.5), (1, 1, 1)), ((1, 2, 0.5), (1, 1, 1), (3, 1, 1))])
def test_scales_of_the_stage_are_reckoned_with_and_stay(scales, tmp_path):
    ops = """double3 xformOp:translate.timeSamples = { 1: (1, 2, 3), 5: (4, 0, 3) }
    float3 xformOp:scale = (10, 10, 10)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:scale"]"""
    rest = [matrix(t, s=s) for t, s in zip(PLACES, scales, strict=True)]
    walk = animation("Walk", JOINTS, {1: frame(1, scales), 2: frame(2, scales), 5: frame(3, scales)})
    path = small(tmp_path, stage(skeleton("Skel", JOINTS, rest, BOUND) + walk, above=ops))
    with pytest.warns(OddFile) if scales[0] == (1, 2, 0.5) else open(os.devnull):
        motion = mk.load_motion(path)
    edited = bent(bent(motion, "Hip", angle=0.4), "Foot")
    mk.save(edited, tmp_path / "out.usda", like=path)
    stage_after = Usd.Stage.Open(str(tmp_path / "out.usda"))
    assert np.allclose(np.array(stage_after.GetPrimAtPath("/Model/Walk").GetAttribute("scales").Get(2)), scales)
    # The stage puts joints where the figure has them.
    joints = world(tmp_path / "out.usda", [1, 2, 5])["/Model/Skel"]
    assert np.abs(joints[..., :3, 3] - edited.placements()[..., :3, 3]).max() < 2e-6 * motion.figure.size


def test_layers_that_the_stage_refers_to_are_kept_or_put_into_one(tmp_path):
    rig = small(tmp_path, name="rig.usda")
    shot = tmp_path / "shot.usda"
    shot.write_text('#usda 1.0\n(\n defaultPrim = "Shot"\n)\n' + 'def "Shot" (references = @./rig.usda@) { }\n')
    edited = bent(mk.load_motion(shot), "Knee")
    mk.save(edited, tmp_path / "beside.usda", like=shot)
    assert "rig.usda" in (tmp_path / "beside.usda").read_text()
    assert "restTransforms" not in (tmp_path / "beside.usda").read_text()
    (tmp_path / "far").mkdir()
    with pytest.warns(OddFile, match=r"shot.usda consists of several files \(./rig.usda\)"):
        mk.save(edited, tmp_path / "far" / "whole.usda", like=shot)
    assert "restTransforms" in (tmp_path / "far" / "whole.usda").read_text()
    for name in ("beside.usda", "far/whole.usda"):
        assert np.abs(mk.load_motion(tmp_path / name).placements() - edited.placements()).max() < 1e-6
    assert rig.read_text().count("SkelAnimation") == 1


def test_an_instance_is_given_a_motion_of_its_own(tmp_path):
    small(tmp_path, name="rig.usda")
    shot = tmp_path / "shot.usda"
    shot.write_text("#usda 1.0\n" + 'def "Shot" (references = @./rig.usda@</Model>\n instanceable = true) { }\n')
    edited = bent(mk.load_motion(shot), "Knee")
    mk.save(edited, tmp_path / "out.usda", like=shot)
    assert np.abs(mk.load_motion(tmp_path / "out.usda").placements() - edited.placements()).max() < 1e-6


def test_a_stage_may_be_replaced_by_itself_with_the_motion_in_it(tmp_path):
    path = small(tmp_path)
    edited = bent(mk.load_motion(path), "Knee")
    mk.save(edited, path, like=path)
    assert np.abs(mk.load_motion(path).placements() - edited.placements()).max() < 1e-6


def test_like_may_be_what_was_read_from_the_file(tmp_path):
    path = small(tmp_path)
    motion = mk.load_motion(path)
    for like in (motion, motion.figure):
        mk.save(motion, tmp_path / "out.usda", like=like)
        assert (mk.load_motion(tmp_path / "out.usda").poses == motion.poses).all()
    with pytest.raises(BadValue, match="was not read from a USD file"):
        mk.save(motion, tmp_path / "out.usda", like=mk.human())


def test_a_motion_of_another_figure_is_refused_by_name(tmp_path):
    path = small(tmp_path)
    motion = mk.load_motion(path)
    arm = mk.chain(3)
    with pytest.raises(BadValue, match="segment 'Foot' is only in the file"):
        mk.save(mk.Motion(arm, arm.rest), tmp_path / "out.usda", like=path)
    bigger = motion.figure.scaled(2.0)
    with pytest.raises(BadValue, match=r"a different place in the rest pose.*like="):
        mk.save(mk.Motion(bigger, bigger.rest), tmp_path / "out.usda", like=path)
    hung = [s if s.name != "Foot" else s.replaced(parent="Hip") for s in motion.figure.segments]
    other = motion.figure.replaced(segments=hung)
    with pytest.raises(BadValue, match=r"'Foot' is a child of 'Hip'.* 'Knee'"):
        mk.save(mk.Motion(other, other.rest), tmp_path / "out.usda", like=path)
    assert not (tmp_path / "out.usda").exists()


def test_several_skeletons_are_written_each_to_its_own_animation(tmp_path):
    parts = []
    for k, name in enumerate(("One", "Two")):
        parts.append(skeleton(name, JOINTS, REST, f"rel skel:animationSource = </Model/{name}Walk>"))
        parts.append(animation(f"{name}Walk", JOINTS, {1: frame(10 * k), 2 + k: frame(10 * k + 1)}))
    path = small(tmp_path, stage("".join(parts)))
    with pytest.warns(OddFile, match="with the same name"):
        motion = mk.load_motion(path)
    edited = bent(motion, "Knee.2")
    mk.save(edited, tmp_path / "out.usda", like=path)
    with pytest.warns(OddFile, match="with the same name"):
        back = mk.load_motion(tmp_path / "out.usda")
    assert np.abs(back.placements() - edited.placements()).max() < 1e-6
    one = mk.load_motion(path, skeleton="/Model/Two", clip="TwoWalk")
    mk.save(bent(one, "Foot"), tmp_path / "two.usda", like=path)
    again = mk.load_motion(tmp_path / "two.usda", skeleton="/Model/Two", clip="TwoWalk")
    assert np.abs(again.placements() - bent(one, "Foot").placements()).max() < 1e-6


STILL = """#usda 1.0
(
    defaultPrim = "Model"
)
def SkelRoot "Model"
{
    def Skeleton "Skel" (prepend apiSchemas = ["SkelBindingAPI"])
    {
        uniform token[] joints = ["Hip", "Hip/Knee"]
        uniform matrix4d[] bindTransforms = [((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,1,0,1)), ((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,.5,0,1))]
        uniform matrix4d[] restTransforms = [((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,1,0,1)), ((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,-.5,0,1))]
        PLAYED
    }
    ANIMATION
}
"""  # noqa: E501
BENT = """def SkelAnimation "Bent"
    {
        uniform token[] joints = ["Hip", "Hip/Knee"]
        float3[] translations = [(0, 1, 0), (0, -0.5, 0)]
        quatf[] rotations = [(1, 0, 0, 0), (0.8, 0.6, 0, 0)]
        half3[] scales = [(1, 1, 1), (1, 1, 1)]
    }"""


@pytest.mark.parametrize("animated", [False, True])
def test_a_motion_at_rest_is_written_with_its_frames_like_another(animated, tmp_path):
    played, animation = ("rel skel:animationSource = </Model/Bent>", BENT) if animated else ("", "")
    path, out = tmp_path / "still.usda", tmp_path / "out.usda"
    path.write_text(STILL.replace("PLAYED", played).replace("ANIMATION", animation))
    figure = mk.load_figure(path)
    for pose in (mk.load_motion(path)[0] if animated else figure.rest, figure.rest):  # as in the file, and at rest
        motion = mk.Motion(figure, np.tile(pose, (5, 1)), np.arange(5) / 10, name="wait")
        mk.save(motion, out, like=path)
        again = mk.load_motion(out)
        np.testing.assert_allclose(again.times, motion.times, atol=1e-9)
        np.testing.assert_allclose(again.figure.placements(again.poses), figure.placements(motion.poses), atol=1e-6)


def test_a_name_that_is_not_utf_8_is_written(tmp_path):
    """A file name with other bytes becomes the name of its motion."""
    motion = mk.Motion(mk.human(), np.stack([mk.human().rest] * 2), [0.0, 0.1], "walk\udcff")
    mk.save(motion, tmp_path / "a.usda")
    assert mk.load_motion(tmp_path / "a.usda").name == "walk_"
