"""The findings of an inquiry into one goal."""

from __future__ import annotations

from dataclasses import dataclass, field

from manikin.arrays import Vector
from manikin.report.data import Change, Reason
from manikin.report.search import Search


@dataclass
class Finding:
    """The findings of an inquiry into one goal so far."""

    reasons: list[Reason] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    pose: Vector | None = None
    starts: int = 0
    minima: int = 0
    unseen: float = 0.0

    def counts(self, search: Search) -> None:
        """Records the search behind the finding."""
        self.starts, self.minima, self.unseen = search.starts, search.minima, search.unseen
