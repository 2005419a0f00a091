"""Coupled joints are within their limits exactly, not up to rounding."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk

RATIOS = (0.1, 1 / 3, -0.7, 3.3, -1.0, 1e-3, 123.456)
METHODS = ("auto", "lbfgsb", "bounded-dls")


def drawn(rng: np.random.Generator) -> mk.Figure:
    """A chain in which joints follow the first one, with awkward ratios, offsets and limits."""
    segments = [mk.Segment("Base"), mk.Segment("s0", "Base", mk.Joint("j0", (mk.Hinge((0, 0, 1), (-2.9, 2.7)),)))]
    for k in range(1, int(rng.integers(3, 6))):
        ratio, offset = float(rng.choice(RATIOS)), float(rng.normal(scale=10.0 ** rng.uniform(-3, 2)))
        middle, wide = offset + ratio * rng.uniform(-0.3, 0.3), abs(ratio) * rng.choice([0.0, 0.1, 1.0, 5.0])
        limits = (float(middle - wide), float(middle + wide))
        motion = mk.Slider((1, 0, 0), limits) if rng.uniform() < 0.3 else mk.Hinge((0, 0, 1), limits)
        coupling = mk.Coupling("j0", ratio, offset) if rng.uniform() < 0.8 else None
        segments.append(mk.Segment(f"s{k}", f"s{k - 1}", mk.Joint(f"j{k}", (motion,), (1, 0, 0), coupling=coupling)))
    return mk.Figure("coupled", segments)


def figures(count: int, seed: int) -> list[mk.Figure]:
    """Drawn figures; those whose couplings contradict each other are left out."""
    rng = np.random.default_rng(seed)
    out: list[mk.Figure] = []
    while len(out) < count:
        try:
            out.append(drawn(rng))
        except mk.errors.BadValue:
            continue
    return out


def inside(figure: mk.Figure, poses: np.ndarray) -> bool:
    return bool(((figure.lower <= poses) & (poses <= figure.upper)).all() and not np.any(figure.violation(poses)))


@pytest.mark.parametrize("seed", range(10))
def test_every_pose_is_within_its_limits(seed: int) -> None:
    rng = np.random.default_rng(100 + seed)
    for figure in figures(10, seed):
        tip = figure.segment_names[-1]
        far = np.append(rng.normal(size=2) * 100.0, 0.0)
        goal = mk.Position(tip, far)
        wild = np.repeat(rng.normal(scale=10.0, size=(20, 1)), figure.nq, axis=1)
        assert inside(figure, figure.rest)
        assert inside(figure, figure.random(rng, 50))
        assert inside(figure, figure.clamp(wild))
        solver = mk.Solver(figure, goal)
        targets = rng.normal(size=(20, 3)) * 50.0
        assert inside(figure, solver.solve_many(wild, targets).poses)
        assert inside(figure, solver.track(figure.rest, targets).poses)
        for method in METHODS:
            assert inside(figure, mk.solve(figure, goal, method=method, iterations=20).pose), method
