"""A map from the parts of a body to the segments of a figure, for any rig or robot."""

from __future__ import annotations

import itertools
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from manikin.base import writing
from manikin.base.json_file import read_json
from manikin.base.names import stacked
from manikin.base.text_table import text_table
from manikin.errors import BadFile, BadValue, listing, unknown_name
from manikin.figure.html_table import html_table
from manikin.figure.parts.bone_names import STILL
from manikin.figure.parts.by_hand import KEYS, ByHand
from manikin.figure.parts.by_names import LIMBS
from manikin.figure.parts.skeleton import skeleton_of

if TYPE_CHECKING:
    from manikin.figure.figure import Figure

SIDES = ("left", "right")
NUMBERED = re.compile(r"(spine|neck) ([1-9]\d*)")
MAIN_KEYS = ("figure", "up", "legs", "parts")
FILE_KEYS = (*MAIN_KEYS, *KEYS)
LARGEST_FILE = 16 * 2**20
"""Largest size of a map file, in bytes. A map of ten thousand segments has less than a tenth of this."""


@dataclass(frozen=True, eq=False, repr=False)
class BoneMap(Mapping[str, tuple[str, ...]]):
    """The segments of each part of a body: `bones["left forearm"]` is a tuple of names, parents first.

    The joint of the first segment is where the part begins. The last segment carries the orientation of the part.
    Parts are pelvis, spine 1 … n, neck 1 … n, head, and for each side clavicle, upper arm, forearm, hand, thigh,
    shank, foot, toes. Parts that the figure lacks are left out.

    Example:
        >>> import manikin as mk
        >>> bones = mk.bone_map(mk.human())
        >>> bones["left forearm"], bones.words("RightLeg")
        (('LeftForeArm', 'LeftForeArmTwist'), 'right shank')
    """

    figure: Figure
    """The figure that has these segments."""
    parts: Mapping[str, tuple[str, ...]]
    """The segments of each part; read-only, in the order in which the table shows them."""
    how: str
    """How the parts were found: "names", "structure", or "given"."""
    four_legged: bool = False
    """Whether the figure stands on four legs. Its forelegs are then the arms."""
    notes: tuple[str, ...] = ()
    """Sentences about parts that are missing or were guessed."""
    by_hand: ByHand = field(default_factory=ByHand)
    """A standing pose, sole points and turns of parts that a map file gives; empty otherwise."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", MappingProxyType(checked_parts(self.figure, self.parts)))

    # As a mapping

    def __getitem__(self, part: str) -> tuple[str, ...]:
        if part not in self.parts:
            raise unknown_name(f"the map of figure {self.figure.name!r}", "part", part, list(self.parts))
        return self.parts[part]

    def __contains__(self, part: object) -> bool:
        return part in self.parts

    def __iter__(self) -> Iterator[str]:
        return iter(self.parts)

    def __len__(self) -> int:
        return len(self.parts)

    # Words

    def first(self, part: str) -> str:
        """The segment whose joint is where the part begins.

        Args:
            part: name of the part.
        """
        return self[part][0]

    def main(self, part: str) -> str:
        """The segment that carries the orientation of the part.

        Args:
            part: name of the part.
        """
        return self[part][-1]

    def part_of(self, segment: str) -> str | None:
        """The part to which a segment belongs; None if it belongs to none.

        Args:
            segment: name of the segment.
        """
        self.figure.segment_index(segment)
        return self._part_of.get(segment)

    def words(self, segment: str) -> str:
        """A segment in words: "left forearm", "right index 2". If no words are known, the segment's name.

        Args:
            segment: name of the segment.
        """
        return self.part_of(segment) or self._said.get(segment, segment)

    def side_of(self, segment: str) -> str:
        """The side of a segment: "left" or "right", or "" if it has no side.

        A segment that belongs to no part has the side of its parent.

        Args:
            segment: name of the segment.
        """
        at: str | None = segment
        self.figure.segment_index(segment)
        while at is not None:
            part = self._part_of.get(at, "")
            if part:
                return part.split()[0] if part.startswith(SIDES) else ""
            at = self.figure.segment(at).parent
        return ""

    @property
    def feet(self) -> dict[str, str]:
        """The main segment of the foot of each side."""
        return self._both("foot")

    @property
    def hands(self) -> dict[str, str]:
        """The main segment of the hand of each side that has one."""
        return self._both("hand")

    @property
    def head(self) -> str | None:
        """The main segment of the head; None if there is no head."""
        return self.parts["head"][-1] if "head" in self.parts else None

    @property
    def spine(self) -> tuple[str, ...]:
        """The main segment of each stage of the spine, from the pelvis upward."""
        return tuple(names[-1] for part, names in self.parts.items() if part.startswith("spine"))

    # Files

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a map file: JSON with one part on each line. You can edit it and pass it to `mk.bone_map`.

        Args:
            path: the file to write.
        """
        writing.write(path, self.to_json())

    def to_json(self) -> str:
        """The text of the map file."""
        lines = [f"    {json.dumps(part)}: {json.dumps(list(names))}" for part, names in self.parts.items()]
        legs = 4 if self.four_legged else 2
        head = f'{{\n  "figure": {json.dumps(self.figure.name)},\n  "up": "{self.figure.up}",\n  "legs": {legs},\n'
        more = "".join(f",\n  {json.dumps(k)}: {json.dumps(v)}" for k, v in self.by_hand.to_dict(self.figure).items())
        return head + '  "parts": {\n' + ",\n".join(lines) + "\n  }" + more + "\n}\n"

    @staticmethod
    def load(path: str | os.PathLike[str], figure: Figure) -> BoneMap:
        """Reads a map file for a figure. Parts that are not in the file are found automatically.

        Args:
            path: the map file.
            figure: the figure whose segments the file names.

        Raises:
            BadFile: the text is not JSON, or it has an unknown key, part or segment.
        """
        from manikin.figure.parts.find import bone_map

        return bone_map(figure, path)

    def __reduce__(self) -> tuple[Any, ...]:
        return (BoneMap, (self.figure, dict(self.parts), self.how, self.four_legged, self.notes, self.by_hand))

    # Looking

    def __repr__(self) -> str:
        legs = ", four legs" if self.four_legged else ""
        return f"<BoneMap of {self.figure.name!r}: {len(self.parts)} parts by {self.how}{legs}>"

    def __str__(self) -> str:
        return stacked([self._headline(), *text_table(("part", "segments"), self._rows()), *self.notes])

    def _repr_html_(self) -> str:
        return html_table(self._headline(), ("part", "segments"), self._rows(), self.notes, most_rows=len(self.parts))

    def _headline(self) -> str:
        legs = "four legs" if self.four_legged else "two legs"
        return f"{self.figure.name}: {len(self.parts)} parts by {self.how}, {legs}"

    def _rows(self) -> list[tuple[str, str]]:
        return [(part, ", ".join(names)) for part, names in self.parts.items()]

    def _both(self, limb: str) -> dict[str, str]:
        return {side: self.parts[f"{side} {limb}"][-1] for side in SIDES if f"{side} {limb}" in self.parts}

    @cached_property
    def _part_of(self) -> dict[str, str]:
        return {name: part for part, names in self.parts.items() for name in names}

    @cached_property
    def _said(self) -> dict[str, str]:
        """The parts of the other segments by their names: fingers, eyes."""
        named = zip(self.figure.segment_names, skeleton_of(self.figure).named, strict=True)
        return {name: str(part) for name, part in named if part and part.name != STILL}


