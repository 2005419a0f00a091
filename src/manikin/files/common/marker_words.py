"""Code shared by the marker formats: names of units, and unique marker names."""

from __future__ import annotations

from collections.abc import Sequence

METRES = {
    "m": 1.0,
    "mm": 1e-3,
    "cm": 1e-2,
    "dm": 0.1,
    "km": 1e3,
    "um": 1e-6,
    "µm": 1e-6,
    "in": 0.0254,
    "ft": 0.3048,
    "yd": 0.9144,
}
"""The length of a unit in metres, by its abbreviation. The units that files usually have are the first four, inches and
feet."""
_LONG = {
    "meter": "m",
    "metre": "m",
    "millimeter": "mm",
    "millimetre": "mm",
    "centimeter": "cm",
    "centimetre": "cm",
    "decimeter": "dm",
    "decimetre": "dm",
    "kilometer": "km",
    "kilometre": "km",
    "micrometer": "um",
    "micrometre": "um",
    "micron": "um",
    "inch": "in",
    "inche": "in",  # "inches" without the plural s
    '"': "in",
    "foot": "ft",
    "feet": "ft",
    "yard": "yd",
}
"""Other spellings, without the plural s."""


def metres(word: str) -> float | None:
    """The length of a unit in metres, for any case and spelling; None if the word is unknown.

    Example:
        >>> metres("mm"), metres("Inches"), metres("furlong")
        (0.001, 0.0254, None)
    """
    short = word.strip().strip("[]().").lower()
    for spelling in (short, short.removesuffix("s")):
        found = METRES.get(_LONG.get(spelling, spelling))
        if found is not None:
            return found
    return None


def word_of(unit: float) -> str | None:
    """The abbreviation of a unit given in metres; None if it has none."""
    return next((word for word, size in METRES.items() if abs(size - unit) <= 1e-12 * size), None)


def unique(names: Sequence[str]) -> tuple[list[str], list[str], list[int]]:
    """Makes names unique: an empty one becomes MarkerN, and a repeated one gets a number, as in "LASI.2".

    Returns:
        The names, the repeated ones, and the indices (from 0) of the empty ones.
    """
    given = {n for n in names if n}
    used: set[str] = set()
    last: dict[str, int] = {}
    out: list[str] = []
    twice: list[str] = []
    empty: list[int] = []
    for i, name in enumerate(names):
        wanted = name or f"Marker{i + 1}"
        if not name:
            empty.append(i)
        elif name in used and name not in twice:
            twice.append(name)
        free = wanted
        if free in used or (not name and free in given):
            k = last.get(wanted, 1)
            while free in used or free in given:
                k += 1
                free = f"{wanted}.{k}"
            last[wanted] = k
        used.add(free)
        out.append(free)
    return out, twice, empty
