"""An AnyOf gives the same answer in `solve`, in a row of `solve_many` and in `mk.solve`, whatever its members weigh."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin import backend
from manikin.errors import BadValue

pytestmark = pytest.mark.skipif(not backend.native, reason="MANIKIN_BACKEND=reference: there is no native solver")

HANDS = ("LeftHand", "RightHand", "Head")


def drawn(figure: mk.Figure, rng: np.random.Generator) -> list[mk.Goal]:
    """One to three goals that compete, most of them an AnyOf of one to three members; all its weights may be 0."""
    goals: list[mk.Goal] = []
    for _ in range(rng.integers(1, 4)):
        silent = rng.uniform() < 0.2
        members = [
            mk.Position(
                str(rng.choice(HANDS)),
                figure.placements(figure.random(rng), [str(rng.choice(HANDS))])[0, :3, 3] * rng.uniform(0.5, 1.5),
                weight=0.0 if silent else float(10.0 ** rng.uniform(-2.0, 1.0)),
            )
            for _ in range(rng.integers(1, 4))
        ]
        either = mk.AnyOf(*members, weight=float(rng.choice([0.3, 1.0, 2.0])), priority=int(rng.integers(2)))
        goals.append(either if rng.uniform() < 0.8 else members[0])
    return goals


@pytest.mark.parametrize("seed", range(40))
def test_every_call_gives_the_same_answer(seed: int) -> None:
    rng, figure = np.random.default_rng(seed), mk.human()
    goals, start = drawn(figure, rng), figure.random(rng)
    solver = mk.Solver(figure, goals)
    one, other = solver.solve(start), mk.solve(figure, goals, start)
    for threads in (1, 2):
        row = solver.solve_many(np.stack([start, start]), threads=threads)[1]
        assert np.array_equal(one.pose, row.pose)
        assert np.array_equal(one.errors, row.errors)
        assert one.chosen == row.chosen
        assert one.status == row.status
    assert np.allclose(one.pose, other.pose, atol=1e-12)
    assert np.allclose(one.errors, other.errors, atol=1e-9)
    assert one.status == other.status


@pytest.mark.parametrize("goal", [mk.Position, lambda *a, **k: mk.AnyOf(mk.Position(*a, **k))], ids=["alone", "any of"])
def test_the_error_of_a_goal_of_weight_0_is_reported_everywhere(goal) -> None:
    figure, there = mk.human(), np.array([0.3, 1.2, 0.3])
    goals = [goal("LeftHand", there, weight=0.0, tolerance=0.01), mk.Position("LeftHand", (0.5, 1.0, 0.2))]
    solver = mk.Solver(figure, goals)
    frames = np.tile(solver.targets, (4, 1))
    found = [solver.solve(), solver.solve_many()[0], mk.solve(figure, goals), solver.track(figure.rest, frames)[2]]
    found.append(solver.track(figure.rest, frames, before=frames[0])[3])
    found.append(solver.solve(weights=np.array([0.0, 1.0])))
    for solution in found:
        hand = figure.placements(solution.pose, ["LeftHand"])[0, :3, 3]
        assert solution.reached
        assert solution.errors[0] == pytest.approx(np.linalg.norm(hand - there), abs=1e-9)
        assert solution.errors[0] > 0.1


def test_the_error_of_a_goal_that_is_not_active_stays_0() -> None:
    solver = mk.Solver(mk.human(), [mk.Position(name, (0.3, 1.2, 0.3)) for name in HANDS[:2]])
    targets = solver.targets.copy()
    targets[:3] = np.nan
    assert solver.solve(targets=targets, active=np.array([False, True])).errors[0] == 0.0
    assert solver.solve(targets=targets, active=[False, True], weights=[0.0, 1.0]).errors[0] == 0.0


def test_a_member_that_would_be_reached_anywhere_is_refused() -> None:
    here, there = mk.Position("LeftHand", (0, 1, 0), weight=0.0), mk.Position("RightHand", (0, 1, 0))
    with pytest.raises(BadValue, match="member 'Position LeftHand' has weight 0"):
        mk.AnyOf(here, there)
    mk.solve(mk.human(), mk.AnyOf(there, there, weight=0.0))  # it does not count as a whole
