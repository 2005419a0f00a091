"""The page of the studio in a real browser: it opens, parts are dragged by the mouse, and steps are taken back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from studio_browser import Page, Server, far

pytest.importorskip("uvicorn")
pytestmark = pytest.mark.needs("browser")
TOES = 5e-4
"""Planted toes stay within this distance, in metres."""


def test_a_hand_follows_the_mouse_and_the_toes_stay(page: Page) -> None:
    hand, toes = page.at("RightHand"), [page.at(f"{side}ToeBase") for side in ("Left", "Right")]
    x, y = page.grab("RightHand", -60, -120)
    page.rested()
    wanted = np.array(page.page.evaluate("__studio.view.marks.wanted.toArray()"))
    held = np.array(page.page.evaluate("__studio.view.marks.heldPoint().toArray()"))
    assert far(held, wanted) < 2e-3  # the tolerance of a drag
    assert page.on_screen(held) == pytest.approx((x, y), abs=2.0)
    page.page.mouse.up()
    page.still()
    assert far(page.at("RightHand"), hand) > 0.2
    for side, before in zip(("Left", "Right"), toes, strict=True):
        assert far(page.at(f"{side}ToeBase"), before) < TOES
    assert page.state()["undo"] == 1


def test_undo_and_redo_by_key_and_by_button(page: Page) -> None:
    before = page.at("LeftHand")
    page.drag("LeftHand", 50, -100)
    after = page.at("LeftHand")
    assert far(after, before) > 0.1
    page.page.keyboard.press("Control+z")
    page.until("__studio.studio.state.redo === 1")
    page.still()
    assert far(page.at("LeftHand"), before) == 0.0
    page.page.get_by_role("button", name="Redo").click()
    page.until("__studio.studio.state.redo === 0")
    page.still()
    assert far(page.at("LeftHand"), after) == 0.0
    page.page.get_by_role("button", name="Undo").click()
    page.until("__studio.studio.state.redo === 1")
    page.page.keyboard.press("Control+Shift+z")
    page.until("__studio.studio.state.redo === 0")


def test_a_missed_goal_says_so_in_words_and_why(page: Page) -> None:
    page.grab("RightHand", -330, -60)
    row = page.page.locator(".panel-goals li.missed").filter(has_text="Right hand")
    row.wait_for()
    assert "missed" in row.text_content()
    assert row.locator(".mark").text_content() == "✕"
    assert "short" in page.page.locator(".tag.missed").text_content()
    why = page.page.locator(".why")
    why.wait_for()
    assert "misses its target" in why.text_content()
    page.page.mouse.up()
    page.until("!__studio.studio.dragged")
    row.wait_for(state="detached")  # the dragged point is no goal any more


def test_beside_the_figure_the_view_turns_and_a_click_selects_nothing(page: Page) -> None:
    x, y = page.spot("LeftHand")
    page.page.mouse.click(x, y)
    assert page.page.locator(".part-name").text_content() == "Left hand"
    eye = page.page.evaluate("__studio.view.stage.camera.position.toArray()")
    page.page.mouse.move(200, 250)
    page.page.mouse.down()
    page.page.mouse.move(300, 230, steps=5)
    page.page.mouse.up()
    assert page.page.evaluate("__studio.view.stage.camera.position.toArray()") != eye
    assert page.page.locator(".part-name").text_content() == "Left hand"
    page.page.mouse.click(200, 250)
    assert page.page.locator(".part-name").text_content() == "Nothing selected"


def test_dark_and_light_are_kept_over_a_reload(page: Page) -> None:
    shown = "document.documentElement.dataset.theme"
    assert page.page.evaluate(shown) == "light"
    page.page.keyboard.press("d")
    assert page.page.evaluate(shown) == "dark"
    page.select("LeftHand")
    page.press("p")  # messages are done in order, so the server knows the theme when it answers this one
    page.page.reload(wait_until="commit")
    page.ready()
    page.until(f"{shown} === 'dark'")


def test_without_a_token_or_with_a_wrong_one_the_page_says_what_to_do(browser: Any, server: Server) -> None:
    for fragment in ("", "#wrong-token"):
        context = browser.new_context()
        page = context.new_page()
        page.goto(server.address.split("#")[0] + "?test" + fragment, wait_until="commit")
        banner = page.get_by_role("alert")
        banner.wait_for()
        assert "manikin studio" in banner.text_content()
        assert page.evaluate("__studio.studio.scene") is None
        context.close()
