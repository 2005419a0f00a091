"""Robot arms: every reachable placement is reached, from any start, limits to the last bit."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest
import targets_of_bodies as bodies

import manikin as mk
from manikin import backend, rotations

pytestmark = pytest.mark.skipif(not backend.native, reason="MANIKIN_BACKEND=reference: there is no native solver")

LENGTH, ANGLE = 1e-4, 1e-3
"""Tolerances: 0.1 mm, 0.001 rad."""


def iiwa() -> Path:
    """KUKA's arm as the pybullet wheel brings it; found without importing pybullet."""
    found = importlib.util.find_spec("pybullet_data")
    if found is None or found.origin is None:
        pytest.skip("pybullet is not installed; its wheel holds the KUKA iiwa (pip install pybullet)")
    return Path(found.origin).parent / "kuka_iiwa" / "model.urdf"


ARMS = {
    "panda": ("panda.urdf", "panda_hand"),
    "ur5": ("ur5_robot.urdf", "tool0"),
    "iiwa": (None, "lbr_iiwa_link_7"),
}
"""The file in MANIKIN_DATA's folder urdf/ (None: from pybullet's wheel), and the segment that is placed."""


@pytest.fixture(params=ARMS)
def arm(request: pytest.FixtureRequest) -> tuple[mk.Figure, str]:
    file, tip = ARMS[request.param]
    path = iiwa() if file is None else request.getfixturevalue("data") / "urdf" / file
    return mk.load_figure(path), tip


@pytest.mark.parametrize("seed", range(5))
def test_every_reachable_placement_is_reached(arm: tuple[mk.Figure, str], seed: int) -> None:
    """1,000 of 1,000 random poses, each from a random start."""
    figure, tip = arm
    rng = np.random.default_rng(seed)
    meant, starts = figure.random(rng, 1000), figure.random(rng, 1000)
    goal = mk.Placement(tip, np.eye(4), tolerance=(LENGTH, ANGLE))
    answer = mk.Solver(figure, goal).solve_many(starts, bodies.targets(figure, [goal], meant))
    assert answer.reached.all()
    assert np.all(answer.poses >= figure.lower)
    assert np.all(answer.poses <= figure.upper)
    assert figure.violation(answer.poses).max() == 0.0
    # what it says of itself, by placements computed anew
    A, B = (figure.placements(q, [tip])[:, 0] for q in (answer.poses, meant))
    assert np.linalg.norm(A[:, :3, 3] - B[:, :3, 3], axis=1).max() <= LENGTH * (1 + 1e-9)
    turn = rotations.from_matrix(A[:, :3, :3] @ B[:, :3, :3].transpose(0, 2, 1))
    assert np.linalg.norm(rotations.to_rotation_vector(turn), axis=1).max() <= ANGLE * (1 + 1e-9)


def test_one_at_a_time_the_pose_nearest_to_the_start_is_taken(arm: tuple[mk.Figure, str]) -> None:
    """`mk.solve`, `solve` and `solve_many` give the same bits: of several poses a near one, or the first by name."""
    figure, tip = arm
    rng = np.random.default_rng(5)
    meant, starts = figure.random(rng, 20), figure.random(rng, 20)
    goal = mk.Placement(tip, np.eye(4), tolerance=(LENGTH, ANGLE))
    rows = bodies.targets(figure, [goal], meant)
    solver = mk.Solver(figure, goal)
    many, first = solver.solve_many(starts, rows), solver.solve_many(starts, rows, pick="first")
    assert many.reached.all()
    assert first.reached.all()
    one = []
    for q, row in zip(starts, rows, strict=True):
        solution = mk.solve(figure, goal.with_target(row), q)
        assert solution.reached
        one.append(solver.solve(q, row).pose)
        assert np.array_equal(solution.pose, one[-1])
    assert np.array_equal(many.poses, one)
    for k, (q, row) in enumerate(zip(starts, rows, strict=True)):
        assert np.array_equal(solver.solve(q, row, pick="first").pose, first.poses[k])
    away = [np.linalg.norm(figure.difference(starts, poses), axis=1).mean() for poses in (many.poses, first.poses)]
    assert away[0] < away[1]


def wave(figure: mk.Figure, tip: str, seed: int) -> np.ndarray:
    """Poses on a smooth closed path, the tip moving by 3 mm or turning by 0.01 rad a frame."""
    rng = np.random.default_rng(seed)
    low, high = np.maximum(figure.lower, -np.pi), np.minimum(figure.upper, np.pi)
    middle, share = rng.uniform(low + 0.3 * (high - low), high - 0.3 * (high - low)), rng.uniform(0.3, 0.7, figure.nq)
    first, second = rng.uniform(0.0, 2.0 * np.pi, (2, figure.nq))
    t = np.linspace(0.0, 2.0 * np.pi, 8001)[:, None]
    swing = np.minimum(0.25 * (high - low), 0.6)
    poses = middle + swing * (share * np.sin(t + first) + (1.0 - share) * np.sin(2.0 * t + second))
    A = figure.placements(poses, [tip])[:, 0]
    turned = rotations.to_rotation_vector(rotations.from_matrix(A[1:, :3, :3] @ A[:-1, :3, :3].transpose(0, 2, 1)))
    moved = np.maximum(np.linalg.norm(np.diff(A[:, :3, 3], axis=0), axis=1), 0.3 * np.linalg.norm(turned, axis=1))
    way = np.cumsum(moved)
    return poses[np.searchsorted(way, np.arange(0.0, way[-1], 3e-3))]


SINGULAR = {"panda": (0, 1, 2), "ur5": (62, 92, 0), "lbr_iiwa": (22, 32, 49)}
"""Seeds of paths that come near singular poses, and stay within limits."""


@pytest.mark.parametrize("seed", range(3))
def test_a_track_near_singular_poses_misses_no_frame_and_does_not_jump(arm: tuple[mk.Figure, str], seed: int) -> None:
    figure, tip = arm
    poses = wave(figure, tip, SINGULAR[figure.name][seed])
    goal = mk.Placement(tip, np.eye(4), tolerance=(LENGTH, ANGLE))
    found = mk.Solver(figure, goal).track(poses[0], bodies.targets(figure, [goal], poses), max_speed=0.095 * 30)
    assert len(poses) > 300
    assert found.reached.all()
    assert np.abs(np.diff(found.poses, axis=0)).max() <= 0.0951
