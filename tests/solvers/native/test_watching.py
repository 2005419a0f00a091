"""Watching the native solver: every iteration is shown, nothing changes by it, and a watcher can end the solve."""

from __future__ import annotations

import gc
import itertools
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from solvers.native.watching import Glance, compiled, solved, watched

import manikin as mk
from manikin import _core, backend

pytestmark = pytest.mark.skipif(not backend.native, reason="MANIKIN_BACKEND=reference: there is no native solver")

HUMAN = mk.human()
CHAIN = mk.chain(30)
POSES = HUMAN.random(np.random.default_rng(3), 4)


def at(name: str, q: Any) -> Any:
    return HUMAN.placements(q, [name])[0]


def stands() -> list[mk.Goal]:
    feet = [mk.Position(name, at(name, HUMAN.rest)[:3, 3]) for name in ("LeftFoot", "RightFoot")]
    return [*feet, mk.Balance(["LeftFoot", "RightFoot"]), mk.Placement("LeftHand", at("LeftHand", POSES[1]))]


PROBLEMS: dict[str, tuple[mk.Figure, list[mk.Goal], Any]] = {
    "hand": (HUMAN, [mk.Position("LeftHand", at("LeftHand", POSES[0])[:3, 3])], POSES[1]),
    "placement": (HUMAN, [mk.Placement("LeftHand", at("LeftHand", POSES[0]))], POSES[2]),
    "balance": (HUMAN, stands(), HUMAN.rest),
    "clearance": (HUMAN, [mk.Clearance(0.01), mk.Position("LeftHand", (0.0, 1.0, 0.1))], POSES[3]),
    "posture": (HUMAN, [mk.Posture(POSES[0])], POSES[1]),
    "out of reach": (HUMAN, [mk.Position("LeftHand", (3.0, 1.0, 0.0)), *stands()[:3]], POSES[2]),
    "chain": (CHAIN, [mk.Position("Tip", (8.0, 9.0, 3.0))], np.linspace(-0.3, 0.5, CHAIN.nq)),
    "chain out of reach": (CHAIN, [mk.Position("Tip", (80.0, 9.0, 3.0))], CHAIN.rest),
}


@pytest.fixture(params=PROBLEMS)
def problem(request: pytest.FixtureRequest) -> tuple[mk.Figure, list[mk.Goal], Any]:
    return PROBLEMS[request.param]


@pytest.mark.parametrize("near", [False, True])
@pytest.mark.parametrize("restarts", [0, 5])
def test_a_watcher_does_not_change_a_bit(problem: Any, restarts: int, near: bool, kernels: str) -> None:
    alone = solved(*problem, restarts=restarts, near=near)
    answer, _ = watched(*problem, restarts=restarts, near=near)
    assert answer.pose.tobytes() == alone.pose.tobytes()
    assert answer.errors.tobytes() == alone.errors.tobytes()
    assert (answer.status, answer.iterations, answer.starts) == (alone.status, alone.iterations, alone.starts)


@pytest.mark.parametrize("restarts", [0, 5])
def test_every_iteration_is_shown_once(problem: Any, restarts: int) -> None:
    answer, seen = watched(*problem, restarts=restarts)
    assert [glance.iteration for glance in seen] == list(range(1, int(answer.iterations[0]) + 1))
    assert any(glance.moved for glance in seen)


def test_the_poses_shown_are_within_limits_and_the_first_is_the_start(problem: Any) -> None:
    figure, _, start = problem
    _, seen = watched(*problem, near=True)
    assert np.abs(figure.difference(start, seen[0].pose)).max() <= 1e-12
    assert max(figure.violation(glance.pose) for glance in seen) <= 1e-9


def test_the_cost_is_that_of_the_problem_at_the_pose_shown(problem: Any) -> None:
    """Near: without the first phase, in which positions count more."""
    figure, goals, start = problem
    _, seen = watched(figure, goals, start, near=True)
    evaluated, _ = compiled(figure, goals, start)
    for glance in seen:
        cost = evaluated.at(glance.pose).cost
        assert abs(glance.cost - cost) <= 1e-9 * cost + 1e-15


