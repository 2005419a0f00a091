"""The timeline of the page: keys, play, scrub, a clip with an edit, and exports."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from needs import data_file
from studio_browser import PLACE, Page, far

import manikin as mk

pytest.importorskip("uvicorn")
pytestmark = pytest.mark.needs("browser")


def test_two_keys_play_and_the_hand_moves_between_them(page: Page) -> None:
    low = page.at("RightHand")
    page.set_two_keys()
    high = page.at("RightHand")
    assert far(low, high) > 0.2
    page.page.evaluate("__studio.player.seek(0)")
    page.until("__studio.studio.shownFrame === 0")
    page.still()
    assert far(page.at("RightHand"), low) < 1e-5
    page.page.keyboard.press("Space")
    page.until("__studio.player.playing && __studio.player.frame > 15")
    at = page.at("RightHand").tolist()
    page.until(f"({PLACE})('RightHand').some((x, i) => Math.abs(x - {at}[i]) > 1e-6)")
    page.page.keyboard.press("Space")
    page.until("!__studio.player.playing")
    page.page.evaluate("__studio.player.seek(20)")
    page.until("__studio.studio.shownFrame === 20")
    page.still()
    between = page.at("RightHand")
    assert 0.05 < far(between, low) < far(high, low) + 0.3
    assert far(between, high) > 0.05


def test_scrubbing_by_mouse_and_by_keys(page: Page) -> None:
    page.set_two_keys()
    track = page.page.get_by_role("slider", name="Frame")
    box: Any = track.bounding_box()
    page.page.mouse.click(box["x"] + 0.25 * box["width"], box["y"] + 40)
    page.until("__studio.player.frame === 30")
    assert track.get_attribute("aria-valuetext") == "frame 30 of 120"
    track.focus()
    page.page.keyboard.press("ArrowRight")
    page.until("__studio.player.frame === 31")
    page.page.keyboard.press("Home")
    page.until("__studio.player.frame === 0")


def test_a_key_is_dragged_to_another_frame_and_deleted(page: Page) -> None:
    page.set_two_keys()
    key = page.page.get_by_label("Key at frame 40")
    box: Any = key.bounding_box()
    track: Any = page.page.get_by_role("slider", name="Frame").bounding_box()
    page.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.page.mouse.down()
    page.page.mouse.move(track["x"] + 0.5 * track["width"], box["y"] + 5, steps=6)
    page.page.mouse.up()
    page.until("__studio.studio.state.keys.some((key) => key.frame === 60)")
    page.page.keyboard.press("Shift+K")
    page.until("__studio.studio.state.keys.length === 1")
    page.page.keyboard.press("Control+z")
    page.until("__studio.studio.state.keys.length === 2")


def test_a_clip_is_opened_and_one_effector_of_it_is_edited(page: Page, tmp_path: Path) -> None:
    path = data_file("bvh/cmu_02_01_walk.bvh")
    page.page.get_by_label("Figure file").set_input_files(str(path))
    page.until("__studio.studio.state?.timeline?.clip === 'cmu_02_01_walk.bvh'")
    assert page.page.locator(".contacts i").count() > 4
    page.page.evaluate("__studio.player.seek(150)")
    page.until("__studio.studio.shownFrame === 150")
    page.still()
    page.page.evaluate("__studio.view.fit()")
    before = page.at("RightForeArm")  # the hand is too small to be taken from afar
    page.drag("RightForeArm", -20, -50)
    page.until("__studio.studio.state.timeline.edits.length === 1")
    page.until("__studio.studio.shownFrame === 150")
    page.still()
    assert far(page.at("RightForeArm"), before) > 0.02 * mk.load_figure(path).size
    page.page.keyboard.press("Control+z")
    page.until("__studio.studio.state.timeline.edits.length === 0")


@pytest.mark.parametrize("kind", ["bvh", "glb", "usd", "csv", "script", "scene", "png"])
def test_exports_are_downloaded(page: Page, tmp_path: Path, kind: str) -> None:
    page.page.keyboard.press("Control+e")
    with page.page.expect_download() as waiting:
        page.page.locator(f"[data-kind={kind}]").click()
    got = tmp_path / waiting.value.suggested_filename
    waiting.value.save_as(got)
    if kind in ("bvh", "glb", "usd"):
        assert len(mk.load_motion(got)) == 1
    elif kind == "png":
        assert got.read_bytes()[:4] == b"\x89PNG"
    else:
        assert got.stat().st_size > 100


def test_a_character_is_grabbed_by_its_skin(page: Page) -> None:
    page.page.get_by_label("Figure file").set_input_files(str(data_file("gltf/CesiumMan.glb")))
    page.until("!!__studio.view.figure?.skin")
    page.page.keyboard.press("b")
    page.until("__studio.view.figure.visible && !__studio.view.figure.skin.visible")
    page.page.keyboard.press("b")
    page.until("__studio.view.figure.skin.visible")
    page.page.get_by_role("button", name="Close the clip").click()
    page.until("!__studio.studio.state.timeline")
    page.still()
    name = page.page.evaluate(
        "(() => { const s = __studio.studio.scene.segments; return s.find((x) => x.words === 'left hand').name; })()"
    )
    before = page.at(name)
    page.drag(name, 30, -60)
    assert far(page.at(name), before) > 0.05


def test_an_example_of_the_theory_pages_is_solved_by_two_methods(page: Page) -> None:
    page.page.get_by_role("button", name="Figures").click()
    page.page.locator("[data-figure=figure-5]").click()
    page.until("__studio.studio.state.name.startsWith('Figure 5')")
    page.page.get_by_text("Two methods side by side").click()
    page.page.get_by_role("button", name="Compare").click()
    page.page.locator(".chart").first.wait_for()
    assert page.page.locator(".chart").count() == 3
    assert "reached" in page.page.locator(".run-b").text_content()
    assert page.page.evaluate("__studio.view.runs.length") == 2


def test_a_motion_is_retargeted_onto_the_person(page: Page) -> None:
    page.page.get_by_label("Motion file").set_input_files(str(data_file("bvh/cmu_02_01_walk.bvh")))
    page.until("__studio.studio.state.timeline?.retargeted === true")
    hips = page.at("Hips")
    page.page.evaluate("__studio.player.seek(300)")
    page.until("__studio.studio.shownFrame === 300")
    page.still()
    assert far(page.at("Hips"), hips) > 0.5


def test_two_methods_solve_the_newest_drag(page: Page) -> None:
    page.page.locator(".panel-methods summary").click()
    targets = page.page.get_by_label("Targets")
    assert targets.input_value() == "scene"
    start = page.at("RightHand")
    page.drag("RightHand", -40, -60)
    after = page.at("RightHand")
    assert targets.input_value() == "drag"
    page.page.get_by_label("Method a", exact=True).select_option("dls")
    page.page.get_by_role("button", name="Compare").click()
    page.page.locator(".chart").first.wait_for()
    assert "✓ reached" in page.page.locator(".run-a").text_content()
    assert page.page.evaluate("__studio.view.runs.length") == 2
    assert far(start, after) > 0.1  # the methods began where the drag began, not where it ended
    first = page.page.locator(".chart text").all_text_contents()
    assert any("1e" in text or "0.1" in text or text.startswith("10") for text in first), first
