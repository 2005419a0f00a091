"""The native solver: errors as the goals in Python have them, limits to the last bit, and its rates of success."""

from __future__ import annotations

import pickle
import sysconfig
from pathlib import Path

import numpy as np
import pytest
import targets_of_bodies as bodies

import manikin as mk
from manikin import backend
from manikin.goals import Goal
from manikin.problem import Problem
from manikin.solvers.native.compiled import Compiled

pytestmark = pytest.mark.skipif(not backend.native, reason="MANIKIN_BACKEND=reference: there is no native solver")


@pytest.fixture(scope="module")
def human() -> mk.Figure:
    return mk.human()


def every_goal(figure: mk.Figure, rng: np.random.Generator) -> list[Goal]:
    turn = mk.rotations.normalized(rng.normal(size=4))
    point = rng.normal(size=3)
    return [
        mk.Position("LeftHand", point, offset=(0.01, 0.08, 0.0)),
        mk.Position("RightHandIndex4", point[:2], axes="xz"),
        mk.Orientation("Head", turn),
        mk.Placement("RightFoot", np.concatenate([point, turn]), offset=(0.0, 0.0, 0.1)),
        mk.Aim("LeftEye", 2 * point, axis=(0, 0.2, 1), offset=(0, 0, 0.02)),
        mk.Plane("LeftToeBase", point, rng.normal(size=3)),
        mk.Plane("LeftLeg", point, (0, 1, 0), side="above"),
        mk.Plane("RightLeg", point, (0, 1, 0), side="below"),
        mk.Plane("LeftLeg", point, rng.normal(size=3), above=True),
        mk.Orientation("Neck", turn, axis=point, swing=2.0, twist=0.1),
        mk.Orientation("LeftArm", turn, axis=(0, 1, 0), twist=0.0),
        mk.Orientation("RightArm", turn, axis=(0, 1, 0), swing=0.0),
        mk.Balance(["LeftFoot", "RightFoot"], margin=0.02),
        mk.Line("RightHand", point, rng.normal(size=3), offset=(0.0, 0.05, 0.0)),
        mk.Distance("LeftHand", point, 0.5),
        mk.Distance("LeftHand", "RightFoot", 0.9, kind="at_least", to_offset=(0.0, 0.0, 0.1)),
        mk.Distance("LeftFoot", "Head", 1.2, kind="at_most"),
        mk.Relative("RightHand", "LeftHand", np.concatenate([point, turn]), to_offset=(0.0, 0.1, 0.0)),
        mk.Relative("LeftFoot", "Hips", point, orientation=False),
        mk.Pole("LeftForeArm", point),
        mk.Pole("RightLeg", 3 * point),
        mk.Clearance(
            0.02, obstacles=[mk.Sphere(tuple(point), 0.4), mk.Capsule((0, 0, 0), (0, 1, 1), 0.2), mk.HalfSpace()]
        ),
        mk.Posture(figure.random(rng), stiffness={"LeftArm": 3.0, "Hips": 0.5, "LeftForeArm": 0.0}),
    ]


def test_errors_are_those_of_the_goals_in_python(human: mk.Figure, kernels: str) -> None:
    rng = np.random.default_rng(1)
    for q in human.random(rng, 40):
        problem = Problem(human, every_goal(human, rng), q)
        compiled = Compiled.of(human, problem.goals, problem.movable)
        same = compiled.errors_at(q[None], compiled.targets[None], np.ones(len(problem.goals)))
        np.testing.assert_allclose(same.errors[0], problem.at(q).errors, rtol=1e-9, atol=1e-12)
        assert np.abs(human.placements(same.pose[0]) - human.placements(q)).max() < 1e-12


