"""Pictures, down to their pixels."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Blank
from numpy.typing import NDArray
from strategies import random_figure, random_pose, rngs

import manikin as mk
from manikin.errors import BadValue, Unsupported
from manikin.figure import Ball, Figure, Segment, Sphere
from manikin.view.labels import Labels
from manikin.view.scene import MAX_FADE
from manikin.view.style import STYLE, Color, blend

Pixels = NDArray[np.float64]


def pixels(picture: Blank) -> Pixels:
    """(height, width, 3) from 0 to 1."""
    canvas = picture.canvas
    assert isinstance(canvas, FigureCanvasAgg)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3] / 255.0


def like(image: Pixels, color: Color, near: float = 0.02) -> NDArray[np.bool_]:
    """Where an image has a colour."""
    return np.abs(image - np.array(color)).max(axis=-1) < near


def wooden(image: Pixels) -> NDArray[np.bool_]:
    """Where the figure is: clearly warmer than paper, shadow and grid are."""
    return image[..., 0] - image[..., 2] > 0.15


def extent(where: NDArray[np.bool_]) -> tuple[int, int, int, int]:
    """First and last row and column."""
    rows, columns = np.flatnonzero(where.any(axis=1)), np.flatnonzero(where.any(axis=0))
    return int(rows[0]), int(rows[-1]), int(columns[0]), int(columns[-1])


def ball(up: str = "y") -> Figure:
    return Figure("ball", [Segment("Ball", None, Ball(), shapes=[Sphere((0, 0, 0), 0.5)])], up=up)


@pytest.mark.parametrize("view", ["front", "three-quarter", "top", (20.0, 45.0)])
def test_a_sphere_is_round_from_every_side(view: object) -> None:
    image = pixels(mk.plot(ball(), view=view, floor=False, size=(4, 3), dpi=100))  # type: ignore[arg-type]
    top, bottom, left, right = extent(wooden(image))
    assert (bottom - top) / (right - left) == pytest.approx(1.0, abs=0.02)


def test_lengths_have_one_scale_on_paper() -> None:
    square = mk.chain([1.0, 1.0], planar=True)
    image = pixels(mk.plot(square, [0.0, np.pi / 2], dpi=100))
    top, bottom, left, right = extent(wooden(image))
    assert (bottom - top) / (right - left) == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize("size", [6.0, (4.0, 8.0), (8.0, 4.0)])
def test_the_person_fills_the_picture_and_nothing_is_cut(size: object) -> None:
    image = pixels(mk.plot(mk.human(), size=size, floor=False, dpi=80))  # type: ignore[arg-type]
    height, width = image.shape[:2]
    top, bottom, left, right = extent(wooden(image))
    assert min(top, left) > 2
    assert bottom < height - 3
    assert right < width - 3
    assert max((bottom - top) / height, (right - left) / width) > 0.85


def test_the_up_axis_is_up_whichever_it_is() -> None:
    def column(up: str) -> Figure:
        offset = {"y": (0, 1, 0), "z": (0, 0, 1), "x": (1, 0, 0)}[up]
        base = Segment("Base", None, Ball(), shapes=[Sphere((0, 0, 0), 0.4)])
        return Figure(
            "column", [base, Segment("Top", "Base", Ball(), shapes=[Sphere((0, 0, 0), 0.2)], offset=offset)], up=up
        )

    first, *others = [pixels(mk.plot(column(up), size=3, dpi=60)) for up in "yzx"]
    upper, lower = np.array_split(wooden(first).sum(axis=1), 2)
    assert 0 < upper.sum() < lower.sum()  # the small sphere is above
    for other in others:
        assert (wooden(first) != wooden(other)).mean() < 0.01  # the poles of a sphere's facets turn with the axes


def test_targets_and_errors_are_drawn() -> None:
    chain = mk.chain(3)
    before = pixels(mk.plot(chain, dpi=80))
    goals = [mk.Position("Tip", (2.5, 0.8, 0.3)), mk.Position("Segment2", (1, 0, 0))]
    after = pixels(mk.plot(chain, goals=goals, dpi=80))
    assert not like(before, STYLE.target).any()
    assert like(after, STYLE.target).sum() > 30
    assert like(after, STYLE.missed).sum() > 100  # a line of 85 cm


def test_labels_stand_apart_and_on_the_page() -> None:
    person = mk.human()
    goals = [mk.Position(name, person.placements(person.rest, [name])[0, :3, 3]) for name in person.segment_names[::4]]
    picture = mk.plot(person, goals=goals)
    pixels(picture)
    (labels,) = [a for a in picture.axes[0].get_children() if isinstance(a, Labels)]
    assert len(labels.boxes) == len(goals) > 15
    width, height = picture.canvas.get_width_height()
    for i, a in enumerate(labels.boxes):
        assert a.min() >= 0.0
        assert a[2] <= width
        assert a[3] <= height
        for b in labels.boxes[i + 1 :]:
            assert np.any(a[:2] >= b[2:]) or np.any(b[:2] >= a[2:])


def test_labels_can_be_left_out() -> None:
    picture = mk.plot(mk.chain(2), goals=mk.Position("Tip", (1, 1, 0)), labels=False)
    assert not [a for a in picture.axes[0].get_children() if isinstance(a, Labels)]


def test_several_poses_fade_into_the_past_and_the_last_is_drawn_in_full() -> None:
    arm = mk.chain([1.0, 1.0], planar=True)
    poses = np.linspace([0.0, 0.0], [2.0, 0.5], 30)
    image = pixels(mk.plot(arm, poses, paths=["Tip"], most=5, dpi=80))
    assert like(image, STYLE.wood).sum() > 500
    assert like(image, blend(STYLE.wood, STYLE.paper, MAX_FADE)).sum() > 500
    assert like(image, blend(STYLE.wood, STYLE.paper, 0.5 * MAX_FADE)).sum() > 500
    assert like(image, STYLE.path, 0.05).sum() > 100
    faded = mk.plot(arm, poses, most=1, dpi=80)
    assert len(faded.axes[0].collections) == 1


def test_the_way_of_a_goals_effector_goes_through_all_poses() -> None:
    arm = mk.chain([1.0, 1.0], planar=True)
    poses = np.linspace([0.0, 0.0], [2.0, 0.5], 30)
    picture = mk.plot(arm, poses, mk.Position("Tip", (0, 1), axes="xy"), most=3)
    ways = [
        line.get_xydata()
        for line in picture.axes[0].lines
        if line.get_color() == STYLE.path and len(line.get_xdata()) > 1
    ]
    (way,) = ways
    np.testing.assert_allclose(way, arm.placements(poses, ["Tip"])[:, 0, :2, 3], atol=1e-12)


def test_a_figure_without_shapes_is_drawn_by_tapered_pieces() -> None:
    bare = Figure("bare", [Segment("A", None, Ball()), Segment("B", "A", offset=(0, 1, 0))])
    assert wooden(pixels(mk.plot(bare, dpi=60))).sum() > 300
    same = mk.chain(2)
    assert (
        np.abs(
            pixels(mk.plot(same, dpi=60, size=(3, 3))) - pixels(mk.plot(same, dpi=60, size=(3, 3), shapes=False))
        ).max()
        > 0.1
    )


def test_the_floor_lies_where_it_is_asked_for_or_not_at_all() -> None:
    def has_grid(picture: Blank) -> bool:
        return any(type(c).__name__ == "Line3DCollection" for c in picture.axes[0].collections)

    assert has_grid(mk.plot(ball()))
    assert has_grid(mk.plot(ball(), floor=-2.0))
    assert not has_grid(mk.plot(ball(), floor=False))


def test_it_draws_into_axes_that_are_given() -> None:
    picture = Blank(figsize=(8, 4))
    FigureCanvasAgg(picture)
    left, right = picture.add_subplot(1, 2, 1), picture.add_subplot(1, 2, 2, projection="3d")
    assert mk.plot(mk.chain(2, planar=True), ax=left, title="flat") is picture
    assert mk.plot(mk.chain(2), ax=right, title="in space") is picture
    image = pixels(picture)
    half = image.shape[1] // 2
    assert wooden(image[:, :half]).sum() > 500
    assert wooden(image[:, half:]).sum() > 500
    assert left.get_title() == "flat"
    with pytest.raises(BadValue, match="ax is two-dimensional, but figure 'chain' moves in space"):
        mk.plot(mk.chain(2), ax=left)


def test_a_planar_figure_is_drawn_in_space_where_the_axes_are() -> None:
    picture = Blank()
    FigureCanvasAgg(picture)
    ax = picture.add_subplot(projection="3d")
    mk.plot(mk.chain(2, planar=True), ax=ax)
    assert wooden(pixels(picture)).sum() > 300


@pytest.mark.parametrize("ending", ["png", "pdf", "svg"])
def test_it_is_saved_in_the_format_of_the_name(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"chain.{ending}"
    mk.plot(mk.chain(2, planar=True), save=path)
    assert path.read_bytes()[:5] == {"png": b"\x89PNG\r", "pdf": b"%PDF-", "svg": b"<?xml"}[ending]


def test_bad_input_is_named(tmp_path: Path) -> None:
    chain = mk.chain(2)
    with pytest.raises(BadValue, match=r"save is .*chain.bvh'; a picture's name must end in one of"):
        mk.plot(chain, save=tmp_path / "chain.bvh")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(BadValue, match=r"pose has shape \(0, 6\); a picture needs \(6,\) or \(T, 6\)"):
        mk.plot(chain, np.zeros((0, 6)))
    with pytest.raises(BadValue, match="most is 0; it needs a whole number of at least 1"):
        mk.plot(chain, most=0)
    with pytest.raises(BadValue, match="size is -1; it must be above 0"):
        mk.plot(chain, size=-1)
    with pytest.raises(BadValue, match="floor is"):
        mk.plot(chain, floor="low")  # type: ignore[arg-type]


def test_without_matplotlib_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(
        Unsupported, match=r'plot needs matplotlib, which is not installed; pip install "manikin\[plot\]"'
    ):
        mk.plot(mk.chain(2))


def test_pyplot_is_not_touched() -> None:
    code = (
        "import sys, manikin as mk\n"
        "mk.plot(mk.chain(2)); mk.plot(mk.chain(2, planar=True))\n"
        "print('matplotlib.pyplot' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@settings(max_examples=12)
@given(rngs())
def test_any_figure_in_any_pose_gives_a_picture(rng: np.random.Generator) -> None:
    figure = random_figure(rng)
    picture = mk.plot(figure, random_pose(figure, rng), size=3, dpi=50)
    image = pixels(picture)
    assert np.isfinite(image).all()
    if any(s.shapes for s in figure.segments):
        assert wooden(image).any()


@pytest.mark.parametrize("name", ["only_root", "only_free_root", "zero_length_segment"])
def test_a_figure_without_extent_has_a_picture(name: str) -> None:
    image = pixels(mk.plot(getattr(mk.samples, name)(), size=3.0, dpi=80.0))
    assert np.ptp(image) > 0.1


# Obstacles


def stony(image: Pixels) -> NDArray[np.bool_]:
    """Where an obstacle is: cooler than paper, wood, shadow and grid are."""
    return (image[..., 2] - image[..., 0] > 0.01) & (image[..., 1] - image[..., 0] > 0.005)


def test_an_obstacle_in_space_hides_what_is_behind_it_and_is_hidden_by_what_is_before() -> None:
    """A ball before the figure's ball as seen from the front, and behind it as seen from the back."""
    goal = mk.Clearance(obstacles={"stone": mk.Sphere((0, 0, 1.3), 0.52)})
    before, behind = (
        pixels(mk.plot(ball(), None, goal, view=view, floor=False, labels=False, size=(4, 3), dpi=100))
        for view in ("front", "back")
    )
    assert stony(before).sum() > 20 * max(1, wooden(before).sum())
    assert wooden(behind).sum() > 20 * max(1, stony(behind).sum())


