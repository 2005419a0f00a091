"""The pages of docs/: links lead somewhere, named constants exist, and every decision has its record in the index."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted([*DOCS.rglob("*.md"), *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "cpp/README.md"))])
RECORDS = sorted((DOCS / "decisions").glob("[0-9]*.md"))
SOURCES = [
    path
    for folder in ("src", "cpp", "tests", "examples", "benchmarks")
    for path in sorted((ROOT / folder).rglob("*"))
    if path.suffix in {".py", ".h", ".cpp"}
]


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def prose(page: Path) -> str:
    """The text of a page without its code blocks."""
    return re.sub(r"^\s*```.*?^\s*```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if link.startswith(("http://", "https://")):
            continue
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def test_pages_that_sources_name_exist() -> None:
    named = {
        (name_of(path), page)
        for path in SOURCES
        for page in re.findall(r"docs/[\w/.-]+\.md", path.read_text(encoding="utf-8"))
    }
    assert len(named) > 20
    assert [(path, page) for path, page in sorted(named) if not (ROOT / page).exists()] == []


@pytest.mark.parametrize("page", [*DOCS.glob("design/*.md"), *RECORDS], ids=name_of)
def test_constants_that_a_page_names_exist(page: Path) -> None:
    headers = [*(ROOT / "cpp").rglob("constants.h"), *(ROOT / "cpp" / "model").glob("*.h")]
    defined = set(re.findall(r"\b(k[A-Z]\w*)\b", "\n".join(path.read_text(encoding="utf-8") for path in headers)))
    assert set(re.findall(r"`(k[A-Z]\w*)`", page.read_text(encoding="utf-8"))) - defined == set()


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_paths_that_a_page_names_exist(page: Path) -> None:
    paths = re.findall(r"`((?:cpp|src|tests|examples|docs|benchmarks)/[\w/.-]*\w)`", prose(page))
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_the_index_of_decisions_names_every_record() -> None:
    index = (DOCS / "decisions" / "README.md").read_text(encoding="utf-8")
    assert [int(path.name[:4]) for path in RECORDS] == list(range(1, len(RECORDS) + 1))
    assert [path.name for path in RECORDS if f"({path.name})" not in index] == []


@pytest.mark.parametrize("record", RECORDS, ids=lambda path: path.stem)
def test_a_record_has_its_four_parts(record: Path) -> None:
    text = record.read_text(encoding="utf-8")
    assert text.startswith(f"# {int(record.name[:4])}. ")
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == ["Context", "Decision", "Consequence", "Evidence"]


def test_the_index_of_the_notebook_names_every_page() -> None:
    index = (DOCS / "notebook" / "README.md").read_text(encoding="utf-8")
    assert [p.name for p in (DOCS / "notebook").glob("2*.md") if f"({p.name})" not in index] == []