@pytest.mark.parametrize(
    ("make", "tips", "restarts", "least"),
    [
        pytest.param(lambda f, rng, n: f.random(rng, n), (), 30, 0.998, id="random"),
        pytest.param(lambda f, rng, n: f.random(rng, n), bodies.TIPS, 30, 0.998, id="with ten fingertips"),
        pytest.param(bodies.near_limits, (), 300, 0.99, id="near limits"),
        pytest.param(bodies.turned, (), 300, 0.99, id="root turned"),
    ],
)
def test_whole_body_targets_are_solved_within_limits(human, kernels, make, tips, restarts, least) -> None:
    meant = make(human, np.random.default_rng(20), 1000)
    wanted = bodies.goals(tips=tips)
    answer = mk.Solver(human, wanted).solve_many(None, bodies.targets(human, wanted, meant), restarts=restarts)
    ok = bodies.solved(human, wanted, answer.poses, meant)
    assert ok.mean() >= least
    assert np.array_equal(ok, answer.reached)
    assert np.all(answer.poses >= human.lower)
    assert np.all(answer.poses <= human.upper)
    assert human.violation(answer.poses).max() <= 1e-9


def test_a_humanoid_robot_over_its_full_range() -> None:
    robots = Path(sysconfig.get_path("purelib"), "cmeel.prefix/share/example-robot-data/robots")
    if not robots.is_dir():
        pytest.skip("example-robot-data is not installed")
    talos = mk.load_figure(robots / "talos_data/robots/talos_reduced.urdf", root="free")
    limbs = ("arm_left_7_link", "arm_right_7_link", "leg_left_6_link", "leg_right_6_link")
    wanted = bodies.goals(limbs, "head_2_link")
    meant = talos.random(np.random.default_rng(6), 1000)
    answer = mk.Solver(talos, wanted).solve_many(None, bodies.targets(talos, wanted, meant), restarts=100)
    assert bodies.solved(talos, wanted, answer.poses, meant).mean() >= 0.995
    assert talos.violation(answer.poses).max() <= 1e-9


def test_the_same_input_gives_the_same_bits_on_one_or_two_threads(human: mk.Figure) -> None:
    wanted = bodies.goals()
    rows = bodies.targets(human, wanted, bodies.near_limits(human, np.random.default_rng(8), 200))
    solver = mk.Solver(human, wanted)
    one, again, two = (solver.solve_many(None, rows, threads=t) for t in (1, 1, 2))
    assert np.array_equal(one.poses, again.poses)
    assert np.array_equal(one.poses, two.poses)
    assert np.array_equal(one.errors, two.errors)


def test_goals_out_of_reach_give_a_finite_pose_within_limits(human: mk.Figure, kernels: str) -> None:
    rng = np.random.default_rng(9)
    wanted = bodies.goals()
    rows = bodies.targets(human, wanted, human.random(rng, 200))
    rows[:, 3:6] += 3.0 * rng.normal(size=(200, 3))
    answer = mk.Solver(human, wanted).solve_many(None, rows)
    assert np.isfinite(answer.poses).all()
    assert human.violation(answer.poses).max() <= 1e-9
    assert set(answer.status) <= {"reached", "stalled", "out_of_iterations"}
    assert not answer.reached.all()


def test_weights_of_zero_and_inactive_goals_do_not_count_and_may_be_nan(human: mk.Figure) -> None:
    solver = mk.Solver(human, [mk.Position("LeftHand", (0.3, 1.2, 0.4)), mk.Position("RightHand", (9.0, 9.0, 9.0))])
    assert not solver.solve().reached
    assert solver.solve(active=[True, False]).reached
    assert solver.solve(weights=[1.0, 0.0]).reached
    assert solver.solve(None, [0.3, 1.2, 0.4, np.nan, np.nan, np.nan], active=[True, False]).reached
    with pytest.raises(mk.errors.BadValue, match="RightHand"):
        solver.solve(None, [0.3, 1.2, 0.4, np.nan, np.nan, np.nan])


def test_out_takes_the_poses(human: mk.Figure) -> None:
    solver = mk.Solver(human, mk.Position("LeftHand", (0.3, 1.2, 0.4)))
    out = np.zeros((2, human.nq))
    rows = [[0.3, 1.2, 0.4], [0.2, 1.3, 0.4]]
    assert solver.solve_many(None, rows, out=out).poses is out
    assert np.array_equal(out, solver.solve_many(None, rows).poses)
    assert solver.track(None, rows, out=out).poses is out
    with pytest.raises(mk.errors.BadShape, match="out"):
        solver.solve_many(None, rows, out=np.zeros((3, human.nq)))


