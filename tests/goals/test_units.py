"""The unit of length does not matter: a figure of 1e-12 has the errors and derivatives of one of size 1."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin.problem import Problem

SCALE = 2.0**-40
"""A power of two, so that scaling rounds nothing."""
LENGTHS = [0.3, 0.25, 0.2]


def goals(scale: float) -> dict[str, mk.Goal]:
    """Goals whose lengths are in units of `scale`."""
    point, other = scale * np.array([0.2, 0.3, 0.1]), scale * np.array([0.4, -0.1, 0.2])
    return {
        "position": mk.Position("Tip", point),
        "aim": mk.Aim("Tip", point, axis=(0.6, 0.0, 0.8)),
        "aim at the origin": mk.Aim("Tip", (0.0, 0.0, 0.0), axis=(0.6, 0.0, 0.8)),
        "distance": mk.Distance("Tip", point, 0.1 * scale),
        "distance from the origin": mk.Distance("Tip", (0.0, 0.0, 0.0), 0.1 * scale),
        "distance of segments": mk.Distance("Tip", "Segment2", 0.1 * scale),
        "line": mk.Line("Tip", point, other - point),
        "plane": mk.Plane("Tip", point, (0.0, 0.6, 0.8)),
        "pole": mk.Pole("Segment2", other),
        "relative": mk.Relative("Tip", "Segment2", point, orientation=False),
    }


def problem(name: str, scale: float) -> Problem:
    figure = mk.chain([scale * length for length in LENGTHS], mk.Ball())
    return Problem(figure, [goals(scale)[name]])


@pytest.mark.parametrize("name", goals(1.0))
def test_errors_and_derivatives_scale_exactly(name: str) -> None:
    one, small = problem(name, 1.0), problem(name, SCALE)
    rng = np.random.default_rng(3)
    for pose in one.figure.random(rng, 5):
        at, small_at = one.at(pose), small.at(pose)
        np.testing.assert_array_equal(small_at.residual, SCALE * at.residual)
        np.testing.assert_array_equal(small_at.jacobian, SCALE * at.jacobian)
        assert np.abs(at.jacobian).max() > 0.0


@pytest.mark.parametrize("name", goals(1.0))
def test_the_native_information_scales_exactly(name: str) -> None:
    """What goals tell about the joints, in squared lengths."""
    found = []
    for scale in (1.0, SCALE):
        made = problem(name, scale)
        solver = mk.Solver(made.figure, made.goals)
        poses = made.figure.random(np.random.default_rng(3), 5)
        found.append(solver.information(poses, solver.targets) / scale**2)
    np.testing.assert_allclose(found[1], found[0], rtol=1e-12)
    assert found[0].max() > 0.0
