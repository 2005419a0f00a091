"""Reading BVH: every oddity of the format, against frames computed by hand."""

from __future__ import annotations

import pickle
import tracemalloc
import warnings
from pathlib import Path

import numpy as np
import pytest
from checks import assert_close
from hypothesis import given
from strategies import seeds
from work import calls_of

from manikin import rotations
from manikin.errors import BadFile
from manikin.figure import Euler, Figure, Hinge, Slider
from manikin.files.bvh import load_figure, load_motion
from manikin.motion import Motion

SIMPLE = """HIERARCHY
ROOT Hips
{
  OFFSET 0 10 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Spine
  {
    OFFSET 0 2 0
    CHANNELS 3 Yrotation Xrotation Zrotation
    End Site
    {
      OFFSET 0 3 0
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.04
1 2 3 10 20 30 40 50 60
-1 -2 -3 0 0 90 0 0 90
"""


def load(tmp_path: Path, text: str | bytes, name: str = "clip.bvh") -> Motion:
    """Write and read; a warning is an error (see pyproject) unless the test expects it."""
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load_motion(path)


def positions(motion: Motion, segment: str) -> np.ndarray:
    return motion.placements([segment])[:, 0, :3, 3]


def joint(name: str, channels: str, offset: str = "0 1 0", inside: str = "") -> str:
    return f"JOINT {name} {{ OFFSET {offset} CHANNELS {len(channels.split())} {channels} {inside} }}"


def one_joint(channels: str, frame: str, offset: str = "1 2 3") -> str:
    """A root with these channels and one frame."""
    return (
        f"HIERARCHY ROOT A {{ OFFSET {offset} CHANNELS {len(channels.split())} {channels} "
        f"End Site {{ OFFSET 0 0 4 }} }}\nMOTION\nFrames: 1\nFrame Time: 0.1\n{frame}\n"
    )


# What becomes of a file


def test_q_holds_the_numbers_of_the_file_in_radians(tmp_path: Path) -> None:
    motion = load(tmp_path, SIMPLE)
    degrees = [[10, 20, 30, 40, 50, 60], [0, 0, 90, 0, 0, 90]]
    assert (motion.poses[:, :3] == [[1, 2, 3], [-1, -2, -3]]).all()
    assert (motion.poses[:, 3:] == np.array(degrees) * (np.pi / 180.0)).all()
    assert_close(motion.times, [0.0, 0.04])
    assert motion.figure.number_names == (
        *("Hips.tx", "Hips.ty", "Hips.tz", "Hips.z", "Hips.x", "Hips.y"),
        *("Spine.y", "Spine.x", "Spine.z"),
    )
    assert motion.name == motion.figure.name == "clip"


def test_the_placements_are_those_computed_by_hand(tmp_path: Path) -> None:
    motion = load(tmp_path, SIMPLE)
    # Second frame: the root turns by 90° about y, which leaves the spine upright; then the spine by 90° about its z,
    # which is now the world's x, so that its y axis points along z.
    assert_close(positions(motion, "Hips")[1], [-1, -2, -3])
    assert_close(positions(motion, "Spine")[1], [-1, 0, -3])
    assert_close(positions(motion, "Spine_end")[1], [-1, 0, 0], scale=10)
    turn = rotations.to_matrix(rotations.from_euler("zxy", np.radians([10, 20, 30])))
    inner = turn @ rotations.to_matrix(rotations.from_euler("yxz", np.radians([40, 50, 60])))
    assert_close(positions(motion, "Spine_end")[0], [1, 2, 3] + turn @ [0, 2, 0] + inner @ [0, 3, 0], scale=10)


def test_the_rest_pose_is_the_figure_as_drawn(tmp_path: Path) -> None:
    path = tmp_path / "clip.bvh"
    path.write_text(SIMPLE)
    figure = load_figure(path)
    assert figure == load_motion(path).figure
    places = figure.placements(figure.rest)[:, :3, 3]
    assert_close(places, [[0, 10, 0], [0, 12, 0], [0, 15, 0]])
    assert (figure.unit, figure.up) == (None, "y")


