"""Problems with a preferred pose: the native solver beside its problem, and random goals that a pose meets."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
from strategies import random_figure, random_pose

import manikin as mk
from manikin import rotations
from manikin.problem import Problem
from manikin.reference import preference
from manikin.reference.tree import SLIDE

WIDEST = 2.9
"""Cones that swing further come near half a turn, where swing and twist are not unique."""
SLIDE_LENGTH = 0.2
"""Sizes of a slide that count as one radian."""


def compiled(figure, goals):
    """The problem, its native twin, a row of targets and weights."""
    problem = Problem(figure, goals)
    native = Native(mk.Solver(figure, problem.goals, loops=False))
    return problem, native, native.solver.targets[None], np.array([g.weight for g in problem.goals])


class Native:
    """A solver, called with weights and without its own start rules."""

    def __init__(self, solver):
        self.solver = solver
        self.tolerances = np.array([goal.allowed for goal in solver.goals])

    def solve(self, starts, rows, weights, near=True, **options):  # noqa: ARG002
        found = self.solver.solve_many(np.array(starts), np.array(rows), weights=weights, **options)
        return SimpleNamespace(pose=found.poses, errors=found.errors, status=found.codes, iterations=found.iterations)


def metric(problem, stiffness):
    """(nv,) what the square of each step's difference counts."""
    figure, tree = problem.figure, problem.figure.layout.tree
    unit = np.ones(figure.nv)
    unit[tree.step[(tree.kind == SLIDE) & (tree.source < 0)]] = 1.0 / (SLIDE_LENGTH * figure.size)
    return np.where(problem.movable, stiffness * unit**2, 0.0)


def distance(problem, preferred, pose, stiffness):
    return preference.distance(problem.figure.difference(preferred, pose), metric(problem, stiffness))


def random_goals(figure, rng, pose):
    """One or two goals that a pose meets."""
    out = []
    for _ in range(rng.integers(1, 3)):
        name = figure.segment_names[rng.integers(len(figure.segments))]
        P = figure.placements(pose, [name])[0]
        offset = 0.1 * figure.size * rng.normal(size=3)
        axis = rng.normal(size=3)
        axis /= np.linalg.norm(axis)
        out.append(
            [
                mk.Position(name, P[:3, 3] + P[:3, :3] @ offset, offset=offset),
                mk.Orientation(name, rotations.from_matrix(P[:3, :3])),
                mk.Placement(name, P),
                mk.Aim(name, P[:3, 3] + P[:3, :3] @ axis * figure.size * rng.uniform(0.5, 2.0), axis=axis),
            ][rng.integers(4)]
        )
    return out


def random_case(rng):
    """A problem on a random figure (hinges, Euler joints, cones, balls, sliders, couplings), or None."""
    figure = random_figure(rng, segments=int(rng.integers(2, 10)))
    if figure.nv == 0 or (figure.layout.cones.swing > WIDEST).any():
        return None
    pose, preferred = (random_pose(figure, rng, inside=True) for _ in range(2))
    stiffness = np.ones(figure.nv) if rng.uniform() < 0.5 else rng.choice([0.3, 1.0, 4.0], size=figure.nv)
    return compiled(figure, random_goals(figure, rng, pose)), pose, preferred, stiffness


def but_root(figure):
    """(nv,) the stiffness that stands where none is given: 1, and 0 for the free root."""
    stiffness = np.ones(figure.nv)
    stiffness[:6] = 0.0
    return stiffness
