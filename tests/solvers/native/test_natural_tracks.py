"""`start="natural"` and `prefer="natural"` in tracks: gaps, empty tracks, and arguments that are wrong."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from headings import asked

import manikin as mk
from manikin import backend
from manikin.arrays import Matrix

pytestmark = pytest.mark.skipif(not backend.native, reason="MANIKIN_BACKEND=reference: there is no native solver")

PARTS = ["Head", "LeftHand", "RightHand"]
NATURAL: dict[str, Any] = {"prefer": "natural", "settle": True}


def walking(frames: int = 30) -> tuple[mk.Solver, Matrix]:
    """A person far from the origin who moves in a straight line."""
    figure = mk.human()
    poses = np.repeat(figure.rest[None], frames, axis=0)
    poses[:, :3] += np.linspace((10.0, 0.0, 5.0), (10.3, 0.0, 5.0), frames)
    goals = [mk.Placement(part, np.eye(4)) for part in PARTS]
    return mk.Solver(figure, [*goals, mk.Orientation("Spine", (1.0, 0.0, 0.0, 0.0))]), np.concatenate(
        [asked(figure, poses, PARTS, True), np.tile([1.0, 0.0, 0.0, 0.0], (frames, 1))], axis=1
    )


@pytest.mark.parametrize("spine", [False, True])
def test_a_person_stays_while_no_goal_says_where(spine: bool) -> None:
    """In a gap nothing places an effector. The person neither moves to the origin nor turns to the rest pose."""
    solver, rows = walking()
    active = np.ones((30, 4), dtype=bool)
    active[10:20] = (False, False, False, spine)
    gap = rows.copy()
    gap[10:20, :21] = np.nan
    found = solver.track("natural", gap, active=active, **NATURAL)
    assert found.reached.all()
    moved = np.linalg.norm(np.diff(found.poses[:, :3], axis=0), axis=1)
    assert moved[9:19].max() < 1e-3
    assert moved.max() < 0.15
    for cut in (5, 14, 20):
        first = solver.track("natural", gap[:cut], active=active[:cut], **NATURAL)
        rest = solver.track(first.poses[-1], gap[cut:], before=gap[cut - 1], active=active[cut:], **NATURAL)
        assert np.array_equal(np.concatenate([first.poses, rest.poses]), found.poses)


@pytest.mark.parametrize("unit", [1e-3, 100.0])
def test_the_unit_of_length_does_not_matter(unit: float) -> None:
    """The hands are out of place for the natural pose, so the root and the other joints share what is missing."""
    solver, rows = walking(12)
    rows[:, 7:10] += (0.1, 0.2, 0.15)
    large = mk.Solver(solver.figure.scaled(unit), solver.goals)
    other = rows.copy()
    for at in (0, 7, 14):
        other[:, at : at + 3] *= unit
    for found, again in (
        (solver.track("natural", rows, **NATURAL), large.track("natural", other, **NATURAL)),
        (solver.solve_many("natural", rows, **NATURAL), large.solve_many("natural", other, **NATURAL)),
    ):
        assert found.reached.all()
        places, scaled = (s.figure.placements(p)[..., :3, 3] for s, p in ((solver, found.poses), (large, again.poses)))
        assert np.abs(places - scaled / unit).max() < 1e-5


def test_an_empty_track_has_no_frames() -> None:
    solver, rows = walking(3)
    assert len(solver.track("natural", rows[:0], **NATURAL)) == 0
    assert len(solver.track("natural", rows[:0], active=np.zeros((0, 4), dtype=bool), **NATURAL)) == 0
    assert [len(found) for found in solver.track_many("natural", [rows[:0], rows], **NATURAL)] == [0, 3]
    for name, option in (("start pose", {"start": "wild"}), ("prefer", {"start": None, "prefer": "wild"})):
        with pytest.raises(mk.errors.BadValue, match=f"{name} is 'wild'; it needs a pose, None, or 'natural'"):
            solver.track(targets=rows[:0], **option)


def test_goals_missing_in_the_frame_before_do_not_count() -> None:
    solver, rows = walking(4)
    before = rows[0].copy()
    before[:7] = np.nan
    on = np.array([False, True, True, True])
    found = solver.track("natural", rows[1:], before=before, **NATURAL)
    start = solver.solve("natural", before, active=on, iterations=0).start
    wanted = solver.track(start, rows[1:], before=before, **NATURAL)
    assert found.reached.all()
    assert np.array_equal(found.poses, wanted.poses)


def test_wrong_arguments_are_named() -> None:
    solver, rows = walking(3)
    hole = rows.copy()
    hole[1, 7:14] = np.nan
    cases: list[tuple[dict[str, Any], str]] = [
        ({"targets": hole}, "targets of 'Placement LeftHand', row 1"),
        ({"targets": rows, "active": np.ones((2, 4), dtype=bool)}, "active has shape (2, 4)"),
        ({"targets": rows, "weights": np.ones((2, 4))}, "weights has shape (2, 4)"),
        ({"targets": rows, "weights": "heavy"}, "weights needs numbers, got 'heavy'"),
    ]
    for call, message in cases:
        for solve in (solver.track, solver.solve_many):
            with pytest.raises(mk.errors.ManikinError, match=re.escape(message)):
                solve("natural", prefer="natural", settle=True, **call)
    for solve in (solver.track, solver.solve_many):
        with pytest.raises(mk.errors.BadShape):
            solve("natural", np.zeros((2, 2, solver.width)), **NATURAL)
