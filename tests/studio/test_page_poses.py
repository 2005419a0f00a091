"""The pose library of the page: save, apply, apply mirrored, rename, delete, and deletions taken back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from studio_browser import Page, Server, audit, far

pytest.importorskip("uvicorn")
pytestmark = pytest.mark.needs("browser")


@pytest.fixture
def page(browser: Any, tmp_path: Any) -> Iterator[Page]:
    server = Server(tmp_path)  # each test has a library of its own
    opened = Page(browser, server).ready()
    opened.page.get_by_text("Pose library").click()
    opened.page.get_by_text("No pose is saved").wait_for()
    yield opened
    opened.close()
    server.kill()


def save(page: Page, name: str) -> None:
    page.page.get_by_label("Name of the pose").fill(name)
    page.page.get_by_role("button", name="Save pose").click()
    page.page.get_by_role("button", name=f"Apply: {name}", exact=True).wait_for()


def names(page: Page) -> list[str]:
    found: list[str] = page.page.locator(".pose span").all_text_contents()
    return found


def test_a_pose_is_saved_and_applied_also_mirrored(page: Page) -> None:
    page.drag("RightHand", -60, -120)
    up = page.at("RightHand")
    save(page, "Arm up")
    assert page.page.get_by_text("No pose is saved").is_hidden()
    drawn = "[...document.querySelector('.poses canvas').getContext('2d').getImageData(0, 0, 88, 112).data]"
    assert page.page.evaluate(f"{drawn}.filter((x) => x > 0).length") > 2000
    page.press("Shift+R")
    page.page.get_by_role("button", name="Apply: Arm up").click()
    page.until("__studio.studio.state.undo === 3")
    page.still()
    assert far(page.at("RightHand"), up) < 1e-6
    page.page.get_by_role("button", name="Apply mirrored: Arm up").click()
    page.until("__studio.studio.state.undo === 4")
    page.still()
    assert far(page.at("LeftHand"), up * [-1, 1, 1]) < 1e-3
    page.press("Control+z", -1)
    assert far(page.at("RightHand"), up) < 1e-6


def test_poses_outlive_the_page_and_fit_their_figure_only(page: Page) -> None:
    save(page, "Rest")
    page.page.reload(wait_until="commit")
    page.ready()
    page.page.get_by_text("Pose library").click()
    page.page.get_by_role("button", name="Apply: Rest").wait_for()
    page.page.get_by_role("button", name="Figures").click()
    page.page.locator("[data-figure=quadruped]").click()
    page.page.get_by_text("No pose is saved").wait_for()
    assert names(page) == []


def test_only_the_keyboard_saves_renames_deletes_and_takes_back(page: Page) -> None:
    keys = page.page.keyboard
    page.page.get_by_label("Name of the pose").focus()
    keys.press("Enter")  # an empty field takes the name that it shows
    page.page.get_by_role("button", name="Apply: Pose 1").wait_for()
    keys.type("Second")
    keys.press("Enter")
    page.page.get_by_role("button", name="Apply: Second").wait_for()
    page.page.get_by_role("button", name="Rename: Second").focus()
    keys.press("Enter")
    assert page.page.evaluate("document.activeElement.getAttribute('aria-label')") == "New name of Second"
    keys.type("Wave")
    keys.press("Enter")
    page.page.get_by_role("button", name="Apply: Wave").wait_for()
    assert names(page) == ["Pose 1", "Wave"]
    page.page.get_by_role("button", name="Rename: Wave").focus()
    keys.press("Enter")
    keys.type("Other")
    keys.press("Escape")
    assert names(page) == ["Pose 1", "Wave"]
    page.page.get_by_role("button", name="Delete: Wave").focus()
    keys.press("Enter")
    page.page.get_by_role("button", name="Apply: Wave").wait_for(state="detached")
    assert page.page.evaluate("document.activeElement.textContent") == "Undo"
    keys.press("Enter")
    page.page.get_by_role("button", name="Apply: Wave").wait_for()
    assert page.state()["undo"] == 0  # the library is no part of the scene
    assert audit(page) == []


def test_a_name_that_is_taken(page: Page) -> None:
    save(page, "One")
    save(page, "Two")
    page.page.get_by_role("button", name="Rename: Two").click()
    page.page.get_by_label("New name of Two").fill("One")
    page.page.keyboard.press("Enter")
    page.page.locator(".toast.bad").get_by_text("There is already a pose “One”").wait_for()
    assert names(page) == ["One", "Two"]
    page.drag("RightHand", -60, -120)
    up = page.at("RightHand")
    save(page, "One")
    page.page.get_by_text("“One” was replaced").first.wait_for()
    page.page.locator(".pose-undo").get_by_role("button", name="Undo").click()
    page.page.locator(".pose-undo").wait_for(state="hidden")
    page.page.get_by_role("button", name="Apply: One").click()
    page.until("__studio.studio.state.undo === 2")
    page.still()
    assert far(page.at("RightHand"), up) > 0.1


def test_the_shown_frame_is_saved_and_a_clip_takes_no_pose(page: Page) -> None:
    from needs import data_file

    page.page.get_by_label("Figure file").set_input_files(str(data_file("bvh/cmu_02_01_walk.bvh")))
    page.until("__studio.studio.state?.timeline?.clip === 'cmu_02_01_walk.bvh'")
    page.page.evaluate("__studio.player.seek(150)")
    page.until("__studio.studio.shownFrame === 150")
    page.still()
    hand = page.at("RightHand")
    save(page, "Step")
    page.page.get_by_role("button", name="Apply: Step").click()
    page.page.locator(".toast.bad").get_by_text("A clip is open").wait_for()
    page.page.get_by_role("button", name="Close the clip").click()
    page.until("!__studio.studio.state.timeline")
    page.page.get_by_role("button", name="Apply: Step").click()
    page.until("__studio.studio.state.undo >= 2")
    page.still()
    assert far(page.at("RightHand"), hand) < 1e-3
