"""An example as an animated GIF: the figure goes through its poses, and each effector draws its path.

Static parts are drawn once. Each frame draws the figure and the paths over them.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.arrays import Matrix
from manikin.base import writing
from manikin.chapter.pictures import DETAIL, START_FADE, blank, extent, sheet_of, tracks
from manikin.chapter.run import Course
from manikin.chapter.side import COLORS
from manikin.view.extra import require_matplotlib
from manikin.view.marks import Marks, Ring
from manikin.view.scene import Scene, Stage
from manikin.view.solids import silhouette, solids
from manikin.view.style import STYLE

if TYPE_CHECKING:
    from PIL.Image import Image as Pixels

SIZE, DPI = (4.4, 4.2), 100.0
FRAME, HOLD = 90, 1200
"""Duration in milliseconds of a frame, and of the first and last frame."""


def animate(course: Course, path: Path, max_frames: int) -> int:
    """Writes the GIF of a run with at most `max_frames` frames, including the first and last pose. Returns the number
    of frames."""
    require_matplotlib("manikin chapter")
    from PIL import Image

    count = min(max_frames, len(course.poses))
    chosen = np.unique(np.round(np.linspace(0, len(course.poses) - 1, count)).astype(int))
    images = _frames(course, [int(k) for k in chosen])
    # One palette for all frames, from the last frame, which shows every colour.
    palette = images[-1].quantize(96)
    frames = [image.quantize(palette=palette, dither=Image.Dither.NONE) for image in images]
    durations = [HOLD // 2, *[FRAME] * (len(frames) - 2), HOLD] if len(frames) > 1 else [HOLD]
    with writing.writing(path) as file:
        frames[0].save(
            file, format="GIF", save_all=True, append_images=frames[1:], duration=durations, loop=0, optimize=False
        )
    return len(frames)


def _frames(course: Course, chosen: list[int]) -> list[Pixels]:
    from PIL import Image

    page = blank(SIZE, DPI)
    ax = page.add_axes((0.075, 0.06, 0.905, 0.86))
    page.text(0.03, 0.96, course.example.label, color=STYLE.ink, fontsize=STYLE.title - 1, va="center", weight="bold")
    _still(ax, course)
    moving = _Moving(ax, course)
    canvas: Any = page.canvas
    canvas.draw()
    background = canvas.copy_from_bbox(page.bbox)
    images = []
    for k in chosen:
        canvas.restore_region(background)
        moving.draw(k)
        pixels = np.asarray(canvas.buffer_rgba())[..., :3].copy()
        images.append(Image.fromarray(pixels))
    return images


def _still(ax: Any, course: Course) -> None:
    """The sheet, the first pose, the targets and the wanted paths."""
    from manikin.view import flat

    example = course.example
    marks = Marks(rings=[Ring(np.array([*x, 0.0]), STYLE.target) for x in example.targets])
    first = Stage(example.figure.placements(course.poses[0]), START_FADE)
    flat.draw(ax, Scene(example.figure, solids(example.figure, True, DETAIL), [first], marks), sheet_of(example), STYLE)
    tracks(ax, course)
    box = ax.get_window_extent()
    flat.frame(ax, extent(course), box.width, box.height, 0.05)


class _Moving:
    """The artists that change from frame to frame."""

    def __init__(self, ax: Any, course: Course) -> None:
        from matplotlib.collections import PolyCollection

        example = course.example
        self.course, self.ax = course, ax
        self.placements = example.figure.placements(course.poses)
        self.taken = example.positions(course.poses)
        paper = sheet_of(example)
        self.outlines = [  # outline of each solid in its segment's space; in the plane it only turns and moves
            (s.segment, silhouette(paper.flatten(s.faces).reshape(-1, 2)))
            for s in solids(example.figure, True, DETAIL)
            if s.kind == "solid"
        ]
        self.moving = [i for i, s in enumerate(example.figure.segments) if s.joint.motions]
        self.body = PolyCollection(
            [], facecolors=[STYLE.wood], edgecolors=[STYLE.outline], linewidths=0.9, animated=True
        )
        ax.add_collection(self.body)
        (self.dots,) = ax.plot(
            [], [], "o", color=STYLE.joint_dark, markersize=STYLE.dot, markeredgewidth=0, animated=True
        )
        self.ways = [
            ax.plot([], [], "o-", color=color, linewidth=1.6, markersize=2.4, markeredgewidth=0, animated=True)[0]
            for _, color in zip(example.effectors, COLORS, strict=False)
        ]
        self.count = ax.text(
            1.0,
            1.045,
            "",
            transform=ax.transAxes,
            color=STYLE.faint,
            fontsize=STYLE.text,
            ha="right",
            va="center",
            animated=True,
        )

    def draw(self, k: int) -> None:
        """Shows the k-th pose and the paths so far."""
        at = self.placements[k]
        outlines: list[Matrix] = [outline @ at[i, :2, :2].T + at[i, :2, 3] for i, outline in self.outlines]
        self.body.set_verts(outlines)
        self.dots.set_data(*at[self.moving, :2, 3].T)
        for j, way in enumerate(self.ways):
            way.set_data(*self.taken[: k + 1, j].T)
        last = len(self.placements) - 1
        self.count.set_text(f"path point {k} of {last}" if k else "start")
        for artist in (self.body, self.dots, *self.ways, self.count):
            self.ax.draw_artist(artist)
