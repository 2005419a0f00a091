"""One class compiles goals for the core, and one cache keeps it: how much a call in a loop does in Python."""

from __future__ import annotations

import gc
import sys
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import FrameType
from typing import Any

import numpy as np
import pytest

import manikin as mk
from manikin import backend
from manikin.solvers.native.recent import MOST, recent

pytestmark = pytest.mark.skipif(not backend.native, reason="MANIKIN_BACKEND=reference: there is no native solver")


def python_calls(call: Callable[[], object]) -> int:
    """The number of Python functions that a call runs the second time."""
    counted = -1  # without `call` itself

    def hear(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal counted
        counted += event == "call"

    call()
    before = sys.getprofile()
    sys.setprofile(hear)
    try:
        call()
    finally:
        sys.setprofile(before)
    return counted


@pytest.mark.parametrize("options", [{}, {"restarts": 3, "seed": 7}, {"pick": "first", "iterations": 50}], ids=str)
@pytest.mark.parametrize("given", [False, True])
def test_a_repeated_solve_runs_few_python_functions(options: dict[str, Any], given: bool) -> None:
    figure = mk.human()
    goals = [mk.Position("RightHand", (-0.3, 1.2, 0.3)), mk.Aim("Head", (0.0, 1.5, 2.0), axis=(0, 0, 1))]
    start = np.array(figure.rest) if given else None
    assert python_calls(lambda: mk.solve(figure, goals, start, **options)) <= 20


def test_goals_are_found_again_by_identity_and_not_by_place_in_memory() -> None:
    """A goal that is gone may have left its `id` to another."""
    arm = mk.chain(3, planar=True)
    for k in range(3 * MOST):
        point = (2.0 * np.cos(0.1 * k), 2.0 * np.sin(0.1 * k))
        assert mk.solve(arm, mk.Position("Tip", point, axes="xy")).reached
        tip = arm.placements(mk.solve(arm, mk.Position("Tip", point, axes="xy")).pose)[-1, :2, 3]
        assert np.linalg.norm(tip - point) < 1e-3


def test_a_list_that_changes_is_another_problem() -> None:
    arm = mk.chain(3, planar=True)
    goals = [mk.Position("Tip", (1.0, 1.0), axes="xy")]
    first = mk.solve(arm, goals)
    goals[0] = mk.Position("Tip", (-1.0, 1.0), axes="xy")
    assert np.abs(mk.solve(arm, goals).pose - first.pose).max() > 0.1
    goals.append(mk.Posture(arm.rest, priority=1))
    assert len(mk.solve(arm, goals).errors) == 2


def test_the_cache_keeps_what_was_used_last_and_no_more() -> None:
    class Thing:
        pass

    gone, stays = Thing(), Thing()
    alive = [weakref.ref(gone), weakref.ref(stays)]
    recent(("test", id(gone)), (gone,), object)
    value = recent(("test", id(stays)), (stays,), object)
    del gone
    for k in range(MOST - 1):
        assert recent(("test", k), (), object) is recent(("test", k), (), object)
        assert recent(("test", id(stays)), (stays,), object) is value
    gc.collect()
    assert alive[0]() is None
    assert alive[1]() is not None


def test_threads_share_the_cache() -> None:
    arm = mk.chain(3, planar=True)
    goals = [mk.Position("Tip", (np.cos(a), np.sin(a)), axes="xy") for a in np.linspace(0.0, 3.0, MOST + 9)]
    alone = [mk.solve(arm, goal).pose.tobytes() for goal in goals]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda goal: mk.solve(arm, goal).pose.tobytes(), 3 * goals)) == 3 * alone


def test_a_dragged_frame_with_one_speed_limit_runs_no_python() -> None:
    """The frame of a drag: one target, continued after the last one, with a limit on the speed of all joints."""
    figure = mk.human()
    solver = mk.Solver(figure, mk.Position("RightHand", (-0.3, 1.2, 0.3)))
    row = solver.targets[None]
    assert python_calls(lambda: solver.track(figure.rest, row, before=row[0], max_speed=3.0)) == 0
