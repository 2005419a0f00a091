"""Only the ratios of weights below 1 matter: goals that are all light are solved like goals of weight 1."""

from __future__ import annotations

import numpy as np
import pytest
from solvers.native.watching import watched
from solvers.test_loops import closed, four_bars

import manikin as mk
from manikin import backend, rotations

pytestmark = pytest.mark.skipif(not backend.native, reason="MANIKIN_BACKEND=reference: there is no native solver")

PARTS = ["Hips", "Head", "LeftHand", "RightHand", "LeftFoot", "RightFoot"]
FRAMES = 60
LIGHT = [1e-300, 1e-6, 1e-3, 0.01, 0.3]


def person() -> tuple[mk.Figure, np.ndarray, np.ndarray]:
    """The person on a smooth way; in the second half a hand leaves its reach."""
    figure, rng = mk.human(), np.random.default_rng(4)
    wave = 0.3 * rng.normal(size=figure.nv)
    wave[:6] = 0.0
    turns = np.sin(np.linspace(0.0, 2.0 * np.pi, FRAMES)[:, None] + rng.uniform(0.0, 6.0, figure.nv))
    poses = figure.clamp(figure.integrate(np.broadcast_to(figure.rest, (FRAMES, figure.nq)), turns * wave))
    P = figure.placements(poses, PARTS)
    rows = np.concatenate([P[..., :3, 3], rotations.from_matrix(P[..., :3, :3])], axis=-1).reshape(FRAMES, -1)
    rows[30:, 14:17] += np.linspace(0.0, 0.8, 30)[:, None]
    return figure, poses, rows


def assert_same(a: mk.Solutions, b: mk.Solutions) -> None:
    for field in ("poses", "errors", "codes", "iterations"):
        assert np.array_equal(getattr(a, field), getattr(b, field)), field


@pytest.mark.parametrize("weight", LIGHT)
def test_equal_weights_give_the_bits_of_weight_one(weight: float) -> None:
    figure, poses, rows = person()
    usual = mk.Solver(figure, [mk.Placement(part, np.eye(4)) for part in PARTS])
    light = mk.Solver(figure, [mk.Placement(part, np.eye(4), weight=weight) for part in PARTS])
    found = usual.track(poses[0], rows)
    assert found.reached[:30].all()
    assert_same(light.track(poses[0], rows), found)
    assert_same(usual.track(poses[0], rows, weights=np.full(6, weight)), found)
    assert_same(light.solve_many(figure.rest, rows, restarts=0), usual.solve_many(figure.rest, rows, restarts=0))
    assert_same(light.solve_many(figure.rest, rows[::10]), usual.solve_many(figure.rest, rows[::10]))


@pytest.mark.parametrize("power", [-40, -10, -1])
def test_only_the_ratios_of_weights_count(power: int) -> None:
    figure, poses, rows = person()
    rows = np.concatenate([rows, np.tile(figure.rest, (FRAMES, 1))], axis=1)[:20]

    def solver(factor: float) -> mk.Solver:
        goals = [mk.Placement(part, np.eye(4), weight=factor / (1 + k)) for k, part in enumerate(PARTS)]
        return mk.Solver(figure, [*goals, mk.Posture(figure.rest, weight=0.01 * factor)])

    usual, light = solver(1.0), solver(2.0**power)
    assert_same(light.track(poses[0], rows), usual.track(poses[0], rows))
    assert_same(light.solve_many(figure.rest, rows[::5]), usual.solve_many(figure.rest, rows[::5]))


@pytest.mark.parametrize("weight", LIGHT[1:])
def test_light_goals_with_priorities_are_reached(weight: float) -> None:
    figure, poses, rows = person()
    goals = [mk.Placement(part, np.eye(4), weight=weight, priority=0 if "Foot" in part else 1) for part in PARTS]
    solver = mk.Solver(figure, goals)
    found = solver.track(poses[0], rows)
    assert found.reached[:30].all()
    assert found.errors[:, 4:].max() <= goals[0].on(figure).allowed  # out of reach, the feet come first
    assert solver.solve_many(figure.rest, rows[:30:5]).reached.all()


def test_an_active_light_goal_alone_is_reached() -> None:
    """The other goals do not count in these frames, so a light goal is the heaviest one."""
    figure, poses, rows = person()
    goals = [mk.Placement(part, np.eye(4), weight=1e-5 if part == "LeftHand" else 1.0) for part in PARTS]
    active = np.tile(np.array(PARTS) == "LeftHand", (30, 1))
    found = mk.Solver(figure, goals).track(poses[0], rows[:30], active=active)
    assert found.reached.all()


@pytest.mark.parametrize("weight", LIGHT)
def test_a_light_goal_on_a_closed_loop_gives_the_bits_of_weight_one(weight: float) -> None:
    figure = four_bars()
    poses = np.array([closed(figure, crank) for crank in np.linspace(-1.0, 2.0, 40)])
    rows = figure.placements(poses, ["Pen"])[:, 0, :2, 3]
    usual, light = (mk.Solver(figure, mk.Position("Pen", (0, 0), axes="xy", weight=w)) for w in (1.0, weight))
    found = usual.track(poses[0], rows)
    assert found.reached.all()
    assert_same(light.track(poses[0], rows), found)
    assert_same(light.solve_many(poses[0], rows), usual.solve_many(poses[0], rows))


def test_a_watcher_sees_the_cost_with_the_given_weights() -> None:
    figure = mk.chain(3, planar=True)
    goal, seen = np.array([1.0, 1.0, 0.5]), []
    for weight in (1.0, 0.25):
        target = mk.Position("Tip", goal, weight=weight)
        _, steps = watched(figure, [target], figure.rest + 0.3)
        seen.append([(step.cost, step.damping) for step in steps])
    usual, light = np.array(seen[0]), np.array(seen[1])
    assert len(usual) > 2
    np.testing.assert_allclose(light[:, 0], 0.25 * usual[:, 0], rtol=1e-12)
    np.testing.assert_allclose(light[:, 1], 0.5 * usual[:, 1], rtol=1e-12)