def test_a_pickled_solver_gives_the_same_bits(human: mk.Figure) -> None:
    solver = mk.Solver(human, [mk.Position("LeftHand", (0.3, 1.2, 0.4)), mk.Balance(["LeftFoot"])], freeze=["Hips"])
    again = pickle.loads(pickle.dumps(solver))
    first = solver.solve()
    assert np.array_equal(again.solve().pose, first.pose)
    assert np.array_equal(solver.solve().pose, first.pose)  # also where balls are frozen


@pytest.mark.parametrize("away", [0.5, 1.2, 4.0])
def test_a_lower_priority_takes_nothing_from_a_higher_one(human: mk.Figure, away: float) -> None:
    """Feet have priority. The targets of the hands are out of reach, up to metres away."""
    rng = np.random.default_rng(int(10 * away))
    limbs = ("LeftFoot", "RightFoot", "LeftHand", "RightHand")
    goals = [
        *(mk.Placement(s, np.eye(4)) for s in limbs[:2]),
        *(mk.Position(s, (0, 0, 0), priority=1) for s in limbs[2:]),
    ]
    rows = bodies.targets(human, goals, human.random(rng, 60))
    for at in (slice(14, 17), slice(17, 20)):
        pull = rng.normal(size=(60, 3))
        rows[:, at] += away * pull / np.linalg.norm(pull, axis=1, keepdims=True)
    solver = mk.Solver(human, goals)
    tolerances = [g.allowed for g in solver.goals]
    answer = solver.solve_many(None, rows)
    assert np.all(answer.errors[:, :2] <= tolerances[:2])
    assert human.violation(answer.poses).max() <= 1e-9
    # one alone, through mk.solve, is the same
    ranked = [g.with_target(rows[0, at]) for g, (_, at) in zip(goals, solver.target_layout, strict=True)]
    assert np.array_equal(mk.solve(human, ranked).pose, answer.poses[0])


def test_frozen_joints_do_not_move(human: mk.Figure) -> None:
    goal = mk.Position("LeftHand", (0.3, 1.2, 0.4))
    arm = ["LeftShoulder", "LeftArm", "LeftForeArm", "LeftForeArmTwist", "LeftHand"]
    pose = mk.Solver(human, goal, only=arm).solve().pose
    n = human.index_of("LeftShoulder")
    assert np.array_equal(pose[:n], human.rest[:n])
    assert not np.array_equal(pose, human.rest)
    held = mk.Solver(human, goal, freeze=arm).solve().pose
    at = human.index_of("LeftForeArm")
    assert held[at] == human.rest[at]


def test_any_of_takes_the_member_that_can_be_reached(human: mk.Figure) -> None:
    near, far = mk.Position("LeftHand", (0.3, 1.2, 0.4)), mk.Position("LeftHand", (30.0, 0.0, 0.0))
    for members in ((near, far), (far, near)):
        solver = mk.Solver(human, mk.AnyOf(*members), freeze=["Hips"])
        assert solver.width == 6
        assert solver.solve().reached


def test_goals_felt_by_several_branches_are_reached_together(human: mk.Figure, kernels: str) -> None:
    """Two hands on a bar, feet planted, the centre of mass above them, elbows out: targets taken from random poses."""
    rng = np.random.default_rng(12)
    count = 0
    for q in human.random(rng, 60):
        feet = [
            mk.Placement(s, p) for s, p in zip(bodies.LIMBS[2:], human.placements(q, bodies.LIMBS[2:]), strict=True)
        ]
        hand, elbow = human.placements(q, ["LeftHand", "LeftForeArm"])
        goals = [
            *feet,
            mk.Position("LeftHand", hand[:3, 3]),
            mk.Relative.as_now(human, q, "RightHand", "LeftHand"),
            mk.Distance(
                "Head", "LeftHand", float(np.linalg.norm(human.placements(q, ["Head"])[0, :3, 3] - hand[:3, 3]))
            ),
            mk.Pole("LeftForeArm", elbow[:3, 3] + 0.1 * rng.normal(size=3)),
        ]
        solution = mk.solve(human, goals[:-1])
        count += solution.reached
        assert human.violation(solution.pose) <= 1e-9
        # the pole is a wish on top, which need not be possible; it must not break the others
        assert np.isfinite(mk.solve(human, goals).pose).all()
    assert count >= 58