def test_position_channels_take_the_place_of_the_offset_on_their_axes(tmp_path: Path) -> None:
    motion = load(tmp_path, one_joint("Yposition Zrotation", "7 90"))
    assert_close(positions(motion, "A")[0], [1, 7, 3])
    assert_close(motion.figure.placements(motion.figure.rest)[0, :3, 3], [1, 2, 3])


@pytest.mark.parametrize(
    ("channels", "frame", "numbers"),
    [
        ("Zrotation Xrotation Yrotation Xposition Yposition Zposition", "10 20 30 7 8 9", [7, 8, 9, 10, 20, 30]),
        ("Xposition Zrotation Yposition Xrotation Zposition Yrotation", "7 10 8 20 9 30", [7, 8, 9, 10, 20, 30]),
        ("Zposition Yposition Xposition Zrotation Xrotation Yrotation", "9 8 7 10 20 30", [9, 8, 7, 10, 20, 30]),
    ],
)
def test_the_position_comes_before_the_rotation_in_whatever_order_they_stand(
    tmp_path: Path, channels: str, frame: str, numbers: list[float]
) -> None:
    motion = load(tmp_path, one_joint(channels, frame))
    assert_close(motion.poses[0], [*numbers[:3], *np.radians(numbers[3:])])
    turn = rotations.to_matrix(rotations.from_euler("zxy", np.radians([10, 20, 30])))
    assert_close(positions(motion, "A")[0], [7, 8, 9])
    assert_close(positions(motion, "A_end")[0], [7, 8, 9] + turn @ [0, 0, 4], scale=10)


@pytest.mark.parametrize("order", ["XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX", "ZXZ", "YX", "X", "Y"])
def test_rotations_of_any_order_and_number_multiply_from_left_to_right(tmp_path: Path, order: str) -> None:
    degrees = [25.0, -40.0, 70.0][: len(order)]
    text = one_joint(" ".join(f"{a}rotation" for a in order), " ".join(map(str, degrees)))
    motion = load(tmp_path, text)
    turn = np.eye(3)
    for axis, angle in zip(order, degrees, strict=True):
        turn = turn @ rotations.axis_matrix(axis, np.radians(angle))
    assert_close(motion.placements()[0, 0, :3, :3], turn)
    last = motion.figure.segments[0].joint.motions[-1]
    assert last == (Euler(order) if len(order) > 1 else Hinge(axis=rotations.AXES[order.lower()]))


def test_a_joint_may_have_positions_only_or_nothing(tmp_path: Path) -> None:
    inside = joint("Slide", "Zposition Xposition", inside=joint("Stiff", ""))
    motion = load(
        tmp_path, f"HIERARCHY ROOT A {{ OFFSET 0 0 0 CHANNELS 0 {inside} }} MOTION Frames: 1 Frame Time: 1 5 6"
    )
    assert motion.figure.segment("Slide").joint.motions == (Slider(axis=(0, 0, 1)), Slider(axis=(1, 0, 0)))
    assert_close(positions(motion, "Stiff")[0], [6, 2, 5])


# Names and trees


def test_names_may_have_blanks_and_odd_letters(tmp_path: Path) -> None:
    text = SIMPLE.replace("Hips", "mixamorig:Left  Hip").replace("Spine", "toe1-1.R Ärm")
    assert load(tmp_path, text).figure.segment_names == ("mixamorig:Left  Hip", "toe1-1.R Ärm", "toe1-1.R Ärm_end")
    latin = load(tmp_path, text.encode("latin-1"))
    assert latin.figure.segment_names[1] == "toe1-1.R Ärm"


def test_a_joint_may_be_called_like_a_word_of_the_format(tmp_path: Path) -> None:
    names = load(tmp_path, SIMPLE.replace("Spine", "Motion").replace("Hips", "offset")).figure.segment_names
    assert names == ("offset", "Motion", "Motion_end")


def test_repeated_names_are_told_apart_and_told(tmp_path: Path) -> None:
    inside = "".join(joint(name, "Zrotation") for name in ("A", "B", "B.2", "B"))
    text = f"HIERARCHY ROOT A {{ OFFSET 0 0 0 CHANNELS 0 {inside} }} MOTION Frames: 1 Frame Time: 1 1 2 3 4"
    with pytest.warns(UserWarning, match="joints with the same name get a number: A, B"):
        motion = load(tmp_path, text)
    assert motion.figure.segment_names == ("A", "A.2", "B", "B.2", "B.3")


