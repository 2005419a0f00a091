"""A call uses its arrays as they are when it begins, although something else writes to them meanwhile."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import manikin as mk
from manikin import backend

pytestmark = pytest.mark.skipif(not backend.native, reason="MANIKIN_BACKEND=reference: there is no native solver")


def given(figure: mk.Figure, name: str) -> dict[str, Any]:
    """Arrays for every argument of a call that takes one."""
    rng, rows = np.random.default_rng(5), 1 if name == "solve" else 4
    targets = figure.placements(figure.random(rng, rows), ["LeftHand", "RightHand"])[:, :, :3, 3].reshape(rows, 6)
    start = figure.random(rng)
    out: dict[str, Any] = {"start": start, "targets": targets[0] if name == "solve" else targets}
    out |= {"weights": np.array([1.0, 0.5]), "active": np.array([True, True])}
    out |= {"prefer": figure.random(rng), "stiffness": np.ones(figure.nv)}
    return out | ({"before": targets[0].copy(), "max_speed": None} if name == "track" else {})


def spoil(arrays: dict[str, Any]) -> None:
    for value in arrays.values():
        if isinstance(value, np.ndarray):
            value[...] = False if value.dtype == bool else 0.4


def solver_of(figure: mk.Figure, hook: Any = None) -> mk.Solver:
    def error(p: np.ndarray) -> np.ndarray:
        if hook is not None:
            hook()
        return p[0, :3, 3] - (0.1, 1.4, 0.1)

    goals = [mk.Position(name, (0.3, 1.2, 0.3)) for name in ("LeftHand", "RightHand")]
    return mk.Solver(figure, [*goals, mk.Custom("Head", error, rows=3)])


class Spoiler:
    """Looks like the array of active goals, and writes to the other arrays when it is read."""

    def __init__(self, arrays: dict[str, Any]) -> None:
        self.arrays = arrays

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        spoil(self.arrays)
        return np.ones(3, dtype=dtype or float)


@pytest.mark.parametrize("name", ["solve", "solve_many", "track"])
@pytest.mark.parametrize("when", ["while it solves", "while arguments are read"])
def test_arrays_that_change_during_a_call_change_nothing(name: str, when: str) -> None:
    figure = mk.human()
    arguments = given(figure, name)
    for key in ("weights", "active"):
        arguments[key] = np.append(arguments[key], arguments[key].dtype.type(1))
    expected = getattr(solver_of(figure), name)(**{k: v if v is None else v.copy() for k, v in arguments.items()})
    if when == "while it solves":
        solver, own = solver_of(figure, lambda: spoil(arguments)), arguments
    else:
        solver, own = solver_of(figure), {**arguments, "active": Spoiler(arguments)}
    found = getattr(solver, name)(**own)
    of = "pose" if name == "solve" else "poses"
    assert np.array_equal(getattr(found, of), getattr(expected, of))
    assert np.array_equal(found.errors, expected.errors)


def test_placements_are_those_of_the_poses_at_the_call() -> None:
    """Another thread sets the poses of a batch one after the other, so that every state is a number of changed rows."""
    figure, count = mk.human(), 4000
    before, after = figure.random(np.random.default_rng(1), 2)
    wanted = [figure.placements(pose)[-1] for pose in (before, after)]
    poses, going = np.tile(before, (count, 1)), threading.Event()

    def write() -> None:
        going.set()
        for row in range(count - 1, -1, -1):
            poses[row] = after

    for _ in range(5):
        poses[:] = before
        going.clear()
        thread = threading.Thread(target=write)
        thread.start()
        going.wait()
        found = figure.placements(poses)[:, -1]
        thread.join()
        new = np.abs(found - wanted[1]).max(axis=(1, 2)) < 1e-12
        old = np.abs(found - wanted[0]).max(axis=(1, 2)) < 1e-12
        assert (new | old).all()
        assert (np.diff(new.astype(int)) >= 0).all()
