"""Goals out of reach: the cost that remains is the least there is, and what can be met is met."""

from __future__ import annotations

import numpy as np
import pytest
from unreachable.judge import Verdict, judged, least_known
from unreachable.kinds import KINDS, cases

import manikin as mk
from manikin import backend

pytestmark = [
    pytest.mark.skipif(not backend.native, reason="MANIKIN_BACKEND=reference: there is no native solver"),
    pytest.mark.uses("data"),  # two of the figures are arms of real files
]

ARMS = [
    f"{side}{part}" for side in ("Left", "Right") for part in ("Shoulder", "Arm", "ForeArm", "ForeArmTwist", "Hand")
]


EACH, STARTS, ENOUGH = 6, 4, 0.95
"""Cases of each kind and random starts of L-BFGS-B; `python -m benchmarks.unreachable` has a hundred and fifty."""


@pytest.fixture(scope="module")
def verdicts() -> list[Verdict]:
    return [judged(case, least_known(case, STARTS)) for case in cases(seed=3, each=EACH)]


def test_whatever_cannot_be_met_gives_a_finite_pose_within_limits_and_says_so(verdicts: list[Verdict]) -> None:
    assert {v.case.kind for v in verdicts} == set(KINDS)
    assert [v.case.key for v in verdicts if not v.sound or v.reached] == []


def test_the_cost_that_is_left_is_within_a_hundredth_of_the_least_known(verdicts: list[Verdict]) -> None:
    poorer = [f"{v.case.key}: {v.cost:.4g}, least known {v.least:.4g}" for v in verdicts if not v.good]
    assert len(poorer) <= (1.0 - ENOUGH) * len(verdicts), poorer


def test_what_can_be_met_is_met_beside_a_goal_far_out_of_reach() -> None:
    """The target of one hand is metres away; the other hand, which does not depend on it, reaches its target."""
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
