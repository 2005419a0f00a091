"""Several clips on threads: each is the track that it would be alone."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import manikin as mk
from manikin import backend, rotations

pytestmark = pytest.mark.skipif(not backend.native, reason="MANIKIN_BACKEND=reference: there is no native solver")

PARTS = ["Hips", "Head", "LeftHand", "RightHand", "LeftFoot", "RightFoot"]
FIELDS = ("poses", "errors", "codes", "iterations", "start_violation", "chosen", "_targets", "_starts")
LENGTHS = (7, 60, 1, 33, 0, 25)


def clips(seed: int = 0) -> tuple[mk.Solver, np.ndarray, list[np.ndarray]]:
    """A solver of a person, the first pose of each clip, and clips of different lengths with noise."""
    figure, rng = mk.human(), np.random.default_rng(seed)
    starts, rows = [], []
    for frames in LENGTHS:
        wave = 0.15 * rng.normal(size=figure.nv)
        wave[:6] = 0.0
        turns = np.sin(np.linspace(0.0, 0.05 * frames, frames + 1)[:, None] + rng.uniform(0.0, 6.0, figure.nv))
        poses = figure.clamp(figure.integrate(np.broadcast_to(figure.rest, (frames + 1, figure.nq)), turns * wave))
        P = figure.placements(poses, PARTS)
        row = np.concatenate([P[..., :3, 3], rotations.from_matrix(P[..., :3, :3])], axis=-1).reshape(frames + 1, -1)
        row[:, 21:24] += 0.02 * rng.normal(size=(frames + 1, 3))
        starts.append(poses[0])
        rows.append(row[1:])
    return mk.Solver(figure, [mk.Placement(part, np.eye(4)) for part in PARTS]), np.array(starts), rows


def assert_same(found: list[mk.Solutions], wanted: list[mk.Solutions]) -> None:
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted, strict=True):
        assert isinstance(one, mk.Solutions)
        assert one.notes == other.notes
        for field in FIELDS:
            assert np.array_equal(getattr(one, field), getattr(other, field)), field


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_each_clip_is_the_track_that_it_is_alone(threads: int) -> None:
    solver, starts, rows = clips()
    alone = [solver.track(start, row) for start, row in zip(starts, rows, strict=True)]
    assert_same(solver.track_many(starts, rows, threads), alone)
    assert_same(solver.track_many(list(starts), rows, threads=threads), alone)


def test_one_start_serves_all_clips_and_none_faces_each() -> None:
    solver, starts, rows = clips(1)
    for start in (starts[0], None, "natural"):
        alone = [solver.track(start, row) for row in rows]
        assert_same(solver.track_many(start, rows, 2), alone)
    mixed = [None, starts[1], "natural", *starts[3:]]
    alone = [solver.track(start, row) for start, row in zip(mixed, rows, strict=True)]
    assert_same(solver.track_many(mixed, rows, 2), alone)


@pytest.mark.parametrize(
    "options",
    [
        {"max_speed": 2.0, "dt": 0.01},
        {"refine": True, "escape": True},
        {"restarts": 4, "seed": 3},
        {"weights": np.arange(1.0, 7.0)},
        {"weights": [1.0, 2.0, 3.0, 1.0, 1.0, 0.5]},
        {"active": [True, True, True, False, True, True]},
        {"stay": 0.01, "iterations": 20},
    ],
)
def test_options_are_those_of_track(options: dict[str, Any]) -> None:
    solver, starts, rows = clips(2)
    alone = [solver.track(start, row, **options) for start, row in zip(starts, rows, strict=True)]
    assert_same(solver.track_many(starts, rows, 2, **options), alone)


def test_each_clip_may_have_its_own_times_weights_and_frame_before() -> None:
    solver, starts, rows = clips(3)
    rng, figure = np.random.default_rng(0), solver.figure
    each: dict[str, list[Any]] = {
        "before": [None, rows[1][0], None, rows[3][0], rows[1][0], None],
        "times": [None if len(row) == 7 else np.cumsum(rng.uniform(0.01, 0.05, len(row))) for row in rows],
        "weights": [rng.uniform(0.5, 2.0, (len(row), 6)) for row in rows],
        "active": [rng.random((len(row), 6)) < 0.9 for row in rows],
        "prefer": [None, figure.rest, None, np.tile(figure.rest, (33, 1)), None, None],
    }
    for k in (1, 3, 4):  # the frame before has a time too
        each["times"][k] = np.cumsum(rng.uniform(0.01, 0.05, len(rows[k]) + 1))
    alone = [
        solver.track(start, row, **{name: values[k] for name, values in each.items()})
        for k, (start, row) in enumerate(zip(starts, rows, strict=True))
    ]
    assert_same(solver.track_many(starts, rows, 2, **each), alone)
    seconds = [0.01, 0.02, 0.03, 0.04, 0.05, 0.06]
    alone = [solver.track(s, row, dt=dt) for s, row, dt in zip(starts, rows, seconds, strict=True)]
    assert_same(solver.track_many(starts, rows, 2, dt=seconds), alone)


def test_clips_of_one_length_may_be_one_array() -> None:
    chain = mk.chain(3, planar=True)
    solver = mk.Solver(chain, mk.Position("Tip", (1.0, 1.0), axes="xy"))
    rows = np.random.default_rng(0).uniform(-2.0, 2.0, (4, 9, 2))
    assert_same(solver.track_many(None, rows, 3), [solver.track(None, row) for row in rows])
    assert solver.track_many(None, []) == []


def test_alternatives_and_priorities() -> None:
    figure, rng = mk.human(), np.random.default_rng(5)
    goals = [
        mk.AnyOf(mk.Position("LeftHand", (0.4, 1.2, 0.3)), mk.Position("RightHand", (-0.4, 1.2, 0.3))),
        mk.Position("LeftFoot", (0.1, 0.1, 0.0), priority=0),
        mk.Position("Head", (0.0, 1.6, 0.2), priority=1),
    ]
    solver = mk.Solver(figure, goals)
    rows = [np.tile(solver.targets, (n, 1)) + 0.02 * rng.normal(size=(n, solver.width)) for n in (20, 5, 30)]
    assert_same(solver.track_many(None, rows, 2), [solver.track(None, row) for row in rows])


@pytest.fixture
def frequent_switches() -> Iterator[None]:
    """Threads take turns as often as Python allows."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_goals_in_python_have_the_same_bits_on_threads_that_take_turns(frequent_switches: None) -> None:
    figure = mk.chain(4, planar=True)
    goals = [mk.Position("Tip", (1.0, 1.0), axes="xy"), mk.Custom(["Tip"], lambda P: 0.01 * P[0, 1, 3:], tolerance=9.0)]
    solver = mk.Solver(figure, goals)
    rows = [np.linspace((2.0, 1.0), (3.0, 0.5 * k), 12) for k in range(4)]
    wanted = [solver.track(figure.rest, row) for row in rows]
    every = np.concatenate(rows)
    poses = solver.solve_many(figure.rest, every).poses
    for _ in range(10):
        assert_same(solver.track_many(figure.rest, rows, 3), wanted)
        assert np.array_equal(solver.solve_many(figure.rest, every, threads=3).poses, poses)


