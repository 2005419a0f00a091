"""The page on phones and tablets, by touch, and for assistive technology."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from studio_browser import Page, Server, audit, far

pytest.importorskip("uvicorn")
pytestmark = pytest.mark.needs("browser")
SIZES = {"desktop": (1280, 720), "tablet": (820, 1180), "phone": (390, 844), "sideways": (844, 390)}
OUTSIDE = """() => [...document.querySelectorAll("button, input, select, .tag, .views, .rail, .side, .status")]
  .filter((node) => node.checkVisibility() && !node.closest(".panel") && !node.closest("dialog"))
  .map((node) => [node.getAttribute("aria-label") ?? node.className, node.getBoundingClientRect()])
  .filter(([, box]) => Math.min(box.left, box.top) < -0.5 || box.right > innerWidth + 0.5
    || box.bottom > innerHeight + 0.5)
  .map(([name]) => name)"""
SMALL = """() => [...document.querySelectorAll("button, select, input, summary, [role=option]")]
  .filter((node) => node.checkVisibility() && !node.closest("dialog"))
  .map((node) => [node, (node.closest("label") ?? node).getBoundingClientRect()])
  .filter(([, box]) => Math.min(box.width, box.height) < 24)
  .map(([node]) => node.getAttribute("aria-label") ?? node.textContent)"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(browser: Any, server: Server, theme: str) -> None:
    page = Page(browser, server, color_scheme=theme).ready()
    page.select("LeftHand")
    page.page.locator(".goal").first.click()
    page.page.locator(".panel-parts summary").click()
    assert audit(page) == []
    page.grab("RightHand", -330, -60)
    page.page.locator(".why").wait_for()
    assert audit(page) == []
    page.page.mouse.up()
    page.page.keyboard.press("?")
    assert audit(page) == []
    page.close()


@pytest.mark.parametrize("size", list(SIZES))
def test_everything_is_on_the_screen(browser: Any, server: Server, size: str) -> None:
    width, height = SIZES[size]
    page = Page(browser, server, viewport={"width": width, "height": height}, has_touch=size != "desktop").ready()
    assert page.page.evaluate(OUTSIDE) == []
    assert page.page.evaluate(SMALL) == []
    assert page.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    canvas = page.page.locator("canvas").bounding_box()
    assert canvas["height"] > 0.4 * height
    head, toes = (page.on_screen(page.at(name)) for name in ("HeadTop_End", "RightToeBase"))
    for x, y in (head, toes):
        assert canvas["x"] < x < canvas["x"] + canvas["width"]
        assert canvas["y"] < y < canvas["y"] + canvas["height"]
    page.close()


class Finger:
    """Touches of the browser, by its debugging protocol."""

    def __init__(self, page: Page) -> None:
        self.session = page.context.new_cdp_session(page.page)

    def at(self, kind: str, *points: tuple[float, float]) -> None:
        touches = [{"x": x, "y": y, "id": k} for k, (x, y) in enumerate(points)]
        self.session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})


def test_a_finger_drags_a_hand_turns_the_view_and_pins(browser: Any, server: Server) -> None:
    page = Page(browser, server, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True).ready()
    finger = Finger(page)
    before, toes = page.at("LeftHand"), page.at("LeftToeBase")
    x, y = page.spot("LeftForeArm")
    finger.at("touchStart", (x, y))
    for k in range(1, 9):
        finger.at("touchMove", (x + 3 * k, y - 8 * k))
    page.rested()
    finger.at("touchEnd")
    page.still()
    assert far(page.at("LeftHand"), before) > 0.08
    assert far(page.at("LeftToeBase"), toes) < 5e-4
    assert page.state()["undo"] == 1

    eye = "__studio.view.stage.camera.position.toArray()"
    box = page.page.locator("canvas").bounding_box()
    start, edge = np.array(page.page.evaluate(eye)), (box["x"] + box["width"] - 20, box["y"] + 0.6 * box["height"])
    finger.at("touchStart", edge)
    for k in range(1, 7):
        finger.at("touchMove", (edge[0] - 10 * k, edge[1]))
    finger.at("touchEnd")
    page.until(f"Math.hypot(...{eye}.map((x, i) => x - {start.tolist()}[i])) > 0.1")
    turned = np.array(page.page.evaluate(eye))
    finger.at("touchStart", edge, (edge[0] - 100, edge[1]))
    for k in range(1, 7):
        finger.at("touchMove", (edge[0] - 5 * k, edge[1]), (edge[0] - 100 + 5 * k, edge[1]))
    finger.at("touchEnd")
    page.until(f"Math.hypot(...{eye}) > {np.linalg.norm(turned) + 0.1}")  # two fingers zoom

    finger.at("touchStart", page.spot("LeftForeArm"))
    page.until("__studio.studio.state.undo === 2")
    finger.at("touchEnd")
    assert any(goal["role"] == "pin" for goal in page.state()["goals"])
    page.close()
