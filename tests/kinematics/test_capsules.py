from __future__ import annotations

import numpy as np
import pytest
from checks import assert_close
from hypothesis import given
from scipy.optimize import lsq_linear
from strategies import random_quaternion, rngs

from manikin import rotations
from manikin.kinematics.boxes import box_box, capsule_box
from manikin.kinematics.capsules import Nearest, capsule_capsule, nearest_on_lines

try:
    from manikin import _core as core
except ImportError:
    core = None  # type: ignore[assignment]

COUNT = 24
"""Pairs in a batch; each is drawn in its own way."""


class Cores:
    """Lines or boxes with a radius: what all shapes are. Half edges of 0 make a line or a point of a box."""

    def __init__(self, center, edges, radius):
        self.center, self.edges, self.radius = center, edges, radius

    @classmethod
    def random(cls, rng, kind, spread=1.0, skew=False):
        """Anywhere; unless they shall be skew, often parallel, or nearly so, in faces and edges."""
        turns = np.array([random_quaternion(rng) if rng.uniform() < 0.6 else rotations.IDENTITY for _ in range(COUNT)])
        if skew:
            turns = rotations.normalized(rng.normal(size=(COUNT, 4)))
        half = rng.uniform(0.1, 1.0, size=(COUNT, 3))
        if kind == "capsule":
            half[:, 1:] = 0.0
            half[rng.uniform(size=COUNT) < 0.2] = 0.0
        edges = half[..., None] * np.swapaxes(rotations.to_matrix(turns), 1, 2)
        radius = np.zeros(COUNT) if kind == "box" else rng.uniform(0.01, 0.5, size=COUNT)
        return cls(spread * rng.normal(size=(COUNT, 3)), edges, radius)

    @property
    def scale(self):
        return np.linalg.norm(self.edges, axis=-1).sum(axis=1) + self.radius

    def moved(self, linear, angular, about):
        """After a rigid motion: turned about a point, then shifted."""
        R = rotations.to_matrix(rotations.from_rotation_vector(angular))
        turn = lambda x: np.einsum("nij,n...j->n...i", R, x)  # noqa: E731
        center = turn(self.center - about) + about + linear
        edges = np.einsum("nij,nkj->nki", R, self.edges)
        return Cores(center, edges, self.radius)


KINDS = [("capsule", "capsule"), ("capsule", "box"), ("box", "box")]


def nearest(a, b, kinds):
    if kinds == ("capsule", "capsule"):
        return capsule_capsule(a.center, a.edges[:, 0], a.radius, b.center, b.edges[:, 0], b.radius)
    if kinds == ("capsule", "box"):
        return capsule_box(a.center, a.edges[:, 0], a.radius, b.center, b.edges)
    return box_box(a.center, a.edges, b.center, b.edges)


def gap(a, b, normal):
    """How far a and b are apart along directions (n, k, 3): never more than their signed distance."""
    w = np.einsum("nki,ni->nk", normal, b.center - a.center)
    reach = sum(np.abs(np.einsum("nki,nji->nkj", normal, s.edges)).sum(axis=2) + s.radius[:, None] for s in (a, b))
    return w - reach


def core_distance(a, b, i):
    """By bounded least squares: the cores are all points center + edgesᵀ s, |s| ≤ 1."""
    J = np.hstack([a.edges[i].T, -b.edges[i].T])
    J = J[:, np.any(J != 0.0, axis=0)]
    w = a.center[i] - b.center[i]
    if not J.size:
        return float(np.linalg.norm(w))
    return float(np.sqrt(2.0 * lsq_linear(J, -w, (-1.0, 1.0), method="bvls", tol=1e-14).cost))


def holds(a, b, x, tol=1e-9):
    """The points (n, 3) are in a and in b, each within its radius and rounding."""
    for shape, points in zip((a, b), x, strict=True):
        for i in range(COUNT):
            point = Cores(points[i : i + 1], np.zeros((1, 3, 3)), np.zeros(1))
            one = Cores(shape.center[i : i + 1], shape.edges[i : i + 1], shape.radius[i : i + 1])
            if core_distance(point, one, 0) > shape.radius[i] + tol:
                return False
    return True


