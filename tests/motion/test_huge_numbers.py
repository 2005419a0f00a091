"""Numbers that are too large for arithmetic are one error that names them, in figures and in fits."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from synthetic_markers import recorded

import manikin as mk
from manikin.errors import BadValue

HUGE = 10**400


@pytest.mark.parametrize(
    "make",
    [
        lambda: mk.Segment("B", "A", offset=(HUGE, 0, 0)),
        lambda: mk.Segment("A", mass=HUGE),
        lambda: mk.Segment("A", None, mk.Hinge((0, 0, 1), (0, HUGE))),
        lambda: mk.Segment("A", None, mk.Slider((HUGE, 0, 1), (0, 1))),
        lambda: mk.SwingTwist(swing=(HUGE, 1.0), twist=(0, 1)),
        lambda: mk.Capsule((HUGE, 0, 0), (0, 0, 0), 0.1),
        lambda: mk.human().scaled(HUGE),
    ],
)
def test_a_number_of_a_figure_is_named(make) -> None:
    with pytest.raises(BadValue):
        make()


@pytest.mark.parametrize(("value", "unit"), [(1e300, 1.0), (1e308, 0.001), (-1e300, 1.0), (1.0, 1e308)])
def test_a_position_of_a_trial_is_named(value: float, unit: float) -> None:
    markers = recorded(20).markers
    positions = np.array(markers.positions)
    positions[3, 2] = value
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        with pytest.raises(BadValue, match=r"lengths must lie within ±1e\+15 m"):
            mk.fit_markers(mk.human(), markers.replaced(positions=positions, unit=unit))
