"""A goal that is reached is reached at the returned pose, from any finite start: `figure.placements` confirms it."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin import backend
from manikin.errors import BadValue

pytestmark = pytest.mark.skipif(not backend.native, reason="MANIKIN_BACKEND=reference: there is no native solver")

FAR = (3e5, 4e9, 3e12, -1e13, 1e15, -1e300, 1.7e308)


def arm_without_limits() -> mk.Figure:
    """Six joints without limits, which the arm kernels solve."""
    axes = [(0, 0, 1), (0, 1, 0), (0, 1, 0), (1, 0, 0), (0, 1, 0), (1, 0, 0)]
    offsets = [(0, 0, 0.3), (0, 0, 0.1), (0.5, 0, 0), (0.4, 0, 0), (0, 0, 0), (0, 0, 0)]
    segments = [mk.Segment("Base")]
    for k, (axis, offset) in enumerate(zip(axes, offsets, strict=True)):
        joint = mk.Joint(f"j{k}", (mk.Hinge(axis),), offset=offset)
        segments.append(mk.Segment(f"s{k}", segments[-1].name, joint))
    return mk.Figure("arm", segments)


def spun(figure: mk.Figure, rng: np.random.Generator) -> np.ndarray:
    """A pose whose angles have very many turns."""
    pose = figure.random(rng)
    free = np.isinf(figure.lower) & np.isin(np.arange(figure.nq), list(figure.layout.angular))
    pose[free] += rng.choice(FAR, free.sum()) * (rng.uniform(size=free.sum()) < 0.7)
    return pose


@pytest.mark.parametrize("make", [lambda: mk.chain(6), arm_without_limits], ids=["chain", "arm"])
@pytest.mark.parametrize("seed", range(8))
def test_what_is_reached_is_confirmed(make, seed: int) -> None:
    figure, rng = make(), np.random.default_rng(seed)
    tip = figure.segment_names[-1]
    for _ in range(5):
        start, goal = spun(figure, rng), mk.Placement(tip, figure.placements(figure.random(rng), [tip])[0])
        solver = mk.Solver(figure, goal)
        frames = np.tile(solver.targets, (3, 1))
        found = [solver.solve(start), solver.solve_many(start)[0], solver.solve_many(start, pick="first")[0]]
        found += [solver.track(start, frames)[2], mk.solve(figure, goal, start), solver.solve(list(start))]
        found += [solver.solve(figure.rest, prefer=start, settle=True), solver.solve(figure.rest, prefer=start)]
        found += [mk.Solver.from_bytes(solver.to_bytes()).solve(start)]
        assert any(solution.reached for solution in found)
        for solution in found:
            there = figure.placements(solution.pose, [tip])[0]
            length = np.linalg.norm(there[:3, 3] - goal.placement[:3])
            assert np.isfinite(solution.pose).all()
            assert not solution.reached or length <= 1e-4 * figure.size + 1e-9


def moved_far(kind: str) -> mk.Figure:
    """A figure whose first joint may go far: a free root, a slider, a hinge with one limit, or a hinge that leads."""
    first = {
        "free": mk.Free(),
        "slider": mk.Slider((1, 0, 0)),
        "one limit": mk.Hinge((0, 0, 1), (-0.8, np.inf)),
        "leads": mk.Hinge((0, 0, 1)),
    }[kind]
    couple = mk.Coupling("first", 0.5) if kind == "leads" else None
    hinge = mk.Hinge((0, 1, 0), (-2.0, 2.0))
    joints = [
        mk.Joint("first", (first,)),
        mk.Joint("second", (mk.Hinge((0, 0, 1)),), offset=(1, 0, 0), coupling=couple),
    ]
    joints += [mk.Joint("third", (hinge,), offset=(1, 0, 0)), mk.Joint("tip", (), offset=(1, 0, 0))]
    segments = [mk.Segment(j.name, joints[k - 1].name if k else None, j) for k, j in enumerate(joints)]
    return mk.Figure(kind, segments)


@pytest.mark.parametrize("far", [*FAR, 1e155, -1e200])
@pytest.mark.parametrize("kind", ["free", "slider", "one limit", "leads"])
def test_lengths_one_limit_and_couplings_too(kind: str, far: float) -> None:
    figure, rng = moved_far(kind), np.random.default_rng(5)
    for _ in range(5):
        there = figure.placements(figure.random(rng), ["tip"])[0, :3, 3]
        start = figure.rest.copy()
        start[0] += far
        solver = mk.Solver(figure, [mk.Position("tip", there), mk.Posture(figure.rest, weight=0.01, priority=1)])
        found = [
            solver.solve(start),
            solver.solve_many(start)[0],
            solver.track(start, np.tile(solver.targets, (3, 1)))[2],
        ]
        found += [solver.solve(figure.rest, prefer=start), mk.Solver.from_bytes(solver.to_bytes()).solve(start)]
        for solution in found:
            away = np.linalg.norm(figure.placements(solution.pose, ["tip"])[0, :3, 3] - there)
            assert np.isfinite(solution.pose).all()
            assert np.isfinite(solution.errors).all()
            assert solution.errors[0] == pytest.approx(away, abs=1e-9 * np.abs(solution.pose).max() + 1e-9)
            assert figure.violation(solution.pose) <= 1e-12


@pytest.mark.parametrize("method", ["dls", "lbfgsb", "bounded-dls", "ccd"])
def test_other_methods_confirm_it_too(method: str) -> None:
    figure, rng = mk.chain(6), np.random.default_rng(1)
    for _ in range(4):
        there = figure.placements(figure.random(rng), ["Tip"])[0, :3, 3]
        solution = mk.solve(figure, mk.Position("Tip", there), spun(figure, rng), method=method)
        away = np.linalg.norm(figure.placements(solution.pose, ["Tip"])[0, :3, 3] - there)
        assert not solution.reached or away <= 1e-4 * figure.size + 1e-9


@pytest.mark.parametrize("method", ["auto", "dls", "lbfgsb", "bounded-dls", "pinv", "transpose", "sdls", "stacked"])
@pytest.mark.parametrize("size", [1e30, 1e39, 1e60, 1e155, 1e300])
def test_an_error_that_would_overflow_names_its_goal(method: str, size: float) -> None:
    figure, there = mk.human(), np.array([0.3, 1.2, 0.3])
    goal = mk.Custom("LeftHand", lambda p: size * (p[0, :3, 3] - there), rows=3, name="mine")
    try:
        solution = mk.solve(figure, goal, iterations=30, method=method)
    except BadValue as error:
        assert str(error).startswith("mine: ")  # noqa: PT017
        assert size > 1e34
    else:
        assert np.isfinite(solution.pose).all()
        assert np.isfinite(solution.errors).all()


@pytest.mark.parametrize("call", ["solve", "solve_many", "track"])
def test_a_solver_names_that_goal_too(call: str) -> None:
    goal = mk.Custom("LeftHand", lambda p: 1e155 * p[0, :3, 3], lambda _: np.eye(3, 6), rows=3, name="mine")
    solver = mk.Solver(mk.human(), goal)
    arguments = (mk.human().rest, np.empty((3, 0))) if call == "track" else ()
    with pytest.raises(BadValue, match=r"^mine: error function: .*1e\+40"):
        getattr(solver, call)(*arguments)


@pytest.mark.parametrize(
    "goal",
    [
        mk.Clearance(obstacles=[mk.Sphere((0, 0, 0), 1e100)]),
        mk.Clearance(obstacles=[mk.HalfSpace((0, 1e100, 0))]),
        mk.Balance(["LeftFoot"], margin=1e100),
    ],
    ids=["sphere", "half space", "margin"],
)
def test_a_length_that_would_overflow_is_one_error_at_every_door(goal: mk.Goal) -> None:
    figure = mk.human()
    for call in (mk.solve, mk.Solver, lambda f, g: mk.solve_motion(f, g, [0.0, 0.1])):
        with pytest.raises(BadValue, match="a length of a goal is out of range"):
            call(figure, goal)
