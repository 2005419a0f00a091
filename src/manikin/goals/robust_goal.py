"""The base class of goals that can have a robust loss."""

from __future__ import annotations

from dataclasses import dataclass, field

from manikin.errors import BadValue
from manikin.goals.goal import Goal
from manikin.goals.robust import LOSSES, Robust


@dataclass(frozen=True, eq=False)
class RobustGoal(Goal):
    """A goal with one error of one effector: Position, Orientation, Aim, Plane and Line."""

    robust: Robust | None = field(default=None, kw_only=True)
    """A loss that reduces the pull of far targets, such as `GemanMcClure(0.03)`; None: the square of the error."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.robust is not None and not isinstance(self.robust, tuple(LOSSES.values())):
            raise BadValue(
                f"{type(self).__name__}: robust is {self.robust!r}; it needs a loss such as GemanMcClure(0.03), or None"
            )
