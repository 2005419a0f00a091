"""Starts of the report's own solves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from manikin.figure.figure import Figure

NUDGE = 0.3
"""Part of the way to mid-range of the second start."""


def rooted(figure: Figure) -> NDArray[np.bool_]:
    """(nq,) numbers that are not drawn: free roots and endless slides."""
    layout = figure.layout
    out = np.isinf(layout.lower) & np.isinf(layout.upper)
    out[list(layout.angular)] = False
    out[layout.balls[:, None] + np.arange(4)] = False
    out[layout.free_balls[:, None] + np.arange(4)] = True
    return out
