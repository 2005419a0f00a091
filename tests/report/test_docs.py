"""The page on reports: its code runs, its links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from manikin.report.data import Kind

PAGE = Path(__file__).parents[2] / "docs" / "why.md"


def test_python_on_the_page_runs() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, object] = {}
    exec(code, names)
    assert names["reason"]


def test_every_kind_of_reason_is_explained() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert all(f"| `{kind}` |" in text for kind in get_args(Kind))
