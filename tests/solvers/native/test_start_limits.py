"""The limits in the core are the twins of `figure.violation` and `figure.clamp`."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin import backend

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
