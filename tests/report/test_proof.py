"""The first suggested change was checked by a new solve from the start, and works."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import manikin as mk
from manikin.problem import Problem
from manikin.report import Change
from manikin.report.findings import Finding
from manikin.report.known import Known
from manikin.report.proof import proved, working

ARM = mk.chain([1.0, 0.8, 0.5], mk.Hinge(limits=(-0.8, 0.8)))
BEHIND = mk.Position("Tip", (0.2, 1.9), axes="xy")


def known_of(*goals: Any) -> Known:
    solution = mk.solve(ARM, goals)
    return Known.of(Problem(ARM, solution.goals), np.array(solution.pose), 0)


def widening(amount: float) -> Change:
    return Change("widen_limit", (("Segment1 (upper)", amount),), "rad", verified=True)


def test_a_widening_that_is_too_small_is_made_larger() -> None:
    known = known_of(BEHIND)
    enough = next(a for a in np.arange(0.01, 1.5, 0.01) if working(known, 0, widening(float(a))) is not None)
    larger = working(known, 0, widening(float(enough)))
    assert larger is not None
    assert larger.amount > enough
    assert mk.solve(*larger.applied(ARM, [BEHIND])).reached


def test_a_change_that_cannot_be_made_to_work_comes_last_and_is_not_verified() -> None:
    known = known_of(BEHIND)
    hopeless = Change("widen_limit", (("Segment3 (lower)", 0.01),), "rad", verified=True)
    finding = proved(known, 0, Finding(changes=[hopeless, widening(1.0)]))
    assert [c.parts[0][0] for c in finding.changes] == ["Segment1 (upper)", "Segment3 (lower)"]
    assert [c.verified for c in finding.changes] == [True, False]


def test_a_weight_is_lowered_further_until_it_is_low_enough() -> None:
    goals = [mk.Position("Tip", (2.0, y), axes="xy", tolerance=0.01) for y in (0.6, 0.8)]
    known = known_of(*goals)
    change = Change("lower_weight", (("Position Tip (2)", 0.08),), verified=True, goals=(1,))
    lower = working(known, 0, change)
    assert lower is not None
    assert lower.amount < 0.08
    figure, changed = lower.applied(ARM, goals)
    again = mk.solve(figure, changed)
    assert again.errors[0] <= again.tolerances[0]


def test_a_goal_that_must_be_dropped_is_one_without_which_a_plain_solve_meets_the_other() -> None:
    goals = [mk.Position("Tip", (2.0, y), axes="xy") for y in (0.6, 0.8)]
    known = known_of(*goals)
    drop = Change("drop_goal", (("Position Tip (2)", 0.0),), goals=(1,))
    assert working(known, 0, drop) == drop
    third = [*goals, replace(goals[1], name="third")]
    assert working(known_of(*third), 0, drop) is None


def test_a_pose_in_hand_needs_no_proof() -> None:
    known = known_of(BEHIND)
    finding = proved(known, 0, Finding(changes=[Change("use_pose", (("pose", 0.0),), verified=True)]))
    assert finding.changes[0].what == "use_pose"
    assert known.resolver.solves == 0
