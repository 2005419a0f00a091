"""`Solver.replaced`: other offsets and lengths give the block of a new solver, byte for byte."""

from __future__ import annotations

import pickle
import threading
from dataclasses import replace

import numpy as np
import pytest
from checks import assert_close, assert_refused
from hypothesis import given, settings
from strategies import random_direction, random_figure, random_pose, random_quaternion, rngs

import manikin as mk
from manikin.errors import BadShape, BadValue, UnknownName, Unsupported
from manikin.solvers.native import replaced as module

pytest.importorskip("manikin._core", reason="the native core is not built")


def random_goal(figure, rng):
    """A goal with an offset, of a random kind, with the default tolerance or its own."""
    segment = figure.segment_names[rng.integers(len(figure.segment_names))]
    point, offset = figure.size * rng.normal(size=3), tuple(0.1 * figure.size * rng.normal(size=3))
    shared = {"offset": offset, "tolerance": None if rng.random() < 0.7 else 0.01 * figure.size}
    turn = random_quaternion(rng)
    kinds = [
        lambda: mk.Position(segment, point, **shared),
        lambda: mk.Position(segment, point, robust=mk.Huber(0.1 * figure.size), **shared),
        lambda: mk.Placement(segment, (*point, *turn), **shared),
        lambda: mk.Placement(segment, (*point, *turn), rotation=random_quaternion(rng), **shared),
        lambda: mk.Aim(segment, point, offset=offset),
        lambda: mk.Plane(segment, point, random_direction(rng), **shared),
        lambda: mk.Line(segment, point, random_direction(rng), **shared),
        lambda: mk.AnyOf(mk.Position(segment, point, **shared), mk.Position(segment, -point, offset=offset)),
        lambda: mk.Distance(segment, figure.segment_names[0], 0.3 * figure.size, offset=offset),
    ]
    return kinds[rng.choice(len(kinds), p=[0.4, 0.1, 0.1, 0.05, 0.1, 0.1, 0.1, 0.025, 0.025])]()


def changed(goal, offset):
    """The goal with another offset, made in the usual way."""
    return replace(goal, offset=offset)


@settings(max_examples=200)
@given(rngs())
def test_the_block_is_that_of_a_new_solver(rng):
    figure = random_figure(rng)
    goals = [random_goal(figure, rng) for _ in range(rng.integers(1, 8))]
    options = {"damping": 0.01 * figure.size} if rng.random() < 0.3 else {}
    solver = mk.Solver(figure, goals, **options)
    having = [k for k, g in enumerate(goals) if hasattr(g, "offset")]
    new = {k: tuple(0.1 * figure.size * rng.normal(size=3)) for k in having if rng.random() < 0.7}
    rows = np.full((len(goals), 3), np.nan)
    for k, offset in new.items():
        rows[k] = offset
    lengths = {s: float(rng.uniform(0.7, 1.4)) for s in figure.segment_names if rng.random() < 0.5}
    if rng.random() < 0.3:
        lengths = {}
    moved = [changed(g, new[k]) if k in new else g for k, g in enumerate(goals)]
    expected = mk.Solver(figure.scaled(lengths) if lengths else figure, moved, **options)
    found = solver.replaced(offsets=rows, lengths=lengths)
    assert found.to_bytes() == expected.to_bytes()
    assert found.figure == expected.figure
    assert [g.label for g in found.goals] == [g.label for g in expected.goals]
    assert [g.tolerance for g in found.goals] == [g.tolerance for g in expected.goals]
    pose = random_pose(expected.figure, rng, inside=True)
    assert (found.solve(pose, restarts=0).pose == expected.solve(pose, restarts=0).pose).all()


def markers(count=41):
    figure, rng = mk.human(), np.random.default_rng(0)
    fingers = ("Thumb", "Index", "Middle", "Ring", "Pinky", "Eye")
    names = [s for s in figure.segment_names if not any(f in s for f in fingers)]
    goals = [
        mk.Position(names[k % len(names)], rng.normal(size=3), offset=tuple(0.05 * rng.normal(size=3)), name=f"m{k}")
        for k in range(count)
    ]
    return figure, goals


