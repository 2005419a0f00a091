"""`PointsFit`: the result of `fit_points`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from manikin.figure.joint import Numbers
from manikin.motion.fit_result import FitResult


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PointsFit(FitResult):
    """A motion that follows keypoints. The figure has the lengths of the person, left and right alike."""

    layout: str
    """The layout, or "names" if the names of the points decided."""
    attachments: dict[str, tuple[str, Numbers]]
    """The segment of each point, and its calibrated place (3,), a length, in the space of that segment."""
    travel: str
    """ "seen", "rebuilt" from the feet, or "missing" because the points are centred on the hips."""

    headers: ClassVar = ("point", "RMS", "worst", "in frame", "missing", "rejected")

    def attached(self, name: str) -> tuple[str, Numbers]:
        """The segment that carries a point, and its place (3,), a length, in the space of that segment.

        Args:
            name: one of `names`.
        """
        return self.attachments[name]

    def to_dict(self) -> dict[str, Any]:
        """The result for programs, without its poses. A value that is not known is None."""
        places = {name: [segment, list(at)] for name, (segment, at) in self.attachments.items()}
        return super().to_dict() | {"layout": self.layout, "travel": self.travel, "attachments": places}

    def _summary(self) -> tuple[str, ...]:
        return (self.layout, *super()._summary())
