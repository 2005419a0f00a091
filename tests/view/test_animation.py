"""Moving pictures: GIF, MP4 and a page; what they hold, and what is refused."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manikin as mk
from manikin.errors import BadValue, Unsupported
from manikin.view.film import Lens
from manikin.view.reel import reel
from manikin.view.sticks import sticks

pytest.importorskip("PIL")
from PIL import Image

ARM = mk.chain(3)
TIMES = np.arange(20) / 40.0


def wave() -> mk.MotionSolution:
    path = np.stack([1.5 + 0.3 * np.cos(6 * TIMES), 0.5 * np.sin(6 * TIMES), 0.2 + 0.0 * TIMES], axis=1)
    path[5] = np.nan
    return mk.solve_motion(ARM, mk.Over(mk.Position("Tip", (1, 0, 0)), path), TIMES)


CLIP = wave()


def test_a_gif_has_its_frames_at_its_rate(tmp_path: Path) -> None:
    out = mk.animate(CLIP, tmp_path / "wave.gif", ghosts=2, size=(120, 100))
    with Image.open(out) as image:
        assert image.size == (120, 100)
        assert image.n_frames == 12  # 20 frames at 40 a second, shown at 25
        assert image.info["duration"] == 40


def test_the_figure_and_its_target_are_in_the_picture(tmp_path: Path) -> None:
    with Image.open(mk.animate(CLIP, tmp_path / "wave.gif", size=(320, 320))) as image:
        colors = np.asarray(image.convert("RGB")).reshape(-1, 3).astype(int)
    wood, target = np.array([0xDC, 0xAE, 0x74]), np.array([0x1F, 0x7A, 0x7A])
    assert (np.abs(colors - wood).sum(axis=1) < 90).sum() > 200
    assert (np.abs(colors - target).sum(axis=1) < 60).sum() > 10


def test_everything_is_within_the_picture() -> None:
    held = reel(CLIP, None, True)
    lens = Lens.over(held, "three-quarter", 300, 200)
    at = lens.pixels(held.ends.reshape(-1, 3))
    assert (at >= 0.0).all()
    assert (at <= (300.0, 200.0)).all()
    assert held.trails.shape == (1, 20, 3)


def test_a_page_stands_alone(tmp_path: Path) -> None:
    text = mk.animate(CLIP, tmp_path / "wave.html").read_text(encoding="utf-8")
    assert not re.search(r"""(src|href)\s*=|https?://|@import|fetch\(""", text)
    data = json.loads(re.search(r"const D = (\{.*\});", text).group(1))  # type: ignore[union-attr]
    assert data["frames"] == 20
    assert data["sticks"] == len(sticks(ARM).radius)


def test_a_name_cannot_break_out_of_the_page(tmp_path: Path) -> None:
    motion = mk.Motion(ARM, np.tile(ARM.rest, (3, 1)), name="</script><script>alert(1)</script>")
    text = mk.animate(motion, tmp_path / "x.html").read_text(encoding="utf-8")
    assert text.count("</script>") == 1


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_player_runs_all_its_frames(tmp_path: Path) -> None:
    text = mk.animate(CLIP, tmp_path / "wave.html", ghosts=2).read_text(encoding="utf-8")
    script = re.search(r"<script>(.*)</script>", text, re.DOTALL).group(1)  # type: ignore[union-attr]
    around = """
const strokes = []; let next = null; const keys = {}; const parts = {};
const pen = new Proxy({}, { get: (o, k) => o[k] ?? ((...a) => { if (k === "moveTo" || k === "lineTo" || k === "arc") {
  if (!a.every(Number.isFinite)) throw new Error(k + " " + a); strokes.push(k); } }),
  set: (o, k, v) => (o[k] = v, true) });
const part = () => ({ getContext: () => pen, clientWidth: 640, clientHeight: 480, classList: { toggle() {} },
  addEventListener() {} });
globalThis.document = { getElementById: id => parts[id] ??= part(), documentElement: part() };
globalThis.matchMedia = () => ({ matches: true }); globalThis.devicePixelRatio = 2;
globalThis.addEventListener = (name, f) => { keys[name] = f; };
globalThis.requestAnimationFrame = f => { next = f; };
"""
    after = """
for (let k = 0; k < 60; k++) next(performance.now() + 25 * k);
if (!strokes.includes("arc")) throw new Error("no target was drawn");
const press = key => keys.keydown({ key, target: {}, preventDefault() {} });
for (const key of [" ", "ArrowRight", "End", "ArrowLeft", "Home", "d", "s", " "]) press(key);
press("End"); console.log(parts.time.textContent, parts.play.textContent, parts.speed.textContent);
"""
    (tmp_path / "run.js").write_text(f"{around}(function () {{{script}}})();{after}", encoding="utf-8")
    done = subprocess.run(["node", "run.js"], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert "frame 19 of 19" in done.stdout
    assert "Play" in done.stdout
    assert "0.5×" in done.stdout


def test_an_mp4_is_written_or_the_way_to_it_is_said(tmp_path: Path) -> None:
    try:
        import imageio_ffmpeg  # noqa: F401
    except ImportError:
        with pytest.raises(Unsupported, match="imageio-ffmpeg"):
            mk.animate(CLIP, tmp_path / "wave.mp4")
        return
    out = mk.animate(CLIP, tmp_path / "wave.mp4", size=(160, 120))
    assert out.read_bytes()[4:8] == b"ftyp"


def test_stopping_writes_no_file(tmp_path: Path) -> None:
    seen: list[int] = []

    def progress(done: int, _: int) -> bool:
        seen.append(done)
        return done < 3

    out = mk.animate(CLIP, tmp_path / "wave.gif", size=(60, 60), progress=progress)
    assert seen == [1, 2, 3]
    assert not out.exists()


def test_a_bvh_figure_without_shapes_has_sticks() -> None:
    bare = mk.chain(4)
    assert len(sticks(bare).radius) >= 3


@pytest.mark.parametrize(("path", "match"), [("x.avi", r"must end in .gif, .mp4 or .html"), ("x", "must end in")])
def test_other_formats_are_refused(path: str, match: str) -> None:
    with pytest.raises(BadValue, match=match):
        mk.animate(CLIP, path)


def test_only_motions_are_shown() -> None:
    with pytest.raises(BadValue, match="pass a Motion"):
        mk.animate(ARM, "x.html")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("shown", "size", "match"),
    [
        (mk.Motion(mk.chain(2), mk.chain(2).rest), 64, "size is 64; it needs"),
        (mk.Motion(mk.chain(2), mk.chain(2).rest), ("a", "b"), "size is 'a'; it must be a whole number"),
        (None, (64, 64), "cannot show NoneType; pass a Motion"),
    ],
)
def test_wrong_sizes_and_motions_are_named(tmp_path: Path, shown: Any, size: Any, match: str) -> None:
    with pytest.raises(mk.errors.BadValue, match=match):
        mk.animate(shown, tmp_path / "a.gif", size=size)
