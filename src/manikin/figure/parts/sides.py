"""Finds pairs of left and right segments by their names."""

from __future__ import annotations

from collections.abc import Sequence

from manikin.figure.parts.bone_names import SIDES, words

SIDE_WORDS = {
    **{word: ("", side) for word, side in SIDES.items()},
    **{f"{end}{letter}": (end, SIDES[letter]) for end in "fhrb" for letter in "lr"},  # front, hind, rear, back
    **{f"{letter}{end}": (end, SIDES[letter]) for end in "fh" for letter in "lr"},
}
"""Maps a word to its other meaning and its side: "FL" is the front left leg of a quadruped."""


def side_pairs(names: Sequence[str]) -> dict[str, str]:
    """Maps segments to their counterparts on the other side, in both directions.

    Names that differ only in the side belong together. The remaining names are paired in order without their numbers,
    if both sides have equally many, because files often number all segments consecutively.

    Example:
        >>> side_pairs(["Hips", "LeftLeg", "RightLeg"])
        {'LeftLeg': 'RightLeg', 'RightLeg': 'LeftLeg'}
    """
    out: dict[str, str] = {}
    for with_numbers in (True, False):
        groups: dict[tuple[str, ...], dict[str, list[str]]] = {}
        for name in names:
            key, side = _without_side(name, with_numbers)
            if side and name not in out:
                groups.setdefault(key, {"left": [], "right": []})[side].append(name)
        for group in groups.values():
            if len(group["left"]) == len(group["right"]):
                for left, right in zip(group["left"], group["right"], strict=True):
                    out |= {left: right, right: left}
    return out


def _without_side(name: str, with_numbers: bool) -> tuple[tuple[str, ...], str]:
    """The words of a name without its side, and the side; "" if it has no side, or both."""
    key: list[str] = []
    sides: set[str] = set()
    for word in words(name):
        if word in SIDE_WORDS:
            rest, side = SIDE_WORDS[word]
            key.append(rest)
            sides.add(side)
        elif with_numbers or not word.isdigit():
            key.append(word)
    return tuple(key), sides.pop() if len(sides) == 1 else ""