def test_steps_taken_lead_from_one_pose_shown_to_the_next() -> None:
    _, seen = watched(*PROBLEMS["chain out of reach"], near=True)
    pairs = [(a, b) for a, b in itertools.pairwise(seen) if a.moved]
    assert len(pairs) > 3
    for before, after in pairs:
        assert after.cost < before.cost
        assert abs(before.step - np.linalg.norm(CHAIN.difference(before.pose, after.pose))) <= 1e-9 * before.step


def test_a_step_within_a_cone_counts_the_angle_it_turns_by() -> None:
    """A short step of balls inside their cones: its norm is that of the difference of the two poses."""
    figure = mk.samples.on_the_rim()
    tip = figure.segment_names[-1]
    toward = figure.difference(figure.rest, figure.random(np.random.default_rng(1)))
    start = figure.clamp(figure.integrate(figure.rest, 0.3 * toward))
    target = figure.placements(figure.integrate(start, 1e-4 * np.ones(figure.nv)), [tip])[0]
    answer, seen = watched(figure, [mk.Placement(tip, target, tolerance=(1e-9, 1e-9))], start, near=True)
    assert seen[0].moved
    after = seen[1].pose if len(seen) > 1 else answer.pose[0]
    assert abs(seen[0].step - np.linalg.norm(figure.difference(seen[0].pose, after))) <= 0.01 * seen[0].step


def test_a_step_that_is_not_taken_leaves_the_pose() -> None:
    stays = 0
    for problem in PROBLEMS.values():
        _, seen = watched(*problem, near=True)
        for before, after in itertools.pairwise(seen):
            if not before.moved:
                assert before.pose.tobytes() == after.pose.tobytes()
                stays += 1
    assert stays > 0


def test_the_damping_is_a_length_a_radian() -> None:
    """The same figure in centimetres: poses agree, dampings and costs are those of its unit."""
    figure, goals, start = PROBLEMS["chain"]
    larger = [mk.Position("Tip", 100.0 * np.array((8.0, 9.0, 3.0)))]
    (_, seen), (_, scaled) = watched(figure, goals, start), watched(figure.scaled(100.0), larger, start)
    assert len(seen) == len(scaled)
    for one, other in zip(seen, scaled, strict=True):
        assert one.damping > 0.0
        assert abs(other.damping - 100.0 * one.damping) <= 1e-6 * other.damping
        assert abs(other.cost - 1e4 * one.cost) <= 1e-6 * other.cost
        assert abs(other.step - one.step) <= 1e-6 * one.step


@pytest.mark.parametrize("after", [1, 2, 3])
def test_a_watcher_ends_the_solve_with_the_best_pose_so_far(problem: Any, after: int) -> None:
    figure, goals, start = problem
    _, seen = watched(figure, goals, start, near=True)
    calls: list[Glance] = []

    def watch(*at: Any) -> bool:
        calls.append(Glance(*at))
        return len(calls) < after

    answer = solved(figure, goals, start, near=True, watch=watch, restarts=30)
    if len(seen) <= after:  # the solve ends before the watcher would end it
        assert len(calls) == len(seen)
        assert answer.pose.tobytes() == solved(figure, goals, start, near=True, restarts=30).pose.tobytes()
        return
    assert len(calls) == after == answer.iterations[0]
    assert answer.status[0] == 3
    assert figure.violation(answer.pose[0]) <= 1e-9
    evaluated, _ = compiled(figure, goals, start)
    assert evaluated.at(answer.pose[0]).cost <= min(glance.cost for glance in calls) * (1 + 1e-9)


def test_only_false_ends_the_solve() -> None:
    for said in (None, 0, "", True):
        alone = solved(*PROBLEMS["hand"])
        assert solved(*PROBLEMS["hand"], watch=lambda *_, said=said: said).iterations == alone.iterations


def test_an_exception_in_a_watcher_comes_out_and_nothing_is_left_behind() -> None:
    class Odd(Exception):
        pass

    def watch(*_: Any) -> None:
        raise Odd("at the first iteration")

    held = sys.getrefcount(watch)
    for _ in range(3):
        with pytest.raises(Odd, match="first iteration"):
            solved(*PROBLEMS["hand"], watch=watch)
    gc.collect()
    assert sys.getrefcount(watch) == held
    assert solved(*PROBLEMS["hand"]).status[0] == 0


