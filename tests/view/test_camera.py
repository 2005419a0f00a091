"""Views: the up direction, and that the scene fills its frame with equal scale."""

from __future__ import annotations

import numpy as np
import pytest
from checks import assert_close
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Blank
from mpl_toolkits.mplot3d import proj3d
from strategies import rngs

from manikin import rotations
from manikin.errors import BadShape, BadValue
from manikin.view import camera


@pytest.mark.parametrize("up", ["x", "y", "z"])
def test_the_up_axis_becomes_the_third_and_nothing_is_mirrored(up: str) -> None:
    turn = camera.upright(up)
    assert_close(turn @ np.array(rotations.AXES[up]), [0, 0, 1])
    assert np.linalg.det(turn) == pytest.approx(1.0)


def test_the_front_of_a_figure_with_y_up_is_toward_z_and_its_left_toward_x() -> None:
    assert_close(camera.upright("y") @ np.array([[0, 0, 1], [1, 0, 0]]).T, np.array([[1, 0, 0], [0, 1, 0]]).T)


def test_the_eye_has_a_right_handed_frame_that_looks_at_the_scene() -> None:
    eye = camera.Eye.at(-38.0, 11.0)
    frame = np.stack([eye.right, eye.up, eye.toward])
    assert_close(frame @ frame.T, np.eye(3))
    assert np.linalg.det(frame) == pytest.approx(1.0)
    assert eye.up[2] > 0.0


def test_views_have_names_or_are_two_angles() -> None:
    assert camera.angles("front") == camera.VIEWS["front"]
    assert camera.angles((30, 20)) == (30.0, 20.0)
    with pytest.raises(BadValue, match=r"view is 'behind'; it must be one of three-quarter, front"):
        camera.angles("behind")
    with pytest.raises(BadShape, match=r"view has shape \(3,\); it needs \(2,\)"):
        camera.angles((1, 2, 3))


@given(rngs(), st.sampled_from(list(camera.VIEWS)))
def test_points_fill_the_frame_in_one_scale(rng: np.random.Generator, view: str) -> None:
    points = rng.normal(size=(30, 3)) * rng.uniform(0.2, 3.0, 3) + rng.normal(size=3)
    picture = Blank()
    FigureCanvasAgg(picture)
    ax = picture.add_axes((0.0, 0.0, 1.0, 1.0), projection="3d")
    azimuth, elevation = camera.angles(view)
    ax.view_init(elev=elevation, azim=azimuth)  # type: ignore[attr-defined]
    room = (0.1, 0.05, 0.8, 0.9)
    camera.frame(ax, points, camera.Eye.at(azimuth, elevation), room)

    # Equal axes: all three have the same range, and the box is a cube.
    ranges = [np.ptp(limits) for limits in (ax.get_xlim3d(), ax.get_ylim3d(), ax.get_zlim3d())]  # type: ignore[attr-defined]
    assert_close(ranges, [ranges[0]] * 3)

    # The points touch two opposite sides of the room and are centred in the other direction.
    x, y, _ = proj3d.proj_transform(*points.T, ax.get_proj())  # type: ignore[attr-defined]
    low, high = ax.viewLim.get_points()
    seen = (np.column_stack([x, y]) - low) / (high - low)
    sides = np.concatenate([seen.min(axis=0), seen.max(axis=0)])
    assert np.all(sides[:2] > np.array(room[:2]) - 1e-3)
    assert np.all(sides[2:] < np.array(room[2:]) + 1e-3)
    gaps = np.abs(sides - room)
    assert max(gaps[0], gaps[2]) < 1e-3 or max(gaps[1], gaps[3]) < 1e-3
    assert_close(0.5 * (sides[:2] + sides[2:]), [0.45, 0.475], tol=2e-3)


@pytest.mark.parametrize(("length", "step"), [(0.37, 0.2), (1.0, 1.0), (7.0, 5.0), (0.0051, 0.005), (2000.0, 2000.0)])
def test_grid_steps_are_one_two_or_five(length: float, step: float) -> None:
    assert camera.nice_step(length) == pytest.approx(step)