def test_markers_on_a_person_take_the_fast_path(monkeypatch):
    """The goals are not compiled again, whatever numbers change; the same bytes as of a new solver."""
    figure, goals = markers()
    rng = np.random.default_rng(1)
    solver = mk.Solver(figure, goals)
    expected = []
    cases = [
        ({f"m{k}": tuple(rng.normal(size=3)) for k in range(41)}, None),
        ({"m3": (0.1, 0.2, 0.3)}, {"LeftForeArm": 1.05, "LeftForeArmTwist": 1.05}),
        (None, {"LeftUpLeg": 0.9, "RightUpLeg": 0.9, "Hips": 1.1}),
    ]
    for offsets, lengths in cases:
        moved = [changed(g, (offsets or {}).get(g.name, g.offset)) for g in goals]
        expected.append(mk.Solver(figure.scaled(lengths) if lengths else figure, moved).to_bytes())

    def refuse(*_, **__):
        raise AssertionError("the goals are compiled again")

    monkeypatch.setattr(mk.Solver, "__init__", refuse)
    monkeypatch.setattr(mk.Figure, "__init__", refuse)
    for (offsets, lengths), block in zip(cases, expected, strict=True):
        assert solver.replaced(offsets=offsets, lengths=lengths).to_bytes() == block


def test_changes_add_up_and_the_first_solver_stays_as_it_is():
    figure, goals = markers(12)
    solver = mk.Solver(figure, goals)
    before = solver.to_bytes()
    one = solver.replaced(offsets={"m1": (0.1, 0.0, 0.0)}, lengths={"Spine": 1.1})
    two = one.replaced(offsets={"m2": (0.0, 0.2, 0.0)}, lengths={"Spine": 1.2, "LeftLeg": 0.9})
    assert solver.to_bytes() == before
    moved = [changed(g, {"m1": (0.1, 0.0, 0.0), "m2": (0.0, 0.2, 0.0)}.get(g.name, g.offset)) for g in goals]
    other = figure.scaled({"Spine": 1.1}).scaled({"Spine": 1.2, "LeftLeg": 0.9})
    assert two.to_bytes() == mk.Solver(other, moved).to_bytes()
    assert two.figure == other
    assert solver.replaced() is solver
    assert solver.replaced(lengths={"Spine": 1.0}) is solver
    again = pickle.loads(pickle.dumps(two))
    assert again.to_bytes() == two.to_bytes()


def test_answers_and_reports_are_about_the_changed_figure():
    arm = mk.chain(3)
    tip = arm.segment_names[-1]
    solver = mk.Solver(arm, mk.Position(tip, (3.3, 0.0, 0.0), name="pen"))
    longer = solver.replaced(lengths=dict.fromkeys(arm.segment_names[:-1], 1.1))
    assert not solver.solve(arm.rest).reached
    found = longer.solve(arm.rest)
    assert found.reached
    assert_close(longer.figure.size, 1.1 * arm.size, tol=1e-12)
    assert_close(longer.figure.placements(found.pose, [tip])[0, :3, 3], (3.3, 0.0, 0.0), tol=1e-3)
    near = solver.replaced(offsets={"pen": (0.5, 0.0, 0.0)}).solve(arm.rest)
    assert near.reached
    (goal,) = near.goals
    assert isinstance(goal, mk.Position)
    assert goal.offset == (0.5, 0.0, 0.0)
    missed = longer.solve(arm.rest, np.array([9.0, 0.0, 0.0]))
    assert "reaches only 3.30 m" in missed.report[0].text


def test_start_natural_and_information_use_the_changed_numbers():
    figure, goals = markers(20)
    solver = mk.Solver(figure, goals)
    other = solver.replaced(lengths={"LeftArm": 1.2}, offsets={"m5": (0.0, 0.3, 0.0)})
    fresh = mk.Solver(other.figure, [changed(g, (0.0, 0.3, 0.0)) if g.name == "m5" else g for g in goals])
    assert (other.information(figure.rest) == fresh.information(figure.rest)).all()
    assert (other.information(figure.rest) != solver.information(figure.rest)).any()
    turn = mk.Orientation("LeftHand", (0.5, 0.5, 0.5, 0.5), axis=(0.0, 1.0, 0.0), twist=0.1)
    for hold in (None, {"LeftArm": "twist"}):  # with hold=, Python computes it
        scaled = mk.Solver(figure, turn, hold=hold).replaced(lengths={"LeftArm": 1.2})
        fresh_turn = mk.Solver(scaled.figure, turn, hold=hold)
        assert (scaled.information(figure.rest) == fresh_turn.information(figure.rest)).all()
    assert (other.solve("natural", restarts=0).pose == fresh.solve("natural", restarts=0).pose).all()


