"""The hull of balls, and the trunk that is drawn with it."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin.view.hull import hull
from manikin.view.solids import normals, solids
from manikin.view.trunk import trunk

UP = np.array([0.0, 1.0, 0.0])


def capsule_distance(start: np.ndarray, end: np.ndarray, way: np.ndarray, radius: float) -> float:
    """How far a capsule around a line through the origin extends in a direction, by bisection."""
    low, high = 0.0, 10.0
    for _ in range(60):
        t = 0.5 * (low + high)
        point = t * way
        along = end - start
        s = np.clip((point - start) @ along / (along @ along), 0.0, 1.0)
        inside = np.linalg.norm(point - start - s * along) < radius
        low, high = (t, high) if inside else (low, t)
    return low


def test_the_hull_of_one_ball_is_the_ball() -> None:
    made = hull(np.array([[0.3, 0.2, 0.1]]), np.array([0.5]), UP, 9, 12)
    assert np.allclose(made.radii, 0.5, atol=1e-4)
    assert np.allclose(np.linalg.norm(made.faces - (0.3, 0.2, 0.1), axis=-1), 0.5, atol=1e-4)


@pytest.mark.parametrize("seed", range(5))
def test_the_hull_of_two_balls_is_the_capsule(seed: int) -> None:
    rng = np.random.default_rng(seed)
    end = rng.normal(size=3)
    axis = rng.normal(size=3)
    made = hull(np.stack([-end, end]), np.array([0.4, 0.4]), axis / np.linalg.norm(axis), 7, 10)
    points = made.faces[:, 0] - made.center
    for point in points[::5]:
        far = float(np.linalg.norm(point))
        assert far == pytest.approx(capsule_distance(-end, end, point / far, 0.4), rel=2e-4)


@pytest.mark.parametrize("seed", range(5))
def test_faces_point_outward_and_points_inside_are_inside(seed: int) -> None:
    rng = np.random.default_rng(seed)
    centers, sizes = 0.2 * rng.normal(size=(4, 3)), rng.uniform(0.3, 0.5, 4)
    made = hull(centers, sizes, UP, 25, 40)
    faces = made.faces
    outward = ((faces.mean(axis=1) - made.center) * normals(faces)).sum(axis=1)
    assert (outward[np.linalg.norm(normals(faces), axis=1) > 0] > 0.0).all()
    for center, size in zip(centers, sizes, strict=True):
        ways = rng.normal(size=(200, 3))
        ways /= np.linalg.norm(ways, axis=1, keepdims=True)
        assert made.contains(center + 0.9 * size * ways).all()
    reach = np.abs(made.radii).max()
    assert not made.contains(made.center + 1.01 * reach * rng.permutation(np.eye(3))).any()
    middle = faces.mean(axis=1)
    assert not made.contains(made.center + 1.02 * (middle - made.center)).any()


def test_the_trunk_of_the_person_is_one_hull_a_segment() -> None:
    person = mk.human()
    found = {person.segment_names[k] for k in trunk(person)}
    assert found == {"Hips", "Spine", "Spine1", "Spine2", "Spine3", "Spine4"}
    for name in found:
        index = person.segment_names.index(name)
        assert len([s for s in solids(person) if s.segment == index and s.kind == "solid"]) == 1


def test_the_hull_covers_the_capsules_of_its_segment() -> None:
    person = mk.human()
    for k, made in trunk(person).items():
        for shape in person.segments[k].shapes:
            assert isinstance(shape, mk.Capsule)
            ends = np.linspace(shape.start, shape.end, 5)
            for way in np.concatenate([np.eye(3), -np.eye(3)]):
                assert made.contains(ends + 0.98 * shape.radius * way).all()


def test_limbs_have_no_trunk() -> None:
    assert trunk(mk.chain(4)) == {}
    assert trunk(mk.tree([-1, 0, 1, 1, 3])) == {}
