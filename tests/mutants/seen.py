"""A plugin of pytest that notes which lines of the package each test runs, and for how long the test runs.

    python tests/mutants/run.py --learn --rooms files,motion

runs the tests of these rooms with it once. After that the tests that run a changed line are tried first, then those
that run its function.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Generator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

FOLDER = "MANIKIN_SEEN"
"""The environment variable that names the folder of the notes."""
FOLLOWED = 20
"""How many calls of each function are followed line by line in a test. Later calls are not, which would cost more."""


class Seen:
    """Notes functions as they are called, and the lines that they run."""

    def __init__(self, package: str) -> None:
        self.package = package
        self.calls: Counter[CodeType] = Counter()
        self.lines: set[tuple[CodeType, int]] = set()
        self.tests: dict[str, tuple[float, dict[str, list[int]]]] = {}

    def called(self, frame: FrameType, *_: Any) -> Callable[..., Any] | None:
        code = frame.f_code
        if self.calls[code] >= FOLLOWED or not code.co_filename.startswith(self.package):
            return None
        self.calls[code] += 1
        lines = self.lines

        def line(inner: FrameType, *_: Any) -> Callable[..., Any]:
            lines.add((code, inner.f_lineno))
            return line

        return line

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        self.calls, self.lines = Counter(), set()
        begin = time.process_time()
        threading.settrace(self.called)
        sys.settrace(self.called)
        try:
            return (yield)
        finally:
            sys.settrace(None)
            threading.settrace(None)  # type: ignore[arg-type]
            taken = time.process_time() - begin
            ran: dict[str, set[int]] = defaultdict(set)
            for code in self.calls:
                ran[f"{code.co_filename[len(self.package) + 1 :]}:{code.co_name}"] |= set()
            for code, number in self.lines:
                ran[f"{code.co_filename[len(self.package) + 1 :]}:{code.co_name}"].add(number)
            self.tests[item.nodeid] = (taken, {name: sorted(numbers) for name, numbers in ran.items()})

    def pytest_sessionfinish(self) -> None:
        worker = os.environ.get("PYTEST_XDIST_WORKER", "all")
        Path(os.environ[FOLDER], f"{worker}.json").write_text(json.dumps(self.tests), encoding="utf-8")


def pytest_configure(config: pytest.Config) -> None:
    import manikin

    config.pluginmanager.register(Seen(str(Path(manikin.__file__).parent)))


def likely(folder: Path, module: str, function: str, lines: range) -> list[tuple[float, str]]:
    """(seconds, test) of the tests that ran one of the lines, the quickest first, then of those that ran the function.

    At the top of a module, where the function is empty, they are the tests that ran anything of the module.
    """
    found = []
    for path in sorted(folder.glob("*.json")):
        for test, (seconds, ran) in json.loads(path.read_text(encoding="utf-8")).items():
            of_module = {name: numbers for name, numbers in ran.items() if name.startswith(f"{module}:")}
            met = any(number in lines for numbers in of_module.values() for number in numbers)
            if met or f"{module}:{function}" in of_module or (of_module and not function):
                found.append((not met, seconds, test))
    return [(seconds, test) for _, seconds, test in sorted(found)]
