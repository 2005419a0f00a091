"""Where markers are attached to a figure, with uncertainties; and the attachment file."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from manikin import arrays
from manikin.base import writing
from manikin.base.json_file import read_json
from manikin.errors import BadFile, BadValue, ManikinError, listing, unknown_name
from manikin.figure import Figure
from manikin.figure.html_table import html_table
from manikin.figure.joint import Numbers
from manikin.motion.marker_fit.body import MarkerBody
from manikin.motion.marker_fit.landmarks import BONY, JOINT, LANDMARKS, TRACKING, WHOLE, WORDS, landmark_of
from manikin.motion.markers import SUBJECT

KINDS = (BONY, TRACKING, JOINT)
FORMAT, VERSION = "manikin-attachments", 1
LARGEST_FILE = 16 * 2**20
"""Largest size of an attachment file, in bytes."""
KEYS = ("format", "version", "figure", "unit", "calibrated", "scales", "twists", "valgus", "markers")
EXAMPLES = {"scales": '{"thigh": 1.05}', "twists": '{"LeftFoot": 0.1}', "valgus": '{"LeftLeg": 0.05}'}
LARGEST_VALGUS = 0.5
"""In radians."""
MARKER_KEYS = ("name", "segment", "offset", "sigma", "weight", "kind", "names")


@dataclass(frozen=True)
class Attachment:
    """One marker on a segment."""

    name: str
    """Name of the marker, without the subject."""
    segment: str
    """Name of the segment that carries it."""
    offset: Numbers
    """(3,) its place in the space of the segment, in metres."""
    sigma: float = 0.0075
    """Standard deviation of the place before a calibration, in metres."""
    weight: float = 1.0
    """How much the marker counts."""
    kind: str = BONY
    """"bony", "tracking", or "joint" for a computed joint centre."""
    names: tuple[str, ...] = ()
    """Other names of the same marker."""

    def __post_init__(self) -> None:
        owner = f"attachment {arrays.text(self.name, 'attachment: name')!r}"
        arrays.text(self.segment, f"{owner}: segment")
        place = arrays.vector3(self.offset, f"{owner}: offset")
        object.__setattr__(self, "offset", tuple(float(x) for x in place))
        object.__setattr__(self, "sigma", arrays.positive(self.sigma, f"{owner}: sigma"))
        object.__setattr__(self, "weight", arrays.non_negative(self.weight, f"{owner}: weight"))
        if self.kind not in KINDS:
            raise BadValue(f"{owner}: kind is {self.kind!r}; it must be one of {listing(KINDS)}")
        if isinstance(self.names, str) or not all(isinstance(n, str) for n in self.names):
            raise BadValue(f"{owner}: names is {self.names!r}; it must be a list of strings")
        object.__setattr__(self, "names", tuple(self.names))


@dataclass(frozen=True, eq=False, repr=False)
class Attachments:
    """The markers of a set, and scales of the figure if they were calibrated; immutable.

    Example:
        >>> import manikin as mk
        >>> attach = mk.Attachments.from_names(["LASI", "RASI", "LKNE", "Ball"], mk.human())
        >>> attach["LKNE"].segment, attach["LKNE"].kind, attach.unknown
        ('LeftUpLeg', 'bony', ('Ball',))
    """

    markers: tuple[Attachment, ...]
    """Where each marker is on the figure."""
    figure: str = ""
    """Name of the figure."""
    scales: Mapping[str, float] = field(default_factory=dict)
    """Factors of lengths by group ("thigh") or by segment ("LeftUpLeg"); groups that are not named have 1."""
    twists: Mapping[str, float] = field(default_factory=dict)
    """Joints whose twist is held in every trial, and the twist in radians."""
    calibrated: bool = False
    """Whether scales and places come from a calibration."""
    unknown: tuple[str, ...] = ()
    """Names for which no place is known."""
    valgus: Mapping[str, float] = field(default_factory=dict)
    """Knees whose shank leans outward (positive) or inward from the plane of the thigh, and the angle in radians."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "markers", tuple(self.markers))
        seen: dict[str, str] = {}
        for marker in self.markers:
            for name in (marker.name, *marker.names):
                if name in seen:
                    raise BadValue(f"attachments: {name!r} is a name of two markers; names must differ")
                seen[name] = marker.name
        scales = {str(k): arrays.positive(v, f"attachments: scale of {k!r}") for k, v in self.scales.items()}
        object.__setattr__(self, "scales", scales)
        twists = {str(k): arrays.scalar(v, f"attachments: twist of {k!r}") for k, v in self.twists.items()}
        object.__setattr__(self, "twists", twists)
        valgus = {str(k): arrays.scalar(v, f"attachments: valgus of {k!r}") for k, v in self.valgus.items()}
        for name, angle in valgus.items():
            if abs(angle) > LARGEST_VALGUS:
                raise BadValue(
                    f"attachments: valgus of {name!r} is {angle:g} rad; it must be within ±{LARGEST_VALGUS:g} rad"
                )
        object.__setattr__(self, "valgus", valgus)

    @staticmethod
    def from_names(names: Iterable[str], figure: Figure, bones: Any = None) -> Attachments:
        """Attachments for marker names of common sets: Plug-in Gait, CMU, Cleveland, the OpenSim examples.

        Args:
            names: marker names. A subject, as in "Anna:LASI", is dropped.
            figure: a person with a known unit.
            bones: as in `mk.bone_map`.
        """
        metres = figure.in_metres()
        return named(list(names), MarkerBody(metres, bones))

    # As a collection

    def __len__(self) -> int:
        return len(self.markers)

    def __iter__(self) -> Iterator[Attachment]:
        return iter(self.markers)

    def find(self, name: str) -> Attachment | None:
        """The attachment of a marker by its name or another name, with or without its subject; None if there is
        none.

        Args:
            name: name of the marker.
        """
        index = self._index
        return index.get(name) or index.get(name.rpartition(SUBJECT)[2])

    @cached_property
    def _index(self) -> dict[str, Attachment]:
        """The markers by all their names."""
        return {name: marker for marker in self.markers for name in (marker.name, *marker.names)}

    def __getitem__(self, name: str) -> Attachment:
        found = self.find(name)
        if found is None:
            raise unknown_name("attachments", "marker", name, [m.name for m in self.markers])
        return found

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.find(name) is not None

    def replaced(self, **changes: Any) -> Attachments:
        """Attachments with some fields changed. A marker name as a keyword changes that marker:
        `attach.replaced(LASI={"sigma": 0.005})`.

        Args:
            changes: new values of fields, or of fields of a marker, by name.
        """
        own = {key: value for key, value in changes.items() if key in self.__dataclass_fields__}
        out = replace(self, **own)
        for name, fields in changes.items():
            if name in own:
                continue
            marker = out[name]
            if not isinstance(fields, Mapping):
                raise BadValue(f"{name} is {fields!r}; it needs the changed fields such as {{'sigma': 0.005}}")
            for key in fields:
                if key not in MARKER_KEYS:
                    raise unknown_name(f"attachment {name!r}", "field", key, MARKER_KEYS)
            changed = tuple(replace(m, **fields) if m is marker else m for m in out.markers)
            out = replace(out, markers=changed)
        return out

    # Files

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes an attachment file: JSON with one marker on each line.

        Args:
            path: the file to write.
        """
        writing.write(path, self.to_json())

    def to_json(self) -> str:
        """The text of the attachment file."""
        head: dict[str, Any] = {"format": FORMAT, "version": VERSION, "figure": self.figure, "unit": 1.0}
        head |= {"calibrated": self.calibrated, "scales": dict(self.scales)}
        head |= {"twists": dict(self.twists)} if self.twists else {}
        head |= {"valgus": dict(self.valgus)} if self.valgus else {}
        lines = [f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
        rows = ["    " + json.dumps(_row(m)) for m in self.markers]
        return "{\n" + ",\n".join(lines) + ',\n  "markers": [\n' + ",\n".join(rows) + "\n  ]\n}\n"

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Attachments:
        """Reads an attachment file.

        Args:
            path: the file.

        Raises:
            BadFile: the text is not JSON, or it has an unknown key or a wrong value.
        """
        data = read_json(path, LARGEST_FILE, "attachments")
        try:
            return _from_data(data)
        except (ManikinError, TypeError) as error:
            raise BadFile(path, str(error)) from error

    # Looking

    def __repr__(self) -> str:
        state = "calibrated" if self.calibrated else "not calibrated"
        return f"<Attachments for {self.figure!r}: {len(self)} markers, {state}>"

    def _rows(self) -> list[tuple[str, ...]]:
        return [
            (m.name, m.segment, " ".join(f"{1000 * x:.0f}" for x in m.offset), f"{1000 * m.sigma:.3g}", m.kind)
            for m in self.markers
        ]

    def _repr_html_(self) -> str:
        head = ("marker", "segment", "offset mm", "sigma mm", "kind")
        return html_table(repr(self).strip("<>"), head, self._rows(), most_rows=len(self))


def named(names: Sequence[str], body: MarkerBody) -> Attachments:
    """The attachments of marker names on a body. If two names stand for one landmark, both are attached there."""
    found: list[Attachment] = []
    unknown: list[str] = []
    for name in names:
        bare = name.rpartition(SUBJECT)[2]
        landmark = landmark_of(bare)
        place = None if landmark is None else body.place(*landmark)
        if landmark is None or place is None:
            unknown.append(name)
            continue
        segment, offset = place
        facts = LANDMARKS[landmark[0]]
        sigma = facts.sigma * body.size_ratio
        found.append(Attachment(bare, segment, tuple(offset.tolist()), sigma, 1.0, facts.kind))
    return Attachments(tuple(found), body.figure.name, unknown=tuple(unknown))


def known_words() -> list[str]:
    """Marker names that `named` knows, as examples for messages: sided ones with L."""
    return [*(f"L{word.upper()}" for word in WORDS), *(word.upper() for word in WHOLE)]


def _row(marker: Attachment) -> dict[str, Any]:
    row: dict[str, Any] = {
        "name": marker.name,
        "segment": marker.segment,
        "offset": [round(x, 7) for x in marker.offset],
    }
    row |= {"sigma": round(marker.sigma, 7), "weight": marker.weight, "kind": marker.kind}
    return row | ({"names": list(marker.names)} if marker.names else {})


def _from_data(data: Any) -> Attachments:
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise BadValue(f'an attachment file is an object with "format": {FORMAT!r}')
    if data.get("version") != VERSION:
        raise BadValue(f"'version' is {data.get('version')!r}; this version of manikin reads version {VERSION}")
    for key in data:
        if key not in KEYS:
            raise unknown_name("an attachment file", "key", key, KEYS)
    unit = arrays.positive(data.get("unit", 1.0), "'unit'")
    rows = data.get("markers")
    if not isinstance(rows, list):
        raise BadValue("'markers' is missing; it needs a list of objects")
    markers = []
    for k, row in enumerate(rows):
        if not isinstance(row, dict) or any(key not in row for key in ("name", "segment", "offset")):
            raise BadValue(f"markers[{k}] is {row!r}; it needs an object with name, segment and offset")
        for key in row:
            if key not in MARKER_KEYS:
                raise unknown_name(f"markers[{k}]", "key", key, MARKER_KEYS)
        place = unit * arrays.vector3(row["offset"], f"markers[{k}]: offset")
        more: dict[str, Any] = {key: row[key] for key in ("weight", "kind", "names") if key in row}
        if "sigma" in row:
            more["sigma"] = unit * arrays.positive(row["sigma"], f"markers[{k}]: sigma")
        markers.append(Attachment(row["name"], row["segment"], tuple(np.asarray(place).tolist()), **more))
    scales, twists, valgus = ({} if data.get(key) is None else data[key] for key in EXAMPLES)
    for value, (key, example) in zip((scales, twists, valgus), EXAMPLES.items(), strict=True):
        if not isinstance(value, dict):
            raise BadValue(f"{key!r} is {value!r}; it needs an object such as {example}")
    calibrated = data.get("calibrated", bool(scales))
    if not isinstance(calibrated, bool):
        raise BadValue(f"'calibrated' is {calibrated!r}; it must be true or false")
    return Attachments(tuple(markers), str(data.get("figure", "")), scales, twists, calibrated, valgus=valgus)
