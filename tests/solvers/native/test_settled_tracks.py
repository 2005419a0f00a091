"""`track(prefer=…, settle=True)`: free joints approach the preferred pose, with goals reached and limits kept."""

from __future__ import annotations

import re

import numpy as np
import pytest
from headings import asked, with_euler_root

import manikin as mk
from manikin import backend, rotations

pytestmark = pytest.mark.skipif(not backend.native, reason="MANIKIN_BACKEND=reference: there is no native solver")

PARTS = ["Hips", "Head", "LeftHand", "RightHand", "LeftFoot", "RightFoot"]
SECONDS = 0.15
"""Time constant of the approach (cpp/track/constants.h)."""


def waving(seed: int, frames: int = 30, size: float = 0.1) -> tuple[mk.Figure, np.ndarray]:
    """The person and poses of a smooth motion within its limits."""
    figure, rng = mk.human(), np.random.default_rng(seed)
    wave = size * rng.normal(size=figure.nv)
    wave[:6] = 0.0
    turns = np.sin(np.linspace(0.0, 2.0, frames)[:, None] + rng.uniform(0.0, 6.0, figure.nv))
    poses = figure.integrate(np.broadcast_to(figure.rest, (frames, figure.nq)), turns * wave)
    return figure, figure.clamp(poses)


def frame_by_frame(solver: mk.Solver, start: np.ndarray, rows: np.ndarray, prefer: np.ndarray, dt: float) -> np.ndarray:
    """The rule in Python: each frame settles at the pose nearest to one between the previous and the preferred pose."""
    figure, share = solver.figure, 1.0 - np.exp(-dt / SECONDS)
    poses = [solver.solve(start, rows[0], prefer=prefer[0], settle=True).pose]
    for t in range(1, len(rows)):
        wished = figure.integrate(poses[-1], share * figure.difference(poses[-1], prefer[t]))
        poses.append(solver.solve(wished, rows[t], prefer=wished, settle=True).pose)
    return np.array(poses)


@pytest.mark.parametrize("parts", [PARTS[1:4], ["Head", "LeftHand", "RightHand", "LeftFoot", "RightFoot"]])
def test_frames_follow_the_rule(parts: list[str]) -> None:
    """The second set of parts leaves legs and arms less freedom; joints that no goal feels follow the rule too."""
    figure, poses = waving(1)
    rows, dt = asked(figure, poses, parts, True), 1.0 / 30.0
    solver = mk.Solver(figure, [mk.Placement(part, np.eye(4)) for part in parts])
    prefer = np.repeat(figure.random(np.random.default_rng(2))[None], len(rows), axis=0)
    prefer = figure.integrate(poses, 0.3 * figure.difference(poses, prefer))
    found = solver.track(poses[0], rows, dt=dt, prefer=prefer, settle=True)
    assert found.reached.all()
    wanted = frame_by_frame(solver, poses[0], rows, prefer, dt)
    apart = np.abs(figure.difference(found.poses, wanted)).max(axis=1)
    assert np.median(apart) < 2e-3
    assert apart.max() < 2e-2


def test_joints_without_goals_approach_exponentially() -> None:
    """A ball goes straight in swing and twist. From the straight turn by Δ that differs by ½ s (1 − s) Γ(Δ, Δ), where s
    is the share of the way and Γ, the curvature of these coordinates, is below 2 for the swings of a leg."""
    figure, poses = waving(3, frames=2)
    solver = mk.Solver(figure, [mk.Placement("LeftHand", np.eye(4))])
    rows = np.repeat(asked(figure, poses[:1], ["LeftHand"], True), 41, axis=0)
    first = solver.solve(poses[0], rows[0]).pose
    found = solver.track(first, rows[1:], before=rows[0], dt=0.02, prefer=poses[1], settle=True)
    way = figure.difference(found.poses, np.broadcast_to(poses[1], found.poses.shape))
    shares = np.exp(-0.02 * np.arange(1, 41) / SECONDS)
    for name in ("RightUpLeg", "LeftUpLeg", "RightFoot"):
        ball = slice(figure.step_of(name), figure.step_of(name) + 3)
        begun = figure.difference(first, poses[1])[ball]
        assert np.abs(way[:, ball] - shares[:, None] * begun).max() <= 0.25 * np.linalg.norm(begun) ** 2 + 1e-6


@pytest.mark.parametrize("seed", range(4))
def test_goals_limits_and_speeds_hold(seed: int) -> None:
    figure, poses = waving(10 + seed, size=0.15)
    rows = asked(figure, poses, PARTS[1:4], True)
    solver = mk.Solver(figure, [mk.Placement(part, np.eye(4)) for part in PARTS[1:4]])
    prefer = figure.random(np.random.default_rng(seed), len(rows))  # jumps from frame to frame
    plain = solver.track(poses[0], rows, dt=1 / 30, max_speed=4.0)
    found = solver.track(poses[0], rows, dt=1 / 30, max_speed=4.0, prefer=prefer, settle=True)
    assert found.reached.sum() >= plain.reached.sum() - 1
    assert figure.violation(found.poses).max() == 0.0
    moved = np.abs(np.array([figure.difference(a, b) for a, b in zip(found.poses[:-1], found.poses[1:], strict=True)]))
    assert moved[:, 6:].max() <= 4.0 / 30.0 * (1.0 + 1e-6)


