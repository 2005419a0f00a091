from __future__ import annotations

import numpy as np
import pytest
from checks import assert_close, assert_refused
from hypothesis import given, settings
from strategies import random_figure, rngs

import manikin as mk
from manikin.errors import Unsupported
from manikin.problem import Problem
from manikin.solvers.methods.ccd import _joints, _Sweep


def cost(problem, q):
    """What the method lowers: squared distances, and 2 (1 − cos φ) for turns."""
    return sum(t.cost() for t in _Sweep(problem, problem.at(q)).terms)


def goals_on(figure, rng):
    turn = rng.normal(size=4)
    names = [str(n) for n in rng.choice(figure.segment_names, size=3)]
    point = figure.size * rng.normal(size=3)
    return [
        mk.Position(names[0], point, offset=0.1 * figure.size * rng.normal(size=3), weight=2.0),
        mk.Position(names[1], point[:2], axes="xz"),
        mk.Placement(names[2], [*point, *(turn / np.linalg.norm(turn))]),
        mk.Orientation(names[1], turn / np.linalg.norm(turn)),
    ]


@given(rngs())
def test_a_sweep_never_raises_the_cost_and_keeps_the_limits(rng):
    figure = random_figure(rng, segments=6)
    if np.any(figure.layout.tree.source >= 0):
        return
    problem = Problem(figure, goals_on(figure, rng), figure.clamp(figure.random(rng)))
    q = problem.start
    for _ in range(3):
        swept = _Sweep(problem, problem.at(q)).swept(_joints(problem))
        assert cost(problem, swept) <= cost(problem, q) * (1 + 1e-9) + 1e-15 * figure.size**2
        assert figure.violation(swept) <= 1e-9
        assert np.all((figure.lower <= swept) & (swept <= figure.upper))
        q = swept


@given(rngs())
def test_the_effectors_a_sweep_carries_along_are_those_of_the_pose_it_ends_in(rng):
    figure = random_figure(rng, segments=6)
    if np.any(figure.layout.tree.source >= 0):
        return
    problem = Problem(figure, goals_on(figure, rng), figure.clamp(figure.random(rng)))
    sweep = _Sweep(problem, problem.at(problem.start))
    pose = sweep.swept(_joints(problem))
    for term, fresh in zip(sweep.terms, _Sweep(problem, problem.at(pose)).terms, strict=True):
        assert_close(term.x, fresh.x, scale=figure.size * 10, tol=1e-9)
        assert_close(term.R, fresh.R, tol=1e-8)


@settings(max_examples=15)
@given(rngs())
def test_one_hinge_is_set_to_its_best_angle_within_limits(rng):
    limits = tuple(np.sort(rng.uniform(-3, 3, size=2)))
    arm = mk.chain(1, mk.Hinge(axis=rng.normal(size=3), limits=limits))
    problem = Problem(arm, goals_on(arm, rng))
    q = _Sweep(problem, problem.at(problem.start)).swept(_joints(problem))
    tried = np.linspace(*limits, 100)  # type: ignore[call-overload]
    assert cost(problem, q) <= min(cost(problem, np.array([a])) for a in tried) + 1e-9


def test_a_slide_goes_straight_to_its_best_place():
    rail = mk.Figure("rail", [mk.Segment("Base"), mk.Segment("Cart", "Base", mk.Slider((1, 0, 0), (-2, 5)))])
    solution = mk.solve(rail, mk.Position("Cart", (3.0, 1.0, 0.0)), method="ccd", iterations=1)
    assert_close(solution.pose, [3.0])
    assert_close(mk.solve(rail, mk.Position("Cart", (9.0, 1.0, 0.0)), method="ccd", iterations=1).pose, [5.0])


@pytest.mark.parametrize("joint", [None, mk.Ball(), mk.Ball(mk.SwingTwist((1, 0, 0), (1.0, 1.2), (-1, 1)))])
def test_chains_in_space_reach(joint):
    arm = mk.chain(4, joint)
    target = arm.placements(arm.random(np.random.default_rng(5)))[-1]
    solution = mk.solve(arm, mk.Position("Tip", target[:3, 3]), method="ccd")
    assert solution.reached, solution
    assert arm.violation(solution.pose) <= 1e-9


def test_what_it_cannot_serve_is_named():
    arm = mk.chain(2)
    assert_refused(
        lambda: mk.solve(arm, mk.Aim("Tip", (1, 1, 1)), method="ccd"),
        Unsupported,
        "method 'ccd' does not support Aim Tip: it supports only Position, Orientation and Placement goals",
    )
    follow = mk.Joint("B", (mk.Hinge(),), coupling=mk.Coupling("A"))
    pair = mk.Figure("pair", [mk.Segment("A", joint=mk.Hinge()), mk.Segment("B", "A", follow)])
    assert_refused(
        lambda: mk.solve(pair, mk.Position("B", (1, 1, 1)), method="ccd"),
        Unsupported,
        "joint 'B' is coupled to another",
    )