@pytest.mark.parametrize("kinds", KINDS)
@given(rngs())
def test_shapes_apart_are_as_far_apart_as_bounded_least_squares_says(kinds, rng):
    a, b = (Cores.random(rng, kind, spread=2.0) for kind in kinds)
    found = nearest(a, b, kinds)
    for i in range(COUNT):
        core = core_distance(a, b, i)
        if core > 1e-6:
            assert found.distance[i] == pytest.approx(core - a.radius[i] - b.radius[i], abs=1e-9)


@pytest.mark.parametrize("kinds", KINDS)
@given(rngs())
def test_nearest_points_are_on_the_shapes_and_differ_by_the_distance_along_the_normal(kinds, rng):
    a, b = (Cores.random(rng, kind) for kind in kinds)
    found = nearest(a, b, kinds)
    assert_close(np.linalg.norm(found.normal, axis=1), np.ones(COUNT))
    assert_close(found.on_b - found.on_a, found.distance[:, None] * found.normal, tol=1e-8)
    assert holds(a, b, (found.on_a, found.on_b), tol=1e-8)


@pytest.mark.parametrize("kinds", KINDS)
@given(rngs())
def test_no_direction_separates_better_and_the_normal_does(kinds, rng):
    a, b = (Cores.random(rng, kind, spread=rng.choice([0.0, 1e-4, 0.3, 1.0])) for kind in kinds)
    found = nearest(a, b, kinds)
    tried = rng.normal(size=(COUNT, 400, 3))
    tried /= np.linalg.norm(tried, axis=-1, keepdims=True)
    assert (gap(a, b, tried) <= found.distance[:, None] + 1e-8).all()
    assert_close(gap(a, b, found.normal[:, None])[:, 0], found.distance, tol=1e-6)  # near to parallel, near to crossing


@pytest.mark.parametrize("kinds", KINDS)
@given(rngs())
def test_moving_one_along_the_normal_by_the_distance_lets_them_touch(kinds, rng):
    a, b = (Cores.random(rng, kind, spread=0.3) for kind in kinds)
    found = nearest(a, b, kinds)
    back = Cores(b.center - found.distance[:, None] * found.normal, b.edges, b.radius)
    assert_close(nearest(a, back, kinds).distance, np.zeros(COUNT), tol=1e-8)


def assert_velocity(a, b, nearest_of, rng):
    """By finite differences: the slope of the distance is the velocity of the nearest points along the normal."""
    found = nearest_of(a, b)
    velocity = [rng.normal(size=(COUNT, 3)) for _ in range(4)]

    def after(h):
        one = a.moved(h * velocity[0], h * velocity[1], a.center)
        two = b.moved(h * velocity[2], h * velocity[3], b.center)
        return nearest_of(one, two)

    claimed = np.einsum(
        "ni,ni->n",
        found.normal,
        velocity[2] + np.cross(velocity[3], found.on_b - b.center)
        - velocity[0] - np.cross(velocity[1], found.on_a - a.center),
    )  # fmt: skip
    # Not where the normal changes within the step: there the distance has a kink or bends sharply.
    h = 1e-6
    forth, back = after(h), after(-h)
    smooth = np.linalg.norm(forth.normal - back.normal, axis=1) < 50 * h
    for nearest_there in (forth, back):
        for points, before in ((nearest_there.on_a, found.on_a), (nearest_there.on_b, found.on_b)):
            smooth &= np.linalg.norm(points - before, axis=1) < 100 * h
    assert smooth.sum() >= COUNT // 2
    slope = (forth.distance - back.distance) / (2 * h)
    assert_close(slope[smooth], claimed[smooth], tol=1e-6)


@pytest.mark.parametrize("kinds", KINDS)
@given(rngs())
def test_the_derivative_is_the_velocity_of_the_nearest_points_along_the_normal(kinds, rng):
    a, b = (Cores.random(rng, kind, spread=rng.choice([0.4, 2.0]), skew=True) for kind in kinds)
    assert_velocity(a, b, lambda x, y: nearest(x, y, kinds), rng)


