"""Ghosts of other keys, and of other frames of a clip."""

from __future__ import annotations

from typing import Any

import pytest
from needs import data_file
from studio_browser import Page

pytest.importorskip("uvicorn")
pytestmark = pytest.mark.needs("browser")
SHOWN = """() => [...__studio.ghosts.shown].map(([frame, ghost]) => {
  const geometry = ghost.children[1].geometry;
  geometry.computeBoundingBox();
  const { min, max } = geometry.boundingBox;
  return [frame, ghost.children[1].material.color.getHexString(), min.toArray(), max.toArray()];
}).sort((a, b) => a[0] - b[0])"""
BLUE, SAGE = "4a6fa5", "7a9e6d"


def ghosts(page: Page) -> list[Any]:
    page.page.wait_for_timeout(150)
    found: list[Any] = page.page.evaluate(SHOWN)
    return found


def test_keys_before_and_after_are_shown_in_two_colours(page: Page) -> None:
    page.page.keyboard.press("k")
    page.until("__studio.studio.state.keys.length === 1")
    assert page.page.get_by_role("button", name="Ghosts of other keys").is_disabled()  # nothing moves yet
    for frame, up in ((40, -120), (80, 60)):
        page.page.evaluate(f"__studio.player.seek({frame})")
        page.drag("RightHand", -40, up)
        page.page.keyboard.press("k")
        page.until(f"__studio.studio.state.keys.some((key) => key.frame === {frame})")
    page.page.evaluate("__studio.player.seek(50)")
    assert ghosts(page) == []
    page.page.keyboard.press("Shift+O")
    page.until("__studio.ghosts.shown.size === 3")
    found = ghosts(page)
    assert [(frame, colour) for frame, colour, *_ in found] == [(0, BLUE), (40, BLUE), (80, SAGE)]
    # Each ghost has the pose of its key: the raised arm reaches farther than the arm at rest.
    assert found[1][2][0] < found[0][2][0] - 0.1
    marks = page.page.locator(".key-marks.ghosts .key")
    assert [mark.get_attribute("class") for mark in marks.all()] == ["key before", "key before", "key after"]
    page.page.evaluate("__studio.player.seek(40)")
    page.until("__studio.ghosts.shown.size === 2")
    assert [(frame, colour) for frame, colour, *_ in ghosts(page)] == [(0, BLUE), (80, SAGE)]
    page.page.get_by_role("button", name="Ghosts of other keys").click()
    page.until("__studio.ghosts.shown.size === 0")


def test_every_nth_frame_of_a_clip(page: Page) -> None:
    page.page.get_by_label("Figure file").set_input_files(str(data_file("bvh/cmu_02_01_walk.bvh")))
    page.until("__studio.studio.state?.timeline?.clip === 'cmu_02_01_walk.bvh'")
    page.page.evaluate("__studio.player.seek(105)")
    page.until("__studio.studio.shownFrame === 105")
    page.page.get_by_role("button", name="Ghosts of other keys").click()
    page.until("__studio.ghosts.shown.size === 6")
    assert [frame for frame, *_ in ghosts(page)] == [80, 90, 100, 110, 120, 130]
    page.page.get_by_label("Frames between two ghosts").select_option("40")
    page.until("__studio.ghosts.shown.has(200)")  # in another block of the clip
    found = ghosts(page)
    assert [(frame, colour) for frame, colour, *_ in found] == [
        (0, BLUE), (40, BLUE), (80, BLUE), (120, SAGE), (160, SAGE), (200, SAGE),
    ]  # fmt: skip
    starts = [low[2] for _, _, low, _ in found]
    assert starts == sorted(starts) or starts == sorted(starts, reverse=True)  # the walker moves on
    page.page.reload(wait_until="commit")
    page.ready()
    page.until("__studio.ghosts.shown.size > 2")  # the choice is kept
    assert page.page.get_by_label("Frames between two ghosts").input_value() == "40"


def test_a_character_has_ghosts_of_its_skin(page: Page) -> None:
    page.page.get_by_label("Figure file").set_input_files(str(data_file("gltf/CesiumMan.glb")))
    page.until("!!__studio.view.figure?.skin && __studio.studio.shownFrame === 0")
    page.page.keyboard.press("Shift+O")
    page.until("__studio.ghosts.shown.size === 3")
    count = "[...__studio.ghosts.shown.values()][0].children[1].geometry.attributes.position.count"
    skin = page.page.evaluate(count)
    (_, _, low, high), *_ = ghosts(page)
    assert 1.2 < max(b - a for a, b in zip(low, high, strict=True)) < 2.5  # the height of the character
    page.page.keyboard.press("b")  # now the bare segments
    page.until(f"__studio.ghosts.shown.size === 3 && {count} !== {skin}")
