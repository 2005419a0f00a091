"""JSON files that people may edit: what is wrong is said with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from manikin.errors import BadFile
from manikin.figure.json_file import read_json


def test_a_file_is_read_as_plain_data(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text('{"thigh": [1, 2.5, "µ"]}', encoding="utf-8")
    assert read_json(file, 100, "a map") == {"thigh": [1, 2.5, "µ"]}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b'{\n"a": }', r"line 2: this is not JSON: Expecting value"),
        (b'{"a": "\xff"}', "this is not JSON: .*utf-8"),
        (b"[" * 100_000, "this is not JSON"),
        (b"1" * 10_000, "this is not JSON"),
        (b" " * 100_001, r"more than 100,000 bytes, which is too large for a map"),
    ],
)
def test_a_file_that_is_not_json_or_too_large_is_one_error(tmp_path: Path, data: bytes, words: str) -> None:
    file = tmp_path / "a.json"
    file.write_bytes(data)
    with pytest.raises(BadFile, match=words):
        read_json(file, 100_000, "a map")
