"""Poses of all frames at once, and the calibration of lengths and places."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from checks import assert_close
from keypoint_clips import keypoints, moving, person

import manikin as mk
from manikin.figure.movable import movable_steps
from manikin.figure.parts.calibration import calibrate
from manikin.motion.points import together
from manikin.motion.points.calibrate import calibrate_shape, calibration_frames
from manikin.motion.points.layouts import LAYOUTS
from manikin.motion.points.model import GROUPS, PointModel
from manikin.motion.points.places import find_places
from manikin.motion.points.pulls import PosturePulls
from manikin.motion.points.seen import SeenPoints
from manikin.motion.points.together import Bending, fit_poses
from manikin.reference import smooth

CARRIER = "Hips"


def setting(
    figure: mk.Figure, motion: mk.Motion, layout: str = "body25", noise: float = 0.0
) -> tuple[PointModel, SeenPoints, PosturePulls]:
    calibration = calibrate(figure, mk.bone_map(figure))
    places = find_places(calibration, LAYOUTS[layout])
    names = ["Hips", "Spine2", "Neck", "LeftArm", "RightArm", "LeftUpLeg", "RightUpLeg", "LeftForeArm", "RightForeArm"]
    names += ["LeftLeg", "RightLeg", "LeftFoot", "RightFoot"]
    columns = np.flatnonzero(movable_steps(figure, only=names))
    model = PointModel.of(figure, calibration.bones, places, columns)
    points = keypoints(motion, layout, noise)
    seen = SeenPoints.of(points, np.ones(points.shape[:2]), motion.times, calibration.leg)
    return model, seen, PosturePulls.of(calibration, columns, CARRIER)


def test_the_banded_system_equals_the_dense_one() -> None:
    rng = np.random.default_rng(0)
    frames, n = 9, 4
    half = rng.normal(size=(frames, n, n))
    A = half @ half.transpose(0, 2, 1) + np.eye(n)
    held, gradient = rng.uniform(0.5, 2.0, n), rng.normal(size=(frames, n))
    bending = Bending.of(np.cumsum(rng.uniform(0.8, 1.2, frames)), 0.2)
    dense = np.zeros((frames * n, frames * n))
    for t in range(frames):
        dense[t * n : t * n + n, t * n : t * n + n] = A[t] + 0.1 * np.diag(np.diag(A[t]))
    D = np.zeros((len(bending.rows), frames))
    for r, first in enumerate(bending.first):
        D[r, first : first + 4] = bending.rows[r]
    dense += np.kron(D.T @ D, np.diag(held))
    found = together._solved(A, bending, held, gradient, 0.1)
    assert_close(
        found, np.linalg.solve(dense, gradient.ravel()).reshape(frames, n), scale=np.abs(found).max(), tol=1e-9
    )


def test_exact_points_give_the_poses_back() -> None:
    motion = moving(mk.human(), 40)
    model, seen, pulls = setting(motion.figure, motion)
    steps = np.zeros((40, motion.figure.nv))
    steps[:, model.columns] = np.random.default_rng(1).normal(0.0, 0.1, (40, len(model.columns)))
    start = motion.figure.integrate(motion.poses, steps)
    poses, _ = fit_poses(model, seen, start, pulls, frequency=14.0)
    assert np.linalg.norm(model.points(poses) - seen.points, axis=-1).max() < 0.012
    assert motion.figure.violation(poses).max() < 1e-9


def test_smoothing_lowers_the_error_of_noisy_points() -> None:
    motion = moving(mk.human(), 90)
    model, seen, pulls = setting(motion.figure, motion, noise=0.02)
    exact = keypoints(motion, "body25")
    errors = [
        np.linalg.norm(model.points(fit_poses(model, seen, motion.poses, pulls, f)[0]) - exact, axis=-1).mean()
        for f in (2.0, 14.0)
    ]
    assert errors[0] < 0.7 * errors[1]


def test_windows_agree_with_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    motion = moving(mk.human(), 150)
    model, seen, pulls = setting(motion.figure, motion, noise=0.01)
    whole, _ = fit_poses(model, seen, motion.poses, pulls, 5.0)
    monkeypatch.setattr(together, "WINDOW", 60)
    parts, _ = fit_poses(model, seen, motion.poses, pulls, 5.0)
    assert np.linalg.norm(model.points(parts) - model.points(whole), axis=-1).max() < 1e-3


def test_progress_can_stop_after_a_window(monkeypatch: pytest.MonkeyPatch) -> None:
    motion = moving(mk.human(), 100)
    model, seen, pulls = setting(motion.figure, motion)
    monkeypatch.setattr(together, "WINDOW", 40)
    calls: list[tuple[int, int]] = []

    def stop(done: int, count: int) -> bool:
        calls.append((done, count))
        return False

    poses, over = fit_poses(model, seen, motion.poses, pulls, 5.0, progress=stop)
    assert calls == [(40, 100)]
    assert len(poses) == len(over) == 40


def test_a_gap_is_bridged() -> None:
    motion = moving(mk.human(), 60)
    model, seen, pulls = setting(motion.figure, motion)
    weights = np.array(seen.weights)
    weights[25:32, [model.places.names.index(n) for n in ("left wrist", "left elbow")]] = 0.0
    exact = keypoints(motion, "body25")
    poses, _ = fit_poses(model, replace(seen, weights=weights), motion.poses, pulls, 4.0)
    assert np.linalg.norm(model.points(poses) - exact, axis=-1)[25:32].max() < 0.08


def test_an_outlier_is_ignored_if_robust() -> None:
    motion = moving(mk.human(), 40)
    model, seen, pulls = setting(motion.figure, motion, noise=0.005)
    points = np.array(seen.points)
    at = model.places.names.index("right wrist")
    points[20, at] += (0.5, 0.5, 0.0)
    wild = replace(seen, points=points)
    exact = keypoints(motion, "body25")
    errors = []
    for robust in (True, False):
        poses, _ = fit_poses(model, wild, motion.poses, pulls, 6.0, robust)
        errors.append(np.linalg.norm(model.points(poses)[20] - exact[20], axis=-1).max())
    assert errors[0] < 0.02 < 2.0 * errors[0] < errors[1]


def test_lengths_come_from_the_data() -> None:
    truth = person()
    motion = moving(truth, 60)
    model, _, pulls = setting(mk.human(), moving(mk.human(), 60))
    points = keypoints(motion, "body25", noise=0.005)
    seen = SeenPoints.of(points, np.ones(points.shape[:2]), motion.times, 0.8)
    shape = calibrate_shape(model, seen, motion.poses, pulls)
    figure = shape.model.figure
    for segment in ("LeftLeg", "LeftFoot", "RightForeArm"):
        true, found = (np.linalg.norm(f.segment(segment).joint.offset) for f in (truth, figure))
        assert found == pytest.approx(true, rel=0.03), segment
    assert shape.deviations.shape == (len(GROUPS),)
    assert (shape.deviations < 0.05).all()


def test_one_factor_keeps_the_proportions() -> None:
    motion = moving(person(), 30)
    model, _, pulls = setting(mk.human(), moving(mk.human(), 30))
    points = keypoints(motion, "coco17")
    model = replace(model, places=find_places(calibrate(mk.human(), model.bones), LAYOUTS["coco17"]))
    model = PointModel.of(model.base, model.bones, model.places, model.columns)
    seen = SeenPoints.of(points, np.ones(points.shape[:2]), motion.times, 0.8)
    logs = calibrate_shape(model, seen, motion.poses, pulls, lengths=False).model.logs
    assert np.ptp(logs) < 1e-3
    assert logs.mean() == pytest.approx(np.log(1.65 / 1.75), abs=0.04)


def test_the_calibration_can_be_stopped() -> None:
    motion = moving(mk.human(), 20)
    model, seen, pulls = setting(mk.human(), motion)
    shape = calibrate_shape(model, seen, motion.poses, pulls, goes_on=lambda: False)
    assert_close(shape.model.logs, np.zeros(len(GROUPS)))


def test_frames_with_few_points_are_not_calibrated_on() -> None:
    motion = moving(mk.human(), 40)
    _, seen, _ = setting(mk.human(), motion)
    weights = np.array(seen.weights)
    weights[:30, :15] = 0.0
    assert calibration_frames(replace(seen, weights=weights)).tolist() == list(range(30, 40))
    assert len(calibration_frames(replace(seen, weights=0.0 * weights))) == 0


def test_third_differences_of_a_parabola_vanish() -> None:
    bending = Bending.of(np.array([0.0, 1.0, 2.1, 3.0, 4.2]), 0.1)
    times = np.array([0.0, 1.0, 2.1, 3.0, 4.2])[:, None]
    assert_close(smooth.bend(bending.rows, bending.first, times**2), 0.0, scale=np.abs(bending.rows).max(), tol=1e-9)
