"""Targets by the names of goals, and placements as 4×4 matrices."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin import backend
from manikin.errors import BadShape, BadValue, UnknownName
from manikin.rotations import from_matrix

pytestmark = pytest.mark.skipif(not backend.native, reason="MANIKIN_BACKEND=reference: there is no native solver")

HUMAN = mk.human()
POSES = HUMAN.random(np.random.default_rng(0), 3)


def matrices(segment: str) -> np.ndarray:
    return HUMAN.placements(POSES, [segment])[:, 0]


def numbers(matrix: np.ndarray) -> np.ndarray:
    return np.concatenate([matrix[:3, 3], from_matrix(matrix[:3, :3])])


@pytest.fixture(scope="module")
def solver() -> mk.Solver:
    hand = mk.Placement("LeftHand", HUMAN.placements(HUMAN.rest, ["LeftHand"])[0], name="hold")
    return mk.Solver(HUMAN, [mk.Position("Head", (0.0, 1.6, 0.1)), hand])


def test_a_goal_is_named_by_its_name_or_its_segment_and_others_keep_their_target(solver: mk.Solver) -> None:
    where = numbers(matrices("LeftHand")[0])
    for name in ("hold", "LeftHand"):
        row = solver.row({name: where})
        assert np.array_equal(row[3:], where)
        assert np.array_equal(row[:3], solver.targets[:3])
    assert np.array_equal(solver.row({"Head": (1, 2, 3), "hold": where}), [1, 2, 3, *where])


def test_a_placement_may_be_a_matrix(solver: mk.Solver) -> None:
    matrix = matrices("LeftHand")[0]
    assert np.allclose(solver.row({"hold": matrix}), solver.row({"hold": numbers(matrix)}), rtol=0, atol=1e-15)


def test_calls_take_targets_by_name(solver: mk.Solver) -> None:
    targets = {"hold": matrices("LeftHand")[0]}
    row = solver.row(targets)
    assert np.array_equal(solver.solve(None, targets).pose, solver.solve(None, row).pose)
    assert np.array_equal(solver.solve_many(None, targets).poses, solver.solve_many(None, row).poses)


def test_wrong_names_and_wrong_shapes_are_errors_that_say_which(solver: mk.Solver) -> None:
    with pytest.raises(UnknownName, match="'RightHand'"):
        solver.row({"RightHand": (0, 0, 0)})
    with pytest.raises(BadShape, match=r"Head.*has 2 numbers; it needs 3"):
        solver.row({"Head": (0, 0)})
    twice = mk.Solver(HUMAN, [mk.Position("Head", (0, 1, 0)), mk.Aim("Head", (0, 0, 1))])
    with pytest.raises(BadValue, match="2 goals are about 'Head'"):
        twice.row({"Head": (0, 0, 0)})


def test_one_placement_takes_matrices_in_every_call() -> None:
    solver = mk.Solver(HUMAN, mk.Placement("LeftHand", np.eye(4)))
    many = matrices("LeftHand")
    rows = np.stack([numbers(m) for m in many])
    assert np.allclose(solver.solve(None, many[0]).pose, solver.solve(None, rows[0]).pose, rtol=0, atol=1e-9)
    assert np.allclose(solver.solve_many(None, many).poses, solver.solve_many(None, rows).poses, rtol=0, atol=1e-9)
    assert np.allclose(solver.track(None, many).poses, solver.track(None, rows).poses, rtol=0, atol=1e-9)
    assert solver.solve_many(None, many).reached.all()


def test_several_placements_take_a_stack_of_matrices() -> None:
    names = ("LeftHand", "RightHand")
    solver = mk.Solver(HUMAN, [mk.Placement(name, np.eye(4)) for name in names])
    stack = np.stack([matrices(name) for name in names], axis=1)
    rows = np.stack([np.concatenate([numbers(m) for m in pair]) for pair in stack])
    assert np.allclose(solver.solve_many(None, stack).poses, solver.solve_many(None, rows).poses, rtol=0, atol=1e-9)
    assert len(solver.solve(None, stack[0]).errors) == 2


def test_a_shape_that_does_not_fit_says_what_a_placement_takes() -> None:
    solver = mk.Solver(HUMAN, mk.Placement("LeftHand", np.eye(4)))
    with pytest.raises(BadShape, match=r"targets has shape \(1000, 4, 3\).*7 numbers .* or a 4×4 matrix"):
        solver.solve_many(None, np.zeros((1000, 4, 3)))
