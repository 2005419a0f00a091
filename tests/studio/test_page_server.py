"""The page and its server: a crash, two tabs, files that are opened, and requests from elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from needs import data_file
from studio_browser import Page, Server, far

pytest.importorskip("uvicorn")
pytestmark = pytest.mark.needs("browser")
DROP = """([name, text]) => {
  const files = new DataTransfer();
  files.items.add(new File([text], name));
  const at = (kind) => dispatchEvent(new DragEvent(kind, { dataTransfer: files, bubbles: true, cancelable: true }));
  at("dragover");
  const shown = getComputedStyle(document.querySelector(".drop")).display;
  at("drop");
  return shown;
}"""
HERE = "__studio.studio.link.status === 'open'"


def choose(page: Page, *files: Path) -> None:
    """Opens files by the dialog of the browser."""
    with page.page.expect_file_chooser() as asked:
        page.page.get_by_role("button", name="Open a file").click()
    asked.value.set_files([str(file) for file in files])


def test_after_kill_9_the_open_page_goes_on(browser: Any, tmp_path: Path) -> None:
    server = Server(tmp_path)
    try:
        page = Page(browser, server).ready()
        page.drag("RightHand", -60, -120)
        hand, rows = page.at("RightHand"), page.page.locator(".goal").count()
        page.grab("LeftHand", 40, -80)  # the crash comes in the middle of a drag
        server.kill()
        banner = page.page.get_by_role("alert")
        banner.wait_for()
        assert "tries again" in banner.text_content()
        assert page.page.evaluate("__studio.studio.dragged") is None
        assert page.page.get_by_role("button", name="Undo").is_disabled()
        page.page.mouse.up()
        server.start(server.port)
        page.until(HERE)
        page.still()
        assert banner.is_hidden()
        assert far(page.at("RightHand"), hand) == 0.0
        assert page.page.locator(".goal").count() == rows
        page.press("Control+z", -1)
        page.drag("LeftHand", 40, -80)
        assert page.state()["undo"] == 1
        page.wrong = [text for text in page.wrong if "ERR_CONNECTION" not in text and "WebSocket" not in text]
        page.close()
    finally:
        server.kill()


def test_two_tabs_have_two_figures(browser: Any, server: Server) -> None:
    one, two = Page(browser, server).ready(), Page(browser, server).ready()
    one.drag("RightHand", -60, -120)
    assert one.state()["undo"] == 1
    assert two.state()["undo"] == 0
    assert far(one.at("RightHand"), two.at("RightHand")) > 0.1
    one.close()
    two.close()


def test_a_tab_that_is_opened_twice_can_be_taken_back(browser: Any, server: Server) -> None:
    page = Page(browser, server).ready()
    again = page.context.new_page()
    tab = page.page.evaluate("sessionStorage.getItem('manikin-tab')")
    again.add_init_script(f"sessionStorage.setItem('manikin-tab', '{tab}')")
    again.goto(server.address.replace("/#", "/?test#"), wait_until="commit")
    button = page.page.get_by_role("button", name="Use it here")
    button.wait_for()
    button.click()
    page.until(HERE)
    again.get_by_role("button", name="Use it here").wait_for()
    page.close()


def test_a_bvh_is_opened_by_the_dialog_and_dragged(browser: Any, server: Server) -> None:
    page = Page(browser, server).ready()
    choose(page, data_file("bvh/cmu_02_01_walk.bvh"))
    page.until("__studio.studio.scene.name !== 'human' && !!__studio.studio.pose")
    page.still()
    assert page.page.locator(".parts").get_by_role("option", include_hidden=True).count() > 10
    assert page.page.locator(".file").text_content() == "cmu_02_01_walk"
    before, toes = page.at("RightHand"), page.at("LeftToeBase")
    page.drag("RightForeArm", 0, -60)
    size = page.page.evaluate("__studio.studio.scene.size")
    assert far(page.at("RightHand"), before) > 0.03 * size
    assert far(page.at("LeftToeBase"), toes) < 5e-4 * size
    page.close()


@pytest.mark.parametrize("name", ["urdf/panda.urdf", "mjcf/humanoid.xml"])
def test_a_robot_stands_upright_and_is_dragged(browser: Any, server: Server, name: str) -> None:
    page = Page(browser, server).ready()
    choose(page, data_file(name))
    page.until("__studio.studio.scene.name !== 'human' && !!__studio.studio.pose")
    page.still()
    scene = page.page.evaluate("__studio.studio.scene")
    assert scene["up"] == "z"
    drawn = {scene["segments"][shape["segment"]]["name"] for shape in scene["shapes"]}
    tip = next(segment["name"] for segment in reversed(scene["segments"]) if segment["name"] in drawn)
    high, low = page.at(tip), page.at(tip) - [0, 0, 0.1]
    assert page.on_screen(high)[1] < page.on_screen(low)[1]  # z is up on the screen
    page.close()


def test_a_broken_file_is_said_in_the_page_and_the_figure_stays(page: Page, tmp_path: Path) -> None:
    page.drag("RightHand", -60, -120)
    hand = page.at("RightHand")
    broken = tmp_path / "broken.bvh"
    broken.write_text("HIERARCHY\nROOT Hips\n{\n")
    choose(page, broken)
    banner = page.page.get_by_role("alert")
    banner.wait_for()
    assert banner.text_content().startswith("broken.bvh: ")
    banner.get_by_role("button", name="Close").click()
    assert banner.is_hidden()
    assert far(page.at("RightHand"), hand) == 0.0
    page.wrong = [text for text in page.wrong if "400" not in text]  # the browser logs the status of the answer


def test_a_dropped_file_is_opened_and_an_unknown_one_refused(page: Page) -> None:
    assert page.page.evaluate(DROP, ["notes.txt", "hello"]) == "grid"
    banner = page.page.get_by_role("alert")
    banner.wait_for()
    assert ".txt is not read" in banner.text_content()
    page.wrong = [text for text in page.wrong if "415" not in text]
    figure = Path(data_file("bvh/bvhio_example.bvh")).read_text()
    page.page.evaluate(DROP, ["example.bvh", figure])
    page.until("__studio.studio.scene.name !== 'human'")
    assert page.page.locator(".drop.on").count() == 0


def test_the_page_is_not_shown_in_a_frame_of_another_site_nor_under_another_name(browser: Any, server: Server) -> None:
    context = browser.new_context()
    page = context.new_page()
    answer = page.goto(server.address.replace("127.0.0.1", "localhost"))
    assert answer.status == 200
    other = context.request.get(f"http://127.0.0.1:{server.port}/", headers={"Host": "evil.example"})
    assert other.status == 403
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    socket = """port => new Promise((done) => {
      const live = new WebSocket(`ws://127.0.0.1:${port}/ws`);
      live.onopen = () => done("open"); live.onclose = (event) => done(event.code);
    })"""
    page.goto("about:blank")  # its origin is "null"
    assert page.evaluate(socket, server.port) != "open"
    context.close()
