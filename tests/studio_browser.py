"""A running studio and its page in Chromium, for tests and pictures.

Without a GPU, pixels take most of the time. So tests replace the draw calls of WebGL by nothing; everything else is
real. The page tells where things are through `window.__studio`, which exists with `?test` in the address.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import needs
import numpy as np
from needs import BROWSERS

AXE = Path(__file__).parents[1] / "studio" / "node_modules" / "axe-core" / "axe.min.js"
PATIENCE = 120
"""Seconds after which a wait fails, also on a busy machine."""
PAUSE = 40
"""Milliseconds between two looks at what is waited for."""
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
)
NO_PIXELS = """
for (const name of ["drawElements", "drawArrays", "drawElementsInstanced", "drawArraysInstanced", "drawRangeElements"])
  WebGL2RenderingContext.prototype[name] = () => {};
"""
PLACE = (
    "name => { const s = __studio.studio; return [...s.pose.rows.slice(7 * s.index(name), 7 * s.index(name) + 3)]; }"
)
PROJECT = """point => {
  const v = __studio.view.marks.grip.clone().set(...point);
  return __studio.view.project(v);
}"""
KNOWN = """(() => {
  const text = (name) => [...document.querySelectorAll(name)].map((x) => x.textContent).join(" ").trim();
  const out = { ready: document.readyState, banner: text(".banner"), toast: text(".toast") };
  const made = window.__studio;
  if (!made) return JSON.stringify({ ...out, studio: "not started" });
  const { studio, view } = made, { socket, status } = studio.link, { canvas, renderer, dirty } = view.stage;
  return JSON.stringify({
    ...out, status, socket: socket?.readyState ?? "none", frames: made.frames(), scene: studio.scene?.name ?? null,
    state: !!studio.state, pose: !!studio.pose, dragged: studio.draggedId, undo: studio.state?.undo, dirty,
    canvas: [canvas.clientWidth, canvas.clientHeight], lost: renderer.getContext().isContextLost(),
  });
})()"""
FIND = """name => {
  const { studio, view } = __studio, i = studio.index(name), part = view.figure.parts[i];
  const middle = part.geometry.boundingSphere.center.clone().applyMatrix4(part.matrixWorld);
  const [x, y] = view.project(view.world.toFigure(middle)), seen = [];
  const reach = view.picker.pixelsPerUnit(middle) * view.figure.radii[i];
  for (let u = -1; u <= 1; u += 0.125) for (let v = -1; v <= 1; v += 0.125) {
    const at = { clientX: x + u * reach, clientY: y + v * reach };
    if (view.picker.figure(at, view.figure, studio.scene.segments)?.segment === i) seen.push([at.clientX, at.clientY]);
  }
  const mean = seen.reduce((a, b) => [a[0] + b[0] / seen.length, a[1] + b[1] / seen.length], [0, 0]);
  const off = (p) => Math.hypot(p[0] - mean[0], p[1] - mean[1]);
  return seen.sort((a, b) => off(a) - off(b))[0];
}"""


def far(a: Any, b: Any) -> float:
    """The distance of two points."""
    return float(np.linalg.norm(np.asarray(a) - np.asarray(b)))


class Server:
    """`manikin studio` as a separate process."""

    def __init__(self, state: Path, *arguments: str, port: int = 0) -> None:
        self.state, self.arguments = state, arguments
        self.start(port)

    def start(self, port: int) -> None:
        """Starts the command, and reads the address that it prints."""
        command = [sys.executable, "-m", "manikin", "studio", *self.arguments, "--port", str(port), "--no-browser"]
        environment = {**os.environ, "MANIKIN_STATE": str(self.state)}
        self.state.mkdir(parents=True, exist_ok=True)
        with open(self.said, "ab") as said:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=said, text=True, env=environment)
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()
        assert self.address.startswith("http://127.0.0.1:"), (self.address, self.errors())

    @property
    def said(self) -> Path:
        """Where the command writes its errors."""
        return self.state / "stderr.txt"

    def errors(self) -> str:
        """The end of what the command wrote to its error stream."""
        return self.said.read_text(encoding="utf-8", errors="replace")[-2000:]

    @property
    def port(self) -> int:
        return int(self.address.split(":")[2].split("/")[0])

    def kill(self) -> None:
        """kill -9"""
        self.process.kill()
        self.process.wait(10)
        if self.process.stdout is not None:
            self.process.stdout.close()


@contextlib.contextmanager
def chromium() -> Iterator[Any]:
    """A browser without a window."""
    from playwright.sync_api import sync_playwright

    program = next(found for name in BROWSERS if (found := shutil.which(name)))
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=program, args=list(FLAGS))
        yield browser
        browser.close()


class Page:
    """The page of a studio, with what a test does on it."""

    def __init__(
        self, browser: Any, server: Server, *, pixels: bool = False, query: str = "test", **context: Any
    ) -> None:
        options = {"viewport": {"width": 1280, "height": 720}, "reduced_motion": "reduce", **context}
        self.server = server
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE * 1000)
        self.wrong: list[str] = []
        """Errors of the page."""
        self.left: list[str] = []
        """Requests to other machines."""
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("console", lambda said: self.wrong.append(said.text) if said.type == "error" else None)
        self.page.on("request", lambda request: self._watch(request.url))
        if not pixels:
            self.page.add_init_script(NO_PIXELS)
        self.page.goto(server.address.replace("/#", f"/?{query}#"), wait_until="commit")

    def _watch(self, url: str) -> None:
        if not url.startswith(
            (f"http://127.0.0.1:{self.server.port}/", f"ws://127.0.0.1:{self.server.port}/", "data:", "blob:")
        ):
            self.left.append(url)

    def ready(self) -> Page:
        """Waits for the first picture."""
        self.until("!!window.__studio && __studio.frames() > 0")
        return self

    def until(self, holds: str) -> None:
        """Waits until an expression holds. The page's policy forbids `wait_for_function`, which evaluates text."""
        for _ in range(PATIENCE * 1000 // PAUSE):
            if self.page.evaluate(holds):
                return
            self.page.wait_for_timeout(PAUSE)
        raise AssertionError(f"still not so after {PATIENCE} s: {holds}\n{self.report()}")

    def report(self) -> str:
        """What the page and the server know, for a test that waits in vain."""
        running = self.server.process.poll() is None
        return (
            f"page: {self.page.evaluate(KNOWN)}\n"
            f"errors of the page: {self.wrong}\n"
            f"server: {'runs' if running else 'ended'}; its errors: {self.server.errors() or 'none'}"
        )

    def at(self, segment: str) -> Any:
        """(3,) where a segment is."""
        return np.array(self.page.evaluate(PLACE, segment))

    def on_screen(self, point: Any) -> tuple[float, float]:
        """Where a point is on the screen."""
        x, y = self.page.evaluate(PROJECT, [float(v) for v in point])
        return x, y

    def state(self) -> dict[str, Any]:
        """The newest state of the server."""
        found: dict[str, Any] = self.page.evaluate("__studio.studio.state")
        return found

    def still(self) -> None:
        """Waits until nothing is dragged and the pose has not changed for a while."""
        self._unchanged("__studio.studio.dragged", looks=1)

    def rested(self) -> None:
        """Waits until every move of the mouse is answered and the pose of what is held has not changed for a while."""
        self._unchanged("__studio.studio.link.underWay", looks=5)

    def _unchanged(self, busy: str, looks: int) -> None:
        before: list[float] = []
        same = 0
        for _ in range(PATIENCE * 1000 // (3 * PAUSE)):
            self.page.wait_for_timeout(3 * PAUSE)
            now = self.page.evaluate(f"{busy} ? [] : [...(__studio.studio.pose?.rows ?? [])]")
            same = same + 1 if now and now == before else 0
            if same == looks:
                return
            before = now
        raise AssertionError(f"the figure is still not at rest\n{self.report()}")

    def spot(self, segment: str) -> tuple[float, float]:
        """A place on the screen where the mouse would take a part."""
        x, y = self.page.evaluate(FIND, segment)
        return x, y

    def select(self, segment: str) -> None:
        """Selects a part by a click."""
        self.page.mouse.click(*self.spot(segment))
        self.until(f"__studio.studio.main === __studio.studio.index('{segment}')")

    def press(self, keys: str, steps: int = 1) -> None:
        """Presses keys, and waits until the number of steps to undo has changed by `steps`."""
        undo = self.state()["undo"]
        self.page.keyboard.press(keys)
        self.until(f"__studio.studio.state.undo === {undo + steps}")
        self.still()

    def grab(self, segment: str, right: float, down: float, *, steps: int = 8) -> tuple[float, float]:
        """Takes a part by the mouse and moves it by pixels, without releasing it. Returns where the mouse is."""
        x, y = self.spot(segment)
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        self.page.mouse.move(x + right, y + down, steps=steps)
        return x + right, y + down

    def drag(self, segment: str, right: float, down: float, **how: Any) -> None:
        """Drags a part by the mouse, and waits until the figure is still."""
        self.grab(segment, right, down, **how)
        self.rested()
        self.page.mouse.up()
        self.still()

    def set_two_keys(self) -> None:
        """Sets a key at frame 0, and one at frame 40 with a hand moved."""
        self.page.keyboard.press("k")
        self.until("__studio.studio.state.keys.length === 1")
        self.page.evaluate("__studio.player.seek(40)")
        self.drag("RightHand", -60, -120)
        self.page.keyboard.press("k")
        self.until("__studio.studio.state.keys.length === 2")

    def close(self) -> None:
        """Closes the page. Nothing may have failed or left the machine."""
        self.context.close()
        assert self.wrong == []
        assert self.left == []


def audit(page: Page) -> list[str]:
    """What axe-core finds, in words."""
    if not AXE.exists():
        needs.missing("node", "the packages of the page are not installed: make studio-packages")
    page.page.evaluate(AXE.read_text())
    found = page.page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
    return [f"{v['id']}: {v['help']}: {[n['html'][:120] for n in v['nodes']]}" for v in found["violations"]]
