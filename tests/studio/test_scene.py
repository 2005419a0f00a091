"""Scenes and their commands, files and scripts, without a page."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from studio_scenes import bent, do, ids, person, same

import manikin as mk
from manikin.errors import BadFile, ManikinError
from manikin.studio import commands
from manikin.studio.commands import COMMANDS, apply, pose_of, pose_text
from manikin.studio.figures import FigureSource
from manikin.studio.goals import SceneGoal
from manikin.studio.scene import Key, StudioScene, View
from manikin.studio.script import script_files

# Commands


def test_a_person_begins_with_planted_feet_in_balance() -> None:
    scene = person()[2]
    assert ids(scene) == ["foot LeftToeBase", "sole LeftFoot", "foot RightToeBase", "sole RightFoot", "balance"]
    assert {g.group for g in scene.goals} == {"left foot", "right foot", ""}


def test_a_foot_is_unpinned_as_a_whole_and_the_other_carries_the_balance() -> None:
    one = do(person()[2], "unpin", segment="LeftToeBase")
    assert ids(one) == ["foot RightToeBase", "sole RightFoot", "balance"]
    goal = one.goal("balance")
    assert goal is not None
    assert goal.segments == ("RightFoot",)
    none = do(one, "remove", id="sole RightFoot")
    assert ids(none) == []
    back = do(none, "pin", segment="LeftFoot")
    assert ids(back) == ["foot LeftToeBase", "sole LeftFoot"]
    with pytest.raises(ManikinError, match="not pinned"):
        do(none, "unpin", segment="LeftHand")
    with pytest.raises(ManikinError, match="plant a foot first"):
        do(none, "balance", on=True)


def test_what_was_pinned_before_a_drag_is_pinned_at_its_new_place() -> None:
    figure, _, scene = person()
    pinned = do(scene, "pin", segment="LeftHand")
    text = pose_text(bent())
    after = do(pinned, "drag", segment="LeftHand", pose=text)
    goal = after.goal("pin LeftHand")
    assert goal is not None
    assert np.allclose(goal.target[:3], figure.placements(bent(), ["LeftHand"])[0][:3, 3])
    assert "pin RightHand" not in ids(do(scene, "drag", segment="RightHand", pose=text))
    assert "pin RightHand" in ids(do(scene, "drag", segment="RightHand", pose=text, pin=True))
    foot = do(scene, "drag", segment="LeftToeBase", pose=text).goal("sole LeftFoot")
    assert foot is not None
    assert np.allclose(foot.target[:3], figure.placements(bent(), ["LeftFoot"])[0][:3, 3])


def test_goals_have_the_priority_of_their_role_and_can_be_changed() -> None:
    scene = do(person()[2], "aim", segment="Head", target=[0, 1.6, 3])
    scene = do(scene, "pole", segment="LeftForeArm", target=[1, 1, -2])
    scene = do(scene, "plane", segment="RightHand", point=[0, 1, 0], normal=[0, 1, 0])
    scene = do(scene, "clearance", on=True, distance=0.01)
    assert [scene.goal(n).priority for n in ("aim Head", "pole LeftForeArm", "plane RightHand", "clearance")] == [
        1,
        2,
        2,
        0,
    ]  # type: ignore[union-attr]
    changed = do(scene, "goal", id="aim Head", weight=3.0, priority=2, on=False, target=[1, 1, 1])
    goal = changed.goal("aim Head")
    assert goal is not None
    assert (goal.weight, goal.priority, goal.on, goal.target) == (3.0, 2, False, (1.0, 1.0, 1.0))
    assert len(do(scene, "aim", segment="Head", target=[1, 1, 1]).goals) == len(scene.goals)  # replaced, not added
    assert "clearance" not in ids(do(scene, "clearance", on=False))


def test_joints_are_frozen_and_freed() -> None:
    scene = do(person()[2], "freeze", joints=["Spine", "LeftArm"])
    assert scene.freeze == ("Spine", "LeftArm")
    assert do(scene, "freeze", joints="Spine", on=False).freeze == ("LeftArm",)


def test_the_mirror_image_of_the_mirror_image_is_the_scene() -> None:
    figure, _, scene = person()
    posed = scene.with_pose(bent(3))
    posed = do(posed, "pin", segment="LeftHand")
    posed = do(posed, "aim", segment="Head", target=[0.4, 1.6, 3])
    posed = do(posed, "plane", segment="RightHand", point=[-0.3, 1, 0.1], normal=[1, 0, 0])
    once = do(posed, "mirror")
    assert "pin RightHand" in ids(once)
    assert once.goal("aim Head").target == pytest.approx((-0.4, 1.6, 3.0))  # type: ignore[union-attr]
    pinned = once.goal("pin RightHand")
    assert pinned is not None
    assert np.allclose(pinned.target[:3], figure.placements(once.pose, ["RightHand"])[0][:3, 3], atol=1e-9)
    twice = do(once, "mirror")
    assert np.allclose(figure.difference(twice.pose, posed.pose), 0.0, atol=1e-9)
    for goal in posed.goals:
        image = twice.goal(goal.id)
        assert image is not None
        assert np.allclose(image.target, goal.target, atol=1e-9) or np.allclose(
            image.target[3:], [-x for x in goal.target[3:]]
        )
        assert image.group == goal.group


def test_goals_that_were_met_are_met_in_the_mirror() -> None:
    figure, _, scene = person()
    posed = scene.with_pose(bent(5))
    for segment in ("LeftHand", "RightForeArm"):
        posed = do(posed, "pin", segment=segment)
    posed = replace(posed, goals=tuple(g for g in posed.goals if g.role == "pin"))
    once = do(posed, "mirror")
    solver = mk.Solver(figure, [g.goal(figure) for g in once.goals])
    assert all(report.reached for report in solver.explain(once.pose))


def test_a_copied_pose_is_pasted_as_it_is_or_mirrored() -> None:
    figure, _, scene = person()
    text = pose_text(bent(4))
    assert pose_text(do(scene, "paste", copied=text).pose) == text
    image = do(scene, "paste", copied=text, mirrored=True)
    assert np.allclose(figure.difference(image.pose, figure.mirrored(bent(4))), 0.0, atol=1e-9)
    foot = image.goal("foot LeftToeBase")
    assert foot is not None
    assert np.allclose(foot.target[:3], figure.placements(image.pose, ["LeftToeBase"])[0][:3, 3])


def test_keys_are_set_moved_eased_and_deleted() -> None:
    scene = do(person()[2], "key", frame=10)
    scene = do(scene, "key", frame=200)
    assert scene.last_frame == 200
    assert [k.frame for k in do(scene, "move-key", frame=10, to=40).keys] == [40, 200]
    assert [k.frame for k in do(scene, "move-key", frame=10, to=200).keys] == [200]
    assert do(scene, "ease-key", frame=10, easing="hold").keys[0].easing == "hold"
    assert [k.frame for k in do(scene, "unkey", frame=10).keys] == [200]
    with pytest.raises(ManikinError, match="no key"):
        do(scene, "unkey", frame=11)


def test_reset_gives_the_first_pose_and_goals_and_keeps_the_keys() -> None:
    scene = do(do(person()[2], "pin", segment="LeftHand", pose=pose_text(bent())), "key", frame=3)
    reset = do(scene, "reset")
    assert pose_text(reset.pose) == pose_text(person()[0].rest)
    assert ids(reset) == ids(person()[2])
    assert len(reset.keys) == 1


@pytest.mark.parametrize(
    ("name", "args", "words"),
    [
        ("fly", {}, "fly"),
        ("pin", {}, "segment"),
        ("pin", {"segment": "Tail"}, "Tail"),
        ("pin", {"segment": 3}, "3"),
        ("pin", {"segment": "LeftHand", "colour": "red"}, "colour"),
        ("aim", {"segment": "Head", "target": [0, 1]}, "target"),
        ("aim", {"segment": "Head", "target": [0, 1, float("nan")]}, "target"),
        ("goal", {"id": "balance", "weight": -1.0}, "weight"),
        ("goal", {"id": "balance", "weight": "heavy"}, "heavy|weight"),
        ("goal", {"id": "balance", "segment": "Hips"}, "segment"),
        ("goal", {"id": "nothing"}, "nothing"),
        ("freeze", {"joints": ["Tail"]}, "Tail"),
        ("freeze", {"joints": 3}, "does not fit"),
        ("key", {"frame": -1}, "frame -1"),
        ("key", {"frame": "ten"}, "ten"),
        ("timing", {"fps": 0, "last_frame": 10}, "frames a second"),
        ("timing", {"fps": 30, "last_frame": 0.5}, "ends at frame 0.5; it needs .* a whole number"),
        ("timing", {"fps": 30, "last_frame": True}, "ends at frame True"),
        ("rename", {"name": ""}, "name"),
        ("pose", {"pose": "AAAA"}, "bytes"),
        ("pose", {"pose": "#"}, "base64"),
        ("pose", {"pose": 3}, "base64"),
        ("paste", {"copied": pose_text(np.full(mk.human().nq, np.nan))}, "pose"),
    ],
)
def test_bad_commands_are_refused(name: str, args: Any, words: str) -> None:
    figure, roles, scene = person()
    with pytest.raises(ManikinError, match=words):
        apply(scene, figure, roles, name, args)


# Files


def test_a_scene_is_saved_without_loss(tmp_path: Path) -> None:
    scene = do(person()[2], "aim", segment="Head", target=[0.1, 1.6, 3], pose=pose_text(bent(1)))
    scene = do(do(scene, "freeze", joints=["Spine"]), "key", frame=7)
    scene = replace(scene, view=View((1.0, 2.0, 3.0), (0.0, 1.0, 0.0), "dark", ghosts=False), name='A "name"\n')
    path = tmp_path / "a.manikin.json"
    scene.save(path)
    assert same(StudioScene.load(path), scene)
    assert StudioScene.load(path).view == scene.view
    assert json.loads(path.read_text())["manikin-scene"] == 1


def test_figures_come_back_from_their_source(tmp_path: Path) -> None:
    human = FigureSource("builtin", "human", {"height": 1.6})
    assert human.figure() == mk.human(height=1.6)
    arm = mk.chain(3)
    assert FigureSource.from_dict(FigureSource.of_figure(arm).to_dict()).figure() == arm
    file = tmp_path / "arm.json"
    mk.save(arm, file)
    source = FigureSource.of_file(file)
    assert FigureSource.from_dict(json.loads(json.dumps(source.to_dict()))).figure([tmp_path]) == arm
    mk.save(mk.chain(4), file)
    with pytest.raises(BadFile, match="checksum"):
        source.figure([tmp_path])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"manikin-scene": 2}, "newer manikin"),
        ({"manikin-scene": None}, "not a scene"),
        ({"pose": "x"}, "malformed"),
        ({"goals": [{"id": "a", "kind": "jump", "role": "pin"}]}, "kind is 'jump'"),
        ({"goals": [{"id": "a", "kind": "aim"}]}, "role"),
        ({"goals": [{"id": "a", "kind": "balance", "role": "balance", "x": 1}]}, "unknown field 'x'"),
        ({"figure": {"kind": "file", "name": "../x.bvh"}}, "without folders"),
        ({"figure": {"kind": "builtin", "name": "dragon"}}, "dragon"),
        ({"figure": 3}, "'kind' and 'name'"),
        ({"view": {"theme": "pink"}}, "pink"),
        ({"view": {"colour": "pink"}}, "malformed"),
        ({"fps": -1}, "frames a second"),
        ({"keys": [{"frame": 1, "pose": [], "easing": "x"}]}, "easing"),
    ],
)
def test_bad_scene_files_are_refused(change: Any, words: str, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps({**person()[2].to_dict(), **change}))
    with pytest.raises(BadFile, match=words):
        StudioScene.load(path)


def test_ids_and_frames_are_unique() -> None:
    scene, goal = person()[2], SceneGoal("a", "balance", "balance", segments=("LeftFoot",))
    with pytest.raises(ManikinError, match="two goals"):
        replace(scene, goals=(goal, goal))
    with pytest.raises(ManikinError, match="two keys"):
        replace(scene, keys=(Key(1, scene.pose), Key(1, scene.pose)))


# The script


def test_the_script_makes_the_same_pose(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Any) -> None:
    scene = do(person()[2], "aim", segment="Head", target=[0.1, 1.6, 3], pose=pose_text(bent(1)))
    scene = do(do(scene, "pin", segment="LeftHand"), "freeze", joints=["Spine"])
    scene = do(scene, "goal", id="pin LeftHand", weight=2.0)
    scene = replace(scene, name='"""; import os; """ \\ \n')
    (text,) = script_files(scene, person()[0]).values()
    names: dict[str, Any] = {}
    exec(compile(text, "pose.py", "exec"), names)
    assert names["pose"].tobytes() == scene.pose.tobytes()
    assert "os" not in names
    mine = [g.goal(person()[0]) for g in scene.goals]
    assert [(g.label, g.weight, g.priority, g.allowed) for g in names["solver"].goals] == [
        (g.label, g.weight, g.priority, g.allowed) for g in mine
    ]
    assert np.array_equal(names["solver"].targets, mk.Solver(person()[0], mine).targets)
    assert capsys.readouterr().out


def test_the_script_of_a_figure_in_memory_comes_with_its_figure(tmp_path: Path, monkeypatch: Any) -> None:
    arm = mk.chain(4)
    scene = StudioScene.begin(FigureSource.of_figure(arm), arm).with_pose(arm.random(np.random.default_rng(1)))
    files = script_files(scene, arm)
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec((tmp_path / "pose.py").read_text(), names)
    assert names["pose"].tobytes() == scene.pose.tobytes()


def test_every_command_has_a_docstring() -> None:
    assert all(command.__doc__ for command in COMMANDS.values())
    assert pose_of(person()[0], pose_text(bent())).tobytes() == bent().tobytes()
    assert commands.pose_text(bent()) == pose_text(bent())


def test_a_figure_whose_feet_have_no_shapes_stands_without_a_balance_goal() -> None:
    person = mk.human()
    bare = mk.Figure(
        person.name,
        [replace(s, shapes=()) if "Foot" in s.name or "Toe" in s.name else s for s in person.segments],
        up=person.up,
        unit=person.unit,
    )
    scene = StudioScene.begin(FigureSource.of_figure(bare), bare).checked(bare)
    assert scene.goal("balance") is None
    assert scene.goal("foot LeftToeBase") is not None


@pytest.mark.parametrize("kind", ["builtin", "file", "record"])
def test_the_names_of_arguments_in_a_scene_file_are_no_code(kind: str, tmp_path: Path) -> None:
    """They stand in the exported script as they are."""
    figure = mk.chain(2)
    sources = {"builtin": FigureSource("builtin", "human"), "record": FigureSource.of_figure(figure)}
    data = StudioScene(sources.get(kind, FigureSource("file", "a.bvh")), figure.rest).to_dict()
    data["figure"]["arguments"] = {"root='free'); raise SystemExit(3) #": 1}
    path = tmp_path / "a.manikin.json"
    path.write_text(json.dumps(data))
    with pytest.raises(ManikinError, match=f"a {kind} has no argument \"root='free'"):
        StudioScene.load(path)
