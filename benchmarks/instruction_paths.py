"""The paths that are counted under callgrind: `instruction_paths.py requests.so hottest|others`; see instructions.py.

The four hottest ones are what the fastest figures of the benchmark stand for. The others are calls as users write them:
with options, on noisy targets, out of reach, with priorities.

Each path is run N times and then 2N times, with a dump after each; the difference is N calls and nothing else.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable

import numpy as np

import manikin as mk
from manikin import rotations
from manikin.prior.start import NaturalStart

LIMBS = ("LeftHand", "RightHand", "LeftFoot", "RightFoot")
Run = Callable[[int], bool]
"""So many calls; whether they ended as they must: reached, or not where the targets are out of reach."""
HOTTEST = {"warm arm": 200, "person, a frame of track": 20, "batch of arms, a target": 256, "chain of 300": 2}
"""Calls (or frames, or targets) that are counted of each of the hottest paths; twice as many in the second run."""
OTHERS = {
    "warm arm, with weights and active": 50,
    "person, a noisy frame of track": 3,
    "person, a frame of track out of reach": 8,
    "person, a solve with priorities": 8,
    "arm, a frame of a drag": 50,
    "person, a frame of a drag": 20,
    "person, a natural start": 50,
}
"""The same of the other paths."""
NOISE = (0.01, 0.05)
"""Of noisy targets: standard deviation of each coordinate in metres, and of each part of a turn in radians."""
OUT_OF_REACH = 1.5
"""Metres that a hand is pulled sideways where it is to be out of reach."""
LOST = 0.1
"""Metres. A tracker that is further from a noisy target has lost it."""


def arm() -> mk.Figure:
    """Seven hinges like those of a common arm; from no file, so that it is the same everywhere."""
    axes = [(0, 0, 1), (0, 1, 0), (0, 0, 1), (0, -1, 0), (0, 0, 1), (0, -1, 0), (0, 0, -1)]
    offsets = [(0, 0, 0.333), (0, 0, 0), (0, 0, 0.316), (0.0825, 0, 0), (-0.0825, 0, 0.384), (0, 0, 0), (0.088, 0, 0)]
    limits = [2.8, 1.7, 2.8, 2.9, 2.8, 2.9, 2.8]
    segments = [mk.Segment("Base")]
    for i, (axis, offset, limit) in enumerate(zip(axes, offsets, limits, strict=True)):
        joint = mk.Hinge(axis=axis, limits=(-limit, limit))
        segments.append(mk.Segment(f"S{i}", segments[-1].name, joint, offset=offset))
    segments.append(mk.Segment("Tool", "S6", offset=(0, 0, -0.2)))
    return mk.Figure("arm", segments)


def placements(figure: mk.Figure, poses: np.ndarray, segment: str) -> np.ndarray:
    """(B, 7) rows of targets."""
    P = figure.placements(poses, [segment])[:, 0]
    return np.concatenate([P[:, :3, 3], rotations.from_matrix(P[:, :3, :3])], axis=1)


def path(figure: mk.Figure, count: int, reach: float, seed: int) -> np.ndarray:
    """Poses on a smooth closed way about the rest pose; the root stays."""
    rng = np.random.default_rng(seed)
    wave = rng.normal(size=figure.nv) * reach
    wave[: 6 if figure.nq != figure.nv else 0] = 0.0
    t = np.linspace(0.0, 2 * np.pi, count, endpoint=False)[:, None]
    steps = np.sin(t + rng.uniform(0, 2 * np.pi, figure.nv)) * wave
    return figure.clamp(figure.integrate(np.broadcast_to(figure.rest, (count, figure.nq)), steps))


def moving_arm() -> tuple[mk.Solver, np.ndarray, np.ndarray]:
    """A solver of the arm, poses on a path, and their rows of targets."""
    figure = arm()
    rest = np.array([0.1, -0.4, 0.2, 1.8, 0.1, 1.6, 0.3])
    poses = rest + 0.5 * np.sin(np.linspace(0, 2 * np.pi, 801)[:, None] + np.arange(7))
    rows = placements(figure, poses, "Tool")
    return mk.Solver(figure, mk.Placement("Tool", np.eye(4), tolerance=(1e-4, 1e-3))), poses, rows


def warm_arm() -> Run:
    solver, poses, rows = moving_arm()

    def run(count: int) -> bool:
        q, solve, found = poses[0], solver.solve, None
        for row in rows[1 : count + 1]:
            found = solve(q, row)
            q = found.pose
        return found is not None and found.reached

    return run


def batch() -> Run:
    figure, rng = arm(), np.random.default_rng(2)
    rows = placements(figure, figure.random(rng, 1024), "Tool")
    starts = figure.random(rng, 1024)
    solver = mk.Solver(figure, mk.Placement("Tool", np.eye(4), tolerance=(1e-4, 1e-3)))

    def run(count: int) -> bool:
        return bool(solver.solve_many(starts[:count], rows[:count], pick="first").reached.all())

    return run


def moving_person() -> tuple[mk.Solver, np.ndarray, np.ndarray]:
    """A solver of head, hands and feet of the person, poses of a motion, and their rows of targets."""
    figure = mk.human()
    poses = path(figure, 400, 0.1, 3)
    head = figure.placements(poses, ["Head"])[:, 0, :3, 3]
    rows = np.concatenate([head, *(placements(figure, poses, s) for s in LIMBS)], axis=1)
    goals = [mk.Placement(s, np.eye(4), tolerance=(1e-3, 1e-2)) for s in LIMBS]
    return mk.Solver(figure, [mk.Position("Head", (0, 0, 0), tolerance=1e-3), *goals]), poses, rows


def person() -> Run:
    solver, poses, rows = moving_person()

    def run(count: int) -> bool:
        return bool(solver.track(poses[0], rows[1 : count + 1]).reached.all())

    return run


def dragged(solver: mk.Solver, start: np.ndarray, rows: np.ndarray) -> Run:
    """Frames one at a time: each call continues the track."""

    def run(count: int) -> bool:
        pose, last, reached = start, None, True
        for row in rows[1 : count + 1]:
            found = solver.track(pose, row, before=last)
            pose, last = found.poses[0], row
            reached = reached and bool(found.reached[0])
        return reached

    return run


def dragged_arm() -> Run:
    solver, poses, rows = moving_arm()
    return dragged(solver, poses[0], rows)


def dragged_person() -> Run:
    solver, poses, rows = moving_person()
    return dragged(solver, poses[0], rows)


def chain() -> Run:
    figure = mk.chain(np.full(300, 0.05), mk.Euler("ZYX", ((-0.6, 0.6),) * 3))
    points = figure.placements(figure.random(np.random.default_rng(4), 4), ["Tip"])[:, 0, :3, 3]
    solver = mk.Solver(figure, mk.Position("Tip", (0, 0, 0), tolerance=1e-3))

    def run(count: int) -> bool:
        return all(solver.solve(figure.rest, points[k % 2]).reached for k in range(count))

    return run


def warm_arm_with_options() -> Run:
    """The warm arm; the options are given and say what the goal says anyway."""
    solver, poses, rows = moving_arm()
    weights, active = np.ones(1), np.ones(1, dtype=bool)

    def run(count: int) -> bool:
        q, found = poses[0], None
        for row in rows[1 : count + 1]:
            found = solver.solve(q, row, weights=weights, active=active)
            q = found.pose
        return found is not None and found.reached

    return run


def noisy_person() -> Run:
    """Hands and feet as a camera sees them: the noise of each frame is its own."""
    solver, poses, rows = moving_person()
    rng = np.random.default_rng(5)
    noisy = rows.copy()
    noisy[:, :3] += NOISE[0] * rng.normal(size=(len(rows), 3))
    for at in range(3, rows.shape[1], 7):
        noisy[:, at : at + 3] += NOISE[0] * rng.normal(size=(len(rows), 3))
        turns = rotations.from_rotation_vector(NOISE[1] * rng.normal(size=(len(rows), 3)))
        noisy[:, at + 3 : at + 7] = rotations.multiply(turns, rows[:, at + 3 : at + 7])

    def run(count: int) -> bool:
        return bool((solver.track(poses[0], noisy[1 : count + 1]).errors < LOST).all())

    return run


def person_out_of_reach() -> Run:
    """The left hand is far beyond its reach in every frame; head, feet and the other hand move on."""
    solver, poses, rows = moving_person()
    far = rows.copy()
    far[:, 3] += OUT_OF_REACH

    def run(count: int) -> bool:
        return not solver.track(poses[0], far[1 : count + 1]).reached.any()

    return run


def person_with_priorities() -> Run:
    """Feet before hands, hands before the head; all can be reached."""
    solver, poses, rows = moving_person()
    figure, level = solver.figure, {"LeftFoot": 0, "RightFoot": 0, "LeftHand": 1, "RightHand": 1}
    goals = [mk.Placement(s, np.eye(4), tolerance=(1e-3, 1e-2), priority=level[s]) for s in LIMBS]
    strict = mk.Solver(figure, [mk.Position("Head", (0, 0, 0), tolerance=1e-3, priority=2), *goals])

    def run(count: int) -> bool:
        return all(strict.solve(poses[0], rows[20 * k + 20]).reached for k in range(count))

    return run


def natural_starts() -> Run:
    """Starts alone, without a solve."""
    solver, _, rows = moving_person()
    start = NaturalStart(solver.figure, solver.goals)
    weights = np.ones(len(solver.goals))

    def run(count: int) -> bool:
        return bool(np.isfinite(start.starts(rows[:count], weights)).all())

    return run


PATHS: dict[str, Callable[[], Run]] = {
    "warm arm": warm_arm,
    "person, a frame of track": person,
    "batch of arms, a target": batch,
    "chain of 300": chain,
    "warm arm, with weights and active": warm_arm_with_options,
    "person, a noisy frame of track": noisy_person,
    "person, a frame of track out of reach": person_out_of_reach,
    "person, a solve with priorities": person_with_priorities,
    "arm, a frame of a drag": dragged_arm,
    "person, a frame of a drag": dragged_person,
    "person, a natural start": natural_starts,
}


def main(library: str, which: str) -> None:
    requests = ctypes.CDLL(library)
    calls = {"hottest": HOTTEST, "others": OTHERS}[which]
    runs = {name: PATHS[name]() for name in calls}
    for name, run in runs.items():
        if not run(2 * calls[name]):  # and whatever happens only once
            raise SystemExit(f"{name}: does not end as it must")
    requests.start()
    for name, run in runs.items():
        for times in (1, 2):
            requests.zero()
            run(times * calls[name])
            requests.dump(f"{name}|{times}".encode())
    print(mk.backend.name)  # valgrind may hide what the processor can do


if __name__ == "__main__":
    main(*sys.argv[1:])
