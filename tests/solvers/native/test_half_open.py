"""Limits on one side only: a hinge that ends at one angle and turns without end the other way goes all around."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin import rotations

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
INF = np.inf
ARMS = {
    "one hinge": ([Z], False),
    "two hinges": ([Z, Y], False),
    "three hinges": ([Z, Y, Y], False),
    "six hinges": ([Z, Y, Y, X, Y, X], True),
    "seven hinges": ([Z, Y, X, Y, X, Y, X], True),
    "seven hinges, a point": ([Z, Y, X, Y, X, Y, X], False),
    "two euler joints": (["ZYX", "XYX"], True),
    "hinge, slides, hinge": ([Z, "slide", "slide", Y], False),
}
COUNT = 200


def one_sided(rng, below, at):
    """(−inf, b] or [b, inf)."""
    b = float(rng.uniform(-at, at))
    return (-INF, b) if below else (b, INF)


def arm_of(joints, sides, rng):
    """A chain whose every number has one limit; `sides` says whether it is the upper one: all, none or some."""

    def below():
        return {"upper": True, "lower": False, "either": bool(rng.uniform() < 0.5)}[sides]

    def joint(kind):
        if kind == "slide":
            return mk.Slider(tuple(rng.normal(size=3)), limits=one_sided(rng, below(), 0.3))
        if isinstance(kind, str):
            return mk.Euler(kind, limits=[one_sided(rng, below(), 4.0) for _ in kind])
        return mk.Hinge(kind, limits=one_sided(rng, below(), 4.0))

    segments = [
        mk.Segment(f"S{k}", f"S{k - 1}" if k else None, offset=(0.3, 0.05 * k, 0.1) if k else (0, 0, 0), joint=joint(j))
        for k, j in enumerate(joints)
    ]
    return mk.Figure("arm", [*segments, mk.Segment("Tip", segments[-1].name, offset=(0.4, 0.1, 0.0))])


def targets_of(figure, rng, placement, count):
    """Rows of targets that some pose within limits reaches."""
    at = figure.placements(figure.random(rng, count), ["Tip"])[:, 0]
    return np.hstack([at[:, :3, 3], rotations.from_matrix(at[:, :3, :3])]) if placement else at[:, :3, 3]


@pytest.mark.parametrize("sides", ["upper", "lower", "either"])
@pytest.mark.parametrize("name", ARMS)
def test_every_target_is_reached(name, sides):
    joints, placement = ARMS[name]
    rng = np.random.default_rng(len(name) + len(sides))
    figure = arm_of(joints, sides, rng)
    rows = targets_of(figure, rng, placement, COUNT)
    starts = figure.random(rng, COUNT)
    goal = mk.Placement("Tip", np.eye(4)) if placement else mk.Position("Tip", (0, 0, 0))
    solver = mk.Solver(figure, goal)
    at_rest, many = solver.solve_many(None, rows), solver.solve_many(starts, rows)
    assert at_rest.reached.all()
    assert many.reached.all()
    assert not np.any(figure.violation(np.concatenate([at_rest.poses, many.poses])))
    assert all(solver.solve(start, row).reached for start, row in zip(starts, rows, strict=True))
    assert all(mk.solve(figure, solver.goals[0].with_target(row)).reached for row in rows)


@pytest.mark.parametrize("b", [-20.0, -3.0, 0.0, 0.7, 40.0])
@pytest.mark.parametrize("below", [True, False])
def test_one_hinge_goes_all_around_from_anywhere(below, b):
    figure = mk.chain(1, mk.Hinge(Z, limits=(-INF, b) if below else (b, INF)))
    solver = mk.Solver(figure, mk.Position("Tip", (1, 0, 0)))
    sign = -1.0 if below else 1.0
    for start in b + sign * np.array([0.0, 0.01, 3.0, 30.0]):
        angles = b + sign * np.linspace(0.0, 2 * np.pi, 73)
        rows = np.stack([np.cos(angles), np.sin(angles), np.zeros_like(angles)], axis=1)
        assert solver.solve_many([start], rows).reached.all()
