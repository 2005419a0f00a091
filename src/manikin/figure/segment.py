"""Segments: the rigid parts of a figure, each with the joint that attaches it to its parent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

from manikin import arrays
from manikin.errors import BadValue, unknown_name
from manikin.figure.joint import Ball, Euler, Free, Hinge, Joint, Numbers, Slider, changed
from manikin.figure.shapes import Box, Capsule, Shape, Sphere

FIXED = Joint()
"""A joint without motion."""


@dataclass(frozen=True)
class Segment:
    """A rigid part of a figure.

    Example:
        >>> Segment("Shin", "Thigh", Hinge(axis=(1, 0, 0), limits=(0, 2.4)), offset=(0, -0.4, 0)).joint.kind
        'hinge'
    """

    name: str
    """Unique in its figure."""
    parent: str | None = None
    """Name of the parent segment; None for the root."""
    joint: Joint = FIXED
    """Its motion relative to the parent. A single motion (`Hinge(...)`) or a tuple of motions is converted to a
    joint."""
    mass: float = 0.0
    """Mass in kg, at least 0."""
    center: Numbers = (0.0, 0.0, 0.0)
    """(3,) centre of mass in the segment's space, length."""
    inertia: Numbers = ()
    """(6,) xx, xy, xz, yy, yz, zz about the centre of mass in the segment's axes, or empty if unknown. It is kept for
    files that have it, and not used."""
    shapes: tuple[Shape, ...] = ()
    """Solid shapes, for collision and for drawing."""

    def __init__(
        self,
        name: str,
        parent: str | None = None,
        joint: Any = None,
        mass: float = 0.0,
        center: Any = (0.0, 0.0, 0.0),
        inertia: Any = (),
        shapes: Any = (),
        *,
        offset: Any = None,
        rotation: Any = None,
    ) -> None:
        """
        Args:
            name, parent, joint, mass, center, inertia, shapes: the fields above.
            offset, rotation: place of the joint in the parent's space, if `joint` is only a motion.
        """
        if not isinstance(name, str) or not name:
            raise BadValue(f"segment name is {name!r}; it needs a string of at least one character")
        if parent is not None and (not isinstance(parent, str) or not parent):
            raise BadValue(
                f"segment {name!r}: parent is {parent!r}; it needs the name of a segment, or None for the root"
            )
        values = {
            "name": name,
            "parent": parent,
            "joint": _joint(name, joint, offset, rotation),
            "mass": _mass(name, mass),
            "center": _center(name, center),
            "inertia": _inertia(name, inertia),
            "shapes": _shapes(name, shapes),
        }
        for key, value in values.items():
            object.__setattr__(self, key, value)

    def replaced(self, **changes: Any) -> Segment:
        """A copy with some fields changed.

        Args:
            changes: new values of fields, by their names.
        """
        if changes.keys() - CHECKS.keys():
            known = [*(f.name for f in fields(self)), "offset", "rotation"]
            for key in changes:
                if key not in known:
                    raise unknown_name(f"segment {self.name!r}", "field", key, known)
            return replace(self, **changes)
        checked = {key: CHECKS[key](self.name, value) for key, value in changes.items()}
        return changed(self, **checked)  # the other fields were checked before


def _joint(name: str, joint: Any, offset: Any = None, rotation: Any = None) -> Joint:
    """Converts the `joint` argument to a Joint with a name."""
    if joint is None:
        joint = FIXED
    elif isinstance(joint, (Slider, Hinge, Euler, Ball, Free)):
        joint = Joint(name, (joint,))
    elif isinstance(joint, (tuple, list)):
        joint = Joint(name, tuple(joint))
    elif not isinstance(joint, Joint):
        raise BadValue(f"segment {name!r}: joint is {joint!r}; it needs a Joint, or motions such as Hinge(...)")
    if not joint.name:
        joint = joint.renamed(name)
    if offset is not None:
        joint = replace(joint, offset=offset)
    if rotation is not None:
        joint = replace(joint, rotation=rotation)
    made: Joint = joint
    return made


def _mass(name: str, mass: Any) -> float:
    return arrays.non_negative(mass, f"segment {name!r}: mass")


def _center(name: str, center: Any) -> Numbers:
    return arrays.few(center, f"segment {name!r}: center", 3)


def _inertia(name: str, inertia: Any) -> Numbers:
    unknown = isinstance(inertia, (tuple, list)) and not inertia
    return () if unknown else arrays.few(inertia, f"segment {name!r}: inertia", 6)


def _shapes(name: str, shapes: Any) -> tuple[Shape, ...]:
    several = shapes if isinstance(shapes, (tuple, list)) else (shapes,)
    for shape in several:
        if not isinstance(shape, (Sphere, Capsule, Box)):
            raise BadValue(f"segment {name!r}: shape {shape!r} is not one of Sphere, Capsule, Box")
    return tuple(several)


CHECKS: dict[str, Callable[[str, Any], Any]] = {
    "joint": _joint,
    "mass": _mass,
    "center": _center,
    "inertia": _inertia,
    "shapes": _shapes,
}
"""The checks of fields that do not depend on other fields, by name."""
