"""The same question has the same answer, to the bit, however it is put."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manikin as mk
from manikin import backend
from manikin.rotations import from_matrix

pytestmark = pytest.mark.skipif(not backend.native, reason="MANIKIN_BACKEND=reference: there is no native solver")

COUNT = 40
Rows = tuple[mk.Solver, np.ndarray, np.ndarray]


def placements(figure: mk.Figure, poses: np.ndarray, segment: str) -> np.ndarray:
    at = figure.placements(poses, [segment])[:, 0]
    return np.hstack([at[:, :3, 3], from_matrix(at[:, :3, :3])])


def arm(data: Path) -> Rows:
    figure, rng = mk.load_figure(data / "urdf" / "panda.urdf"), np.random.default_rng(1)
    solver = mk.Solver(figure, mk.Placement("panda_hand", np.eye(4)))
    return solver, figure.random(rng, COUNT), placements(figure, figure.random(rng, COUNT), "panda_hand")


def body(_: Path) -> Rows:
    figure, rng = mk.human(), np.random.default_rng(2)
    segments = ("LeftHand", "RightFoot")
    solver = mk.Solver(figure, [mk.Placement(name, np.eye(4)) for name in segments])
    meant = figure.random(rng, COUNT)
    return solver, figure.random(rng, COUNT), np.hstack([placements(figure, meant, name) for name in segments])


def ranked(_: Path) -> Rows:
    """Two priorities and an AnyOf."""
    figure, rng = mk.human(), np.random.default_rng(3)
    either = mk.AnyOf(mk.Position("LeftHand", (0, 1, 0)), mk.Position("RightHand", (0, 1, 0)), priority=1)
    solver = mk.Solver(figure, [mk.Position("LeftFoot", (0, 0, 0)), either])
    meant = figure.placements(figure.random(rng, COUNT), ["LeftFoot", "LeftHand", "RightHand"])[:, :, :3, 3]
    return solver, figure.random(rng, COUNT), meant.reshape(COUNT, 9)


@pytest.fixture(params=[arm, body, ranked], ids=["arm", "body", "ranked"])
def rows(request: pytest.FixtureRequest, data: Path) -> Rows:
    made: Rows = request.param(data)
    return made


def test_an_argument_that_says_what_holds_anyway_changes_nothing(rows: Rows) -> None:
    solver, starts, targets = rows
    count = len(solver.goals)
    ways: list[dict[str, Any]] = [
        {"weights": np.ones(count)},
        {"active": np.ones(count, dtype=bool)},
        {"iterations": 500_000},
        {"restarts": 30},
        {"budget": 1e6},
        {"pick": "near"},
        {"seed": 0},
        {"out": np.zeros(solver.figure.nq)},
    ]
    for start, target in zip(starts, targets, strict=True):
        plain = solver.solve(start, target)
        for way in ways:
            other = solver.solve(start, target, **way)
            assert other.pose.tobytes() == plain.pose.tobytes(), way
            assert other.errors.tobytes() == plain.errors.tobytes(), way
            assert (other.status, other.iterations) == (plain.status, plain.iterations), way


@pytest.mark.parametrize("threads", [1, 3])
def test_a_row_does_not_depend_on_its_batch(rows: Rows, threads: int) -> None:
    solver, starts, targets = rows
    many = solver.solve_many(starts, targets, threads)
    backward = solver.solve_many(starts[::-1].copy(), targets[::-1].copy(), threads, weights=np.ones(len(solver.goals)))
    assert backward.poses[::-1].tobytes() == many.poses.tobytes()
    for k, (start, target) in enumerate(zip(starts, targets, strict=True)):
        one = solver.solve(start, target)
        alone = solver.solve_many(start[None], target[None])
        assert one.pose.tobytes() == alone.poses[0].tobytes() == many.poses[k].tobytes()
        assert one.errors.tobytes() == alone.errors[0].tobytes() == many.errors[k].tobytes()
        assert one.iterations == alone.iterations[0] == many.iterations[k]


def test_a_history_that_is_kept_changes_nothing(rows: Rows) -> None:
    solver, starts, targets = rows
    seen: list[int] = []
    for start, target in zip(starts[:10], targets[:10], strict=True):
        goals = [g.with_target(target[at]) for g, (_, at) in zip(solver.goals, solver.target_layout, strict=True)]
        plain = mk.solve(solver.figure, goals, start)
        kept = mk.solve(solver.figure, goals, start, history=True, progress=lambda k, _: seen.append(k))
        assert kept.pose.tobytes() == plain.pose.tobytes()
        assert kept.errors.tobytes() == plain.errors.tobytes()
        assert plain.pose.tobytes() == solver.solve(start, target).pose.tobytes()
        assert kept.history is not None
        assert plain.history is None
    assert seen


def test_an_arm_picks_the_near_solution_in_a_batch_too(data: Path) -> None:
    solver, starts, targets = arm(data)
    near, first = solver.solve_many(starts, targets), solver.solve_many(starts, targets, pick="first")
    assert near.reached.all()
    assert first.reached.all()
    away = [np.abs(found.poses - starts).max(axis=1).mean() for found in (near, first)]
    assert away[0] < away[1]
