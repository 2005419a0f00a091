"""Writing BVH: what came from a file in its own words, anything else converted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from checks import assert_close
from hypothesis import given
from strategies import random_figure, random_poses, rngs

from manikin import rotations
from manikin.errors import BadValue, OddFile
from manikin.figure import Ball, Capsule, Coupling, Euler, Figure, Free, Hinge, Joint, Segment, Slider, chain
from manikin.files import bvh
from manikin.files.bvh.convert import clean_name
from manikin.files.common.up_axis import TO_Y_UP
from manikin.motion import Motion

ODD = """HIERARCHY
ROOT  Left Hip
{
\tOFFSET 1.50 0 -0
\tCHANNELS 6 Zrotation Xposition Xrotation Yposition Yrotation Zposition
\tJOINT Knee
\t{
\t\tOFFSET\t0 -4.000 0
\t\tCHANNELS 3 Xrotation Yrotation Zrotation
\t}
}
MOTION
Frames:   4
Frame Time: 0.0416670
 10.00 1 20 2.50 30 -0.0\t1e1 0.20 0.3
 11.00 1 21 2.50 31 -0.0\t11.0 0.20 0.3
 12.00 1 22 2.50 32 -0.0\t12. 0.20 0.3
 13.00 1 23 2.50 33 -0.0\t13 0.20 0.3

