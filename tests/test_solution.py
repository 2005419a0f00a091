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
