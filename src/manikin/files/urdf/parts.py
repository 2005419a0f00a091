"""The small things of a URDF file: numbers, origins, masses; checked, with the line in every message.

Conventions of the format: metres, radians, kilograms; `rpy` is R = Rz(yaw) Ry(pitch) Rx(roll).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

import numpy as np

from manikin import rotations
from manikin.arrays import Matrix
from manikin.errors import BadFile, Unsupported, listing, unknown_name
from manikin.figure.joint import Numbers
from manikin.figure.shapes import Shape
from manikin.files.common.xml_safe import Element
from manikin.files.finite import MOST

LIMITLESS = 1e9
"""A limit or speed of this many radians or metres (per second), or more, stands for none: URDF has no word for it, and
its readers do not know `inf`."""
EXPAND = "expand the file first (xacro robot.urdf.xacro > robot.urdf)"
XACRO_TAGS = frozenset(["include", "property", "macro", "insert_block"])
"""What xacro's commands were called before they had to be written with a prefix."""


@dataclass(frozen=True, eq=False)
class Reading:
    """One reading of a file: its path for messages, and what is noted on the way for `figure.source`."""

    path: str | os.PathLike[str]
    notes: list[str] = field(default_factory=list)
    """What was odd and how it was taken, with lines."""
    odd: list[str] = field(default_factory=list)
    """Those of them that bear on the figure: they are told as warnings."""
    rotation_texts: dict[str, str] = field(default_factory=dict)
    """The rpy of every rotation as it stood in the file, by `decimals` of its quaternion: saving gives it back."""
    cylinders: dict[str, dict[str, str]] = field(default_factory=dict)
    """The cylinders that became capsules, by `decimals` of the capsule's numbers: xyz, rpy and length as they stood."""
    meshes: list[str] = field(default_factory=list)
    """File names of collision meshes that were not read."""
    shapeless: list[str] = field(default_factory=list)
    """Links with a collision that has no shape."""
    leftovers: list[Element] = field(default_factory=list)
    """Commands of xacro that were skipped."""
    fitted: dict[str, list[Shape]] = field(default_factory=dict)
    """Links with meshes, and the shapes that were fitted around those."""

    def fail(self, element: Element, message: str) -> NoReturn:
        raise BadFile(self.path, message, element.line)

    def unknown(self, element: Element, owner: str, kind: str, name: str, known: Iterable[str]) -> NoReturn:
        """Fail for a name that does not exist, with the nearest one that does."""
        self.fail(element, str(unknown_name(f"{owner} {name!r}, but the robot", kind, name, list(known))))

    def warn(self, element: Element, message: str) -> None:
        """Note something that the figure lacks, or has otherwise than the file may mean."""
        self.odd.append(f"line {element.line}: {message}")
        self.notes.append(self.odd[-1])

    def note(self, element: Element, message: str) -> None:
        """Note something odd that the figure does not feel."""
        self.notes.append(f"line {element.line}: {message}")

    def skip_xacro(self, element: Element) -> None:
        """Remember an element that is a command of xacro, not URDF. It is skipped, as other readers do."""
        if element.tag.startswith("xacro:") or element.tag in XACRO_TAGS:
            self.leftovers.append(element)

    def tell_xacro(self) -> None:
        """Warn of what was skipped."""
        if self.leftovers:
            tags = listing(list(dict.fromkeys(f"<{e.tag[:40]}>" for e in self.leftovers)), 4)
            self.warn(
                self.leftovers[0], f"skipped what is left over from xacro ({tags}); if parts are missing, {EXPAND}"
            )

    def refuse_xacro(self, error: BadFile) -> None:
        """Raise Unsupported where a file is wrong because it is xacro that was not expanded."""
        if self.leftovers:
            first = self.leftovers[0]
            where = f"{os.fspath(self.path)}, line {first.line}: <{first.tag[:40]}>"
            raise Unsupported(f"{where} is left over from xacro; {EXPAND}. Without it: {error}") from error

    def text(self, element: Element, attribute: str, owner: str) -> str:
        """An attribute that must be there and not be empty."""
        value = element.attributes.get(attribute, "")
        if not value:
            self.fail(element, f'{owner} has no {attribute!r}; <{element.tag}> needs {attribute}="…"')
        return value

    def number(self, element: Element, attribute: str, owner: str, default: float | None = None) -> float:
        """One number; infinities are let through, NaN is not. Where it may be left out there is a `default`."""
        if attribute not in element.attributes and default is not None:
            return default
        return self._parse(element, attribute, owner, self.text(element, attribute, owner), 1)[0]

    def finite(self, element: Element, attribute: str, owner: str, default: float | None = None) -> float:
        """One finite number."""
        number = self.number(element, attribute, owner, default)
        if not np.isfinite(number):
            self.fail(element, f"{owner}: {attribute} is {number}; it needs a finite number")
        self._bounded(element, attribute, owner, number)
        return number

    def three(self, element: Element, attribute: str, owner: str) -> Numbers:
        """Three finite numbers."""
        return self.numbers(element, attribute, owner, 3)

    def numbers(self, element: Element, attribute: str, owner: str, count: int) -> Numbers:
        """So many finite numbers."""
        values = self._parse(element, attribute, owner, element.attributes.get(attribute, ""), count)
        if not all(np.isfinite(values)):
            self.fail(element, f"{owner}: {attribute} is {element.attributes[attribute]!r}; it needs finite numbers")
        return values

    def _bounded(self, element: Element, attribute: str, owner: str, *values: float) -> None:
        for value in values:
            if abs(value) > MOST:
                self.fail(element, f"{owner}: {attribute} has {value:g}; numbers stay between ±{MOST:g}")

    def origin(self, element: Element, owner: str) -> tuple[Numbers, Numbers]:
        """(offset, quaternion wxyz) of the <origin> inside an element; both neutral where there is none."""
        origin = element.first("origin")
        xyz: Numbers = (0.0, 0.0, 0.0)
        if origin is None:
            return xyz, rotations.IDENTITY
        if "xyz" in origin.attributes:
            xyz = self.three(origin, "xyz", owner)
            self._bounded(origin, "xyz", owner, *xyz)
        if "rpy" not in origin.attributes:
            return xyz, rotations.IDENTITY
        rpy = self.three(origin, "rpy", owner)
        quaternion = quaternion_from_rpy(rpy)
        self.rotation_texts[decimals(*quaternion)] = " ".join(origin.attributes["rpy"].split())
        return xyz, quaternion

    def _parse(self, element: Element, attribute: str, owner: str, text: str, count: int) -> Numbers:
        if "${" in text or "$(" in text:
            self._xacro(element, f"{attribute}={text[:40]!r}")
        parts = text.split()
        if any(part.endswith(",") for part in parts[:-1]):  # between numbers a comma can mean nothing else
            parts = [part.removesuffix(",") for part in parts[:-1]] + parts[-1:]
            self.note(element, f"{owner}: {attribute} has commas between its numbers; they are passed over")
        try:
            if not text.isascii() or "_" in text:
                raise ValueError(text)
            values = tuple(float(p) + 0.0 for p in parts)  # + 0.0 makes −0 a plain 0
        except ValueError:
            values = ()
        if len(values) != count or any(v != v for v in values):
            needs = {1: "one number", 3: "three numbers"}.get(count, f"{count} numbers")
            shown = text if len(text) <= 60 else text[:59] + "…"
            self.fail(element, f"{owner}: {attribute} needs {needs}, got {shown!r}")
        return values

    def _xacro(self, element: Element, what: str) -> NoReturn:
        raise Unsupported(f"{os.fspath(self.path)}, line {element.line}: {what} is left over from xacro; {EXPAND}")