def test_end_sites_never_take_the_name_of_a_joint(tmp_path: Path) -> None:
    inside = joint("A_end", "Zrotation", inside="End Site { OFFSET 1 0 0 }") + "End Site { OFFSET 0 0 1 }"
    text = f"HIERARCHY ROOT A {{ OFFSET 0 0 0 CHANNELS 0 {inside} }} MOTION Frames: 1 Frame Time: 1 90"
    motion = load(tmp_path, text)
    assert motion.figure.segment_names == ("A", "A_end", "A_end_end", "A_end.2")
    assert_close(positions(motion, "A_end_end")[0], [0, 2, 0])
    assert_close(positions(motion, "A_end.2")[0], [0, 0, 1])


def test_an_end_site_may_have_a_name(tmp_path: Path) -> None:
    motion = load(tmp_path, SIMPLE.replace("End Site", "end site HeadTop"))
    assert motion.figure.segment_names[-1] == "HeadTop"


def test_end_sites_may_be_missing_or_of_length_zero(tmp_path: Path) -> None:
    start, stop = SIMPLE.index("    End Site"), SIMPLE.index("  }\n}\nMOTION")
    assert load(tmp_path, SIMPLE[:start] + SIMPLE[stop:]).figure.segment_names == ("Hips", "Spine")
    zero = load(tmp_path, SIMPLE.replace("OFFSET 0 3 0", "OFFSET 0 0 0")).figure
    assert zero.segment("Spine_end").joint.offset == (0.0, 0.0, 0.0)


def test_several_roots_hang_on_a_fixed_segment(tmp_path: Path) -> None:
    roots = "".join(
        f"ROOT {name} {{ OFFSET 0 0 0 CHANNELS 2 Xposition Yrotation End Site {{ OFFSET 1 0 0 }} }}\n"
        for name in ("Left", "Roots", "Right")
    )
    motion = load(tmp_path, f"HIERARCHY\n{roots}MOTION\nFrames: 1\nFrame Time: 1\n1 0 2 0 3 180\n")
    figure = motion.figure
    assert figure.segments[0].name == "Roots.2"
    assert figure.segments[0].joint.motions == ()
    assert [figure.segment(n).parent for n in ("Left", "Roots", "Right")] == ["Roots.2"] * 3
    assert_close(positions(motion, "Right_end")[0], [2, 0, 0])


def test_a_joint_without_a_name_gets_one(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="line 6: a joint has no name; it is called joint2"):
        assert load(tmp_path, SIMPLE.replace("Spine", "")).figure.segment_names[1] == "joint2"


# Letters, blanks, counts


@pytest.mark.parametrize(
    "changed",
    [
        SIMPLE.replace("\n", "\r\n"),
        SIMPLE.replace("\n", "\r"),
        SIMPLE.replace(" ", "\t\t").replace("End\t\tSite", "End \t Site"),
        SIMPLE.replace("\n", "\n\n \t\n"),
        SIMPLE.upper().replace("HIPS", "Hips").replace("SPINE", "Spine"),
        SIMPLE.lower().replace("hips", "Hips").replace("spine", "Spine"),
        SIMPLE.replace("\n{", "{").replace("Hips\n", "Hips{ "),
        SIMPLE.replace("Frames: 2", "Frames:2").replace("Frame Time: 0.04", "Frame  Time :\t4.0E-2"),
        SIMPLE.replace("Frames: 2", "Frames 2").replace("Frame Time: 0.04", "FrameTime: +.04"),
        SIMPLE.replace("1 2 3 10 20", "1.0e0 +2 3. 1E+1 \t 2.0e+01"),
        SIMPLE.replace("10 20 30 40", "10\n20 30\n\n40"),
        SIMPLE.replace("60\n-1", "60 -1"),
        SIMPLE.rstrip("\n"),
        SIMPLE.replace("\nMOTION", " MOTION"),
        "\ufeff" + SIMPLE,
    ],
    ids=[
        *("crlf", "cr", "tabs", "blank lines", "capitals", "small", "brace on the line", "clinging colon", "no colon"),
        *("exponents", "frame over lines", "frames on one line", "no last line end", "one line", "byte order mark"),
    ],
)
def test_blanks_and_spelling_do_not_matter(tmp_path: Path, changed: str) -> None:
    wanted = load(tmp_path, SIMPLE, "wanted.bvh")
    motion = load(tmp_path, changed)
    assert motion.figure.segments == wanted.figure.segments
    assert (motion.poses == wanted.poses).all()
    assert_close(motion.times, wanted.times)


