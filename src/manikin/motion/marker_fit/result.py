"""`MarkerFit`: the result of `fit_markers`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from manikin.errors import counted
from manikin.figure.joint import Numbers
from manikin.motion.fit_result import FitResult
from manikin.motion.marker_fit.attachments import KINDS, Attachments
from manikin.motion.marker_fit.untangle import Swap


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MarkerFit(FitResult):
    """A person with fitted lengths that follows markers. Lengths are in metres, in `table` in millimetres.

    The joint ranges of `figure` are wider by `slack`, so that all poses are within them. `at_limits` refers to the
    ranges without it.
    """

    attachments: Attachments
    """Calibrated places of the markers, and scales. Save them for other trials of the same person."""
    swaps: tuple[Swap, ...] = ()
    """Markers that had exchanged their names."""
    rounds: tuple[float, ...] = ()
    """RMS on the calibration frames in metres: at the start, then after each round."""

    headers: ClassVar = ("marker", "kind", "segment", "RMS", "worst", "in frame", "missing", "rejected")
    thing: ClassVar = "marker"
    suffix: ClassVar = "_mm"
    rejected_count: ClassVar = True

    def attached(self, name: str) -> tuple[str, Numbers]:
        """The segment that carries a marker, and its place (3,), in metres, in the space of that segment.

        Args:
            name: one of `names`.
        """
        return self.attachments[name].segment, self.attachments[name].offset

    def rms_of(self, kind: str) -> float:
        """The RMS of the markers of one kind, in metres; NaN if there are none.

        Args:
            kind: "bony", "tracking" or "joint".
        """
        return self._rms([k for k, name in enumerate(self.names) if self.attachments[name].kind == kind])

    def to_dict(self) -> dict[str, Any]:
        """The result for programs, without its poses. Lengths are in millimetres; None is not known."""
        kinds = {kind: 1e3 * self.rms_of(kind) for kind in KINDS}
        return super().to_dict() | {
            "rms_by_kind_mm": {kind: rms if rms == rms else None for kind, rms in kinds.items()},
            "swaps": [{"names": list(s.names), "first": s.first, "last": s.last} for s in self.swaps],
            "rounds_mm": [1e3 * r for r in self.rounds],
        }

    def _facts(self, name: str) -> dict[str, str]:
        return {"kind": self.attachments[name].kind, "segment": self.attachments[name].segment}

    def _below(self) -> list[str]:
        kinds = ((kind, self.rms_of(kind)) for kind in KINDS)
        lines = [f"{kind} markers: RMS {self._length(rms)}" for kind, rms in kinds if rms == rms]
        words = ", ".join(f"{name} {share:.0%}" for name, share in self.at_limits.items())
        limits = [f"joints at the limits of the person, share of the frames: {words}"] if words else []
        return [*lines, *super()._below(), *limits]

    def _summary(self) -> tuple[str, ...]:
        return (counted(len(self.names), "marker"), *super()._summary())
