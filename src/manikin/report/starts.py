"""Starts of the solves that a report makes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from manikin.figure.figure import Figure

NUDGE = 0.3
"""The second start is moved this fraction of the way to mid-range."""


def rooted(figure: Figure) -> NDArray[np.bool_]:
    """(nq,) numbers that are not drawn randomly: free roots and unlimited slides."""
    layout = figure.layout
    out = np.isinf(layout.lower) & np.isinf(layout.upper)
    out[list(layout.angular)] = False
    out[layout.balls[:, None] + np.arange(4)] = False
    out[layout.free_balls[:, None] + np.arange(4)] = True
    return out
