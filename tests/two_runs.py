"""The second of two runs: `pytest --rest` runs the tests that the last run did not, and none of them may be skipped.

`make test` runs without the folder of real files, the packages to compare with, and the browser. `.ci/run` then brings
these and runs `make test PYTEST=--rest`, so that over both runs every test runs once. The first run keeps the names of
the tests that it ran in pytest's cache. What is not among them was skipped, or has a parameter that a real file gives.
"""

from __future__ import annotations

from typing import Any

import needs
import pytest

RAN = "manikin/ran"
"""Where pytest's cache has the names of the tests that the last run ran."""
OPTION = "--rest"
WITHOUT = "without"
"""The property of a test that ran without something that it uses."""


class TwoRuns:
    """Notes which tests run. With --rest it selects the others, and fails the run if one of them is skipped."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.cache: Any = getattr(config, "cache", None)  # there is none with -p no:cacheprovider
        self.rest = bool(config.getoption(OPTION))
        self.ran: set[str] = set()
        self.skipped: set[str] = set()
        if self.rest and (self.cache is None or self.cache.get(RAN, None) is None):
            raise pytest.UsageError(f"{OPTION} runs what the last run did not, but there was none: make test")

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        if self.rest:
            before = set(self.cache.get(RAN, []))
            self.config.hook.pytest_deselected(items=[item for item in items if item.nodeid in before])
            items[:] = [item for item in items if item.nodeid not in before]

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        for mark in item.iter_markers("uses"):
            if needs.NEEDS[mark.args[0]]():
                item.user_properties.append((WITHOUT, mark.args[0]))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.skipped and not hasattr(report, "wasxfail"):
            self.skipped.add(report.nodeid)
        elif report.when == "call" and WITHOUT not in dict(report.user_properties):
            self.ran.add(report.nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.skipped:
            self.skipped.add(report.nodeid)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if hasattr(self.config, "workerinput"):  # the process that began the workers hears of all tests
            return
        if not self.rest:
            if self.cache is not None and not self.config.getoption("collectonly"):
                self.cache.set(RAN, sorted(self.ran))
        elif self.skipped and session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self.rest and self.skipped:
            terminalreporter.section(f"{OPTION} lets no test be skipped", red=True)
            for name in sorted(self.skipped):
                terminalreporter.write_line(name)
