"""`Status`: how a solver ended."""

from __future__ import annotations

from enum import Enum


class Status(str, Enum):
    """How a solver ended. Equal to its text: `solution.status == "reached"`."""

    REACHED = "reached"
    """Every goal is within its tolerance."""
    STALLED = "stalled"
    """The solver is at a minimum above the tolerance: no step lowers the cost."""
    OUT_OF_ITERATIONS = "out_of_iterations"
    """The solver used all iterations that were allowed."""
    OUT_OF_TIME = "out_of_time"
    """The solver used all the time that was allowed, or the caller cancelled."""

    def __str__(self) -> str:
        return self.value


SENTENCES = {
    Status.REACHED: "every goal reached",
    Status.STALLED: "stalled: no step brings the goals closer",
    Status.OUT_OF_ITERATIONS: "the iterations allowed were used up",
    Status.OUT_OF_TIME: "the time allowed was used up",
}
"""A few words on each, for a headline."""
STATUSES = (Status.REACHED, Status.STALLED, Status.OUT_OF_ITERATIONS, Status.OUT_OF_TIME)
"""The statuses, in the order of their numbers in the native solver."""
