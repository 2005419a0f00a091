"""Proofs from lengths alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import manikin as mk
from manikin.goals import Effector
from manikin.problem import Problem
from manikin.report.reach import Lengths


def lengths(figure: mk.Figure, **options: object) -> Lengths:
    tip = figure.segment_names[-1]
    return Lengths(Problem(figure, mk.Position(tip, (0, 0, 0)), **options), figure.rest)


def test_a_target_beyond_the_sum_of_the_lengths_is_out_of_reach_by_the_difference() -> None:
    arm = mk.chain([1.0, 0.5, 0.25], planar=True)
    short = lengths(arm).shortfall(mk.Position("Tip", (0.0, 2.0, 0.0)))
    assert short is not None
    assert short.amount == pytest.approx(0.25)
    assert (short.distance, short.reach, short.base) == (pytest.approx(2.0), pytest.approx(1.75), "Segment1")


def test_a_target_within_the_lengths_proves_nothing() -> None:
    short = lengths(mk.chain(3, planar=True)).shortfall(mk.Position("Tip", (2.0, 0.0, 0.0)))
    assert short is not None
    assert short.amount < 0.0


def test_a_free_root_reaches_everything() -> None:
    assert lengths(mk.human()).shortfall(mk.Position("LeftHand", (100.0, 0.0, 0.0))) is None


def test_slides_reach_as_far_as_they_go() -> None:
    rail = mk.Figure(
        "rail",
        [
            mk.Segment("Base"),
            mk.Segment("Cart", "Base", mk.Slider((1, 0, 0), (-0.5, 2.0))),
            mk.Segment("Arm", "Cart", mk.Hinge((0, 0, 1))),
            mk.Segment("Tip", "Arm", offset=(1.0, 0.0, 0.0)),
        ],
    )
    short = lengths(rail).shortfall(mk.Position("Tip", (4.0, 0.0, 0.0)))
    assert short is not None
    assert short.reach == pytest.approx(3.0)
    endless = rail.replaced(
        segments=[rail.segments[0], mk.Segment("Cart", "Base", mk.Slider((1, 0, 0))), *rail.segments[2:]]
    )
    assert lengths(endless).shortfall(mk.Position("Tip", (4.0, 0.0, 0.0))) is None


def test_joints_that_may_not_move_are_rigid() -> None:
    arm = mk.chain(3, planar=True)
    bent = arm.pose({"Segment2": np.pi / 2})
    problem = Problem(arm, mk.Position("Tip", (0, 0, 0)), bent, freeze=["Segment2", "Segment3"])
    short = Lengths(problem, bent).shortfall(mk.Position("Tip", (3.0, 0.0, 0.0)))
    assert short is not None
    assert short.reach == pytest.approx(np.sqrt(5.0))


def test_planes_lines_and_distances_are_measured_from_the_first_joint() -> None:
    known = lengths(mk.chain(2, planar=True))
    plane = known.shortfall(mk.Plane("Tip", (0, 3, 0), (0, 1, 0)))
    line = known.shortfall(mk.Line("Tip", (0, 4, 0), (1, 0, 0)))
    near = known.shortfall(mk.Distance("Tip", (0, 5, 0), 1.0, kind="at_most"))
    far = known.shortfall(mk.Distance("Tip", (0, 5, 0), 8.0, kind="at_least"))
    assert [round(s.amount, 9) for s in (plane, line, near, far) if s is not None] == [1.0, 2.0, 2.0, 1.0]
    above = known.shortfall(mk.Plane("Tip", (0, 3, 0), (0, 1, 0), side="below"))
    assert above is not None
    assert above.amount < 0.0


def test_targets_farther_apart_than_the_way_between_their_effectors_conflict() -> None:
    known = lengths(mk.human())
    hands = [mk.Position(s, (x, 1.2, 0.3), tolerance=1e-3) for s, x in (("LeftHand", 1.5), ("RightHand", -1.5))]
    reach = known.between(Effector("LeftHand"), Effector("RightHand"))
    assert 1.0 < reach < 2.5
    assert known.apart(*hands) == pytest.approx(3.0 - 2e-3 - reach)
    assert known.apart(hands[0], mk.Orientation("Head", (1, 0, 0, 0), tolerance=1e-3)) == 0.0


@given(st.integers(0, 10_000))
def test_no_pose_gets_farther_than_the_lengths_allow(seed: int) -> None:
    rng = np.random.default_rng(seed)
    figure = mk.samples.random_figure(rng, 8)
    poses = figure.random(rng, 6)
    one, two = (figure.segment_names[k] for k in rng.integers(len(figure.segments), size=2))
    problem = Problem(figure, mk.Position(one, (0, 0, 0)), poses[0])
    known = Lengths(problem, problem.start)
    base, reach, _ = known._way(Effector(one))
    at = figure.placements(poses, [one, two])[:, :, :3, 3]
    slack = 1e-9 * (1.0 + figure.size)
    assert np.all(np.linalg.norm(at[:, 0] - base, axis=1) <= reach + slack)
    between = known.between(Effector(one), Effector(two))
    assert np.all(np.linalg.norm(at[:, 0] - at[:, 1], axis=1) <= between + slack)
