"""Too few degrees of freedom, as a reason."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from report.case import feasible, panda, ur5

import manikin as mk


def five(*, limits: tuple[float, float] = (-2.6, 2.6)) -> mk.Figure:
    """Five hinges in space."""
    axes = [(0, 0, 1), (0, 1, 0), (0, 1, 0), (1, 0, 0), (0, 1, 0)]
    return mk.chain([0.3, 0.4, 0.35, 0.3, 0.2], [mk.Hinge(axis=a, limits=limits) for a in axes], name="five")


def torn(figure: mk.Figure, seed: int, tip: str = "Tip") -> Any:
    """A placement with the position of one pose and the orientation of another."""
    one, other = figure.random(np.random.default_rng(seed), 2)
    at = figure.placements(one, [tip])[0]
    at[:3, :3] = figure.placements(other, [tip])[0, :3, :3]
    return at


@pytest.mark.parametrize("seed", range(6))
def test_five_joints_against_six_numbers(seed: int) -> None:
    arm = five()
    at = torn(arm, seed)
    solution = mk.solve(arm, mk.Placement("Tip", at))
    assert not solution.reached
    (report,) = solution.report
    reason = report.reasons[0]
    assert (reason.kind, reason.ways) == ("too_few_joints", (5, 6))
    assert len(reason.culprits) == 5
    assert "5 joints can move it, but its placement fixes 6 numbers" in report.text
    only = next(change for change in report.changes if change.what == "ask_less" and len(change.instead) == 1)
    assert isinstance(only.instead[0], mk.Position)
    assert "sk only for the position." in report.text
    for change in report.changes:
        assert change.verified
        assert mk.solve(*change.applied(arm, solution.goals)).reached


def test_one_axis_left_free_asks_for_less_and_is_met() -> None:
    arm = five()
    solution = mk.solve(arm, mk.Placement("Tip", torn(arm, 1), name="grip"))
    change = solution.report[0].changes[0]
    assert change.what == "ask_less"
    assert [type(goal) for goal in change.instead] == [mk.Position, mk.Aim]
    assert change.instead[0].name == "grip"
    assert "eave the turn about its " in solution.report[0].text
    again = mk.solve(*change.applied(arm, solution.goals))
    assert again.reached
    axis = np.array(change.instead[1].axis)  # type: ignore[attr-defined]
    turned = arm.placements(again.pose, ["Tip"])[0, :3, :3] @ axis
    np.testing.assert_allclose(turned, torn(arm, 1)[:3, :3] @ axis, atol=5e-3)


def test_a_position_and_an_orientation_as_two_goals() -> None:
    arm = five()
    at = torn(arm, 2)
    goals = [mk.Position("Tip", at[:3, 3]), mk.Orientation("Tip", at[:3, :3])]
    for report in mk.solve(arm, goals).report:
        assert (report.reasons[0].kind, report.reasons[0].ways) == ("too_few_joints", (5, 6))
        assert set(report.reasons[0].asking) == {"Position Tip", "Orientation Tip"}
        assert "together fix 6 numbers." in report.text


@pytest.mark.needs("data", "urdf/ur5_robot.urdf")
def test_six_joints_are_not_too_few() -> None:
    """A placement that is torn is out of reach, or a limit blocks it, but not for want of joints."""
    robot = ur5()
    assert robot is not None
    kinds = set()
    for seed in range(8):
        solution = mk.solve(robot, mk.Placement("tool0", torn(robot, seed, "tool0")))
        kinds |= {r.kind for report in solution.report for r in report.reasons}
    assert "too_few_joints" not in kinds


def test_a_plane_asks_for_three_numbers() -> None:
    """Six hinges in the plane are enough for a placement in it; two are one too few."""
    six = mk.chain([0.3] * 6, mk.Hinge(limits=(-2.0, 2.0)))
    edge = np.eye(4)
    edge[:3, 3] = (1.79, 0.0, 0.0)
    edge[:2, :2] = [[0.0, -1.0], [1.0, 0.0]]  # at the edge of reach there is no room to turn
    report = mk.solve(six, mk.Placement("Tip", edge)).report[0]
    assert report.reasons[0].kind == "out_of_reach"
    two = mk.chain([0.6, 0.5], planar=True)
    reason = mk.solve(two, mk.Placement("Tip", torn(two, 0))).report[0].reasons[0]
    assert (reason.kind, reason.ways) == ("too_few_joints", (2, 3))


def test_a_limit_is_named_where_that_alone_is_in_the_way_of_five_joints() -> None:
    """A placement that the same joints with wider limits meet."""
    wide, arm = five(), five(limits=(-1.0, 1.0))
    rng, seen = np.random.default_rng(5), 0
    for _ in range(12):
        pose = rng.uniform(-0.9, 0.9, 5)
        pose[int(rng.integers(5))] = 1.5
        goal = mk.Placement("Tip", wide.placements(pose, ["Tip"])[0])
        if not feasible(arm, [goal], 0):
            seen += 1
            assert mk.solve(arm, goal).report[0].reasons[0].kind == "limit"
    assert seen >= 5


@pytest.mark.needs("data", "urdf/panda.urdf")
def test_frozen_joints_come_first_and_the_count_second() -> None:
    robot = panda()
    assert robot is not None
    at = robot.placements(robot.random(np.random.default_rng(3)), ["panda_hand_tcp"])[0]
    solution = mk.solve(
        robot, mk.Placement("panda_hand_tcp", at), freeze=["panda_joint1", "panda_joint3", "panda_finger_joint1"]
    )
    (report,) = solution.report
    assert report.reasons[0].kind == "frozen"
    few = next(reason for reason in report.reasons if reason.kind == "too_few_joints")
    assert few.ways == (5, 6)
    assert "As it is, 5 joints can move it, but its placement fixes 6 numbers." in report.text
