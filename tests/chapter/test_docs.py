"""Pages of theory: every link leads somewhere, what they show runs, and functions and pages lead to each other."""

from __future__ import annotations

import doctest
import importlib
import re
from pathlib import Path

import pytest

import manikin.chapter.page
from manikin import motion, preferences, problem
from manikin.goals import goal
from manikin.solvers.methods import bounded, damped, nonlinear, pseudoinverse, stacked

THEORY = Path(__file__).parents[2] / "docs" / "theory"
PAGES = ("index.md", "2-state-and-effectors.md", "3-nonlinear-programming.md")


@pytest.mark.parametrize("name", PAGES)
def test_every_link_leads_somewhere(name: str) -> None:
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", (THEORY / name).read_text(encoding="utf-8"))
    assert len(links) > 5
    for link in links:
        assert link.startswith("http") or (THEORY / link).exists(), link


def test_the_index_leads_to_every_page() -> None:
    index = (THEORY / "index.md").read_text(encoding="utf-8")
    for page in THEORY.glob("*.md"):
        assert page.name == "index.md" or f"({page.name})" in index


@pytest.mark.parametrize("name", PAGES)
def test_python_on_a_page_runs(name: str) -> None:
    for code in re.findall(r"```python\n(.*?)```", (THEORY / name).read_text(encoding="utf-8"), re.DOTALL):
        names: dict[str, object] = {}
        exec(code, names)
        made = names["motion"]
        assert isinstance(made, motion.Motion)
        tip = made.figure.placements(made[-1], ["Tip"])[0, :2, 3]
        assert tip == pytest.approx((1.1, -0.7), abs=1e-3)


@pytest.mark.parametrize(
    ("module", "page"),
    [
        (goal, "2-state-and-effectors.md"),
        (problem, "2-state-and-effectors.md"),
        (nonlinear, "3-nonlinear-programming.md"),
        (motion.path.__module__, "3-nonlinear-programming.md"),
        (motion.follow.__module__, "3-nonlinear-programming.md"),
        (preferences, "4-pseudo-inverse.md"),
        (pseudoinverse, "4-pseudo-inverse.md"),
        (stacked, "6-many-effectors.md"),
        (damped, "7-regularisation.md"),
        (bounded, "7-regularisation.md"),
    ],
)
def test_modules_lead_to_their_page(module: object, page: str) -> None:
    found = importlib.import_module(module) if isinstance(module, str) else module
    assert f"docs/theory/{page}" in (found.__doc__ or "")


def test_docstring_examples_run() -> None:
    results = doctest.testmod(manikin.chapter.page)
    assert results.attempted > 0
    assert results.failed == 0
