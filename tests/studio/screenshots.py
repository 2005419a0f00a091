"""Pictures of the studio: `python tests/studio/screenshots.py FOLDER [NAME …]`, or `make studio-pictures`.

Each state is shown light and dark. Without a GPU a picture in full quality takes seconds, so the page is handled in low
quality, and one frame is drawn in full quality.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from needs import data_file
from studio_browser import Page, Server, chromium

DESKTOP, PHONE, TABLET = (1280, 720), (390, 844), (820, 1180)


def first(_: Page) -> None:
    """The page as it opens."""


def drag(page: Page) -> None:
    """A hand is lifted."""
    page.grab("RightHand", -70, -190)


def missed(page: Page) -> None:
    """A hand is pulled out of reach, and the page says why."""
    page.page.get_by_role("button", name="Close the first steps").click()
    page.grab("RightHand", -290, -40)
    page.page.locator(".why").wait_for()


def tools(page: Page) -> None:
    """A pinned hand, a gaze, a bend, and the handles."""
    page.page.get_by_role("button", name="Close the first steps").click()
    page.drag("RightHand", -90, -190)
    page.select("RightHand")
    page.press("p")
    page.select("Head")
    page.press("a")
    page.select("LeftForeArm")
    page.press("e")
    page.page.keyboard.press("g")
    page.until("!!__studio.view.gizmo")
    page.select("LeftHand")
    page.page.mouse.move(300, 600)


def crouch(page: Page) -> None:
    """The hips are pulled down; toes stay, heels lift if they must."""
    page.drag("Hips", 10, 95)
    page.page.mouse.move(300, 300)


def helped(page: Page) -> None:
    """The help."""
    page.page.keyboard.press("?")


def clip(page: Page) -> None:
    """A recorded walk with an edit, and the trail of a forearm."""
    page.page.get_by_role("button", name="Close the first steps").click()
    page.page.get_by_label("Figure file").set_input_files(str(data_file("bvh/cmu_02_01_walk.bvh")))
    page.until("__studio.studio.state?.timeline?.clip === 'cmu_02_01_walk.bvh'")
    page.page.evaluate("__studio.player.seek(150)")
    page.until("__studio.studio.shownFrame === 150")
    page.page.evaluate("__studio.view.fit()")
    page.drag("RightForeArm", -10, -50)
    page.until("__studio.studio.state.timeline.edits.length === 1 && __studio.studio.shownFrame === 150")
    page.select("RightForeArm")
    page.page.keyboard.press("t")
    page.until("__studio.studio.state.view.trails")


def ghosts(page: Page) -> None:
    """Three keys, a pose between them, and ghosts of the keys."""
    page.page.get_by_role("button", name="Close the first steps").click()
    page.page.keyboard.press("k")
    page.until("__studio.studio.state.keys.length === 1")
    for frame, hand, right in ((40, "RightHand", -90), (80, "LeftHand", 90)):
        page.page.evaluate(f"__studio.player.seek({frame})")
        page.drag(hand, right, -150)
        page.page.keyboard.press("k")
        page.until(f"__studio.studio.state.keys.some((key) => key.frame === {frame})")
    page.page.evaluate("__studio.player.seek(30)")
    page.until("__studio.studio.shownFrame === 30")
    page.page.keyboard.press("Shift+O")
    page.page.keyboard.press("Escape")
    page.until("__studio.ghosts.shown.size === 3")


def walk(page: Page) -> None:
    """A recorded walk with ghosts of every fortieth frame."""
    page.page.get_by_role("button", name="Close the first steps").click()
    page.page.get_by_label("Figure file").set_input_files(str(data_file("bvh/cmu_02_01_walk.bvh")))
    page.until("__studio.studio.state?.timeline?.clip === 'cmu_02_01_walk.bvh'")
    page.page.evaluate("__studio.player.seek(170)")
    page.until("__studio.studio.shownFrame === 170")
    page.page.keyboard.press("2")
    page.page.evaluate("__studio.studio.look({ key_ghosts: true, ghost_step: 40 })")
    page.until("__studio.ghosts.shown.size === 6")


def poses(page: Page) -> None:
    """The pose library with some poses, one of them on the stage."""
    page.page.get_by_role("button", name="Close the first steps").click()
    page.page.get_by_text("Pose library").click()
    for name, part, right, down in (("Rest", "", 0, 0), ("Wave", "RightHand", -60, -150), ("Crouch", "Hips", 10, 90)):
        if part:
            page.drag(part, right, down)
        if page.page.get_by_role("button", name=f"Apply: {name}", exact=True).count():
            continue  # the pictures of one server share a library
        page.page.get_by_label("Name of the pose").fill(name)
        page.page.get_by_role("button", name="Save pose").click()
        page.page.get_by_role("button", name=f"Apply: {name}", exact=True).wait_for()
    page.page.locator(".poses li").last.scroll_into_view_if_needed()


def walker(page: Page) -> None:
    """A robot on four legs, its trunk lowered."""
    page.page.get_by_role("button", name="Close the first steps").click()
    page.page.get_by_label("Figure file").set_input_files(str(data_file("urdf/solo12.urdf")))
    page.until("__studio.studio.state.name === 'solo12'")
    page.page.wait_for_timeout(500)
    page.drag("base_link", 10, 50)


def character(page: Page) -> None:
    """A character with its skin."""
    page.page.get_by_role("button", name="Close the first steps").click()
    page.page.get_by_label("Figure file").set_input_files(str(data_file("gltf/CesiumMan.glb")))
    page.until("!!__studio.view.figure?.skin && __studio.studio.shownFrame === 0")
    page.page.evaluate("__studio.player.seek(24)")
    page.until("__studio.studio.shownFrame === 24")


def robot(page: Page) -> None:
    """A robot arm, its hand dragged."""
    page.page.get_by_role("button", name="Close the first steps").click()
    page.page.get_by_label("Figure file").set_input_files(str(data_file("urdf/panda.urdf")))
    page.until("__studio.studio.state.name === 'panda'")
    page.page.wait_for_timeout(500)
    page.drag("panda_link6", 60, 40)


def chapter(page: Page) -> None:
    """An example of the theory pages, before anything is solved."""
    page.page.get_by_role("button", name="Close the first steps").click()
    page.page.get_by_role("button", name="Figures").click()
    page.page.locator("[data-figure=figure-8]").click()
    page.until("__studio.studio.state.name.startsWith('Figure 8')")


def compare(page: Page) -> None:
    """Two methods on an example of the theory pages."""
    page.page.get_by_role("button", name="Close the first steps").click()
    page.page.get_by_role("button", name="Figures").click()
    page.page.locator("[data-figure=figure-5]").click()
    page.until("__studio.studio.state.name.startsWith('Figure 5')")
    page.page.get_by_text("Two methods side by side").click()
    page.page.get_by_role("button", name="Compare").click()
    page.page.locator(".chart").first.wait_for()
    page.page.locator(".chart").last.scroll_into_view_if_needed()


def steps(page: Page) -> None:
    """On a phone, a forearm is selected and lifted."""
    page.drag("LeftForeArm", 20, -60)


STATES: dict[str, tuple[Callable[[Page], None], tuple[int, int], str]] = {
    "first": (first, DESKTOP, "human"),
    "drag": (drag, DESKTOP, "human"),
    "missed": (missed, DESKTOP, "human"),
    "tools": (tools, DESKTOP, "human"),
    "crouch": (crouch, DESKTOP, "human"),
    "help": (helped, DESKTOP, "human"),
    "quadruped": (first, DESKTOP, "quadruped"),
    "clip": (clip, DESKTOP, "human"),
    "ghosts": (ghosts, DESKTOP, "human"),
    "walk": (walk, DESKTOP, "human"),
    "poses": (poses, DESKTOP, "human"),
    "walker": (walker, DESKTOP, "human"),
    "character": (character, DESKTOP, "human"),
    "robot": (robot, DESKTOP, "human"),
    "chapter": (chapter, DESKTOP, "human"),
    "compare": (compare, DESKTOP, "human"),
    "phone": (steps, PHONE, "human"),
    "tablet": (drag, TABLET, "human"),
}
"""What is done on the page, its size, and the figure."""


def quality(page: Page, number: int) -> None:
    """Sets the quality of the drawing, and waits for a picture."""
    page.page.evaluate(f"__studio.view.stage.setQuality({number})")
    if number == 2:
        page.until("!!__studio.view.stage.scene.environment")
    drawn = page.page.evaluate("__studio.frames()")
    page.page.evaluate("__studio.view.stage.dirty = true")
    page.until(f"__studio.frames() > {drawn}")


def take(browser: Any, server: Server, name: str, theme: str, folder: Path) -> Path:
    """Takes one picture."""
    act, (width, height), _ = STATES[name]
    options: dict[str, Any] = {"viewport": {"width": width, "height": height}, "has_touch": width < 900}
    page = Page(browser, server, pixels=True, query="test&look=rich", color_scheme=theme, **options)
    page.page.set_default_timeout(120_000)
    page.ready()
    act(page)
    page.page.wait_for_timeout(600)
    page.page.evaluate("document.activeElement.blur()")
    page.page.evaluate("document.querySelector('.toast').classList.remove('on')")
    quality(page, 2)
    path = folder / f"{name}-{theme}.png"
    page.page.screenshot(path=path)
    page.page.mouse.up()
    page.close()
    return path


def main(folder: Path, names: list[str]) -> None:
    """Takes all pictures, or those named."""
    folder.mkdir(parents=True, exist_ok=True)
    wanted = names or list(STATES)
    with chromium() as browser, tempfile.TemporaryDirectory() as state:
        for figure in dict.fromkeys(STATES[name][2] for name in wanted):
            server = Server(Path(state), figure)
            try:
                for name in wanted:
                    for theme in ("light", "dark") if STATES[name][2] == figure else ():
                        print(take(browser, server, name, theme, folder), flush=True)
            finally:
                server.kill()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
