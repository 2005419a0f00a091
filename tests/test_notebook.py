"""What a notebook shows: short reprs, short tables with everything escaped, and pictures."""

from __future__ import annotations

import io
from html.parser import HTMLParser

import numpy as np
import pytest

import manikin as mk

ARM = mk.chain([0.5, 0.4, 0.3], mk.Hinge((0, 0, 1)), name="<arm> & co")
GOAL = mk.Position("Tip", (0.6, 0.5, 0.0), name="<script>alert(1)</script>")
SOLVER = mk.Solver(ARM, [GOAL])


class Tags(HTMLParser):
    """Counts tags, and sees that each is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002
        self.open.append(tag)
        self.seen.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def things() -> dict[str, object]:
    names = tuple(f"m<{k}>" for k in range(40))
    missed = mk.solve(ARM, GOAL.with_target((3.0, 0.0, 0.0)))
    return {
        "Solution": mk.solve(ARM, GOAL),
        "missed Solution": missed,
        "Solutions": SOLVER.solve_many(None, np.random.default_rng(0).uniform(-0.5, 0.5, (1000, 3)) * [1, 1, 0]),
        "no Solutions": SOLVER.solve_many(None, np.zeros((2, 3)))[:0],
        "Report": missed.report[0],
        "all reports": missed.report,
        "reports of reached goals": mk.solve(ARM, GOAL).report,
        "Figure": mk.human(),
        "odd Figure": ARM,
        "Motion": mk.Motion(ARM, np.zeros((50, 3)), name="<walk>"),
        "one pose": mk.Motion(ARM, ARM.rest),
        "Markers": mk.Markers(names, np.zeros((20, 40, 3)), rate=100.0),
    }


@pytest.mark.parametrize("kind", things())
def test_a_thing_has_a_short_repr_and_a_short_table(kind: str) -> None:
    thing = things()[kind]
    assert len(repr(thing)) < 200
    text = thing._repr_html_()  # type: ignore[attr-defined]
    assert len(text) < 4000
    tags = Tags(text)
    assert not tags.open
    assert tags.seen <= {"div", "b", "table", "tr", "th", "td", "p"}  # no tag of a name


def test_the_table_of_a_solution_has_its_goals_and_notes() -> None:
    solution = mk.solve(ARM, mk.Position("Tip", (60.0, 0.0, 0.0)))
    text = solution._repr_html_()
    assert "<td>Position Tip</td>" in text
    assert "are these centimetres?" in text


def test_the_table_of_all_reports_has_every_goal_and_its_reasons() -> None:
    far, near = mk.Position("Tip", (3.0, 0.0, 0.0)), mk.Position("Segment1", (0.0, 0.0, 0.0))
    reports = mk.solve(ARM, [far, near]).report
    text = reports._repr_html_()  # type: ignore[attr-defined]
    assert "1 of 2 goals missed" in text
    assert "<td>Position Tip</td><td>missed</td>" in text
    assert "<td>Position Segment1</td><td>reached</td><td></td>" in text
    assert reports[0].text[:20] in text


def test_long_tables_are_cut() -> None:
    text = mk.human()._repr_html_()
    assert text.count("<tr>") == 13
    assert f"… and {len(mk.human().segments) - 12} more" in text


def test_a_solution_with_many_goals_has_a_short_repr() -> None:
    many = mk.solve(mk.chain(40), [mk.Position(f"Segment{k}", (k - 1.0, 0.0, 0.0)) for k in range(1, 40)])
    assert repr(many).endswith("39 in all), 0 iterations>")


def test_a_picture_shows_itself_without_pyplot() -> None:
    picture = mk.plot(mk.chain(3, planar=True), [0.4, 0.3, 0.5])
    shown = picture._repr_png_()  # type: ignore[attr-defined]
    assert shown.startswith(b"\x89PNG")
    pil = pytest.importorskip("PIL.Image")
    assert max(pil.open(io.BytesIO(shown)).size) <= 800
