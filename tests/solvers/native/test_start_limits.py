"""The limits in the core are the twins of `figure.violation` and `figure.clamp`."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin import backend
from manikin.problem import Problem

pytestmark = pytest.mark.skipif(not backend.native, reason="MANIKIN_BACKEND=reference: there is no native solver")

FIGURES = ["all_kinds", "coupled_pair", "slider_then_ball", "on_the_rim", "cone_apex"]


def anywhere(figure: mk.Figure, rng: np.random.Generator) -> np.ndarray:
    """A pose that is often outside its limits."""
    inside = figure.random(rng)
    return np.array(figure.integrate(inside, rng.normal(scale=2.0, size=figure.nv)))


@pytest.mark.parametrize("name", [*FIGURES, "human"])
def test_a_start_is_brought_in_as_the_figure_does_it(name: str) -> None:
    figure = mk.human() if name == "human" else getattr(mk.samples, name)()
    tip, rng, outside = figure.segment_names[-1], np.random.default_rng(7), 0
    solver = mk.Solver(figure, mk.Position(tip, figure.placements(figure.rest, [tip])[0, :3, 3]))
    starts = np.stack([anywhere(figure, rng) for _ in range(50)])
    many = solver.solve_many(starts, iterations=0)
    for k, start in enumerate(starts):
        one = solver.solve(start, iterations=0)
        violation = figure.violation(start)
        outside += violation > 0.0
        assert one.start_violation == pytest.approx(violation, rel=1e-12, abs=1e-12)
        assert many.start_violation[k] == one.start_violation
        assert np.abs(one.start - (figure.clamp(start) if violation > 0.0 else start)).max() <= 1e-12
        assert figure.violation(one.start) <= 1e-12
        assert bool(one.notes) == (one.start_violation > 0.0)
    assert outside > 0


@pytest.mark.parametrize("far", [0.01, 1.0, 30.0])
@pytest.mark.parametrize("name", [*FIGURES, "human", "quadruped"])
def test_without_iterations_the_answer_is_the_start(name: str, far: float) -> None:
    """Also where targets are so far away that a search would begin between the start and the middle of the range."""
    make = getattr(mk, name, None) or getattr(mk.samples, name)
    figure, rng = make(), np.random.default_rng(8)
    parts = [figure.segment_names[-1], figure.segment_names[len(figure.segments) // 2]]
    for start in figure.random(rng, 10):
        at = figure.placements(start, parts)[:, :3, 3] + far * figure.size * rng.normal(size=(2, 3))
        first, second = (mk.Position(part, p) for part, p in zip(parts, at, strict=True))
        liked = mk.Posture(figure.rest, weight=0.1)
        for goals in (
            [first],
            [first, second, liked],
            [first, mk.Position(parts[1], at[1], priority=1)],
            [mk.AnyOf(first, second)],
        ):
            solver = mk.Solver(figure, goals)
            one = solver.solve(start, iterations=0)
            many = solver.solve_many(start, solver.targets[None], iterations=0)
            for pose, errors in ((one.pose, one.errors), (many.poses[0], many.errors[0])):
                assert np.abs(figure.difference(start, pose)).max() <= 1e-9
                assert errors == pytest.approx(Problem(figure, list(one.goals)).at(start).errors, rel=1e-9, abs=1e-12)