def test_a_file_in_sixteen_bit_letters_is_read(tmp_path: Path) -> None:
    assert (load(tmp_path, SIMPLE.encode("utf-16")).poses == load(tmp_path, SIMPLE).poses).all()


@pytest.mark.parametrize("said", [0, 1, 3, 1_000_000_000_000])
def test_a_wrong_count_of_frames_is_told_and_the_frames_are_kept(tmp_path: Path, said: int) -> None:
    with pytest.warns(UserWarning, match=f"clip.bvh: Frames: is {said}, but the file has 2 frames"):
        motion = load(tmp_path, SIMPLE.replace("Frames: 2", f"Frames: {said}"))
    assert len(motion) == 2
    assert motion.source["notes"] == (f"Frames: is {said}, but the file has 2 frames; all of them are used",)


def test_a_wrong_count_of_channels_is_told_and_the_names_count(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="line 9: Spine states 1000000000 channels but names 3"):
        assert load(tmp_path, SIMPLE.replace("CHANNELS 3", "CHANNELS 1000000000")).figure.nq == 9


def test_a_frame_time_of_zero_is_told_and_taken_as_a_thirtieth(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match=r"Frame Time: is 0\.0 s; 0\.03333 s is used instead"):
        motion = load(tmp_path, SIMPLE.replace("0.04", "0.0"))
    assert_close(motion.times, [0, 1 / 30])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load(tmp_path, one_joint("Xrotation", "5").replace("Time: 0.1", "Time: 0"))  # one frame needs no time


def test_a_figure_is_read_from_a_file_without_motion(tmp_path: Path) -> None:
    path = tmp_path / "figure.bvh"
    path.write_text(SIMPLE[: SIMPLE.index("MOTION")])
    with pytest.warns(UserWarning, match="no MOTION part"):
        assert load_figure(path).nq == 9
    with pytest.raises(BadFile, match="no MOTION part, so there is no motion to load"):
        load_motion(path)


def test_a_motion_and_its_text_survive_pickling(tmp_path: Path) -> None:
    motion = load(tmp_path, SIMPLE)
    again = pickle.loads(pickle.dumps(motion))
    assert again.figure == motion.figure
    assert (again.poses == motion.poses).all()
    assert again.source["bvh"].lines([1]) == [b"-1 -2 -3 0 0 90 0 0 90"]


