"""`Retargeted` and `Planted`: the results of `retarget` and `plant`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from manikin.motion.result import MotionResult

WORDS = {
    "bone_error_deg": "direction of limbs, mean error, degrees",
    "wrist_error_percent": "wrists, mean error, percent of height",
    "slide_mm": "largest slide of a planted foot, mm",
    "hand_slide_mm": "largest slide of a planted hand, mm",
    "sinking_mm": "deepest sole below the floor, mm",
    "turn_deg": "largest turn of a part in a frame, degrees",
    "source_turn_deg": "the same in the source, degrees",
    "frames_over_limit": "frames outside of joint limits",
}
"""The measures in the tables, in words."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class FloorResult(MotionResult):
    """A motion whose feet were compared with the floor."""

    contacts: tuple[tuple[str, int, int], ...]
    """(point, first frame, last frame) of each contact with the floor."""
    floor: float | None
    """Height of the floor along the up axis, a length; None if it is a function."""

    def to_dict(self) -> dict[str, Any]:
        """The result for programs, without its poses."""
        own = {field.name: getattr(self, field.name) for field in fields(self)}
        return {key: value for key, value in own.items() if key != "motion"} | super().to_dict()


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Retargeted(FloorResult):
    """A motion on another figure. `contacts` and `floor` are those of the source."""

    bones: Mapping[str, tuple[str, ...]]
    """The segments of each part of the figure."""
    source_bones: Mapping[str, tuple[str, ...]]
    """The same for the figure of the source."""
    pose: str
    """Which pose of the figure was taken as upright: "given", "rest", …"""
    source_pose: str
    """The same for the source."""
    hands: str
    """What was kept of the arms: "arms", "body" or "world"."""
    scale: float
    """Size of the result as a factor of that of the source."""
    first_frame: int
    """The first frame of the source that was used."""
    on_the_spot: bool
    """Whether the source walks on the spot."""
    measures: Mapping[str, float]
    """How well the motion follows the source: the name of each measure ends in its unit. Millimetres are those of a
    person with legs of 0.86 m. docs/retargeting.md explains them."""
    shortcomings: tuple[str, ...]
    """Why the result is not good, one sentence for each measure that is too large."""

    headers: ClassVar = ("", "value")

    @property
    def good(self) -> bool:
        """Whether all measures are within the bounds of a good result."""
        return not self.shortcomings

    def to_dict(self) -> dict[str, Any]:
        """The result for programs, without its poses."""
        return super().to_dict() | {"good": self.good}

    def rows(self) -> list[tuple[str, ...]]:
        """The measures in words."""
        return [(words, f"{self.measures[key]:.4g}") for key, words in WORDS.items()]

    def _summary(self) -> tuple[str, ...]:
        return (f"on {self.figure.name}", f"scale {self.scale:.4g}")

    def _below(self) -> list[str]:
        return [f"not good: {text}" for text in self.shortcomings]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Planted(FloorResult):
    """A motion whose feet do not slide."""

    before: Mapping[str, float]
    """Slide and sinking before, with the unit at the end of each name."""
    after: Mapping[str, float]
    """Slide and sinking after, with the unit at the end of each name."""

    headers: ClassVar = ("", "before", "after")

    def rows(self) -> list[tuple[str, ...]]:
        """Slide and sinking before and after, in words."""
        return [(WORDS.get(key, key), f"{self.before[key]:.4g}", f"{self.after[key]:.4g}") for key in self.before]
