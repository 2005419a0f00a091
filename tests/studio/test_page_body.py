"""The panel "Body" of the page: the distance between parts, and the natural pose in a drag."""

from __future__ import annotations

import pytest
from studio_browser import Page, far

pytest.importorskip("uvicorn")
pytestmark = pytest.mark.needs("browser")


def test_parts_keep_the_distance_that_is_set(page: Page) -> None:
    field = page.page.get_by_label("Distance between parts")
    assert field.is_hidden()
    page.page.get_by_label("Keep parts apart").click()
    page.until("!!__studio.studio.goal('clearance')")
    assert field.input_value() == "0"
    field.fill("3")
    field.press("Enter")
    page.until("Math.abs(__studio.studio.goal('clearance').distance - 0.03) < 1e-9")
    page.still()
    page.page.locator(".panel-goals li").filter(has_text="Parts apart").get_by_text("3.0 cm apart").wait_for()
    page.drag("RightHand", 150, -40)  # into the trunk
    fit = {one["id"]: one for one in page.state()["errors"]}["clearance"]
    assert fit["error"] <= fit["allowed"]
    field.fill("-1")
    field.press("Enter")
    page.until("document.querySelector('.distance input').value === '3'")
    page.page.get_by_label("Keep parts apart").click()
    page.until("!__studio.studio.goal('clearance')")
    assert field.is_hidden()


def test_the_natural_pose_is_a_choice(page: Page) -> None:
    start = page.at("RightHand")
    page.drag("RightHand", -40, -90)
    plain = {name: page.at(name) for name in ("RightHand", "LeftHand")}
    page.press("Control+z", -1)
    page.page.get_by_label("Natural pose").click()
    page.until("__studio.studio.state.view.natural")
    page.drag("RightHand", -40, -90)
    assert far(page.at("RightHand"), start) > 0.2
    assert far(page.at("RightHand"), plain["RightHand"]) < 0.06  # the same target, for a point on the hand
    assert far(page.at("LeftHand"), plain["LeftHand"]) > 0.01  # the rest of the body takes another pose
    page.page.reload(wait_until="commit")
    page.ready()
    page.until("document.querySelectorAll('.panel-body input[role=switch]')[2].checked")


def test_a_figure_that_is_no_person_says_why_it_has_no_natural_pose(page: Page) -> None:
    page.page.get_by_role("button", name="Figures").click()
    page.page.locator("[data-figure=quadruped]").click()
    page.until("__studio.studio.scene.name === 'quadruped'")
    switch = page.page.get_by_label("Natural pose")
    page.until("document.querySelectorAll('.panel-body input[role=switch]')[2].disabled")
    assert not switch.is_checked()
    assert "is not recognised as a person: it has no left hand" in page.page.locator(".panel-body").text_content()