def test_a_track_in_pieces_has_the_same_bits() -> None:
    figure, poses = waving(5)
    rows = asked(figure, poses, PARTS[:3], True)
    solver = mk.Solver(figure, [mk.Placement(part, np.eye(4)) for part in PARTS[:3]])
    prefer = figure.clamp(figure.integrate(poses, np.full((len(poses), figure.nv), 0.2)))
    whole = solver.track(poses[0], rows, prefer=prefer, settle=True)
    for cut in (1, 7, 29):
        first = solver.track(poses[0], rows[:cut], prefer=prefer[:cut], settle=True)
        rest = solver.track(first.poses[-1], rows[cut:], before=rows[cut - 1], prefer=prefer[cut:], settle=True)
        assert np.array_equal(np.concatenate([first.poses, rest.poses]), whole.poses)


def test_the_frame_rate_hardly_matters() -> None:
    figure, poses = waving(6, frames=61)
    rows = asked(figure, poses, PARTS[1:4], True)
    solver = mk.Solver(figure, [mk.Placement(part, np.eye(4)) for part in PARTS[1:4]])
    prefer = figure.clamp(figure.integrate(figure.rest, np.full(figure.nv, 0.2)))
    fine = solver.track(poses[0], rows, dt=1 / 60, prefer=prefer, settle=True)
    coarse = solver.track(poses[0], rows[::2], dt=1 / 30, prefer=prefer, settle=True)
    apart = np.abs(figure.difference(fine.poses[::2], coarse.poses)).max(axis=1)
    moved = np.abs(figure.difference(np.broadcast_to(poses[0], coarse.poses.shape), coarse.poses)).max()
    assert apart.max() < 0.15 * moved


@pytest.mark.parametrize("order", ["zyx", "yxy"])
@pytest.mark.parametrize("settle", [False, True])
def test_the_numbers_of_a_preferred_orientation_do_not_matter(order: str, settle: bool) -> None:
    """The root has three angles without limits. Whole turns and the other triple of a rotation change nothing."""
    figure = with_euler_root(order)
    rng, frames = np.random.default_rng(8), 20
    poses = np.repeat(figure.rest[None], frames, axis=0)
    poses[:, 3:6] = np.linspace(0.2, 5.0, frames)[:, None] * [0.1, 1.0, -0.1]
    rows = asked(figure, poses, PARTS[1:4], True)
    solver = mk.Solver(figure, [mk.Placement(part, np.eye(4)) for part in PARTS[1:4]])
    prefer = figure.clamp(figure.integrate(poses, 0.1 * rng.normal(size=figure.nv)))
    other = prefer.copy()
    other[::2, 3:6] = rotations.other_euler(order, prefer[::2, 3:6])
    other[:, 3:6] += 2.0 * np.pi * rng.integers(-2, 3, (frames, 3))
    stiffness = np.ones(figure.nv)
    found, again = (
        solver.track(poses[0], rows, prefer=pose, stiffness=stiffness, settle=settle) for pose in (prefer, other)
    )
    assert found.reached.all()
    assert np.abs(figure.placements(found.poses) - figure.placements(again.poses)).max() < 1e-6


def test_the_work_of_a_frame_is_bounded() -> None:
    """With a Clearance, the way to the nearest pose is bent and may take many hundreds of iterations."""
    figure, poses = waving(0, frames=10)
    solver = mk.Solver(figure, [*(mk.Placement(part, np.eye(4)) for part in PARTS[1:4]), mk.Clearance()])
    rows = asked(figure, poses, PARTS[1:4], True)
    found = solver.track(poses[0], rows, prefer=figure.random(np.random.default_rng(0), 10), settle=True)
    assert found.reached.all()
    assert found.iterations[1:].max() <= 360  # three tries of 100 each, after the frame itself


def test_settle_needs_a_preferred_pose() -> None:
    figure, poses = waving(7, frames=3)
    solver = mk.Solver(figure, [mk.Placement("Head", np.eye(4))])
    message = "settle was given without prefer; prefer must be the pose to which the joints are pulled"
    with pytest.raises(mk.errors.BadValue, match=re.escape(message)):
        solver.track(poses[0], asked(figure, poses, ["Head"], True), settle=True)


def test_tracks_without_frames_and_figures_without_numbers() -> None:
    figure, poses = waving(7, frames=3)
    solver = mk.Solver(figure, [mk.Placement("Head", np.eye(4))])
    rows = asked(figure, poses, ["Head"], True)
    assert len(solver.track(poses[0], rows[:0], prefer=poses[:0], settle=True)) == 0
    rigid, rest = mk.samples.all()["only_root"]
    assert rigid.nq == 0
    still = mk.Solver(rigid, [mk.Position(rigid.segment_names[-1], (0.0, 0.0, 0.0))])
    found = still.track(rest, np.zeros((3, 3)), prefer=rest, settle=True)
    assert found.poses.shape == (3, 0)
    assert np.array_equal(found.reached, still.track(rest, np.zeros((3, 3))).reached)
