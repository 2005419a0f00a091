"""What the docstrings show is what runs, and the pages of theory and the functions lead to each other."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import pytest

from manikin import linalg

ROOT = Path(__file__).parents[2]
MODULES = [f"manikin.linalg.{found.name}" for found in pkgutil.iter_modules(linalg.__path__)]
PAGES = ["4-pseudo-inverse.md", "5-two-effectors.md", "6-many-effectors.md", "7-regularisation.md"]
FUNCTIONS = [name for name in linalg.__all__ if inspect.isfunction(getattr(linalg, name))]


@pytest.mark.parametrize("module", MODULES)
def test_docstring_examples_run(module: str) -> None:
    results = doctest.testmod(importlib.import_module(module))
    assert results.attempted > 0
    assert results.failed == 0


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_shows_an_example(name: str) -> None:
    assert ">>>" in (inspect.getdoc(getattr(linalg, name)) or "")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_leads_to_its_theory_and_back(name: str) -> None:
    function = getattr(linalg, name)
    pages = re.findall(r"docs/theory/[\w-]+\.md", inspect.getdoc(function) or "")
    assert pages
    module = inspect.getmodule(function)
    assert module is not None
    source = Path(*module.__name__.split(".")[1:]).with_suffix(".py")
    for page in pages:
        text = (ROOT / page).read_text(encoding="utf-8")
        assert f"[`linalg.{name}`](../../src/manikin/{source.as_posix()})" in text


@pytest.mark.parametrize("page", PAGES)
def test_every_link_of_a_page_leads_somewhere(page: str) -> None:
    path = ROOT / "docs" / "theory" / page
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8"))
    assert links
    for link in links:
        assert link.startswith("http") or (path.parent / link).exists(), link
