"""The native clock of a track's frames, which benchmarks/frames.py reads."""

from __future__ import annotations

import time

import numpy as np
import pytest

import manikin as mk
from manikin import backend

pytestmark = pytest.mark.skipif(not backend.native, reason="MANIKIN_BACKEND=reference: there is no native solver")


def timed(solver: mk.Solver, rows: np.ndarray, **options: bool) -> tuple[np.ndarray, np.ndarray, float]:
    """Poses, seconds of each frame, and seconds of the whole call."""
    seconds, began = np.full(len(rows), -1.0), time.perf_counter()
    found = solver.track(np.array(solver.figure.rest), rows, seconds=seconds, **options)
    return found.poses, seconds, time.perf_counter() - began


@pytest.mark.parametrize("options", [{}, {"refine": True, "escape": True}])
def test_every_frame_has_a_time_and_together_they_are_within_the_call(options: dict[str, bool]) -> None:
    figure = mk.human()
    hand = figure.placements(figure.rest, ["RightHand"])[0, :3, 3]
    solver = mk.Solver(figure, mk.Position("RightHand", hand), freeze=[figure.segments[0].joint.name])
    rows = hand + np.outer(np.linspace(0.0, 1.0, 40), [-1.0, 0.3, 0.2])
    pose, seconds, whole = timed(solver, rows, **options)
    assert (seconds > 0.0).all()
    assert seconds.sum() <= whole
    if not options:
        assert np.array_equal(pose, solver.track(figure.rest, rows).poses)


def test_frames_of_an_arm_that_are_done_together_share_their_time() -> None:
    arm = mk.Figure(
        "arm",
        [mk.Segment("Base")]
        + [
            mk.Segment(
                f"S{i}",
                f"S{i - 1}" if i else "Base",
                mk.Hinge(axis=(0, 0, 1) if i % 2 else (0, 1, 0), limits=(-2.8, 2.8)),
                offset=(0.02 * i, 0, 0.2),
            )
            for i in range(6)
        ],
    )
    poses = 0.4 + 0.1 * np.sin(np.linspace(0.0, 1.0, 50)[:, None] + np.arange(6))
    placed = arm.placements(poses, ["S5"])[:, 0]
    rows = np.concatenate([placed[:, :3, 3], mk.rotations.from_matrix(placed[:, :3, :3])], axis=1)
    _, seconds, whole = timed(mk.Solver(arm, mk.Placement("S5", np.eye(4))), rows)
    assert (seconds > 0.0).all()
    assert seconds.sum() <= whole
