"""`MotionResult`: what every function that makes a motion returns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from manikin.base.names import line, stacked
from manikin.base.text_table import text_table
from manikin.errors import counted
from manikin.figure import Figure
from manikin.figure.html_table import html_table
from manikin.motion.motion import Motion
from manikin.motion.quality import HEADERS, Quality


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MotionResult:
    """A motion, and what is known about how it was made. `str` is a table, and notebooks show it.

    `save`, `plot`, `animate` and `plot_quality` take it in place of its motion.
    """

    motion: Motion
    """The frames that are done. These are all frames, unless the call was stopped."""
    notes: tuple[str, ...] = ()
    """Sentences about the input and the result."""
    complete: bool = True
    """False if `progress` stopped the call."""

    headers: ClassVar[tuple[str, ...]] = HEADERS
    """Headers of the table."""

    @property
    def figure(self) -> Figure:
        """The figure that moves."""
        return self.motion.figure

    @cached_property
    def quality(self) -> Quality:
        """`Motion.quality` of the motion. Computed when first read."""
        return self.motion.quality()

    def to_dict(self) -> dict[str, Any]:
        """The result for programs, without its poses. A value that is not known is None."""
        return {
            "figure": self.figure.name,
            "frames": len(self.motion),
            "rate": self.motion.rate,
            "complete": self.complete,
            "notes": list(self.notes),
        }

    def rows(self) -> Sequence[Sequence[str]]:
        """The rows of the table."""
        return self.quality.rows()

    def headline(self) -> str:
        """A summary in one line."""
        words = (counted(len(self.motion), "frame"), *(() if self.complete else ("stopped",)), *self._summary())
        return f"{self.motion.name}: {', '.join(words)}"

    def __repr__(self) -> str:
        return line(f"<{type(self).__name__} {self.headline()}>")

    def __str__(self) -> str:
        return stacked([self.headline(), *text_table(self.headers, self.rows()), *self._below(), *self.notes])

    def _repr_html_(self) -> str:
        return html_table(self.headline(), self.headers, self.rows(), (*self._below(), *self.notes), most_rows=200)

    def _summary(self) -> tuple[str, ...]:
        """Further words of the headline."""
        return ()

    def _below(self) -> Sequence[str]:
        """Lines between the table and the notes."""
        return ()


def motion_of(thing: Any) -> Any:
    """The motion of a result; anything else is returned unchanged."""
    return thing.motion if isinstance(thing, MotionResult) else thing