def test_goals_in_python_and_their_exceptions() -> None:
    figure = mk.chain(4, planar=True)
    goals = [mk.Position("Tip", (1.0, 1.0), axes="xy"), mk.Custom(["Tip"], lambda P: 0.01 * P[0, 1, 3:], tolerance=9.0)]
    solver = mk.Solver(figure, goals)
    rows = [np.linspace((2.0, 1.0), (3.0, 0.5 * k), 12) for k in range(4)]
    assert_same(solver.track_many(figure.rest, rows, 3), [solver.track(figure.rest, row) for row in rows])

    def fails(P: np.ndarray) -> np.ndarray:
        raise KeyError("from a goal")

    broken = mk.Solver(figure, [goals[0], mk.Custom(["Tip"], fails, rows=1, tolerance=9.0)])
    with pytest.raises(KeyError, match="from a goal"):
        broken.track_many(figure.rest, rows, 3)


def test_other_python_threads_run_meanwhile() -> None:
    solver, starts, rows = clips(4)
    many = [np.tile(rows[1], (10, 1))] * 4
    begins, ran = threading.Event(), threading.Event()

    def run() -> None:
        begins.wait()
        ran.set()

    other = threading.Thread(target=run)
    other.start()
    before = sys.getswitchinterval()
    sys.setswitchinterval(3600.0)  # the other thread runs only when this one lets it
    try:
        begins.set()
        for _ in range(200):  # a busy system may let the other thread wait for a processor
            solver.track_many(starts[1], many, 2)
            if ran.is_set():
                break
        assert ran.is_set()
    finally:
        sys.setswitchinterval(before)
        other.join()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"clips": np.zeros((5, 42))}, r"clips has shape \(5, 42\); it needs \(B, T, k\)"),
        ({"clips": None}, "clips is None; it needs a list"),
        ({"clips": [np.zeros((5, 3))]}, r"clip 0: targets has shape \(5, 3\)"),
        ({"start": np.zeros((2, 66))}, "start has 2 items; it needs one for all clips, or one for each of 6"),
        ({"weights": [np.ones(6)] * 5}, "weights has 5 items"),
        ({"dt": [0.1, 0.2]}, r"dt has shape \(2,\)"),
        ({"dt": [0.1, 0.2, 0.3, 0.0, 0.1, 0.1]}, "clip 3: dt is 0"),
        ({"dt": [0.1, "fast", 0.3, 0.1, 0.1, 0.1]}, "clip 1: dt is 'fast'"),
        ({"threads": 0}, "threads is 0"),
        ({"max_speed": -1.0}, "clip 0: max_speed is -1"),
    ],
)
def test_bad_arguments_are_named(arguments: dict[str, Any], message: str) -> None:
    solver, _, rows = clips()
    with pytest.raises(mk.errors.ManikinError, match=message):
        solver.track_many(**{"start": None, "clips": rows, **arguments})


@pytest.mark.parametrize("name", ["out", "seconds", "speed"])
def test_options_that_one_array_cannot_serve_are_refused(name: str) -> None:
    """The clips would write into the same array, on several threads."""
    solver, _, rows = clips()
    options: dict[str, Any] = {name: np.zeros((1, 66))}
    with pytest.raises(TypeError, match=rf"track_many\(\) has no option '{name}'; it has max_speed, stay, "):
        solver.track_many(None, [rows[0][:1]] * 2, 2, **options)


def test_a_bad_target_names_its_clip_and_row() -> None:
    solver, _, rows = clips()
    rows[3][4, 0] = np.nan
    with pytest.raises(mk.errors.BadValue, match="clip 3: targets of 'Placement Hips', row 4"):
        solver.track_many(None, rows, 2)
