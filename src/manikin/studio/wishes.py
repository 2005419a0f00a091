"""The natural pose as a choice in a drag: for which figures it works, and what the solver is given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from manikin.errors import BadValue
from manikin.figure.figure import Figure
from manikin.goals import Goal
from manikin.prior import NATURAL
from manikin.prior.start import NaturalStart

MOST_NAMED = 4
"""Largest number of missing parts that are named."""


def why_not_natural(figure: Figure) -> str:
    """Why a figure has no natural pose, in one short sentence about "it"; empty if it has one."""
    try:
        NaturalStart(figure, [])
    except BadValue as error:
        said, colon, parts = str(error).split(". ")[0].replace(f"figure {figure.name!r}", "it").partition(" it has no ")
        each = parts.split(", ")
        return said + colon + ", ".join(each if len(each) <= MOST_NAMED else [*each[:MOST_NAMED], "…"])
    return ""


def natural_wishes(figure: Figure, goals: Sequence[Goal]) -> dict[str, Any]:
    """Options of `Solver.track` and `Solver.solve` that prefer a natural pose. Empty if there is none.

    The goals of the solver are those given, and after them the pose at the grab, which then does not count.
    """
    try:
        known = NaturalStart(figure, [goal.on(figure) for goal in goals]).has_place
    except BadValue:
        known = False
    return {"prefer": NATURAL, "active": np.append(np.ones(len(goals), dtype=bool), False)} if known else {}
