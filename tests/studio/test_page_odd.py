"""Odd cases on the page: odd figures, lost pictures, tiny windows, keys while something is dragged."""

from __future__ import annotations

from pathlib import Path

import pytest
from studio_browser import Page, far

pytest.importorskip("uvicorn")
pytestmark = pytest.mark.needs("browser")


def chain(path: Path, joints: int, length: float) -> Path:
    """A BVH file of a chain that stands upright."""
    lines = ["HIERARCHY", "ROOT j0", "{", "OFFSET 0 0 0"]
    lines += ["CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation"]
    for k in range(1, joints):
        lines += [f"JOINT j{k}", "{", f"OFFSET 0 {length} 0", "CHANNELS 3 Zrotation Xrotation Yrotation"]
    lines += ["End Site", "{", f"OFFSET 0 {length} 0", "}", *["}"] * joints]
    lines += ["MOTION", "Frames: 1", "Frame Time: 0.04", " ".join(["0"] * (3 + 3 * joints))]
    path.write_text("\n".join(lines))
    return path


def opened(page: Page, path: Path) -> None:
    page.page.get_by_label("Figure file").set_input_files(str(path))
    page.until(f"__studio.studio.state?.name === '{path.stem}' && !!__studio.studio.pose")
    page.still()


@pytest.mark.parametrize(("joints", "length"), [(1, 0.1), (6, 1e-5), (6, 1e5)])
def test_a_figure_of_any_size_fills_the_stage_and_is_dragged(
    page: Page, tmp_path: Path, joints: int, length: float
) -> None:
    opened(page, chain(tmp_path / "odd.bvh", joints, length))
    last = f"j{joints - 1}"
    assert 0 <= page.on_screen(page.at(last))[1] <= 720
    page.drag(last, 60, 30)
    assert page.state()["undo"] == 1
    gap = """(() => {
      const { marks } = __studio.view, { segment, grip, wanted } = marks.last;
      return marks.pointOn(segment, grip).distanceTo(wanted);
    })()"""
    assert page.page.evaluate(gap) < 2e-3 * joints * length


def test_a_long_chain_of_small_parts_is_taken_where_it_is_touched(page: Page, tmp_path: Path) -> None:
    opened(page, chain(tmp_path / "long.bvh", 200, 0.1))
    page.page.mouse.click(*page.on_screen(page.at("j150")))
    page.until("__studio.studio.main >= 0")
    assert abs(page.page.evaluate("__studio.studio.main") - 150) < 6


def test_a_picture_that_the_graphics_driver_lost_comes_back(page: Page) -> None:
    lose = "window.lose = __studio.view.stage.renderer.getContext().getExtension('WEBGL_lose_context')"
    page.page.evaluate(f"void ({lose})")
    page.page.evaluate("lose.loseContext()")
    page.until("__studio.view.stage.renderer.getContext().isContextLost()")
    page.page.wait_for_timeout(400)  # the sharp picture after a rest is drawn meanwhile
    frames = page.page.evaluate("__studio.frames()")
    page.page.evaluate("lose.restoreContext()")
    page.until(f"__studio.frames() > {frames}")
    page.drag("RightHand", -40, -60)
    assert page.state()["undo"] == 1


def test_a_window_of_one_pixel_is_survived(page: Page) -> None:
    for size in ((200, 150), (1, 1), (1280, 720)):
        page.page.set_viewport_size({"width": size[0], "height": size[1]})
        page.page.wait_for_timeout(200)
    before = page.at("RightHand")
    page.drag("RightHand", -40, -60)
    assert far(page.at("RightHand"), before) > 0.1


def test_a_drag_stops_the_motion_that_plays(page: Page) -> None:
    for frame, right in ((0, 0), (60, -60)):
        page.page.evaluate(f"__studio.player.seek({frame})")
        if right:
            page.drag("RightHand", right, -120)
        page.page.keyboard.press("k")
        page.until(f"__studio.studio.state.keys.some((key) => key.frame === {frame})")
    page.page.evaluate("__studio.player.seek(0)")
    page.page.keyboard.press("Space")
    page.until("__studio.player.playing && __studio.player.frame > 3")
    page.grab("LeftHand", 30, -40)
    page.until("!__studio.player.playing && !!__studio.studio.dragged")
    page.page.mouse.up()
    page.still()
    assert [key["frame"] for key in page.state()["keys"]] == [0, 60]


def test_keys_while_something_is_dragged_leave_the_page_usable(page: Page) -> None:
    page.grab("RightHand", -50, -50)
    for keys in ("p", "m", "k", "Control+z", "g", "Control+c", "Control+v", "r", "v", "Space", "Space"):
        page.page.keyboard.press(keys)
    page.page.mouse.up()
    page.still()
    page.grab("LeftHand", 50, -50)
    page.page.mouse.down(button="right")
    page.page.mouse.up(button="right")
    page.page.mouse.up()
    page.still()
    page.page.keyboard.press("Escape")
    assert page.page.evaluate("__studio.view.stage.orbit.enabled && !__studio.studio.dragged")
    before = page.at("LeftHand")
    page.drag("LeftHand", 40, -40)
    assert far(page.at("LeftHand"), before) > 0.05