@pytest.mark.parametrize("kinds", KINDS)
@given(rngs())
def test_the_same_the_other_way_round_and_wherever_the_two_stand(kinds, rng):
    a, b = (Cores.random(rng, kind) for kind in kinds)
    found = nearest(a, b, kinds)
    if kinds[0] == kinds[1]:
        assert_close(nearest(b, a, kinds).distance, found.distance, tol=1e-9)
    shift, turn = np.tile(rng.normal(size=3), (COUNT, 1)), np.tile(rng.normal(size=3), (COUNT, 1))
    zero = np.zeros((COUNT, 3))
    assert_close(
        nearest(a.moved(shift, turn, zero), b.moved(shift, turn, zero), kinds).distance, found.distance, tol=1e-8
    )


# The native twin


def native(a, b):
    """What the native solver computes for the same cores, radii left to the caller."""
    flat = [np.ascontiguousarray(np.concatenate([s.center, s.edges.reshape(COUNT, 9)], axis=1)) for s in (a, b)]
    out = np.zeros((COUNT, 10))
    core.box_nearest(*flat, a_is_box=bool((a.edges[:, 2] != 0.0).any()), out=out)
    return Nearest(out[:, 0] - a.radius, out[:, 1:4], out[:, 4:7] + a.radius[:, None] * out[:, 1:4], out[:, 7:])


WITH_BOXES = KINDS[1:]
needs_core = pytest.mark.skipif(core is None, reason="the native core is not built")


@needs_core
@pytest.mark.parametrize("kinds", WITH_BOXES)
@pytest.mark.parametrize("spread", [0.0, 1e-4, 0.3, 1.0, 3.0])
@given(rngs())
def test_the_native_distance_of_boxes_is_the_same(kinds, spread, rng):
    a, b = (Cores.random(rng, kind, spread=spread) for kind in kinds)
    here, there = nearest(a, b, kinds), native(a, b)
    assert_close(there.distance, here.distance, tol=1e-12)
    assert_close(np.linalg.norm(there.normal, axis=1), np.ones(COUNT))
    assert_close(there.on_b - there.on_a, there.distance[:, None] * there.normal, tol=1e-8)
    assert holds(a, b, (there.on_a, there.on_b), tol=1e-8)
    assert_close(gap(a, b, there.normal[:, None])[:, 0], here.distance, tol=1e-6)


@needs_core
@pytest.mark.parametrize("kinds", WITH_BOXES)
@given(rngs())
def test_the_native_normals_and_points_are_the_same_where_they_are_unique(kinds, rng):
    a, b = (Cores.random(rng, kind, spread=rng.choice([0.4, 2.0]), skew=True) for kind in kinds)
    here, there = nearest(a, b, kinds), native(a, b)
    assert_close(there.normal, here.normal, tol=1e-9)
    assert_close(there.on_a, here.on_a, tol=1e-7)
    assert_close(there.on_b, here.on_b, tol=1e-7)


@needs_core
@pytest.mark.parametrize("kinds", WITH_BOXES)
@given(rngs())
def test_the_native_derivative_is_the_velocity_of_its_nearest_points(kinds, rng):
    a, b = (Cores.random(rng, kind, spread=rng.choice([0.4, 2.0]), skew=True) for kind in kinds)
    assert_velocity(a, b, native, rng)


def one(x):
    return np.array([x], dtype=float)


def test_parallel_capsules_meet_in_the_middle_of_what_they_share():
    c, u = one((0, 0, 0)), one((2, 0, 0))
    found = capsule_capsule(c, u, one(0.1), one((3, 1, 0)), one((-2, 0, 0)), one(0.2))
    assert_close(found.distance, [0.7])
    assert_close(found.on_a, one((1.5, 0.1, 0)))
    assert_close(found.on_b, one((1.5, 0.8, 0)))