def following(part: str) -> str:
    """The next part of a limb: "left shank" after "left thigh"."""
    side, _, limb = part.partition(" ")
    after = {"upper arm": "forearm", "forearm": "hand", "thigh": "shank", "shank": "foot", "foot": "toes"}
    return f"{side} {after[limb]}"


def checked_parts(figure: Figure, parts: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Checks parts and returns them in order. Names must be known, segments consecutive, and none in two parts.

    Raises:
        UnknownName, BadValue: the message names the part and what is wrong with it.
    """
    owner = f"the map of figure {figure.name!r}"
    order = part_order(owner, parts)
    out: dict[str, tuple[str, ...]] = {}
    taken: dict[str, str] = {}
    for part in order:
        names = parts[part]
        if isinstance(names, str) or not isinstance(names, Sequence) or not names:
            raise BadValue(f"{owner}: {part!r} is {names!r}; it needs a list of segments such as ['LeftLeg']")
        for name in names:
            if not isinstance(name, str) or name not in figure.segment_names:
                raise unknown_name(f"{owner}, part {part!r}: the figure", "segment", name, figure.segment_names)
            if name in taken:
                raise BadValue(
                    f"{owner}: {name!r} is in {taken[name]!r} and in {part!r}; a segment belongs to only one part"
                )
            taken[name] = part
        for above, name in itertools.pairwise(names):
            if figure.segment(name).parent != above:
                raise BadValue(
                    f"{owner}: {part!r} lists {above!r} before {name!r}, whose parent is "
                    f"{figure.segment(name).parent!r}; a part is a list of consecutive segments, parents first"
                )
        out[part] = tuple(names)
    return out


def part_order(owner: str, parts: Mapping[str, Any]) -> list[str]:
    """The names of the parts in the order of the table.

    Raises:
        UnknownName, BadValue: a name is not a part, or the numbers of spine or neck have a gap.
    """
    stages = {"spine": 0, "neck": 0}
    for part in parts:
        found = NUMBERED.fullmatch(part) if isinstance(part, str) else None
        if found:
            stages[found[1]] += 1
    known = ["pelvis"]
    known += [f"{name} {k}" for name in ("spine", "neck") for k in range(1, max(stages[name], 1) + 1)]
    known += ["head", *(f"{side} {limb}" for side in SIDES for limb in LIMBS)]
    for part in parts:
        if part not in known:
            if isinstance(part, str) and NUMBERED.fullmatch(part):
                raise BadValue(f"{owner}: {part!r} leaves a gap; number the stages from 1 without gaps")
            raise unknown_name(owner, "part", part, known)
    return [part for part in known if part in parts]


def read_map(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The keys of a map file, checked.

    Raises:
        BadFile: the file is not a map.
    """
    data = read_json(path, LARGEST_FILE, "a map")
    if not isinstance(data, dict):
        raise BadFile(path, f"a map is an object with the keys {listing(MAIN_KEYS)}, not {type(data).__name__}")
    for key in data:
        if key not in FILE_KEYS:
            raise BadFile(path, str(unknown_name("a map file", "key", key, FILE_KEYS)))
    if not isinstance(data.get("parts"), dict):
        raise BadFile(path, '\'parts\' is missing; it needs an object such as {"left thigh": ["LeftUpLeg"]}')
    return data
