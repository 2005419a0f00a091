"""C3D files of motion capture. `parameters` reads the header and the parameters, `points` reads the frames, and `write`
writes files. Analog data are not read.

The package does not use ezc3d (1.7): it does not read MIPS files, reads the padding of the last block as frames, and
crashes on some files. The tests compare the results for files that ezc3d reads.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from manikin.arrays import Matrix, Vector
from manikin.base import writing
from manikin.base.reading import read_bytes
from manikin.errors import BadFile, listing
from manikin.files.c3d import write
from manikin.files.c3d.parameters import Head, read_head
from manikin.files.c3d.points import Layout, layout, read_points
from manikin.files.common import oddities
from manikin.files.common.marker_words import metres, unique
from manikin.files.common.names import require
from manikin.motion.markers import UPS, Markers

OUTPUTS = ("ANGLES", "FORCES", "MOMENTS", "POWERS", "SCALARS", "REACTIONS", "MODELED_MARKERS")
"""Parameters of POINT that list computed points. All but the last list points that are not positions."""


def load_markers(path: str | os.PathLike[str]) -> Markers:
    """Reads the markers of a C3D file.

    Names are those of the file, including the prefix for the subject if there is one ("Anna:LASI"); `markers["LASI"]`
    finds the marker too. A marker without a name is called MarkerN, where N is its position from 1. A repeated name
    gets a number, as in "LASI.2". Points that are angles, forces, moments or powers are left out; Vicon's models write
    them among the markers.

    `source` has "processor", "frames" (frame numbers of the recording), "screen" (POINT:X_SCREEN, Y_SCREEN),
    "descriptions" by name, "events" (each with time in seconds, label, context, subject, description), "outputs" (the
    points left out, by kind), "notes".

    Raises:
        BadFile: the file is cut off or wrong; the message names the byte.
    """
    data = read_bytes(path)
    notes: list[str] = []
    head = read_head(path, data, notes)
    at = layout(head, len(data), notes)
    positions, residuals, cameras = read_points(head, data, at)
    names, descriptions = _names(head, at.points, notes)
    left_out = _outputs(head, names, notes)
    keep = [i for i, name in enumerate(names) if name not in {n for kind in left_out.values() for n in kind}]
    if not keep:
        raise BadFile(path, f"none of the {at.points} points is a marker: they are {', '.join(left_out).lower()}")
    if len(keep) < at.points:
        positions, residuals, cameras = positions[:, keep], residuals[:, keep], cameras[:, keep]
    kept = [names[i] for i in keep]
    times, rate = _times(head, at, notes)
    markers = Markers(
        kept,
        positions,
        times,
        rate=rate,
        unit=_unit(head, notes),
        up=_up(head, notes),
        residuals=residuals,
        cameras=cameras,
        name=Path(path).stem,
        source={
            "format": "c3d",
            "processor": head.processor,
            "frames": range(at.first, at.first + at.frames),
            "units": " ".join(head.texts("POINT", "UNITS")[:1]),
            "screen": tuple(" ".join(head.texts("POINT", f"{axis}_SCREEN")[:1]) for axis in "XY"),
            "descriptions": {names[i]: descriptions[i] for i in keep if descriptions[i]},
            "events": _events(head),
            "outputs": left_out,
            "notes": tuple(notes),
        },
    )
    oddities.tell(path, notes)
    return markers


def save(markers: Markers, path: str | os.PathLike[str]) -> None:
    """Writes markers as C3D: Intel format, 32-bit floating point, unit and rate unchanged.

    Residuals are rounded to 1/256 of the largest. Frames that are not evenly spaced are resampled, with a warning.
    Analog data of the original file are not kept.
    """
    require(markers.names, "marker", "C3D", r"\x00", trimmed=True)
    with writing.writing(path) as file:
        file.write(write.content(markers))


def _names(head: Head, count: int, notes: list[str]) -> tuple[list[str], list[str]]:
    """The name and description of each point. Lists of more than 255 names continue in LABELS2, LABELS3 and so on."""
    lists = []
    for name in ("LABELS", "DESCRIPTIONS"):
        texts = head.texts("POINT", name)
        for k in range(2, 2 + count // 255):
            texts += head.texts("POINT", f"{name}{k}")
        lists.append((texts + [""] * count)[:count])
        if name == "LABELS":
            labelled = len(texts)
    names, twice, empty = unique(lists[0])
    if twice:
        notes.append(f"markers with the same name get a number: {listing(twice)}")
    if empty:
        what = f"{count} points have {labelled} labels" if labelled < count else f"{len(empty)} points have no label"
        notes.append(f"{what}; points without a label are called {listing([names[i] for i in empty])}")
    return names, lists[1]


def _outputs(head: Head, names: list[str], notes: list[str]) -> dict[str, tuple[str, ...]]:
    """Points that are not positions, by the parameter of POINT that lists them."""
    there = set(names)
    kinds = {}
    for kind in OUTPUTS[:-1]:
        listed = tuple(n for n in head.texts("POINT", kind) if n in there)
        if listed:
            kinds[kind] = listed
    if kinds:
        which = "; ".join(f"{kind.lower()} {listing(listed, 4)}" for kind, listed in kinds.items())
        notes.append(f"points that are not markers are left out: {which}")
    return kinds


def _times(head: Head, at: Layout, notes: list[str]) -> tuple[Vector, float | None]:
    """(frames,) seconds, with frame 1 of the recording at 0, and frames per second."""
    numbers = np.arange(at.first - 1, at.first - 1 + at.frames, dtype=np.float64)
    stated, header = head.number("POINT", "RATE"), head.real(11)
    for rate in (stated, header, head.number("TRIAL", "CAMERA_RATE")):
        if rate is not None and np.isfinite(rate) and 1e-9 < rate < 1e9:
            if stated and rate == stated and np.isfinite(header) and abs(header - rate) > 1e-4 * rate:
                notes.append(
                    f"the header says {header:g} frames per second, POINT:RATE says {rate:g}; POINT:RATE is used"
                )
            return numbers / rate, rate
    notes.append("the file does not state the number of frames per second; the frames are assumed to be 1 s apart")
    return numbers, None


def _unit(head: Head, notes: list[str]) -> float | None:
    words = head.texts("POINT", "UNITS")
    word = words[0] if words else ""
    unit = metres(word)
    if unit is None:
        said = f"POINT:UNITS is {word!r}, which is not a known unit" if word else "the file does not state its unit"
        notes.append(f"{said}; lengths are not converted, and unit is None")
    return unit


def _up(head: Head, notes: list[str]) -> str | None:
    """The axis that points up on the screen; None if the file does not say, or if the axis points down."""
    texts = head.texts("POINT", "Y_SCREEN")
    text = texts[0].lower() if texts else ""
    axis = text.lstrip("+-").strip()
    if axis not in UPS:
        return None
    if text.startswith("-"):
        notes.append(f"POINT:Y_SCREEN is {texts[0]!r}: {axis} points down, so up is None")
        return None
    return axis


def _events(head: Head) -> tuple[dict[str, Any], ...]:
    """The events from the parameters, or else from the header."""
    times: Matrix = np.asarray(head.numbers("EVENT", "TIMES"), dtype=np.float64)
    if times.ndim == 2 and times.shape[0] == 2 and times.shape[1]:
        count = min(times.shape[1], head.count("EVENT", "USED") or times.shape[1])
        seconds = 60.0 * times[0, :count] + times[1, :count]
        columns = {
            key: (head.texts("EVENT", name) + [""] * count)[:count]
            for key, name in (
                ("label", "LABELS"),
                ("context", "CONTEXTS"),
                ("subject", "SUBJECTS"),
                ("description", "DESCRIPTIONS"),
            )
        }
        return tuple(
            {"time": float(t), **{key: texts[k] for key, texts in columns.items()}} for k, t in enumerate(seconds)
        )
    count = head.word(151) if head.word(150) == 12345 else 0
    if not 0 < count <= 18:
        return ()
    labels = head.block[396 : 396 + 4 * count]
    return tuple(
        {"time": head.real(153 + 2 * k), "label": labels[4 * k : 4 * k + 4].decode("latin-1").strip(" \0")}
        for k in range(count)
    )
