"""Whether a body stands on two legs or on four, from the directions of its limbs alone."""

from __future__ import annotations

import numpy as np

from manikin.arrays import Vector

LEVEL_TRUNK = np.sin(np.deg2rad(40.0))
"""Legs within 40° of square to the trunk are those of an animal that stands on four. A person's are along it."""
SAME_WAY = np.cos(np.deg2rad(45.0))
"""Forelegs point the way that hind legs do, within 45°."""


def stands_on_four(trunk: Vector, leg: Vector, arm: Vector) -> bool:
    """Whether these are the directions of a body on four legs.

    The test needs no up axis, so it holds for a figure that is turned.

    Args:
        trunk: (3,) unit vector from the hips to the shoulders.
        leg: (3,) unit vector along the legs, from the hips.
        arm: (3,) unit vector along the arms, from the shoulders.
    """
    return bool(abs(trunk @ leg) < LEVEL_TRUNK and leg @ arm > SAME_WAY)
