"""A compiled solver at the door: what rows of starts, targets, weights and activity it takes."""

from __future__ import annotations

import pickle
import re
from typing import Any

import numpy as np
import pytest

from manikin import Orientation, Placement, Plane, Position, Solver, chain, human
from manikin.errors import BadShape, BadValue, ManikinError
from manikin.solvers import LARGEST

FIGURE = chain(3, planar=True)


def two() -> Solver:
    return Solver(FIGURE, [Position("Tip", (1, 1), axes="xy"), Position("Segment3", (1, 0.5), axes="xy")])


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"active": [[True], [True, False]]}, BadValue, "active needs numbers, got"),
        ({"active": ["no", "yes"]}, BadValue, "active needs numbers, got ['no', 'yes']"),
        ({"active": [np.nan, 1]}, BadValue, "active[0] is nan"),
        ({"active": np.ones((3, 2))}, BadShape, "active has shape (3, 2); it needs (2,), or (4, 2)"),
        ({"active": np.ones((3, 2)), "weights": np.ones((4, 2))}, BadShape, "active has shape (3, 2)"),
        ({"weights": np.ones((2, 4, 2))}, BadShape, "weights has shape (2, 4, 2); it needs (2,), or (4, 2)"),
        ({"seed": 2**64}, BadValue, f"seed is {2**64}; it must be a whole number of at most {2**64 - 1}"),
        ({"restarts": 2**40}, BadValue, f"restarts is {2**40}; it must be a whole number of at most {LARGEST}"),
        ({"iterations": 2**40}, BadValue, f"iterations is {2**40}; it must be a whole number of at most {LARGEST}"),
        ({"threads": 2**40}, BadValue, f"threads is {2**40}; it must be a whole number of at most {LARGEST}"),
    ],
)
def test_a_bad_option_is_one_clear_error(options: dict[str, Any], kind: type[ManikinError], message: str) -> None:
    with pytest.raises(kind, match=re.escape(message)):
        two().solve_many(None, np.zeros((4, 4)), **options)


def test_the_largest_seed_is_taken() -> None:
    assert len(two().solve_many(seed=2**64 - 1)) == 1


@pytest.mark.parametrize(("starts", "targets"), [(0, 0), (1, 0), (0, 1)])
def test_no_rows_give_no_poses(starts: int, targets: int) -> None:
    found = two().solve_many(np.zeros((starts, 3)), np.zeros((targets, 4)))
    assert found.poses.shape == (0, 3)
    assert found.errors.shape == (0, 2)


def test_a_track_of_no_frames_has_no_poses() -> None:
    assert len(two().track(None, np.zeros((0, 4)))) == 0


def test_a_track_begins_at_one_pose() -> None:
    with pytest.raises(BadShape, match=re.escape("start pose has shape (5, 3); track begins at one pose, (3,)")):
        two().track(np.zeros((5, 3)), np.zeros((5, 4)))


def test_targets_of_a_caller_stay_as_they_are() -> None:
    given = np.array([[1.0, 1.0, np.nan, np.nan]])
    two().solve_many(None, given, active=[True, False])
    two().track(None, given, active=[True, False])
    assert np.isnan(given[0, 2:]).all()


def test_the_own_targets_of_a_solver_are_read_only() -> None:
    with pytest.raises(ValueError, match="read-only"):
        two().targets[0] = 5.0


def turned() -> Solver:
    figure = human()
    return Solver(
        figure,
        [
            Position("RightHand", (-0.3, 1.2, 0.2)),
            Orientation("Head", (1, 0, 0, 0)),
            Plane("LeftFoot", point=(0, 0, 0), normal=(0, 1, 0)),
            Placement("LeftHand", (0.3, 1.0, 0.2, 1, 0, 0, 0)),
        ],
    )


@pytest.mark.parametrize(
    ("at", "values", "message"),
    [
        (3, (0, 0, 0, 0), "targets of 'Orientation Head', row 1: quaternion (0, 0, 0, 0); it needs length 1"),
        (3, (2, 0, 0, 0), "targets of 'Orientation Head', row 1: quaternion (2, 0, 0, 0); it needs length 1"),
        (16, (0, 0, 0, 0.5), "targets of 'Placement LeftHand', row 1: quaternion (0, 0, 0, 0.5); it needs length 1"),
        (10, (0, 0, 0), "targets of 'Plane LeftFoot', row 1: direction (0, 0, 0); it needs a vector of length above 0"),
        (0, (0, np.inf), "targets of 'Position RightHand', row 1: (0, inf, 0.2) is not finite"),
    ],
)
def test_a_row_that_could_not_be_a_target_is_an_error_that_names_it(at: int, values: Any, message: str) -> None:
    solver = turned()
    rows = np.array([solver.targets] * 3)
    rows[1, at : at + len(values)] = values
    with pytest.raises(BadValue, match=re.escape(message)):
        solver.solve_many(None, rows, restarts=0)
    with pytest.raises(BadValue, match=re.escape(message)):
        solver.track(None, rows)
    goal = next(k for k, (_, part) in enumerate(solver.target_layout) if part.start <= at < part.stop)
    active = np.ones((3, 4), dtype=bool)
    active[1, goal] = False
    found = solver.solve_many(None, rows, restarts=0, iterations=3, active=active)
    assert np.isfinite(found.poses).all()
    assert np.isfinite(found.errors).all()


@pytest.mark.parametrize("options", [{"freeze": "Hips"}, {"only": "RightArm"}, {"freeze": ["Hips", "Spine"]}])
def test_a_pickled_solver_keeps_the_joints_that_may_move(options: dict[str, Any]) -> None:
    solver = Solver(human(), Position("RightHand", (-0.3, 1.2, 0.4)), **options)
    again = pickle.loads(pickle.dumps(solver))
    assert np.array_equal(again.solve().pose, solver.solve().pose)
