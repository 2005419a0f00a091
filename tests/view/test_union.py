"""The visible part of intersecting solids."""

from __future__ import annotations

import numpy as np
from checks import assert_close

from manikin.arrays import Points
from manikin.figure import Box
from manikin.view import turned
from manikin.view.solids import Solid, normals
from manikin.view.union import skin


def ball(x: float, radius: float, segment: int = 0) -> Solid:
    return Solid.of(segment, "solid", turned.ball(np.array([x, 0.0, 0.0]), radius, around=24))


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
        deep = radius - np.linalg.norm(faces - (center, 0.0, 0.0), axis=-1)
        assert deep.max() < 0.02 * radius  # flat faces are that far inside the ball they stand for


def test_the_skin_of_two_balls_has_the_area_of_their_union() -> None:
    radius, apart = 1.0, 1.0
    faces = np.concatenate([f for f, _ in skin([ball(0.0, radius), ball(apart, radius)], HERE)])
    cap = 2.0 * np.pi * radius * (radius - 0.5 * apart)  # what each loses
    assert abs(area(faces) / (8.0 * np.pi * radius**2 - 2.0 * cap) - 1.0) < 0.03


def test_a_solid_inside_another_is_not_drawn() -> None:
    (small, _), (large, _) = skin([ball(0.0, 0.3), ball(0.0, 1.0)], HERE)
    assert len(small) == 0
    assert_close(large, ball(0.0, 1.0).faces)


def test_of_two_equal_solids_something_stays() -> None:
    (first, _), (second, _) = skin([ball(0.0, 1.0), ball(0.0, 1.0)], HERE)
    assert area(np.concatenate([first, second])) >= area(ball(0.0, 1.0).faces)


def test_a_ball_half_in_a_box_loses_half_of_itself() -> None:
    box = Solid.of(0, "solid", Box(half=(1.0, 1.0, 1.0), center=(1.0, 0.0, 0.0)))
    (round_part, _), (flat_part, _) = skin([ball(0.0, 0.5), box], HERE)
    assert abs(area(round_part) / area(ball(0.0, 0.5).faces) - 0.5) < 1e-3
    assert round_part[..., 0].max() < 1e-3
    assert area(flat_part) < 24.0 - 0.5 * np.pi * 0.25  # and the box loses a disc, as finely as its faces allow


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
    assert len(faces) != len(ball(0.0, 1.0).faces)
    known = {tuple(np.round(n, 9)) for n in normals(ball(0.0, 1.0).faces)}
    assert all(tuple(np.round(n, 9)) in known for n in directions)


def test_nothing_has_no_skin() -> None:
    assert skin([], HERE) == []
