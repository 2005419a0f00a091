"""A new native kind of goal is written in the places that CONTRIBUTING lists, and nowhere else.

The list is walked for every kind that exists: it has a number in Python, an error in the kernels, and no line outside
the places listed.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from manikin.goals import native_terms

ROOT = Path(__file__).parents[2]
CPP = ROOT / "cpp"
MODEL = "cpp/model/goals.h"
EVALUATE = {"PartKind": "cpp/kernels/solver/evaluate/goals.h", "LinkKind": "cpp/kernels/solver/evaluate/all_links.h"}
MORE = {"kPosition", "kOrientation", "kBalance", "kClearance", "kCallback"}
"""Kinds with more places: limbs, chains and arms are built on positions and orientations; the last three have arrays
of their own (contacts, solids, effectors)."""


def listed() -> list[list[str]]:
    """The paths of each item of the list in CONTRIBUTING, under "Adding a goal"."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.split("## Adding a goal")[1].split("\n## ")[0].split("to the core:")[1]
    return [re.findall(r"`((?:cpp|src)/[\w/.]+)`", item) for item in re.findall(r"^\d\. (.+)$", section, re.MULTILINE)]


def kinds() -> dict[str, dict[str, int]]:
    """Enumerators of PartKind and LinkKind with their numbers."""
    text = (ROOT / MODEL).read_text(encoding="utf-8")
    found = re.findall(r"^enum (PartKind|LinkKind) : int \{([^}]*)\}", text, re.MULTILINE)
    return {name: {k: int(n) for k, n in re.findall(r"(k\w+) = (\d+)", body)} for name, body in found}


def places(kind: str) -> set[str]:
    """Files of cpp/ in whose code a kind is named."""
    out = set()
    for path in CPP.rglob("*"):
        if path.suffix in (".h", ".cpp"):
            code = re.sub(r"//.*", "", path.read_text(encoding="utf-8"))
            if re.search(rf"\b{kind}\b", code):
                out.add(path.relative_to(ROOT).as_posix())
    return out


ALL = [(group, kind, number) for group, members in kinds().items() for kind, number in members.items()]


def test_the_list_has_at_most_four_items_and_its_files_exist() -> None:
    items = listed()
    assert 1 <= len(items) <= 4
    assert all(items)
    assert not [path for item in items for path in item if not (ROOT / path).is_file()]


def test_there_are_kinds_of_both_groups() -> None:
    assert set(kinds()) == set(EVALUATE)
    assert all(len(members) >= 5 for members in kinds().values())


@pytest.mark.parametrize(("group", "kind", "number"), ALL, ids=str)
def test_a_kind_has_the_same_number_in_python(group: str, kind: str, number: int) -> None:
    name = re.sub(r"(?<!^)(?=[A-Z])", "_", kind[1:]).upper()
    assert getattr(native_terms, name) == number


@pytest.mark.parametrize(("group", "kind", "number"), ALL, ids=str)
def test_a_kind_stands_in_the_listed_places_only(group: str, kind: str, number: int) -> None:
    paths = {path for item in listed() for path in item}
    found = places(kind)
    assert {MODEL, EVALUATE[group]} <= found & paths
    if kind not in MORE:
        assert found <= paths
