"""Numbers of the timeline: the last frame, frames a second, and how long an edit is blended. Goals in a clip."""

from __future__ import annotations

import pytest
from needs import data_file
from studio_browser import Page

pytest.importorskip("uvicorn")
pytestmark = pytest.mark.needs("browser")


def test_the_last_frame_and_the_frames_a_second_are_set(page: Page) -> None:
    last, rate = page.page.get_by_label("End, in frames"), page.page.get_by_label("Frames a second")
    assert (last.input_value(), rate.input_value()) == ("120", "30")
    last.fill("48")
    last.press("Enter")
    page.until("__studio.studio.state.last_frame === 48")
    rate.fill("24")
    rate.press("Enter")
    page.until("__studio.studio.state.fps === 24")
    assert page.page.get_by_role("slider", name="Frame").get_attribute("aria-valuemax") == "48"
    last.fill("0")
    last.press("Enter")
    page.until("document.querySelector('.timing input').value === '48'")
    last.fill("200000")
    last.press("Enter")  # more than the server takes
    page.page.locator(".toast.bad").wait_for()
    page.until("document.querySelector('.timing input').value === '48'")
    page.page.evaluate("document.activeElement.blur()")
    page.press("Control+z", -1)
    assert page.state()["fps"] == 30


def test_an_edit_is_blended_over_the_time_that_is_set(page: Page) -> None:
    page.page.get_by_label("Figure file").set_input_files(str(data_file("bvh/cmu_02_01_walk.bvh")))
    page.until("__studio.studio.state?.timeline?.clip === 'cmu_02_01_walk.bvh'")
    assert page.page.get_by_label("End, in frames").is_disabled()  # the file sets it
    assert page.page.locator(".panel-goals").get_by_text("Goals hold the pose, not the clip").is_visible()
    assert page.page.locator(".status .met").text_content() == "a clip"
    page.page.evaluate("__studio.player.seek(150)")
    page.until("__studio.studio.shownFrame === 150")
    page.still()
    page.page.evaluate("__studio.view.fit()")
    for seconds in ("0.4", "0.1"):
        field = page.page.get_by_label("Seconds in which an edit is blended")
        if seconds != "0.4":
            field.fill(seconds)
            field.press("Enter")
        assert field.input_value() == seconds
        page.drag("RightForeArm", -20, -50)
        page.until("__studio.studio.state.timeline.edits.length === 1 && __studio.studio.shownFrame === 150")
        fps, (edit,) = page.state()["fps"], page.state()["timeline"]["edits"]
        assert edit["blend"] == round(float(seconds) * fps)
        page.page.evaluate("document.activeElement.blur()")
        page.page.keyboard.press("Control+z")
        page.until("__studio.studio.state.timeline.edits.length === 0")
        page.still()
