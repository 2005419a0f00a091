"""Tracks that are continued a few frames at a time. A thread keeps memory between them; no answer depends on it."""

from __future__ import annotations

import itertools
import pickle
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manikin as mk
from manikin import backend, rotations

pytestmark = pytest.mark.skipif(not backend.native, reason="MANIKIN_BACKEND=reference: there is no native solver")

PARTS = ["Hips", "Head", "LeftHand", "RightHand", "LeftFoot", "RightFoot"]
FIELDS = ("poses", "errors", "codes", "iterations", "chosen", "_targets")
Case = tuple[mk.Solver, np.ndarray, np.ndarray]


def rows_of(figure: mk.Figure, poses: np.ndarray, parts: list[str]) -> np.ndarray:
    """(T, 7 parts) placements of some segments, as targets."""
    P = figure.placements(poses, parts)
    return np.concatenate([P[..., :3, 3], rotations.from_matrix(P[..., :3, :3])], axis=-1).reshape(len(poses), -1)


def person(seed: int = 0, frames: int = 40) -> Case:
    """A solver, the first pose, and targets; one hand leaves its reach."""
    figure, rng = mk.human(), np.random.default_rng(seed)
    wave = 0.15 * rng.normal(size=figure.nv)
    wave[:6] = 0.0
    turns = np.sin(np.linspace(0.0, 3.0, frames)[:, None] + rng.uniform(0.0, 6.0, figure.nv))
    poses = figure.clamp(figure.integrate(np.broadcast_to(figure.rest, (frames, figure.nq)), turns * wave))
    rows = rows_of(figure, poses, PARTS)
    rows[:, 21:24] += np.outer(np.sin(np.linspace(0.0, np.pi, frames)) ** 2, [0.3, 0.3, 0.5])
    return mk.Solver(figure, [mk.Placement(part, np.eye(4)) for part in PARTS]), poses[0], rows


