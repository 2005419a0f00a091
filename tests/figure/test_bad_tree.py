"""Bad input while parts are put together: figures, builders, records: one clear error each."""

# mypy: disable-error-code="arg-type, list-item, misc"
# Wrong types are what these tests are about.

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from checks import Case, assert_refused

from manikin.errors import BadShape, BadValue, UnknownName
from manikin.figure import Ball, Coupling, Euler, Figure, Hinge, Joint, Segment, chain, tree

GOOD_RECORD = chain(2).to_dict()


def hinged(*names: str) -> list[Segment]:
    """A chain of hinges by name, the first the root."""
    return [Segment(n, names[i - 1] if i else None, Hinge(), offset=(1, 0, 0)) for i, n in enumerate(names)]


def following(name: str, source: Any, limits: Any = None, **more: Any) -> Segment:
    return Segment(name, "A", Joint(motions=(Hinge(limits=limits),), coupling=Coupling(source, **more)))


def record(**changes: Any) -> Figure:
    """A good record with some keys changed, or (...) left out."""
    data = {**GOOD_RECORD, **changes}
    return Figure.from_dict({k: v for k, v in data.items() if v is not ...})


def one(**joint: Any) -> Figure:
    return record(segments=[{"name": "A", "joint": joint}])


FIGURES: dict[str, Case] = {
    "no segments": (lambda: Figure("f", []), BadValue, r"figure 'f' has no segments; it needs at least a root"),
    "segments None": (lambda: Figure("f", None), BadValue, r"figure 'f': segments are None; .* Segment"),
    "segments one": (lambda: Figure("f", Segment("A")), BadValue, r"figure 'f': segments are Segment"),
    "segment a name": (lambda: Figure("f", ["A"]), BadValue, r"figure 'f': 'A' is not a Segment"),
    "name a number": (lambda: Figure(3, hinged("A")), BadValue, r"figure name is 3; it needs a string"),
    "duplicate names": (
        lambda: Figure("f", [*hinged("A", "B"), Segment("B", "A")]),
        BadValue,
        r"figure 'f' has two segments named 'B'; names must differ",
    ),
    "duplicate joints": (
        lambda: Figure("f", [Segment("A"), Segment("B", "A", Joint("A", (Hinge(),)))]),
        BadValue,
        r"figure 'f' has two joints named 'A'; names must differ",
    ),
    "no root": (
        lambda: Figure("f", [Segment("A", "B"), Segment("B", "A")]),
        BadValue,
        r"figure 'f' has no root: every segment has a parent; one segment needs parent=None",
    ),
    "its own parent": (lambda: Figure("f", [Segment("A", "A")]), BadValue, r"figure 'f' has no root"),
    "two roots": (
        lambda: Figure("f", [Segment("A"), Segment("B")]),
        BadValue,
        r"figure 'f' has 2 roots: A, B; it needs one",
    ),
    "a cycle": (
        lambda: Figure("f", [Segment("A"), Segment("B", "D"), Segment("C", "B"), Segment("D", "C")]),
        BadValue,
        r"figure 'f' has a cycle: B is a child of D is a child of C is a child of B; one of them needs another parent",
    ),
    "unknown parent": (
        lambda: Figure("f", [Segment("Hips"), Segment("Spine", "Hip")]),
        UnknownName,
        r"figure 'f': segment 'Spine' has the parent 'Hip', .* no segment 'Hip'; did you mean "
        r"'Hips'\? It has 2: Hips, Spine",
    ),
    "unit zero": (lambda: Figure("f", hinged("A"), unit=0), BadValue, r"figure 'f': unit is 0; it must be above 0"),
    "unit NaN": (lambda: Figure("f", hinged("A"), unit=np.nan), BadValue, r"figure 'f': unit is nan"),
    "unit a word": (
        lambda: Figure("f", hinged("A"), unit="cm"),
        BadValue,
        r"figure 'f': unit is 'cm'; it needs one number",
    ),
    "up unknown": (
        lambda: Figure("f", hinged("A"), up="w"),
        BadValue,
        r"figure 'f': up is 'w'; it must be one of 'x', 'y'",
    ),
    "up a list": (lambda: Figure("f", hinged("A"), up=["y"]), BadValue, r"figure 'f': up is \['y'\]"),
    "source a list": (
        lambda: Figure("f", hinged("A"), source=[1]),
        BadValue,
        r"figure 'f': source is \[1\]; .* mapping",
    ),
    "rest quaternion": (
        lambda: Figure("f", [Segment("A", joint=Joint(motions=(Ball(),), rest=(1, 1, 0, 0)))]),
        BadValue,
        r"figure 'f': rest pose: the quaternion of A has length 1.41421; it needs length 1 \(order w, x, y, z\)",
    ),
    "coupling unknown": (
        lambda: Figure("f", [*hinged("A", "Knee"), following("C", "Kne")]),
        UnknownName,
        r"figure 'f': joint 'C' is coupled to 'Kne', .* no joint 'Kne'; did you mean 'Knee'\?",
    ),
    "coupling cycle": (
        lambda: Figure("f", [*hinged("A"), following("B", "C"), following("C", "B")]),
        BadValue,
        r"figure 'f' has a cycle of couplings: B follows C follows B",
    ),
    "coupled to itself": (
        lambda: Figure("f", [*hinged("A"), following("B", "B")]),
        BadValue,
        r"figure 'f' has a cycle of couplings: B follows B",
    ),
    "coupled to many numbers": (
        lambda: Figure("f", [*hinged("A"), Segment("E", "A", Euler("XYZ")), following("B", "E")]),
        BadValue,
        r"figure 'f': joint 'B' is coupled to 'E', which has 3 numbers; it needs a joint with one number",
    ),
    "coupled to a fixed joint": (
        lambda: Figure("f", [*hinged("A"), Segment("E", "A"), following("B", "E")]),
        BadValue,
        r"joint 'B' is coupled to 'E', which has 0 numbers",
    ),
    "coupling leaves no room": (
        lambda: Figure(
            "f",
            [
                Segment("A", joint=Hinge(limits=(0, 1))),
                Segment("B", "A", Joint(motions=(Hinge(limits=(5, 6)),), coupling=Coupling("A"))),
            ],
        ),
        BadValue,
        r"figure 'f': no value of 'A' within 0 to 1 keeps the coupled joint 'B' within 5 to 6",
    ),
    "coupling holds outside": (
        lambda: Figure(
            "f",
            [
                Segment("A", joint=Hinge()),
                Segment("B", "A", Joint(motions=(Hinge(limits=(5, 6)),), coupling=Coupling("A", 0.0, 1.0))),
            ],
        ),
        BadValue,
        r"figure 'f': joint 'B' is held at 1, outside its limits 5 to 6",
    ),
    "replaced unknown": (
        lambda: chain(2).replaced(units=2),
        UnknownName,
        r"Figure has no field 'units'; did you mean 'unit'",
    ),
}

