"""`track(settle=True)`: joints that no goal feels, and frames without goals or without a preferred pose."""

from __future__ import annotations

import numpy as np
import pytest
from headings import asked

import manikin as mk
from manikin import backend, rotations
from manikin.arrays import Matrix, Vector
from manikin.figure import Ball, Euler, Figure, Joint, SwingTwist

pytestmark = pytest.mark.skipif(not backend.native, reason="MANIKIN_BACKEND=reference: there is no native solver")

PARTS = ["Head", "LeftHand", "RightHand"]
LEG = "LeftUpLeg"


def solver_of(figure: Figure) -> mk.Solver:
    """Placements of head and hands. No goal feels the legs."""
    return mk.Solver(figure, [mk.Placement(part, np.eye(4)) for part in PARTS])


def with_leg(motion: Euler | Ball) -> Figure:
    """The built-in person with another hip joint."""
    human = mk.human()
    segments = [s.replaced(joint=Joint(LEG, (motion,))) if s.name == LEG else s for s in human.segments]
    return mk.Figure("person", segments, up=human.up)


def resting(figure: Figure, frames: int) -> Matrix:
    """Targets that the rest pose meets, for each frame."""
    return np.repeat(asked(figure, figure.rest[None], PARTS, True), frames, axis=0)


def turned(turns: Matrix) -> Vector:
    """The angles between rotations (T, 4) that follow each other."""
    steps = rotations.multiply(turns[:-1] * [1.0, -1.0, -1.0, -1.0], turns[1:])
    return 2.0 * np.arctan2(np.linalg.norm(steps[:, 1:], axis=1), np.abs(steps[:, 0]))


@pytest.mark.parametrize(("order", "angles"), [("zyx", (3.1, 0.4, 0.2)), ("xzx", (0.3, 0.4, 0.2))])
def test_the_numbers_of_a_rotation_without_goals_do_not_matter(order: str, angles: tuple[float, ...]) -> None:
    figure = with_leg(Euler(order))
    at = slice(figure.index_of(LEG), figure.index_of(LEG) + 3)
    start, rows = figure.rest.copy(), resting(figure, 30)
    start[at] = angles
    prefer = start.copy()
    prefer[at] += (0.05, -0.05, 0.05)
    other = prefer.copy()
    other[at] = rotations.other_euler(order, prefer[at]) + 2.0 * np.pi * np.array([1, 0, -1])
    solver = solver_of(figure)
    found, again = (
        solver.track(start, rows[1:], before=rows[0], prefer=pose, settle=True).poses for pose in (prefer, other)
    )
    assert np.abs(found[-1, at] - prefer[at]).max() < 1e-3
    assert np.allclose(found[:, at], again[:, at], rtol=0.0, atol=1e-12)


