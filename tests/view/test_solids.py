"""Surfaces: their positions, their outward normals, and that they are closed."""

from __future__ import annotations

import numpy as np
import pytest
from checks import assert_close
from hypothesis import given
from strategies import random_direction, random_quaternion, rngs

import manikin as mk
from manikin.arrays import Points
from manikin.figure import Box, Capsule, Figure, Hinge, Segment, Sphere
from manikin.figure.shapes import Shape
from manikin.view.solids import Solid, lathed, mostly_shaped, normals, silhouette, solids, tapered
from manikin.view.turned import Turned


def volume(faces: Points) -> float:
    """Of a closed surface, by the divergence theorem; positive only when faces look outward."""
    a, b, c, d = np.moveaxis(faces, 1, 0)
    return float((np.sum(a * np.cross(b, c)) + np.sum(a * np.cross(c, d))) / 6.0)


def surface(shape: Shape, size: float = 1.0, detail: float = 1.0) -> Points:
    (drawn,) = lathed([shape], size, detail)
    return Solid.of(0, "solid", drawn).faces


def capsule(rng: np.random.Generator) -> Capsule:
    start = rng.normal(size=3)
    return Capsule(start, start + rng.uniform(0.0, 2.0) * random_direction(rng), rng.uniform(0.02, 0.5))


@given(rngs())
def test_the_surface_of_a_capsule_is_one_radius_from_its_line(rng: np.random.Generator) -> None:
    shape = capsule(rng)
    points = surface(shape).reshape(-1, 3)
    start, along = np.array(shape.start), np.array(shape.end) - np.array(shape.start)
    square = along @ along
    t = np.clip((points - start) @ along / square, 0.0, 1.0) if square > 0.0 else np.zeros(len(points))
    assert_close(np.linalg.norm(points - start - t[:, None] * along, axis=1), shape.radius)


@given(rngs())
def test_a_capsule_is_closed_and_looks_outward(rng: np.random.Generator) -> None:
    shape = capsule(rng)
    length = float(np.linalg.norm(np.array(shape.end) - np.array(shape.start)))
    whole = np.pi * shape.radius**2 * (length + 4.0 / 3.0 * shape.radius)
    found = volume(surface(shape))
    assert 0.93 * whole < found <= whole  # chords cut off a little, never add


@given(rngs())
def test_a_box_is_closed_and_looks_outward(rng: np.random.Generator) -> None:
    box = Box(rng.uniform(0.1, 1.0, 3), rng.normal(size=3), random_quaternion(rng))
    assert_close(volume(surface(box)), 8.0 * np.prod(box.half))


def test_a_sphere_has_its_center_and_radius() -> None:
    points = surface(Sphere((1.0, 2.0, 3.0), 0.5)).reshape(-1, 3)
    assert_close(np.linalg.norm(points - (1.0, 2.0, 3.0), axis=1), 0.5)


def test_larger_parts_of_a_figure_are_cut_more_finely_and_detail_scales_that() -> None:
    ball = Sphere((0, 0, 0), 0.05)
    assert len(surface(ball, size=1.0)) > len(surface(ball, size=10.0))
    assert len(surface(ball, size=1.0, detail=0.5)) < len(surface(ball, size=1.0))


def test_a_bare_segment_goes_from_its_joint_to_where_its_child_begins() -> None:
    end = np.array([0.3, -0.4, 1.2])
    piece = tapered(end, size=1.3)
    assert piece is not None
    faces = piece.faces
    along = faces.reshape(-1, 3) @ end / (end @ end)
    assert_close([along.min(), along.max()], [0.0, 1.0], tol=1e-5)
    assert volume(faces) > 0.0


def test_a_segment_of_no_length_has_no_faces() -> None:
    assert tapered(np.zeros(3), size=1.0) is None


def radius_at(shape: Turned | Box, along: float) -> float:
    assert isinstance(shape, Turned)
    return float(np.interp(along, shape.along, shape.radii))


def test_capsules_that_follow_each_other_become_one_rod_with_the_mean_radius_where_they_meet() -> None:
    upper, lower = Capsule((0, 0, 0), (0, -1, 0), 0.10), Capsule((0, -1, 0), (0, -2, 0), 0.06)
    (rod,) = lathed([upper, lower], 2.0)
    assert_close([radius_at(rod, t) for t in (0.0, 0.5, 1.0, 2.0)], [0.10, 0.09, 0.08, 0.06])
    assert_close([radius_at(rod, t) for t in (-0.10, 2.06)], 0.0)