# What is wrong with a file


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("HIERARCHY", "HIERARCHIE", 1, "begins with HIERARCHY, got 'hierarchie'"),
        ("ROOT", "JOINT", 2, "expected ROOT or MOTION, got 'joint'"),
        ("OFFSET 0 2 0", "OFFSET 0 2", 9, "OFFSET of Spine needs three numbers, got 'CHANNELS'"),
        ("OFFSET 0 2 0", "OFFSET 0 2 zero", 8, "OFFSET of Spine needs three numbers, got 'zero'"),
        ("OFFSET 0 2 0", "OFFSET 0 nan 0", 8, "within ±1e.15, got 'nan'"),
        ("OFFSET 0 2 0", "OFFSET 0 1e308 0", 8, "within ±1e.15, got '1e308'"),
        ("OFFSET 0 2 0", "OFFSET 0 1_0 0", 8, "got '1_0'"),
        ("OFFSET 0 2 0\n", "\n", 6, "Spine has no OFFSET"),
        ("OFFSET 0 2 0", "OFFSET 0 2 0 OFFSET 0 2 0", 8, "two OFFSETs"),
        ("CHANNELS 3 Y", "CHANNELS 4 Wrotation Y", 9, "Spine: channel 'Wrotation' is unknown"),
        ("Yrotation Xrotation Z", "Xrotation Xrotation Z", 9, "Spine rotates about XXZ; it needs at most three axes"),
        ("CHANNELS 3", "CHANNELS 4 Zrotation", 9, "Spine rotates about ZYXZ"),
        ("Xposition Yposition", "Xposition Xposition", 5, "Hips has the same position channel twice"),
        ("OFFSET 0 3 0", "OFFSET 0 3 0 CHANNELS 1 Xrotation", 12, "an end site has no CHANNELS"),
        ("OFFSET 0 3 0", "OFFSET 0 3 0 JOINT A { OFFSET 0 0 0 }", 12, "an end site has only an OFFSET, got JOINT"),
        ("  }\n}\n", "  }\n", 15, "Hips: expected OFFSET, CHANNELS, JOINT, End Site or a brace, got 'motion'"),
        ("}\nMOTION", "}\n}\nMOTION", 16, "expected ROOT or MOTION, got '}'"),
        ("  {\n    OFFSET 0 2", "    OFFSET 0 2", 7, "Spine: expected an opening brace, got 'OFFSET'"),
        ("Frames: 2", "Frames: two", 17, "Frames: needs a number, got 'two'"),
        ("Frames: 2", "Frames: -2", 17, "whole number, 0 or more, got -2"),
        ("Frames: 2", "Frames: 2.5", 17, "whole number, 0 or more, got 2.5"),
        ("Frames: 2", "Framez: 2", 17, "expected Frames:, got 'Framez:'"),
        ("Time: 0.04", "Time: -0.04", 18, "number of seconds, 0 or more, got -0.04"),
        ("Time: 0.04", "Time: nan", 18, "got 'nan'"),
        ("10 20 30 40", "10 20 3O 40", 19, "expected a number, got '3O'"),
        ("10 20 30 40", "10 nan 30 40", 19, "'nan' is not a usable number"),
        ("10 20 30 40", "10 -inf 30 40", 19, "'-inf' is not a usable number"),
        ("0 0 90 0 0", "0 0 1e308 0 0", 20, "'1e308' is not a usable number"),
        ("0 0 90 0 0", "0 0 1e999 0 0", 20, "'1e999' is not a usable number"),
        ("0 0 90 0 0", "0 0 1_0 0 0", 20, "expected a number, got '1_0'"),
        ("0 0 90 0 0", "0 0 1,5 0 0", 20, "expected a number, got '1,5'"),
        ("0 0 90 0 0", "0 0 90\x1c0 0", 20, "expected a number"),
        ("0 0 90 0 0", "0 0 90\u00a00 0", 20, "expected a number"),
        ("10 20 30 40", "10 20 30", 19, "this frame has 17 numbers; it needs 9"),
        ("90 0 0 90", "90 0 0", 20, "this frame has 8 numbers; it needs 9"),
        ("90 0 0 90", "90 0 0 90 1", 20, "this frame has 10 numbers; it needs 9"),
        (SIMPLE[SIMPLE.index("1 2 3 10") :], "", 18, "the file has no frames"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, old: str, new: str, line: int, message: str) -> None:
    assert SIMPLE.count(old) >= 1
    with pytest.raises(BadFile, match=message) as caught:
        load(tmp_path, SIMPLE.replace(old, new, 1))
    assert caught.value.line == line
    assert str(caught.value).startswith(f"{tmp_path / 'clip.bvh'}, line {line}: ")


