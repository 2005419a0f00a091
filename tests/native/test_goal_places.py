"""A new native kind of goal is written in the places that CONTRIBUTING lists, and nowhere else.

The list is walked for every kind that exists: it has a line in the table of its group, an error in the kernels, and no
line outside the places listed.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

_core = pytest.importorskip("manikin._core", reason="the native core is not built")

ROOT = Path(__file__).parents[2]
CPP = ROOT / "cpp"
MODEL = "cpp/model/goals.h"
EVALUATE = {"PartKind": "cpp/kernels/solver/evaluate/goals.h", "LinkKind": "cpp/kernels/solver/evaluate/all_links.h"}
NAMES = {"PartKind": _core.PART_KINDS, "LinkKind": _core.LINK_KINDS}
MOST_FILES = 5
"""A goal with a kind of its own touches at most this many source files."""
MORE = {"kPosition", "kOrientation", "kRelativeOrientation", "kBalance", "kClearance", "kCallback"}
"""Kinds with more places: limbs, chains and arms are built on positions and orientations; the exact rows of relative
orientations are in information.cpp; the last three have arrays of their own (contacts, solids, effectors)."""


def listed(after: str) -> list[list[str]]:
    """The paths of each item of the list in CONTRIBUTING, under "Adding a goal", that follows some words."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.split("## Adding a goal")[1].split("\n## ")[0]
    items = re.findall(r"^\d\. (.+)$", section[section.index(after) :].split("\n\n")[1], re.MULTILINE)
    return [re.findall(r"`((?:cpp|src)/[\w/.<>]+)`", item) for item in items]


def core_places() -> list[list[str]]:
    return listed("to the core.")


def kinds() -> dict[str, list[str]]:
    """Enumerators of PartKind and LinkKind, in order."""
    text = (ROOT / MODEL).read_text(encoding="utf-8")
    found = re.findall(r"^enum (PartKind|LinkKind) : int \{([^}]*)\}", text, re.MULTILINE)
    return {name: re.findall(r"k\w+", body)[:-1] for name, body in found}


def places(kind: str) -> set[str]:
    """Files of cpp/ in whose code a kind is named."""
    out = set()
    for path in CPP.rglob("*"):
        if path.suffix in (".h", ".cpp"):
            code = re.sub(r"//.*", "", path.read_text(encoding="utf-8"))
            if re.search(rf"\b{kind}\b", code):
                out.add(path.relative_to(ROOT).as_posix())
    return out


ALL = [(group, kind) for group, members in kinds().items() for kind in members]


def test_a_native_goal_touches_at_most_five_files_and_they_exist() -> None:
    items, own = core_places(), listed("")[:2]
    assert all(items)
    assert not [path for item in items for path in item if not (ROOT / path).is_file()]
    assert len(own) + len(items) <= MOST_FILES


def test_there_are_kinds_of_both_groups() -> None:
    assert set(kinds()) == set(EVALUATE)
    assert all(len(members) >= 5 for members in kinds().values())


@pytest.mark.parametrize("group", sorted(EVALUATE))
def test_the_kinds_have_the_names_of_their_group_in_order(group: str) -> None:
    names = [re.sub(r"(?<!^)(?=[A-Z])", "_", kind[1:]).lower() for kind in kinds()[group]]
    assert tuple(names) == NAMES[group]


@pytest.mark.parametrize(("group", "kind"), ALL, ids=str)
def test_a_kind_stands_in_the_listed_places_only(group: str, kind: str) -> None:
    paths = {path for item in core_places() for path in item}
    found = places(kind)
    assert {MODEL, EVALUATE[group]} <= found & paths
    if kind not in MORE:
        assert found <= paths