@pytest.mark.parametrize("start", [(0.5, -1, 0), (0, -1.2, 0), (0, 0, 0)])
def test_capsules_apart_stay_two(start: tuple[float, float, float]) -> None:
    drawn = lathed([Capsule((0, 0, 0), (0, -1, 0), 0.10), Capsule(start, (0, -2, 0), 0.06)], 2.0)
    assert [radius_at(rod, 0.0) for rod in drawn] == [0.10, 0.06]


def test_a_bent_row_of_capsules_stays_bent() -> None:
    assert len(lathed([Capsule((0, 0, 0), (0, -1, 0), 0.1), Capsule((0, -1, 0), (1, -1, 0), 0.1)], 2.0)) == 2


@given(rngs())
def test_a_turned_part_contains_what_is_behind_all_its_faces(rng: np.random.Generator) -> None:
    (part,) = lathed([capsule(rng)], size=3.0)
    assert isinstance(part, Turned)
    faces = part.faces
    corners = faces.reshape(-1, 3)
    points = rng.uniform(corners.min(axis=0), corners.max(axis=0), (300, 3))
    heights = np.einsum("fpk,fk->pf", points - faces[:, :1], normals(faces))
    behind, near = heights.max(axis=1) < 0.0, np.abs(heights.max(axis=1)) < 1e-9
    assert np.array_equal(part.contains(points)[~near], behind[~near])


def test_shapes_are_drawn_where_there_are_any_and_tapered_pieces_elsewhere() -> None:
    figure = Figure(
        "mixed",
        [
            Segment("Base"),
            Segment("Arm", "Base", Hinge(), offset=(1, 0, 0), shapes=[Box((0.2, 0.1, 0.1))]),
            Segment("Tip", "Arm", offset=(1, 0, 0)),
        ],
    )
    by_segment = [s.segment for s in solids(figure) if s.kind == "solid"]
    assert by_segment == [0, 1]  # a tapered piece from Base to Arm, the box of Arm, nothing for the Tip
    bare = [s.segment for s in solids(figure, shapes=False) if s.kind == "solid"]
    assert bare == [0, 1]
    assert all(isinstance(s.shape, Turned) for s in solids(figure, shapes=False))


def test_a_figure_is_drawn_by_its_shapes_when_most_segments_have_them() -> None:
    assert mostly_shaped(mk.chain(3))
    assert mostly_shaped(mk.human())
    assert mostly_shaped(Figure("ball", [Segment("Ball", shapes=[Sphere()])]))
    segments = list(mk.chain(3).segments)
    robot = Figure("robot", [s.replaced(shapes=()) if i else s for i, s in enumerate(segments)])
    assert not mostly_shaped(robot)


def test_every_elbow_of_a_chain_has_a_ball_a_little_thicker_than_its_segments() -> None:
    chain = mk.chain(3)
    balls = [s for s in solids(chain) if s.kind == "joint"]
    assert [b.segment for b in balls] == [0, 1, 2]
    for ball in balls:
        assert isinstance(ball.shape, Turned)
        assert 0.06 < ball.shape.radii.max() < 0.08


def test_normals_have_length_one_and_zero_where_a_face_has_no_area() -> None:
    square = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], dtype=float)
    assert_close(normals(np.stack([square, np.zeros((4, 3))])), [[0, 0, 1], [0, 0, 0]])


@pytest.mark.parametrize("count", [1, 2, 50])
def test_the_silhouette_is_the_convex_outline(count: int) -> None:
    corners = np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [0.0, 1.0]])
    inside = np.random.default_rng(0).uniform((0.1, 0.1), (1.9, 0.9), (count, 2))
    outline = silhouette(np.concatenate([inside, corners]))
    assert {tuple(p) for p in outline} == {tuple(p) for p in corners}
    a, b, c = outline[:3]
    assert (b - a)[0] * (c - b)[1] - (b - a)[1] * (c - b)[0] > 0.0  # counter-clockwise


def test_no_piece_leads_to_a_body_that_is_free() -> None:
    body = Segment("body", "world", mk.Joint("body", (mk.Free(),), offset=(0.0, 1.0, 0.0)))
    arm = Segment("arm", "body", mk.Joint("arm", (Hinge((0, 0, 1)),), offset=(1.0, 0.0, 0.0)))
    figure = Figure("body", [Segment("world"), body, arm])
    pieces = [solid for solid in solids(figure, shapes=False) if solid.kind == "solid"]
    assert [figure.segments[piece.segment].name for piece in pieces] == ["body"]
