"""The root of any person is placed, starts fit the trunk, limits are widened, and a rig is fitted."""

from __future__ import annotations

from pathlib import Path

import checks
import numpy as np
import pytest

import manikin as mk
from manikin import rotations
from manikin.errors import BadValue
from manikin.motion.marker_fit.body import MarkerBody
from manikin.motion.marker_fit.limits import joints_at_limits, twist_of, widened
from manikin.motion.marker_fit.start import LEAST, procrustes, started, up_axis


def rig(data: Path) -> mk.Figure:
    return mk.load_figure(data / "bvh/cmu_02_01_walk.bvh").replaced(unit=0.056444).in_metres()


def moved_points(figure: mk.Figure) -> None:
    rng = np.random.default_rng(4)
    turns = rotations.to_matrix(rotations.normalized(rng.normal(size=(5, 4))))
    shifts = rng.normal(size=(5, 3))
    poses = MarkerBody(figure).with_root(figure.rest, turns, shifts)
    rest = figure.placements(figure.rest)[:, :3, 3]
    wanted = np.einsum("nij,sj->nsi", turns, rest) + shifts[:, None]
    checks.assert_close(figure.placements(poses)[..., :3, 3], wanted, scale=5.0, tol=1e-9)


def test_the_root_moves_every_point() -> None:
    moved_points(mk.human())


@pytest.mark.needs("data", "bvh/cmu_02_01_walk.bvh")
def test_the_root_of_a_rig_with_angles_moves_every_point(data: Path) -> None:
    moved_points(rig(data))


def test_a_root_that_does_not_move_is_refused() -> None:
    person = mk.human()
    fixed = person.replaced(
        segments=[s.replaced(joint=mk.Joint(s.joint.name)) if s.parent is None else s for s in person.segments]
    )
    with pytest.raises(BadValue, match="does not move freely"):
        MarkerBody(fixed)


def test_frames_with_few_markers_do_not_count_in_the_common_scale() -> None:
    rng = np.random.default_rng(8)
    body, points = MarkerBody(mk.human()), rng.normal(size=(6, 3))
    targets = 1.2 * points + rng.normal(size=(5, 1, 3))
    weights = np.ones((5, 6))
    weights[:3, LEAST - 1 :] = 0.0  # these frames see one marker too few, and see them at twice the size
    targets[:3] *= 2.0
    assert started(body, points, targets, weights)[1] == pytest.approx(1.2, abs=1e-9)


def test_procrustes_finds_turn_scale_and_shift() -> None:
    rng = np.random.default_rng(6)
    points = rng.normal(size=(7, 3))
    turns = rotations.to_matrix(rotations.normalized(rng.normal(size=(3, 4))))
    scales, shifts = np.array([0.7, 1.0, 1.4]), rng.normal(size=(3, 3))
    targets = scales[:, None, None] * np.einsum("nij,mj->nmi", turns, points) + shifts[:, None]
    weights = rng.uniform(0.5, 1.0, (3, 7))
    weights[0, 2] = 0.0
    targets[0, 2] = 99.0
    R, s, t = procrustes(points, targets, weights)
    checks.assert_close(R, turns, tol=1e-9)
    checks.assert_close(s, scales, tol=1e-9)
    checks.assert_close(t, shifts, scale=10.0, tol=1e-9)


def test_the_up_axis_is_that_of_a_standing_body() -> None:
    upright = np.array([[[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])  # y of the body along z of the world
    assert up_axis(upright, "y") == "z"
    lying = np.array([np.eye(3), np.diag([1.0, -1.0, -1.0])])
    assert up_axis(lying, "y") is None


def test_ranges_are_wider_and_a_twist_is_held() -> None:
    person = mk.human()
    wide = widened(person, 10.0)
    poses = wide.random(np.random.default_rng(1), 200)
    assert wide.violation(poses).max() == 0.0
    assert person.violation(poses).max() > 0.05
    ranged = np.isfinite(person.lower)
    checks.assert_close(person.lower[ranged] - wide.lower[ranged], np.deg2rad(10.0))
    cones = [f.layout.cones for f in (person, wide)]
    checks.assert_close(cones[1].swing, np.minimum(cones[0].swing + np.deg2rad(10.0), np.pi))
    held = widened(person, 10.0, {"LeftFoot": 0.2})
    assert twist_of(person, "LeftFoot", held.rest[None]) == pytest.approx(0.2)
    assert abs(twist_of(person, "LeftFoot", held.random(np.random.default_rng(1), 50)) - 0.2) <= 0.01 + 1e-9
    assert "LeftFoot" in joints_at_limits(person, poses)
    assert joints_at_limits(person, person.rest[None]).keys().isdisjoint({"LeftUpLeg", "LeftArm"})


@pytest.mark.needs("data", "bvh/cmu_02_01_walk.bvh", "markers/cmu_02_01.c3d")
def test_a_rig_of_another_make_is_fitted(data: Path) -> None:
    figure = rig(data).with_limits("human")
    markers = mk.load_markers(data / "markers/cmu_02_01.c3d")
    fit = mk.fit_markers(figure, markers[::3], calibrate=range(0, 114, 8))
    assert fit.rms < 0.008
    assert fit.figure.violation(fit.motion.poses).max() == 0.0