def arm(data: Path, frames: int = 40) -> Case:
    """The same of an arm."""
    figure = mk.load_figure(data / "urdf" / "panda.urdf")
    middle = 0.5 * (figure.lower + figure.upper)
    poses = figure.clamp(middle + 0.5 * np.sin(np.linspace(0.0, 2.0, frames)[:, None] + np.arange(figure.nq)))
    rows = rows_of(figure, poses, ["panda_hand"])
    rows[frames // 2 :, :3] += 0.4 * np.linspace(0.0, 1.0, frames - frames // 2)[:, None]
    return mk.Solver(figure, mk.Placement("panda_hand", np.eye(4))), poses[0], rows


def recorded(data: Path) -> Case:
    """The same of a recorded walk."""
    motion = mk.load_motion(data / "bvh" / "cmu_02_01_walk.bvh")
    poses = np.array(motion.poses[1:41])
    solver = mk.Solver(motion.figure, [mk.Placement(part, np.eye(4)) for part in PARTS])
    return solver, poses[0], rows_of(motion.figure, poses, PARTS)


@pytest.fixture(params=["arm", "person", "recorded"])
def case(request: pytest.FixtureRequest, data: Path) -> Case:
    return {"arm": lambda: arm(data), "person": person, "recorded": lambda: recorded(data)}[request.param]()


def continued(case: Case, sizes: list[int], **options: Any) -> Iterator[mk.Solutions]:
    """The track in pieces of these sizes."""
    solver, pose, rows = case
    for first, end in itertools.pairwise(np.cumsum([0, *sizes])):
        piece = solver.track(pose, rows[first:end], before=None if first == 0 else rows[first - 1], **options)
        pose = piece.poses[-1]
        yield piece


def assert_same(pieces: list[mk.Solutions], whole: mk.Solutions, fields: tuple[str, ...] = FIELDS) -> None:
    for field in fields:
        joined, wanted = np.concatenate([getattr(piece, field) for piece in pieces]), getattr(whole, field)
        assert joined.dtype == wanted.dtype
        assert np.array_equal(joined, wanted), field


@pytest.mark.parametrize("size", [1, 4, 16])
def test_every_field_is_that_of_the_whole_track(case: Case, size: int) -> None:
    solver, start, rows = case
    whole = solver.track(start, rows)
    sizes = [size] * (len(rows) // size) + [len(rows) % size] * (len(rows) % size > 0)
    pieces = list(continued(case, sizes))
    assert_same(pieces, whole)
    assert np.array_equal(np.concatenate([piece.start_violation for piece in pieces]), whole.start_violation)
    for piece, before in zip(pieces[1:], np.cumsum(sizes)[:-1] - 1, strict=True):
        assert np.array_equal(piece._starts, whole.poses[before])


def test_a_single_row_is_a_track_of_one_frame(case: Case) -> None:
    solver, pose, rows = case
    whole, last, found = solver.track(pose, rows), None, []
    for row in rows:
        found.append(solver.track(pose, row, before=last))
        pose, last = found[-1].poses[0], row
    assert_same(found, whole)


def test_other_calls_in_between_change_nothing(data: Path) -> None:
    """More solvers than a thread keeps memory for, other speed limits, and solves, in turn."""
    cases = [arm(data), recorded(data), *(person(seed) for seed in range(5))]
    wholes = [solver.track(start, rows) for solver, start, rows in cases]
    slow = [solver.track(start, rows, max_speed=2.0) for solver, start, rows in cases]
    ways = [(continued(case, [1] * 40), continued(case, [1] * 40, max_speed=2.0)) for case in cases]
    found: list[Any] = [([], []) for _ in cases]
    for _ in range(40):
        for (solver, start, rows), way, mine in zip(cases, ways, found, strict=True):
            for one, pieces in zip(way, mine, strict=True):
                pieces.append(next(one))
            solver.solve(start, rows[3], restarts=0)
    for whole, slower, (fast, late) in zip(wholes, slow, found, strict=True):
        assert_same(fast, whole)
        assert_same(late, slower)


def test_threads_that_share_a_solver_get_the_same_bits(case: Case) -> None:
    whole = case[0].track(*case[1:])
    with ThreadPoolExecutor(4) as pool:
        for pieces in pool.map(lambda _: list(continued(case, [1] * 40)), range(8)):
            assert_same(pieces, whole)


def test_a_goal_that_tracks_with_its_own_solver_changes_nothing() -> None:
    """A Python goal is called in the middle of a frame. It tracks on the same thread with the same solver."""
    figure = mk.chain(4, planar=True)
    rows = np.stack([np.linspace(2.0, 3.0, 8), np.linspace(1.0, 0.5, 8)], axis=1)
    inner: list[np.ndarray] = []
    due = False

    def height(P: np.ndarray) -> np.ndarray:
        nonlocal due
        if due:
            due = False
            inner.append(solver.track(figure.rest + 0.1, rows).poses)
        return np.array([0.01 * P[0, 1, 3]])

    goals = [mk.Position("Tip", (1.0, 1.0), axes="xy"), mk.Custom(["Tip"], height, tolerance=10.0)]
    solver = mk.Solver(figure, goals)
    whole, alone = solver.track(figure.rest, rows), solver.track(figure.rest + 0.1, rows)
    pieces, pose, last = [], figure.rest, None
    for row in rows:
        due = True
        pieces.append(solver.track(pose, row, before=last))
        pose, last = pieces[-1].poses[0], row
    assert_same(pieces, whole)
    assert len(inner) == len(rows)
    assert all(np.array_equal(poses, alone.poses) for poses in inner)


def test_arrays_are_made_once_and_are_ordinary(case: Case) -> None:
    solver, start, rows = case
    few = solver.track(start, rows[:2])
    for field in (*FIELDS, "start_violation", "_starts"):
        array = getattr(few, field)
        assert array is getattr(few, field)
        assert type(array) is np.ndarray
        assert array.flags.c_contiguous
        assert array.flags.writeable
    copy = pickle.loads(pickle.dumps(few))
    assert_same([copy], few)
    assert few._weights is None
    out = np.empty((2, len(start)))
    assert solver.track(start, rows[:2], out=out).poses is out
    assert np.array_equal(out, few.poses)
    assert few[1].pose.tolist() == few.poses[1].tolist()
    assert np.array_equal(few[0].start, start)
    assert solver.track(start, rows[:0], before=rows[0]).poses.shape == (0, len(start))


def test_a_continued_track_of_many_frames_has_the_rows_of_a_whole_one() -> None:
    solver, start, rows = case = person(3, 200)
    whole = solver.track(start, rows)
    pieces = list(continued(case, [1, 199]))
    assert_same(pieces, whole)
    assert all(getattr(pieces[1], field).shape[0] == 199 for field in FIELDS)


def test_notes_on_the_start_and_on_speed_limits_are_written_when_they_are_read() -> None:
    chain = mk.chain(2, mk.Hinge((0, 0, 1), (-1.0, 1.0)))
    solver = mk.Solver(chain, mk.Position("Tip", (0, 0, 0)))
    rows = chain.placements(np.array([[0.3, 0.5], [0.8, 0.5]]), ["Tip"])[:, 0, :3, 3]
    found = solver.track(np.array([0.3, 1.5]), rows, max_speed=1.0)
    copy = pickle.loads(pickle.dumps(found))
    assert found._notes is not None
    assert len(found._notes) == 2
    assert "outside its limits" in found._notes[0]
    assert "1 rad/s (max_speed)" in found._notes[1]
    assert found._notes is found._notes
    assert copy._notes == found._notes
    assert set(found._notes) <= set(found.with_notes("more").notes)
    for piece in continued((solver, np.array([0.3, 0.5]), rows), [1, 1], max_speed=1.0):
        last = piece
    assert last._notes == (found._notes[1].replace("frame 1", "frame 0"),)
    assert solver.track(np.array([0.3, 0.5]), rows)._notes is None
