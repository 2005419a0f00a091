"""The step over the tree equals the dense step with the same Jacobian, damping and bounds."""

from __future__ import annotations

import numpy as np
import pytest
from checks import assert_close

from manikin import linalg
from manikin.reference.recursive import AT_LOWER, AT_UPPER, FREE, Rows, Step, recursive_step


class Case:
    """A random tree of coordinates with goals on some, rows over several, and the dense problem that it stands for."""

    def __init__(self, rng: np.random.Generator, most: int = 25, rows: int = 4) -> None:
        self.n = n = int(rng.integers(1, most))
        self.parent = np.array([-1, *(rng.integers(-1, i) for i in range(1, n))], dtype=np.int32)
        self.axis = rng.normal(size=(n, 6))
        self.P, self.p = np.zeros((n, 6, 6)), np.zeros((n, 6))
        twists = np.zeros((n, 6, n))
        for i in range(n):
            if self.parent[i] >= 0:
                twists[i] = twists[self.parent[i]]
            twists[i, :, i] += self.axis[i]
        J, e = [np.zeros((0, n))], [np.zeros(0)]
        for i in range(n):
            if rng.random() < 0.4:
                D, error = rng.normal(size=(int(rng.integers(1, 7)), 6)), rng.normal(size=6)
                error = error[: len(D)]
                self.P[i] += D.T @ D
                self.p[i] += D.T @ error
                J.append(D @ twists[i])
                e.append(error)
        k = int(rng.integers(0, rows + 1))
        wrench = rng.normal(size=(n, 6, k)) * (rng.random((n, 1, k)) < 0.4)
        direct = rng.normal(size=(n, k)) * (rng.random((n, k)) < 0.2)
        self.rows = Rows(rng.normal(size=k), 10 ** rng.uniform(-1, 3, k), wrench, direct)
        for r in range(k):
            root = np.sqrt(self.rows.weight[r])
            J.append(root * (np.einsum("ia,iaj->j", wrench[:, :, r], twists) + direct[:, r])[None])
            e.append(root * self.rows.value[r : r + 1])
        self.damping, self.pull = 10 ** rng.uniform(-3, 0, n), 0.1 * rng.normal(size=n)
        self.J, self.e = np.concatenate(J), np.concatenate(e)

    def step(self, lower: np.ndarray, upper: np.ndarray, most_sweeps: int = 50) -> Step:
        return recursive_step(
            self.parent,
            self.axis,
            self.P,
            self.p,
            self.damping,
            self.pull,
            lower,
            upper,
            self.rows,
            most_sweeps=most_sweeps,
        )

    def gradient(self, step: np.ndarray) -> np.ndarray:
        """Of the cost at a step."""
        return self.J.T @ (self.J @ step + self.e) + self.damping * step + self.pull


@pytest.mark.parametrize("seed", range(60))
def test_it_equals_the_dense_step_where_no_bound_is_reached(seed: int) -> None:
    case = Case(np.random.default_rng(seed))
    free = np.full(case.n, np.inf)
    H = case.J.T @ case.J + np.diag(case.damping)
    dense = np.linalg.solve(H, -(case.J.T @ case.e + case.pull))
    assert_close(case.step(-free, free).step, dense, scale=float(np.abs(dense).max() + 1.0), tol=1e-8)


@pytest.mark.parametrize("seed", range(60))
def test_within_bounds_it_meets_the_conditions_of_a_minimum_when_the_set_settles(seed: int) -> None:
    rng = np.random.default_rng(1000 + seed)
    case = Case(rng)
    lower, upper = -rng.uniform(0, 0.5, case.n), rng.uniform(0, 0.5, case.n)
    found = case.step(lower, upper)
    assert np.all(found.step >= lower)
    assert np.all(found.step <= upper)
    if found.sweeps == 50:  # it went in circles: cut off at the bounds, which the solver's gain test then judges
        return
    g = case.gradient(found.step)
    scale = float(np.abs(case.J).max(initial=1.0) ** 2 + np.abs(case.e).max(initial=1.0) ** 2) * 100
    assert_close(g[found.held == FREE], 0.0, scale=scale, tol=1e-8)
    assert np.all(g[found.held == AT_LOWER] >= -1e-8 * scale)
    assert np.all(g[found.held == AT_UPPER] <= 1e-8 * scale)
    assert_close(found.multiplier[found.held != FREE], g[found.held != FREE], scale=scale, tol=1e-8)


def test_on_random_matrices_the_set_settles_in_four_of_five_cases() -> None:
    settled = 0
    for seed in range(200):
        rng = np.random.default_rng(5000 + seed)
        case = Case(rng)
        settled += case.step(-rng.uniform(0, 0.5, case.n), rng.uniform(0, 0.5, case.n)).sweeps < 50
    assert settled >= 160


def test_it_equals_the_bounded_step_of_the_chapter() -> None:
    rng = np.random.default_rng(7)
    case = Case(rng, rows=0)
    case.damping[:], case.pull[:] = 0.3**2, 0.0
    lower, upper = np.full(case.n, -0.1), np.full(case.n, 0.2)
    assert_close(
        case.step(lower, upper).step, linalg.bounded_step(case.J, -case.e, 0.3, lower, upper), scale=1.0, tol=1e-9
    )
