"""A solver holds its query in the object itself, where native methods read it. Other objects have an attribute."""

from __future__ import annotations

import copy
import gc
import weakref
from types import SimpleNamespace

import numpy as np
import pytest

import manikin as mk

_core = pytest.importorskip("manikin._core", reason="the native core is not built")

ROW = np.array([1.0, 1.0])


def arm_solver() -> mk.Solver:
    return mk.Solver(mk.chain(3, planar=True), mk.Position("Tip", ROW, axes="xy"))


def test_the_query_is_in_the_object_and_not_in_its_dict() -> None:
    solver = arm_solver()
    assert isinstance(solver, _core.QueryHolder)
    assert isinstance(solver._query, _core.Query)
    assert "_query" not in vars(solver)


def test_another_query_answers_from_the_next_call_on() -> None:
    solver, other = arm_solver(), mk.Solver(mk.chain([2.0, 1.0, 1.0], planar=True), mk.Position("Tip", ROW, axes="xy"))
    start = np.array(solver.figure.rest)
    expected = other.solve(start, ROW).pose
    assert (solver.solve(start, ROW).pose != expected).any()
    solver._query = other._query
    np.testing.assert_array_equal(solver.solve(start, ROW).pose, expected)


def test_a_solver_without_a_query_raises() -> None:
    solver = arm_solver()
    del solver._query
    with pytest.raises(AttributeError, match="_query"):
        solver.solve(np.array(solver.figure.rest), ROW)


def test_an_object_that_is_no_holder_needs_the_attribute() -> None:
    solver = arm_solver()
    start = np.array(solver.figure.rest)
    owner = SimpleNamespace(_query=solver._query, _callbacks=(), notes=())
    np.testing.assert_array_equal(_core.solve(owner, start, ROW).pose, solver.solve(start, ROW).pose)
    with pytest.raises(AttributeError, match="_query"):
        _core.solve(SimpleNamespace(), start, ROW)


def test_a_copy_and_a_subclass_give_the_same_bits() -> None:
    class Own(mk.Solver):
        pass

    solver = arm_solver()
    start = np.array(solver.figure.rest)
    expected = solver.solve(start, ROW).pose
    for other in (copy.copy(solver), copy.deepcopy(solver), Own(solver.figure, solver.goals)):
        np.testing.assert_array_equal(other.solve(start, ROW).pose, expected)


def test_a_solver_in_a_cycle_is_freed_with_its_query() -> None:
    solver = arm_solver()
    solver.itself = solver  # type: ignore[attr-defined]
    gone = weakref.ref(solver)
    del solver
    gc.collect()
    assert gone() is None


def test_solvers_keep_no_reference_to_their_class() -> None:
    class Own(mk.Solver):
        pass

    own = Own(mk.chain(3, planar=True), mk.Position("Tip", ROW, axes="xy"))
    own.solve(np.array(own.figure.rest), ROW)
    gone = weakref.ref(Own)
    del own, Own
    gc.collect()
    assert gone() is None
