"""What is tuned by name: damping and angle_length of a Solver, stay and prefer of a track."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import manikin as mk
from manikin import backend
from manikin.errors import BadShape, BadValue
from manikin.problem import ANGLE_LENGTH
from manikin.rotations import from_matrix
from manikin.solvers.native.tuning import DAMPING, LARGEST, STAY, Tuning

pytestmark = pytest.mark.skipif(not backend.native, reason="MANIKIN_BACKEND=reference: there is no native solver")
CPP = Path(__file__).parents[3] / "cpp"


def placements(figure: mk.Figure, poses: np.ndarray, segment: str) -> np.ndarray:
    at = figure.placements(poses, [segment])[:, 0]
    return np.hstack([at[:, :3, 3], from_matrix(at[:, :3, :3])])


def circle(figure: mk.Figure, count: int = 40) -> tuple[list[mk.Goal], np.ndarray]:
    """A hand that goes round, feet that stand."""
    feet = [mk.Placement(name, figure.placements(figure.rest, [name])[0]) for name in ("LeftFoot", "RightFoot")]
    turn = np.linspace(0.0, 2.0 * np.pi, count)
    hand = np.stack([-0.35 + 0.12 * np.cos(turn), 1.25 + 0.12 * np.sin(turn), np.full(count, 0.35)], axis=1)
    rows = np.hstack([hand, np.tile(np.concatenate([g.target for g in feet]), (count, 1))])
    return [mk.Position("RightHand", hand[0]), *feet], rows


def test_the_same_numbers_stand_in_the_core() -> None:
    text = (CPP / "model" / "constants.h").read_text(encoding="utf-8")
    text += (CPP / "solve" / "constants.h").read_text(encoding="utf-8")
    number = {name: float(value) for name, value in re.findall(r"constexpr double (k\w+) = ([\d.e+-]+);", text)}
    assert Tuning() == (number["kAngleWeight"], number["kLeastDamping"])
    assert number["kAngleWeight"] == ANGLE_LENGTH
    assert number["kLeastDamping"] ** 0.5 == DAMPING
    assert number["kPlainProx"] ** 0.5 == STAY
    assert number["kLargestTuning"] == LARGEST


@pytest.mark.parametrize("make", [mk.human, lambda: mk.chain(7).scaled(3.7)])
def test_the_usual_values_give_the_usual_bits(make) -> None:
    figure = make()
    tip = figure.segment_names[-1]
    rng = np.random.default_rng(0)
    rows, starts = placements(figure, figure.random(rng, 20), tip), figure.random(rng, 20)
    goal = mk.Placement(tip, np.eye(4))
    usual = mk.Solver(figure, goal)
    given = mk.Solver(figure, goal, damping=DAMPING * figure.size, angle_length=ANGLE_LENGTH * figure.size)
    assert given.to_bytes() == usual.to_bytes()
    assert np.array_equal(given.solve_many(starts, rows).poses, usual.solve_many(starts, rows).poses)
    tracks = [usual.track(starts[0], rows, **o).poses for o in ({}, {"stay": STAY * figure.size}, {"stay": None})]
    assert np.array_equal(tracks[0], tracks[1])
    assert np.array_equal(tracks[0], tracks[2])


def test_angle_length_weighs_angles_against_lengths() -> None:
    figure = mk.chain(3, planar=True)
    goals = [mk.Position("Tip", (9.0, 3.0), axes="xy"), mk.Orientation("Tip", (0.0, 0.0, 0.0, 1.0))]
    found = [mk.Solver(figure, goals, angle_length=length).solve(figure.rest) for length in (0.1, 1.0, 10.0)]
    assert found[0].errors[0] < found[1].errors[0] < found[2].errors[0]
    assert found[0].errors[1] > found[1].errors[1] > found[2].errors[1]


def test_more_damping_makes_shorter_steps_and_reaches_as_well() -> None:
    figure = mk.chain(3, planar=True)
    near = figure.placements(figure.rest + 0.3, ["Tip"])[0, :2, 3]
    goal = mk.Position("Tip", near, axes="xy")
    steps = []
    for damping in (None, 0.3, 3.0):
        solver = mk.Solver(figure, goal, damping=damping)
        first = solver.solve(figure.rest + 0.1, iterations=1, restarts=0).pose
        steps.append(np.abs(first - figure.rest - 0.1).max())
        assert solver.solve(figure.rest + 0.1, iterations=10_000).reached
    assert steps[0] > steps[1] > steps[2]


@pytest.mark.parametrize("name", ["damping", "angle_length"])
@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, np.inf, "much", 1e9])
def test_bad_values_of_a_solver_are_named(name: str, value) -> None:
    with pytest.raises(BadValue, match=name):
        mk.Solver(mk.chain(3), mk.Position("Tip", (1, 0, 0)), **{name: value})


def test_tuned_solvers_are_pickled() -> None:
    import pickle

    solver = mk.Solver(mk.chain(3), mk.Position("Tip", (1, 0.5, 0)), damping=0.1, angle_length=0.5)
    assert pickle.loads(pickle.dumps(solver)).to_bytes() == solver.to_bytes()


def test_stay_keeps_redundant_joints_calm_and_goals_reached() -> None:
    figure = mk.human()
    goals, rows = circle(figure)
    solver = mk.Solver(figure, goals)
    moved = []
    for stay in (0.0, 0.02):
        found = solver.track(figure.rest, rows, stay=stay)
        assert found.reached.all()
        moved.append(np.abs(np.diff(found.poses, axis=0)).sum())
    assert moved[1] < moved[0]


def test_prefer_pulls_a_track_toward_a_pose_and_biases_no_goal() -> None:
    figure = mk.human()
    goals, rows = circle(figure, 120)
    solver = mk.Solver(figure, goals)
    start = solver.solve(figure.random(np.random.default_rng(2)), rows[0]).pose
    plain = solver.track(start, rows)
    pulled = solver.track(start, rows, prefer=figure.rest)
    assert plain.reached.all()
    assert pulled.reached.all()
    away = [np.linalg.norm(figure.difference(figure.rest, found.poses[-1])[6:]) for found in (plain, pulled)]
    assert away[1] < 0.95 * away[0]


@pytest.mark.parametrize("each", [False, True], ids=["one pose", "a pose a row"])
def test_a_track_in_pieces_is_the_same_track_with_these_options(each: bool) -> None:
    figure = mk.human()
    goals, rows = circle(figure)
    solver = mk.Solver(figure, goals)
    prefer = figure.random(np.random.default_rng(1), len(rows)) if each else figure.rest
    stiffness = {"Spine": 4.0}
    whole = solver.track(figure.rest, rows, stay=0.01, prefer=prefer, stiffness=stiffness)
    part = [prefer[:25], prefer[25:]] if each else [prefer, prefer]
    first = solver.track(figure.rest, rows[:25], stay=0.01, prefer=part[0], stiffness=stiffness)
    rest = solver.track(first.poses[-1], rows[25:], before=rows[24], stay=0.01, prefer=part[1], stiffness=stiffness)
    assert np.array_equal(np.concatenate([first.poses, rest.poses]), whole.poses)


def test_one_pose_for_all_rows_is_that_pose_in_every_row() -> None:
    figure = mk.human()
    goals, rows = circle(figure)
    solver = mk.Solver(figure, goals)
    one = solver.track(figure.rest, rows, prefer=figure.rest)
    each = solver.track(figure.rest, rows, prefer=np.tile(figure.rest, (len(rows), 1)))
    assert np.array_equal(one.poses, each.poses)


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"stay": -1.0}, BadValue, "stay is -1.0"),
        ({"stay": np.nan}, BadValue, "stay"),
        ({"stay": "firm"}, BadValue, "stay"),
        ({"stiffness": np.ones(3)}, BadValue, "without prefer"),
        ({"prefer": np.zeros((2, 3))}, BadShape, r"prefer has shape \(2, 3\)"),
    ],
)
def test_bad_options_of_a_track_are_named(options, kind, message: str) -> None:
    figure = mk.chain(3, planar=True)
    solver = mk.Solver(figure, mk.Position("Tip", (1, 1), axes="xy"))
    with pytest.raises(kind, match=message):
        solver.track(figure.rest, np.ones((5, 2)), **options)


@pytest.mark.parametrize("name", ["stay", "dt", "before"])
def test_options_of_tracks_are_no_options_of_solve(name: str) -> None:
    figure = mk.chain(3, planar=True)
    solver = mk.Solver(figure, mk.Position("Tip", (1, 1), axes="xy"))
    with pytest.raises(TypeError, match=name):
        solver.solve(figure.rest, **{name: 0.1})


def test_follow_is_a_track() -> None:
    figure = mk.human()
    goals, rows = circle(figure)
    tracked = mk.Solver(figure, goals).track(figure.rest, rows, dt=1.0 / 60.0, stay=0.01)
    motion = mk.follow(figure, goals, rows, figure.rest, rate=60.0, stay=0.01).motion
    seen: list[int] = []

    def progress(frame: int, _: object) -> bool:
        seen.append(frame)
        return True

    watched = mk.follow(figure, goals, rows, figure.rest, rate=60.0, stay=0.01, progress=progress).motion
    assert np.array_equal(motion.poses, tracked.poses)
    assert np.array_equal(watched.poses, tracked.poses)
    assert seen == list(range(1, len(rows) + 1))