def test_coupled_joints_follow(kernels: str) -> None:
    rng = np.random.default_rng(14)
    solved = 0
    for _ in range(30):
        figure = mk.samples.random_figure(rng, segments=int(rng.integers(4, 16)))
        tips = figure.segment_names[-2:]
        meant = figure.random(rng, 10)
        goals = [mk.Position(t, (0, 0, 0)) for t in tips]
        answer = mk.Solver(figure, goals).solve_many(None, bodies.targets(figure, goals, meant), restarts=100)
        assert np.max(figure.violation(answer.poses)) <= 1e-9
        solved += int(answer.reached.sum())
    assert solved >= 297


def test_a_posture_is_taken_where_there_is_a_choice(human: mk.Figure, kernels: str) -> None:
    rng = np.random.default_rng(15)
    for q in human.random(rng, 10):
        alone = mk.solve(human, mk.Posture(q))
        assert alone.reached
        assert np.abs(human.difference(q, alone.pose)).max() < 1e-3
        # beside other goals it gives way, and the pose is nearer to it than without
        hand = mk.Position("LeftHand", human.placements(q, ["LeftHand"])[0, :3, 3] + 0.1 * rng.normal(size=3))
        free = mk.solve(human, [hand])
        held = mk.solve(human, [hand, mk.Posture(q, priority=1)])
        assert held.errors[0] <= 1e-3
        away = [np.linalg.norm(human.difference(q, s.pose)) for s in (free, held)]
        assert away[1] < away[0]


def test_what_it_cannot_take_is_said(human: mk.Figure, monkeypatch: pytest.MonkeyPatch) -> None:
    goal = mk.Custom("Head", lambda placements: placements[0, :3, 3], rows=3).on(human)
    monkeypatch.setattr(backend, "native", False)
    for call in (mk.Solver, mk.solve):
        with pytest.raises(mk.errors.Unsupported, match=r"MANIKIN_BACKEND is 'reference': .* method='lbfgsb'"):
            call(human, goal)


def test_of_two_elbows_the_one_on_the_side_of_the_start_is_taken() -> None:
    arm = mk.chain(2, planar=True)
    solver = mk.Solver(arm, mk.Position("Tip", (1.0, 0.0), axes="xy"))
    rng = np.random.default_rng(11)
    bend = rng.uniform(0.3, 2.6, 400) * rng.choice([-1.0, 1.0], 400)
    starts = np.stack([rng.uniform(-3.0, 3.0, 400), bend], axis=1)
    meant = starts + 0.5 * rng.normal(size=(400, 2))
    side = (meant[:, 1] * bend > 0.1 * np.abs(bend)) & (np.abs(meant[:, 1]) < 2.9)
    found = solver.solve_many(starts[side], arm.placements(meant[side], ["Tip"])[:, 0, :2, 3])
    assert found.reached.all()
    assert np.mean(np.abs(found.poses - meant[side]).max(axis=1) < 0.02) >= 0.99


def test_whole_turns_are_taken_back_toward_the_start(kernels: str) -> None:
    """Hinges that go around more than once end within half a turn of where they were, if their limits allow it."""
    chain = mk.chain([1.0, 0.8, 0.6], mk.Hinge(limits=(-6.0, 6.0)), planar=True)
    rng, tip = np.random.default_rng(5), chain.segment_names[-1]
    starts, poses = chain.random(rng, 500), chain.random(rng, 500)
    solver = mk.Solver(chain, mk.Position(tip, (0, 0, 0)))
    found = solver.solve_many(starts, chain.placements(poses, [tip])[:, 0, :3, 3])
    assert found.reached.all()
    away = found.poses - starts
    nearer = found.poses - 2 * np.pi * np.sign(away)
    assert not ((np.abs(away) > np.pi + 1e-9) & (nearer >= chain.lower) & (nearer <= chain.upper)).any()
    hand = chain.placements(found.poses, [tip])[:, 0, :3, 3]
    np.testing.assert_allclose(
        np.linalg.norm(hand - chain.placements(poses, [tip])[:, 0, :3, 3], axis=1), found.errors[:, 0], atol=1e-9
    )
