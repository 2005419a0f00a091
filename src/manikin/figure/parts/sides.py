"""Which segment is the left of which right, by their names."""

from __future__ import annotations

from collections.abc import Sequence

from manikin.figure.parts.bone_names import SIDES, words

_SIDE_WORDS = {
    **{word: ("", side) for word, side in SIDES.items()},
    **{f"{end}{letter}": (end, SIDES[letter]) for end in "fhrb" for letter in "lr"},  # front, hind, rear, back
    **{f"{letter}{end}": (end, SIDES[letter]) for end in "fh" for letter in "lr"},
}
"""What a word says besides the side, and the side: "FL" is the front left leg of a quadruped."""


def side_pairs(names: Sequence[str]) -> dict[str, str]:
    """The segment of the other side for each segment that has one, both ways round.

    Names that differ in the side alone belong together. What is left is paired without its numbers, in order, where
    both sides have as many: files often number all segments through.

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
    """The words of a name with its side taken out, and the side; "" where it has none, or both."""
    key: list[str] = []
    sides: set[str] = set()
    for word in words(name):
        if word in _SIDE_WORDS:
            rest, side = _SIDE_WORDS[word]
            key.append(rest)
            sides.add(side)
        elif with_numbers or not word.isdigit():
            key.append(word)
    return tuple(key), sides.pop() if len(sides) == 1 else ""
