"""The main path: the guarantees of every method on the chapter's examples, on the person, and out of reach."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from checks import assert_close, assert_refused
from hypothesis import given, settings
from strategies import random_figure, random_pose, rngs

import manikin as mk
from manikin.errors import BadShape, BadValue, UnknownName
from manikin.solution import Status
from manikin.solvers import KEEPS_LIMITS, METHODS

CHAPTER = ("pinv", "stacked", "dls", "bounded-dls")
"""Methods that reach 1e-6 of the chain's length on the chapter's examples."""
CHAIN = mk.chain([1.0, 0.8, 0.6], planar=True)
"""Example 3.1: three links. Lengths, initial angles and targets are lost in the text; these are ours."""
TREE = mk.tree([-1, 0, 1, 2, 3, 4, 2, 6, 7], planar=True)
"""Example 5.7: nine links, the second branch at joint 3."""
THREE = mk.tree([-1, 0, 1, 2, 3, 1, 5, 6, 1, 8, 9], planar=True)
"""A planar tree with three end effectors on a trunk of two links (Figures 7 and 8)."""


def xy(name, point, tolerance=None, **options):
    return mk.Position(name, point, axes="xy", tolerance=tolerance, **options)


def within(figure, pose):
    assert np.all(figure.lower <= pose)
    assert np.all(pose <= figure.upper)
    assert figure.violation(pose) <= 1e-9


# The chapter's examples


def chapter_examples():
    q3 = np.array([0.3, 0.4, 0.5])
    q9 = np.array([0.5, -0.3, 0.4, 0.3, -0.4, 0.3, -0.5, -0.4, 0.2])
    q11 = np.array([0.9, 0.4, 0.5, 0.4, 0.3, -0.6, 0.5, 0.3, -1.5, -0.5, -0.4])
    yield CHAIN, q3, {"Tip": (-0.5, 1.6)}
    yield TREE, q9, {"Tip6": (2.5, 3.0), "Tip9": (3.0, -1.5)}
    yield TREE, q9, {"Tip6": (4.0, 2.0), "Tip9": (1.0, 3.0)}
    yield THREE, q11, {"Tip5": (-1.0, 3.0), "Tip8": (2.5, 3.5), "Tip11": (3.0, 0.5)}
    # the fourth effector sits on an inner joint, whose target is one below where it is
    inner = THREE.placements(q11, ["Segment3"])[0, :2, 3]
    targets = {"Tip5": (-0.5, 2.5), "Tip8": (2.8, 2.2), "Tip11": (2.8, -0.5), "Segment3": inner - np.array([0.0, 1.0])}
    yield THREE, q11, targets


@pytest.mark.parametrize("method", [*CHAPTER, "auto", "sdls"])
@pytest.mark.parametrize("example", range(5))
def test_the_examples_are_met_to_a_millionth_of_the_chain(method, example):
    figure, start, targets = list(chapter_examples())[example]
    tolerance = 1e-6 * figure.size
    goals = [xy(name, point, tolerance) for name, point in targets.items()]
    solution = mk.solve(figure, goals, start, method=method)
    assert solution.reached, solution
    at = figure.placements(solution.pose, list(targets))[:, :2, 3]
    assert np.linalg.norm(at - np.array(list(targets.values())), axis=1).max() <= tolerance


@pytest.mark.parametrize("example", [0, 1, 4])
def test_nonlinear_programming_meets_them_as_alpha_goes_to_zero(example):
    figure, start, targets = list(chapter_examples())[example]
    goals = [xy(name, point, 1e-6 * figure.size) for name, point in targets.items()]
    worst = []
    for alpha in (1e-1, 1e-3, 0.0):
        solution = mk.solve(figure, goals, start, method="lbfgsb", alpha=alpha)
        worst.append(solution.errors.max() / figure.size)
    assert worst == sorted(worst, reverse=True)
    assert worst[-1] < 1e-6


@pytest.mark.parametrize("method", ["transpose", "ccd", "fabrik"])
@pytest.mark.parametrize("example", range(4))
def test_the_others_meet_them_to_the_default_tolerance(method, example):
    figure, start, targets = list(chapter_examples())[example]
    solution = mk.solve(figure, [xy(n, p) for n, p in targets.items()], start, method=method)
    assert solution.reached, solution


# The person


def person_goals(figure, pose, kinds=mk.Placement):
    """Head position, hands and feet: where they are in a pose."""
    names = ["LeftHand", "RightHand", "LeftFoot", "RightFoot"]
    placements = figure.placements(pose, ["Head", *names])
    head = mk.Position("Head", placements[0, :3, 3])
    if kinds is mk.Position:
        return [head, *(mk.Position(n, p[:3, 3]) for n, p in zip(names, placements[1:], strict=True))]
    return [head, *(mk.Placement(n, p) for n, p in zip(names, placements[1:], strict=True))]


@pytest.mark.parametrize("method", [m for m in METHODS if m not in ("auto", "fabrik")])
def test_every_method_poses_the_person_with_five_effectors(method):
    human = mk.human()
    rng = np.random.default_rng(2)
    local = human.random(rng)
    near = human.integrate(human.rest, 0.15 * human.difference(human.rest, local))
    goals = [replace(g, tolerance=1e-3) for g in person_goals(human, near, mk.Position)]  # transpose is slow
    solution = mk.solve(human, goals, method=method)
    assert solution.reached, solution
    if method in KEEPS_LIMITS:
        within(human, solution.pose)


def test_fabrik_comes_near_on_the_person_within_limits():
    human = mk.human()
    goals = person_goals(human, human.rest, mk.Position)
    goals[1] = mk.Position("LeftHand", goals[1].target + np.array([0.0, 0.1, 0.1]))
    solution = mk.solve(human, goals, method="fabrik", iterations=60)
    within(human, solution.pose)
    assert solution.errors.max() < 0.02


def test_auto_reaches_the_placements_of_random_poses_within_limits():
    human = mk.human()
    rng = np.random.default_rng(7)
    reached = 0
    for _ in range(8):
        solution = mk.solve(human, person_goals(human, human.random(rng)))
        within(human, solution.pose)
        reached += solution.reached
    assert reached == 8


def test_bounded_dls_reaches_most_of_them_from_the_rest_pose_alone():
    human = mk.human()
    rng = np.random.default_rng(8)
    found = []
    for _ in range(8):
        solution = mk.solve(human, person_goals(human, human.random(rng)), method="bounded-dls")
        within(human, solution.pose)
        found.append(solution.reached)
    assert sum(found) >= 4


def test_hands_gaze_feet_and_balance_together():
    human = mk.human()
    feet = human.placements(human.rest, ["LeftFoot", "RightFoot"])
    goals = [
        mk.Position("LeftHand", (0.3, 1.2, 0.4)),
        mk.Position("RightHand", (-0.3, 1.0, 0.4)),
        mk.Placement("LeftFoot", feet[0]),
        mk.Placement("RightFoot", feet[1]),
        mk.Aim("Head", (1.0, 1.2, 2.0), axis=(0, 0, 1)),
        mk.Balance(["LeftFoot", "RightFoot"], margin=0.01),
    ]
    solution = mk.solve(human, goals)
    assert solution.reached, solution
    within(human, solution.pose)
    assert solution.time < 2.0  # type: ignore[operator]


# Any figure


@settings(max_examples=25)
@given(rngs())
def test_targets_of_random_poses_of_random_figures_are_reached_within_limits(rng):
    figure = random_figure(rng, segments=6)
    goal_pose = random_pose(figure, rng, inside=True)
    start = figure.clamp(figure.random(rng))
    tip = figure.segment_names[-1]
    target = figure.placements(goal_pose, [tip])[0]
    solution = mk.solve(figure, mk.Placement(tip, target), start)
    within(figure, solution.pose)
    assert solution.status in (Status.REACHED, Status.STALLED)
    assert np.isfinite(solution.errors).all()


@pytest.mark.parametrize("method", [m for m in KEEPS_LIMITS if m not in ("ccd", "fabrik")])
@settings(max_examples=8)
@given(rngs())
def test_methods_that_keep_limits_keep_them_on_any_figure_wherever_the_target_is(method, rng):
    figure = random_figure(rng, segments=5)
    tip = figure.segment_names[-1]
    goals = [mk.Position(tip, figure.size * rng.normal(size=3)), mk.Aim(tip, figure.size * rng.normal(size=3))]
    start = random_pose(figure, rng, inside=True)
    options = {"restarts": 2} if method == "auto" else {}
    solution = mk.solve(figure, goals, start, method=method, iterations=40, **options)
    within(figure, solution.pose)
    assert np.isfinite(solution.errors).all()


# Goals that cannot be met


@pytest.mark.parametrize("method", list(METHODS))
def test_out_of_reach_is_an_answer(method):
    solution = mk.solve(CHAIN, xy("Tip", (5.0, 0.0)), [0.4, 0.5, 0.6], method=method)
    assert not solution.reached
    assert np.isfinite(solution.pose).all()
    assert solution.errors[0] == pytest.approx(2.6, abs=0.15)
    assert solution.status in (Status.STALLED, Status.OUT_OF_ITERATIONS)


def test_out_of_reach_auto_stretches_to_the_nearest_point():
    solution = mk.solve(CHAIN, xy("Tip", (3.0, 4.0)), [0.4, 0.5, 0.6])
    assert solution.status is Status.STALLED
    assert solution.errors[0] == pytest.approx(5.0 - 2.4, abs=1e-4)


@pytest.mark.parametrize("method", ["auto", "bounded-dls", "dls", "pinv", "stacked", "lbfgsb"])
def test_goals_that_contradict_each_other_give_a_finite_pose(method):
    human = mk.human()
    goals = [mk.Position("LeftHand", (1.0, 1.0, 0.0)), mk.Position("LeftHand", (-1.0, 1.0, 0.0))]
    solution = mk.solve(human, goals, method=method)
    assert not solution.reached
    assert np.isfinite(solution.pose).all()
    if method in KEEPS_LIMITS:
        within(human, solution.pose)
        assert solution.errors.sum() == pytest.approx(2.0, abs=0.05)


@pytest.mark.parametrize("method", ["auto", "bounded-dls", "stacked"])
def test_a_lower_priority_never_worsens_a_higher_one(method):
    goals = [xy("Tip", (3.0, 3.0), priority=1), xy("Segment3", (0.9, 1.2))]
    solution = mk.solve(CHAIN, goals, [0.4, 0.5, 0.6], method=method)
    assert solution.errors[1] <= solution.tolerances[1]
    assert solution.errors[0] > 1.0


@pytest.mark.parametrize("method", [m for m in METHODS if m != "fabrik"])
def test_a_stretched_chain_with_its_target_straight_inward_stays_finite(method):
    # singular: no joint moves the tip along the chain
    solution = mk.solve(CHAIN, xy("Tip", (1.0, 0.0)), np.zeros(3), method=method)
    assert np.isfinite(solution.pose).all()
    if method == "auto":
        assert solution.reached


@pytest.mark.parametrize("method", list(METHODS))
def test_a_figure_that_cannot_move_answers_too(method):
    stone = mk.Figure("stone", [mk.Segment("Stone"), mk.Segment("Top", "Stone", offset=(0, 1, 0))])
    away = mk.solve(stone, mk.Position("Top", (0, 2, 0)), method=method)
    assert away.status is Status.STALLED
    assert away.errors[0] == pytest.approx(1.0)
    assert mk.solve(stone, mk.Position("Top", (0, 1, 0)), method=method).reached


# Arguments


@pytest.mark.parametrize("method", list(METHODS))
def test_a_start_that_reaches_is_given_back_as_it_is(method):
    q = np.array([0.4, 0.5, 0.6])
    solution = mk.solve(CHAIN, xy("Tip", CHAIN.placements(q)[-1, :2, 3]), q, method=method)
    assert solution.reached
    assert np.array_equal(solution.pose, q)
    assert solution.iterations == 0


@pytest.mark.parametrize("method", list(METHODS))
def test_frozen_joints_stand_still(method):
    start = np.array([0.4, 0.5, 0.6])
    solution = mk.solve(CHAIN, xy("Tip", (0.9, 1.5)), start, method=method, freeze=["Segment2"])
    assert solution.pose[1] == start[1]
    assert solution.reached, solution
    other = mk.solve(CHAIN, xy("Tip", (0.9, 1.5)), start, method=method, only=["Segment3"])
    assert np.array_equal(other.pose[:2], start[:2])


@pytest.mark.parametrize("method", [m for m in METHODS if m not in ("ccd", "fabrik")])
def test_frozen_balls_and_roots_stand_still(method):
    human = mk.human()
    goal = mk.Position("LeftHand", (0.35, 1.1, 0.35))
    frozen = ["Hips", "Spine", "LeftShoulder"]
    solution = mk.solve(human, goal, method=method, freeze=frozen)
    for name in frozen:
        n = human.index_of(name)
        assert_close(solution.pose[n : n + 4], human.rest[n : n + 4], tol=1e-15)


@pytest.mark.parametrize("method", list(METHODS))
def test_no_iterations_gives_back_the_start(method):
    start = np.array([0.4, 0.5, 0.6])
    solution = mk.solve(CHAIN, xy("Tip", (0.9, 1.5)), start, method=method, iterations=0)
    assert solution.status is Status.OUT_OF_ITERATIONS
    assert_close(solution.pose, start)


@pytest.mark.parametrize("method", list(METHODS))
def test_no_time_is_said_so(method):
    solution = mk.solve(CHAIN, xy("Tip", (0.9, 1.5)), [0.4, 0.5, 0.6], method=method, budget=0.0)
    assert solution.status is Status.OUT_OF_TIME
    assert np.isfinite(solution.pose).all()


@pytest.mark.parametrize("method", list(METHODS))
def test_progress_is_told_and_may_cancel(method):
    calls = []

    def stop_after_three(done, total):
        calls.append((done, total))
        return len(calls) < 3

    goal = xy("Tip", (-1.9, 1.0), tolerance=1e-12)
    solution = mk.solve(CHAIN, goal, [0.4, 0.5, 0.6], method=method, progress=stop_after_three)
    assert len(calls) == 3
    assert solution.status is Status.OUT_OF_TIME
    assert calls == [(0, None), (1, None), (2, None)]


@pytest.mark.parametrize("method", list(METHODS))
def test_history_has_a_row_for_every_iteration(method):
    goals = [xy("Tip", (-1.2, 1.0)), xy("Segment3", (-0.9, 0.9), weight=0.0)]
    solution = mk.solve(CHAIN, goals, [0.4, 0.5, 0.6], method=method, history=True)
    history = solution.history
    assert history.errors.shape == (solution.iterations + 1, 2)
    for array in (history.step_norms, history.damping, history.condition_numbers):
        assert array.shape == (solution.iterations + 1,)
    assert len(history.active_limits) == solution.iterations + 1
    tip = CHAIN.placements([0.4, 0.5, 0.6])[-1, :2, 3]
    assert history.errors[0, 0] == pytest.approx(np.linalg.norm(tip - [-1.2, 1.0]))
    assert np.isclose(history.errors[:, 0], solution.errors[0]).any()
    assert np.all(history.step_norms[:-1] > 0.0)
    assert np.all(history.condition_numbers >= 1.0)
    assert mk.solve(CHAIN, goals, [0.4, 0.5, 0.6], method=method).history is None


def test_history_names_the_limits_that_were_touched():
    arm = mk.chain([1.0, 0.8, 0.6], mk.Hinge(limits=(-0.2, 0.7)))
    solution = mk.solve(arm, mk.Position("Tip", (0.2, 1.9, 0.0)), method="bounded-dls", history=True)
    assert any("Segment1 (upper)" in names for names in solution.history.active_limits)


def test_the_same_call_gives_the_same_bits():
    human = mk.human()
    goals = person_goals(human, human.random(np.random.default_rng(3)))
    one, two = mk.solve(human, goals), mk.solve(human, goals)
    assert np.array_equal(one.pose, two.pose)


@pytest.mark.parametrize("method", ["auto", "bounded-dls", "dls", "pinv", "stacked", "lbfgsb", "sdls"])
def test_the_same_figure_in_centimetres_takes_the_same_pose(method):
    small, large = mk.chain(4), mk.chain(4).scaled(100.0)
    start = np.linspace(-0.5, 0.5, 12)
    a = mk.solve(small, mk.Position("Tip", (1, 2, 1)), start, method=method)
    b = mk.solve(large, mk.Position("Tip", (100, 200, 100)), start, method=method)
    assert a.reached
    assert b.reached
    assert_close(a.pose, b.pose, tol=1e-5)


def test_a_start_outside_its_limits_is_brought_in_and_said_so():
    arm = mk.chain(2, mk.Hinge(limits=(-1, 1)))
    solution = mk.solve(arm, mk.Position("Tip", (1.5, 0.5, 0.0)), [2.5, 0.0])
    assert "outside its limits by 1.5" in solution.notes[0]
    assert "outside its limits by 1.5" in str(solution)
    within(arm, solution.pose)


def test_methods_that_do_not_know_limits_say_by_how_much_they_are_missed():
    arm = mk.chain(2, mk.Hinge(limits=(-0.5, 0.5)))
    solution = mk.solve(arm, mk.Position("Tip", (0.5, 1.5), axes="xy"), [0.1, 0.1], method="pinv")
    assert solution.reached
    assert solution.violation == pytest.approx(arm.violation(solution.pose))
    assert solution.violation > 0.1
    assert "does not keep them" in str(solution)


GOAL = xy("Tip", (1.0, 1.0))


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (lambda: mk.solve(CHAIN, GOAL, method="newton"), UnknownName, "manikin has no method 'newton'.*auto, lbfgsb"),
        (lambda: mk.solve(CHAIN, GOAL, method="bounded_dls"), UnknownName, "did you mean 'bounded-dls'"),
        (lambda: mk.solve(CHAIN, GOAL, method="pinv", damping=1), UnknownName, "method 'pinv' has no option 'damping'"),
        (lambda: mk.solve(CHAIN, GOAL, restart=3), UnknownName, "did you mean 'restarts'"),
        (lambda: mk.solve(CHAIN, GOAL, method="dls", damping=-1), BadValue, "damping is -1; it must be at least 0"),
        (lambda: mk.solve(CHAIN, GOAL, method="bounded-dls", damping=-1), BadValue, "damping is -1"),
        (lambda: mk.solve(CHAIN, GOAL, method="lbfgsb", alpha=-1), BadValue, "alpha is -1; it must be at least 0"),
        (lambda: mk.solve(CHAIN, GOAL, method="lbfgsb", reference=[0]), BadShape, r"reference has shape \(1,\)"),
        (lambda: mk.solve(CHAIN, GOAL, method="pinv", largest=0), BadValue, "largest is 0; it must be above 0"),
        (lambda: mk.solve(CHAIN, GOAL, iterations=-1), BadValue, "iterations is -1; it must be a whole number"),
        (lambda: mk.solve(CHAIN, GOAL, iterations=1.5), BadValue, "iterations is 1.5; it must be a whole number"),
        (lambda: mk.solve(CHAIN, GOAL, budget=-1), BadValue, "budget is -1; it must be at least 0"),
        (lambda: mk.solve(CHAIN, GOAL, restarts=-1), BadValue, "restarts is -1; it must be a whole number"),
        (lambda: mk.solve(CHAIN, []), BadValue, "there are no goals"),
        (lambda: mk.solve(CHAIN, GOAL, [0, 0]), BadShape, "start pose has shape"),
    ],
)
def test_bad_input_is_named(make, kind, message):
    assert_refused(make, kind, message)