BUILDERS: dict[str, Case] = {
    "chain of none": (lambda: chain(0), BadValue, r"a chain of 0 segments; it needs at least 1"),
    "chain of a fraction": (lambda: chain(2.5), BadShape, r"lengths has shape \(\); it needs \(n,\)"),
    "chain of a word": (lambda: chain("abc"), BadValue, r"lengths needs numbers, got 'abc'"),
    "no lengths": (lambda: chain([]), BadValue, r"lengths are \[\]; at least one is needed, and none may be below 0"),
    "negative length": (lambda: chain([1, -1]), BadValue, r"lengths are \[1.0, -1.0\]; .* none may be below 0"),
    "NaN length": (lambda: chain([1, np.nan]), BadValue, r"lengths\[1\] is nan"),
    "negative mass": (lambda: chain(2, mass=-1), BadValue, r"segment 'Segment1': mass is -1; it must be at least 0"),
    "joints": (
        lambda: chain(3, [Hinge(), Hinge()]),
        BadShape,
        r"chain: 2 joints for 3 segments; there must be one for each",
    ),
    "joint a word": (lambda: chain(3, "hinge"), BadValue, r"segment 'Segment1': joint is 'hinge'"),
    "no parents": (lambda: tree([]), BadValue, r"tree: there are no parents; it needs at least one, −1 for the first"),
    "parent later": (
        lambda: tree([-1, 2, 0]),
        BadValue,
        r"tree: the parent of segment 1 is 2; it must be −1 or the index of an",
    ),
    "parent itself": (lambda: tree([0]), BadValue, r"tree: the parent of segment 0 is 0"),
    "parent below": (lambda: tree([-2]), BadValue, r"tree: the parent of segment 0 is -2"),
    "parent a word": (lambda: tree(["Hips"]), BadValue, r"tree: the parent of segment 0 is 'Hips'"),
    "parent a fraction": (lambda: tree([-1, 0.5]), BadValue, r"tree: the parent of segment 1 is 0.5"),
    "parents a number": (lambda: tree(3), BadValue, r"tree: parents are 3; .* one index for each segment"),
    "lengths of a tree": (
        lambda: tree([-1, 0], [1.0]),
        BadShape,
        r"tree: 1 lengths for 2 segments; there must be one for each",
    ),
}

