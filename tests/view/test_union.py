"""What is left of solids that run into each other."""

from __future__ import annotations

import numpy as np
from checks import assert_close

from manikin.arrays import Points
from manikin.view.solids import Round, Solid, normals, surface
from manikin.view.union import skin


def ball(x: float, radius: float, segment: int = 0) -> Solid:
    shape = Round((x, 0.0, 0.0), (x, 0.0, 0.0), radius, radius)
    return Solid(segment, "solid", surface(shape, 2.0), shape)


def area(faces: Points) -> float:
    return float(0.5 * np.linalg.norm(np.cross(faces[:, 2] - faces[:, 0], faces[:, 3] - faces[:, 1]), axis=1).sum())


HERE = np.eye(4)[None]


def test_solids_apart_stay_whole() -> None:
    solids = [ball(0.0, 1.0), ball(3.0, 1.0)]
    for solid, (faces, _) in zip(solids, skin(solids, HERE), strict=True):
        assert_close(faces, solid.faces)


def test_no_face_stays_inside_another_solid() -> None:
    (left, _), (right, _) = skin([ball(0.0, 1.0), ball(1.0, 0.8)], HERE)
    for faces, center, radius in ((left, 1.0, 0.8), (right, 0.0, 1.0)):
        middles = faces.mean(axis=1)
        deep = radius - np.linalg.norm(middles - (center, 0.0, 0.0), axis=1)
        assert deep.max() < 0.06 * radius  # what is left inside is less than the height of a face


def test_the_skin_of_two_balls_has_the_area_of_their_union() -> None:
    radius, apart = 1.0, 1.0
    faces = np.concatenate([f for f, _ in skin([ball(0.0, radius), ball(apart, radius)], HERE)])
    cap = 2.0 * np.pi * radius * (radius - 0.5 * apart)  # what each loses
    assert abs(area(faces) / (8.0 * np.pi * radius**2 - 2.0 * cap) - 1.0) < 0.03


def test_a_solid_inside_another_is_not_drawn() -> None:
    (small, _), (large, _) = skin([ball(0.0, 0.3), ball(0.0, 1.0)], HERE)
    assert len(small) == 0
    assert_close(large, ball(0.0, 1.0).faces)


def test_of_two_equal_solids_one_stays() -> None:
    (first, _), (second, _) = skin([ball(0.0, 1.0), ball(0.0, 1.0)], HERE)
    assert len(first) + len(second) >= len(ball(0.0, 1.0).faces)


def test_solids_meet_where_their_segments_have_moved_to() -> None:
    away, close = np.stack([np.eye(4)] * 2), np.stack([np.eye(4)] * 2)
    away[1, 0, 3], close[1, 0, 3] = 5.0, 1.0
    solids = [ball(0.0, 1.0, 0), ball(0.0, 1.0, 1)]
    assert len(skin(solids, away)[0][0]) == len(solids[0].faces)
    assert len(skin(solids, close)[0][0]) < len(solids[0].faces)


def test_normals_are_those_of_the_whole_faces() -> None:
    ((faces, directions), _) = skin([ball(0.0, 1.0), ball(1.0, 1.0)], HERE)
    assert len(faces) == len(directions)
    outward = faces.mean(axis=1) / np.linalg.norm(faces.mean(axis=1), axis=1, keepdims=True)
    assert np.min(np.sum(directions * outward, axis=1)) > 0.95
    known = {tuple(np.round(n, 9)) for n in normals(ball(0.0, 1.0).faces)}
    assert all(tuple(np.round(n, 9)) in known for n in directions)


def test_nothing_has_no_skin() -> None:
    assert skin([], HERE) == []
