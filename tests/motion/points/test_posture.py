"""The learned posture: its coordinates, their derivatives, and figures with other joints."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from checks import assert_close, assert_derivative
from keypoint_clips import keypoints, moving, person

import manikin as mk
from benchmarks.posture import mirrored
from manikin.figure.movable import movable_steps
from manikin.figure.parts.calibration import calibrate
from manikin.motion.points import posture
from manikin.motion.points.posture import PostureCoordinates, PosturePull, coordinate_names, learned_posture


def coordinates(figure: mk.Figure) -> PostureCoordinates:
    return PostureCoordinates(calibrate(figure, mk.bone_map(figure)))


def random_poses(figure: mk.Figure, count: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.stack([figure.clamp(figure.random(rng)) for _ in range(count)])


def with_spine(count: int) -> mk.Figure:
    """A person whose spine has this many segments, of the same length together."""
    whole = mk.human()
    names = [f"Spine{k or ''}" for k in range(5)]
    length = sum(np.array(whole.segment(n).joint.offset) for n in [*names[1:], "Neck"])
    joint = whole.segment("Spine").joint
    new = [f"Spine{k or ''}" for k in range(count)]
    out = []
    for segment in whole.segments:
        if segment.name == "Spine":
            for k, name in enumerate(new):
                offset = joint.offset if k == 0 else tuple(length / count)
                parent = segment.parent if k == 0 else new[k - 1]
                out.append(mk.Segment(name, parent, mk.Joint(name, joint.motions, offset=offset)))
        elif segment.name not in names:
            on_chest = segment.parent in names
            offset = tuple(length / count) if segment.name == "Neck" else segment.joint.offset
            moved = mk.Joint(segment.joint.name, segment.joint.motions, offset=offset, rotation=segment.joint.rotation)
            out.append(mk.Segment(segment.name, new[-1] if on_chest else segment.parent, moved))
    return mk.Figure(f"spine of {count}", out, unit=1.0, up=whole.up)


def test_standing_is_zero_and_the_names_fit() -> None:
    figure = mk.human()
    own = calibrate(figure, mk.bone_map(figure))
    y, x, unlike = PostureCoordinates(own).values(own.standing.pose[None])
    assert y.shape == (1, len(coordinate_names())) == (1, 32)
    trunk = [i for i, name in enumerate(coordinate_names()) if name.startswith(("spine", "neck", "head"))]
    assert np.abs(y[0, trunk]).max() < 1e-9
    assert_close(np.linalg.norm(x.reshape(8, 3), axis=1), np.ones(8), scale=1.0, tol=1e-9)
    assert x.reshape(8, 3)[:, 1].min() > 0.9  # every limb hangs down
    assert unlike.shape == (1, 0)


@pytest.mark.parametrize("spine", [None, 3, 8])
@pytest.mark.parametrize("k", [0, 1, 2])
def test_derivatives(spine: int | None, k: int) -> None:
    figure = mk.human() if spine is None else with_spine(spine)
    body, columns = coordinates(figure), np.arange(figure.nv)
    for pose in random_poses(figure, 2):
        J = body.jacobians(pose[None], columns)[k][0]
        assert_derivative(lambda q: body.values(q[None])[k][0], J, pose, move=figure.integrate, directions=6, tol=1e-7)


def test_gradient_of_the_cost() -> None:
    figure = mk.human()
    pull = PosturePull.of(calibrate(figure, mk.bone_map(figure)))
    pose = random_poses(figure, 1)
    gradient, hessian = pull.slope(pose, np.arange(figure.nv))
    assert_derivative(lambda q: pull.cost(q[None]), gradient, pose[0], move=figure.integrate, directions=6, tol=1e-7)
    assert_close(hessian, np.swapaxes(hessian, 1, 2), scale=np.abs(hessian).max(), tol=1e-12)
    assert np.linalg.eigvalsh(hessian[0]).min() > -1e-6 * np.abs(hessian).max()
    assert_close(pull.weakened(4.0).cost(pose), pull.cost(pose) / 4.0, scale=1.0, tol=1e-9)


def test_the_model_is_the_same_for_both_sides() -> None:
    model = learned_posture()
    rng = np.random.default_rng(0)
    x = rng.normal(size=(4, model.W.shape[1]))
    swapped = mirrored(np.zeros((4, len(model.b))), x)[1]
    there, back = model.b + x @ model.W.T, model.b + swapped @ model.W.T
    assert_close(mirrored(there, x)[0], back, scale=1.0, tol=1e-5)
    assert np.linalg.eigvalsh(model.covariance).min() > 0.0


@pytest.mark.parametrize("count", [1, 3, 5, 8])
def test_an_even_bend_is_the_same_on_any_spine(count: int) -> None:
    figure = with_spine(count)
    pose = np.array(figure.rest)
    steps = np.zeros(figure.nv)
    for k in range(count):
        steps[figure.step_of(f"Spine{k or ''}")] = 0.5 / count
    y, _, unlike = coordinates(figure).values(figure.integrate(pose, steps)[None])
    rows = [i for i, name in enumerate(coordinate_names()) if name.startswith("spine") and name.endswith("x")]
    assert_close(y[0, rows], np.full(5, 0.1), scale=1.0, tol=1e-9)
    assert np.abs(unlike).max(initial=0.0) < 1e-9


def test_only_chains_that_move_freely_count() -> None:
    figure = mk.human()
    own = calibrate(figure, mk.bone_map(figure))
    movable = np.ones(figure.nv, dtype=bool)
    movable[movable_steps(figure, only=[figure.segment("Spine2").joint.name])] = False
    names = [coordinate_names()[row] for row in PostureCoordinates(own, movable).rows]
    assert not any(name.startswith("spine") for name in names)
    assert any(name.startswith("neck") for name in names)


def test_a_robot_keeps_its_rest_pose(data: Path) -> None:
    robot = mk.load_figure(data / "mjcf/unitree_g1.xml")
    assert coordinates(robot).rows == []
    pull = PosturePull.of(calibrate(robot, mk.bone_map(robot)))
    assert pull.cost(robot.rest[None]).tolist() == [0.0]


def test_feet_without_points_follow_the_learned_posture() -> None:
    clip = moving(person(3), 40, seed=3)
    fit = mk.fit_points(mk.human(), keypoints(clip, "coco17", 0.005), "coco17", times=clip.times)
    own = calibrate(fit.figure, mk.bone_map(fit.figure))
    y, x, _ = PostureCoordinates(own).values(fit.motion.poses)
    model = learned_posture()
    rows = [i for i, name in enumerate(coordinate_names()) if "foot" in name]
    away = (y - model.b - x @ model.W.T)[:, rows]
    assert np.abs(away).mean() < 0.05
    assert np.abs(y[:, rows]).mean() > 0.05
    assert posture.WIDER["foot"] > 1.0
