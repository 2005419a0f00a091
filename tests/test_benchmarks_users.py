"""The benchmarks of users' calls: what they ask can be reached, their judges judge strictly, their pages say it all."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from needs import data_file

import manikin as mk

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks import calls, clip_inputs, clips, pages, success
from benchmarks.goal_sets import SETS, Meant
from benchmarks.kinds import KINDS
from manikin.problem import Problem

pytestmark = pytest.mark.skipif(not mk.backend.native, reason="MANIKIN_BACKEND=reference: there is no native solver")


@pytest.fixture(scope="module")
def walks() -> list[clip_inputs.Clip]:
    path = data_file("bvh/cmu_02_01_walk.bvh")
    motion = mk.load_motion(path)
    parts = clip_inputs.parts_of(motion.figure)
    return list(clip_inputs.variants(path.stem, clip_inputs.in_metres(motion, parts), parts, 12))


@pytest.mark.filterwarnings("ignore::manikin.errors.MissingShape")  # some of the kinds have shapes in part
@pytest.mark.parametrize("kind", KINDS)
def test_every_goal_set_is_reached_by_the_pose_it_was_made_from(kind: str) -> None:
    made = KINDS[kind](np.random.default_rng(1))
    poses = success.meant_poses(made.figure, np.random.default_rng(2), 20, near=False)
    assert made.figure.violation(poses).max() == 0.0
    for name, make in SETS.items():
        found = [(goals, pose) for pose in poses if (goals := make(Meant(made, pose, np.random.default_rng(3))))]
        for goals, pose in found[:3]:
            problem = Problem(made.figure, goals, pose)
            assert (problem.at(pose).errors <= 1e-6 * max(1.0, made.figure.size)).all(), name
            mk.Solver(made.figure, goals)  # takes them natively, or raises
        assert found or name in ("Clearance", "Pole"), name


def test_there_are_nineteen_kinds_and_seventeen_goal_sets() -> None:
    assert (len(KINDS), len(SETS)) == (19, 17)


def test_a_false_claim_a_miss_and_a_violation_are_counted() -> None:
    figure = mk.chain([1.0, 1.0], mk.Hinge((0.0, 0.0, 1.0), (-1.0, 1.0)))
    goal = mk.Position("Tip", (2.0, 0.0, 0.0))

    class Found:
        iterations = 3

        def __init__(self, pose: list[float], reached: bool) -> None:
            self.pose, self.reached = np.array(pose), reached

    row = success.Row("arm", "Position", "anywhere")
    row.add(figure, [goal], Found([0.0, 0.0], True))
    assert (row.reached, row.false_claims, row.violation) == (1, 0, 0.0)
    row.add(figure, [goal], Found([0.5, 0.0], True))
    row.add(figure, [goal], Found([0.0, 0.0], False))
    row.add(figure, [goal], Found([1.5, 0.0], False))
    assert (row.targets, row.reached, row.false_claims, row.violation) == (4, 2, 2, 0.5)
    assert row.iterations == 3.0


def test_success_writes_a_page_that_lists_what_is_below_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(success, "SOURCES", success.SOURCES[-1:])
    monkeypatch.setattr(success, "KINDS", {k: KINDS[k] for k in ("planar", "thin cones")})
    asked = ["--quick", "--real", "2", "--each", "1", "--name", "before", "--out", str(tmp_path)]
    assert success.main(asked) == 0
    text, stored = ((tmp_path / f"success-before.{end}").read_text() for end in ("md", "json"))
    rows = [r for part in ("real", "generated") for r in json.loads(stored)[part]]
    assert len(rows) == 2 * 6 + 2 * 17
    assert "not to be quoted" in text
    for title in ("mk.quadruped()", "planar", "thin cones", "Every combination below 100 %"):
        assert title in text
    assert all(r["violation"] == 0.0 and r["false_claims"] == 0 for r in rows)


def test_the_recording_reaches_its_own_targets_and_the_other_inputs_ask_for_something_else(
    walks: list[clip_inputs.Clip],
) -> None:
    assert [(c.joints, c.own, len(c.poses)) for c in walks] == [
        (joints, own, 12) for joints in ("Euler", "balls") for own in (True, False)
    ]
    for c in walks:
        clean = c.targets()
        assert max(e.max() for e in c.errors(c.poses, clean)) < 1e-9
        noisy, pulled = (c.asked(way, np.random.default_rng(1)) for way in clip_inputs.INPUTS[1:])
        moved = np.linalg.norm(noisy[..., :3] - clean[..., :3], axis=-1)
        assert 0.01 < moved.mean() < 0.025
        away = np.linalg.norm(pulled[..., :3] - clean[..., :3], axis=-1)
        assert np.delete(away, clip_inputs.HAND, axis=1).max() == 0.0
        assert away[[0, 1, -1], clip_inputs.HAND].max() == 0.0
        assert away.max() > 0.9 * clip_inputs.PULL
        assert c.speed(c.poses) < 40.0  # the T-pose that was added is gone: from it a joint turns at 190 rad/s
    euler, balls = walks[0], walks[2]
    apart = euler.figure.placements(euler.poses) - balls.figure.placements(balls.poses)
    assert np.abs(apart).max() < 1e-12
    assert np.isinf(balls.figure.lower).all()


def test_what_is_no_standing_person_is_left_out_with_the_reason() -> None:
    arm = mk.chain(3, planar=True)
    motion = mk.Motion(arm, np.zeros((20, arm.nq)), rate=30.0)
    assert "0 of the 6 parts" in clip_inputs.unfit(motion, clip_inputs.parts_of(arm))
    person = mk.human()
    parts = clip_inputs.parts_of(person)
    assert len(parts) == 6
    assert clip_inputs.unfit(mk.Motion(person, person.rest[None], times=[0.0]), parts) == "1 frame"
    assert clip_inputs.unfit(mk.Motion(person, np.tile(person.rest, (20, 1)), rate=30.0), parts) == ""


def test_the_judge_of_clips_is_strict(walks: list[clip_inputs.Clip]) -> None:
    c = walks[0]
    blank = clips.Cell(c.name, c.joints, c.rate, c.own, "clean", "made up")
    whole = clips.judge(replace(blank), c, c.poses, c.targets())
    assert (whole.frames, whole.reached, whole.nearly) == (12, 12, 12)
    off = c.poses.copy()
    off[3, 0] += 5e-4  # half a millimetre: within the loose tolerance only
    off[5, 0] += 5e-3
    off[7] = np.nan
    judged = clips.judge(replace(blank), c, off, c.targets())
    assert (judged.frames, judged.reached, judged.nearly) == (12, 9, 10)
    jump = c.poses.copy()
    jump[6:, 5] += 1.0
    assert clips.judge(replace(blank), c, jump, c.targets()).speed > 0.9 * c.rate


def test_poses_come_back_from_the_file_of_the_peers_as_they_were(walks: list[clip_inputs.Clip]) -> None:
    c = walks[0]
    tree, columns = clips.as_tree(c.figure)
    assert sorted(columns) == list(range(c.figure.nq))
    apart = tree.placements(c.poses[:, columns], c.segments) - c.figure.placements(c.poses, list(c.segments))
    assert np.abs(apart).max() < 1e-9


def test_clips_writes_a_page_with_every_method_and_a_missing_peer(
    walks: list[clip_inputs.Clip], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clips, "clips", lambda _, left_out: left_out.append("x: 1 frame") or walks[:1])
    monkeypatch.setattr(clips, "SECONDS", 0.05)
    monkeypatch.setattr(clips, "BUDGET", 0.05)
    monkeypatch.setattr(clips, "FOLDER", tmp_path)
    monkeypatch.setattr("benchmarks.environments.FOLDER", tmp_path)
    assert clips.main(["--quick", "--peers", "--name", "before", "--out", str(tmp_path)]) == 0
    text = (tmp_path / "clips-before.md").read_text()
    stored = json.loads((tmp_path / "clips-before.json").read_text())
    ours = [cell for cell in stored["cells"] if not cell["failed"]]
    assert {cell["method"] for cell in ours} == {"recording", *clips.OURS}
    assert {cell["input"] for cell in ours} == set(clip_inputs.INPUTS)
    assert all("not installed" in cell["failed"] for cell in stored["cells"] if cell["method"] in ("placo", "mink"))
    clean = {cell["method"]: cell for cell in ours if cell["input"] == "clean"}
    assert clean["recording"]["reached"] == clean["solve"]["reached"] == clean["solve"]["frames"] > 0
    assert 0.0 < clean["solve"]["median"] <= clean["solve"]["p99"] <= clean["solve"]["max"]
    for words in ("x: 1 frame", "hand out of reach", "placo: not installed", "## cmu_02_01"):
        assert words in text


def test_calls_writes_every_call_of_the_person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "SCENES", [("person", True)])
    monkeypatch.setattr(calls, "LEAST", 1)
    monkeypatch.setattr(calls, "CASES", 2)
    monkeypatch.setattr(calls, "first_calls", lambda *_: np.array([0.25]))
    assert calls.main(["--quick", "--seconds", "0", "--name", "before", "--out", str(tmp_path)]) == 0
    text = (tmp_path / "calls-before.md").read_text()
    rows = {r["call"]: r for r in json.loads((tmp_path / "calls-before.json").read_text())["rows"]}
    wanted = ["solve", "solve, weights=", "solve, priorities", "solve, AnyOf of two", "solve, Balance", "mk.solve"]
    for call in [*wanted, "solve, Clearance", "track, one frame, before=", "solution.report"]:
        assert rows[call]["median"] > 0.0
        assert f"| {call} " in text
    assert "250,000" in text  # the first call of a process, in microseconds


def test_calls_in_reach_are_reached_and_those_out_of_reach_are_not() -> None:
    for reachable in (True, False):
        s = calls.scene("person", reachable, 2026)
        solver = mk.Solver(s.figure, s.goals())
        assert all(solver.solve(s.starts[i], s.rows[i]).reached is reachable for i in range(3))


def test_tables_line_up_and_a_missing_target_is_never_a_hundred_percent() -> None:
    lines = pages.table(["a", "b"], [["word", "1"], ["w", "1,000"]])
    assert len({len(line) for line in lines}) == 1
    assert lines[2] == "| word |     1 |"
    assert [pages.percent(x) for x in (1.0, 0.99999, 0.5, None)] == ["100", "99.99", "50.0", ""]
    assert [pages.micros(x) for x in (1.234e-6, 12.34e-6, 1.234e-3, None)] == ["1.23", "12.3", "1,234", ""]
