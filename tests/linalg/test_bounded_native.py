"""The native bounded step equals its NumPy twin, in every set of kernels that this machine runs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from strategies_linalg import boxed_problems

from manikin import _core
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
    with pytest.raises(ValueError, match="fit"):
        _core.bounded_step(np.ones((2, 3)), np.ones(3), 0.1, -np.ones(3), np.ones(3))
