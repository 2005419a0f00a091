"""A report is an answer too: never an exception, never a NaN, whatever the figure and the goals."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import manikin as mk


def some_goal(figure: mk.Figure, rng: np.random.Generator) -> Any:
    """A goal of any kind, on any segments, as likely out of reach as not."""
    names = figure.segment_names
    one, two = (names[k] for k in rng.integers(len(names), size=2))
    point = rng.normal(0.0, 0.6 * figure.size, 3)
    turn = rng.normal(size=4)
    turn /= np.linalg.norm(turn)
    sides = (None, "above", "below")
    options: dict[str, Any] = {"weight": float(rng.choice([0.0, 0.1, 1.0, 10.0])), "priority": int(rng.integers(2))}
    kinds = [
        lambda: mk.Position(one, point, **options),
        lambda: mk.Orientation(one, turn, **options),
        lambda: mk.Placement(one, [*point, *turn], **options),
        lambda: mk.Aim(one, point, **options),
        lambda: mk.Plane(one, point, rng.normal(size=3), side=sides[rng.integers(3)], **options),
        lambda: mk.Line(one, point, rng.normal(size=3), **options),
        lambda: mk.Distance(one, point, figure.size, kind=str(rng.choice(["equal", "at_least", "at_most"])), **options),
        lambda: mk.AnyOf(mk.Position(one, point), mk.Position(two, -point), **options),
        lambda: mk.Posture(figure.random(rng), **options),
    ]
    if one != two:
        kinds.append(lambda: mk.Relative(one, two, point, orientation=False, **options))
        kinds.append(lambda: mk.Distance(one, two, figure.size, **options))
    return kinds[rng.integers(len(kinds))]()


@settings(max_examples=100)
@given(st.integers(0, 100_000))
def test_every_solution_has_a_report(seed: int) -> None:
    rng = np.random.default_rng(seed)
    figure = mk.samples.random_figure(rng, int(rng.integers(2, 7)))
    goals = [some_goal(figure, rng) for _ in range(rng.integers(1, 4))]
    stop = int(rng.choice([0, 3, 60]))
    joints = [s.joint.name for s in figure.segments if s.joint.nq and s.joint.coupling is None]
    freeze = [name for name in joints if rng.random() < 0.5] if rng.random() < 0.5 else []
    solution = mk.solve(figure, goals, iterations=stop, restarts=1, freeze=freeze)
    assert str(solution)
    for report, goal in zip(solution.report, solution.goals, strict=True):
        missed = not report.reached and goal.weight > 0.0
        assert bool(report.reasons) == missed
        assert report.text
        assert "nan" not in report.text.split()
        for change in report.changes:
            assert np.isfinite(change.amount)
            assert change.amount >= 0.0
            figure_then, goals_then = change.applied(solution.figure, solution.goals)
            assert figure_then.nq == figure.nq
            assert len(goals_then) >= len(goals) - len(change.parts)
            assert set(change.freeze) <= set(freeze)
        if report.pose is not None:
            assert figure.violation(report.pose) <= 1e-9
    assert all(report.text in str(solution) for report in solution.report if report.reasons)
