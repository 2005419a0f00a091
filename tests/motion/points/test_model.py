"""The points of a figure: places, and derivatives with respect to the pose, the lengths and the places."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from checks import assert_close, assert_derivative

import manikin as mk
from manikin.errors import BadValue
from manikin.figure.parts.calibration import calibrate
from manikin.motion.points.layouts import LAYOUTS
from manikin.motion.points.model import GROUPS, PointModel
from manikin.motion.points.places import find_places


def model_of(layout: str = "halpe26", figure: mk.Figure | None = None) -> PointModel:
    figure = mk.human() if figure is None else figure
    calibration = calibrate(figure, mk.bone_map(figure))
    places = find_places(calibration, LAYOUTS[layout])
    return PointModel.of(figure, calibration.bones, places, np.arange(figure.nv))


def some_shape(model: PointModel, seed: int = 0) -> PointModel:
    rng = np.random.default_rng(seed)
    return model.resized(rng.normal(0.0, 0.1, len(GROUPS)), rng.normal(0.0, 0.02, model.corrections.shape))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_points_of_the_two_sides_mirror_each_other(layout: str) -> None:
    model = model_of(layout)
    at = dict(zip(model.places.names, model.points(model.base.rest[None])[0], strict=True))
    for name, point in at.items():
        if name.startswith("left "):
            assert_close(at[name.replace("left", "right")], point * (-1.0, 1.0, 1.0), tol=1e-9)
        elif not name.startswith("right "):
            assert abs(point[0]) < 1e-9


def test_joint_centres_are_those_of_the_figure() -> None:
    model = model_of("coco17")
    figure, at = model.base, model.points(model.base.rest[None])[0]
    for name, segment in (("left knee", "LeftLeg"), ("right wrist", "RightHand"), ("left shoulder", "LeftArm")):
        placed = figure.placements(figure.rest, [segment])[0, :3, 3]
        assert_close(at[model.places.names.index(name)], placed, tol=1e-12)


def test_the_jacobian_meets_finite_differences() -> None:
    model = some_shape(model_of())
    pose = model.base.random(np.random.default_rng(3))
    assert_derivative(
        lambda q: model.points(q[None])[0].ravel(),
        model.jacobian(pose[None])[0],
        pose,
        move=model.figure.integrate,
        tol=1e-7,
    )


def test_points_are_those_of_the_resized_figure() -> None:
    model = some_shape(model_of())
    pose = model.base.random(np.random.default_rng(5))
    placed = model.figure.placements(pose, list(model.places.segments))
    wanted = np.einsum("kij,kj->ki", placed[:, :3, :3], model.offsets) + placed[:, :3, 3]
    assert_close(model.points(pose[None])[0], wanted, tol=1e-12)


def test_the_shape_jacobian_meets_finite_differences() -> None:
    model = some_shape(model_of())
    pose = model.base.random(np.random.default_rng(4))

    def points(theta: np.ndarray) -> np.ndarray:
        logs = theta[0] + theta[1 : 1 + len(GROUPS)]
        return model.resized(logs, theta[1 + len(GROUPS) :].reshape(-1, 3)).points(pose[None])[0].ravel()

    at = np.concatenate([[0.0], model.logs, model.corrections.ravel()])
    assert_derivative(points, model.shape_jacobian(pose[None])[0], at, tol=1e-7)


def test_places_grow_with_the_segments_that_carry_them() -> None:
    model = model_of("coco17")
    larger = model.resized(np.full(len(GROUPS), np.log(1.2)), model.corrections)
    assert_close(larger.offsets, 1.2 * model.offsets, tol=1e-12)


def test_a_figure_without_toes_carries_the_big_toe_on_its_foot() -> None:
    figure = mk.human()
    calibration = calibrate(figure, mk.bone_map(figure))
    places = find_places(calibration, ["left big toe", "left heel"])
    assert places.segments == ("LeftToeBase", "LeftFoot")
    parts = {part: names for part, names in calibration.bones.items() if not part.endswith("toes")}
    shorter = calibrate(figure, mk.BoneMap(figure, parts, "given"))
    assert find_places(shorter, ["left big toe"]).segments == ("LeftFoot",)


def test_a_point_without_a_part_is_named() -> None:
    figure = mk.human()
    calibration = calibrate(figure, mk.bone_map(figure))
    links = {part: link for part, link in calibration.links.items() if part != "left hand"}
    with pytest.raises(BadValue, match=r"has no part for the points left wrist"):
        find_places(replace(calibration, links=links), ["left wrist"])
