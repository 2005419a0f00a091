"""Pictures: nothing overlaps, nothing is cut off, and all required texts are there."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.text import Text
from matplotlib.transforms import Bbox
from PIL import Image

from manikin.chapter import charts, pictures
from manikin.chapter.animation import animate
from manikin.chapter.examples import chosen
from manikin.chapter.run import run
from manikin.view.labels import Labels
from manikin.view.style import STYLE


@cache
def page_of(name: str) -> Any:
    """The picture of an example, laid out."""
    return drawn(pictures.picture(run(chosen([name])[0])))


def drawn(page: Any) -> Any:
    page.canvas.draw()
    return page


def boxes(page: Any) -> dict[str, Any]:
    """Where each text of a page stands, ticks left out."""
    renderer = page.canvas.get_renderer()
    texts = [*page.texts, *(t for legend in page.legends for t in legend.get_texts())]
    for ax in page.axes:
        texts += [ax.title, ax._left_title, ax.xaxis.label, *ax.texts]
        texts += ax.get_legend().get_texts() if ax.get_legend() else []
    found = {t.get_text(): t.get_window_extent(renderer) for t in texts if isinstance(t, Text) and t.get_text()}
    for ax in page.axes:
        for labels in (a for a in ax.get_children() if isinstance(a, Labels)):
            for label, (left, bottom, right, top) in zip(labels.labels, labels.boxes, strict=True):
                found[f"{label.name} at its target"] = Bbox.from_extents(left, bottom, right, top)
    return found


@pytest.mark.parametrize("name", ["3", "9", "10", "13", "15"])
def test_no_text_covers_another_and_none_is_cut_off(name: str) -> None:
    page = page_of(name)
    found = boxes(page)
    assert pictures.OURS in found
    for text, box in found.items():
        assert box.x0 >= 0, text
        assert box.y0 >= 0, text
        assert box.x1 <= page.bbox.x1, text
        assert box.y1 <= page.bbox.y1, text
    for (first, a), (second, b) in combinations(found.items(), 2):
        assert not a.overlaps(b), f"{first!r} and {second!r} overlap"


def test_charts_lie_apart_from_the_poses_and_inside_the_page() -> None:
    page = page_of("15")
    main, *others = [ax.get_tightbbox() for ax in page.axes]
    assert len(others) == 3
    for box in others:
        assert not box.overlaps(main)
        assert box.x1 <= page.bbox.x1
    for a, b in combinations(others, 2):
        assert not a.overlaps(b)


def test_a_missed_target_is_labelled_with_its_error_and_a_reached_one_is_ticked() -> None:
    def labels(name: str) -> list[str]:
        page = page_of(name)
        return [label.text for a in page.axes[0].get_children() if isinstance(a, Labels) for label in a.labels]

    assert labels("9") == ["P₅ ✓", "P₈ ✓", "P₁₁ ✓", "P₂ ✓"]
    assert labels("10")[0] == "P₅ misses by 0.29"


def test_the_watched_angle_past_its_bound_is_red_only_where_it_is_past() -> None:
    def past(name: str) -> int:
        page = page_of(name)
        lines = [line for line in page.axes[3].lines if line.get_color() == STYLE.missed and len(line.get_xdata()) > 2]
        return int(np.isfinite(lines[0].get_ydata()).sum())

    assert past("12") > 8
    assert past("15") == 0


@pytest.mark.parametrize(("most", "frames"), [(1, 1), (2, 2), (5, 5), (100, 31)])
def test_an_animation_has_as_many_frames_as_poses_or_as_allowed(tmp_path: Path, most: int, frames: int) -> None:
    path = tmp_path / "moving.gif"
    assert animate(run(chosen(["12"])[0]), path, most) == frames
    with Image.open(path) as moving:
        assert getattr(moving, "n_frames", 1) == frames


def test_an_animation_begins_at_the_start_and_ends_with_all_paths_drawn(tmp_path: Path) -> None:
    path = tmp_path / "moving.gif"
    animate(run(chosen(["14"])[0]), path, 4)
    inked = []
    with Image.open(path) as moving:
        for k in range(4):
            moving.seek(k)
            pixels = np.asarray(moving.convert("RGB")) / 255.0
            inked.append(int((np.abs(pixels - np.array(STYLE.path)).max(axis=-1) < 0.06).sum()))
    assert inked[0] < inked[1] < inked[2] < inked[3]


def test_the_chart_of_methods_is_red_where_points_were_missed() -> None:
    row = {"applies": True, "iterations": 9, "seconds": 0.1, "final_error_of_size": 0.0, "deviation_of_size": 1e-3}
    rows = [
        {**row, "method": "good", "points": 2, "points_reached": 2},
        {**row, "method": "bad", "points": 2, "points_reached": 1},
        {"method": "unfit", "applies": False, "note": "no"},
    ]
    page = drawn(charts.methods_chart("two of three", rows))
    bars = [patch.get_facecolor()[:3] for patch in page.axes[0].patches]
    assert bars == [pytest.approx(STYLE.wood), pytest.approx(STYLE.missed)]
    found = boxes(page)
    for (first, a), (second, b) in combinations(found.items(), 2):
        assert not a.overlaps(b), f"{first!r} and {second!r} overlap"
