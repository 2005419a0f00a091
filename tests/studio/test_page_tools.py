"""The tools of the page in a real browser: pins, handles, aims, bends, frozen joints, mirror, copies, keys."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from studio_browser import Page, far

pytest.importorskip("uvicorn")
pytestmark = pytest.mark.needs("browser")
HANDLE = """([axis, along]) => {
  const { view } = __studio, { handle } = view.gizmo, at = handle.position.clone();
  const eye = view.stage.camera, far = view.world.toStage(at).distanceTo(eye.position);
  const size = far * Math.min(1.9 * Math.tan(Math.PI * eye.fov / 360), 7) * 0.85 / 4;
  at["xyz"[axis]] += along * size;
  return view.project(at);
}"""
RING = """([x, y]) => {
  const { gizmo } = __studio.view;
  for (let r = 20; r < 120; r += 2) for (let k = 0; k < 24; k++) {
    const at = { clientX: x + r * Math.cos(k * 0.26), clientY: y + r * Math.sin(k * 0.26), button: 0 };
    gizmo.claims(at);
    if ("XYZ".includes(gizmo.controls.axis ?? "none")) return [at.clientX, at.clientY];
  }
  return null;
}"""
GAP = """(() => {
  const { segment, grip, wanted } = __studio.view.marks.last;
  return __studio.view.marks.pointOn(segment, grip).distanceTo(wanted);
})()"""


def goals(page: Page) -> dict[str, dict[str, Any]]:
    return {goal["id"]: goal for goal in page.state()["goals"]}


def pull_handle(page: Page, axis: int, pixels: float) -> None:
    """Drags an arrow of the handles along its direction on the screen."""
    a, b = (np.array(page.page.evaluate(HANDLE, [axis, along])) for along in (0.3, 0.4))
    page.page.mouse.move(*a)
    page.page.wait_for_timeout(100)
    page.page.mouse.down()
    page.page.mouse.move(*(a + pixels * (b - a) / np.linalg.norm(b - a)), steps=6)
    page.rested()
    page.page.mouse.up()
    page.still()


def test_a_pinned_hand_stays_while_the_other_is_dragged(page: Page) -> None:
    page.drag("RightHand", -60, -120)
    page.select("RightHand")
    page.press("p")
    assert "pin RightHand" in goals(page)
    before = page.at("RightHand")
    page.drag("LeftHand", 60, -120)
    assert far(page.at("RightHand"), before) < 5e-4
    page.select("RightHand")
    page.press("p")
    assert "pin RightHand" not in goals(page)
    page.select("RightToeBase")
    page.press("p")  # a planted foot is freed as a whole
    assert not {"foot RightToeBase", "sole RightFoot"} & set(goals(page))


def test_the_handles_move_and_turn_after_a_long_sequence(page: Page) -> None:
    page.drag("RightHand", -60, -120)
    page.select("RightHand")
    page.press("p")
    page.drag("Head", 30, 20)
    page.drag("Hips", 0, 40)
    page.press("Control+z", -1)
    page.page.keyboard.press("Escape")
    page.page.keyboard.press("g")
    page.until("!!__studio.view.gizmo")
    page.select("LeftHand")
    before = page.at("LeftHand")
    for axis in (1, 0):
        start = page.at("LeftHand")
        pull_handle(page, axis, 50)
        moved = page.at("LeftHand") - start
        assert abs(moved[axis]) > 0.05
        assert np.abs(np.delete(moved, axis)).max() < 3e-3  # along one axis only
    page.press("Control+z", -1)
    page.press("Control+z", -1)
    assert far(page.at("LeftHand"), before) == 0.0
    page.page.keyboard.press("r")
    turn = "[...__studio.studio.pose.rows.slice(7 * __studio.studio.index('LeftHand')).slice(3, 7)]"
    rotation = np.array(page.page.evaluate(turn))
    page.until("__studio.view.gizmo.controls.mode === 'rotate'")
    x, y = page.page.evaluate(HANDLE, [0, 0.0])
    grabbed = page.page.evaluate(RING, [x, y])
    assert grabbed is not None
    page.page.mouse.move(*grabbed)
    page.page.mouse.down()
    page.page.mouse.move(grabbed[0] + 12, grabbed[1] + 9, steps=5)
    page.rested()
    page.page.mouse.up()
    page.still()
    assert abs(rotation @ np.array(page.page.evaluate(turn))) < 0.999
    assert page.state()["undo"] == 4  # two drags, a pin and the turn: nothing else was taken
    assert far(page.at("LeftHand"), before) < 5e-3  # it turns in place


def test_the_handles_are_where_they_will_be_drawn_at_once(page: Page) -> None:
    """A press that comes before the next frame must find the rings, and not the part behind them."""
    page.page.keyboard.press("g")
    page.until("!!__studio.view.gizmo")
    page.select("LeftHand")
    seen = """([ring, x, y]) => {
      const { studio, view } = __studio;
      if (ring) studio.use("turn");
      const found = [];
      for (let k = 0; k < 400; k++) {
        const r = 10 + k / 4, at = { clientX: x + r * Math.cos(k), clientY: y + r * Math.sin(k), button: 0 };
        found.push(view.gizmo.claims(at) ? view.gizmo.controls.axis : "none");
      }
      return found;
    }"""
    x, y = page.page.evaluate(HANDLE, [0, 0.0])
    at_once = page.page.evaluate(seen, [True, x, y])
    page.page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert {"X", "Y", "Z", "none"} <= set(at_once)
    assert page.page.evaluate(seen, [False, x, y]) == at_once


def test_the_gaze_follows_its_target(page: Page) -> None:
    page.select("Head")
    page.press("a")
    target = np.array(goals(page)["aim Head"]["target"])
    assert page.page.locator(".panel-goals").get_by_text("Gaze").count() == 1
    x, y = page.on_screen(target)
    page.page.mouse.move(x, y)
    page.page.mouse.down()
    page.page.mouse.move(x + 120, y + 30, steps=6)
    page.rested()
    page.page.mouse.up()
    page.still()
    after = np.array(goals(page)["aim Head"]["target"])
    assert far(after, target) > 0.05
    fits = {fit["id"]: fit for fit in page.state()["errors"]}
    assert fits["aim Head"]["error"] <= fits["aim Head"]["allowed"]
    page.select("Head")
    page.press("a")
    assert "aim Head" not in goals(page)


def test_a_bend_is_for_elbows_and_knees_only(page: Page) -> None:
    page.select("RightHand")
    page.press("e")
    assert "pole RightForeArm" in goals(page)
    page.select("Head")
    assert page.page.get_by_role("button", name="Bend of elbow or knee").is_disabled()


def test_a_frozen_joint_keeps_its_angle(page: Page) -> None:
    page.select("LeftForeArm")
    page.press("l")
    assert page.state()["freeze"] == ["LeftForeArm"]
    arm = far(page.at("LeftArm"), page.at("LeftHand"))
    page.drag("LeftHand", 70, -90)
    assert far(page.at("LeftArm"), page.at("LeftHand")) == pytest.approx(arm, abs=1e-5)
    page.select("LeftForeArm")
    page.press("l")
    assert page.state()["freeze"] == []


def test_weight_priority_and_whether_a_goal_counts(page: Page) -> None:
    row = page.page.locator(".panel-goals li").filter(has_text="Balance")
    row.locator(".goal").click()
    row.get_by_label("Priority").select_option("2")
    page.until("__studio.studio.goal('balance').priority === 2")
    weight = row.get_by_label("Weight")
    weight.focus()
    weight.press("ArrowRight")
    page.until("Math.abs(__studio.studio.goal('balance').weight - 1.78) < 1e-9")
    row.get_by_role("switch").click()
    page.until("__studio.studio.goal('balance').on === false")
    row.locator(".what").get_by_text("off").wait_for()
    row.get_by_role("button", name="Remove Balance").click()
    page.until("!__studio.studio.goal('balance')")
    assert not page.page.get_by_label("Keep balance").is_checked()


def test_mirror_copy_paste_and_reset(page: Page) -> None:
    rest = page.at("RightHand")
    page.drag("RightHand", -60, -120)
    up = page.at("RightHand")
    page.page.keyboard.press("Control+c")
    page.press("m")
    assert far(page.at("LeftHand"), up * [-1, 1, 1]) < 1e-3
    page.press("Control+v")
    assert far(page.at("RightHand"), up) < 1e-6
    page.press("Control+Shift+v")
    assert far(page.at("LeftHand"), up * [-1, 1, 1]) < 1e-3
    page.press("Shift+R")
    assert far(page.at("RightHand"), rest) < 1e-6


def test_the_reason_stays_after_the_release_and_its_button_brings_the_target_into_reach(page: Page) -> None:
    page.grab("RightHand", -330, -60)
    page.page.locator(".why").wait_for()
    page.page.mouse.up()
    page.until("__studio.studio.state.undo === 1")
    page.page.get_by_role("button", name="Bring the target into reach").click()
    page.until("__studio.studio.state.undo === 2")
    page.still()
    page.until("!document.querySelector('.why')")
    page.until(f"{GAP} < 2e-3")  # the tolerance of a drag
    page.press("Control+z", -1)


@pytest.mark.parametrize("which", [0, 1])
def test_letting_go_by_the_button_reaches_the_target(page: Page, which: int) -> None:
    page.grab("RightHand", -290, -40)
    page.page.locator(".why").wait_for()
    button = page.page.locator(".why .chip").filter(has_text="Let go of").nth(which)
    words, before = button.text_content(), set(goals(page))
    assert page.page.evaluate(GAP) > 0.05
    page.page.mouse.up()
    page.until("__studio.studio.state.undo === 1")
    button.click()
    page.until("__studio.studio.state.undo >= 3 && !__studio.studio.dragged")
    page.still()
    gone = before - set(goals(page))
    assert "balance" in gone
    assert ("planted" in words) == (len(gone) > 1)
    assert page.page.evaluate(GAP) < 2e-3  # the tolerance of a drag


def test_only_the_keyboard_poses_the_figure(page: Page) -> None:
    keys = page.page.keyboard
    page.page.locator(".panel-parts summary").focus()
    keys.press("Enter")
    keys.press("Tab")
    assert page.page.evaluate("document.activeElement.getAttribute('role')") == "listbox"
    for _ in range(100):
        keys.press("ArrowDown")
        if page.page.locator(".part-name").text_content() == "Right hand":
            break
    before = page.at("RightHand")
    keys.press("Tab")
    page.page.locator("canvas").focus()
    for _ in range(4):
        keys.press("Shift+ArrowUp")
    page.until("__studio.studio.state.undo === 1")  # four presses are one step
    page.still()
    assert page.at("RightHand")[1] - before[1] == pytest.approx(0.2, abs=0.01)
    keys.press("Escape")
    assert page.page.locator(".part-name").text_content() == "Nothing selected"
    keys.press("?")
    assert page.page.get_by_role("dialog").get_by_text("Pin or unpin").is_visible()
    keys.press("Escape")
    assert page.page.get_by_role("dialog").count() == 0


def test_numbers_move_a_part_exactly(page: Page) -> None:
    page.select("LeftHand")
    field = page.page.get_by_label("y position")
    field.fill("1.3")
    field.press("Enter")
    page.until("__studio.studio.state.undo === 1")
    page.still()
    assert page.at("LeftHand")[1] == pytest.approx(1.3, abs=2e-3)


def test_escape_takes_a_drag_back(page: Page) -> None:
    before = page.at("RightHand")
    page.grab("RightHand", -60, -120)
    page.page.keyboard.press("Escape")
    page.page.mouse.up()
    page.until("__studio.studio.state.undo === 0 && !__studio.studio.dragged")
    page.still()
    assert far(page.at("RightHand"), before) == 0.0


def test_the_first_steps_tick_themselves_off_and_stay_closed(page: Page) -> None:
    card = page.page.get_by_role("region", name="First steps")
    assert card.locator("li.done").count() == 0
    page.drag("RightHand", -40, -60)
    page.press("Control+z", -1)
    assert card.locator("li.done").count() == 2
    card.get_by_role("button").click()
    page.page.reload(wait_until="commit")
    page.ready()
    assert card.count() == 0


def test_several_parts_are_pinned_at_once(page: Page) -> None:
    page.select("LeftHand")
    x, y = page.spot("RightHand")
    page.page.keyboard.down("Shift")
    page.page.mouse.click(x, y)
    page.page.keyboard.up("Shift")
    assert page.page.locator(".part-name").text_content() == "2 parts"
    page.press("p", 2)
    assert {"pin LeftHand", "pin RightHand"} <= set(goals(page))
