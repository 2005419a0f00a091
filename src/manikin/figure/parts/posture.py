"""Whether a body stands on two legs or on four, from the directions of its limbs alone."""

from __future__ import annotations

import numpy as np

from manikin.arrays import Vector

LEVEL_TRUNK = np.sin(np.deg2rad(40.0))
"""Sine of 40°. Legs within this angle of the perpendicular to the trunk belong to an animal on four legs. A person's
legs are parallel to the trunk."""
SAME_WAY = np.cos(np.deg2rad(45.0))
"""Cosine of 45°. Forelegs point in the direction of the hind legs within this angle."""


def stands_on_four(trunk: Vector, leg: Vector, arm: Vector) -> bool:
    """Whether these are the directions of a body on four legs.

    The test needs no up axis, so it also works for a figure that is turned.

    Args:
        trunk: (3,) unit vector from the hips to the shoulders.
        leg: (3,) unit vector along the legs, from the hips.
        arm: (3,) unit vector along the arms, from the shoulders.
    """
    return bool(abs(trunk @ leg) < LEVEL_TRUNK and leg @ arm > SAME_WAY)
