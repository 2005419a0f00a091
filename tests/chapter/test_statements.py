"""Statements fail if their numbers are wrong."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from chapter_command import Chapter

from manikin.chapter.statements import falling, statements


def failing(chapter: Chapter, name: str, *keys: Any, value: Any) -> list[str]:
    """Texts of the statements that fail when one number of one example is another."""
    examples = copy.deepcopy(chapter.examples)
    inner = examples[name]
    for key in keys[:-1]:
        inner = inner[key]
    inner[keys[-1]] = value
    return [s.text for s in statements(examples, chapter.results["alpha"]) if not s.holds]


@pytest.mark.parametrize(
    ("name", "keys", "value", "words"),
    [
        ("figure-5", ("compared", 2, "final_error_of_size"), 2e-6, "by dls"),
        ("figure-10", ("deviation", "P₅"), 0.1, "Figure 10"),
        ("figure-10", ("deviation", "P₈"), 1.0, "only P₅"),
        ("figure-13", ("largest_step",), 0.2, "largest step falls"),
        ("figure-14", ("lag",), 0.01, "lag grows"),
        ("figure-12", ("condition_number",), 7000.0, "Lemma 7.1"),
        ("figure-11", ("residual", "largest"), 3.0, "Lemma 7.2"),
        ("figure-15", ("angle_ranges", 5), [-0.2, 1e-300], "Figure 15"),
        ("figure-15", ("outside_limits",), 1e-300, "Figure 15"),
        ("figure-12", ("angle_ranges", 5), [-0.2, 0.0], "Figure 12 does not"),
    ],
)
def test_each_statement_can_fail(chapter: Chapter, name: str, keys: Any, value: Any, words: str) -> None:
    (text,) = failing(chapter, name, *keys, value=value)
    assert words in text


def test_an_error_that_does_not_fall_with_alpha_fails(chapter: Chapter) -> None:
    alpha = copy.deepcopy(chapter.results["alpha"])
    alpha["final_error_of_size"]["figure-3"][-1] = 1e-5
    assert [s.text for s in statements(chapter.examples, alpha) if not s.holds] == [
        "Figure 3 by lbfgsb: the error falls with α, below 1e-6 of the size"
    ]


def test_only_what_was_run_is_stated(chapter: Chapter) -> None:
    some = {name: chapter.examples[name] for name in ("figure-11", "figure-15")}
    assert statements(some, {"final_error_of_size": {}}) == []


def test_falling() -> None:
    assert falling([3.0, 2.0, 1.0])
    assert not falling([3.0, 3.0])
    assert falling([])
