"""A plugin of pytest that notes which functions of the package each test runs, and for how long the test runs.

    python tests/mutants/run.py --learn --rooms files,motion

runs the tests of these rooms with it once. After that the tests that run a changed function are tried first.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Generator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

FOLDER = "MANIKIN_SEEN"
"""The environment variable that names the folder of the notes."""


class Seen:
    """Notes functions as they are called; their lines are not traced, so that this costs little."""

    def __init__(self, package: str) -> None:
        self.package = package
        self.codes: set[CodeType] = set()
        self.tests: dict[str, tuple[float, list[str]]] = {}

    def called(self, frame: FrameType, *_: Any) -> None:
        self.codes.add(frame.f_code)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        self.codes = set()
        begin = time.process_time()
        threading.settrace(self.called)
        sys.settrace(self.called)
        try:
            return (yield)
        finally:
            sys.settrace(None)
            threading.settrace(None)  # type: ignore[arg-type]
            inside = {c for c in self.codes if c.co_filename.startswith(self.package)}
            names = sorted({f"{c.co_filename[len(self.package) + 1 :]}:{c.co_name}" for c in inside})
            self.tests[item.nodeid] = (time.process_time() - begin, names)

    def pytest_sessionfinish(self) -> None:
        worker = os.environ.get("PYTEST_XDIST_WORKER", "all")
        Path(os.environ[FOLDER], f"{worker}.json").write_text(json.dumps(self.tests), encoding="utf-8")


def pytest_configure(config: pytest.Config) -> None:
    import manikin

    config.pluginmanager.register(Seen(str(Path(manikin.__file__).parent)))


def likely(folder: Path, module: str, function: str) -> list[tuple[float, str]]:
    """(seconds, test) of the tests that ran a function, the quickest first; of its module if the function is empty."""
    found = []
    for path in sorted(folder.glob("*.json")):
        for test, (seconds, names) in json.loads(path.read_text(encoding="utf-8")).items():
            if any(n == f"{module}:{function}" if function else n.startswith(f"{module}:") for n in names):
                found.append((seconds, test))
    return sorted(found)