def test_an_obstacle_on_paper_is_a_filled_outline_under_the_figure() -> None:
    goal = mk.Clearance(obstacles={"stone": mk.Sphere((1.0, 0.0, 0.0), 0.3)})
    image = pixels(mk.plot(mk.chain(2, planar=True), None, goal, labels=False, dpi=100))
    stone = like(image, STYLE.stone)
    top, bottom, left, right = extent(stone)
    assert (bottom - top) / (right - left) == pytest.approx(1.0, abs=0.03)
    middle = image[(top + bottom) // 2, left + (right - left) // 4]
    assert like(middle, STYLE.wood)


def test_matplotlib_has_no_corner_to_fill_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would fill up outlines of different lengths with uninitialized memory, and scale the axes by it."""
    from mpl_toolkits.mplot3d import art3d

    given = []

    class Watched(art3d.Poly3DCollection):  # type: ignore[misc]
        def __init__(self, verts: object, *args: object, **kwargs: object) -> None:
            given.append(verts)
            super().__init__(verts, *args, **kwargs)

    monkeypatch.setattr(art3d, "Poly3DCollection", Watched)
    mk.plot(mk.human())
    assert len(given) > 1
    for corners in given:
        assert isinstance(corners, np.ndarray)
        assert np.isfinite(corners).all()
