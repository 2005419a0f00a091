"""Frames that are solved again: which of them are solved first, and which need not be solved at all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from retarget_clips import clip, figure

import manikin as mk
from manikin.motion.retarget import late_frames
from manikin.motion.retarget.late_frames import STRIDE, first_asked, next_asked


def test_the_ends_of_runs_and_one_frame_in_a_stride_are_solved_first() -> None:
    late = np.concatenate([np.arange(5, 5 + 2 * STRIDE + 3), [60], [80, 81]])
    asked = late[first_asked(late)].tolist()
    assert asked == [5, 5 + STRIDE, 5 + 2 * STRIDE, 5 + 2 * STRIDE + 2, 60, 80, 81]


@pytest.mark.parametrize(
    ("hopeless", "asked"),
    [((), [1, 2, 3]), ((0,), [2]), ((4,), [2]), ((0, 4), [])],
    ids=["neither", "first", "last", "both"],
)
def test_frames_between_two_without_hope_are_not_asked(hopeless: tuple[int, ...], asked: list[int]) -> None:
    solved, lost = np.array([True, False, False, False, True]), np.zeros(5, dtype=bool)
    lost[list(hopeless)] = True
    assert next_asked(solved, lost).tolist() == asked


def rows_solved(monkeypatch: pytest.MonkeyPatch, motion: mk.Motion, target: mk.Figure, stride: int) -> tuple[Any, int]:
    """The retargeted motion, and the number of late frames that were solved with all joints."""
    monkeypatch.setattr(late_frames, "STRIDE", stride)
    count, solve = 0, late_frames._Late._solve

    def counted(self: Any, at: Any) -> None:
        nonlocal count
        count += len(at)
        solve(self, at)

    with monkeypatch.context() as patch:
        patch.setattr(late_frames._Late, "_solve", counted)
        return mk.retarget(motion, target), count


def test_a_cartwheel_solves_half_of_its_late_frames_and_is_no_worse(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two frames between hopeless ones have other poses than if every late frame is solved."""
    motion, robot = clip("cartwheel"), figure("robot")
    every, most = rows_solved(monkeypatch, motion, robot, 1)
    some, few = rows_solved(monkeypatch, motion, robot, STRIDE)
    assert few < 0.6 * most
    assert (some.poses != every.poses).any(axis=1).sum() <= 2
    ours, theirs = (found.source["retarget"]["quality"] for found in (some, every))
    for key in ("bone_error_deg", "wrist_error_percent", "slide_mm", "hand_slide_mm", "sinking_mm", "turn_deg"):
        assert ours[key] <= theirs[key] + 1e-6


def test_frames_after_a_pose_that_is_used_are_solved(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the dab the track of MakeHuman is far behind its targets, so solved poses turn far from it and are used."""
    motion, target = clip("dab"), figure("makehuman")
    every, most = rows_solved(monkeypatch, motion, target, 1)
    asked: list[int] = []
    found = late_frames._Late._unsolved_from

    def noted(self: Any, k: int) -> Any:
        asked.append(k)
        return found(self, k)

    monkeypatch.setattr(late_frames._Late, "_unsolved_from", noted)
    some, count = rows_solved(monkeypatch, motion, target, STRIDE)
    assert asked
    assert count == most
    assert some.poses.tobytes() == every.poses.tobytes()
