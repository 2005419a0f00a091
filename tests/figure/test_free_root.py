"""Free roots: which joints count as a root that moves and turns the whole figure."""

from __future__ import annotations

import numpy as np
import pytest
from headings import with_euler_root

import manikin as mk
from manikin import rotations
from manikin.figure.free_root import free_root

SLIDERS = tuple(mk.Slider(axis) for axis in np.eye(3))
TILTED = rotations.from_rotation_vector(np.array([0.3, -0.5, 0.2]))


def figure(*motions: object, **joint: object) -> mk.Figure:
    """A stub of a figure: a root and two branches."""
    root = mk.Segment("Root", None, mk.Joint("Root", motions, **joint))  # type: ignore[arg-type]
    arms = [mk.Segment(name, "Root", mk.Hinge(), offset=(0.0, 1.0, x)) for name, x in (("Left", 1.0), ("Right", -1.0))]
    return mk.Figure("stub", [root, *arms])


@pytest.mark.parametrize(
    "motions",
    [
        (mk.Free(),),
        (*SLIDERS, mk.Ball()),
        (*SLIDERS, mk.Ball(mk.SwingTwist())),
        (*SLIDERS, mk.Euler("ZXY")),
        (*SLIDERS, mk.Euler("XYX")),
        (mk.Slider((1, 1, 0)), mk.Slider((1, 0, 0)), mk.Slider((0, 0.2, 1)), mk.Ball()),
    ],
)
def test_a_free_root_says_how_it_moves_the_figure(motions: tuple[object, ...]) -> None:
    stub = figure(*motions, offset=(0.1, 0.2, 0.3), rotation=tuple(TILTED))
    q = stub.integrate(stub.rest, np.random.default_rng(1).normal(0.0, 0.4, stub.nv))
    root = free_root(stub, q)
    assert root is not None
    P = stub.placements(q, ["Root"])[0]
    assert np.allclose(root.pivot, P[:3, 3])
    J = stub.jacobian(q, "Root")
    assert np.allclose(J[:3, root.steps[:3]].T, root.slide_axes)
    assert np.allclose(J[:3, root.steps[3:]], 0.0)
    if len(root.turn) == 1:
        turned = root.turn_axes.T @ rotations.to_matrix(q[root.turn[0] : root.turn[0] + 4])
    else:
        turned = rotations.to_matrix(TILTED)
        for axis, angle in zip(reversed(root.turn_axes), reversed(q[root.turn]), strict=True):
            turned = rotations.to_matrix(rotations.from_axis_angle(axis, angle)) @ turned
    assert np.allclose(turned, P[:3, :3])


@pytest.mark.parametrize(
    "motions",
    [
        (),
        (mk.Ball(),),
        SLIDERS,
        (*SLIDERS[:2], mk.Hinge()),
        (*SLIDERS[:2], mk.Ball()),
        (*SLIDERS, mk.Hinge()),
        (*SLIDERS, mk.Euler("XY")),
        (*SLIDERS, mk.Ball(mk.SwingTwist(swing=(1.0, 1.0)))),
        (mk.Slider((1, 0, 0)), mk.Slider((0, 1, 0)), mk.Slider((1, 1, 0)), mk.Ball()),
    ],
)
def test_other_roots_are_not(motions: tuple[object, ...]) -> None:
    stub = figure(*motions)
    assert free_root(stub, stub.rest) is None


def test_what_others_follow_is_not_free() -> None:
    parts = [mk.Segment("Base")]
    for letter, axis in zip("XYZ", np.eye(3), strict=True):
        parts.append(mk.Segment(letter, parts[-1].name, mk.Joint(letter, (mk.Slider(axis),))))
    parts.append(mk.Segment("Body", "Z", mk.Joint("Body", (mk.Ball(),))))
    free = mk.Figure("free", [*parts, mk.Segment("Wheel", "Body", mk.Hinge())])
    led = mk.Figure(
        "led", [*parts, mk.Segment("Wheel", "Body", mk.Joint("Wheel", (mk.Hinge(),), coupling=mk.Coupling("X", 0.1)))]
    )
    assert free_root(free, free.rest) is not None
    assert free_root(led, led.rest) is None


def test_built_in_figures() -> None:
    for known in (mk.human(), mk.quadruped(), with_euler_root("ZYX")):
        assert free_root(known, known.rest) is not None
    assert free_root(mk.chain(4), mk.chain(4).rest) is None
