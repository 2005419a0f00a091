"""The step over the tree equals the dense step with the same Jacobian, damping and bounds."""

from __future__ import annotations

import numpy as np
import pytest
from checks import assert_close, assert_derivative
from strategies import random_direction, random_quaternion

import manikin as mk
from manikin import linalg, rotations
from manikin.reference.recursive import (
    AT_LOWER,
    AT_UPPER,
    FREE,
    Pull,
    Rows,
    Step,
    pull_of_orientation,
    pull_of_point,
    recursive_step,
    second_order,
)


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


class Reaching:
    """A random tree of hinges and sliders with goals on points and orientations, most of them far from met."""

    def __init__(self, rng: np.random.Generator) -> None:
        n = int(rng.integers(2, 12))
        joints = [
            mk.Hinge(axis=random_direction(rng)) if rng.random() < 0.8 else mk.Slider(axis=random_direction(rng))
            for _ in range(n)
        ]
        segments = [mk.Segment("Ground")]
        for i, joint in enumerate(joints):
            above = f"S{int(rng.integers(max(0, i - 3), i))}" if i else "Ground"
            segments.append(mk.Segment(f"S{i}", above, joint, offset=rng.normal(size=3)))
        self.figure = mk.Figure("tree", segments)
        self.names = [s.name for s in self.figure.segments[1:]]
        places = {name: i for i, name in enumerate(self.names)}
        self.parent = np.array([places.get(str(s.parent), -1) for s in self.figure.segments[1:]], dtype=np.int32)
        count = int(rng.integers(1, 5))
        self.goals = [
            (self.names[int(k)], bool(rng.random() < 0.6), 3.0 * rng.normal(size=3), random_quaternion(rng), float(w))
            for k, w in zip(rng.integers(0, n, count), 10 ** rng.uniform(-1, 1, count), strict=True)
        ]

    def errors(self, q: np.ndarray) -> list[tuple[str, bool, np.ndarray, np.ndarray, float]]:
        """For each goal: its segment, whether it is a point, the error, where the segment is, the weight."""
        found = []
        for name, point, target, turn, weight in self.goals:
            A = self.figure.placements(q, [name])[0]
            wrong = A[:3, :3] @ rotations.to_matrix(turn).T
            error = A[:3, 3] - target if point else rotations.to_rotation_vector(rotations.from_matrix(wrong))
            found.append((name, point, error, A[:3, 3], weight))
        return found

    def gradient(self, q: np.ndarray) -> np.ndarray:
        g = np.zeros(self.figure.nv)
        for name, point, error, _, weight in self.errors(q):
            J = self.figure.jacobian(q, name)
            g += weight * (J[:3] if point else J[3:]).T @ error  # an orientation's too: J⁻ᵀe = e
        return g

    def twists(self, q: np.ndarray) -> np.ndarray:
        """(n, 6) angular, and linear at the world's origin."""
        axis = np.zeros((len(self.names), 6))
        for i, name in enumerate(self.names):
            J, p = self.figure.jacobian(q, name)[:, i], self.figure.placements(q, [name])[0, :3, 3]
            axis[i] = [*J[3:], *(J[:3] - np.cross(J[3:], p))]
        return axis

    def second(self, q: np.ndarray) -> np.ndarray:
        """(n, 3) the torques of the second-order term."""
        pulls: dict[int, list[Pull]] = {}
        for name, point, error, place, weight in self.errors(q):
            pull = pull_of_point(place, weight * error) if point else pull_of_orientation(error, weight)
            pulls.setdefault(self.names.index(name), []).append(pull)
        return second_order(self.parent, self.twists(q), pulls)

    def hessian(self, q: np.ndarray) -> np.ndarray:
        """(n, n): Gauss-Newton's part and the torques felt by each coordinate above."""
        H = self.felt(q, self.second(q))
        for name, point, _, _, weight in self.errors(q):
            J = self.figure.jacobian(q, name)[:3] if point else self.figure.jacobian(q, name)[3:]
            H += weight * J.T @ J
        return H

    def felt(self, q: np.ndarray, bend: np.ndarray) -> np.ndarray:
        """(n, n): the torques (n, 3), felt by each coordinate above."""
        n, axis = len(self.names), self.twists(q)
        H = np.zeros((n, n))
        for i in range(n):
            j = i
            while j >= 0:
                H[i, j] += axis[j, :3] @ bend[i]
                H[j, i] = H[i, j]
                j = int(self.parent[j])
        return H


