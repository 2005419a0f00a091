"""`hold=`: the twist or the swing of a ball stays as in the start, exactly, while the rest of it moves."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from cases import fixed_rng
from checks import assert_close, assert_derivative, assert_refused
from hypothesis import given
from strategies import rngs

import manikin as mk
from manikin import backend, rotations
from manikin.errors import BadValue, UnknownName
from manikin.figure.movable import movable_steps
from manikin.kinematics.chart import chart_of
from manikin.problem import Problem

native = pytest.mark.skipif(not backend.native, reason="MANIKIN_BACKEND=reference: there is no native solver")
CONE = mk.SwingTwist((0.0, 1.0, 0.0), (1.4, 0.9), (-1.2, 0.8))
NAMES = ("Segment1", "Segment2", "Segment3")
METHODS = ["bounded-dls", "lbfgsb", pytest.param("auto", marks=native)]


def arm(limits: mk.SwingTwist | None = CONE) -> mk.Figure:
    return mk.chain([0.5, 0.4, 0.3], mk.Ball(limits))


def parts(figure: mk.Figure, poses: np.ndarray) -> np.ndarray:
    """(..., balls, 3) swing and twist of the balls with limits, radians."""
    chart = chart_of(figure, normalised=False, left={int(n): np.zeros(3, bool) for n in figure.layout.cones.number})
    flat = np.atleast_2d(poses)
    half = np.column_stack([chart.cones.swing, chart.cones.half])
    found = np.array([chart.coordinates(q) * half for q in flat])
    return found.reshape(*np.shape(poses)[:-1], len(half), 3)


def kept(figure: mk.Figure, poses: np.ndarray, start: np.ndarray, hold: dict[str, str]) -> float:
    """How far held parts moved, radians."""
    moved = np.abs(parts(figure, poses) - parts(figure, start))
    at = {"twist": slice(2, 3), "swing": slice(0, 2)}
    worst = [moved[..., NAMES.index(joint), at[part]].max() for joint, part in hold.items()]
    return float(max(worst))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("part", ["twist", "swing"])
def test_the_part_stays_and_the_rest_moves(method: str, part: str) -> None:
    figure, rng = arm(), np.random.default_rng(5)
    hold = {"Segment1": part, "Segment2": part}
    for _ in range(6):
        start, other = figure.random(rng, 2)
        goal = mk.Position("Tip", figure.placements(other, ["Tip"])[0, :3, 3])
        pose = mk.solve(figure, goal, start, method=method, hold=hold).pose
        assert kept(figure, pose, start, hold) <= 1e-9
        assert figure.violation(pose) <= 1e-9
        assert np.abs(parts(figure, pose) - parts(figure, start)).max() > 1e-3


@pytest.mark.parametrize("part", ["twist", "swing"])
@given(rngs())
def test_the_derivative_is_that_along_the_allowed_motion(part: str, rng: np.random.Generator) -> None:
    figure = arm()
    q = figure.random(rng)
    problem = Problem(figure, mk.Placement("Tip", np.eye(4)), q, hold={"Segment2": part})
    chart = problem.chart
    local = chart.at(q)
    free = problem.movable.copy()
    c = rng.normal(size=figure.nv) * free
    assert_derivative(
        lambda t: problem.at(local.moved(float(t[0]) * c)).rows[:3],
        (local.columns(problem.at(q).derivative) @ c)[:3, None],
        np.zeros(1),
        step=1e-3,
        tol=1e-6,
    )
    held = local.columns(problem.at(q).derivative)[:, ~free]
    assert np.abs(held).max() <= 1e-10
    assert kept(figure, local.moved(0.1 * c), q, {"Segment2": part}) <= 1e-9


def test_a_chart_gives_a_pose_the_held_part_of_another() -> None:
    figure, rng = arm(), np.random.default_rng(1)
    a, b = figure.random(rng, 2)
    problem = Problem(figure, mk.Position("Tip", (0, 1, 0)), a, hold={"Segment1": "twist", "Segment3": "swing"})
    made = problem.chart.with_held(b, a)
    assert kept(figure, made, a, {"Segment1": "twist", "Segment3": "swing"}) <= 1e-12
    assert kept(figure, made, b, {"Segment1": "swing", "Segment3": "twist"}) <= 1e-12
    assert np.array_equal(made[4:8], b[4:8])


@native
@pytest.mark.parametrize("hold", [{"Segment1": "twist"}, {"Segment2": "swing"}, dict.fromkeys(NAMES, "twist")])
def test_many_rows_restarts_and_threads_keep_each_its_own_start(hold: dict[str, str]) -> None:
    figure, rng = arm(), fixed_rng(2)
    starts, meant = figure.random(rng, 80), figure.random(rng, 80)
    solver = mk.Solver(figure, mk.Position("Tip", (0, 1, 0)), hold=hold)
    rows = figure.placements(meant, ["Tip"])[:, 0, :3, 3]
    found = solver.solve_many(starts, rows)
    assert kept(figure, found.poses, starts, hold) <= 1e-9
    assert figure.violation(found.poses).max() <= 1e-9
    assert found.reached.mean() > 0.5
    assert np.array_equal(found.poses, solver.solve_many(starts, rows, threads=2).poses)
    assert np.array_equal(found.poses[7], solver.solve(starts[7], rows[7]).pose)
    assert np.array_equal(found.poses, mk.Solver.from_bytes(solver.to_bytes()).solve_many(starts, rows).poses)
    assert np.array_equal(found.poses, pickle.loads(pickle.dumps(solver)).solve_many(starts, rows).poses)
    rest = solver.solve_many(None, rows)
    assert kept(figure, rest.poses, figure.rest, hold) <= 1e-9


@native
def test_goals_that_the_rest_of_the_joint_can_reach_are_reached() -> None:
    """Targets of poses with the same twist as the start."""
    figure, rng = arm(), np.random.default_rng(3)
    hold = {"Segment1": "twist", "Segment2": "twist"}
    starts, others = figure.random(rng, 60), figure.random(rng, 60)
    chart = Problem(figure, mk.Position("Tip", (0, 1, 0)), hold=hold).chart
    meant = np.array([chart.with_held(b, a) for a, b in zip(starts, others, strict=True)])
    rows = figure.placements(meant, ["Tip"])[:, 0, :3, 3]
    found = mk.Solver(figure, mk.Position("Tip", (0, 1, 0)), hold=hold).solve_many(starts, rows)
    assert found.reached.mean() >= 0.98
    assert kept(figure, found.poses, starts, hold) <= 1e-9


@native
@pytest.mark.parametrize("options", [{}, {"refine": True}, {"escape": True}, {"stay": 0.01}, {"restarts": 3}], ids=str)
def test_a_track_keeps_it_through_every_pass(options: dict[str, Any]) -> None:
    figure, rng = arm(), fixed_rng(4)
    start = figure.random(rng)
    hold = {"Segment1": "twist", "Segment3": "swing"}
    solver = mk.Solver(figure, mk.Position("Tip", (0, 1, 0)), hold=hold)
    a, b = figure.placements(figure.random(rng, 2), ["Tip"])[:, 0, :3, 3]
    t = np.sin(np.linspace(0.0, 6.0, 120))[:, None]
    rows = a + 1.6 * t * (b - a)  # beyond reach at the ends
    found = solver.track(start, rows, **options)
    assert kept(figure, found.poses, start, hold) <= 1e-9
    assert figure.violation(found.poses).max() <= 1e-9
    assert found.reached.any()
    assert not found.reached.all()


@native
@pytest.mark.parametrize(
    "extra", [{"settle": True}, {"prefer": True}, {"prefer": True, "settle": True}, {"posture": True}], ids=str
)
def test_preferences_and_postures_do_not_move_it(extra: dict[str, Any]) -> None:
    figure, rng = arm(), np.random.default_rng(6)
    start, other, liked = figure.random(rng, 3)
    hold = {"Segment1": "twist", "Segment2": "swing", "Segment3": "twist"}
    goals = [mk.Position("Segment3", figure.placements(start, ["Segment3"])[0, :3, 3] + 0.02)]
    if extra.pop("posture", False):
        goals.append(mk.Posture(other, weight=0.3))
    if extra.pop("prefer", False):
        extra = {**extra, "prefer": liked}
    solution = mk.solve(figure, goals, start, hold=hold, **extra)  # no goal moves the last ball
    assert kept(figure, solution.pose, start, hold) <= 1e-9
    assert figure.violation(solution.pose) <= 1e-9


@native
def test_a_person_keeps_the_twist_of_an_arm_also_in_a_report() -> None:
    human = mk.human()
    name = "LeftArm"
    hand = human.placements(human.rest, ["LeftHand"])[0]
    turn = rotations.to_matrix(rotations.from_rotation_vector(np.array([0.0, 0.9, 0.3])))
    wanted = hand.copy()
    wanted[:3, :3] = turn @ hand[:3, :3]
    goals = [mk.Placement("LeftHand", wanted), mk.Placement("Hips", human.placements(human.rest, ["Hips"])[0])]
    free, held = (mk.solve(human, goals, human.rest, hold=h) for h in (None, {name: "twist"}))
    index = list(human.layout.cones.number).index(human.index_of(name))
    twist = [parts(human, s.pose)[index, 2] for s in (free, held)]
    rest = parts(human, human.rest)[index, 2]
    assert abs(twist[1] - rest) <= 1e-9
    assert abs(twist[0] - rest) > 1e-3
    assert held.movable is not None
    far = mk.solve(human, mk.Position("LeftHand", (3.0, 1.0, 0.0)), human.rest, hold={name: "twist"}, freeze=["Hips"])
    assert str(far.report)
    assert abs(parts(human, far.pose)[index, 2] - rest) <= 1e-9


def test_a_cone_that_allows_everything_still_has_a_twist_to_hold() -> None:
    figure, rng = arm(mk.SwingTwist((0.0, 1.0, 0.0))), np.random.default_rng(9)
    start, other = figure.random(rng, 2)
    goal = mk.Position("Tip", figure.placements(other, ["Tip"])[0, :3, 3])
    for method in ("auto", "bounded-dls") if backend.native else ("bounded-dls",):
        pose = mk.solve(figure, goal, start, method=method, hold={"Segment1": "twist"}).pose
        assert kept(figure, pose, start, {"Segment1": "twist"}) <= 1e-9


def test_without_hold_nothing_is_held() -> None:
    figure = arm()
    assert movable_steps(figure).all()
    assert movable_steps(figure, hold={}).all()
    assert_close(movable_steps(figure, hold={"Segment2": "twist"}), [1, 1, 1, 1, 1, 0, 1, 1, 1])
    assert_close(movable_steps(figure, freeze=["Segment2"], hold={"Segment2": "twist"})[3:6], [0, 0, 0])


@native
def test_follow_takes_either_meaning() -> None:
    figure = arm()
    goal = mk.Position("Tip", figure.placements(figure.rest, ["Tip"])[0, :3, 3])
    rows = goal.target + np.linspace(0.0, 0.2, 10)[:, None] * [-1.0, -0.5, 0.2]
    motion = mk.follow(figure, goal, rows, figure.rest, hold={"Segment1": "twist"}).motion
    assert kept(figure, motion.poses, figure.rest, {"Segment1": "twist"}) <= 1e-9
    assert len(mk.follow(figure, goal, rows, figure.rest, stay=0.01).motion) == 10


@pytest.mark.parametrize(
    ("hold", "kind", "message"),
    [
        ({"Segment9": "twist"}, UnknownName, "hold: .*Segment9"),
        ({"Segment1": "roll"}, BadValue, "hold: the part of joint 'Segment1' is 'roll'; it must be 'twist' or 'swing'"),
        ("Segment1", BadValue, "hold is 'Segment1'; it needs a dict of joints"),
    ],
)
def test_bad_input_is_named(hold, kind, message) -> None:
    assert_refused(lambda: movable_steps(arm(), hold=hold), kind, message)


def test_joints_without_a_twist_axis_are_refused() -> None:
    assert_refused(lambda: movable_steps(arm(None), hold={"Segment1": "twist"}), BadValue, "a ball without limits")
    hinges = mk.chain(3, planar=True)
    message = "joint 'Segment1' is not a ball, it is a hinge; name its numbers in freeze"
    assert_refused(lambda: movable_steps(hinges, hold={"Segment1": "twist"}), BadValue, message)


@pytest.mark.parametrize("method", ["dls", "pinv", "ccd"])
def test_methods_without_swing_and_twist_refuse_it(method: str) -> None:
    call = lambda: mk.solve(arm(), mk.Position("Tip", (0, 1, 0)), method=method, hold={"Segment1": "twist"})  # noqa: E731
    assert_refused(call, BadValue, "cannot keep a part of a joint, only auto, lbfgsb, bounded-dls can")