def decimals(*numbers: float) -> str:
    """Numbers as text that reads back to the same bits, with a plain 0 for −0."""
    return " ".join(repr(float(x) + 0.0) for x in numbers)


def quaternion_from_rpy(rpy: Numbers) -> Numbers:
    """wxyz of Rz(yaw) Ry(pitch) Rx(roll)."""
    roll, pitch, yaw = rpy
    return tuple(float(x) + 0.0 for x in rotations.normalized(rotations.from_euler("zyx", (yaw, pitch, roll))))


def rpy_from_quaternion(quaternion: Sequence[float]) -> Numbers:
    """The inverse of `quaternion_from_rpy` up to rounding; roll is 0 where pitch is ±π/2."""
    yaw, pitch, roll = rotations.to_euler("zyx", np.array(quaternion))
    return (float(roll) + 0.0, float(pitch) + 0.0, float(yaw) + 0.0)


def rotated_inertia(inertia: Numbers, quaternion: Numbers) -> Numbers:
    """xx, xy, xz, yy, yz, zz in the axes that the quaternion leads to: R I Rᵀ."""
    if quaternion == rotations.IDENTITY:
        return inertia
    xx, xy, xz, yy, yz, zz = inertia
    R = rotations.to_matrix(np.array(quaternion))
    I: Matrix = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T  # noqa: E741 (the letter of the formula)
    return tuple(float(0.5 * (I[a, b] + I[b, a])) for a, b in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)))
