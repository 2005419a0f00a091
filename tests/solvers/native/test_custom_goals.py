"""Goals in Python (`Custom`): limits, priorities, restarts and minima as with goals that are built in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import manikin as mk
from manikin import backend

HUMAN = mk.human()


def at(target: Any) -> Callable[[np.ndarray], np.ndarray]:
    return lambda placements: placements[0, :3, 3] - np.asarray(target)


def where(name: str) -> np.ndarray:
    return np.asarray(HUMAN.placements(HUMAN.rest, [name])[0, :3, 3])


def test_restarts_find_what_the_native_solver_finds() -> None:
    """A chain with limits, in which three starts of four may end in the same local minimum."""
    chain = mk.chain(3, mk.Hinge(axis=(0, 0, 1), limits=(-2.5, 2.5)), planar=True)
    rng = np.random.default_rng(1)
    for _ in range(30):
        target = chain.placements(chain.random(rng), ["Tip"])[0, :3, 3]
        solution = mk.solve(chain, mk.Custom("Tip", at(target), rows=3))
        assert solution.reached
        assert chain.violation(solution.pose) == 0.0


def test_out_of_reach_it_ends_at_the_nearest_point() -> None:
    for target in ((3.0, 1.0, 0.0), (0.5, 3.0, -1.0), (-2.0, 0.5, 0.5)):
        native, python = (
            mk.solve(HUMAN, goal, freeze=["Hips"])
            for goal in (mk.Position("LeftHand", target), mk.Custom("LeftHand", at(target), rows=3))
        )
        assert python.errors[0] <= native.errors[0] + 2e-3
        assert HUMAN.violation(python.pose) <= 1e-9


@pytest.mark.parametrize("upper", ["feet", "hand"])
def test_priorities_are_kept_above_and_below(upper: str) -> None:
    feet: list[mk.Goal] = [mk.Custom(name, at(where(name)), rows=3) for name in ("LeftFoot", "RightFoot")]
    hand: mk.Goal = mk.Position("LeftHand", (40.0, 1.0, 0.0), priority=1)
    if upper == "hand":
        feet = [mk.Position(name, where(name)) for name in ("LeftFoot", "RightFoot")]
        hand = mk.Custom("LeftHand", at((40.0, 1.0, 0.0)), rows=3, priority=1)
    solution = mk.solve(HUMAN, [*feet, hand], restarts=2)
    assert not solution.reached
    assert np.all(solution.errors[:2] <= solution.tolerances[:2])
    assert HUMAN.violation(solution.pose) <= 1e-9


def test_a_hand_reaches_round_a_box_and_lets_it_be() -> None:
    box = mk.Box((0.1, 0.1, 0.1), (0.35, 1.05, 0.35))
    feet = [mk.Position(name, where(name)) for name in ("LeftFoot", "RightFoot")]
    behind = mk.Custom("LeftHand", at((0.35, 1.05, 0.55)), rows=3, priority=1)
    solution = mk.solve(HUMAN, [mk.Clearance(0.01, obstacles=[box]), *feet, behind], restarts=5)
    assert solution.reached
    assert HUMAN.violation(solution.pose) <= 1e-9


@pytest.mark.skipif(not backend.native, reason="MANIKIN_BACKEND=reference: there is no native solver")
@pytest.mark.parametrize(
    "goals",
    [
        [mk.Custom("Head", at(where("Head") + 0.05), rows=3)],
        [mk.AnyOf(mk.Custom("Head", at(where("Head") + 0.05), rows=3), mk.Aim("Head", (0, 0, 1)))],
        [mk.Balance(["LeftFoot"], points={"LeftFoot": np.random.default_rng(0).uniform(-0.1, 0.1, (65, 3))})],
    ],
    ids=["custom", "custom in an any of", "many contacts"],
)
def test_a_solver_takes_goals_in_python(goals: list[mk.Goal]) -> None:
    assert mk.Solver(HUMAN, goals).solve().reached


def test_a_position_with_its_axes_in_another_order_is_reached() -> None:
    """As a native part its target would be read in the order x, y, z."""
    human = mk.human()
    point = human.placements(human.rest, ["LeftHand"])[0, :3, 3] + [0.05, 0.1, 0.15]
    goal = mk.Position("LeftHand", point[::-1], axes="zyx")
    solution = mk.solve(human, goal)
    assert solution.reached
    hand = human.placements(solution.pose, ["LeftHand"])[0, :3, 3]
    assert np.linalg.norm(hand - point) <= 1e-4 * human.size
    if backend.native:
        hand = human.placements(mk.Solver(human, goal).solve().pose, ["LeftHand"])[0, :3, 3]
        assert np.linalg.norm(hand - point) <= 1e-4 * human.size
