"""No test reads a clock, and no wait is short: what a test finds does not depend on what else the machine does.

Work is told by counts (`work.py`), long waits by events. Times are measured by `python -m benchmarks`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
CLOCKS = {
    *(f"{name}{unit}" for name in ("perf_counter", "monotonic", "process_time", "thread_time") for unit in ("", "_ns")),
    *("time.time", "time_ns", "getrusage", "os.times", "timeit", "datetime.now", "utcnow", "date.today"),
}
LEAST = 60
"""Seconds that a wait for something that comes for certain lasts at least. It only ends a test that hangs."""
READERS = {
    "solvers/native/test_frame_times.py": "the clock of the core is tested: frames take no longer than their call",
    "report/rates.py": "prints the table of docs/why.md, and judges no time",
    "mutants/run.py": "a script, which bounds the processor time of each run",
    "mutants/seen.py": "a script's plugin, which notes how long each test takes",
    "jobs/check.py": "a script, which prints how long it took",
    "test_no_clock.py": "names the clocks",
}
"""Files that read a clock, and why."""


def names(node: ast.AST) -> Iterator[str]:
    """The words of a node in which the name of a clock may stand; code of other processes is in strings."""
    if isinstance(node, ast.Attribute):
        yield f"{node.value.id}.{node.attr}" if isinstance(node.value, ast.Name) else node.attr
    elif isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.alias):
        yield node.name
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value


def clocks(source: str) -> set[str]:
    """The clocks that a file names."""
    words = {word for node in ast.walk(ast.parse(source)) for word in names(node)}
    return {clock for clock in CLOCKS for word in words if clock in word}


def short_waits(source: str) -> list[str]:
    """Waits that are too short for a busy machine."""
    return [
        ast.unparse(node)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.keyword)
        and node.arg in ("timeout", "open_timeout")
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, int | float)
        and node.value.value < LEAST
    ]


def files() -> dict[str, str]:
    found = {path.relative_to(TESTS).as_posix(): path.read_text(encoding="utf-8") for path in TESTS.rglob("*.py")}
    assert len(found) > 300
    return found


def test_no_test_reads_a_clock() -> None:
    reading = {name: found for name, source in files().items() if (found := clocks(source))}
    assert {name: found for name, found in reading.items() if name not in READERS} == {}
    assert set(READERS) <= set(reading)


def test_no_wait_is_short() -> None:
    assert {name: found for name, source in files().items() if (found := short_waits(source))} == {}


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import time\nbegan = time.perf_counter()", "perf_counter"),
        ("from time import monotonic_ns", "monotonic_ns"),
        ("CHILD = 'import time; print(time.process_time())'", "process_time"),
        ("import time\ntime.time()", "time.time"),
        ("import resource\nresource.getrusage(0)", "getrusage"),
    ],
)
def test_a_clock_is_noticed(source: str, found: str) -> None:
    assert found in clocks(source)
    assert not clocks("import time\ntime.sleep(0.01)")
    assert short_waits("thread.join(timeout=2)") == ["timeout=2"]