def test_a_file_cut_off_anywhere_is_told_or_has_whole_frames(tmp_path: Path) -> None:
    whole = load(tmp_path, SIMPLE)
    told = 0
    for stop in range(len(SIMPLE)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the count of frames, which is then wrong
            try:
                motion = load(tmp_path, SIMPLE[:stop])
            except BadFile:
                told += 1
            else:
                # Only a cut between frames, or within the last number, leaves something that looks whole.
                same = motion.poses == whole.poses[: len(motion)]
                assert same[:, :-1].all()
                assert same[:-1].all()
    assert told > len(SIMPLE) - 20


@pytest.mark.parametrize("content", [b"", b"\0" * 1000, b"\xff\xfe", b"HIERARCHY", b"HIERARCHY ROOT", b"{" * 100_000])
def test_rubbish_is_no_bvh(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(BadFile):
        load(tmp_path, content)


@given(seeds())
def test_a_file_with_a_few_bytes_changed_is_read_or_refused_and_nothing_else(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    text = bytearray(SIMPLE.encode())
    pieces = [
        b"{",
        b"}",
        b"\0",
        b"\r",
        b"\xff",
        b" 1e400 ",
        b"-",
        b"JOINT x",
        b"\n\n",
        b"MOTION",
        b"End Site",
        b"99999999999",
        b"",
    ]
    for _ in range(rng.integers(1, 6)):
        at = int(rng.integers(len(text)))
        text[at : at + int(rng.integers(0, 12))] = pieces[rng.integers(len(pieces))]
    path = tmp_path_factory.mktemp("fuzz") / "fuzz.bvh"
    path.write_bytes(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        try:
            motion = load_motion(path)
        except BadFile:
            return
    assert np.isfinite(motion.placements()).all()


def test_a_tree_ten_thousand_deep_is_read_with_work_in_proportion(tmp_path: Path) -> None:
    depth = 10_000
    head = "".join(f"{'JOINT' if i else 'ROOT'} j{i} {{ OFFSET 0 1 0 CHANNELS 1 Zrotation\n" for i in range(depth))
    text = f"HIERARCHY {head}{'}' * depth} MOTION Frames: 1 Frame Time: 1\n{'0 ' * depth}"
    motion = load(tmp_path, text)
    assert calls_of(lambda: load(tmp_path, text)) < 800 * depth
    assert_close(positions(motion, f"j{depth - 1}")[0], [0, depth, 0], scale=depth)
    with pytest.raises(BadFile, match="the file ends before a closing brace"):
        load(tmp_path, text[: text.index("}")])


def test_too_many_joints_are_refused_early(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="more than 100000 joints"):
        load(tmp_path, b"HIERARCHY ROOT a { OFFSET 0 0 0 " + b"JOINT a {OFFSET 0 0 0}" * 100_001)


def test_an_endless_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="more than 1000 characters"):
        load(tmp_path, b"HIERARCHY ROOT " + b"a" * 1_000_000)


def test_memory_is_about_the_size_of_the_numbers(tmp_path: Path) -> None:
    frames, columns = 2000, 99
    channels = " ".join(joint(f"j{i}", "Zrotation Xrotation Yrotation") for i in range(columns // 3))
    rows = np.random.default_rng(0).normal(size=(frames, columns)) * 60.0
    body = "\n".join(" ".join(f"{x:.6f}" for x in row) for row in rows)
    head = f"HIERARCHY ROOT r {{ OFFSET 0 0 0 CHANNELS 0 {channels} }} MOTION Frames: {frames} Frame Time: 0.01\n"
    path = tmp_path / "long.bvh"
    path.write_text(head + body)
    load_motion(path)  # what is imported along the way is not counted
    tracemalloc.start()
    motion = load_motion(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (motion.poses == rows.round(6) * (np.pi / 180.0)).mean() > 0.99  # the decimals themselves, read exactly
    assert peak < motion.poses.nbytes + path.stat().st_size + 1_500_000  # numbers, text, and one block of lines


def test_a_count_of_frames_sets_no_memory_aside(tmp_path: Path) -> None:
    tracemalloc.start()
    with pytest.warns(UserWarning, match="Frames: is 999999999999"):
        load(tmp_path, SIMPLE.replace("Frames: 2", "Frames: 999999999999"))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1_000_000


def test_the_figure_can_be_posed_and_changed_like_any_other(tmp_path: Path) -> None:
    figure: Figure = load(tmp_path, SIMPLE).figure
    q = figure.pose({"Spine": (0.1, 0.2, 0.3)})
    assert figure.violation(q) == 0.0
    assert figure.replaced(unit=0.01).in_metres().size == pytest.approx(0.05)
