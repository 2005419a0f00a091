from __future__ import annotations

import pickle

import numpy as np
import pytest

import manikin as mk
from manikin.solution import Status

ARM = mk.chain(3, planar=True)


def solved(**options):
    goals = [mk.Position("Tip", (1.0, 1.5), axes="xy", name="hand"), mk.Orientation("Tip", (1, 0, 0, 0), tolerance=9.0)]
    return mk.solve(ARM, goals, [0.2, 0.3, 0.4], **options)


def test_status_is_its_text():
    assert Status.REACHED == "reached"
    assert str(Status.OUT_OF_TIME) == "out_of_time"
    assert f"{Status.STALLED}" == "stalled"
    assert {s.value for s in Status} == {"reached", "stalled", "out_of_iterations", "out_of_time"}


def test_the_table_has_a_line_for_each_goal_in_its_unit():
    text = str(solved())
    lines = text.splitlines()
    assert lines[0].startswith("chain, auto: every goal reached (")
    assert lines[0].endswith(" ms)")
    assert lines[1].split() == ["goal", "error", "tolerance"]
    hand, turn = lines[3], lines[4]
    assert hand.split()[0] == "hand"
    assert hand.split()[2:] == ["0.0003", "reached"]
    assert turn.startswith("  Orientation Tip")
    assert turn.split()[3:] == ["rad", "9", "rad", "reached"]
    assert all(len(line) <= 100 for line in lines)


def test_the_table_says_by_how_much_a_goal_is_missed():
    text = str(mk.solve(ARM, mk.Position("Tip", (5.0, 0.0), axes="xy"), [0.2, 0.3, 0.4]))
    assert "stalled: no step brings the goals closer" in text
    assert "misses by 2" in text


def test_one_iteration_is_not_iterations():
    text = str(mk.solve(ARM, mk.Position("Tip", (5.0, 0.0), axes="xy"), method="dls", iterations=1))
    assert "(1 iteration, " in text
    assert "the iterations allowed were used up" in text


def test_arrays_are_read_only():
    solution = solved(history=True)
    for array in (solution.pose, solution.errors, solution.start, solution.history.errors):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0


def test_a_solution_can_be_pickled():
    solution = solved()
    again = pickle.loads(pickle.dumps(solution))
    assert np.array_equal(again.pose, solution.pose)
    assert again.status is Status.REACHED
    assert str(again) == str(solution)


def test_the_goals_of_a_solution_have_their_tolerances():
    assert solved().tolerances.tolist() == pytest.approx([3e-4, 9.0])


# Many


def _many():
    human = mk.human()
    solver = mk.Solver(human, [mk.Position("LeftHand", (0.3, 1.2, 0.3)), mk.Position("Head", (0.0, 1.6, 0.1))])
    rows = np.tile(solver.targets, (6, 1))
    rows[:, 0] += 0.02 * np.arange(6)
    rows[4, 0] = 9.0
    starts = human.random(np.random.default_rng(0), 6)
    return solver.solve_many(starts, rows, weights=np.arange(1.0, 13.0).reshape(6, 2)), starts, rows


def test_one_of_many_solutions_is_a_solution():
    many, starts, rows = _many()
    assert isinstance(many, mk.Solutions)
    assert len(many) == 6
    for k, one in enumerate(many):
        assert isinstance(one, mk.Solution)
        assert np.array_equal(one.pose, many.poses[k])
        assert np.array_equal(one.errors, many.errors[k])
        assert (one.reached, one.status, one.code) == (many.reached[k], many.status[k], many.codes[k])
        assert one.iterations == many.iterations[k]
        assert one.chosen == tuple(many.chosen[k])
        assert np.array_equal(one.start, starts[k])
        assert np.array_equal(one.targets, rows[k])
        assert np.array_equal(one.goals[0].target, rows[k, :3])
        assert [goal.weight for goal in one.goals] == [2 * k + 1, 2 * k + 2]
    assert np.array_equal(many[-1].pose, many.poses[5])
    for k in (6, -7):
        with pytest.raises(IndexError, match=f"there are 6 solutions; number {k}"):
            many[k]


@pytest.mark.parametrize("at", [slice(1, 5, 2), np.array([4, 0]), np.array([True, False] * 3), slice(0, 0)])
def test_a_slice_of_many_solutions_has_their_rows(at):
    many, _, _ = _many()
    some = many[at]
    assert isinstance(some, mk.Solutions)
    numbers = np.arange(6)[at]
    assert np.array_equal(some.poses, many.poses[at])
    assert np.array_equal(some.codes, many.codes[at])
    assert len(some) == len(numbers)
    for one, k in zip(some, numbers, strict=True):
        assert np.array_equal(one.targets, many[k].targets)
        assert np.array_equal(one.start, many[k].start)
        assert np.array_equal(one.weights, many[k].weights)


def test_many_solutions_can_be_pickled_and_printed():
    many, _, _ = _many()
    again = pickle.loads(pickle.dumps(many))
    assert again.poses.tobytes() == many.poses.tobytes()
    assert again.notes == many.notes
    assert np.array_equal(again.status, many.status)
    assert np.array_equal(again[4].targets, many[4].targets)
    assert repr(many) == repr(again) == "<Solutions: 5 of 6 reached>"
    assert "misses by" in str(again[4])


def test_further_notes_come_first_and_change_nothing_else() -> None:
    solver = mk.Solver(ARM, [mk.Position("Tip", (1.0, 1.0), axes="xy")])
    one = solver.solve(ARM.rest, weights=[2.0])
    noted = one.with_notes("first", "second")
    assert noted.notes == ("first", "second", *one.notes)
    assert noted.with_notes("earlier").notes == ("earlier", *noted.notes)
    for name in ("pose", "errors", "start", "targets", "weights", "status", "iterations", "chosen", "start_violation"):
        assert np.array_equal(getattr(noted, name), getattr(one, name)), name
    assert [g.weight for g in noted.goals] == [2.0]

    many = solver.solve_many([5.0, 0.0, 0.0], [[1.0, 1.0], [0.0, 2.5]], weights=[2.0])
    all_noted = many.with_notes("first")
    assert all_noted.notes == ("first", *many.notes)
    assert all_noted.with_notes("earlier").notes == ("earlier", *all_noted.notes)
    for name in ("poses", "errors", "reached", "status", "iterations", "chosen", "start_violation"):
        assert np.array_equal(getattr(all_noted, name), getattr(many, name)), name
    for name in ("start", "targets", "weights"):
        assert np.array_equal(getattr(all_noted[1], name), getattr(many[1], name)), name
