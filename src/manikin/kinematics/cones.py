"""The limits of balls as arrays, for `kinematics.chart`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Indices, Points, Quaternions, Rotations, Vector

Flags: TypeAlias = NDArray[np.bool_]
"""(n,) bool."""


@dataclass(frozen=True, eq=False)
class ChartCones:
    """The balls that have limits, as arrays."""

    number: Indices
    """(C,) index in q of each ball's quaternion."""
    step: Indices
    """(C,) index in v of each ball's first step."""
    reference: Quaternions
    """(C, 4) Q."""
    basis: Rotations
    """(C, 3, 3) rows e₁, e₂, a."""
    swing: Points
    """(C, 2) r₁, r₂, radians."""
    middle: Vector
    """(C,) middle of the twist range, radians."""
    half: Vector
    """(C,) h, half the twist range, radians."""

    @property
    def turning(self) -> Flags:
        """(C,) whether the twist range is a whole turn, so that it has no ends."""
        whole: Flags = self.half >= np.pi * (1.0 - 1e-12)
        return whole
