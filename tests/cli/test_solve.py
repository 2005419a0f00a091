"""`manikin solve`: goals from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

import manikin as mk
from manikin.cli.main import main
from manikin.kinematics.swing_twist import decompose


def run(*args: object) -> Result:
    return CliRunner().invoke(main, ["solve", *map(str, args)])


def test_the_person_reaches_and_looks_there(tmp_path: Path) -> None:
    picture, clip = tmp_path / "pose.png", tmp_path / "pose.bvh"
    point = (-0.4, 1.2, 0.3)
    done = run(
        "human", "--position", "RightHand", *point, "--aim", "Head", *point,
        "--plane", "LeftFoot", 0, 0.068, 0, 0, 1, 0, "--balance", "LeftFoot, RightFoot",
        "--out", picture, "--out", clip, "--json",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert [goal["name"] for goal in told["goals"]] == [
        "Position RightHand", "Aim Head", "Plane LeftFoot", "Balance LeftFoot RightFoot"
    ]  # fmt: skip
    hand = mk.human().placements(told["pose"], ["RightHand"])[0, :3, 3]
    np.testing.assert_allclose(hand, point, atol=2e-4)
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert clip.read_text().startswith("HIERARCHY")


def test_above_keeps_a_segment_over_a_plane() -> None:
    low = ("human", "--position", "RightHand", -0.2, -0.1, 0.5, "--keep", "Hips", "--json")
    floor = ("--above", "RightHand", 0, 0.6, 0, 0, 1, 0)
    done = json.loads(run(*low, *floor).stdout)
    assert [goal["name"] for goal in done["goals"]][:2] == ["Position RightHand", "Plane RightHand"]
    heights = [
        mk.human().placements(json.loads(run(*low, *extra).stdout)["pose"], ["RightHand"])[0, 1, 3]
        for extra in ((), floor)
    ]
    assert heights[0] < heights[1]
    met = json.loads(run("human", "--above", "RightHand", 0, 0.6, 0, 0, 1, 0, "--json").stdout)
    assert met["goals"][0]["reached"]
    assert met["goals"][0]["error"] == 0.0


def test_hold_keeps_the_twist_of_a_joint() -> None:
    asked = ("human", "--orientation", "LeftHand", 0.8, 0, 0.6, 0, "--keep", "Hips", "--json")
    free, held = (json.loads(run(*asked, *extra).stdout)["pose"] for extra in ((), ("--hold", "LeftArm", "twist")))
    figure = mk.human()
    at = figure.index_of("LeftArm")
    limits = figure.segment("LeftArm").joint.motions[-1].limits
    basis = np.array(limits.basis)
    twists = []
    for pose in (figure.rest, free, held):
        relative = mk.rotations.multiply(mk.rotations.inverse(np.array(limits.reference)), np.array(pose[at : at + 4]))
        twists.append(decompose(relative, basis)[2])
    assert abs(twists[2] - twists[0]) <= 1e-9
    assert abs(twists[1] - twists[0]) > 1e-3
    wrong = run(*asked, "--hold", "LeftForeArm", "twist")
    assert wrong.exit_code == 2
    assert "hold: joint 'LeftForeArm'" in wrong.output
    both = run(*asked, "--hold", "LeftArm", "twist", "--hold", "LeftArm", "swing")
    assert both.exit_code == 2
    assert "--hold names LeftArm with twist and with swing; --freeze LeftArm keeps both" in both.output


def test_a_figure_from_a_file_and_another_method(tmp_path: Path) -> None:
    path = tmp_path / "arm.json"
    mk.save(mk.chain(3), path)
    done = run(path, "--position", "Tip", 1, 1, 0.5, "--orientation", "Segment1", 1, 0, 0, 0, "--method", "bounded-dls")
    assert done.exit_code == 0, done.output
    assert "2 of 2 goals reached" in done.stdout


def test_out_of_reach_is_exit_code_1(tmp_path: Path) -> None:
    done = run("human", "--position", "RightHand", 0, 9, 0, "--plane", "Hips", 0, 0.9, 0, 0, 1, 0)
    assert done.exit_code == 1
    assert "missed" in done.stdout


def test_quiet_says_nothing(tmp_path: Path) -> None:
    done = run("human", "--position", "RightHand", -0.4, 1.2, 0.3, "--quiet")
    assert (done.exit_code, done.output) == (0, "")


def test_a_missed_goal_says_why_and_names_frozen_joints() -> None:
    wanted = ("human", "--position", "RightHand", -0.3, 1.4, 0.4, "--freeze", "Hips", "--freeze", "RightForeArm")
    done = run(*wanted, "--only", "RightForeArm", "--only", "RightHand")
    assert done.exit_code == 1
    assert "are frozen; releasing" in done.stdout
    told = json.loads(run(*wanted, "--only", "RightHand", "--json").stdout)
    (goal,) = told["goals"]
    assert goal["reasons"][0]["kind"] == "frozen"
    assert goal["changes"][0]["what"] == "release"
    assert goal["changes"][0]["verified"]
    assert goal["why"].startswith("Position RightHand misses its target by ")


def test_goals_that_were_met_come_without_reasons() -> None:
    (goal,) = json.loads(run("human", "--position", "RightHand", -0.4, 1.2, 0.3, "--json").stdout)["goals"]
    assert goal["reached"]
    assert "why" not in goal


def test_segments_that_are_kept_stay_where_they_are() -> None:
    person = mk.human()
    feet = ["LeftFoot", "RightFoot"]
    hand = ("--position", "RightHand", -0.4, 1.2, 0.3)
    done = json.loads(run("human", *hand, "--keep", "LeftFoot, RightFoot", "--json").stdout)
    assert done["reached"]
    assert [goal["name"] for goal in done["goals"][1:]] == ["keep LeftFoot", "keep RightFoot"]
    moved = person.placements(done["pose"], feet) - person.placements(person.rest, feet)
    assert np.abs(moved[:, :3, 3]).max() < 3e-4
    alone = json.loads(run("human", *hand, "--json").stdout)
    lifted = person.placements(alone["pose"], feet) - person.placements(person.rest, feet)
    assert np.abs(lifted[:, :3, 3]).max() > 0.05  # without them the person floats


def test_a_start_from_json_and_from_a_frame_of_a_motion(tmp_path: Path) -> None:
    person = mk.human()
    bent = person.pose({"LeftForeArm": 1.3})
    (tmp_path / "bent.json").write_text(json.dumps({"pose": bent.tolist()}))
    (tmp_path / "list.json").write_text(json.dumps(bent.tolist()))
    mk.save(mk.Motion(person, [person.rest, bent], rate=10), tmp_path / "clip.json.bvh")
    options = ("--only", "RightHand", "--keep", "LeftHand", "--position", "RightHand", 0, 0, 0, "--json")
    for name in ("bent.json", "list.json"):
        told = json.loads(run("human", *options, "--start", tmp_path / name).stdout)
        assert told["pose"][person.index_of("LeftForeArm")] == 1.3
        assert told["goals"][1]["reached"]
    clip = tmp_path / "clip.json.bvh"
    told = json.loads(run(clip, *options, "--start", clip, "--frame", 1).stdout)
    assert told["goals"][1]["reached"]
    np.testing.assert_allclose(told["pose"], mk.load_motion(clip)[1], atol=1e-6)
    late = run(clip, *options, "--start", clip, "--frame", 9)
    assert late.exit_code == 2
    assert "--frame is 9; clip.json.bvh has 2 frames, 0 to 1" in late.output


def test_a_start_that_is_no_pose_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "pose.json"
    for text, words in (("{", "not JSON"), ("[1, 2]", "shape (2,)"), ("{}", "pose.json: pose")):
        path.write_text(text)
        done = run("human", "--position", "RightHand", 0, 1, 0, "--start", path)
        assert done.exit_code == 2
        assert words in done.output
        assert done.output.count("\n") == 1


def test_a_placement_is_reached() -> None:
    person = mk.human()
    place = mk.Placement("RightHand", person.placements(person.pose({"RightForeArm": 1.0}), ["RightHand"])[0]).target
    done = run("human", "--placement", "RightHand", *place, "--keep", "Hips", "--json")
    assert done.exit_code == 0, done.output
    assert [goal["name"] for goal in json.loads(done.stdout)["goals"]] == ["Placement RightHand", "keep Hips"]


def test_a_body_that_floats_is_said() -> None:
    assert "the whole figure moved by " in run("human", "--position", "RightHand", 4, 1.2, 0.3).stdout


def test_kept_segments_stay_where_another_goal_is_out_of_reach() -> None:
    person = mk.human()
    feet = ["LeftFoot", "RightFoot"]
    high = ("human", "--position", "RightHand", -0.4, 2.6, 0.3, "--aim", "Head", -0.4, 2.6, 0.3, "--json")
    for method in ("auto", "stacked", "bounded-dls"):
        done = run(*high, "--keep", "LeftFoot,RightFoot", "--method", method)
        assert done.exit_code == 1
        told = json.loads(done.stdout)
        assert [goal["reached"] for goal in told["goals"]][2:] == [True, True]
        assert told["goals"][0]["error"] > 0.3
        moved = person.placements(told["pose"], feet) - person.placements(person.rest, feet)
        assert np.abs(moved).max() < 5e-4, method


def test_lists_of_names_by_commas_and_by_repeating() -> None:
    hand = ("--position", "RightHand", -0.4, 1.2, 0.3, "--json")
    for option, names in (
        ("--only", ("RightArm", "RightForeArm")),
        ("--freeze", ("Hips", "Spine", "Spine1")),
        ("--keep", ("LeftFoot", "RightFoot")),
    ):
        repeated = json.loads(run("human", *hand, *(x for name in names for x in (option, name))).stdout)
        by_commas = json.loads(run("human", *hand, option, ", ".join(names)).stdout)
        assert repeated["pose"] == by_commas["pose"]
        assert by_commas["pose"] != json.loads(run("human", *hand).stdout)["pose"]
        empty = run("human", *hand, option, " , ")
        assert (empty.exit_code, empty.output) == (2, f"manikin: {option} is ' , '; it needs at least one name\n")
        wrong = run("human", *hand, option, f"{names[0]},Tail")
        assert wrong.exit_code == 2
        assert "'Tail'" in wrong.output
        assert wrong.output.count("\n") == 1


def test_a_name_with_a_comma_is_one_name(tmp_path: Path) -> None:
    hinge = mk.Joint("turn, left", (mk.Hinge((0, 0, 1)),))
    figure = mk.Figure("arm", [mk.Segment("base"), mk.Segment("arm, left", "base", hinge)])
    mk.save(figure, tmp_path / "arm.json")
    goal = ("--orientation", "arm, left", 1, 0, 0, 0, "--keep", "base", "--json")
    for option, name in (("--only", "turn, left"), ("--freeze", "turn, left"), ("--keep", "arm, left")):
        assert run(tmp_path / "arm.json", *goal, option, name).exit_code == 0


def test_a_start_from_a_table_of_numbers(tmp_path: Path) -> None:
    arm = mk.chain(3, mk.Hinge((0, 0, 1), (-2.0, 2.0)), name="arm")
    mk.save(arm, tmp_path / "arm.json")
    poses = np.array([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]])
    mk.save(mk.Motion(arm, poses, rate=10), tmp_path / "poses.csv")
    mk.save(mk.Motion(arm, poses, rate=10), tmp_path / "poses.npz")
    names = ",".join(arm.number_names)
    (tmp_path / "bare.csv").write_text(f"{names}\n0.1,0.2,0.3\n0.4,0.5,0.6\n")  # no column of times
    (tmp_path / "less.csv").write_text(f"{arm.number_names[0]}\n0.1\n0.4\n")
    goal = (tmp_path / "arm.json", "--position", "Tip", 0, 0, 0, "--freeze", names, "--json")
    for name in ("poses.csv", "poses.npz", "bare.csv"):
        done = run(*goal, "--start", tmp_path / name, "--frame", 1)
        assert json.loads(done.stdout)["pose"] == [0.4, 0.5, 0.6]
        assert done.stderr == ""
    less = run(*goal, "--start", tmp_path / "less.csv")
    assert json.loads(less.stdout)["pose"] == [0.1, 0.0, 0.0]
    assert less.stderr.startswith("warning: ")
    assert less.stderr.count("\n") == 1
    late = run(*goal, "--start", tmp_path / "poses.csv", "--frame", 2)
    assert (late.exit_code, late.stderr) == (2, "manikin: --frame is 2; poses.csv has 2 frames, 0 to 1\n")
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    other = run(*goal, "--start", tmp_path / "other.csv")
    assert other.exit_code == 2
    assert other.stderr.count("\n") == 1


def test_a_figure_may_name_files_within_a_folder(tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "parts.xml").write_text(
        "<mujoco><worldbody><body name='arm'><joint type='hinge' axis='0 0 1'/>"
        "<geom type='capsule' size='0.1' fromto='0 0 0 1 0 0'/></body></worldbody></mujoco>"
    )
    (tmp_path / "model" / "arm.xml").write_text("<mujoco><include file='../parts.xml'/></mujoco>")
    goal = (tmp_path / "model" / "arm.xml", "--orientation", "arm", 1, 0, 0, 0)
    closed = run(*goal)
    assert closed.exit_code == 2
    assert "within" in closed.output
    assert run(*goal, "--within", tmp_path).exit_code == 0
    assert run("human", "--position", "Hips", 0, 1, 0, "--within", tmp_path).output == (
        "manikin: --within has no effect on human, which is built in\n"
    )


def test_the_examples_of_help_that_need_no_file_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = run("--help").output
    lines = [line.split()[2:] for line in text.splitlines() if line.strip().startswith("manikin solve ")]
    for option in (
        "position",
        "orientation",
        "placement",
        "aim",
        "plane",
        "balance",
        "keep",
        "start",
        "frame",
        "freeze",
    ):
        assert any(f"--{option}" in line for line in lines), option
    for option in ("only", "within", "method", "out", "json"):
        assert any(f"--{option}" in line for line in lines), option
    own = [line for line in lines if line[0] == "human"]
    assert len(own) >= 4
    for line in own:
        assert run(*line).exit_code == 0, line