@pytest.mark.parametrize("angle", [1e-3, 1e-6, 1e-8, 1e-12])
def test_lines_that_are_nearly_parallel(angle):
    s, t = nearest_on_lines(one((0, 0, 0)), one((1, 0, 0)), one((0, 1, 0)), one((np.cos(angle), np.sin(angle), 0)))
    between = np.array([s[0], 0.0]) - np.array([t[0] * np.cos(angle), 1.0 + t[0] * np.sin(angle)])
    assert np.linalg.norm(between) == pytest.approx(1.0 - np.sin(angle), abs=1e-11)


@pytest.mark.parametrize(
    ("u", "v", "apart"),
    [
        ((1, 0, 0), (0, 1, 0), (0, 0, 0)),  # crossing
        ((1, 0, 0), (1, 0, 0), (0, 0, 0)),  # one in the other
        ((1, 0, 0), (1, 0, 0), (0.5, 0, 0)),  # on one line
        ((0, 0, 0), (0, 0, 0), (0, 0, 0)),  # two points at one place
        ((1, 0, 0), (0, 0, 0), (0.3, 0, 0)),  # a point on a line
        ((0, 0, 0), (0, 1, 0), (0, 0.2, 0)),
    ],
)
def test_lines_that_meet_have_a_way_out_across_them(u, v, apart):
    found = capsule_capsule(one((0, 0, 0)), one(u), one(0.1), one(apart), one(v), one(0.2))
    assert_close(found.distance, [-0.3])
    assert_close(found.normal @ np.array([u, v], dtype=float).T, np.zeros((1, 2)))
    assert np.linalg.norm(found.normal) == pytest.approx(1.0)


def test_a_sphere_in_a_box_leaves_by_the_nearest_face():
    edges = np.diag([3.0, 2.0, 1.0])[None]
    found = capsule_box(one((0, 1.7, 0.2)), one((0, 0, 0)), one(0.1), one((0, 0, 0)), edges)
    assert_close(found.distance, [-0.4])  # 0.3 to the face, and the radius
    assert_close(found.normal, one((0, -1, 0)))
    assert_close(found.on_b, one((0, 2, 0.2)))


def test_a_line_through_a_box_leaves_sideways():
    edges = np.diag([3.0, 2.0, 1.0])[None]
    found = capsule_box(one((0, 0.5, 0.25)), one((9, 0, 0)), one(0.1), one((0, 0, 0)), edges)
    assert_close(found.distance, [-0.85])
    assert_close(found.normal, one((0, 0, -1)))


def test_a_capsule_lying_on_a_box_rests_on_the_middle_of_what_they_share():
    edges = np.eye(3)[None]
    found = capsule_box(one((1.0, 1.5, 0)), one((1, 0, 0)), one(0.2), one((0, 0, 0)), edges)
    assert_close(found.distance, [0.3])
    assert_close(found.on_b, one((0.5, 1.0, 0.0)))


def test_boxes_face_to_face_meet_in_the_middle_of_what_they_share():
    edges = np.eye(3)[None]
    found = box_box(one((0, 0, 0)), edges, one((0.0, 2.5, 0.0)), 0.5 * edges)
    assert_close(found.distance, [1.0])
    assert_close(found.on_a, one((0, 1, 0)))
    edge = box_box(one((0, 0, 0)), edges, one((3, 3, 0)), edges)
    assert_close(edge.distance, [np.sqrt(2.0)])


def test_a_tilted_edge_meets_an_edge():
    R = rotations.to_matrix(rotations.from_euler("zx", [np.pi / 4, 0.0]))
    S = rotations.to_matrix(rotations.from_euler("zy", [0.0, np.pi / 4]))
    across = one((0.0, 0.0, 0.0)), (R.T)[None]
    found = box_box(*across, one((2 * np.sqrt(2.0) - 0.1, 0, 0)), (S.T)[None])
    assert_close(found.distance, [-0.1])
    assert_close(found.normal, one((1, 0, 0)))


def test_no_pairs_give_nothing():
    none, edges, numbers = np.zeros((0, 3)), np.zeros((0, 3, 3)), np.zeros(0)
    assert capsule_capsule(none, none, numbers, none, none, numbers).distance.shape == (0,)
    assert capsule_box(none, none, numbers, none, edges).normal.shape == (0, 3)
    assert box_box(none, edges, none, edges).on_a.shape == (0, 3)
