"""What files of markers share: words for units, and names that are there once."""

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
"""One length in metres, by the short word of its unit. The first four and inches and feet are what files have."""
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
    "inche": "in",  # what is left of inches
    '"': "in",
    "foot": "ft",
    "feet": "ft",
    "yard": "yd",
}
"""Other spellings, without the s of the plural."""


def metres(word: str) -> float | None:
    """What one length of a unit is in metres, in any case and spelling; None where the word is not known.

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
    """The short word of a unit given in metres; None where it has none."""
    return next((word for word, size in METRES.items() if abs(size - unit) <= 1e-12 * size), None)


def unique(names: Sequence[str]) -> tuple[list[str], list[str], list[int]]:
    """Names made different: an empty one becomes MarkerN, a repeated one gets a number, as in "LASI.2".

    Returns:
        The names, those that were repeated, and the places (from 0) of those that were empty.
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
