"""Solid shapes: kept as plain tuples, scaled by a factor."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from manikin.figure.shapes import Box, Capsule, Shape, Sphere

TURN = (0.5, 0.5, -0.5, 0.5)


@pytest.mark.parametrize(
    ("shape", "twice"),
    [
        (Sphere((1, 2, 3), 0.5), Sphere((2, 4, 6), 1.0)),
        (Capsule((0, 0, 0), (1, 0, 2), 0.1), Capsule((0, 0, 0), (2, 0, 4), 0.2)),
        (Box((1, 2, 3), (0, 1, 0), TURN), Box((2, 4, 6), (0, 2, 0), TURN)),
    ],
)
def test_scaling_multiplies_lengths_and_keeps_directions(shape: Shape, twice: Shape) -> None:
    assert shape.scaled(2.0) == twice
    assert shape.scaled(1.0) == shape


@pytest.mark.parametrize(
    "shape", [Sphere((1, 2, 3), 0.5), Capsule((0, 0, 0), (1, 0, 2), 0.1), Box((1, 2, 3), (0, 1, 0), TURN)]
)
def test_shapes_compare_hash_and_travel(shape: Shape) -> None:
    back = pickle.loads(pickle.dumps(shape))
    assert back == shape
    assert hash(back) == hash(shape)


def test_arrays_given_are_copied() -> None:
    point = np.array([1.0, 2.0, 3.0])
    ball, stick = Sphere(point), Capsule(end=point)  # type: ignore[arg-type]
    point[:] = 0.0
    assert ball.center == stick.end == (1.0, 2.0, 3.0)


def test_a_capsule_may_be_a_ball() -> None:
    assert Capsule((1, 1, 1), (1, 1, 1), 0.1).start == (1.0, 1.0, 1.0)
