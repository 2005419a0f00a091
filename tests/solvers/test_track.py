"""Tracking: nothing jumps, at the edge of reach, beyond it, and on the way back."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin import backend

pytestmark = pytest.mark.skipif(not backend.native, reason="MANIKIN_BACKEND=reference: there is no native solver")

STEP = 0.005
"""The target moves 5 mm a frame."""


def there_and_back(start: np.ndarray, far: np.ndarray, rest: int = 20) -> np.ndarray:
    """Points from start to far in steps of 5 mm, a rest there, and back."""
    count = int(np.ceil(np.linalg.norm(far - start) / STEP))
    way = start + (far - start) * np.linspace(0.0, 1.0, count + 1)[:, None]
    return np.concatenate([way, np.repeat(far[None], rest, axis=0), way[::-1], np.repeat(start[None], rest, axis=0)])


class Drag:
    """The person's right hand dragged out of reach and back, both feet planted."""

    def __init__(self, direction: tuple[float, float, float]) -> None:
        self.human = human = mk.human()
        feet = [mk.Placement(s, human.placements(human.rest, [s])[0]) for s in ("LeftFoot", "RightFoot")]
        self.solver = mk.Solver(human, [mk.Position("RightHand", (0, 0, 0)), *feet])
        hand, shoulder = human.placements(human.rest, ["RightHand", "RightArm"])[:, :3, 3]
        away = np.array(direction) / np.linalg.norm(direction)
        self.points = there_and_back(hand, shoulder + 1.6 * away)
        planted = np.tile(self.solver.targets[3:], (len(self.points), 1))
        self.targets = np.concatenate([self.points, planted], axis=1)
        self.found = self.solver.track(None, self.targets)
        self.moves = human.difference(self.found.pose[:-1], self.found.pose[1:])


@pytest.fixture(
    scope="module", params=[(-0.6, 0.2, 0.7), (-1.0, 0.0, 0.1), (-0.3, 1.0, 0.2)], ids=["forward", "sideways", "up"]
)
def drag(request: pytest.FixtureRequest) -> Drag:
    return Drag(request.param)


def test_no_joint_moves_more_than_a_tenth_of_a_radian_in_a_frame(drag: Drag) -> None:
    assert np.abs(drag.moves[:, 6:]).max() <= 0.1


def test_every_pose_is_within_limits(drag: Drag) -> None:
    assert drag.human.violation(drag.found.pose).max() <= 1e-9
    assert np.all(drag.found.pose >= drag.human.lower)
    assert np.all(drag.found.pose <= drag.human.upper)


def test_what_is_in_reach_is_reached_on_the_way_out_and_on_the_way_back(drag: Drag) -> None:
    reached = drag.found.reached
    assert reached[:60].all()
    assert not reached.all()  # the far end is out of reach
    assert reached[-60:].all()
    missed = np.flatnonzero(~reached)
    assert missed[-1] - missed[0] + 1 <= 1.1 * len(missed)  # in one stretch, but for a few frames at its ends


def test_out_of_reach_the_hand_stays_near_the_closest_reachable_point(drag: Drag) -> None:
    missed = np.flatnonzero(~drag.found.reached)[::15]
    best = drag.solver.solve_many(drag.found.pose[missed], drag.targets[missed], restarts=5)
    assert np.max(drag.found.errors[missed, 0] - best.errors[:, 0]) <= 2.5e-3


def test_at_rest_it_comes_to_rest_on_the_target(drag: Drag) -> None:
    assert drag.found.errors[-1].max() <= 1e-9
    assert np.abs(drag.moves[-5:]).max() <= 1e-6


def test_joints_hardly_ever_turn_back_and_forth(drag: Drag) -> None:
    large = np.abs(drag.moves) > 2e-3
    back = (drag.moves[1:] * drag.moves[:-1] < 0.0) & large[1:] & large[:-1]
    turning = int(
        (np.sign(drag.points[2:] - drag.points[1:-1]) != np.sign(drag.points[1:-1] - drag.points[:-2]))
        .any(axis=1)
        .sum()
    )
    assert back.sum() <= 3e-4 * back.size + turning


def test_with_restarts_a_missed_frame_is_searched_anew(drag: Drag) -> None:
    """A jump of the target that a bounded step cannot follow."""
    rows = drag.targets[[0, 0, 200]]
    bounded = drag.solver.track(None, rows)
    jumped = drag.solver.track(None, rows, restarts=30)
    assert jumped.reached[2]
    assert jumped.errors[2, 0] <= bounded.errors[2, 0]


def test_frames_in_which_a_goal_is_not_active_are_free_of_it(drag: Drag) -> None:
    active = np.ones((10, 3), dtype=bool)
    active[4:6, 0] = False
    rows = drag.targets[:10].copy()
    rows[4:6, :3] = np.nan
    assert drag.solver.track(None, rows, active=active).reached.all()
    with pytest.raises(mk.errors.BadValue, match="RightHand"):
        drag.solver.track(None, rows)
