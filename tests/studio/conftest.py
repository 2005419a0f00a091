"""One server and one browser for the tests of a module; a new page for each test."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from studio_browser import Page, Server, chromium


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    started = Server(tmp_path_factory.mktemp("state"))
    yield started
    started.kill()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as started:
        yield started


@pytest.fixture
def page(browser: Any, server: Server) -> Iterator[Page]:
    opened = Page(browser, server).ready()
    yield opened
    opened.close()