"""
"""Channels mixed, numbers in all spellings."""


@pytest.fixture
def odd(tmp_path: Path) -> Motion:
    path = tmp_path / "odd.bvh"
    path.write_text(ODD)
    return bvh.load_motion(path)


def written(thing: Figure | Motion, tmp_path: Path, **options: object) -> str:
    bvh.save(thing, tmp_path / "out.bvh", **options)  # type: ignore[arg-type]
    return (tmp_path / "out.bvh").read_bytes().decode()


def frames_of(text: str) -> list[list[str]]:
    lines = text[text.index("Frame Time") :].splitlines()[1:]
    return [line.split() for line in lines if line.strip()]


# In its own words


def test_an_unedited_motion_is_the_same_file(odd: Motion, tmp_path: Path) -> None:
    assert written(odd, tmp_path) == ODD


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_line_ends_stay_or_become_ordinary_ones(tmp_path: Path, end: str) -> None:
    path = tmp_path / "other.bvh"
    path.write_bytes(ODD.replace("\n", end).encode())
    motion = bvh.load_motion(path)
    kept = ODD.replace("\n", "\r\n") if end == "\r\n" else ODD
    assert written(motion, tmp_path) == kept
    edited = np.array(motion.poses)
    edited[1, 6] += 0.5
    text = written(motion.replaced(poses=edited), tmp_path)
    assert text.count("\r\n") == (text.count("\n") if end == "\r\n" else 0)


def test_an_edit_changes_that_number_and_no_other_text(odd: Motion, tmp_path: Path) -> None:
    poses = np.array(odd.poses)
    column = odd.figure.number_names.index("Knee.y")
    poses[2, column] = np.radians(5.25)
    before, after = frames_of(ODD), frames_of(written(odd.replaced(poses=poses), tmp_path))
    expected = [list(row) for row in before]
    expected[2][7] = "5.25000000"
    assert after == expected
    text = written(odd.replaced(poses=poses), tmp_path)
    assert text[: text.index(" 10.00")] == ODD[: ODD.index(" 10.00")]
    again = bvh.load_motion(tmp_path / "out.bvh")
    assert_close(again.poses, poses, tol=1e-10)


def test_an_edited_position_keeps_the_rotation_of_its_joint(odd: Motion, tmp_path: Path) -> None:
    poses = np.array(odd.poses)
    poses[1, odd.figure.number_names.index("Left Hip.ty")] = -7.0
    rows = frames_of(written(odd.replaced(poses=poses), tmp_path))
    assert [float(x) for x in rows[1]] == [11, 1, 21, -7, 31, 0, 11, 0.2, 0.3]
    assert rows[1][:3] == ["11.00", "1", "21"]


def test_an_edit_on_another_branch_comes_back_to_that_of_its_neighbours(odd: Motion, tmp_path: Path) -> None:
    """The solver may return a knee as (x + 180°, 180° − y, z + 180°), or a turn further: the same rotation."""
    poses = np.array(odd.poses)
    wild = np.radians([12.5 + 180.0, 180.0 - 0.25, 0.35 - 180.0 + 720.0])
    poses[2, 6:9] = wild
    rows = frames_of(written(odd.replaced(poses=poses), tmp_path))
    assert_close([float(x) for x in rows[2][6:]], [12.5, 0.25, 0.35], tol=1e-7)
    assert rows[1] == frames_of(ODD)[1]
    assert rows[3] == frames_of(ODD)[3]
    assert rows[2][:6] == frames_of(ODD)[2][:6]


def test_a_part_of_a_motion_keeps_its_text(odd: Motion, tmp_path: Path) -> None:
    text = written(odd[1:3], tmp_path)
    assert frames_of(text) == frames_of(ODD)[1:3]
    assert "Frames: 2\nFrame Time: 0.0416670\n" in text
    text = written(odd[::2], tmp_path)
    assert frames_of(text) == frames_of(ODD)[::2]
    assert "Frame Time: 0.083334\n" in text


def test_limits_and_unit_do_not_change_the_file(odd: Motion, tmp_path: Path) -> None:
    knee = odd.figure.segment("Knee")
    limited = knee.replaced(joint=Joint("Knee", (Euler("XYZ", ((-2, 2),) * 3),), offset=knee.joint.offset))
    figure = odd.figure.replaced(segments=[odd.figure.segments[0], limited], unit=0.01)
    assert written(odd.replaced(figure=figure), tmp_path) == ODD


def test_another_figure_is_not_written_in_the_words_of_the_old(odd: Motion, tmp_path: Path) -> None:
    knee = odd.figure.segment("Knee")
    longer = knee.replaced(joint=Joint("Knee", knee.joint.motions, offset=(0, -5, 0)))
    motion = odd.replaced(figure=odd.figure.replaced(segments=[odd.figure.segments[0], longer]))
    bvh.save(motion, tmp_path / "out.bvh")
    again = bvh.load_motion(tmp_path / "out.bvh")
    names = ["Left Hip", "Knee"]
    assert_close(again.placements(names)[..., :3, 3], motion.placements(names)[..., :3, 3], scale=10, tol=1e-8)


def test_frames_that_share_lines_are_put_one_a_line(tmp_path: Path) -> None:
    path = tmp_path / "wrapped.bvh"
    rows = [" ".join(r) for r in frames_of(ODD)]
    head = ODD[: ODD.index(" 10.00")]
    path.write_text(head + rows[0].replace(" 20", "\n20") + "\n" + rows[1] + " " + rows[2] + "\n" + rows[3])
    motion = bvh.load_motion(path)
    assert written(motion, tmp_path) == head + "\n".join(rows) + "\n"


def test_a_new_motion_of_a_figure_from_a_file_has_its_head(odd: Motion, tmp_path: Path) -> None:
    motion = Motion(odd.figure, odd.poses[:2] + 0.25, rate=50)
    text = written(motion, tmp_path)
    assert text.startswith(ODD[: ODD.index("MOTION")])
    assert "Frames: 2\nFrame Time: 0.02\n" in text
    assert_close(bvh.load_motion(tmp_path / "out.bvh").poses, motion.poses, tol=1e-10)


@pytest.mark.parametrize("kind", ["path", "figure", "motion"])
def test_like_names_the_words_to_keep(odd: Motion, tmp_path: Path, kind: str) -> None:
    bare = Motion(odd.figure.replaced(source={}), odd.poses, odd.times)
    like = {"path": tmp_path / "odd.bvh", "figure": odd.figure, "motion": odd}[kind]
    text = written(bare, tmp_path, like=like)
    if kind == "figure":  # which knows the head only
        assert text.startswith(ODD[: ODD.index("MOTION")])
        assert_close(np.array(frames_of(text), dtype=float), np.array(frames_of(ODD), dtype=float), tol=1e-7)
    else:
        assert text == ODD


@pytest.mark.parametrize("kind", ["path", "motion"])
def test_a_motion_shorter_than_the_file_it_is_like(odd: Motion, tmp_path: Path, kind: str) -> None:
    like = tmp_path / "odd.bvh" if kind == "path" else odd
    lines = frames_of(ODD)
    fresh = Motion(odd.figure, odd.poses[:2], rate=24)  # does not know where it came from
    assert frames_of(written(fresh, tmp_path, like=like)) == lines[:2]
    assert frames_of(written(odd[1:3], tmp_path, like=like)) == lines[1:3]
    assert len(frames_of(written(odd.figure, tmp_path, like=like))) == 1
    longer = Motion(odd.figure, np.concatenate([odd.poses, odd.poses]), rate=24)
    assert frames_of(written(longer, tmp_path, like=like))[:4] == lines


def test_like_another_figure_is_refused(odd: Motion, tmp_path: Path) -> None:
    with pytest.raises(BadValue, match="it has 3 segments, the file has 2"):
        bvh.save(chain(2), tmp_path / "out.bvh", like=tmp_path / "odd.bvh")
    with pytest.raises(BadValue, match=r"'A' as a child of None.* 'Left Hip'"):
        bvh.save(Figure("two", [Segment("A"), Segment("Knee", "A")]), tmp_path / "out.bvh", like=odd)
    with pytest.raises(BadValue, match="was not read from a BVH file"):
        bvh.save(odd, tmp_path / "out.bvh", like=chain(2))
    assert not (tmp_path / "out.bvh").exists()


def test_more_frames_than_the_file_had_are_added_behind(odd: Motion, tmp_path: Path) -> None:
    motion = Motion(odd.figure, np.concatenate([odd.poses, odd.poses[-1:] + 0.1]), rate=24)
    rows = frames_of(written(motion, tmp_path, like=odd))
    assert rows[:4] == frames_of(ODD)
    assert_close([float(x) for x in rows[4]][6:], np.degrees(motion.poses[4, 6:]), tol=1e-7)


def test_several_roots_are_written_as_they_were(tmp_path: Path) -> None:
    roots = "".join(f"ROOT {n}\n{{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n}}\n" for n in "AB")
    text = f"HIERARCHY\n{roots}MOTION\nFrames: 1\nFrame Time: 1\n1.0 2.0\n"
    path = tmp_path / "roots.bvh"
    path.write_text(text)
    assert written(bvh.load_motion(path), tmp_path) == text


# Converted


def assert_same_world(motion: Motion, path: Path, tol: float = 1e-8) -> Motion:
    """World positions of all segments in the file are those of the motion, y put up."""
    again = bvh.load_motion(path)
    turn = rotations.to_matrix(np.array(TO_Y_UP[motion.figure.up]))
    ours, theirs = motion.placements()[..., :3, 3] @ turn.T, again.placements()[..., :3, 3]
    parents = {s.parent for s in motion.figure.segments}
    scale = max(motion.figure.size, float(np.abs(ours).max()))
    for i, s in enumerate(motion.figure.segments):
        name = s.name
        if name not in again.figure.segment_names:
            assert name not in parents
            assert s.joint.motions == ()
            name = f"{s.parent}_end"
        assert_close(theirs[:, again.figure.segment_index(name)], ours[:, i], scale=scale, tol=tol)
    assert_close(again.times, motion.times - motion.times[0], scale=max(1.0, motion.duration), tol=1e-6)
    return again


@given(rngs())
def test_any_figure_keeps_its_world_positions(
    tmp_path_factory: pytest.TempPathFactory, rng: np.random.Generator
) -> None:
    figure = random_figure(rng).replaced(up=rng.choice(["x", "y", "z"]))
    motion = Motion(figure, random_poses(figure, rng, 6), rate=12.5)
    path = tmp_path_factory.mktemp("any") / "any.bvh"
    bvh.save(motion, path)
    assert_same_world(motion, path)


def test_every_joint_has_all_channels_of_a_kind_or_none(tmp_path: Path) -> None:
    """Blender reads three rotation channels or none, and takes a missing position channel for 0."""
    figure = Figure(
        "all kinds",
        [
            Segment("Root", joint=Free()),
            Segment("Hinge", "Root", Hinge(axis=(1, 1, 0)), offset=(0, 1, 0)),
            Segment("Slider", "Hinge", Slider(axis=(0, 1, 0)), offset=(0, 1, 0)),
            Segment("Both", "Slider", (Slider(axis=(1, 0, 0)), Euler("YX")), offset=(0, 1, 0)),
            Segment("Ball", "Both", Ball(), offset=(0, 1, 0)),
            Segment("Fixed", "Ball", offset=(0, 1, 0)),
            Segment("Last", "Fixed", Euler("XZX"), offset=(0, 1, 0)),
        ],
    )
    q = figure.pose({"Slider": 0.5, "Both": (0.25, 0.1, 0.2), "Last": (0.1, 0.2, 0.3), "Hinge": 0.4})
    bvh.save(Motion(figure, q), tmp_path / "out.bvh")
    header = assert_same_world(Motion(figure, q), tmp_path / "out.bvh").source["header"]
    channels = {n.name: " ".join(c[:4] for c in n.channels) for n in header.nodes if not n.end}
    place = "Xpos Ypos Zpos"
    assert channels == {
        "Root": f"{place} Zrot Xrot Yrot",
        "Hinge": "Zrot Xrot Yrot",
        "Slider": place,
        "Both": f"{place} Yrot Xrot Zrot",
        "Ball": "Zrot Xrot Yrot",
        "Fixed": "",
        "Last": "Zrot Xrot Yrot",
    }


def test_a_ball_that_keeps_turning_never_jumps(tmp_path: Path) -> None:
    figure = Figure("top", [Segment("Top", joint=Ball())])
    angle = np.linspace(0.0, 25.0, 200)
    tilt = rotations.from_axis_angle((1, 0, 0), 0.4)
    q = rotations.multiply(rotations.from_axis_angle((0, 1, 0), angle), tilt)
    bvh.save(Motion(figure, q, rate=60), tmp_path / "top.bvh")
    again = assert_same_world(Motion(figure, q, rate=60), tmp_path / "top.bvh")
    assert np.abs(np.diff(again.poses[:, 3:], axis=0)).max() < 0.5
    assert np.abs(again.poses[-1, 3:] - again.poses[0, 3:]).max() > 20.0


def test_euler_angles_of_an_upright_figure_are_written_as_they_are(tmp_path: Path) -> None:
    figure = chain(3, Euler("YZX"))
    poses = np.random.default_rng(0).uniform(-1, 1, size=(4, figure.nq))
    bvh.save(Motion(figure, poses), tmp_path / "out.bvh")
    again = bvh.load_motion(tmp_path / "out.bvh")
    assert_close(again.poses[:, 3 + 3 :], poses[:, 3:], tol=1e-9)


def test_the_skeleton_drawn_is_the_rest_pose_where_joints_are_turned(tmp_path: Path) -> None:
    quarter = rotations.from_axis_angle((0, 0, 1), np.pi / 2)
    figure = Figure(
        "bent",
        [
            Segment("A", joint=Free()),
            Segment("B", "A", Ball(), offset=(0, 2, 0), rotation=quarter),
            Segment("C", "B", offset=(0, 3, 0)),
        ],
    )
    bvh.save(figure, tmp_path / "bent.bvh")
    drawn = bvh.load_figure(tmp_path / "bent.bvh")
    assert_close(drawn.placements(drawn.rest)[:, :3, 3], [[0, 0, 0], [0, 2, 0], [-3, 2, 0]])


def test_a_coupled_joint_moves_in_the_file_too(tmp_path: Path) -> None:
    figure = Figure(
        "pair",
        [
            Segment("A", joint=Hinge()),
            Segment("B", "A", Joint("B", (Hinge(),), offset=(1, 0, 0), coupling=Coupling("A", ratio=2.0))),
            Segment("C", "B", offset=(1, 0, 0)),
        ],
    )
    motion = Motion(figure, [figure.pose({"A": a}) for a in (0.0, 0.3, 0.6)])
    bvh.save(motion, tmp_path / "pair.bvh")
    assert_same_world(motion, tmp_path / "pair.bvh")


def test_a_tip_becomes_the_end_site_and_a_bare_end_the_end_of_its_capsule(tmp_path: Path) -> None:
    figure = Figure(
        "ends",
        [
            Segment("A"),
            Segment("B", "A", Hinge(), offset=(0, 1, 0)),
            Segment("Tip", "B", offset=(0, 2, 0)),
            Segment("C", "A", Hinge(), offset=(1, 0, 0), shapes=[Capsule((0, 0, 0), (0.0, 0.0, 0.7), 0.1)]),
            Segment("D", "A", Hinge(), offset=(1, 0, 0)),
        ],
    )
    text = written(figure, tmp_path)
    ends = [line.split()[1:] for line in text[: text.index("MOTION")].splitlines() if line.startswith("\t\t\tOFFSET")]
    assert [[float(x) for x in end] for end in ends] == [[0, 2, 0], [0, 0, 0.7], [0, 0, 0]]
    assert "Tip" not in text


def test_names_that_would_break_the_file_are_made_harmless(tmp_path: Path) -> None:
    assert clean_name(" a{b}\n c ") == "a_b__ c"
    assert clean_name("{") == "_"
    figure = Figure("odd names", [Segment("Left\nArm {1}"), Segment("two words", "Left\nArm {1}", Hinge())])
    with pytest.warns(OddFile, match=r"BVH cannot store the names 'Left\\nArm \{1\}'"):
        bvh.save(figure, tmp_path / "out.bvh")
    assert bvh.load_figure(tmp_path / "out.bvh").segment_names[:2] == ("Left_Arm _1_", "two words")


def test_uneven_frames_are_resampled_and_it_is_told(tmp_path: Path) -> None:
    figure = chain(1, planar=True)
    motion = Motion(figure, [[0.0], [1.0], [4.0]], times=[0.0, 1.0, 4.0])
    with pytest.warns(UserWarning, match="not evenly spaced in time, which BVH requires"):
        bvh.save(motion, tmp_path / "out.bvh")
    again = bvh.load_motion(tmp_path / "out.bvh")
    assert_close(again.times, [0, 2, 4])


def test_frames_that_jitter_a_little_are_even(tmp_path: Path) -> None:
    times = np.arange(50) / 60.0 + 0.003 / 60.0 * np.cos(np.arange(50.0))
    motion = Motion(chain(1, planar=True), np.sin(np.arange(50.0))[:, None], times=times)
    bvh.save(motion, tmp_path / "out.bvh")
    again = bvh.load_motion(tmp_path / "out.bvh")
    assert len(again) == 50
    assert again.rate == pytest.approx(60.0, rel=1e-3)
    turned = again.figure.placements(again.poses)[:, -1, :3, 3] - motion.figure.placements(motion.poses)[:, -1, :3, 3]
    assert np.abs(turned).max() < 1e-6


def test_no_number_is_written_as_minus_zero(tmp_path: Path) -> None:
    places = ((-1e-15, 0, 0), (-1e-14, 1, 0), (0, 1, -1e-11))
    parts = [Segment("A", joint=Free(), offset=places[0]), Segment("B", "A", Ball(), offset=places[1])]
    figure = Figure("still", [*parts, Segment("C", "B", offset=places[2])])
    text = written(Motion(figure, figure.integrate(figure.rest, [-1e-13] * 9)), tmp_path)
    assert "-0.0" not in text
    assert text.count("0.00000000") > 10


def test_a_deep_tree_is_written_without_recursion_or_a_file_of_tabs(tmp_path: Path) -> None:
    figure = chain(3_000, planar=True)
    bvh.save(figure, tmp_path / "deep.bvh")
    assert (tmp_path / "deep.bvh").stat().st_size < 3_000_000
    assert len(bvh.load_figure(tmp_path / "deep.bvh").segments) == 3_001


def test_a_failed_save_leaves_the_old_file(odd: Motion, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "out.bvh").write_text("old")

    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(bvh.write, "rows", fail)
    with pytest.raises(OSError, match="disk full"):
        bvh.save(chain(2), tmp_path / "out.bvh")
    assert (tmp_path / "out.bvh").read_text() == "old"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["odd.bvh", "out.bvh"]


def test_bvhio_reads_the_same_world_positions(tmp_path: Path) -> None:
    bvhio = pytest.importorskip("bvhio", reason="bvhio, an independent reader, is not installed")
    rng = np.random.default_rng(5)
    for seed in range(5):
        figure = random_figure(np.random.default_rng(seed), segments=8)
        motion = Motion(figure, random_poses(figure, rng, 3), rate=30)
        path = tmp_path / f"{seed}.bvh"
        bvh.save(motion, path)
        top = bvhio.readAsHierarchy(str(path))
        ours = motion.placements()[..., :3, 3] @ rotations.to_matrix(np.array(TO_Y_UP[figure.up])).T
        scale = max(figure.size, float(np.abs(ours).max()))
        compared = 0
        for frame in range(len(motion)):
            top.loadPose(frame)
            for joint, _, _ in top.layout():
                index = figure.segment_index(joint.Name)
                assert_close(np.array(joint.PositionWorld), ours[frame, index], scale=scale, tol=5e-6)
                compared += 1
        assert compared >= 9
