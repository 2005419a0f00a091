"""4×4 matrices as targets: the same bits as seven numbers, in every form, and the same errors as in `Placement`."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from work import calls_of

import manikin as mk
from manikin import backend
from manikin.errors import BadShape, BadValue
from manikin.rotations import from_matrix

pytestmark = pytest.mark.skipif(not backend.native, reason="MANIKIN_BACKEND=reference: there is no native solver")

COUNT = 30


def seven(matrices: np.ndarray) -> np.ndarray:
    return np.concatenate([matrices[..., :3, 3], from_matrix(matrices[..., :3, :3])], axis=-1)


@pytest.mark.parametrize("segments", [["LeftHand"], ["LeftHand", "RightFoot"]], ids=["one goal", "two goals"])
def test_matrices_give_the_bits_of_seven_numbers(segments: list[str]) -> None:
    figure, rng = mk.human(), np.random.default_rng(3)
    solver = mk.Solver(figure, [mk.Placement(name, np.eye(4)) for name in segments])
    matrices = figure.placements(figure.random(rng, COUNT), segments)
    if len(segments) == 1:
        matrices = np.ascontiguousarray(matrices[:, 0])
    rows = seven(matrices).reshape(COUNT, -1)
    for given in (matrices, matrices.tolist(), np.asfortranarray(matrices), matrices[::-1][::-1]):
        assert np.array_equal(solver.solve_many(figure.rest, given).poses, solver.solve_many(figure.rest, rows).poses)
        assert np.array_equal(solver.track(figure.rest, given).poses, solver.track(figure.rest, rows).poses)
        one, other = solver.solve(figure.rest, given[0]), solver.solve(figure.rest, rows[0])
        assert np.array_equal(one.pose, other.pose)
        assert np.array_equal(one.errors, other.errors)


def test_matrices_are_no_more_work_for_python_than_seven_numbers() -> None:
    """A conversion in Python takes a hundred functions, and a hundred microseconds."""
    figure, names = mk.human(), ["LeftHand", "RightFoot"]
    for segments in (names[:1], names):
        solver = mk.Solver(figure, [mk.Placement(name, np.eye(4)) for name in segments])
        at = figure.placements(figure.rest, segments)
        one = np.ascontiguousarray(at[0]) if len(segments) == 1 else at
        rows = np.repeat(one[None], 3, axis=0)
        for name in ("solve", "solve_many", "track"):
            call = partial(getattr(solver, name), figure.rest)
            matrices = one if name == "solve" else rows
            numbers = seven(matrices).reshape(*matrices.shape[: matrices.ndim - one.ndim], -1)
            call(matrices)  # what the first call loads does not count
            assert calls_of(partial(call, matrices)) <= calls_of(partial(call, numbers))


def test_a_matrix_by_half_a_turn_about_any_axis_is_converted_alike() -> None:
    figure = mk.human()
    solver = mk.Solver(figure, mk.Placement("LeftHand", np.eye(4)))
    for axis in ([1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [1, -1, 1], [1e-9, 1, 0]):
        unit = np.array(axis) / np.linalg.norm(axis)
        matrix = np.eye(4)
        matrix[:3, :3] = 2.0 * np.outer(unit, unit) - np.eye(3)
        one, other = (solver.solve(figure.rest, x, iterations=3) for x in (matrix, seven(matrix)))
        assert np.array_equal(one.pose, other.pose)


SHEAR, LAST, MIRROR = np.eye(4), np.eye(4), np.diag([1.0, 1.0, -1.0, 1.0])
SHEAR[0, 1], LAST[3, 3] = 0.1, 2.0


@pytest.mark.parametrize("make", [np.asarray, lambda m: m.tolist()], ids=["array", "list"])
@pytest.mark.parametrize(
    ("matrix", "message"),
    [(SHEAR, "not a rotation"), (MIRROR, "not a rotation"), (2.0 * np.eye(4), "last row"), (LAST, "last row")],
)
def test_what_is_no_placement_is_refused(matrix: np.ndarray, message: str, make) -> None:
    figure = mk.human()
    solver = mk.Solver(figure, mk.Placement("LeftHand", np.eye(4)))
    with pytest.raises(BadValue, match=message):
        mk.Placement("LeftHand", matrix)
    for call in (
        lambda: solver.solve(figure.rest, make(matrix)),
        lambda: solver.solve_many(figure.rest, make(np.stack([np.eye(4), matrix]))),
        lambda: solver.track(figure.rest, make(np.stack([np.eye(4), matrix]))),
        lambda: solver.row({"LeftHand": make(matrix)}),
    ):
        with pytest.raises(BadValue, match=message):
            call()


def test_a_matrix_that_is_not_finite_is_refused_where_it_counts() -> None:
    figure = mk.human()
    solver = mk.Solver(figure, [mk.Placement(name, np.eye(4)) for name in ("LeftHand", "RightHand")])
    matrices = np.stack([np.eye(4), np.full((4, 4), np.nan)])
    with pytest.raises(BadValue, match="not finite"):
        solver.solve(figure.rest, matrices)
    assert np.isfinite(solver.solve(figure.rest, matrices, active=np.array([True, False])).pose).all()


def test_a_goal_that_is_no_placement_takes_no_matrix() -> None:
    figure = mk.human()
    for goals in ([mk.Position("LeftHand", (0, 1, 0))], [mk.AnyOf(mk.Placement("LeftHand", np.eye(4)))]):
        with pytest.raises(BadShape, match="has shape"):
            mk.Solver(figure, goals).solve(figure.rest, np.eye(4))
