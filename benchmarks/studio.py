"""What the studio costs: the server for one update of a drag, and the page from the mouse to the picture.

    python -m benchmarks.studio [--quick] [--name after]

Server: CPU time of one update of a session (message in, pose out). The right hand of the person moves back and forth,
in reach and out of reach, with feet planted, balance on and four priorities. Page: Chromium without a window and
without a GPU. WebGL draw calls do nothing, so pixels are not measured. The page itself makes 60 mouse events a second.
The first picture is drawn with pixels, in the plain look. Every figure is the median of five runs. Needs an idle
machine, Chromium and Playwright.
"""

from __future__ import annotations

import gzip
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import manikin as mk
from benchmarks import pages
from benchmarks.machine import header
from manikin.studio.app import STATIC
from manikin.studio.figures import FigureSource
from manikin.studio.journal import Journal
from manikin.studio.scene import StudioScene
from manikin.studio.session import Session

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

RUNS = 5
UPDATES = 300
SECONDS = 5.0
FIRST = ("index.js", "three.js", "index.css")
"""Files that the first picture needs, without the font."""
BOUNDS = {
    "server, in reach, median": (3.0, "ms"),
    "server, in reach, 95th percentile": (6.0, "ms"),
    "updates a second": (30.0, "/s"),
    "mouse event to rendered, median": (50.0, "ms"),
    "JS and CSS for the first picture": (300.0, "kB"),
    "page open to first picture": (2.0, "s"),
}
DRAG = """async (seconds) => {
  const { studio, view } = __studio, canvas = view.stage.canvas, times = [];
  let answered = 0, stamp = 0;
  const stop = studio.on("pose", (frame) => { if (frame.serial > 0) { answered++; stamp = frame.stamp; } });
  const draw = view.frame.bind(view);
  view.frame = (now) => {
    const drawn = draw(now);
    if (drawn && stamp) { times.push(performance.now() - stamp); stamp = 0; }
    return drawn;
  };
  const hand = studio.index("RightHand"), rows = studio.pose.rows;
  const at = view.marks.grip.clone().set(rows[7 * hand], rows[7 * hand + 1], rows[7 * hand + 2]);
  const begin = performance.now();
  studio.grab(hand, at.toArray());
  view.marks.wanted = at.clone();
  await new Promise((done) => {
    const timer = setInterval(() => {
      const now = performance.now(), t = (now - begin) / 1000;
      if (t > seconds) { clearInterval(timer); done(); return; }
      const p = at.clone();
      p.x -= 0.15 * Math.sin(2.0 * t); p.y += 0.15 * (1 - Math.cos(2.0 * t)); p.z += 0.1 * Math.sin(3.1 * t);
      view.marks.wanted.copy(p);
      studio.drag(p.toArray(), now);
    }, 1000 / 60);
  });
  studio.release();
  view.frame = draw;
  stop();
  return { answered, times };
}"""


def server_times(target: Any, folder: Path, updates: int) -> list[float]:
    """CPU seconds of each update of a drag whose target moves between the hand and `target`."""
    figure = mk.human()
    scene = StudioScene.begin(FigureSource("builtin", "human"), figure)
    session = Session(Journal.begin(folder / f"{time.monotonic_ns()}.journal", scene, figure))
    hand = figure.placements(figure.rest, ["RightHand"])[0][:3, 3]
    session.receive({"type": "grab", "segment": "RightHand", "p": hand.tolist()})
    took = []
    for k in range(updates):
        part = 0.5 - 0.5 * np.cos(2.0 * np.pi * k / 60.0)
        message = {"type": "drag", "s": k, "p": (hand + part * np.asarray(target)).tolist(), "ts": 0.0}
        began = time.process_time()
        session.receive(message)
        took.append(time.process_time() - began)
    return took[10:]


def measured(quick: bool) -> dict[str, float]:
    """Every figure, by name."""
    from studio_browser import Page, Server, chromium

    runs, updates, seconds = (1, 60, 1.0) if quick else (RUNS, UPDATES, SECONDS)
    found: dict[str, list[float]] = {}

    def note(name: str, value: float) -> None:
        found.setdefault(name, []).append(value)

    with tempfile.TemporaryDirectory(prefix="manikin-") as made, chromium() as browser:
        folder = Path(made)
        for name, target in (("in reach", (-0.15, 0.3, 0.2)), ("out of reach", (-1.5, 0.5, 0.5))):
            for _ in range(runs):
                took = 1e3 * np.array(server_times(target, folder, updates))
                note(f"server, {name}, median", float(np.median(took)))
                note(f"server, {name}, 95th percentile", float(np.percentile(took, 95)))
        server = Server(folder / "state")
        try:
            for _ in range(runs):
                page = Page(browser, server).ready()
                drag = page.page.evaluate(DRAG, seconds)
                page.close()
                note("updates a second", drag["answered"] / seconds)
                note("mouse event to rendered, median", statistics.median(drag["times"]))
                note("mouse event to rendered, 95th percentile", float(np.percentile(drag["times"], 95)))
            for _ in range(runs):
                began = time.perf_counter()
                page = Page(browser, server, pixels=True, query="test&look=plain").ready()
                note("page open to first picture", time.perf_counter() - began)
                page.close()
        finally:
            server.kill()
    size = sum(len(gzip.compress((STATIC / "assets" / name).read_bytes(), 9)) for name in FIRST)
    note("JS and CSS for the first picture", size / 1000)
    return {name: statistics.median(values) for name, values in found.items()}


def page_text(head: dict[str, object], figures: dict[str, float]) -> str:
    cells = []
    for name, value in figures.items():
        most, unit = BOUNDS.get(name, (None, "ms"))
        kept = most is None or (value >= most if unit == "/s" else value <= most)
        bound = "" if most is None else f"{'≥' if unit == '/s' else '≤'} {most:g} {unit}"
        cells.append([name, f"{value:.3g} {unit}", bound, "" if kept else "not met"])
    method = " ".join(__doc__.split("\n\n")[2].split())
    return "\n".join(
        [*pages.title("The studio", head, method), *pages.table(["figure", "measured", "bound", ""], cells)]
    )


def main(arguments: list[str] | None = None) -> int:
    options = pages.parser("studio", __doc__.splitlines()[0]).parse_args(arguments)
    figures = measured(options.quick)
    head = header(options.quick, options.seed)
    text = page_text(head, figures)
    path = pages.save("studio", options, {"header": head, "figures": figures}, text)
    print(text)
    print(f"results are in {path.parent}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