def test_threads_may_replace_at_once():
    figure, goals = markers(20)
    solver = mk.Solver(figure, goals)
    expected = [solver.replaced(lengths={"Spine": 1.0 + 0.01 * k}).to_bytes() for k in range(1, 9)]
    fresh = mk.Solver(figure, goals)
    found = [b""] * 8

    def work(k):
        found[k] = fresh.replaced(lengths={"Spine": 1.0 + 0.01 * (k + 1)}).to_bytes()

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == expected


def test_sliders_on_a_scaled_segment_are_compiled_again():
    segments = [
        mk.Segment("Base", None, mk.Hinge()),
        mk.Segment("Rail", "Base", mk.Slider(axis=(1, 0, 0), limits=(0.0, 1.0)), offset=(0.5, 0, 0)),
        mk.Segment("Tip", "Rail", mk.Hinge(), offset=(0.3, 0, 0)),
    ]
    figure, goal = mk.Figure("rail", segments), mk.Position("Tip", (1.0, 0.5, 0.0))
    solver = mk.Solver(figure, goal)
    for lengths in ({"Base": 1.5}, {"Rail": 1.5}):
        assert solver.replaced(lengths=lengths).to_bytes() == mk.Solver(figure.scaled(lengths), goal).to_bytes()


def test_bad_arguments_are_named():
    figure, goals = markers(6)
    solver = mk.Solver(figure, [*goals, mk.Orientation("Head", (1, 0, 0, 0))])
    assert_refused(lambda: solver.replaced(offsets={"nobody": (0, 0, 0)}), UnknownName, "nobody")
    assert_refused(lambda: solver.replaced(offsets={"m1": (0, 0)}), BadShape, "offset of 'm1'")
    assert_refused(lambda: solver.replaced(offsets={"m1": (0, np.nan, 0)}), BadValue, "offset of 'm1'")
    assert_refused(lambda: solver.replaced(offsets={"Orientation Head": (0, 0, 0)}), BadValue, "has no offset")
    assert_refused(lambda: solver.replaced(offsets=np.zeros((3, 3))), BadShape, "offsets has shape")
    assert_refused(lambda: solver.replaced(lengths={"LHand": 1.1}), UnknownName, "LHand")
    assert_refused(lambda: solver.replaced(lengths={"Head": -1.0}), BadValue, "scale of 'Head'")
    assert_refused(lambda: solver.replaced(lengths=1.1), BadValue, "factors by segment")
    assert_refused(lambda: solver.replaced(lengths={"Head": 1e150}), BadValue, "out of range")
    twice = mk.Solver(figure, [mk.Position("Head", (0, 1, 0)), mk.Position("Head", (0, 2, 0), offset=(0, 0.1, 0))])
    assert_refused(lambda: twice.replaced(offsets={"Position Head": (0, 0, 0)}), BadValue, "2 goals are about")
    stored = mk.Solver.from_bytes(solver.to_bytes())
    assert_refused(lambda: stored.replaced(lengths={"Head": 1.1}), Unsupported, "opened from bytes")
    assert tuple(figure.layout.tree.arrays()) == module.TREE


def test_another_tolerance_gives_the_block_of_a_new_solver() -> None:
    person = mk.human()

    def made(tolerance: float) -> mk.Solver:
        hands = [mk.Position(f"{side}Hand", (0.1, 1.0, 0.3), tolerance=tolerance) for side in ("Left", "Right")]
        return mk.Solver(person, [*hands, mk.Posture(person.rest, tolerance=0.5)])

    tight, loose = made(1e-3), made(0.02)
    found = module.with_tolerance(tight, 0.02)
    assert found.to_bytes() == loose.to_bytes()
    assert tight.to_bytes() == made(1e-3).to_bytes()
    np.testing.assert_array_equal(found.solve(person.rest).pose, loose.solve(person.rest).pose)
