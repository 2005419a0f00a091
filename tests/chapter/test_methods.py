"""All methods on one problem, on shortened paths."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from manikin.chapter.methods import Contest, compare, contests
from manikin.chapter.page import page
from manikin.errors import Unsupported
from manikin.solvers import KEEPS_LIMITS, METHODS

EXACT = ("auto", "lbfgsb", "pinv", "stacked", "dls", "bounded-dls", "sdls")
"""Methods that reach the first points of both paths."""


def short(contest: Contest, points: int) -> Contest:
    return replace(contest, wanted=contest.wanted[: points + 1], fewer={**contest.fewer, "ccd": 4, "fabrik": 10})


@pytest.fixture(scope="module", params=["two-effectors", "person"])
def rows(request: Any) -> tuple[str, list[dict[str, Any]]]:
    (contest,) = [c for c in contests() if c.name == request.param]
    return contest.name, compare(short(contest, 2))


def test_there_is_one_row_for_each_method_with_all_four_numbers(rows: Any) -> None:
    _, found = rows
    assert [r["method"] for r in found] == list(METHODS)
    for row in found:
        assert row["applies"]
        assert row["points"] == 2
        for field in ("iterations", "seconds", "final_error_of_size", "deviation_of_size"):
            assert np.isfinite(row[field])


def test_the_chapters_methods_reach_every_point(rows: Any) -> None:
    name, found = rows
    tolerance = {"two-effectors": 1e-6, "person": 1e-4}[name]
    for row in found:
        if row["method"] in EXACT:
            assert row["points_reached"] == 2, row
            assert row["final_error_of_size"] <= tolerance, row


def test_methods_that_keep_limits_are_within_them(rows: Any) -> None:
    for row in rows[1]:
        if row["method"] in KEEPS_LIMITS:
            assert row["outside_limits"] == 0.0, row


def test_deviation_counts_between_the_path_points_too() -> None:
    (contest,) = [c for c in contests() if c.name == "two-effectors"]
    ends = replace(contest, wanted=contest.wanted[[0, -1]])
    (row,) = [r for r in compare(ends) if r["method"] == "pinv"]
    assert row["final_error_of_size"] < 1e-6
    assert row["deviation_of_size"] > 0.01


def test_the_person_has_five_effectors_and_its_paths_are_reached_to_the_end() -> None:
    (contest,) = [c for c in contests() if c.name == "person"]
    assert contest.wanted.shape == (11, 5, 3)
    assert contest.figure.nv > 100


def test_a_method_that_does_not_apply_says_why_and_the_page_shows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise Unsupported("method 'x' cannot serve <this>")

    monkeypatch.setattr("manikin.chapter.methods.follow", refuse)
    contest = contests()[0]
    heard: list[str] = []
    found = compare(contest, heard.append)
    assert heard == list(METHODS)
    assert all(not row["applies"] and row["note"] == "method 'x' cannot serve <this>" for row in found)
    entry = {"name": "n", "title": "t", "chart": "c.png", "rows": found, "picture": None}
    text = page(
        {
            "files": [],
            "note": "",
            "statements": [],
            "examples": {},
            "alpha": {"final_error_of_size": {}},
            "damping": None,
            "methods": [entry],
        }
    )
    assert "cannot serve &lt;this&gt;" in text
