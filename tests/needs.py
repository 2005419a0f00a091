"""What some tests need and a machine may lack: the folder of real files, a browser, Node.

A test marked `@pytest.mark.needs("data")` is skipped where there is no such folder; so is one that calls `data_folder`
or `data_file`. One marked `@pytest.mark.uses("data")` runs without it too, on less; `two_runs` runs it again with it.
MANIKIN_REQUIRE names needs that must be met, as in MANIKIN_REQUIRE=data,node: then the test fails.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
from pathlib import Path
from typing import Any, NoReturn

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
NO_DATA = "MANIKIN_DATA is not set; it names the folder of real files to test on"


def _no_data() -> str | None:
    named = os.environ.get("MANIKIN_DATA", "")
    if not named:
        return NO_DATA
    return None if Path(named).is_dir() else f"MANIKIN_DATA is {named!r}, which is not a folder"


def _no_program(what: str, names: tuple[str, ...]) -> str | None:
    return None if any(map(shutil.which, names)) else f"{what} is not installed (none of {', '.join(names)} is found)"


def _no_browser() -> str | None:
    if importlib.util.find_spec("playwright") is None:
        return "Playwright is not installed: pip install playwright"
    return _no_program("Chromium", BROWSERS)


NEEDS = {
    "browser": _no_browser,
    "data": _no_data,
    "node": lambda: _no_program("Node", ("node",)),
}
"""For each need: why it is not met, or None."""


def required() -> frozenset[str]:
    """The needs that MANIKIN_REQUIRE names."""
    named = frozenset(filter(None, (word.strip() for word in os.environ.get("MANIKIN_REQUIRE", "").split(","))))
    if unknown := sorted(named - NEEDS.keys()):
        raise pytest.UsageError(f"MANIKIN_REQUIRE names {unknown[0]!r}; it knows {', '.join(NEEDS)}")
    return named


def missing(need: str, reason: str) -> NoReturn:
    """Skips the test, or fails it where MANIKIN_REQUIRE names the need."""
    if need in required():
        pytest.fail(f"MANIKIN_REQUIRE names {need!r}, but {reason}", pytrace=False)
    pytest.skip(reason)


def check(need: str) -> None:
    """Skips or fails the test if the need is not met."""
    if reason := NEEDS[need]():
        missing(need, reason)


def data_folder() -> Path:
    """The folder of real files to read (bvh/, gltf/, urdf/, …), named by the environment variable MANIKIN_DATA."""
    check("data")
    return Path(os.environ["MANIKIN_DATA"])


def data_file(name: str) -> Path:
    """A file in that folder, as in `data_file("urdf/panda.urdf")`."""
    path = data_folder() / name
    if not path.exists():
        missing("data", f"{name} is not in MANIKIN_DATA")
    return path


def find_data(name: str) -> Path | None:
    """As `data_file`, for figures that a test can do without: None where there is no such file."""
    if _no_data() and "data" not in required():
        return None
    path = data_folder() / name
    if not path.exists() and "data" in required():
        missing("data", f"{name} is not in MANIKIN_DATA")
    return path if path.exists() else None


def real_files(pattern: str) -> list[Any]:
    """Parameters: the files of that folder that match, or one that is skipped where there are none."""
    found = [] if _no_data() else sorted(Path(os.environ["MANIKIN_DATA"]).glob(pattern))
    return [pytest.param(path, id=path.stem) for path in found] or [
        pytest.param(None, id="none", marks=pytest.mark.needs("data", pattern))
    ]


def check_marks(item: pytest.Item) -> None:
    """Meets the marks `needs(need, file, …)` of a test: the need, and for "data" the files (patterns) in the folder."""
    for mark in item.iter_markers("needs"):
        need, *files = mark.args
        check(need)
        for pattern in files:
            if not any(data_folder().glob(pattern)):
                missing("data", f"{pattern} is not in MANIKIN_DATA")


def fold_skips(reports: list[Any]) -> None:
    """Gives tests that are skipped for want of the folder one place, so that the report has one line for all."""
    for report in reports:
        if isinstance(report.longrepr, tuple) and NO_DATA in report.longrepr[2]:
            report.longrepr = (__file__, None, f"Skipped: {NO_DATA}")