def test_hinges_of_stiffness_0_keep_their_angles() -> None:
    figure = with_leg(Euler("zyx"))
    at = figure.index_of(LEG)
    start, rows = figure.rest.copy(), resting(figure, 10)
    start[at : at + 3] = (3.1, 0.4, 0.2)
    prefer = start.copy()
    prefer[at : at + 3] = rotations.other_euler("zyx", start[at : at + 3])
    stiffness = np.ones(figure.nv)
    stiffness[figure.step_of(LEG)] = 0.0
    found = solver_of(figure).track(start, rows[1:], before=rows[0], prefer=prefer, stiffness=stiffness, settle=True)
    assert np.all(found.poses[:, at] == start[at])
    assert np.abs(found.poses[-1, at + 1] - start[at + 1]) > 0.1


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ["euler", "limited", "cone"])
def test_rotations_without_goals_keep_their_speed(kind: str, seed: int) -> None:
    """The preferred pose jumps from frame to frame. The speed limit of three hinges is that of their rotation."""
    motions: dict[str, Euler | Ball] = {
        "euler": Euler("xzx"),
        "limited": Euler("zyx", ((-2.0, 2.0), (-1.5, 1.5), (-2.0, 2.0))),
        "cone": Ball(SwingTwist(swing=(2.8, 2.8), twist=(-3.0, 3.0))),
    }
    motion = motions[kind]
    figure, rng = with_leg(motion), np.random.default_rng(seed)
    at, rows = figure.index_of(LEG), resting(figure, 40)
    prefer, start = figure.random(rng, 39), figure.rest.copy()
    first = figure.random(rng)
    count = 4 if kind == "cone" else 3
    start[at : at + count] = first[at : at + count]
    speed, dt = 1.5, 1.0 / 30.0
    found = solver_of(figure).track(start, rows[1:], before=rows[0], prefer=prefer, settle=True, max_speed=speed, dt=dt)
    numbers = np.concatenate([start[None], found.poses])[:, at : at + count]
    turns = numbers if isinstance(motion, Ball) else rotations.from_euler(motion.order, numbers)
    angles = turned(turns)
    assert angles.max() <= speed * dt * (1.0 + 1e-9)
    assert np.median(angles) > 0.5 * speed * dt
    assert figure.violation(found.poses).max() == 0.0


def test_frames_without_active_goals_approach_the_preferred_pose() -> None:
    """All joints above the legs, which some goal would feel, follow the rule exactly."""
    figure, rng = mk.human(), np.random.default_rng(5)
    prefer = figure.clamp(figure.integrate(figure.rest, np.r_[np.zeros(6), 0.2 * rng.normal(size=figure.nv - 6)]))
    rows, solver = resting(figure, 31), solver_of(figure)
    off, gap = np.zeros(len(PARTS), dtype=bool), np.full_like(rows[1:], np.nan)
    found = solver.track(figure.rest, gap, before=rows[0], active=off, dt=0.02, prefer=prefer, settle=True)
    assert found.reached.all()
    begun = figure.difference(figure.rest, prefer)
    way = figure.difference(found.poses, np.broadcast_to(prefer, found.poses.shape))
    shares = np.exp(-0.02 * np.arange(1, 31) / 0.15)
    legs = figure.step_of(LEG)
    assert np.abs(begun[:legs]).max() > 0.3
    assert np.allclose(way[:, :legs], shares[:, None] * begun[:legs], rtol=0.0, atol=1e-5)
    settled = solver.solve(figure.rest, gap[0], active=off, prefer=prefer, settle=True).pose
    assert np.abs(figure.difference(settled, prefer)).max() < 1e-6


def test_a_frame_without_a_preferred_pose_is_a_plain_frame() -> None:
    figure, rng = mk.human(), np.random.default_rng(6)
    rows, solver = resting(figure, 8), solver_of(figure)
    prefer = figure.random(rng, 8)
    prefer[:4] = np.nan
    start = figure.clamp(figure.integrate(figure.rest, np.r_[np.zeros(6), 0.1 * rng.normal(size=figure.nv - 6)]))
    for settle in (False, True):
        found = solver.track(start, rows, prefer=prefer, settle=settle)
        plain = solver.track(start, rows[:4])
        assert np.array_equal(found.poses[:4], plain.poses)
        rest = solver.track(plain.poses[-1], rows[4:], before=rows[3], prefer=prefer[4:], settle=settle)
        assert np.array_equal(found.poses[4:], rest.poses)
    prefer[2, 5] = 0.0  # only a whole row may be NaN
    with pytest.raises(mk.errors.BadValue, match="prefer"):
        solver.track(start, rows, prefer=prefer, settle=True)
    with pytest.raises(mk.errors.BadValue, match="prefer"):
        solver.track(start, rows, prefer=np.full(figure.nq, np.nan), settle=True)
    with pytest.raises(mk.errors.BadValue, match="prefer"):
        solver.solve_many(start, rows, prefer=np.full_like(prefer, np.nan), settle=True)
