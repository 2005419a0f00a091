"""`animate(motion, "out.gif")`: an animation as a GIF, an MP4, or a page that plays without a network."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from manikin import arrays
from manikin.base import writing
from manikin.base.progress import Progress, goes_on
from manikin.errors import BadValue, Unsupported
from manikin.motion import Motion, MotionResult
from manikin.view import film, player
from manikin.view.reel import FASTEST, Reel, reel

ENDINGS = (".gif", ".mp4", ".html")
GIF_RATE = 25.0
"""Largest frame rate of a GIF, in frames per second. Browsers slow down faster GIFs."""


def animate(
    motion: Motion | MotionResult,
    path: str | os.PathLike[str],
    *,
    trails: Sequence[str] | bool = True,
    ghosts: int = 0,
    view: str | Sequence[float] = "three-quarter",
    rate: float | None = None,
    size: Sequence[int] = (640, 640),
    progress: Progress | None = None,
) -> Path:
    """Writes a motion as an animation.

    Goals are shown with their targets, in red if a goal is missed; markers and keypoints of a fit with their measured
    places, in red if a sample was rejected.

    Args:
        motion: a Motion, or the result of a function that makes one, such as `solve_motion` or `fit_markers`.
        path: a file that ends in .gif, .mp4 or .html. The HTML page needs no network and no library. It has controls to
            play, pause, scrub and turn the view.
        trails: segments whose paths are drawn; True for those of the goals, False for none.
        ghosts: number of faded poses in the background, evenly spread over the motion.
        view: as in `plot`.
        rate: frames per second of the animation; None means those of the motion, at most 60 (25 in a GIF).
        size: (width, height) of a GIF or MP4, in pixels.
        progress: called with (frames done, frames). If it returns False, the call stops and writes no file.

    Returns:
        The path.

    Raises:
        Unsupported: pillow, or for an MP4 imageio-ffmpeg, is not installed.
    """
    out = Path(path)
    ending = out.suffix.lower()
    if ending not in ENDINGS:
        raise BadValue(f"path is {os.fspath(path)!r}; the name of an animation must end in .gif, .mp4 or .html")
    ghosts = arrays.whole(ghosts, "ghosts", 0)
    held = reel(motion, rate, trails, fastest=GIF_RATE if ending == ".gif" else FASTEST)
    if ending == ".html":
        with writing.writing(out) as file:
            file.write(player.page(held, view, ghosts).encode())
        return out
    _require_pillow()
    width, height = _size(size)
    frames = _watched(film.images(held, view, (width, height), ghosts), len(held.ends), progress)
    return _gif(frames, held, out) if ending == ".gif" else _mp4(frames, held, out, (width, height))


def _size(size: Sequence[int]) -> tuple[int, int]:
    """Width and height in pixels, even, as films need them."""
    if not isinstance(size, (Sequence, np.ndarray)) or len(size) != 2:
        raise BadValue(f"size is {size!r}; it needs (width, height) in pixels")
    width, height = (arrays.whole(n, "size", 16) // 2 * 2 for n in size)
    return width, height


def _gif(frames: Any, held: Reel, out: Path) -> Path:
    images = list(frames)
    if len(images) < len(held.ends):
        return out
    colors = film.palette(images[len(images) // 2])
    small = [image.quantize(palette=colors, dither=0) for image in images]
    with writing.writing(out) as file:
        options: dict[str, Any] = {"duration": max(20, round(1000.0 / held.rate)), "loop": 0}
        small[0].save(file, format="GIF", save_all=True, append_images=small[1:], optimize=False, **options)
    return out


def _mp4(frames: Any, held: Reel, out: Path, size: tuple[int, int]) -> Path:
    try:
        import imageio_ffmpeg
    except ImportError as error:
        needs = 'an .mp4 needs imageio-ffmpeg, which is not installed; pip install "manikin[plot]", or write .html'
        raise Unsupported(needs) from error
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder, "film.mp4")
        writer = imageio_ffmpeg.write_frames(str(made), size, fps=held.rate, quality=8, macro_block_size=2)
        writer.send(None)
        count = 0
        for image in frames:
            writer.send(np.ascontiguousarray(np.asarray(image)))
            count += 1
        writer.close()
        if count == len(held.ends):
            with writing.writing(out) as file:
                file.write(made.read_bytes())
    return out


def _watched(frames: Any, count: int, progress: Progress | None) -> Any:
    for k, frame in enumerate(frames):
        yield frame
        if not goes_on(progress, k + 1, count):
            return


def _require_pillow() -> None:
    try:
        import PIL  # noqa: F401
    except ImportError as error:
        raise Unsupported('animate needs pillow, which is not installed; pip install "manikin[plot]"') from error
