"""Robots on the page: a walking robot stands on its feet, and its trunk and its legs are dragged."""

from __future__ import annotations

import pytest
from needs import data_file
from studio_browser import Page, far

pytest.importorskip("uvicorn")
pytestmark = pytest.mark.needs("browser")
FEET = ("FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT")


def test_a_walking_robot_is_opened_and_dragged(page: Page) -> None:
    page.page.get_by_label("Figure file").set_input_files(str(data_file("urdf/solo12.urdf")))
    page.until("__studio.studio.state.name === 'solo12'")
    page.still()
    feet = {name: page.at(name) for name in FEET}
    trunk = page.at("base_link")
    page.drag("base_link", 0, 40)
    assert trunk[2] - page.at("base_link")[2] > 0.02  # its trunk goes down
    for name, before in feet.items():
        assert far(page.at(name), before) < 1e-3  # on its four feet
    leg = page.at("FL_FOOT")
    x, y = page.on_screen(leg)  # the foot has no solid, so it is taken by its lock
    page.page.mouse.move(x, y)
    page.page.mouse.down()
    page.page.mouse.move(x + 20, y - 40, steps=6)
    page.rested()
    page.page.mouse.up()
    page.still()
    assert far(page.at("FL_FOOT"), leg) > 0.01  # a foot is lifted
    for name in FEET[1:]:
        assert far(page.at(name), feet[name]) < 1e-3
    page.press("Control+z", -1)
    page.press("Control+z", -1)
    assert far(page.at("base_link"), trunk) == 0.0


def test_the_arm_of_a_robot_keeps_its_base(page: Page) -> None:
    page.page.get_by_label("Figure file").set_input_files(str(data_file("urdf/panda.urdf")))
    page.until("__studio.studio.state.name === 'panda'")
    page.still()
    base, hand = page.at("panda_link0"), page.at("panda_link6")
    page.drag("panda_link6", 60, 40)
    assert far(page.at("panda_link6"), hand) > 0.05
    assert far(page.at("panda_link0"), base) == 0.0
