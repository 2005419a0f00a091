"""Whether the feet of a motion stand already, so that planting has nothing to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

STILL = 2.0
"""A foot stands if no contact slides by more than this, in millimetres of a person."""
DEPTH = 10.0
"""No sole may be deeper below the floor than this, in millimetres of a person."""


def feet_stand(figures: Mapping[str, Any]) -> bool:
    """Whether no sole is below the floor, and each contact keeps its place (`contact_figures`).

    The contacts of a planted motion end where a foot leaves its place (`motion.stands`), so their edges do not count
    as slide.
    """
    return bool(figures["slide_mm"] <= STILL and figures["sinking_mm"] <= DEPTH)
