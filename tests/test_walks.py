"""The walks of docs/design/walks.md lead through files that exist, and never back."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TREE = Path(__file__).parents[1]
WALKS = re.split(r"^## ", (TREE / "docs" / "design" / "walks.md").read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]


@pytest.mark.parametrize("walk", WALKS, ids=lambda walk: re.sub(r"\W+", " ", walk.splitlines()[0]).strip())
def test_a_walk_leads_through_files_that_exist_and_never_back(walk: str) -> None:
    files = re.findall(r"`((?:src|cpp|studio)/[^`]+)`", walk)
    assert len(files) > 5
    assert [file for file in files if not (TREE / file).is_file()] == []
    assert sorted(files) == sorted(set(files))
