"""`method="ccd"`: cyclic coordinate descent (Wang and Chen 1991), for comparison.

Joint after joint, from the tips to the root, each number is set to the value with the lowest cost while all others are
fixed. For a turn by θ about an axis a, with v = a × (x − c) the velocity of an effector (a column of its Jacobian),

    x(θ) = x + sin θ v + (1 − cos θ) a × v,

so the cost over all goals is  β sin θ + γ cos θ + δ sin 2θ + ε cos 2θ + const,  and its minimum has a closed form. An
orientation counts by 3 − trace(R R*ᵀ) = 2 (1 − cos φ), which is φ² near the target. A ball is turned about its three
axes one after the other. Limits are kept. If the minimum is outside the range of a number, the number is set to the
better end of its range. A ball is moved back into its cone; if that raises the cost, it keeps its old rotation.

The method supports `Position`, `Orientation` and `Placement` goals on figures without coupled joints.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manikin import rotations
from manikin.arrays import Matrix, Points, Vector
from manikin.errors import Unsupported
from manikin.goals import Goal
from manikin.problem import Evaluation, Problem
from manikin.reference.tree import BALL, FIXED, SLIDE
from manikin.solvers.methods.rounds import repeat
from manikin.solvers.methods.run import Outcome, Run

ITERATIONS = 500
"""Default limit of the number of sweeps over all joints."""


def solve(problem: Problem, run: Run) -> Outcome:
    """
    Args:
        problem: the problem to solve.
        run: iterations (sweeps over all joints), time, history.
    """
    joints = _joints(problem)
    return repeat(problem, run, lambda at: _Sweep(problem, at).swept(joints))


@dataclass(frozen=True)
class _Node:
    """One elementary motion of a joint."""

    kind: int
    number: int
    step: int


def _joints(problem: Problem) -> list[_Node]:
    """The joints that may move and that move a goal, tips first."""
    for goal in problem.goals:
        if goal.wanted_point is None and goal.wanted_rotation is None:
            raise Unsupported(
                f"method 'ccd' does not support {goal.label}: it supports only Position, Orientation and "
                "Placement goals"
            )
    figure, tree = problem.figure, problem.figure.layout.tree
    if np.any(tree.source >= 0):
        name = figure.number_names[tree.number[np.flatnonzero(tree.source >= 0)[0]]]
        raise Unsupported(
            f"method 'ccd' does not support figure {figure.name!r}: its joint {name!r} is coupled to another"
        )
    return [
        _Node(int(tree.kind[i]), int(tree.number[i]), int(tree.step[i]))
        for i in reversed(range(len(tree.parent)))
        if tree.kind[i] != FIXED and problem.movable[tree.step[i]]
    ]


class _Sweep:
    """The effectors during a sweep, in which the joints are set one after the other, tips first."""

    def __init__(self, problem: Problem, at: Evaluation) -> None:
        self.problem = problem
        self.pose: Vector = at.pose.copy()
        self.terms = [_Term(problem, goal, at.pose) for goal in problem.goals]

    def swept(self, joints: list[_Node]) -> Vector:
        """The pose (nq,) after one sweep."""
        for node in joints:
            if node.kind == SLIDE:
                self._slide(node)
            elif node.kind == BALL:
                self._ball(node)
            else:
                self._turn(node)
        return self.pose

    def _slide(self, node: _Node) -> None:
        below = [t for t in self.terms if t.moves(node.step)]
        slope = sum(float(t.gap @ t.kept(t.linear[:, node.step])) for t in below)
        curvature = sum(float(np.square(t.kept(t.linear[:, node.step])).sum()) for t in below)
        if curvature > 0.0:
            moved = self._set(node, self.pose[node.number] - slope / curvature)
            for t in self.terms:
                t.shift(moved * t.linear[:, node.step])

    def _turn(self, node: _Node) -> None:
        below = [t for t in self.terms if t.moves(node.step)]
        if not below:
            return
        axis = below[0].angular[:, node.step]
        lower, upper = self.problem.figure.lower[node.number], self.problem.figure.upper[node.number]
        here = self.pose[node.number]
        angle = self._best_angle(below, axis, [t.linear[:, node.step] for t in below], lower - here, upper - here)
        moved = self._set(node, here + angle)
        for t in below:
            t.turn(axis, moved, t.linear[:, node.step])

    def _ball(self, node: _Node) -> None:
        below = [t for t in self.terms if t.moves(node.step)]
        if not below:
            return
        chart, at = self.problem.chart, slice(node.number, node.number + 4)
        axes = below[0].angular[:, node.step : node.step + 3].copy()  # the moved segment's axes, in columns
        before, cost = self.pose[at].copy(), sum(t.cost() for t in below)
        kept = [t.state() for t in below]
        world = np.eye(3)  # the turn so far
        for k in range(3):
            axis = world @ axes[:, k]
            velocities = [t.velocity_about(node.step, axes, axis) for t in below]
            angle = self._best_angle(below, axis, velocities, -np.inf, np.inf)
            for t, v in zip(below, velocities, strict=True):
                t.turn(axis, angle, v)
            world = rotations.to_matrix(rotations.from_axis_angle(axis, angle)) @ world
        local = axes.T @ world @ axes  # the same turn in the axes of the moved segment
        self.pose[at] = rotations.normalized(rotations.multiply(before, rotations.from_matrix(local)))
        if node.number in set(chart.cones.number.tolist()):
            self.pose = self.problem.figure.clamp(self.pose)
        turn = axes @ rotations.to_matrix(rotations.multiply(rotations.inverse(before), self.pose[at])) @ axes.T
        for t, state in zip(below, kept, strict=True):
            t.restore(state)
            t.turn_by(turn, node.step, axes)
        if sum(t.cost() for t in below) > cost:
            self.pose[at] = before
            for t, state in zip(below, kept, strict=True):
                t.restore(state)

    def _set(self, node: _Node, value: float) -> float:
        """Sets a number within its limits. Returns its change."""
        figure, before = self.problem.figure, self.pose[node.number]
        self.pose[node.number] = min(max(value, figure.lower[node.number]), figure.upper[node.number])
        return float(self.pose[node.number] - before)

    @staticmethod
    def _best_angle(terms: list[_Term], axis: Vector, velocities: list[Vector], lower: float, upper: float) -> float:
        """The angle within bounds at which the cost of the terms is lowest."""
        sums = sum((t.harmonics(axis, v) for t, v in zip(terms, velocities, strict=True)), np.zeros(4))
        beta, gamma, delta, epsilon = sums
        if max(abs(delta), abs(epsilon)) <= 1e-12 * max(abs(beta), abs(gamma), 1e-300):
            candidates = np.array([np.arctan2(-beta, -gamma)])
        else:
            # the derivative β cos θ − γ sin θ + 2δ cos 2θ − 2ε sin 2θ as a polynomial in z = exp(iθ)
            first, second = beta + 1j * gamma, 2 * delta + 2j * epsilon
            roots = np.roots([second, first, 0.0, np.conj(first), np.conj(second)])
            candidates = np.append(np.angle(roots), 0.0)
        turns = 2 * np.pi * np.arange(-1, 2)
        candidates = (candidates[:, None] + turns).ravel()
        inside = candidates[(candidates >= lower) & (candidates <= upper)]
        ends = [x for x in (lower, upper) if np.isfinite(x)]
        tried = np.concatenate([[0.0], inside, ends])
        s, c = np.sin(tried), np.cos(tried)
        costs = beta * s + gamma * c + delta * 2 * s * c + epsilon * (c * c - s * s)
        best = np.flatnonzero(costs <= costs.min() + 1e-14 * np.abs(sums).sum())
        return float(tried[best[np.argmin(np.abs(tried[best]))]])  # of equal minima, the nearest


class _Term:
    """The effector of one goal during a sweep."""

    def __init__(self, problem: Problem, goal: Goal, q: Vector) -> None:
        effector = goal.effectors[0]
        J = problem.figure.jacobian(q, effector.segment, effector.offset)
        J[:, ~problem.movable] = 0.0
        self.linear, self.angular = J[:3].copy(), J[3:]  # (3, nv) each
        placement = problem.figure.placements(q, [effector.segment])[0]
        self.R: Matrix = placement[:3, :3].copy()
        self.x: Vector = placement[:3, 3] + self.R @ np.array(effector.offset)
        self.weight = goal.weight
        self.mask = np.ones(3)
        self.point: Vector | None = None
        self.target: Matrix | None = None
        if goal.wanted_point is not None:
            self.point, counts = goal.wanted_point
            self.mask = counts.astype(np.float64)
        if goal.wanted_rotation is not None:
            self.target = rotations.to_matrix(goal.wanted_rotation)
        self.turning = goal.weight * problem.angle_length**2

    def moves(self, step: int) -> bool:
        """Whether a step moves the effector."""
        return bool(np.any(self.angular[:, step] != 0.0) or np.any(self.linear[:, step] != 0.0))

    def kept(self, v: Vector) -> Vector:
        """The weighted part of a displacement that counts for the goal."""
        counted: Vector = np.sqrt(self.weight) * self.mask * v * (self.point is not None)
        return counted

    @property
    def gap(self) -> Vector:
        return self.kept(self.x - self.point) if self.point is not None else np.zeros(3)

    def cost(self) -> float:
        """The cost of the goal, in lengths²."""
        gap = self.gap
        turned = 0.0 if self.target is None else 3.0 - float(np.sum(self.R * self.target))
        return float(gap @ gap) + self.turning * turned

    def harmonics(self, axis: Vector, v: Vector) -> Vector:
        """(β, γ, δ, ε) of the cost if the effector turns about an axis with velocity v."""
        out = np.zeros(4)
        if self.point is not None:
            w = np.cross(axis, v)
            p, u, w = self.kept(self.x + w - self.point), self.kept(v), self.kept(-w)
            # |p + u sin θ + w cos θ|², with sin² and cos² as (1 ∓ cos 2θ)/2 and sin cos as sin 2θ / 2
            out += [2 * p @ u, 2 * p @ w, u @ w, 0.5 * (w @ w - u @ u)]
        if self.target is not None:
            # −trace(exp(θ[a]) R R*ᵀ) up to a constant
            M = self.R @ self.target.T
            skew = np.array([M[1, 2] - M[2, 1], M[2, 0] - M[0, 2], M[0, 1] - M[1, 0]])
            along = float(axis @ M @ axis)
            out[:2] += self.turning * np.array([-(axis @ skew), along - np.trace(M)])
        return out

    def shift(self, by: Vector) -> None:
        """Slides the effector. This changes its velocity under turns of joints nearer to the root."""
        self.x = self.x + by
        self.linear = self.linear + np.cross(self.angular.T, by).T

    def turn(self, axis: Vector, angle: float, v: Vector) -> None:
        """Turns the effector about an axis with velocity v."""
        by = np.sin(angle) * v + (1.0 - np.cos(angle)) * np.cross(axis, v)
        self.R = rotations.to_matrix(rotations.from_axis_angle(axis, angle)) @ self.R
        self.shift(by)

    def velocity_about(self, step: int, axes: Matrix, axis: Vector) -> Vector:
        """The velocity of the effector if it turns about an axis through the centre of a ball."""
        # the columns are aᵢ × (x − c); any other axis is a linear combination of the three
        velocity: Vector = self.linear[:, step : step + 3] @ (axes.T @ axis)
        return velocity

    def turn_by(self, turn: Matrix, step: int, axes: Matrix) -> None:
        """Turns the effector by a matrix about the centre of a ball."""
        w = rotations.to_rotation_vector(rotations.from_matrix(turn))
        angle = float(np.linalg.norm(w))
        if angle > 0.0:
            axis = w / angle
            self.turn(axis, angle, self.velocity_about(step, axes, axis))

    def state(self) -> tuple[Vector, Matrix, Points]:
        return self.x, self.R, self.linear

    def restore(self, state: tuple[Vector, Matrix, Points]) -> None:
        self.x, self.R, self.linear = state
