"""Methods side by side in the studio, and the examples of the chapter as scenes."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manikin as mk
from manikin.chapter.examples import EXAMPLES
from manikin.errors import BadValue, UnknownName
from manikin.studio import compare
from manikin.studio.compare import Choice, compared, example_scene, goals_of, planar
from manikin.studio.figures import FigureSource
from manikin.studio.goals import pin
from manikin.studio.journal import Journal
from manikin.studio.scene import StudioScene
from manikin.studio.session import Session

HUMAN = mk.human()


@pytest.fixture(autouse=True)
def no_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine a method may not finish within its seconds."""
    monkeypatch.setattr(compare, "SECONDS", np.inf)


def test_a_method_ends_at_its_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compare, "SECONDS", 0.0)
    scene, figure = example_scene("figure-5")
    (run,) = compared(figure, goals_of(figure, scene.goals), scene.pose, [Choice("dls", steps=9)])
    assert run["frames"] < 11
    assert not run["reached"]


@pytest.mark.parametrize("name", [e.name for e in EXAMPLES])
def test_every_example_is_a_scene_that_can_be_saved_and_compared(tmp_path: Path, name: str) -> None:
    scene, figure = example_scene(name)
    scene.checked(figure)
    scene.save(tmp_path / "a.manikin.json")
    again = StudioScene.load(tmp_path / "a.manikin.json")
    assert again.source.figure().segment_names == figure.segment_names
    assert planar(figure)
    goals = goals_of(figure, scene.goals)
    assert [len(g.target) for g in goals] == [2] * len(goals)
    (run,) = compared(figure, goals, scene.pose, [Choice("auto", steps=4)])
    assert run["applies"], run
    assert run["frames"] == 6


def test_two_methods_on_one_move() -> None:
    scene, figure = example_scene("figure-5")
    goals = goals_of(figure, scene.goals)
    loose, tight = compared(
        figure, goals, scene.pose, [Choice("dls", damping=1.0, steps=9), Choice("dls", damping=0.05, steps=9)]
    )
    assert tight["iterations"] < loose["iterations"]
    for run in (loose, tight):
        assert len(run["errors"]) == len(run["steps"]) == len(run["conditions"])
        assert run["reached"]
        rows = np.frombuffer(base64.b64decode(run["rows"]), "<f4").reshape(run["frames"], -1, 7)
        assert np.allclose(rows[0, :, :3], figure.placements(scene.pose)[:, :3, 3], atol=1e-6)
        tip = figure.segment_names.index(goals[0].segment)
        assert np.allclose(rows[-1, tip, :2], goals[0].target, atol=0.2) or goals[0].offset != (0.0, 0.0, 0.0)


def test_a_method_that_does_not_apply_has_a_note() -> None:
    goals = [mk.Position("LeftHand", (0.3, 1.2, 0.3))]
    runs = compared(HUMAN, goals, HUMAN.rest, [Choice("stacked", steps=1), Choice("fabrik", steps=1)])
    assert all(run["applies"] or run["note"] for run in runs)
    assert not planar(HUMAN)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"method": "magic"}, "magic"),
        ({"damping": -1.0}, "damping"),
        ({"steps": 1000}, "at most"),
        ({"steps": -1}, "steps"),
        ({"speed": 1}, "some of"),
        (3, "some of"),
    ],
)
def test_bad_choices_are_refused(given: Any, message: str) -> None:
    with pytest.raises((BadValue, UnknownName), match=message):
        Choice.from_dict(given)


def test_the_page_gets_curves(tmp_path: Path) -> None:
    scene = StudioScene.begin(FigureSource("builtin", "human"), HUMAN)
    moved = HUMAN.rest.copy()
    moved[HUMAN.index_of("RightForeArm")] += 0.6
    held = pin(HUMAN, moved, "RightHand")
    session = Session(Journal.begin(tmp_path / "a.journal", scene, HUMAN))
    ask = {"type": "compare", "methods": [{"method": "dls"}, {"method": "bounded-dls", "damping": 0.2}]}
    (refused,) = session.receive(ask)
    assert "no part has a target position" in json.loads(refused)["text"]
    scene = StudioScene(scene.source, HUMAN.rest, (held,))
    session = Session(Journal.begin(tmp_path / "b.journal", scene, HUMAN))
    (answer,) = session.receive(ask)
    found = json.loads(answer)
    assert found["type"] == "compare"
    assert [run["method"] for run in found["runs"]] == ["dls", "bounded-dls"]
    assert all(run["reached"] and run["errors"][-1] < run["errors"][0] for run in found["runs"])
    assert "error" in session.receive({"type": "compare"})[0]


def test_two_methods_on_the_newest_drag(tmp_path: Path) -> None:
    figure = mk.human()
    scene = StudioScene.begin(FigureSource("builtin", "human"), figure)
    session = Session(Journal.begin(tmp_path / "x.journal", scene, figure))
    place = figure.placements(figure.rest, ["RightHand"])[0]
    drag = {"segment": "RightHand", "offset": [0.0, 0.02, 0.0], "target": (place[:3, 3] + [0.0, 0.1, 0.1]).tolist()}
    ask = {"type": "compare", "methods": [{"method": "dls"}, {"method": "auto"}], "drag": drag}
    (answer,) = session.receive(ask)
    runs = json.loads(answer)["runs"]
    assert [run["reached"] for run in runs] == [True, True]
    for run in runs:
        rows = np.frombuffer(base64.b64decode(run["rows"]), dtype="<f4").reshape(run["frames"], -1, 7)[-1]
        hand = rows[figure.segment_names.index("RightHand")]
        turn = mk.rotations.to_matrix(np.roll(hand[3:].astype(float), 1))
        assert np.linalg.norm(turn @ drag["offset"] + hand[:3] - drag["target"]) < 2e-3
    for bad in (
        "x",
        {},
        {**drag, "segment": "Tail"},
        {**drag, "segment": 3},
        {**drag, "target": [1.0]},
        {**drag, "x": 1},
    ):
        (refused,) = session.receive({**ask, "drag": bad})
        assert json.loads(refused)["type"] == "error"
