"""Notes on likely mistakes in the input: units, degrees, a body that floats away."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk

PERSON = mk.human()
ARM = mk.chain([0.5, 0.4, 0.3], mk.Hinge((0, 0, 1)))


def about(notes: tuple[str, ...], words: str) -> list[str]:
    return [note for note in notes if words in note]


def test_targets_in_centimetres_are_noticed() -> None:
    goals = [mk.Position("RightHand", (-40.0, 120.0, 30.0)), mk.Plane("Hips", (0, 0.9, 0), (0, 1, 0))]
    (note,) = about(mk.solve(PERSON, goals).notes, "times the figure's size")
    assert note.startswith("the target of Position RightHand is ")
    assert note.endswith("the figure is in metres: are these centimetres?")


def test_a_figure_without_a_unit_is_not_said_to_be_in_metres() -> None:
    arm = ARM.replaced(unit=None)
    (note,) = mk.solve(arm, mk.Position("Tip", (50.0, 0.0, 0.0))).notes
    assert note.endswith("are both in the same unit?")


def test_a_body_that_leaves_its_place_is_noticed() -> None:
    solution = mk.solve(PERSON, mk.Position("RightHand", (4.0, 1.2, 0.3)))
    assert solution.reached
    (note,) = solution.notes
    assert note.startswith("the whole figure moved by 3.")
    assert note.endswith("keep its feet with Placement goals, or freeze=['Hips']")
    assert note in str(solution)


def test_degrees_in_a_start_are_noticed_with_and_without_limits() -> None:
    (note,) = mk.solve(ARM, mk.Position("Tip", (0.5, 0.5, 0.0)), [90.0, 45.0, 10.0]).notes
    assert note == (
        "the start pose holds numbers that look like degrees (Segment1 is 90); angles are in radians: np.radians(…)"
    )
    limited = mk.chain([0.5, 0.4, 0.3], mk.Hinge((0, 0, 1), (-2.0, 2.0)))
    assert about(mk.solve(limited, mk.Position("Tip", (0.5, 0.5, 0.0)), [90.0, 45.0, 10.0]).notes, "like degrees")


def test_an_ordinary_question_has_no_notes() -> None:
    assert mk.solve(ARM, mk.Position("Tip", (0.5, 0.5, 0.0)), [0.3, 0.2, 6.0]).notes == ()
    left, right = PERSON.placements(PERSON.rest, ["LeftFoot", "RightFoot"])
    planted = [mk.Placement("LeftFoot", left), mk.Placement("RightFoot", right)]
    assert mk.solve(PERSON, [*planted, mk.Position("RightHand", (-0.4, 1.2, 0.3))]).notes == ()


@pytest.mark.parametrize("name", ["solve", "many", "track"])
def test_a_solver_notices_the_same(name: str) -> None:
    solver = mk.Solver(ARM, [mk.Position("Tip", (0.5, 0.5, 0.0))])
    rows = np.array([[50.0, 50.0, 0.0], [0.5, 0.5, 0.0], [60.0, 0.0, 0.0]])
    if name == "solve":
        (note,) = solver.solve(None, rows[0]).notes
    elif name == "many":
        (note,) = solver.solve_many(None, rows).notes
        assert ", in 2 of 3 rows; " in note
    else:
        (note,) = about(solver.track(ARM.rest, rows).notes, "times the figure's size")
    assert note.startswith("the target of Position Tip is ")


def test_a_walk_of_many_sizes_is_no_slip() -> None:
    solver = mk.Solver(PERSON, [mk.Placement("Hips", np.eye(4))])
    rows = np.tile(solver.targets, (300, 1))
    rows[:, 0] = np.linspace(0.0, 30.0, 300)
    rows[:, 1] = 0.93
    assert not solver.track(PERSON.rest, rows).notes


def test_a_batch_in_which_the_person_flies_is_noticed() -> None:
    solver = mk.Solver(PERSON, [mk.Position("RightHand", (0, 0, 0))])
    answers = solver.solve_many(PERSON.rest, [[3.0, 1.0, 0.0], [-4.0, 1.0, 0.0]])
    (note,) = answers.notes
    assert note.startswith("the whole figure moved by ")
    assert answers[:0].notes == ()


def test_the_notes_of_many_rows_do_not_depend_on_their_order() -> None:
    figure = mk.human()
    solver = mk.Solver(figure, mk.Position("RightHand", (-0.4, 1.2, 0.3)))
    rows = np.array([[-0.4, 1.2, z] for z in (0.3, 1.5, 2.7, 3.9)])
    notes = solver.solve_many(figure.rest, rows).notes
    assert len(notes) == 1
    assert solver.solve_many(figure.rest, rows[::-1]).notes == notes
    assert "in 5 of 5 rows" in solver.solve_many(figure.rest, [[-40.0, 120.0, 30.0]] * 5).notes[0]
    assert solver.track(figure.rest, rows).notes == ()  # step by step


def test_a_figure_whose_feet_or_root_are_wanted_elsewhere_is_not_said_to_float() -> None:
    figure = mk.human()
    feet = [
        mk.Placement(name, figure.placements(figure.rest, [name])[0] + _shift(3.0))
        for name in ("LeftFoot", "RightFoot")
    ]
    assert mk.solve(figure, feet).notes == ()
    assert mk.solve(figure, mk.Position("Hips", (0.0, 1.0, 3.0))).notes == ()


def _shift(x: float) -> np.ndarray:
    out = np.zeros((4, 4))
    out[0, 3] = x
    return out
