"""The four hottest paths, run under callgrind: `paths.py requests.so`. Not a test itself; see count.py.

Each path is run N times and then 2N times, with a dump after each; the difference is N calls and nothing else.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable

import numpy as np

import manikin as mk

Run = Callable[[int], bool]
"""So many calls; whether the goals were reached."""
CALLS = {"warm arm": 200, "person, a frame of track": 20, "batch of arms, a target": 256, "chain of 300": 2}
"""Calls (or frames, or targets) that are counted of each path; twice as many in the second run."""


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
    from manikin import rotations

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


def warm_arm() -> Run:
    figure = arm()
    rest = np.array([0.1, -0.4, 0.2, 1.8, 0.1, 1.6, 0.3])
    poses = rest + 0.5 * np.sin(np.linspace(0, 2 * np.pi, 801)[:, None] + np.arange(7))
    rows = placements(figure, poses, "Tool")
    solver = mk.Solver(figure, mk.Placement("Tool", np.eye(4), tolerance=(1e-4, 1e-3)))

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
        return bool(solver.solve_many(starts[:count], rows[:count]).reached.all())

    return run


def person() -> Run:
    figure = mk.human()
    limbs = ("LeftHand", "RightHand", "LeftFoot", "RightFoot")
    poses = path(figure, 400, 0.1, 3)
    head = figure.placements(poses, ["Head"])[:, 0, :3, 3]
    rows = np.concatenate([head, *(placements(figure, poses, s) for s in limbs)], axis=1)
    goals = [mk.Placement(s, np.eye(4), tolerance=(1e-3, 1e-2)) for s in limbs]
    solver = mk.Solver(figure, [mk.Position("Head", (0, 0, 0), tolerance=1e-3), *goals])

    def run(count: int) -> bool:
        return bool(solver.track(poses[0], rows[1 : count + 1]).reached.all())

    return run


def chain() -> Run:
    figure = mk.chain(np.full(300, 0.05), mk.Euler("ZYX", ((-0.6, 0.6),) * 3))
    points = figure.placements(figure.random(np.random.default_rng(4), 4), ["Tip"])[:, 0, :3, 3]
    solver = mk.Solver(figure, mk.Position("Tip", (0, 0, 0), tolerance=1e-3))

    def run(count: int) -> bool:
        return all(solver.solve(figure.rest, points[k % 2]).reached for k in range(count))

    return run


PATHS: dict[str, Callable[[], Run]] = {
    "warm arm": warm_arm,
    "person, a frame of track": person,
    "batch of arms, a target": batch,
    "chain of 300": chain,
}


def main(library: str) -> None:
    requests = ctypes.CDLL(library)
    runs = {name: make() for name, make in PATHS.items()}
    for name, run in runs.items():
        if not run(2 * CALLS[name]):  # and whatever happens only once
            raise SystemExit(f"{name}: not reached")
    requests.start()
    for name, run in runs.items():
        for times in (1, 2):
            requests.zero()
            run(times * CALLS[name])
            requests.dump(f"{name}|{times}".encode())
    print(mk.backend.name)  # valgrind may hide what the processor can do


if __name__ == "__main__":
    main(sys.argv[1])