@pytest.mark.parametrize("threads", [1, 3])
def test_rows_that_are_not_begun_keep_their_start(threads: int) -> None:
    solver = mk.Solver(*PROBLEMS["hand"][:2])
    starts, rows = np.tile(POSES, (25, 1)), np.tile(solver.targets, (100, 1))
    whole = solver.solve_many(starts, rows, restarts=3)
    count = [0]

    def watch(*_: Any) -> bool:
        count[0] += 1
        return count[0] < 20

    part = _core.solve_many(solver, starts, rows, threads, restarts=3, watch=watch)
    assert count[0] == 20
    begun = np.isfinite(part.errors[:, 0])
    assert 0 < begun.sum() < 100
    assert np.isnan(part.errors[~begun]).all()
    assert (part.iterations[~begun] == 0).all()
    assert part.poses[~begun].tobytes() == starts[~begun].tobytes()
    assert (part.codes[~begun] == 3).all()
    assert HUMAN.violation(part.poses).max() <= 1e-9
    done = part.codes != 3
    assert done.any()
    assert part.poses[done].tobytes() == whole.poses[done].tobytes()


@pytest.mark.parametrize("passes", [{}, {"refine": True}, {"refine": True, "escape": True}])
@pytest.mark.parametrize("after", [1, 40, 400, 2000])
def test_a_track_that_is_ended_keeps_the_frames_that_are_done(passes: dict[str, bool], after: int) -> None:
    solver = mk.Solver(HUMAN, [mk.Position("LeftHand", (0.0, 1.0, 0.0)), *stands()[:2]])
    t = np.linspace(0.0, 6.0, 120)
    rows = np.tile(solver.targets, (120, 1))
    rows[:, :3] = np.stack([0.6 + 0.5 * np.sin(t), 1.2 + 0.3 * np.cos(t), 0.3 * np.sin(2 * t)], axis=1)
    count = [0]

    def watch(*_: Any) -> bool:
        count[0] += 1
        return count[0] < after

    def track(**options: Any) -> Any:
        speeds = np.full(HUMAN.nq, np.inf)
        return _core.track(solver, np.array(HUMAN.rest), rows, dt=np.full(120, 1 / 30), max_speed=speeds, **options)

    plain, whole, part = track(), track(**passes), track(watch=watch, **passes)
    if count[0] < after:  # it ended by itself
        assert part.poses.tobytes() == whole.poses.tobytes()
        return
    assert count[0] == after
    begun = part.iterations > 0
    assert (np.diff(begun.astype(int)) <= 0).all()  # what is not begun stands at the end
    last = int(begun.sum()) - 1
    assert (part.poses[last + 1 :] == (part.poses[last] if last >= 0 else HUMAN.rest)).all()
    assert np.isnan(part.errors[~begun]).all()
    assert (part.codes[~begun] == 3).all()
    done = part.codes != 3
    if begun.all():  # ended in a later pass: frames are those of the plain track or of the finished pass
        assert (part.reached >= plain.reached).all()
    else:
        assert part.poses[done].tobytes() == plain.poses[done].tobytes()
    assert HUMAN.violation(part.poses).max() <= 1e-9


def test_the_kernels_of_an_arm_are_shown_as_one_step_and_give_the_same_pose(data: Path) -> None:
    figure = mk.load_figure(data / "urdf" / "panda.urdf")
    rng = np.random.default_rng(0)
    for start, meant in zip(figure.random(rng, 20), figure.random(rng, 20), strict=True):
        goals: list[mk.Goal] = [mk.Placement("panda_hand", figure.placements(meant, ["panda_hand"])[0])]
        alone = solved(figure, goals, start, restarts=30)
        answer, seen = watched(figure, goals, start, restarts=30)
        assert answer.pose.tobytes() == alone.pose.tobytes()
        assert answer.iterations == alone.iterations
        if len(seen) == 1:
            assert seen[0].pose.tobytes() == start.tobytes()
            assert abs(seen[0].cost - compiled(figure, goals, start)[0].at(start).cost) <= 1e-9 * seen[0].cost
