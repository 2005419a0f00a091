"""All examples, made once by the command for all tests of its results."""

from __future__ import annotations

import json

import pytest
from chapter_command import FRAMES, Chapter, call


@pytest.fixture(scope="session")
def chapter(tmp_path_factory: pytest.TempPathFactory) -> Chapter:
    folder = tmp_path_factory.mktemp("chapter") / "made" / "here"
    done = call("--out", folder, "--frames", FRAMES, "--no-compare")
    assert done.code == 0, done.err
    return Chapter(folder, done, json.loads((folder / "results.json").read_text(encoding="utf-8")))
