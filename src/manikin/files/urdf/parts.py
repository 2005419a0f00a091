"""Reads and checks numbers, origins and masses of a URDF file. Every message names the line.

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
"""A limit or speed of this size or more means "unlimited" (radians or metres, per second for a speed). URDF cannot
express "unlimited", and its readers do not accept `inf`."""
EXPAND = "expand the file first (xacro robot.urdf.xacro > robot.urdf)"
XACRO_TAGS = frozenset(["include", "property", "macro", "insert_block"])
"""Tags of xacro commands in old files, which have no prefix."""


@dataclass(frozen=True, eq=False)
class Reading:
    """The state while a file is read: its path for messages, and notes for `figure.source`."""

    path: str | os.PathLike[str]
    notes: list[str] = field(default_factory=list)
    """Oddities and how they were handled, with lines."""
    odd: list[str] = field(default_factory=list)
    """The notes that affect the figure. They become warnings."""
    rotation_texts: dict[str, str] = field(default_factory=dict)
    """The text of rpy in the file, by `decimals` of its quaternion. Saving writes this text again."""
    cylinders: dict[str, dict[str, str]] = field(default_factory=dict)
    """xyz, rpy and length in the file of each cylinder that became a capsule, by `decimals` of the capsule's
    numbers."""
    meshes: list[str] = field(default_factory=list)
    """File names of collision meshes that were not read."""
    shapeless: list[str] = field(default_factory=list)
    """Links with a collision element that has no shape."""
    leftovers: list[Element] = field(default_factory=list)
    """Commands of xacro that were skipped."""
    fitted: dict[str, list[Shape]] = field(default_factory=dict)
    """Shapes fitted around meshes, by link."""

    def fail(self, element: Element, message: str) -> NoReturn:
        raise BadFile(self.path, message, element.line)

    def unknown(self, element: Element, owner: str, kind: str, name: str, known: Iterable[str]) -> NoReturn:
        """Fails for an unknown name and suggests the most similar known one."""
        self.fail(element, str(unknown_name(f"{owner} {name!r}, but the robot", kind, name, list(known))))

    def warn(self, element: Element, message: str) -> None:
        """Notes that the figure lacks something, or may differ from the intent of the file."""
        self.odd.append(f"line {element.line}: {message}")
        self.notes.append(self.odd[-1])

    def note(self, element: Element, message: str) -> None:
        """Notes an oddity that does not affect the figure."""
        self.notes.append(f"line {element.line}: {message}")

    def skip_xacro(self, element: Element) -> None:
        """Records an element that is a xacro command, not URDF. It is skipped, as other readers do."""
        if element.tag.startswith("xacro:") or element.tag in XACRO_TAGS:
            self.leftovers.append(element)

    def tell_xacro(self) -> None:
        """Warns about skipped xacro commands."""
        if self.leftovers:
            tags = listing(list(dict.fromkeys(f"<{e.tag[:40]}>" for e in self.leftovers)), 4)
            self.warn(
                self.leftovers[0],
                f"xacro commands are left in the file and skipped ({tags}); if parts are missing, {EXPAND}",
            )

    def refuse_xacro(self, error: BadFile) -> None:
        """Raises Unsupported if a file is wrong because it contains unexpanded xacro."""
        if self.leftovers:
            first = self.leftovers[0]
            where = f"{os.fspath(self.path)}, line {first.line}: <{first.tag[:40]}>"
            raise Unsupported(f"{where} is unexpanded xacro; {EXPAND}. Otherwise: {error}") from error

    def text(self, element: Element, attribute: str, owner: str) -> str:
        """A required attribute that must not be empty."""
        value = element.attributes.get(attribute, "")
        if not value:
            self.fail(element, f'{owner} has no {attribute!r}; <{element.tag}> needs {attribute}="…"')
        return value

    def number(self, element: Element, attribute: str, owner: str, default: float | None = None) -> float:
        """One number. Infinities are allowed, NaN is not. An optional number has a `default`."""
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
        """Exactly `count` finite numbers."""
        values = self._parse(element, attribute, owner, element.attributes.get(attribute, ""), count)
        if not all(np.isfinite(values)):
            self.fail(element, f"{owner}: {attribute} is {element.attributes[attribute]!r}; it needs finite numbers")
        return values

    def _bounded(self, element: Element, attribute: str, owner: str, *values: float) -> None:
        for value in values:
            if abs(value) > MOST:
                self.fail(element, f"{owner}: {attribute} has {value:g}; numbers must lie within ±{MOST:g}")

    def origin(self, element: Element, owner: str) -> tuple[Numbers, Numbers]:
        """(offset, quaternion wxyz) of the <origin> inside an element; zero and identity if there is none."""
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
        if any(part.endswith(",") for part in parts[:-1]):  # between numbers, a comma can only be a separator
            parts = [part.removesuffix(",") for part in parts[:-1]] + parts[-1:]
            self.note(element, f"{owner}: {attribute} has commas between its numbers; they are ignored")
        try:
            if not text.isascii() or "_" in text:
                raise ValueError(text)
            values = tuple(float(p) + 0.0 for p in parts)  # + 0.0 turns −0 into 0
        except ValueError:
            values = ()
        if len(values) != count or any(v != v for v in values):
            needs = {1: "one number", 3: "three numbers"}.get(count, f"{count} numbers")
            shown = text if len(text) <= 60 else text[:59] + "…"
            self.fail(element, f"{owner}: {attribute} needs {needs}, got {shown!r}")
        return values

    def _xacro(self, element: Element, what: str) -> NoReturn:
        raise Unsupported(f"{os.fspath(self.path)}, line {element.line}: {what} is unexpanded xacro; {EXPAND}")


def decimals(*numbers: float) -> str:
    """Numbers as text that reads back to the same bits; −0 is written as 0."""
    return " ".join(repr(float(x) + 0.0) for x in numbers)


def quaternion_from_rpy(rpy: Numbers) -> Numbers:
    """wxyz of Rz(yaw) Ry(pitch) Rx(roll)."""
    roll, pitch, yaw = rpy
    return tuple(float(x) + 0.0 for x in rotations.normalized(rotations.from_euler("zyx", (yaw, pitch, roll))))


def rpy_from_quaternion(quaternion: Sequence[float]) -> Numbers:
    """The inverse of `quaternion_from_rpy` up to rounding; roll is 0 if pitch is ±π/2."""
    yaw, pitch, roll = rotations.to_euler("zyx", np.array(quaternion))
    return (float(roll) + 0.0, float(pitch) + 0.0, float(yaw) + 0.0)


def rotated_inertia(inertia: Numbers, quaternion: Numbers) -> Numbers:
    """xx, xy, xz, yy, yz, zz after rotation by the quaternion: R I Rᵀ."""
    if quaternion == rotations.IDENTITY:
        return inertia
    xx, xy, xz, yy, yz, zz = inertia
    R = rotations.to_matrix(np.array(quaternion))
    I: Matrix = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T  # noqa: E741 (the letter of the formula)
    return tuple(float(0.5 * (I[a, b] + I[b, a])) for a, b in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)))
