from __future__ import annotations

import numpy as np
import pytest
from checks import assert_close, assert_refused

import manikin as mk
from manikin import rotations
from manikin.errors import BadShape, BadValue, UnknownName
from manikin.motion.follow import with_targets
from manikin.solvers import KEEPS_LIMITS

ARM = mk.chain([1.0, 0.8, 0.6], planar=True)
START = np.array([0.4, 0.5, 0.6])
TIP = ARM.placements(START)[-1, :2, 3]
GOAL = mk.Position("Tip", TIP, axes="xy", tolerance=1e-6)
WAY = mk.path(TIP, (-0.8, 1.3), 20)


@pytest.mark.parametrize("method", ["auto", "lbfgsb", "pinv", "stacked", "dls", "bounded-dls", "sdls"])
def test_the_tip_keeps_to_its_path(method):
    options = {"alpha": 0.0} if method == "lbfgsb" else {}
    motion = mk.follow(ARM, GOAL, WAY, START, method=method, **options).motion
    assert len(motion) == len(WAY)
    assert_close(ARM.placements(motion.poses)[:, -1, :2, 3], WAY, tol=2e-6)


@pytest.mark.parametrize("method", ["auto", "pinv", "bounded-dls"])
def test_small_steps_of_the_target_make_small_steps_of_the_figure(method):
    motion = mk.follow(ARM, GOAL, WAY, START, method=method).motion
    assert np.abs(np.diff(motion.poses, axis=0)).max() < 0.3


def test_the_first_row_at_the_start_leaves_the_figure_there():
    assert np.array_equal(mk.follow(ARM, GOAL, WAY, START).motion.poses[0], START)


def test_several_goals_move_side_by_side():
    tree = mk.tree([-1, 0, 1, 2, 3, 4, 2, 6, 7], planar=True)
    start = np.array([0.5, -0.3, 0.4, 0.3, -0.4, 0.3, -0.5, -0.4, 0.2])
    at = tree.placements(start, ["Tip6", "Tip9"])[:, :2, 3]
    goals = [mk.Position(n, p, axes="xy") for n, p in zip(("Tip6", "Tip9"), at, strict=True)]
    rows = np.hstack([mk.path(at[0], (2.5, 3.0), 10, "smooth"), mk.path(at[1], (3.0, -1.5), 10, "smooth")])
    motion = mk.follow(tree, goals, rows, start, rate=10.0, name="two").motion
    placements = tree.placements(motion.poses, ["Tip6", "Tip9"])
    assert_close(placements[:, 0, :2, 3], rows[:, :2], tol=1e-3)
    assert_close(placements[:, 1, :2, 3], rows[:, 2:], tol=1e-3)
    assert motion.name == "two"
    assert_close(motion.times, np.arange(12) / 10.0)


def test_a_hand_of_the_person_turns_on_its_way():
    human = mk.human()
    start = human.placements(human.rest, ["LeftHand"])[0]
    first = np.array([*start[:3, 3], *rotations.from_matrix(start[:3, :3])])
    turn = rotations.multiply(rotations.from_axis_angle((0, 1, 0), 0.6), first[3:])
    last = np.array([*(first[:3] + np.array([0.0, 0.25, 0.2])), *turn])
    rows = mk.path(first, last, 8)
    found = mk.follow(human, mk.Placement("LeftHand", first), rows)
    assert found.reached.all()
    assert all(human.violation(s.pose) <= 1e-9 for s in found.solutions)


def test_rows_out_of_reach_have_the_nearest_pose_and_later_ones_recover():
    rows = np.concatenate([mk.path(TIP, (3.5, 0.5), 6), mk.path((3.5, 0.5), TIP, 6)])
    found = mk.follow(ARM, mk.Position("Tip", TIP, axes="xy"), rows, START)
    assert found.reached[0]
    assert not found.reached[7]
    assert found.reached[-1]
    assert found.errors[7, 0] == found.solutions[7].errors[0]


def test_goals_without_a_target_take_no_numbers():
    human = mk.human()
    hand = human.placements(human.rest, ["LeftHand"])[0, :3, 3]
    goals = [mk.Position("LeftHand", hand), mk.Balance(["LeftFoot", "RightFoot"])]
    motion = mk.follow(human, goals, mk.path(hand, hand + np.array([0.0, 0.1, 0.1]), 2)).motion
    assert len(motion) == 4


def test_progress_is_told_and_may_cancel():
    seen = []

    def watch(done, of):
        seen.append((done, of))
        return done < 3

    motion = mk.follow(ARM, GOAL, WAY, START, progress=watch).motion
    assert seen == [(1, 22), (2, 22), (3, 22)]
    assert len(motion) == 3


def test_targets_go_to_their_goals_in_order():
    goals = [GOAL, mk.Balance(["Tip"]), mk.Plane("Tip")]
    moved = with_targets(goals, np.arange(8.0) + 1.0)
    assert_close(moved[0].target, [1, 2])
    assert_close(moved[2].point, [3, 4, 5])  # type: ignore[attr-defined]
    assert moved[1].target.shape == (0,)


def test_limits_hold_all_the_way():
    arm = mk.chain([1.0, 0.8, 0.6], mk.Hinge(limits=(-0.1, 1.2)))
    goal = mk.Position("Tip", TIP, axes="xy")
    for method in [m for m in KEEPS_LIMITS if m != "fabrik"]:
        motion = mk.follow(arm, goal, mk.path(TIP, (-1.5, 1.0), 10), START, method=method).motion
        assert np.all(arm.violation(motion.poses) == 0.0)


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (
            lambda: mk.follow(ARM, GOAL, np.zeros((3, 4))),
            BadShape,
            r"targets has shape \(3, 4\); the goals need \(frames, 2\): Position Tip 2",
        ),
        (lambda: mk.follow(ARM, GOAL, np.zeros(2)), BadShape, r"targets has shape \(2,\)"),
        (lambda: mk.follow(ARM, GOAL, np.zeros((0, 2))), BadShape, "there must be at least one frame"),
        (lambda: mk.follow(ARM, GOAL, [[0, np.nan]]), BadValue, r"targets\[0, 1\] is nan"),
        (lambda: mk.follow(ARM, GOAL, WAY, method="walk"), UnknownName, "has no method 'walk'"),
        (lambda: mk.follow(ARM, GOAL, WAY, pace=3), UnknownName, "has no option 'pace'"),
        (lambda: mk.follow(ARM, GOAL, WAY, rate=0), BadValue, "rate is 0; it must be above 0"),
    ],
)
def test_bad_input_is_named(make, kind, message):
    assert_refused(make, kind, message)


@pytest.mark.parametrize("method", ["auto", "transpose"])
def test_a_progress_that_is_no_function_is_named(method: str) -> None:
    arm = mk.chain(3, planar=True)
    goal = mk.Position("Tip", (1.0, 1.0), axes="xy")
    with pytest.raises(BadValue, match="progress is 5; it needs a function"):
        mk.follow(arm, goal, np.ones((3, 2)), method=method, progress=5)  # type: ignore[arg-type]
