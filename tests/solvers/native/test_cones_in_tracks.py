"""Frames of figures with cones, which are read and written four at a time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import manikin as mk
from manikin import _core, backend, rotations
from manikin.figure.joint import SwingTwist
from manikin.problem import Problem

pytestmark = pytest.mark.skipif(not backend.native, reason="MANIKIN_BACKEND=reference: there is no native solver")

FRAMES = 24


def chain_of_cones(balls: int, seed: int) -> mk.Figure:
    """A chain of balls with cones of all sizes, from thin ones to half a turn, on a free root or on a slider."""
    rng = np.random.default_rng([seed, balls])
    first = (
        mk.Joint("Root", (mk.Free(),)) if seed % 2 else mk.Joint("Root", (mk.Slider(axis=(0, 0, 1), limits=(-2, 2)),))
    )
    segments = [mk.Segment("Root", None, first)]
    for k in range(balls):
        swing = rng.choice([1e-3, 0.2, 1.0, 2.0, np.pi], 2)
        middle, half = rng.uniform(-1.5, 1.5), rng.choice([0.0, 0.01, 0.5, 1.5])
        axis = rng.normal(size=3)
        limits = SwingTwist(tuple(axis), tuple(swing), (middle - half, middle + half))
        segments.append(mk.Segment(f"S{k}", segments[-1].name, mk.Ball(limits), offset=tuple(rng.normal(size=3) * 0.3)))
    segments.append(mk.Segment("Tip", segments[-1].name, offset=(0.3, 0.0, 0.0)))
    return mk.Figure("cones", segments)


def case(balls: int, seed: int) -> tuple[mk.Solver, np.ndarray, np.ndarray]:
    """A solver, the first pose, and targets on the way between two poses and a little beyond."""
    figure = chain_of_cones(balls, seed)
    rng = np.random.default_rng([seed, balls, 1])
    start = figure.random(rng)
    step = 0.4 * rng.normal(size=figure.nv)
    poses = figure.clamp(figure.integrate(np.tile(start, (FRAMES, 1)), np.linspace(0.0, 1.0, FRAMES)[:, None] * step))
    P = figure.placements(poses, ["Tip"])[:, 0]
    rows = np.concatenate([P[:, :3, 3], rotations.from_matrix(P[:, :3, :3])], axis=1)
    rows[FRAMES // 2 :, :3] += 0.2 * np.linspace(0.0, 1.0, FRAMES - FRAMES // 2)[:, None]
    return mk.Solver(figure, mk.Placement("Tip", np.eye(4))), poses[0], rows


@pytest.fixture(params=["base", "v3"])
def kernel(request: pytest.FixtureRequest):
    """Each kernel in turn; the one that was in use afterwards."""
    name = str(request.param)
    if name not in _core.available():
        pytest.skip(f"this processor does not run the kernels {name!r}")
    before = _core.in_use()
    _core.use(name)
    yield name
    _core.use(before)


def in_a_new_thread(solver: mk.Solver, pose: np.ndarray, rows: np.ndarray, before: np.ndarray | None) -> mk.Solutions:
    """A thread that has kept nothing of earlier frames."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(solver.track, pose, rows, before=before).result()


@pytest.mark.parametrize("balls", range(1, 10))
@pytest.mark.parametrize("seed", range(4))
def test_every_frame_alone_has_the_bits_of_the_whole_track(kernel: str, balls: int, seed: int) -> None:
    solver, pose, rows = case(balls, seed)
    whole = in_a_new_thread(solver, pose, rows, None)
    for t in range(1, FRAMES):
        one = in_a_new_thread(solver, whole.poses[t - 1], rows[t : t + 1], rows[t - 1])
        np.testing.assert_array_equal(one.poses[0], whole.poses[t])
        np.testing.assert_array_equal(one.errors[0], whole.errors[t])
        assert one.iterations[0] == whole.iterations[t]


@pytest.mark.parametrize("balls", range(1, 10))
@pytest.mark.parametrize("seed", range(4))
def test_poses_are_within_limits_and_errors_are_theirs(kernel: str, balls: int, seed: int) -> None:
    solver, pose, rows = case(balls, seed)
    found = solver.track(pose, rows)
    assert found.reached[: FRAMES // 2].any()
    goal = solver.goals[0]
    for pose, row, error in zip(found.poses, rows, found.errors, strict=True):
        assert solver.figure.violation(pose) == 0.0
        judged = Problem(solver.figure, [goal.with_target(row)], pose).at(pose)
        np.testing.assert_allclose(error, judged.errors, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_a_figure_whose_target_rests_does_not_creep(kernel: str, seed: int) -> None:
    solver, pose, rows = case(6, seed)
    row = rows[FRAMES // 4]
    first = solver.track(pose, np.tile(row, (40, 1)))
    still = solver.track(first.poses[-1], np.tile(row, (200, 1)), before=row)
    assert np.abs(still.poses - first.poses[-1]).max() < 1e-9
