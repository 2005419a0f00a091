"""The chain of joints that the training compares: it agrees with figures, its gradient with finite differences."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

from checks import assert_derivative

from benchmarks import cmu
from benchmarks.natural_chain import (
    BONES,
    CENTERS,
    EFFECTOR_POINT,
    EFFECTOR_TURN,
    POINT,
    Chain,
    bones_of,
    proportions,
)
from benchmarks.natural_fit import distances
from benchmarks.natural_poses import numbers, poses_of, resized
from benchmarks.natural_train import masks, quantised, wanted_points
from manikin.prior.anatomy import PARTS, anatomy_of
from manikin.prior.model import model

needs_data = pytest.mark.needs("data", cmu.FILE)


def outputs(rng: np.random.Generator, count: int) -> np.ndarray:
    """(60, count) outputs of a net: moderate turns, columns near those of a rotation."""
    y = 0.5 * rng.normal(size=(60, count))
    y[[51, 55]] += 1.0
    return y


def test_the_gradient_of_the_chain_meets_finite_differences() -> None:
    rng = np.random.default_rng(1)
    y = outputs(rng, 1)
    bones, g = rng.normal(size=(3, len(POINT), 1)), rng.normal(size=(3, len(POINT), 1))
    gradient = Chain(y, bones).gradient(g)[:, 0]

    def loss(values: np.ndarray) -> float:
        return float((Chain(values[:, None], bones).X * g).sum())

    assert_derivative(loss, gradient, y[:, 0], tol=1e-6)


def test_the_gradient_of_distances_meets_finite_differences() -> None:
    rng = np.random.default_rng(2)
    given = outputs(rng, 1).T
    bones, points = rng.normal(size=(3, len(POINT), 1)), rng.normal(size=(3, len(POINT), 1))
    far = rng.uniform(0.2, 1.0, len(POINT))
    gradient = distances(given, bones, points, far)[1][0]
    assert_derivative(lambda v: distances(v[None], bones, points, far)[0], gradient, given[0], tol=1e-6)


@needs_data
def test_the_chain_has_the_joints_of_the_figure() -> None:
    person = cmu.people("validation")[1]
    anatomy = anatomy_of(person.figure)
    assert proportions(bones_of(anatomy)) == pytest.approx(anatomy.proportions)
    for poses in (poses_of(person, model().pose), poses_of(person, model().pose).mirrored()):
        assert np.abs(poses.joints()[:, EFFECTOR_POINT] - poses.place).max() < 1e-9
        assert np.abs(poses.turns[:, EFFECTOR_TURN] - poses.axes).max() < 1e-9


@needs_data
def test_points_that_are_wanted_are_those_of_the_recording() -> None:
    poses = poses_of(cmu.people("validation")[1], model().pose).taken(np.arange(6))
    known, turned = masks(np.random.default_rng(3), 6, 0.2)
    _, y = numbers(poses, known, turned, np.zeros(6))
    wanted = wanted_points(poses, y)
    found = Chain(np.ascontiguousarray(y.T), np.ascontiguousarray(poses.bones.transpose(2, 1, 0))).X
    legs = [p for name in ("hip", "leg") for p in BONES[name]]
    assert np.abs(wanted - found)[:, legs].max() < 1e-9  # only the spine and the neck have joints that share a turn
    assert np.abs(wanted - found).max() < 0.3


@needs_data
def test_other_proportions_keep_the_length_of_legs_and_the_turns() -> None:
    rng = np.random.default_rng(4)
    poses = poses_of(cmu.people("validation")[1], model().pose).taken(np.arange(8))
    other = resized(poses, model().pose, rng)
    legs = np.linalg.norm(other.bones[:, BONES["leg"]], axis=-1).sum(axis=1)
    assert legs == pytest.approx(np.linalg.norm(poses.bones[:, BONES["leg"]], axis=-1).sum(axis=1))
    assert np.array_equal(other.turns, poses.turns)
    assert np.abs(proportions(other.bones) - proportions(poses.bones)).max() > 0.005
    assert np.abs(other.joints()[:, EFFECTOR_POINT] - other.place).max() < 1e-9


def test_centers_are_mirrored_and_belong_to_arms() -> None:
    left, right = (PARTS.index(f"{side} upper arm") for side in ("left", "right"))
    assert CENTERS[left] * [1, 1, -1, -1] == pytest.approx(CENTERS[right])
    moved = [PARTS[k] for k in range(len(PARTS)) if np.abs(CENTERS[k, 1:]).max() > 0]
    assert moved == ["left upper arm", "left forearm", "right upper arm", "right forearm"]


def test_whole_numbers_are_near_the_matrix() -> None:
    W = np.random.default_rng(5).normal(size=(40, 9)).astype(np.float32)
    whole, unit = quantised(W)
    assert np.abs(whole.astype(np.float64) * unit - W).max() <= 0.5001 * unit.max()
    assert 64 <= np.abs(whole).max(axis=0).min() <= np.abs(whole).max() <= 127  # units are powers of 2
