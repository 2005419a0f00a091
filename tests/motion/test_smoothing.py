"""Smoothing of poses and of targets over time."""

from __future__ import annotations

import numpy as np
import pytest
from checks import assert_close
from strategies import random_figure, random_quaternion

import manikin as mk
from manikin import rotations
from manikin.errors import BadValue
from manikin.figure import Figure
from manikin.motion.smoothing import continuous, information_weights, smooth_poses, smooth_values
from manikin.motion.triples import Triples

TIMES = np.arange(240) / 120.0


def wander(figure: Figure, rng: np.random.Generator, count: int = 240, size: float = 1.0) -> np.ndarray:
    """A motion (count, nq) of a few slow waves in every step, from the rest pose."""
    t = np.arange(count) / 120.0
    waves = sum(rng.normal(size=figure.nv) * np.sin(2 * np.pi * f * t + 1.0)[:, None] for f in (0.4, 0.9, 1.7))
    return figure.integrate(np.tile(figure.rest, (count, 1)), size * 0.2 * waves)


def apart(figure: Figure, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The steps from a to b. Euler joints of three axes are compared as rotations: near the gimbal pole their angles
    differ much where their rotations hardly do."""
    steps, triples = figure.difference(a, b), Triples.of(figure)
    steps[:, triples.steps.ravel()] = triples.between(triples.rotations(a), triples.rotations(b))
    return steps


def jerk(figure: Figure, poses: np.ndarray) -> float:
    return float(np.abs(np.diff(apart(figure, poses[:-1], poses[1:]), n=2, axis=0)).max())


@pytest.mark.parametrize("seed", range(12))
def test_slow_motions_stay_and_noise_goes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    figure = random_figure(rng)
    clean = wander(figure, rng)
    noisy = figure.integrate(clean, 0.01 * rng.normal(size=(len(clean), figure.nv)))
    calm = smooth_poses(figure, clean, TIMES, 8.0, clamp=False)
    off = np.abs(apart(figure, calm, clean))
    assert off[20:-20].max() < 1e-3
    assert off.max() < 0.02  # the ends know one side only
    steady = smooth_poses(figure, noisy, TIMES, 8.0, clamp=False)
    left = [np.sqrt((apart(figure, clean, q) ** 2).mean()) for q in (noisy, steady)]
    assert left[1] < 0.6 * left[0]
    assert jerk(figure, steady) < 0.05 * jerk(figure, noisy)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("order", ["ZYX", "XYZ", "YXZ", "ZXZ"])
def test_euler_joints_and_balls_that_turn_alike_are_smoothed_alike(order: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    euler, ball = (
        mk.Figure("one", [mk.Segment("One", joint=mk.Joint("One", (motion,)))])
        for motion in (mk.Euler(order), mk.Ball())
    )
    tumbling = rotations.from_rotation_vector(wander(mk.chain(3, planar=True), rng, size=8.0))  # past the gimbal pole
    angles = rotations.to_euler(order, tumbling)
    shaken = rotations.from_rotation_vector(0.02 * rng.normal(size=(240, 3)))
    noisy = rotations.multiply(tumbling, shaken)
    by_angles = smooth_poses(euler, rotations.to_euler(order, noisy), TIMES, 6.0)
    by_turns = smooth_poses(ball, noisy, TIMES, 6.0)
    off = rotations.multiply(rotations.inverse(by_turns), rotations.from_euler(order, by_angles))
    assert_close(np.abs(off[:, 0]), 1.0, tol=1e-9)
    still = smooth_poses(euler, np.tile(angles[:1], (240, 1)), TIMES, 6.0)
    assert_close(still, np.tile(angles[:1], (240, 1)), tol=1e-9)


def test_a_root_that_spins_through_the_gimbal_pole_has_no_jump() -> None:
    root = mk.Figure("root", [mk.Segment("Root", joint=mk.Joint("Root", (mk.Euler("ZYX"),)))])
    tilt = np.linspace(-2.5, 2.5, 240)  # a cartwheel: the middle angle passes the pole twice
    truth = rotations.from_axis_angle((0.0, 1.0, 0.0), tilt)
    calm = rotations.from_euler("ZYX", smooth_poses(root, rotations.to_euler("ZYX", truth), TIMES, 8.0))
    off = rotations.to_rotation_vector(rotations.multiply(rotations.inverse(truth), calm))
    assert np.abs(off).max() < 1e-6


def test_a_turned_root_gives_the_turned_motion() -> None:
    rng = np.random.default_rng(3)
    person = mk.human()
    poses = person.integrate(wander(person, rng), 0.02 * rng.normal(size=(240, person.nv)))
    turn, moved = random_quaternion(rng), np.array(poses)
    at = person.index_of(person.segments[0].joint.name)
    moved[:, at : at + 3] = rotations.rotate(turn, poses[:, at : at + 3]) + np.array([1.0, 2.0, 3.0])
    moved[:, at + 3 : at + 7] = rotations.multiply(turn, poses[:, at + 3 : at + 7])
    plain, other = (smooth_poses(person, q, TIMES, 8.0, clamp=False) for q in (poses, moved))
    plain[:, at : at + 3] = rotations.rotate(turn, plain[:, at : at + 3]) + np.array([1.0, 2.0, 3.0])
    plain[:, at + 3 : at + 7] = rotations.multiply(turn, plain[:, at + 3 : at + 7])
    assert_close(person.difference(plain, other), 0.0, tol=1e-9)


def test_smoothed_poses_are_within_their_limits() -> None:
    rng = np.random.default_rng(1)
    person = mk.human()
    poses = person.clamp(person.integrate(wander(person, rng, size=4.0), 0.3 * rng.normal(size=(240, person.nv))))
    assert person.violation(smooth_poses(person, poses, TIMES, 3.0)).max() <= 1e-9


def test_an_angle_that_jumps_by_a_whole_turn_is_no_jump() -> None:
    wheel = mk.Figure("wheel", [mk.Segment("Wheel", joint=mk.Joint("Wheel", (mk.Hinge((0.0, 0.0, 1.0)),)))])
    angles = rotations.wrapped(np.linspace(0.0, 15.0, 240))[:, None]
    out = smooth_poses(wheel, angles, TIMES, 8.0)
    assert_close(rotations.wrapped(out - angles), 0.0, tol=1e-8)


def test_a_coordinate_without_information_is_carried_by_its_neighbours() -> None:
    arm = mk.chain(2, planar=True)
    rng = np.random.default_rng(0)
    clean = wander(arm, rng)
    wrong = np.array(clean)
    wrong[100:115, 0] += 0.5
    information = np.ones((240, arm.nv))
    information[100:115, 0] = 0.0
    plain = smooth_poses(arm, wrong, TIMES, 8.0, order=2, clamp=False)
    weighted = smooth_poses(arm, wrong, TIMES, 8.0, order=2, clamp=False, weights=information_weights(information))
    assert np.abs(plain - clean)[100:115, 0].max() > 0.3
    assert np.abs(weighted - clean)[100:115, 0].max() < 0.03
    assert_close(weighted[:, 1], plain[:, 1], tol=1e-9)


def test_a_coordinate_that_most_frames_do_not_inform_about_is_carried_too() -> None:
    information = np.array([[2.0, 2.0], [2.0, 1.0], [0.0, 2.0], [0.0, 2.0], [1e-9, 2.0]])
    weights = information_weights(information)
    assert_close(weights[:, 0], [1.0, 1.0, 1e-3, 1e-3, 1e-3])
    assert_close(weights[:, 1], [1.0, 0.5, 1.0, 1.0, 1.0])


def test_no_information_at_all_weighs_evenly() -> None:
    assert_close(information_weights(np.zeros((4, 2))), np.ones((4, 2)))


@pytest.mark.parametrize("count", [1, 2, 3])
def test_very_short_motions_are_smoothed_too(count: int) -> None:
    arm = mk.chain(2)
    poses = wander(arm, np.random.default_rng(0), count)
    assert smooth_poses(arm, poses, np.arange(count) / 30.0, 8.0).shape == poses.shape


# Targets


def noisy_targets(rng: np.random.Generator) -> np.ndarray:
    """(240, 7) a placement that moves and turns, with noise, signs that jump, and gaps."""
    waves = np.stack([np.sin(2 * np.pi * f * TIMES + k) for k, f in enumerate((0.5, 0.8, 1.1))], axis=1)
    turns = rotations.from_rotation_vector(waves + 0.05 * rng.normal(size=waves.shape))
    turns *= rng.choice([-1.0, 1.0], size=(240, 1))
    rows = np.concatenate([waves + 0.01 * rng.normal(size=waves.shape), turns], axis=1)
    rows[60:75] = np.nan
    return rows


def test_turned_and_moved_targets_give_turned_and_moved_results() -> None:
    rng = np.random.default_rng(5)
    rows, turn, shift = noisy_targets(rng), random_quaternion(rng), rng.normal(size=3)
    moved = np.array(rows)
    moved[:, :3] = rotations.rotate(turn, rows[:, :3]) + shift
    moved[:, 3:] = rotations.multiply(turn, rows[:, 3:])
    plain, other = (smooth_values(r, TIMES, 5.0, quaternions=(3,)) for r in (rows, moved))
    assert_close(other[:, :3], rotations.rotate(turn, plain[:, :3]) + shift, tol=1e-9)
    same = np.abs((other[:, 3:] * rotations.multiply(turn, plain[:, 3:])).sum(axis=1))
    assert_close(same, 1.0, tol=1e-9)


def test_quaternions_come_out_continuous_and_of_length_one() -> None:
    out = smooth_values(noisy_targets(np.random.default_rng(6)), TIMES, 5.0, quaternions=(3,))[:, 3:]
    assert_close(np.linalg.norm(out, axis=1), 1.0)
    assert ((out[1:] * out[:-1]).sum(axis=1) > 0.9).all()


@pytest.mark.parametrize("length", [1, 10, 60, 150])
def test_gaps_are_bridged_without_swinging_out(length: int) -> None:
    rng = np.random.default_rng(length)
    truth = np.stack([0.5 * TIMES, 0.2 * np.sin(2 * np.pi * 0.5 * TIMES)], axis=1)
    rows = truth + 0.01 * rng.normal(size=truth.shape)
    rows[50 : 50 + length] = np.nan
    out = smooth_values(rows, TIMES, 5.0)
    assert np.isfinite(out).all()
    assert np.abs(out - truth)[50 : 50 + length].max() < 0.03 + 0.25 * (length > 20)


def test_nothing_is_said_before_the_first_and_after_the_last_sample() -> None:
    rows = np.stack([TIMES, TIMES**2], axis=1)
    rows[:20], rows[230:, 1] = np.nan, np.nan
    out = smooth_values(rows, TIMES, 5.0)
    assert np.isnan(out[:20]).all()
    assert np.isnan(out[230:]).all()
    assert_close(out[20:230], rows[20:230], tol=1e-9)


def test_a_single_sample_and_none_at_all() -> None:
    rows = np.full((240, 3), np.nan)
    assert np.isnan(smooth_values(rows, TIMES, 5.0)).all()
    rows[7] = (1.0, 2.0, 3.0)
    out = smooth_values(rows, TIMES, 5.0)
    assert_close(out[7], rows[7])
    assert np.isnan(np.delete(out, 7, axis=0)).all()


def test_two_samples_far_apart_give_a_line() -> None:
    rows = np.full((240, 1), np.nan)
    rows[10], rows[200] = 1.0, 3.0
    out = smooth_values(rows, TIMES, 5.0)
    assert_close(out[10:201, 0], np.linspace(1.0, 3.0, 191), tol=1e-3)


def test_signs_are_made_continuous() -> None:
    turns = rotations.from_rotation_vector(np.linspace(0.0, 7.0, 30)[:, None] * (1.0, 0.0, 0.0))
    flipped = turns * np.where(np.arange(30) % 3 == 0, -1.0, 1.0)[:, None]
    assert ((continuous(flipped)[1:] * continuous(flipped)[:-1]).sum(axis=1) > 0.0).all()


def test_a_frequency_too_low_for_the_rate_is_an_error() -> None:
    with pytest.raises(BadValue, match=r"smoothing is 0.01 Hz"):
        smooth_values(np.zeros((240, 1)), TIMES, 0.01)


def test_a_motion_has_a_smoothed_version() -> None:
    person = mk.human()
    rng = np.random.default_rng(2)
    poses = person.clamp(person.integrate(wander(person, rng), 0.02 * rng.normal(size=(240, person.nv))))
    motion = mk.Motion(person, poses, TIMES, "shaky")
    calm = motion.smoothed(6.0)
    assert calm.name == "shaky"
    assert_close(calm.times, motion.times)
    assert jerk(person, calm.poses) < 0.2 * jerk(person, poses)
    with pytest.raises(BadValue, match="frequency"):
        motion.smoothed(-1.0)
