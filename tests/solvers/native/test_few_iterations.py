"""Tracks whose frames may take only a few iterations."""

from __future__ import annotations

import numpy as np

import manikin as mk

ENDS = ("LeftHand", "RightHand", "Hips")


def out_of_reach() -> tuple[mk.Solver, np.ndarray, np.ndarray, np.ndarray]:
    """A person whose hands are pulled apart and never reach: solver, first pose, targets and times."""
    person = mk.human()
    left, right, hips = (person.placements(person.rest, [name])[0, :3, 3] for name in ENDS)
    solver = mk.Solver(person, [mk.Position(name, at) for name, at in zip(ENDS, (left, right, hips), strict=True)])
    times = np.arange(60) / 120
    aside = np.array([1.0, 0.0, 0.0])
    away = np.concatenate([left + aside, right - aside, hips])
    rows = away + 0.02 * np.sin(3.0 * times)[:, None]
    return solver, solver.solve(person.rest, rows[0]).pose, rows, times


def test_a_missed_frame_ends_where_its_own_steps_end() -> None:
    """The few iterations that are left do not find a better pose, so they are not used up."""
    solver, start, rows, times = out_of_reach()
    few = solver.track(start, rows, times=times, iterations=8)
    assert not few.reached.any()
    assert few.iterations[1:].mean() < 6.0


def test_a_few_iterations_are_enough_near_the_last_pose() -> None:
    solver, start, rows, times = out_of_reach()
    few, many = (solver.track(start, rows, times=times, iterations=count).errors[1:] for count in (8, 1_000_000))
    assert ((few**2).sum(axis=1) <= 1.001 * (many**2).sum(axis=1)).all()
