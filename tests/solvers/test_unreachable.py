"""Goals out of reach: the cost that remains is the least there is, and what can be met is met."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin import backend
from manikin.problem import Problem

pytestmark = pytest.mark.skipif(not backend.native, reason="MANIKIN_BACKEND=reference: there is no native solver")

ARMS = [
    f"{side}{part}" for side in ("Left", "Right") for part in ("Shoulder", "Arm", "ForeArm", "ForeArmTwist", "Hand")
]


def least_by_lbfgsb(figure: mk.Figure, goals: list[mk.Goal], rng: np.random.Generator, starts: int) -> float:
    """The least cost that L-BFGS-B finds from the rest pose and from random poses."""
    problem = Problem(figure, goals)
    poses = [figure.rest, *figure.random(rng, starts - 1)]
    found = (mk.solve(figure, goals, q, method="lbfgsb", alpha=0.0, iterations=300).pose for q in poses)
    return min(problem.at(q).cost for q in found)


def limited_chain() -> mk.Figure:
    return mk.chain([1.0, 0.8, 0.6, 0.5], mk.Hinge(limits=(-1.5, 1.5)), planar=True)


@pytest.mark.parametrize("seed", range(12))
def test_on_a_chain_the_cost_is_within_a_hundredth_of_the_best_known(seed: int) -> None:
    rng = np.random.default_rng(seed)
    chain = limited_chain()
    goals = [
        mk.Position("Tip", 3 * rng.normal(size=2), axes="xy"),
        mk.Position("Segment3", 1.5 * rng.normal(size=2), axes="xy"),
    ]
    solution = mk.solve(chain, goals)
    assert chain.violation(solution.pose) == 0.0
    if not solution.reached:
        assert Problem(chain, goals).at(solution.pose).cost <= 1.01 * least_by_lbfgsb(chain, goals, rng, 12)


@pytest.mark.parametrize("seed", range(4))
def test_on_an_arm_the_cost_is_within_a_hundredth_of_the_best_known(data, seed: int) -> None:
    rng = np.random.default_rng(seed)
    arm = mk.load_figure(data / "urdf" / "panda.urdf")
    target = arm.placements(arm.random(rng), ["panda_hand"])[0]
    target[:3, 3] += 1.5 * rng.normal(size=3)
    goals = [mk.Placement("panda_hand", target)]
    solution = mk.solve(arm, goals)
    if not solution.reached:
        assert Problem(arm, goals).at(solution.pose).cost <= 1.01 * least_by_lbfgsb(arm, goals, rng, 10)


def test_what_can_be_met_is_met_beside_a_goal_far_out_of_reach() -> None:
    """One hand is asked to go metres away; the other, which does not depend on it, gets where it should."""
    rng = np.random.default_rng(3)
    human = mk.human()
    met = 0
    for q in human.random(rng, 60):
        bent = human.pose({j: q[human.index_of(j) :][: human.segment(j).joint.nq] for j in ARMS})
        left, right = human.placements(bent, ["LeftHand", "RightHand"])
        away = rng.normal(size=3)
        goals = [
            mk.Placement("LeftHand", left),
            mk.Position("RightHand", right[:3, 3] + 4.0 * away / np.linalg.norm(away)),
        ]
        solution = mk.solve(human, goals, only=ARMS)
        assert not solution.reached
        met += solution.errors[0] <= solution.tolerances[0]
    assert met >= 57


def test_contradictory_goals_share_what_is_missing_by_their_weights() -> None:
    arm = mk.chain([1.0, 1.0, 1.0], planar=True)
    apart = [mk.Position("Tip", (1.0, y), axes="xy", weight=w) for y, w in ((1.0, 1.0), (1.4, 3.0))]
    solution = mk.solve(arm, apart)
    assert not solution.reached
    np.testing.assert_allclose(solution.errors, [0.3, 0.1], atol=1e-3)
