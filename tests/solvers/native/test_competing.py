"""Goals of which no pose meets all: tracks and poses that end where little can be gained (the option `competing`)."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin import _core, rotations
from manikin.arrays import Matrix, Poses, Vector
from manikin.problem.problem import ANGLE_LENGTH
from manikin.solvers.native.solver import Solver
from manikin.solvers.native.speeds import number_speeds

TURNED = ("Hips", "Spine4", "Head", "LeftArm", "LeftForeArm", "RightArm", "RightForeArm", "LeftUpLeg", "LeftLeg")
PLACED = ("LeftHand", "RightHand", "LeftFoot", "RightFoot")
FRAMES = 60
NEAR, MOST = 1e-3, 1e-2
"""The cost may be above that of the minimum by these fractions: the median, and every one. A run ends when a step
promises 1e-4, but slow runs may have many such steps before them."""


class Clip:
    """A person who moves evenly between two poses, with targets that contradict each other."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.figure = person = mk.human()
        goals: list[mk.Goal] = [mk.Orientation(name, (1.0, 0.0, 0.0, 0.0)) for name in TURNED]
        goals += [mk.Position(name, (0.0, 0.0, 0.0)) for name in PLACED]
        self.solver = Solver(person, goals)
        ends = [person.rest, person.integrate(person.rest, 0.25 * rng.normal(size=person.nv))]
        ends[1] = person.clamp(ends[1])
        steps = person.difference(*ends) * np.linspace(0.0, 1.0, FRAMES)[:, None]
        self.poses = person.integrate(np.tile(ends[0], (FRAMES, 1)), steps)
        turned, placed = (person.placements(self.poses, names) for names in (TURNED, PLACED))
        wrong = rotations.from_rotation_vector(0.15 * rng.normal(size=(len(TURNED), 3)))
        turns = [rotations.multiply(rotations.from_matrix(turned[:, k, :3, :3]), q) for k, q in enumerate(wrong)]
        at = [placed[:, k, :3, 3] + 0.05 * rng.normal(size=3) for k in range(len(PLACED))]
        self.rows = np.ascontiguousarray(np.concatenate([*turns, *at], axis=1))
        self.weights = np.ascontiguousarray(np.tile(rng.uniform(0.2, 5.0, len(goals)), (FRAMES, 1)))
        self.units = np.array([ANGLE_LENGTH * person.size] * len(TURNED) + [1.0] * len(PLACED))

    def cost(self, errors: Matrix) -> Vector:
        """(frames,) the weighted sum of squared errors."""
        return np.asarray((self.weights[: len(errors)] * (errors * self.units) ** 2).sum(axis=1))

    def track(self, start: Vector, first: int, last: int, speeds: Vector | None = None) -> mk.Solutions:
        """The frames from `first` to `last` - 1, continued from the pose of the frame before."""
        here = slice(first, last)
        return _core.track(
            self.solver,
            start,
            self.rows[here],
            before=self.rows[max(first - 1, 0)],
            dt=np.full(last - first + 1, 1.0 / 30.0),
            weights=self.weights[here],
            max_speed=number_speeds(self.figure, None) if speeds is None else speeds,
            competing=True,
        )

    def from_where_they_are(self, poses: Poses) -> mk.Solutions:
        return _core.solve_many(self.solver, poses, self.rows, weights=self.weights, competing=True)


@pytest.fixture(scope="module", params=range(6))
def clip(request: pytest.FixtureRequest) -> Clip:
    return Clip(request.param)


def test_a_pose_ends_in_the_minimum_that_a_patient_solve_finds_from_there(clip: Clip) -> None:
    fast = clip.from_where_they_are(clip.poses)
    patient = clip.solver.solve_many(fast.poses, clip.rows, weights=clip.weights, restarts=0)
    above = clip.cost(fast.errors) / clip.cost(patient.errors) - 1.0
    assert np.median(above) <= NEAR
    assert above.max() <= MOST
    assert not fast.reached.any()
    assert (clip.figure.violation(fast.poses) == 0.0).all()


def test_a_pose_is_never_worse_than_its_start(clip: Clip) -> None:
    starts = clip.solver.solve_many(clip.poses, clip.rows, weights=clip.weights, restarts=0, iterations=0)
    assert (clip.cost(clip.from_where_they_are(clip.poses).errors) <= clip.cost(starts.errors) * (1.0 + 1e-12)).all()


def test_frames_end_near_the_minimum_with_few_iterations(clip: Clip) -> None:
    found = clip.track(clip.poses[0], 0, FRAMES)
    patient = clip.solver.solve_many(found.poses, clip.rows, weights=clip.weights, restarts=0)
    assert (clip.cost(found.errors) / clip.cost(patient.errors)).max() <= 1.0 + MOST
    usual = clip.solver.track(
        clip.poses[0], clip.rows, before=clip.rows[0], dt=1.0 / 30.0, weights=clip.weights, iterations=1000
    )
    assert found.iterations.sum() < 0.8 * usual.iterations.sum()


def test_a_track_in_pieces_has_the_same_bits(clip: Clip) -> None:
    whole = clip.track(clip.poses[0], 0, FRAMES).poses
    first = clip.track(clip.poses[0], 0, 20).poses
    rest = clip.track(first[-1], 20, FRAMES).poses
    assert np.concatenate([first, rest]).tobytes() == whole.tobytes()


def test_joints_keep_to_their_speeds(clip: Clip) -> None:
    speeds = np.full(clip.figure.nq, 0.4)
    poses = clip.track(clip.poses[0], 0, FRAMES, speeds).poses
    angles = [k for k in range(clip.figure.nq) if np.isfinite(clip.figure.lower[k])]
    assert np.abs(np.diff(poses[:, angles], axis=0)).max() <= 0.4 / 30.0 * (1.0 + 1e-9)
    assert (clip.figure.violation(poses) == 0.0).all()


def test_methods_of_a_solver_do_not_have_the_option(clip: Clip) -> None:
    """Callers whose goals can be met would miss goals with it."""
    for method in (clip.solver.solve_many, clip.solver.track):
        with pytest.raises(TypeError, match="competing"):
            method(clip.poses[0], clip.rows, competing=True)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="competing"):
        clip.solver.solve(clip.poses[0], clip.rows[0], competing=True)  # type: ignore[call-arg]
