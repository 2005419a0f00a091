"""Angles over time: the same rotations, without jumps."""

from __future__ import annotations

import numpy as np
import pytest
from checks import assert_close
from hypothesis import given
from hypothesis import strategies as st
from strategies import EULER_ORDERS, random_quaternion, rngs

from manikin import rotations
from manikin.files.bvh.euler import from_quaternions, near_neighbours


def smooth_turns(rng: np.random.Generator, frames: int = 200, step: float = 0.05) -> np.ndarray:
    """Quaternions (frames, 4) of a body that turns a little each frame, about an axis that wanders."""
    q = [random_quaternion(rng)]
    velocity = rng.normal(size=3)
    for _ in range(frames - 1):
        velocity += 0.3 * rng.normal(size=3)
        velocity /= np.linalg.norm(velocity)
        q.append(rotations.multiply(q[-1], rotations.from_rotation_vector(step * velocity)))
    return rotations.normalized(np.array(q))


@given(rngs(), st.sampled_from(EULER_ORDERS))
def test_angles_from_quaternions_give_the_same_rotations(rng: np.random.Generator, order: str) -> None:
    q = np.array([random_quaternion(rng) for _ in range(20)])
    angles = from_quaternions(order, q)
    assert_close(rotations.to_matrix(rotations.from_euler(order, angles)), rotations.to_matrix(q), tol=1e-8)


@given(rngs(), st.sampled_from(EULER_ORDERS))
def test_no_frame_has_a_nearer_branch(rng: np.random.Generator, order: str) -> None:
    """Neither the other triple nor a whole turn would bring any frame nearer to the one before."""
    angles = from_quaternions(order, smooth_turns(rng))
    step = np.abs(np.diff(angles, axis=0))
    assert step.max() <= np.pi + 1e-9
    other = np.array(angles[1:])
    other[:, [0, 2]] += np.pi
    other[:, 1] = -other[:, 1] if order[0] == order[2] else np.pi - other[:, 1]
    across = other - angles[:-1]
    across -= 2.0 * np.pi * np.round(across / (2.0 * np.pi))
    assert (step.sum(axis=1) <= np.abs(across).sum(axis=1) + 1e-9).all()


@pytest.mark.parametrize("order", EULER_ORDERS)
def test_a_steady_turn_about_the_first_axis_never_jumps(order: str) -> None:
    angle = np.linspace(0.0, 20.0, 300)
    fixed = rotations.from_euler(order, [0.0, 0.7, 0.3])
    q = rotations.multiply(rotations.from_axis_angle(rotations.AXES[order[0].lower()], angle), fixed)
    angles = from_quaternions(order, q)
    assert_close(angles[:, 0] - angles[0, 0], angle, tol=1e-9)
    assert_close(angles[:, 1:], np.broadcast_to(angles[0, 1:], (300, 2)), tol=1e-9)


def test_a_turn_through_the_pole_goes_on_to_the_other_side() -> None:
    """About the middle axis beyond 90°, where the principal angles would flip both others by half a turn."""
    angle = np.linspace(0.0, np.pi, 101)  # 90° is one of the frames: there only a sum of angles is determined
    q = rotations.from_euler("ZXY", np.stack([np.full(101, 0.4), angle, np.full(101, -0.3)], axis=1))
    assert_close(from_quaternions("ZXY", q), np.stack([np.full(101, 0.4), angle, np.full(101, -0.3)], axis=1), tol=1e-7)


@pytest.mark.parametrize("order", EULER_ORDERS)
def test_frames_at_a_pole_keep_the_last_angle_of_their_neighbour(order: str) -> None:
    proper = order[0] == order[2]
    for pole in (0.0, np.pi) if proper else (np.pi / 2, -np.pi / 2):
        near = pole + 0.01 if pole <= 0.0 else pole - 0.01
        wanted = np.array([[0.5, near, 0.3], [0.5, pole, 0.3], [0.6, pole, 0.3], [0.6, near, 0.3]])
        angles = from_quaternions(order, rotations.from_euler(order, wanted))
        assert_close(angles, wanted, tol=1e-7)


def test_poles_in_every_frame_or_at_the_beginning_are_settled() -> None:
    wanted = np.array([[0.5, np.pi / 2, 0.0], [0.9, np.pi / 2, 0.0], [0.9, 1.5, 0.2]])
    q = rotations.from_euler("ZXY", wanted)
    for count in (2, 3):
        angles = from_quaternions("ZXY", q[:count])
        assert_close(rotations.to_matrix(rotations.from_euler("ZXY", angles)), rotations.to_matrix(q[:count]), tol=1e-8)
        assert np.abs(np.diff(angles, axis=0)).max() < 0.5


@given(rngs(), st.sampled_from([*EULER_ORDERS, "XY", "ZX", "Y"]))
def test_frames_that_were_not_edited_keep_their_bits_and_all_their_rotations(
    rng: np.random.Generator, order: str
) -> None:
    angles = rng.uniform(-7.0, 7.0, size=(30, len(order)))
    edited = rng.uniform(size=30) < 0.5
    out = near_neighbours(order, angles, edited)
    assert (out[~edited] == angles[~edited]).all()
    before, after = (rotations.to_matrix(rotations.from_euler(order, a)) for a in (angles, out))
    assert_close(after, before, tol=1e-9)
    for frame in np.flatnonzero(edited[1:]) + 1:
        if not edited[:frame].all():  # there is something to be near to
            assert np.abs(out[frame] - out[frame - 1]).max() <= np.pi + 1e-9


def test_a_smooth_clip_is_left_as_it_is() -> None:
    angles = np.cumsum(np.random.default_rng(0).uniform(-0.1, 0.1, size=(500, 3)), axis=0) + 9.0
    assert (near_neighbours("ZXY", angles, np.ones(500, dtype=bool)) == angles).all()


def test_an_edit_goes_to_the_branch_of_its_neighbours_on_either_side() -> None:
    angles = np.tile([0.1, 0.2, 0.3], (5, 1))
    crossed = np.array([0.1 + np.pi, np.pi - 0.2, 0.3 - np.pi])
    for frames in ([0], [2], [4], [0, 1, 2], [3, 4], [1, 3]):
        wild = np.array(angles)
        wild[frames] = crossed + 2.0 * np.pi
        edited = np.isin(np.arange(5), frames)
        assert_close(near_neighbours("ZXY", wild, edited), angles, tol=1e-12)


def test_a_single_angle_loses_whole_turns_only() -> None:
    angles = np.array([[0.0], [6.0], [0.2]])
    out = near_neighbours("X", angles, np.array([False, True, False]))
    assert_close(out, [[0.0], [6.0 - 2 * np.pi], [0.2]])
