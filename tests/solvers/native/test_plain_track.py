"""Plain tracking: what a frame depends on, how fast joints move, and which frames are reached."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import fixed_rng

import manikin as mk
from manikin import backend, rotations
from manikin.solvers.native.speeds import TURNING, number_speeds

pytestmark = pytest.mark.skipif(not backend.native, reason="MANIKIN_BACKEND=reference: there is no native solver")

PARTS = ["Hips", "Head", "LeftHand", "RightHand", "LeftFoot", "RightFoot"]
RATE = 1.0 / 30.0


def rows_of(figure: mk.Figure, poses: np.ndarray, parts: list[str]) -> np.ndarray:
    """(T, 7 parts) placements of some segments, as targets."""
    P = figure.placements(poses, parts)
    return np.concatenate([P[..., :3, 3], rotations.from_matrix(P[..., :3, :3])], axis=-1).reshape(len(poses), -1)


def noisy(rows: np.ndarray, length: float, angle: float, seed: int) -> np.ndarray:
    """Placements with noise on positions and orientations."""
    rng, P = np.random.default_rng(seed), rows.reshape(len(rows), -1, 7).copy()
    P[..., :3] += length * rng.normal(size=P[..., :3].shape)
    P[..., 3:] = rotations.multiply(
        P[..., 3:], rotations.from_rotation_vector(angle * rng.normal(size=P[..., :3].shape))
    )
    return P.reshape(len(rows), -1)


def pulled(rows: np.ndarray, by: float, part: int = 3) -> np.ndarray:
    """One hand pulled out of reach and back."""
    P = rows.reshape(len(rows), -1, 7).copy()
    P[:, part, :3] += by * np.outer(np.sin(np.linspace(0.0, np.pi, len(rows))) ** 2, [0.5, 0.5, 0.7])
    return P.reshape(len(rows), -1)


def haste(figure: mk.Figure, a: np.ndarray, b: np.ndarray, dt: float, speeds: np.ndarray) -> float:
    """How fast the fastest joint moves from a to b, as a share of its limit; by the joints, not by the solver."""
    worst = 0.0
    for segment in figure.segments:
        at = figure.index_of(segment.joint.name)
        for motion in segment.joint.motions:
            width = mk.figure.joint.number_count(motion)
            first = at + 3 if isinstance(motion, mk.Free) else at
            if np.isfinite(speeds[first]):
                p, q = a[first : at + width], b[first : at + width]
                if isinstance(motion, mk.Euler) and width == 3:
                    p, q = (rotations.from_euler(motion.order, x) for x in (p, q))
                    moved = np.linalg.norm(rotations.to_rotation_vector(rotations.multiply(rotations.inverse(p), q)))
                elif isinstance(motion, (mk.Ball, mk.Free)):
                    moved = np.linalg.norm(rotations.to_rotation_vector(rotations.multiply(rotations.inverse(p), q)))
                else:
                    moved = np.abs(q - p).max()
                worst = max(worst, float(moved / (speeds[first] * dt)))
            at += width
    return worst


def person(frames: int = 120, reach: float = 0.15) -> tuple[mk.Figure, mk.Solver, np.ndarray, np.ndarray]:
    """The person on a smooth way about its rest pose."""
    figure, rng = mk.human(), np.random.default_rng(4)
    wave = reach * rng.normal(size=figure.nv)
    wave[:6] = 0.0
    turns = np.sin(np.linspace(0.0, 4.0 * np.pi, frames)[:, None] + rng.uniform(0.0, 6.0, figure.nv))
    poses = figure.clamp(figure.integrate(np.broadcast_to(figure.rest, (frames, figure.nq)), turns * wave))
    solver = mk.Solver(figure, [mk.Placement(part, np.eye(4)) for part in PARTS])
    return figure, solver, poses, rows_of(figure, poses, PARTS)


def recorded(data: Path, name: str, frames: int) -> tuple[mk.Figure, mk.Solver, np.ndarray, np.ndarray, float]:
    """A recorded clip from frame 1 on (frame 0 is an added T-pose), with its seconds a frame."""
    motion = mk.load_motion(data / "bvh" / f"{name}.bvh")
    poses = np.array(motion.poses[1 : 1 + frames])
    solver = mk.Solver(motion.figure, [mk.Placement(part, np.eye(4)) for part in PARTS])
    return motion.figure, solver, poses, rows_of(motion.figure, poses, PARTS), float(np.diff(motion.times[:2])[0])


def assert_law(solver: mk.Solver, found: mk.Solutions, rows: np.ndarray, dt: float, max_speed: Any = None) -> None:
    """No joint is too fast, and what `solve` reaches from the pose before without being so is reached."""
    figure, speeds = solver.figure, number_speeds(solver.figure, max_speed)
    for t in range(1, len(rows)):
        assert haste(figure, found.poses[t - 1], found.poses[t], dt, speeds) <= 1.0 + 1e-6
        if not found.reached[t]:
            alone = solver.solve(found.poses[t - 1], rows[t], restarts=0)
            assert not (alone.reached and haste(figure, found.poses[t - 1], alone.pose, dt, speeds) <= 1.0), t


INPUTS = {
    "clean": lambda rows, _: rows,
    "noisy": lambda rows, size: noisy(rows, 0.006 * size, 0.05, 1),
    "out of reach": lambda rows, size: pulled(rows, 1.2 * size),
}


@pytest.mark.parametrize("kind", INPUTS)
@pytest.mark.parametrize("speed", [None, 4.0])
def test_a_frame_is_reached_where_a_solve_reaches_it_within_the_speed_limit(kind: str, speed: float | None) -> None:
    figure, solver, poses, clean = person()
    rows = INPUTS[kind](clean, figure.size)
    found = solver.track(poses[0], rows, max_speed=speed)
    assert_law(solver, found, rows, RATE, speed)
    assert figure.violation(found.poses).max() <= 1e-9
    if kind == "clean" and speed is None:
        assert found.reached.all()


@pytest.mark.parametrize("kind", INPUTS)
@pytest.mark.parametrize("name", ["cmu_02_01_walk", "cmu_05_02_dance_pirouette", "cmu_49_06_cartwheel"])
def test_recorded_motion_is_followed(name: str, kind: str, data: Path) -> None:
    figure, solver, poses, clean, dt = recorded(data, name, 200)
    for step in (1, 4):  # 120 and 30 frames a second
        rows = INPUTS[kind](clean[::step], figure.size)
        found = solver.track(poses[0], rows, dt=step * dt)
        assert_law(solver, found, rows, step * dt)
        if kind == "clean":
            assert found.reached.all()
        assert found.iterations.max() <= 150  # bounded, whatever the targets are


@pytest.mark.parametrize(("kind", "most"), [("clean", 16), ("noisy", 50), ("out of reach", 50)])
def test_a_frame_that_is_missed_takes_few_iterations(kind: str, most: int) -> None:
    figure, solver, poses, clean = person()
    found = solver.track(poses[0], INPUTS[kind](clean, figure.size))
    assert np.percentile(found.iterations[1:], 99) <= most


@pytest.mark.parametrize("kind", INPUTS)
def test_a_track_in_pieces_is_the_same_track_to_the_bit(kind: str) -> None:
    figure, solver, poses, clean = person()
    rows = INPUTS[kind](clean, figure.size)
    whole = solver.track(poses[0], rows)
    pose, parts, reached = poses[0], [], []
    for first, end in ((0, 1), (1, 2), (2, 41), (41, 42), (42, 120)):
        piece = solver.track(pose, rows[first:end], before=None if first == 0 else rows[first - 1])
        pose = piece.poses[-1]
        parts.append(piece.poses)
        reached.append(piece.reached)
    assert np.array_equal(np.concatenate(parts), whole.poses)
    assert np.array_equal(np.concatenate(reached), whole.reached)


@pytest.mark.parametrize("segment", ["panda.urdf", "ur5_robot.urdf"])
def test_an_arm_in_pieces_is_the_same_track_to_the_bit(segment: str, data: Path) -> None:
    figure = mk.load_figure(data / "urdf" / segment)
    tip = "panda_hand" if segment == "panda.urdf" else "tool0"
    middle = np.where(np.isfinite(figure.lower), 0.5 * (figure.lower + figure.upper), 0.0) + 0.3
    poses = figure.clamp(middle + 0.8 * np.sin(np.linspace(0.0, 6.0, 300)[:, None] + np.arange(figure.nq)))
    solver = mk.Solver(figure, mk.Placement(tip, np.eye(4)))
    rows = rows_of(figure, poses, [tip])
    rows[150:] += 0.3 * np.linspace(0.0, 1.0, 150)[:, None] * (np.arange(7) < 3)  # and out of reach
    rows[:, 3:] /= np.linalg.norm(rows[:, 3:], axis=1, keepdims=True)
    whole = solver.track(poses[0], rows)
    pose, out = poses[0], []
    for t in range(0, 300, 7):
        piece = solver.track(pose, rows[t : t + 7], before=None if t == 0 else rows[t - 1])
        pose = piece.poses[-1]
        out.append(piece.poses)
    assert np.array_equal(np.concatenate(out), whole.poses)


def test_priorities_in_pieces_are_the_same_track_to_the_bit() -> None:
    figure, _, poses, rows = person(60)
    goals = [mk.Placement(part, np.eye(4), priority=0 if "Foot" in part else 1) for part in PARTS]
    solver, rows = mk.Solver(figure, goals), pulled(rows, figure.size)
    whole = solver.track(poses[0], rows)
    first = solver.track(poses[0], rows[:31])
    second = solver.track(first.poses[-1], rows[31:], before=rows[30])
    assert np.array_equal(np.concatenate([first.poses, second.poses]), whole.poses)
    assert not whole.reached.all()
    assert whole.errors[:, [4, 5]].max() <= 1e-3  # the feet come first


def test_later_frames_change_no_earlier_one() -> None:
    figure, solver, poses, clean = person()
    rows = pulled(clean, 1.2 * figure.size)
    whole = solver.track(poses[0], rows)
    for end in (1, 17, 60):
        assert np.array_equal(solver.track(poses[0], rows[:end]).poses, whole.poses[:end])


def test_at_rest_out_of_reach_nothing_shakes_and_the_hand_is_near_its_closest_point() -> None:
    figure = mk.human()
    feet = [mk.Placement(s, figure.placements(figure.rest, [s])[0]) for s in ("LeftFoot", "RightFoot")]
    hand = figure.placements(figure.rest, ["RightHand"])[0, :3, 3]
    solver = mk.Solver(figure, [mk.Position("RightHand", hand), *feet])
    way = np.concatenate([np.linspace(0.0, 1.0, 60), np.ones(60)])
    rows = np.tile(solver.targets, (120, 1))
    rows[:, :3] += np.outer(way, [-1.2, 0.6, 0.9])
    found = solver.track(None, rows)
    moves = figure.difference(found.poses[:-1], found.poses[1:])
    assert np.abs(moves[-30:]).max() <= 1e-5
    missed = np.flatnonzero(~found.reached)
    best = solver.solve_many(found.poses[missed], rows[missed], restarts=0)
    assert (found.errors[missed, 0] - best.errors[:, 0]).max() <= 0.01 * figure.size
    assert (found.errors[-1, 0] - best.errors[-1, 0]) <= 1e-3


def test_the_speed_limit_is_in_radians_a_second() -> None:
    chain = mk.chain(2, planar=True)
    solver = mk.Solver(chain, mk.Position("Tip", (0, 0, 0)))
    angles = np.array([[0.3, 0.5], [0.8, 0.5]])
    rows = chain.placements(angles, ["Tip"])[:, 0, :3, 3]
    for options, most in (
        ({"max_speed": 3.0}, 0.1),
        ({"max_speed": 3.0, "dt": 0.01}, 0.03),
        ({"max_speed": 3.0, "times": [1.0, 1.05]}, 0.15),
        ({"max_speed": {chain.joint_names[0]: 1.5}}, 0.05),
    ):
        found = solver.track(angles[0], rows, **options)
        moved = np.abs(found.poses[1] - found.poses[0])
        assert moved[0] == pytest.approx(most, rel=1e-6), options
        assert not found.reached[1]
        assert "max_speed" in found.notes[0]
    assert solver.track(angles[0], rows).notes == ()
    assert solver.track(angles[0], rows).reached.all()


def test_speeds_of_a_file_are_kept(data: Path) -> None:
    figure = mk.load_figure(data / "urdf" / "panda.urdf")
    speeds = number_speeds(figure, None)
    assert speeds[figure.index_of("panda_joint1")] == 2.175
    assert number_speeds(figure, 0.5)[0] == 0.5
    assert number_speeds(mk.human(), None)[3:].max() == TURNING  # a free root slides as fast as it likes
    assert np.isinf(number_speeds(mk.human(), None)[:3]).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dt": 0.0}, "dt is 0"),
        ({"dt": 0.1, "times": [0.0, 0.1]}, "both dt and times"),
        ({"times": [0.0]}, "times has 1 numbers; it needs 2"),
        ({"times": [0.1, 0.1]}, "later"),
        ({"max_speed": -1.0}, "max_speed is -1.0"),
        ({"max_speed": "fast"}, "max_speed is 'fast'"),
        ({"max_speed": {"Elbow": 1.0}}, "Elbow"),
    ],
)
def test_bad_times_and_speeds_are_named(options: dict[str, Any], message: str) -> None:
    chain = mk.chain(2, planar=True)
    solver = mk.Solver(chain, mk.Position("Tip", (1.0, 0, 0)))
    with pytest.raises(mk.errors.ManikinError, match=message):
        solver.track(None, np.tile(solver.targets, (2, 1)), **options)


LEAVES = (4, 21)
"""Starts of circles that leave reach."""


def circle(start: int, data: Path) -> tuple[mk.Solver, np.ndarray, np.ndarray]:
    """A redundant arm, a pose of it, and 150 placements of its hand on a circle."""
    figure, rng = mk.load_figure(data / "urdf" / "panda.urdf"), fixed_rng(start)
    span = figure.upper - figure.lower
    pose = figure.clamp(figure.lower + span * np.clip(0.5 + 0.15 * rng.normal(size=figure.nq), 0.1, 0.9))
    here = figure.placements(pose, ["panda_hand"])[0]
    angle = np.linspace(0.0, 2.0 * np.pi, 150, endpoint=False)
    points = here[:3, 3] + 0.06 * (np.outer(np.cos(angle) - 1.0, here[:3, 0]) + np.outer(np.sin(angle), here[:3, 1]))
    row = np.concatenate([points, np.tile(rotations.from_matrix(here[:3, :3]), (150, 1))], axis=1)
    return mk.Solver(figure, mk.Placement("panda_hand", here), freeze=["panda_finger_joint1"]), pose, row


@pytest.mark.parametrize("start", LEAVES)
def test_circles_that_leave_reach(start: int, data: Path) -> None:
    """Some of their frames are met by no pose that 30 restarts find, so the next test is not about them."""
    solver, pose, row = circle(start, data)
    assert (~solver.solve_many(np.tile(pose, (len(row), 1)), row, restarts=30).reached).sum() > 10


@pytest.mark.parametrize("start", [start for start in range(31) if start not in LEAVES])
def test_a_closed_path_settles(start: int, data: Path) -> None:
    """A redundant arm on a path in reach: after ten rounds each repeats the last, and no frame is lost."""
    solver, pose, row = circle(start, data)
    found = solver.track(pose, np.tile(row, (30, 1)))
    rounds, reached = found.poses.reshape(30, 150, -1), found.reached.reshape(30, 150)
    assert reached[0].all()
    assert np.abs(np.diff(rounds[10:], axis=0)).max() <= 5e-3
    assert not (reached[:-1] & ~reached[1:]).any()


@pytest.mark.parametrize("by", [(0.0, -0.4, 0.0), (0.3, -0.2, 0.2)])
@pytest.mark.parametrize("speed", [None, 7.5])
@pytest.mark.parametrize("frames", [60, 240])
def test_a_figure_that_is_caught_escapes(by: tuple[float, float, float], speed: float | None, frames: int) -> None:
    """Hips lowered with both toes held: straight knees do not bend by themselves."""
    figure = mk.human()
    toes = [mk.Placement(s, figure.placements(figure.rest, [s])[0]) for s in ("LeftToeBase", "RightToeBase")]
    hips = figure.placements(figure.rest, ["Hips"])[0, :3, 3]
    solver = mk.Solver(figure, [*toes, mk.Position("Hips", hips, priority=1)])
    rows = np.tile(solver.targets, (frames + 120, 1))
    rows[:, -3:] += np.outer(np.clip(np.arange(frames + 120) / frames, 0.0, 1.0), by)
    plain = solver.track(None, rows, max_speed=speed)
    found = solver.track(None, rows, escape=True, max_speed=speed)
    assert plain.errors[-1].max() > 0.1  # caught
    assert found.errors[-1].max() <= 1e-3
    assert not (plain.reached & ~found.reached).any()


@pytest.mark.parametrize("seed", range(6))
def test_neither_refine_nor_escape_loses_a_reached_frame(seed: int) -> None:
    """A hand on wild ways through and out of reach, slowly."""
    figure, rng = mk.human(), np.random.default_rng(seed)
    hand, shoulder = figure.placements(figure.rest, ["RightHand", "RightArm"])[:, :3, 3]
    stations = np.vstack([hand, shoulder + 0.9 * rng.normal(size=(3, 3)), hand])
    way = np.concatenate([np.linspace(a, b, 60, endpoint=False) for a, b in itertools.pairwise(stations)])
    solver = mk.Solver(figure, mk.Position("RightHand", hand), freeze=[figure.segments[0].joint.name])
    plain = solver.track(None, way, max_speed=4.0)
    for options in ({"refine": True}, {"escape": True}, {"refine": True, "escape": True}):
        found = solver.track(None, way, max_speed=4.0, **options)
        assert not (plain.reached & ~found.reached).any(), options
        assert_law_of_speed(solver, found, 4.0)


def assert_law_of_speed(solver: mk.Solver, found: mk.Solutions, max_speed: float) -> None:
    speeds = number_speeds(solver.figure, max_speed)
    for a, b in itertools.pairwise(found.poses):
        assert haste(solver.figure, a, b, RATE, speeds) <= 1.0 + 1e-6


@pytest.mark.parametrize("kind", ["hinges", "balls", "recorded"])
def test_frames_that_go_on_where_the_last_one_ended_are_those_read_anew(kind: str, data: Path) -> None:
    """Without cones the solver goes on in its own numbers; frames one by one begin with the pose alone."""
    if kind == "recorded":
        figure, solver, poses, rows, _ = recorded(data, "cmu_09_01_run", 40)
    else:
        joint = mk.Hinge(axis=(0.0, 0.6, 0.8)) if kind == "hinges" else mk.Ball()
        figure = mk.chain([0.3, 0.25, 0.2, 0.15], joint)
        rng, tip = np.random.default_rng(5), figure.segment_names[-1]
        steps = 0.4 * np.sin(np.linspace(0.0, 5.0, 40)[:, None] + rng.uniform(0.0, 6.0, figure.nv))
        poses = figure.integrate(np.broadcast_to(figure.rest, (40, figure.nq)), steps)
        solver, rows = mk.Solver(figure, mk.Position(tip, (0, 0, 0))), figure.placements(poses, [tip])[:, 0, :3, 3]
    whole = solver.track(poses[0], rows)
    pose, out = whole.poses[0], [whole.poses[0]]
    for t in range(1, len(rows)):
        pose = solver.track(pose, rows[t : t + 1], before=rows[t - 1]).poses[0]
        out.append(pose)
    assert np.array_equal(np.array(out), whole.poses)
