"""JSON files that people may edit: what is wrong is said with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from manikin.base.json_file import read_json
from manikin.errors import BadFile


def test_a_file_is_read_as_plain_data(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text('{"thigh": [1, 2.5, "µ"]}', encoding="utf-8")
    assert read_json(file, 100, "a map") == {"thigh": [1, 2.5, "µ"]}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b'{\n"a": }', r"line 2: this is not JSON: Expecting value"),
        (b'{"a": "\xff"}', "this is not JSON: the text is not UTF-8"),
        (b"[" * 100_000, "this is not JSON"),
        (b"1" * 10_000, "the number 1* too large|10,000 characters"),
        (b" " * 100_001, r"100,001 bytes; the limit for a map is 100,000"),
    ],
)
def test_a_file_that_is_not_json_or_too_large_is_one_error(tmp_path: Path, data: bytes, words: str) -> None:
    file = tmp_path / "a.json"
    file.write_bytes(data)
    with pytest.raises(BadFile, match=words):
        read_json(file, 100_000, "a map")
