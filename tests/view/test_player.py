"""The page of a motion in a real browser: it plays, scrubs and fits a phone, and no request leaves the file."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from needs import BROWSERS

import manikin as mk

pytestmark = pytest.mark.needs("browser")
SIZES = {"desktop": (1280, 800), "phone": (390, 844)}


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    person, times = mk.human(), np.arange(60) / 30
    path = np.stack([np.full(60, -0.3), 1.1 + 0.2 * np.sin(3 * times), np.full(60, 0.35)], axis=1)
    clip = mk.solve_motion(person, mk.Over(mk.Position("RightHand", (0, 0, 0)), path), times, start=person.rest)
    out = tmp_path_factory.mktemp("player") / "reach.html"
    mk.animate(clip, out, ghosts=2)
    return out


@pytest.fixture(params=list(SIZES))
def page(page_file: Path, request: pytest.FixtureRequest) -> Iterator[Any]:
    """The page in Chromium without a network, at one size. At the end, nothing may have failed or left the file."""
    from playwright.sync_api import sync_playwright

    program = next(found for name in BROWSERS if (found := shutil.which(name)))
    wide, high = SIZES[request.param]
    left: list[str] = []
    wrong: list[str] = []

    def watched(route: Any) -> None:
        if not route.request.url.startswith(page_file.as_uri()):
            left.append(route.request.url)
        route.continue_()

    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        context = browser.new_context(viewport={"width": wide, "height": high}, offline=True)
        opened = context.new_page()
        opened.route("**/*", watched)
        opened.on("pageerror", lambda error: wrong.append(str(error)))
        opened.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
        opened.goto(page_file.as_uri())
        yield opened
        browser.close()
    assert left == []
    assert wrong == []


def frame(page: Any) -> int:
    return int(page.input_value("#at"))


def drawn(page: Any) -> str:
    return str(page.evaluate("document.getElementById('stage').toDataURL()"))


def test_it_plays_pauses_and_steps(page: Any) -> None:
    page.wait_for_function("+document.getElementById('at').value > 3")
    page.click("#play")
    assert page.inner_text("#play") == "Play"
    at, picture = frame(page), drawn(page)
    page.wait_for_timeout(150)
    assert frame(page) == at
    assert drawn(page) == picture
    page.keyboard.press("ArrowLeft")
    assert frame(page) == at - 1
    assert drawn(page) != picture
    page.keyboard.press("End")
    assert "frame 59 of 59" in page.inner_text("#time")


def test_the_slider_scrubs(page: Any) -> None:
    page.fill("#at", "30")
    assert page.inner_text("#play") == "Play"
    assert "1.00 s" in page.inner_text("#time")


def test_dragging_turns_the_figure_and_the_theme_changes(page: Any) -> None:
    page.fill("#at", "10")
    before = drawn(page)
    box = page.locator("#stage").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 80, y + 10)
    page.mouse.up()
    turned = drawn(page)
    assert turned != before
    page.click("#theme")
    assert drawn(page) != turned
    assert page.evaluate("document.documentElement.className") in ("dark", "")


def test_everything_fits_the_window(page: Any) -> None:
    wide, high = page.viewport_size["width"], page.viewport_size["height"]
    assert page.evaluate("document.documentElement.scrollWidth") <= wide
    for name in ("#play", "#speed", "#at", "#time", "#theme", "#stage"):
        box = page.locator(name).bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= wide
        assert box["y"] + box["height"] <= high
    assert page.evaluate(
        "[...document.querySelectorAll('button')].every(b => b.scrollWidth <= b.clientWidth + 1)"
    )  # no text overflows