@pytest.mark.parametrize("seed", range(40))
def test_the_second_order_term_is_the_derivative_of_the_gradient(seed: int) -> None:
    rng = np.random.default_rng(9000 + seed)
    tree = Reaching(rng)
    q = tree.figure.rest + rng.normal(size=tree.figure.nq)
    assert_derivative(tree.gradient, tree.hessian, q, scale=float(np.abs(tree.hessian(q)).max() + 1.0))


@pytest.mark.parametrize("seed", range(20))
def test_with_it_the_sweeps_give_newtons_step(seed: int) -> None:
    rng = np.random.default_rng(9500 + seed)
    tree = Reaching(rng)
    q = tree.figure.rest + rng.normal(size=tree.figure.nq)
    n, axis, H, g = tree.figure.nv, tree.twists(q), tree.hessian(q), tree.gradient(q)
    P, p = np.zeros((n, 6, 6)), np.zeros((n, 6))
    for name, point, error, place, weight in tree.errors(q):
        x, y, z = place
        D = np.zeros((3, 6))
        D[:, 3:] = np.eye(3) if point else 0.0
        D[:, :3] = np.array([[0, z, -y], [-z, 0, x], [y, -x, 0]]) if point else np.eye(3)
        P[tree.names.index(name)] += weight * D.T @ D
        p[tree.names.index(name)] += weight * D.T @ error
    damping = np.full(n, 1.0 - 2.0 * min(0.0, float(np.linalg.eigvalsh(H).min())))  # enough to be convex
    free = np.full(n, np.inf)
    found = recursive_step(tree.parent, axis, P, p, damping, np.zeros(n), -free, free, bend=tree.second(q))
    dense = np.linalg.solve(H + np.diag(damping), -g)
    assert_close(found.step, dense, scale=float(np.abs(dense).max() + 1.0), tol=1e-9)


@pytest.mark.parametrize("seed", range(40))
def test_the_second_order_term_of_a_distance_is_that_of_its_two_forces_and_of_its_direction(seed: int) -> None:
    """w (|x − y| − d)²/2: forces f, −f at its ends, and rows across u with the weight w (|x − y| − d)/|x − y|."""
    rng = np.random.default_rng(9900 + seed)
    tree = Reaching(rng)
    one, other = (str(name) for name in rng.choice(tree.names, 2))
    point, weight, d = rng.normal(size=3), 2.0, float(rng.uniform(0.0, 4.0))
    fixed = one == other  # then to a point of the world

    def ends(q: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
        x, y = tree.figure.placements(q, [one, other])[:, :3, 3]
        y = point if fixed else y
        far = float(np.linalg.norm(x - y))
        return x, y, (x - y) / far, far

    def slope(q: np.ndarray) -> np.ndarray:
        J = tree.figure.jacobian(q, one)[:3]
        return np.asarray(J if fixed else J - tree.figure.jacobian(q, other)[:3])

    def gradient(q: np.ndarray) -> np.ndarray:
        _, _, u, far = ends(q)
        return np.asarray(weight * (far - d) * u @ slope(q))

    def hessian(q: np.ndarray) -> np.ndarray:
        x, y, u, far = ends(q)
        J, f = slope(q), weight * (far - d) * u
        across = np.eye(3) - np.outer(u, u)
        H = weight * np.outer(u @ J, u @ J) + weight * (far - d) / far * J.T @ across @ J
        pulls = {tree.names.index(one): [pull_of_point(x, f)]}
        if not fixed:
            pulls[tree.names.index(other)] = [pull_of_point(y, -f)]
        return H + tree.felt(q, second_order(tree.parent, tree.twists(q), pulls))

    q = tree.figure.rest + rng.normal(size=tree.figure.nq)
    if ends(q)[3] > 0.1:
        assert_derivative(gradient, hessian, q, scale=float(np.abs(hessian(q)).max() + 1.0))
