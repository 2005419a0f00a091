"""Frames that ran out of iterations are solved again, and no part turns much more than its target because of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from retarget_clips import clip, figure

import manikin as mk
from manikin.motion.retarget import late_frames, solving
from manikin.motion.retarget.watch import turn_angles


class Call:
    """A call of `finished`, with what it returned. All turns are the largest of any part, in radians."""

    def __init__(self, tracker: Any, tracked: Any, late: Any, first: int, before: Any, found: Any) -> None:
        self.tracked, self.late, self.found = tracked, late, found
        seen = [tracker.figure.placements(poses, tracker.segments)[..., :3, :3] for poses in (found, tracked)]
        then = np.concatenate([tracker.figure.placements([before], tracker.segments)[..., :3, :3], seen[0][:-1]])
        self.turns, self.turns_of_track = (turn_angles(then, now)[late].max(axis=1) for now in seen)
        self.wanted = tracker.wanted_turns(late + first).max(axis=1)
        self.changed = (found[late] != tracked[late]).any(axis=1)


def calls(monkeypatch: pytest.MonkeyPatch, motion: mk.Motion, target: mk.Figure) -> list[Call]:
    """The calls of `finished` with late frames while a motion is retargeted."""
    out: list[Call] = []

    def noted(tracker: Any, tracked: Any, late: Any, rows: Any, weights: Any, first: int, before: Any) -> Any:
        found = late_frames.finished(tracker, tracked, late, rows, weights, first, before)
        if len(late):
            out.append(Call(tracker, tracked, late, first, before, found))
        return found

    monkeypatch.setattr(solving, "finished", noted)
    mk.retarget(motion, target)
    return out


@pytest.mark.parametrize(
    ("name", "on"), [("run", "makehuman"), ("dab", "makehuman"), ("dab", "human"), ("cartwheel", "robot")]
)
def test_poses_are_replaced_unless_a_part_would_turn_much_more(
    monkeypatch: pytest.MonkeyPatch, name: str, on: str
) -> None:
    found = calls(monkeypatch, clip(name), figure(on))
    assert sum(call.changed.sum() for call in found) > 5
    for call in found:
        other = np.delete(np.arange(len(call.tracked)), call.late)
        assert call.found[other].tobytes() == call.tracked[other].tobytes()
        more = np.maximum(late_frames.ALLOWED[0], late_frames.ALLOWED[1] * call.wanted)
        most = np.maximum(np.maximum(call.turns_of_track, call.wanted) + late_frames.MOST_CHANGE, call.wanted + more)
        assert (call.turns <= most)[call.changed].all()


def test_without_late_frames_the_poses_are_those_of_the_track() -> None:
    person = figure("human")
    tracked = np.tile(person.rest, (4, 1))
    none = np.zeros(0, dtype=np.intp)
    found = late_frames.finished(None, tracked, none, tracked, tracked, 0, tracked[0])  # type: ignore[arg-type]
    assert found.tobytes() == tracked.tobytes()
    assert found is not tracked
