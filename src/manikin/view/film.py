"""Frames of an animation as images, drawn with pillow: sticks sorted by depth on a floor with a shadow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from manikin.arrays import Matrix, Points, Vector
from manikin.view import camera
from manikin.view.camera import Eye, nice_step
from manikin.view.reel import Reel
from manikin.view.style import STYLE, Color, blend

FINER = 2
"""Images are drawn this many times as wide and as high and then reduced, which smooths the edges."""
TRAIL = 1.5
"""Length of a trail, in seconds."""
ROOM = 0.06
"""Margin, as a fraction of the picture."""


@dataclass(frozen=True, eq=False)
class Lens:
    """Maps upright space to pixels, without perspective."""

    eye: Eye
    center: Vector
    """(2,) centre of the view, length."""
    scale: float
    """Pixels per length."""
    width: int
    height: int

    @staticmethod
    def over(reel: Reel, view: Any, width: int, height: int) -> Lens:
        """A lens that shows all frames and the floor below them."""
        eye = Eye.at(*camera.angles(view))
        points = [reel.ends.reshape(-1, 3), reel.targets[np.isfinite(reel.targets).all(axis=-1)]]
        below = reel.ends[:, :, :, :].reshape(-1, 3).copy()
        below[:, 2] = reel.floor
        flat = np.concatenate([*points, below]) @ np.stack([eye.right, eye.up]).T
        edge = float(reel.sticks.radius.max())
        low, high = flat.min(axis=0) - edge, flat.max(axis=0) + edge
        span = np.maximum(high - low, 1e-9)
        scale = float(np.min(np.array([width, height]) * (1.0 - 2.0 * ROOM) / span))
        return Lens(eye, 0.5 * (low + high), scale, width, height)

    def pixels(self, points: Points) -> Matrix:
        """Pixels (…, 2) of points (…, 3)."""
        flat = points @ np.stack([self.eye.right, self.eye.up]).T
        x = 0.5 * self.width + (flat[..., 0] - self.center[0]) * self.scale
        y = 0.5 * self.height - (flat[..., 1] - self.center[1]) * self.scale
        return np.stack([x, y], axis=-1)


def images(reel: Reel, view: Any, size: tuple[int, int], ghosts: int) -> Iterator[Any]:
    """Pillow images of all frames, in order.

    Args:
        reel: the frames to draw.
        view: as in `plot`.
        size: (width, height) in pixels.
        ghosts: number of faded poses in the background, evenly spread over the motion.
    """
    from PIL import Image, ImageDraw

    wide, high = size[0] * FINER, size[1] * FINER
    lens = Lens.over(reel, view, wide, high)
    ground = Image.new("RGB", (wide, high), _bytes(STYLE.paper))
    pen = ImageDraw.Draw(ground)
    _floor(pen, lens, reel)
    count = len(reel.ends)
    for t in np.unique(np.linspace(0, count - 1, ghosts).astype(int)) if ghosts else ():
        _figure(pen, lens, reel, reel.ends[t], fade=0.72)
    for t in range(count):
        image = ground.copy()
        pen = ImageDraw.Draw(image)
        _shadow(pen, lens, reel, reel.ends[t])
        _figure(pen, lens, reel, reel.ends[t])
        _trails(pen, lens, reel, t)
        _targets(pen, lens, reel, t)
        yield image.resize(size, Image.Resampling.LANCZOS)


def _figure(pen: Any, lens: Lens, reel: Reel, ends: Points, fade: float = 0.0) -> None:
    """Sticks (K, 2, 3) from back to front, lit from above on the left."""
    depth = ends.mean(axis=1) @ lens.eye.toward
    at = lens.pixels(ends)
    radius = np.maximum(reel.sticks.radius * lens.scale, 1.5)
    near, far = float(depth.max()), float(depth.min())
    for k in np.argsort(depth):
        light = 0.35 + 0.65 * (float(depth[k]) - far) / max(near - far, 1e-9)
        face = blend(STYLE.wood, STYLE.wood_light, 0.65 * light)
        face, rim = (blend(c, STYLE.paper, fade) for c in (face, blend(STYLE.outline, STYLE.wood, 0.25)))
        line = max(1.0, 0.003 * lens.height)
        _stick(pen, at[k, 0], at[k, 1], float(radius[k]) + line, rim)
        _stick(pen, at[k, 0], at[k, 1], float(radius[k]), face)
        shift = 0.35 * float(radius[k])
        if radius[k] > 4.0:
            glow = blend(face, STYLE.wood_light, 0.7)
            _stick(pen, at[k, 0] - shift, at[k, 1] - shift, 0.4 * float(radius[k]), glow)


def _stick(pen: Any, a: Vector, b: Vector, radius: float, color: Color) -> None:
    ink = _bytes(color)
    along = b - a
    length = float(np.hypot(along[0], along[1]))
    if length > 1e-6:
        side = radius * np.array([-along[1], along[0]]) / length
        pen.polygon([tuple(p) for p in (a + side, b + side, b - side, a - side)], fill=ink)
    for p in (a, b):
        pen.ellipse((p[0] - radius, p[1] - radius, p[0] + radius, p[1] + radius), fill=ink)


def _shadow(pen: Any, lens: Lens, reel: Reel, ends: Points) -> None:
    down = np.array(ends)
    down[..., 2] = reel.floor
    at = lens.pixels(down)
    for k in range(len(ends)):
        _stick(pen, at[k, 0], at[k, 1], max(float(reel.sticks.radius[k]) * lens.scale * 0.8, 1.0), STYLE.shade)


def _floor(pen: Any, lens: Lens, reel: Reel) -> None:
    """Lines of a floor below all frames."""
    flat = reel.ends[..., :2].reshape(-1, 2)
    low, high = flat.min(axis=0) - 0.25 * reel.size, flat.max(axis=0) + 0.25 * reel.size
    step = nice_step(float((high - low).max()) / 6.0)
    low, high = np.floor(low / step) * step, np.ceil(high / step) * step
    width = max(1, round(0.0015 * lens.height))
    for axis in (0, 1):
        for x in np.arange(low[axis], high[axis] + 0.5 * step, step):
            ends = np.full((2, 3), reel.floor)
            ends[:, axis] = x
            ends[:, 1 - axis] = low[1 - axis], high[1 - axis]
            pen.line([tuple(p) for p in lens.pixels(ends)], fill=_bytes(STYLE.grid), width=width)


def _trails(pen: Any, lens: Lens, reel: Reel, t: int) -> None:
    first = max(0, t - int(TRAIL * reel.rate))
    width = max(2, round(0.004 * lens.height))
    for way in reel.trails:
        at = lens.pixels(way[first : t + 1])
        for k in range(len(at) - 1):
            color = blend(STYLE.path, STYLE.paper, 0.85 * (1.0 - (k + 1) / max(len(at) - 1, 1)))
            pen.line([tuple(at[k]), tuple(at[k + 1])], fill=_bytes(color), width=width)


def _targets(pen: Any, lens: Lens, reel: Reel, t: int) -> None:
    radius, width = max(0.014 * lens.height, 10.0), max(4, round(0.004 * lens.height))
    for point, met in zip(reel.targets[t], reel.met[t], strict=True):
        if np.isfinite(point).all():
            x, y = lens.pixels(point)
            color = _bytes(STYLE.target if met else STYLE.missed)
            pen.ellipse((x - radius, y - radius, x + radius, y + radius), outline=color, width=width)
            pen.ellipse((x - width, y - width, x + width, y + width), fill=color)


def _bytes(color: Color) -> tuple[int, int, int]:
    red, green, blue = (round(255 * c) for c in color)
    return red, green, blue


def palette(image: Any) -> Any:
    """128 colours for all frames, from one frame. The colours of targets and trails are added, because few pixels have
    them."""
    from PIL import ImageDraw

    source = image.copy()
    pen = ImageDraw.Draw(source)
    rare = (STYLE.target, STYLE.missed, STYLE.path, blend(STYLE.path, STYLE.paper, 0.5))
    side = max(8, image.height // 12)
    for k, color in enumerate(rare):
        pen.rectangle((0, k * side, side, (k + 1) * side), fill=_bytes(color))
    return source.quantize(128)