RECORDS: dict[str, Case] = {
    "not a record": (
        lambda: Figure.from_dict({}),
        BadValue,
        r"not a figure record of version 1: its key 'manikin' is None",
    ),
    "a list": (lambda: Figure.from_dict([1]), BadValue, r"not a figure record of version 1: .*list"),
    "newer": (lambda: record(manikin=99), BadValue, r"not a figure record of version 1: its key 'manikin' is 99"),
    "no name": (lambda: record(name=...), BadValue, r"figure record has no 'name'"),
    "no segments": (lambda: record(segments=...), BadValue, r"figure record has no 'segments'"),
    "segments None": (lambda: record(segments=None), BadValue, r"figure record: segments are None; .* list"),
    "segments a word": (lambda: record(segments="abc"), BadValue, r"figure record: segments are 'abc'; .* list"),
    "segment a word": (lambda: record(segments=["abc"]), BadValue, r"figure record: segment 'abc' is malformed"),
    "segment nameless": (lambda: record(segments=[{}]), BadValue, r"figure record: segment '\?' is malformed: .*name"),
    "segment field": (
        lambda: record(segments=[{"name": "A", "weight": 3}]),
        BadValue,
        r"figure record: segment 'A' is malformed: .*weight",
    ),
    "joint a list": (
        lambda: record(segments=[{"name": "A", "joint": ["abc"]}]),
        BadValue,
        r"figure record: segment 'A' is malformed",
    ),
    "joint field": (
        lambda: record(segments=[{"name": "A", "joint": {"colour": 1}}]),
        BadValue,
        r"figure record: segment 'A' is malformed: .*colour",
    ),
    "motion unknown": (
        lambda: record(segments=[{"name": "A", "joint": {"motions": [{"kind": "spring"}]}}]),
        BadValue,
        r"figure record: kind 'spring' is not one of slider, hinge",
    ),
    "motion a number": (
        lambda: record(segments=[{"name": "A", "joint": {"motions": [3]}}]),
        BadValue,
        r"figure record: segment 'A' is malformed",
    ),
    "limits upside down": (
        lambda: record(segments=[{"name": "A", "joint": {"motions": [{"kind": "hinge", "limits": [1, 0]}]}}]),
        BadValue,
        r"hinge: limits are in the wrong order, lower 1 is above upper 0",
    ),
    "coupling a word": (
        lambda: record(segments=[{"name": "A", "joint": {"coupling": "B"}}]),
        BadValue,
        r"figure record: segment 'A' is malformed",
    ),
    "up": (lambda: record(up="north"), BadValue, r"up is 'north'; it must be one of 'x', 'y', 'z'"),
    "unit": (lambda: record(unit=-1), BadValue, r"unit is -1; it must be above 0"),
}


@pytest.mark.parametrize("name", FIGURES)
def test_a_bad_figure_is_refused(name: str) -> None:
    assert_refused(*FIGURES[name])


@pytest.mark.parametrize("name", BUILDERS)
def test_a_bad_chain_or_tree_is_refused(name: str) -> None:
    assert_refused(*BUILDERS[name])


@pytest.mark.parametrize("name", RECORDS)
def test_a_bad_record_is_refused(name: str) -> None:
    assert_refused(*RECORDS[name])


def test_the_good_ones_are_good() -> None:
    """So that each case above fails for its own reason and no other."""
    assert Figure.from_dict(GOOD_RECORD) == chain(2)
    assert Figure("f", [*hinged("A"), following("B", "A")]).nv == 1
