"""What `solve(restarts=0)` reaches within the speed limits, `track` reaches: jumps of a free root, and light goals."""

from __future__ import annotations

import numpy as np
import pytest
from cases import fixed_rng
from solvers.native.test_plain_track import RATE, haste

import manikin as mk
from manikin import backend
from manikin.figure import samples
from manikin.solvers.native.speeds import number_speeds

pytestmark = pytest.mark.skipif(not backend.native, reason="MANIKIN_BACKEND=reference: there is no native solver")


def lost(solver: mk.Solver, before: np.ndarray, after: np.ndarray) -> bool:
    """Whether a frame is missed although a solve reaches it slowly enough. The targets are those of the two poses."""
    figure, speeds = solver.figure, number_speeds(solver.figure, None)
    places = figure.placements(np.stack([before, after]), [goal.segment for goal in solver.goals])  # type: ignore[attr-defined]
    rows = places[:, :, :3, 3].reshape(2, -1)
    alone = solver.solve(before, rows[1], restarts=0)
    if not alone.reached or haste(figure, before, alone.pose, RATE, speeds) > 1.0:
        return False
    return not solver.track(before, rows[1:], before=rows[0]).reached[0]


@pytest.mark.parametrize("segment", ["S1", "S2", "S3"])
def test_a_root_that_jumps_by_some_sizes_is_followed(segment: str) -> None:
    """The weight of staying near the last pose must not keep the root from its target."""
    rng = fixed_rng(702)
    figure = samples.random_figure(rng, int(rng.integers(3, 12)), ["hinge", "euler", "ball", "free", "slider"])
    solver = mk.Solver(figure, mk.Position(segment, (0, 0, 0)))
    for _ in range(60):
        before = figure.clamp(figure.random(rng))
        after = figure.clamp(figure.integrate(before, rng.uniform(0.03, 0.1) * rng.normal(size=figure.nv)))
        assert not lost(solver, before, after)


def test_a_light_goal_beside_heavy_ones_is_seldom_lost() -> None:
    """A hundredth of the weight of the others. 13 of these 600 frames were lost when all had at most 12 last steps."""
    figure, rng = mk.human(), np.random.default_rng(0)
    parts = [segment.name for segment in figure.segments]
    count = 0
    for _ in range(60):
        chosen = rng.permutation(parts)[:4]
        goals = [mk.Position(str(part), (0, 0, 0), weight=0.01 if k == 0 else 1.0) for k, part in enumerate(chosen)]
        solver = mk.Solver(figure, goals)
        for _ in range(10):
            before = figure.clamp(figure.integrate(figure.rest, 1e-3 * rng.normal(size=figure.nv)))
            after = figure.clamp(
                figure.integrate(figure.rest, 10.0 ** rng.uniform(-2, -0.7) * rng.normal(size=figure.nv))
            )
            count += lost(solver, before, after)
    assert count <= 5
