"""Robust losses of goals: `Position("LASI", p, robust=GemanMcClure(0.03))` does not follow a target that is far off."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from manikin import arrays
from manikin.arrays import Vector
from manikin.errors import BadValue
from manikin.reference import robust as reference

LEAST_SCALE, LARGEST_SCALE = 1e-100, 1e100
"""Within these, squares of the scale neither vanish nor overflow."""


@dataclass(frozen=True)
class Robust:
    """Base of the losses. The formulas are in `manikin.reference.robust`."""

    scale: float
    """c, in the unit of the goal's error: lengths or radians. Errors far below it count fully."""
    kind: ClassVar[int] = 0

    def __post_init__(self) -> None:
        scale = arrays.positive(self.scale, f"{type(self).__name__}: scale")
        if not LEAST_SCALE <= scale <= LARGEST_SCALE:
            raise BadValue(
                f"{type(self).__name__}: scale is {scale:g}; it must be from {LEAST_SCALE:g} to {LARGEST_SCALE:g}"
            )
        object.__setattr__(self, "scale", scale)

    def cost(self, errors: Vector) -> Vector:
        """L(d), which replaces d² in the cost.

        Args:
            errors: errors d of a goal, any shape (...), in the unit of `scale`.
        """
        return reference.loss(self.kind, self.scale, errors)[0]

    def weight(self, errors: Vector) -> Vector:
        """The factor of the goal's weight at these errors, from 1e-6 to 1.

        Args:
            errors: errors d of a goal, any shape (...), in the unit of `scale`.
        """
        return reference.loss(self.kind, self.scale, errors)[1]


@dataclass(frozen=True)
class GemanMcClure(Robust):
    """Outliers lose their pull: the factor of the weight is (c² / (c² + d²))² for an error d.

    Example:
        >>> GemanMcClure(1.0).weight(1.0)
        array(0.25)
    """

    kind: ClassVar[int] = reference.GEMAN_MCCLURE


@dataclass(frozen=True)
class Huber(Robust):
    """Outliers pull with a constant force: the factor of the weight is c / d for errors d above c, and 1 below.

    Example:
        >>> Huber(0.03).weight(0.12)
        array(0.25)
    """

    kind: ClassVar[int] = reference.HUBER


LOSSES = {loss.kind: loss for loss in (GemanMcClure, Huber)}
"""The losses by their number in the native core."""
