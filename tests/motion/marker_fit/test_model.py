"""Positions of markers and their derivatives; the calibration's gradient and its Schur complement."""

from __future__ import annotations

import checks
import numpy as np
import pytest
from synthetic_markers import NAMES, recorded

import manikin as mk
from manikin.motion.marker_fit.attachments import Attachments
from manikin.motion.marker_fit.body import MarkerBody
from manikin.motion.marker_fit.calibrate import CalibrationProblem, State
from manikin.motion.marker_fit.fitter import Fitter, Options
from manikin.motion.marker_fit.limits import twist_of
from manikin.motion.marker_fit.model import MarkerModel, posture
from manikin.reference.kinematics import Kinematics


@pytest.fixture(scope="module")
def fitter() -> Fitter:
    person = mk.human()
    attach = Attachments.from_names(NAMES, person)
    twists = {"LeftFoot": twist_of(person, "LeftFoot", person.rest[None])}
    return Fitter(MarkerBody(person), person, attach.markers, Options(twists=twists))


def some(fitter: Fitter) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    poses = fitter.work.random(rng, 3)
    poses[:, :3] = rng.normal(size=(3, 3))
    return (
        poses,
        rng.uniform(0.8, 1.2, len(fitter.groups)),
        fitter.offsets + 0.02 * rng.normal(size=fitter.offsets.shape),
    )


def test_positions_are_those_of_the_scaled_figure(fitter: Fitter) -> None:
    poses, scales, offsets = some(fitter)
    figure = fitter.base.scaled(fitter.lengths(scales))
    placed = figure.placements(poses, [m.segment for m in fitter.markers])
    wanted = np.einsum("nmij,mj->nmi", placed[..., :3, :3], offsets) + placed[..., :3, 3]
    checks.assert_close(fitter.model.positions(poses, scales, offsets), wanted, tol=1e-12)


def test_derivatives_meet_finite_differences(fitter: Fitter) -> None:
    poses, scales, offsets = some(fitter)
    model: MarkerModel = fitter.model
    _, by_step, by_scale, turns = model.derivatives(poses, scales, offsets)
    checks.assert_derivative(
        lambda q: model.positions(q[None], scales, offsets)[0], by_step[0], poses[0], move=fitter.work.integrate
    )
    checks.assert_derivative(lambda s: model.positions(poses, s, offsets), by_scale, scales)
    by_own = np.zeros((*by_step.shape[:3], 3))
    by_own[:, 7] = turns[:, 7]
    shift = np.zeros_like(offsets)

    def moved(a: np.ndarray) -> np.ndarray:
        shift[7] = a
        return model.positions(poses, scales, offsets + shift)

    checks.assert_derivative(moved, by_own, np.zeros(3))


def test_the_posture_has_the_derivative_of_the_rotation_vector(fitter: Fitter) -> None:
    figure = fitter.work
    poses = figure.random(np.random.default_rng(2), 2)
    _, by_step = posture(figure, poses)
    inner = slice(6, None)  # the root may be turned by more than half a turn
    checks.assert_derivative(
        lambda q: posture(figure, q[None])[0][0][inner], by_step[0][inner], poses[0], move=figure.integrate
    )
    steps, by_step = posture(figure, figure.rest[None])
    assert not steps.any()
    checks.assert_close(by_step[0], np.eye(figure.nv))


def test_the_native_model_equals_its_numpy_twin(fitter: Fitter, monkeypatch: pytest.MonkeyPatch) -> None:
    poses, scales, offsets = some(fitter)
    native = fitter.model.derivatives(poses, scales, offsets)
    monkeypatch.setattr("manikin.backend.kinematics", Kinematics)
    twin = fitter.model.derivatives(poses, scales, offsets)
    for a, b in zip(native, twin, strict=True):
        checks.assert_close(a, b, tol=1e-12)


def problem(fitter: Fitter) -> tuple[CalibrationProblem, State]:
    record = recorded(4)
    rng = np.random.default_rng(3)
    weights = rng.uniform(0.2, 1.0, record.markers.positions.shape[:2])
    weights[1, 3] = 0.0
    made = CalibrationProblem(
        fitter.model, np.array(record.markers.positions), weights, fitter.priors, fitter.movable, lambda q: q
    )
    poses = fitter.work.integrate(record.poses, 0.02 * rng.normal(size=(4, fitter.work.nv)))
    scales = rng.uniform(0.95, 1.05, len(fitter.groups))
    return made, State(poses, scales, 1.01, fitter.offsets + 0.01 * rng.normal(size=fitter.offsets.shape))


def test_the_gradient_is_the_derivative_of_the_cost(fitter: Fitter) -> None:
    made, state = problem(fitter)
    _, _, _, by_pose, by_global = made._linearised(state)
    count = len(fitter.groups)

    def at(x: np.ndarray) -> float:
        return made.cost(State(state.poses, x[:count], float(x[count]), x[count + 1 :].reshape(-1, 3)))

    checks.assert_derivative(at, 2.0 * by_global, state.globals(), step=1e-3, tol=1e-7)

    def posed(q: np.ndarray) -> float:
        return made.cost(State(np.concatenate([q[None], state.poses[1:]]), state.scales, state.common, state.offsets))

    whole = np.zeros(fitter.work.nv)
    whole[made.columns.astype(int)] = 2.0 * by_pose[0]
    still = ~fitter.movable

    def move(q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return fitter.work.integrate(q, np.where(still, 0.0, v))

    checks.assert_derivative(posed, whole, state.poses[0], move=move, step=1e-3, tol=1e-7)


def test_the_step_with_poses_eliminated_is_that_of_the_whole_system(fitter: Fitter) -> None:
    made, state = problem(fitter)
    system = made._linearised(state)
    A, B, S, by_pose, by_global = system
    frames, n, g = len(A), A.shape[1], len(S)
    whole = np.zeros((frames * n + g, frames * n + g))
    whole[-g:, -g:] = S + 1e-3 * np.diag(np.diag(S))
    for k in range(frames):
        here = slice(k * n, (k + 1) * n)
        whole[here, here] = A[k] + np.diag(1e-3 * np.diag(A[k]) + 1e-9 * np.diag(A[k]).max())
        whole[here, -g:], whole[-g:, here] = B[k], B[k].T
    step = -np.linalg.solve(whole, np.concatenate([by_pose.ravel(), by_global]))
    moved = made._moved(state, system, 1e-3)
    checks.assert_close(moved.globals() - state.globals(), step[-g:], scale=float(np.abs(step[-g:]).max()), tol=1e-7)


def test_a_step_lowers_the_cost(fitter: Fitter) -> None:
    made, state = problem(fitter)
    before = made.cost(state)
    assert made.step(state)
    assert made.cost(state) < 0.5 * before
