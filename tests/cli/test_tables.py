"""Tables, plain and on a terminal."""

from __future__ import annotations

import sys

import pytest

import manikin as mk
from manikin.cli import report, tables


def test_a_plain_table_has_columns_as_wide_as_needed() -> None:
    text = tables.plain(["goal", "error"], [["RightHand", "0.1 mm"], ["x", "12 cm"]], "title")
    assert text.splitlines() == [
        "title",
        "goal       error",
        "─────────  ──────",
        "RightHand  0.1 mm",
        "x          12 cm",
    ]


def test_on_a_terminal_it_is_drawn_by_rich(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    tables.show(["goal", ""], [["Right[Hand]", "reached"], ["LeftHand", "missed"]], marks=["good", "bad"])
    told = capsys.readouterr().out
    assert "Right[Hand]" in told  # brackets are no markup
    assert "missed" in told


def test_quantities_are_told_in_units_that_people_use() -> None:
    place, turn = mk.Position("A", (0, 0, 0)), mk.Orientation("A", (1, 0, 0, 0))
    assert report.quantity(place, 0.00015, 1.0) == "0.150 mm"
    assert report.quantity(place, 4.12, 0.01) == "4.1 cm"
    assert report.quantity(place, 2.5, 1.0) == "2.50 m"
    assert report.quantity(place, 0.25, None) == "0.25"
    assert report.quantity(turn, 0.001, 1.0) == "0.057°"
