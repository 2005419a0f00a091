"""Strict priorities: earlier levels are kept, for any weight and distance of later ones."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin import backend

pytestmark = pytest.mark.skipif(not backend.native, reason="MANIKIN_BACKEND=reference: there is no native solver")

HUMAN = mk.human()
FEET = [mk.Placement(s, HUMAN.placements(HUMAN.rest, [s])[0]) for s in ("LeftFoot", "RightFoot")]


@pytest.mark.parametrize("weight", [1.0, 100.0, 1e6])
@pytest.mark.parametrize("far", [1.0, 10.0, 1e3, 1e6])
def test_feet_and_balance_are_kept_below_a_hand_that_is_drawn_away(far: float, weight: float) -> None:
    above = [*FEET, mk.Balance(["LeftFoot", "RightFoot"])]
    rng = np.random.default_rng(int(far))
    for _ in range(4):
        away = rng.normal(size=3)
        target = np.array([0.0, 1.0, 0.0]) + far * away / np.linalg.norm(away)
        goals = [*above, mk.Position("RightHand", target, priority=1, weight=weight)]
        for found in (mk.solve(HUMAN, goals), mk.Solver(HUMAN, goals).solve()):
            tolerances = mk.solve(HUMAN, goals).tolerances
            assert np.all(found.errors[:3] <= tolerances[:3])


def test_how_heavy_a_whole_level_is_makes_no_difference_to_where_it_ends() -> None:
    """Only the levels above hold it back, and these do not give way."""
    ends = []
    for weight in (1.0, 100.0, 1e4):
        goals = [*FEET, mk.Position("RightHand", (1.2, -9.6, 2.3), priority=1, weight=weight)]
        ends.append(mk.solve(HUMAN, goals).errors[2])
    np.testing.assert_allclose(ends, ends[0], rtol=1e-3)


def test_goals_of_one_level_stay_to_each_other_as_they_are_weighed() -> None:
    def pulled(weight: float) -> np.ndarray:
        goals = [
            *FEET,
            mk.Position("RightHand", (-30.0, 1.0, 0.0), priority=1, weight=weight),
            mk.Position("LeftHand", (30.0, 1.0, 0.0), priority=1, weight=10 * weight),
        ]
        solution = mk.solve(HUMAN, goals)
        assert np.all(solution.errors[:2] <= solution.tolerances[:2])
        return np.asarray(solution.errors[2:])

    np.testing.assert_allclose(pulled(1.0), pulled(100.0), atol=5e-3)
