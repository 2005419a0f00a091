"""The code in the docs and the examples runs."""

from __future__ import annotations

import ast
import re
import runpy
import warnings
from pathlib import Path

import needs
import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
NEED_FILES = [path for path in EXAMPLES if "MANIKIN_DATA" in path.read_text(encoding="utf-8")]
PAGES = [
    page
    for page in (
        ROOT / "README.md",
        *(ROOT / "docs" / f"{name}.md" for name in ("quickstart", "files", "clips", "retargeting")),
    )
    if page.exists()
]


def python_blocks(page: Path) -> list[tuple[int, str]]:
    """Line number and text of each ```python block. One that cannot run by itself is marked ```python no-run."""
    text = page.read_text(encoding="utf-8")
    found = re.finditer(r"^```python *\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return [(text.count("\n", 0, match.start()) + 2, match[1]) for match in found]


def test_there_are_examples_numbered_from_one() -> None:
    assert [path.name[:3] for path in EXAMPLES] == [f"{k:02}_" for k in range(1, len(EXAMPLES) + 1)]
    assert len(EXAMPLES) >= 5


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_has_one_page_a_title_and_a_paragraph(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) < 60
    title, empty, *paragraph = (ast.get_docstring(ast.parse(text)) or "").splitlines()
    assert title.endswith(".")
    assert empty == ""
    assert len(paragraph) > 1


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_and_ends_in_a_picture(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if path in NEED_FILES:
        needs.check("data")
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():  # an example may silence warnings for itself
        runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out
    assert (tmp_path / f"{path.stem}.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("path", NEED_FILES, ids=lambda path: path.stem)
def test_an_example_that_needs_files_says_so_where_there_are_none(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MANIKIN_DATA", raising=False)
    with pytest.raises(SystemExit, match="MANIKIN_DATA"):
        runpy.run_path(str(path), run_name="__main__")
    assert "MANIKIN_DATA" in (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_code_in_the_docs_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    for line, block in python_blocks(page):
        code = compile("\n" * (line - 1) + block, str(page), "exec")  # so that a traceback names the line of the page
        exec(code, names)


def test_the_quickstart_has_code_and_names_every_example() -> None:
    page = ROOT / "docs" / "quickstart.md"
    assert len(python_blocks(page)) >= 6
    text = page.read_text(encoding="utf-8")
    for path in EXAMPLES:
        assert f"../examples/{path.name}" in text
    for image in re.findall(r"!\[.*?\]\((.*?)\)", text):
        assert (page.parent / image).exists()
