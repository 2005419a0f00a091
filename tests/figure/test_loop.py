"""Closed loops of a figure: their fields, and that they are kept in every copy of the figure."""

from __future__ import annotations

import json
import pickle
from typing import Any

import numpy as np
import pytest

from manikin.errors import BadValue, UnknownName
from manikin.figure import Figure, Loop, chain

ROD = Loop("rod", "Tip", "Segment1", (0.1, 0.2, 0.3), (1.0, 0.0, -0.5))
WELD = Loop("weld", "Tip", "Segment2", rotation=(0.6, 0.0, 0.8, 0.0))


def figure() -> Figure:
    return chain(3).replaced(loops=[ROD, WELD])


def test_a_loop_holds_the_turn_where_it_has_a_rotation() -> None:
    assert not ROD.holds_turn
    assert WELD.holds_turn
    assert Loop("x", "a", "b", rotation=(2.0, 0.0, 0.0, 0.0)[:0]).rotation == ()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": ""}, "loop: name is ''; it needs a string of at least one character"),
        ({"segment": 3}, "loop: segment is 3; it needs a string"),
        ({"to": "Tip"}, "loop 'rod': segment and `to` are both 'Tip'; a segment does not move relative to itself"),
        ({"offset": (1, 2)}, "loop 'rod': offset"),
        ({"to_offset": (0, 0, np.nan)}, "loop 'rod': to_offset"),
        ({"rotation": (0, 0, 0, 0)}, "loop 'rod': rotation"),
        ({"rotation": (1, 0, 0)}, "loop 'rod': rotation"),
    ],
)
def test_a_loop_that_is_wrong_is_told(change: dict[str, Any], message: str) -> None:
    values = {"name": "rod", "segment": "Tip", "to": "Segment1", **change}
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        Loop(**values)


def test_a_figure_checks_its_loops() -> None:
    with pytest.raises(UnknownName, match="loop 'x' is at 'Hand', but the figure has no segment 'Hand'"):
        chain(3).replaced(loops=[Loop("x", "Hand", "Tip")])
    with pytest.raises(BadValue, match="has two loops named 'rod'; names must differ"):
        chain(3).replaced(loops=[ROD, ROD])
    with pytest.raises(BadValue, match="3 is not a Loop"):
        chain(3).replaced(loops=[3])
    with pytest.raises(BadValue, match="loops are 3; they must be a list"):
        chain(3).replaced(loops=3)
    with pytest.raises(UnknownName, match="loop 'rod' is at 'Tip'"):
        figure().replaced(segments=figure().segments[:-1])


def test_loops_are_part_of_what_a_figure_is() -> None:
    assert figure().loops == (ROD, WELD)
    assert figure() == figure()
    assert figure() != chain(3)
    assert hash(figure()) != hash(chain(3))
    assert figure().replaced(name="other").loops == (ROD, WELD)


def test_loops_come_back_from_a_record_and_a_pickle_to_the_bit() -> None:
    again = Figure.from_dict(json.loads(json.dumps(figure().to_dict(), allow_nan=False)))
    assert (again, again.loops) == (figure(), (ROD, WELD))
    again = pickle.loads(pickle.dumps(figure()))
    assert (again, again.loops) == (figure(), (ROD, WELD))
    assert "loops" not in chain(3).to_dict()


@pytest.mark.parametrize("names", [("inf", "-inf"), ("nan", "inf")])
def test_names_that_look_like_numbers_stay_names(names: tuple[str, str]) -> None:
    segments = [s.replaced(name=n) if n else s for s, n in zip(chain(1).segments, names, strict=True)]
    segments[1] = segments[1].replaced(parent=names[0])
    made = Figure("odd", segments, loops=[Loop("inf", *names)])
    assert Figure.from_dict(json.loads(json.dumps(made.to_dict()))).loops == made.loops


@pytest.mark.parametrize(
    ("loops", "message"),
    [
        (3, "loops are 3; they must be a list"),
        ([3], "loop 3 is malformed"),
        ([{"name": "x"}], "loop 'x' is malformed"),
        ([{"name": "x", "segment": "Tip", "to": "Tip"}], "segment and `to` are both 'Tip'"),
        ([{"name": "x", "segment": "Tip", "to": "Segment1", "length": 1}], "loop 'x' is malformed"),
    ],
)
def test_a_record_with_a_wrong_loop_is_told(loops: Any, message: str) -> None:
    with pytest.raises(BadValue, match=message):
        Figure.from_dict({**chain(3).to_dict(), "loops": loops})


def test_the_points_of_a_loop_scale_with_their_segments() -> None:
    rod, weld = figure().scaled(2.0).loops
    assert (rod.offset, rod.to_offset) == ((0.2, 0.4, 0.6), (2.0, 0.0, -1.0))
    assert weld.rotation == WELD.rotation
    rod, _ = figure().scaled({"Segment1": 3.0}).loops
    assert (rod.offset, rod.to_offset) == ((0.1, 0.2, 0.3), (3.0, 0.0, -1.5))
    assert figure().replaced(unit=0.5).in_metres().loops[0].to_offset == (0.5, 0.0, -0.25)


def test_loops_are_described() -> None:
    lines = figure().describe().splitlines()
    assert lines[0].endswith(", 2 closed loops")
    assert lines[-2] == "loop rod: Tip at (0.1, 0.2, 0.3) joined to Segment1 at (1, 0, -0.5)"
    assert lines[-1] == "loop weld: Tip at (0, 0, 0) welded to Segment2 at (0, 0, 0)"
    assert "loop" not in chain(3).describe()
