"""Constants of the native core: no name twice, and every tunable one in a constants.h with a sentence above it."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

CPP = Path(__file__).parents[2] / "cpp"
DEFINITION = re.compile(r"^(?:static |inline )*const(?:expr)? [\w:]+ (k[A-Z]\w*)(?:\[\d*\])* = ")
ENUMERATION = re.compile(r"^enum \w+[^{]*\{([^}]*)\}", re.MULTILINE)
ELSEWHERE = {
    *("kLeastArm", "kCellsR", "kRowsAPart", "kWides"),  # sizes of the data, not tuned
    *("kCalm", "kCalmDamping", "kLean"),  # the calm of arms, with the functions that use it: model/arm_calm.h
    "kLostTwist",  # where a formula ends: math/swing_twist.h
    "kLargestAngle",  # where the reduction of sine and cosine ends: math/lanes.h
    *("kFloor", "kProximalSteps", "kPatience", "kCapPerAngle"),  # named as in the twin of the bounded step
    *("kSlack", "kRowsSlack", "kEpsilon", "kSmallest"),
    *("kNumber", "kFormat", "kName", "kPlain", "kWritable", "kOne"),  # numbers of NumPy's C interface
    *("kArraysVersion", "kMagic", "kHead", "kArrayHead", "kLongestName", "kLargestWhole"),  # the format of a block
    *("kRowObjects", "kWords", "kInAll", "kNotBegun"),  # counts and names, nothing to tune
    "kInputs",  # which inputs of the net are mirror images: it follows from their order
}
"""Names, at the start of a line, of constants that stand beside the code they belong to."""


def defined(text: str) -> list[str]:
    """Names of all constants that a file defines outside functions, enumerators included."""
    names = []
    for line in text.splitlines():
        if DEFINITION.match(line):
            names += re.findall(r"\b(k[A-Z]\w*)(?:\[\d*\])* = ", line.split("//")[0])
    for found in ENUMERATION.finditer(text):
        names += re.findall(r"\b(k[A-Z]\w*)", found.group(1))
    return names


def sources() -> dict[str, str]:
    paths = (path for path in CPP.rglob("*") if path.suffix in (".h", ".cpp"))
    return {path.relative_to(CPP).as_posix(): path.read_text(encoding="utf-8") for path in sorted(paths)}


def test_no_two_constants_share_a_name() -> None:
    counts = Counter(name for text in sources().values() for name in defined(text))
    assert len(counts) > 200
    assert not {name for name, count in counts.items() if count > 1}


def test_tunable_constants_stand_in_a_constants_header() -> None:
    wrong = [
        f"{name}: {found.group(1)}"
        for name, text in sources().items()
        if not name.endswith("constants.h")
        for line in text.splitlines()
        if (found := DEFINITION.match(line)) and line.startswith(("constexpr", "static constexpr"))
        if found.group(1) not in ELSEWHERE
    ]
    assert not wrong


@pytest.mark.parametrize("name", [name for name in sources() if name.endswith("constants.h")])
def test_every_tunable_constant_has_a_sentence_above_it(name: str) -> None:
    lines = sources()[name].splitlines()
    plain = {"kPi", "kTwoPi", "kInfinity"}  # say what they are by their names
    bare = [
        found.group(1)
        for above, line in pairwise(lines)
        if (found := DEFINITION.match(line)) and found.group(1) not in plain
        if not (above.startswith("// ") and above.endswith("."))
    ]
    assert not bare


def test_constants_are_read_right() -> None:
    lines = [
        "constexpr int kA = 1, kB = 2;  // kC = 3",
        "static const Four kD[3] = {};",
        "enum E : int { kF = 0, kG };",
        "  const double kLocal = 1;",
    ]
    assert defined("\n".join(lines)) == ["kA", "kB", "kD", "kF", "kG"]
