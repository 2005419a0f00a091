"""The native bounded step equals its NumPy twin, in every set of kernels that this machine runs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from strategies_linalg import boxed_problems

from manikin import _core, backend
from manikin.reference.bounded import bounded_step as twin


@given(boxed_problems())
def test_native_and_twin_agree(problem) -> None:
    J, dX, damping, lower, upper = (problem.J, problem.dX, problem.damping, problem.lower, problem.upper)
    expected, _ = twin(J, dX, damping, lower, upper)
    before = _core.in_use()
    try:
        for kernels in _core.available():
            _core.use(kernels)
            found = _core.bounded_step(np.ascontiguousarray(J), dX, damping, lower, upper)
            assert np.all(found >= lower)
            assert np.all(found <= upper)
            cost = [np.sum((J @ d - dX) ** 2) + damping**2 * (d @ d) for d in (found, expected)]
            assert cost[0] == pytest.approx(cost[1], rel=1e-10, abs=1e-300)
            scale = float(np.abs(expected).max(initial=0.0)) or 1.0
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-7 * scale)
    finally:
        _core.use(before)


def test_arrays_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="do not match"):
        _core.bounded_step(np.ones((2, 3)), np.ones(3), 0.1, -np.ones(3), np.ones(3))


def test_the_quick_way_is_taken_only_where_all_is_in_order() -> None:
    J, dX, lower, upper = np.eye(2, 3), np.ones(2), -np.ones(3), np.ones(3)
    quick = backend.checked_step(J, dX, 0.5, lower, upper, 1e-7)
    assert quick is not None
    np.testing.assert_array_equal(quick, backend.bounded_step(J, dX, 0.5, lower, upper))
    wrong = [
        (J.T, dX, 0.5, lower, upper),  # not contiguous, and of another shape
        (J.tolist(), dX, 0.5, lower, upper),
        (np.full((2, 3), np.nan), dX, 0.5, lower, upper),
        (J, np.array([1.0, np.inf]), 0.5, lower, upper),
        (J, dX, np.nan, lower, upper),
        (J, dX, -0.5, lower, upper),
        (J, dX, 1e-9, lower, upper),  # damping near zero has a way of its own
        (J, dX, 0.5, upper, lower),
        (J, dX, 0.5, np.full(3, np.inf), np.full(3, np.inf)),
        (J, dX, 0.5, np.array([0.0, np.nan, 0.0]), upper),
        (J, dX, 0.5, lower, np.ones(2)),
    ]
    for arguments in wrong:
        assert backend.checked_step(*arguments, 1e-7) is None
