"""A drag that prefers a natural pose: it reaches its target, keeps the feet, and comes nearer to what people do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import manikin as mk
from manikin.goals import Goal
from manikin.prior.start import NaturalStart
from manikin.studio.drag import Drag
from manikin.studio.figures import FigureSource
from manikin.studio.goals import SceneGoal
from manikin.studio.pace import MOST_TURN
from manikin.studio.scene import StudioScene
from manikin.studio.turns import largest_turn
from manikin.studio.wishes import natural_wishes, why_not_natural

HUMAN = mk.human()
SCENE = StudioScene.begin(FigureSource("builtin", "human"), HUMAN)


def pulled(segment: str, by: Any, natural: bool, frames: int = 30, rests: int = 60) -> tuple[Drag, float]:
    """A part pulled in a straight line, then at rest. Also returns the largest turn of a joint in a frame."""
    drag = Drag(HUMAN, HUMAN.rest, SCENE.goals, natural=natural, budget=None)
    at = HUMAN.placements(HUMAN.rest, [segment])[0][:3, 3]
    drag.grab(segment, at)
    most, before = 0.0, drag.pose
    for k in range(frames + rests):
        if k < frames:
            drag.move(at + (k + 1) / frames * np.asarray(by))
        elif drag.settled:
            break
        else:
            drag.rest()
        most, before = max(most, largest_turn(HUMAN, before, drag.pose)), drag.pose
    return drag, most


@pytest.mark.parametrize(
    ("segment", "by"), [("RightHand", (0.3, 0.3, 0.2)), ("LeftHand", (0.0, -0.3, 0.4)), ("Hips", (0.0, -0.4, 0.0))]
)
def test_the_target_is_reached_and_the_toes_stay(segment: str, by: Any) -> None:
    drag, most = pulled(segment, by, natural=True)
    at = HUMAN.placements(drag.pose, [segment])[0][:3, 3]
    assert np.linalg.norm(at - HUMAN.placements(HUMAN.rest, [segment])[0][:3, 3] - by) < 2e-3
    toes = ["LeftToeBase", "RightToeBase"]
    moved = HUMAN.placements(drag.pose, toes)[:, :3, 3] - HUMAN.placements(HUMAN.rest, toes)[:, :3, 3]
    assert np.linalg.norm(moved, axis=1).max() < 5e-4
    assert most <= MOST_TURN + 0.01
    assert HUMAN.violation(drag.pose) <= 1e-9


def far_from_natural(drag: Drag, goals: list[Goal]) -> float:
    """The distance of a pose from the natural pose for its goals, in standard deviations of recorded people."""
    start = NaturalStart(HUMAN, [goal.on(HUMAN) for goal in goals])
    (wanted,) = start.starts(drag.row[None, : drag.held.stop], np.ones(len(goals)))
    step = HUMAN.difference(wanted, drag.pose)
    return float(np.sqrt(np.mean(start.stiffness(1.0) * step**2)))


def test_it_comes_nearer_to_the_natural_pose() -> None:
    rng = np.random.default_rng(19)
    far: dict[bool, list[float]] = {True: [], False: []}
    for _ in range(8):
        by = rng.uniform((-0.3, -0.2, 0.1), (0.3, 0.5, 0.4))
        for natural in (True, False):
            drag, _ = pulled("RightHand", by, natural)
            goals = list(drag.solver.goals[:-1])
            far[natural].append(far_from_natural(drag, goals))
    assert np.mean(far[True]) < np.mean(far[False]), far


def test_the_same_drag_gives_the_same_bits() -> None:
    first, second = (pulled("RightHand", (0.2, 0.2, 0.2), natural=True)[0].pose for _ in range(2))
    assert first.tobytes() == second.tobytes()


def test_figures_that_are_no_people_are_dragged_as_ever() -> None:
    dog = mk.quadruped()
    assert why_not_natural(HUMAN) == ""
    assert why_not_natural(dog).startswith("it is not recognised as a person: it has no left hand")
    assert natural_wishes(dog, []) == {}
    assert natural_wishes(HUMAN, []) == {}  # no goal places a hand, a foot, the head or the pelvis
    elbow = SceneGoal("pin LeftForeArm", "position", "pin", "LeftForeArm", (0.5, 1.0, 0.1)).goal(HUMAN)
    assert natural_wishes(HUMAN, [elbow]) == {}
    feet = [goal.goal(HUMAN) for goal in SCENE.goals]
    wishes = natural_wishes(HUMAN, feet)
    assert wishes["prefer"] == "natural"
    assert list(wishes["active"]) == [True] * len(feet) + [False]
    name = dog.segments[-1].name
    at = dog.placements(dog.rest, [name])[0][:3, 3]
    poses = []
    for natural in (True, False):
        drag = Drag(dog, dog.rest, (), natural=natural, budget=None)
        drag.grab(name, at)
        poses.append(drag.move(at + 0.05).pose)
    np.testing.assert_array_equal(*poses)
