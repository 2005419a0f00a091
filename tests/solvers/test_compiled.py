"""A compiled solver at the door: what rows of starts, targets, weights and activity it takes."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from manikin import Position, Solver, chain
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
    assert found.pose.shape == (0, 3)
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
