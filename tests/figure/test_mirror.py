"""Mirroring: the right side of a body from its left, whatever its joints and shapes."""

from __future__ import annotations

import numpy as np
import pytest
from checks import assert_close
from hypothesis import given
from strategies import rngs

from manikin import rotations
from manikin.errors import BadValue
from manikin.figure import Ball, Box, Coupling, Euler, Figure, Free, Hinge, Joint, Segment, Slider, Sphere, samples
from manikin.figure.mirror import mirrored_segments

M = np.diag([-1.0, 1.0, 1.0, 1.0])


def mirrored_pose(figure: Figure, q: np.ndarray) -> np.ndarray:
    """The numbers of the mirrored pose of the mirrored figure, which has the same joints in the same order."""
    out = q.copy()
    for s in figure.segments:
        n = figure.index_of(s.joint.name)
        for motion in s.joint.motions:
            if isinstance(motion, (Ball, Free)):
                n += 3 * isinstance(motion, Free)
                out[n + 2 : n + 4] *= -1.0
                n += 4
            elif isinstance(motion, Euler):
                out[n : n + len(motion.order)] *= [1.0 if letter == "X" else -1.0 for letter in motion.order]
                n += len(motion.order)
            else:
                n += 1
    if figure.segments[0].joint.kind == "free":
        out[0] *= -1.0
    return out


@given(rngs())
def test_a_mirrored_figure_in_the_mirrored_pose_is_the_mirror_image(rng: np.random.Generator) -> None:
    figure = samples.random_figure(rng, int(rng.integers(1, 15)))
    other = figure.replaced(segments=mirrored_segments(figure.segments, "none", "none"))
    q = figure.random(rng)
    p = mirrored_pose(figure, q)
    assert_close(other.placements(p), M @ figure.placements(q) @ M, scale=max(1.0, figure.size), tol=1e-12)
    assert_close(other.center_of_mass(p), M[:3, :3] @ figure.center_of_mass(q), scale=max(1.0, figure.size), tol=1e-12)
    assert other.violation(p) <= 1e-9


@given(rngs())
def test_mirroring_twice_gives_the_same_segments(rng: np.random.Generator) -> None:
    figure = samples.random_figure(rng, 10, kinds=["fixed", "hinge", "slider", "euler", "ball", "free"])
    again = mirrored_segments(mirrored_segments(figure.segments, "A", "B"), "B", "A")
    assert tuple(again) == figure.segments


def test_names_parents_and_couplings_change_sides_and_others_do_not() -> None:
    follower = Joint("LeftHandJoint", (Hinge(),), coupling=Coupling("LeftArm", 2.0))
    left = [Segment("LeftArm", "Chest", Hinge()), Segment("LeftHand", "LeftArm", follower)]
    arm, hand = mirrored_segments(left)
    assert (arm.name, arm.parent, arm.joint.name) == ("RightArm", "Chest", "RightArm")
    assert (hand.name, hand.parent, hand.joint.name) == ("RightHand", "RightArm", "RightHandJoint")
    assert hand.joint.coupling == Coupling("RightArm", 2.0)


def test_shapes_and_inertia_are_mirrored() -> None:
    turn = rotations.from_rotation_vector(np.array([0.1, 0.2, 0.3]))
    shapes = [Sphere((1.0, 2.0, 3.0), 0.5), Box((1.0, 2.0, 3.0), (4.0, 5.0, 6.0), tuple(turn))]
    (s,) = mirrored_segments([Segment("A", inertia=(1, 2, 3, 4, 5, 6), shapes=shapes)])
    assert s.inertia == (1.0, -2.0, -3.0, 4.0, 5.0, 6.0)
    ball, box = s.shapes
    assert isinstance(ball, Sphere)
    assert isinstance(box, Box)
    assert ball.center == (-1.0, 2.0, 3.0)
    assert box.center == (-4.0, 5.0, 6.0)
    R = rotations.to_matrix(turn)
    assert_close(rotations.to_matrix(np.array(box.rotation)), M[:3, :3] @ R @ M[:3, :3], tol=1e-15)


def test_a_slider_is_mirrored_as_a_direction_and_a_hinge_as_a_turn() -> None:
    slide, bend = mirrored_segments([Segment("A", None, Slider((1, 0, 0))), Segment("B", "A", Hinge((0, 1, 0)))])
    assert slide.joint.motions == (Slider((-1.0, 0.0, 0.0)),)
    assert bend.joint.motions == (Hinge((0.0, -1.0, 0.0)),)


def test_a_joint_with_a_rest_pose_of_its_own_is_refused() -> None:
    with pytest.raises(BadValue, match="joint 'A' has a rest pose other than zero"):
        mirrored_segments([Segment("A", None, Joint("A", (Hinge(),), rest=(0.5,)))])
