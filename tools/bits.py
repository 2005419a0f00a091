"""Digests of answers on drawn problems, to see whether a change keeps every bit.

    python tools/bits.py --count 500 --seed 7 > before.txt    in the environment of one version
    python tools/bits.py --count 500 --seed 7 > after.txt     in that of another
    diff before.txt after.txt                                 each line that differs is a problem with other answers

A line has the number of a problem, what was drawn, and a digest of each call: forward kinematics, `solve`,
`solve_many`, `track`. The script uses only names of the public surface, so it runs with any version. It draws no
`Clearance`, whose answers depend on the version by design.
"""

from __future__ import annotations

import argparse
import hashlib
import math
from typing import Any

import numpy as np

import manikin as mk

ORDERS = ("XY", "ZX", "XYZ", "ZXY", "YZX", "ZYX", "ZXZ")
ROWS, FRAMES = 6, 12
"""How many targets `solve_many` gets, and how many frames `track` gets."""


def drawn_figure(rng: np.random.Generator) -> mk.Figure:
    """A person, a dog, an arm, or a tree with all kinds of joints."""
    kind = rng.choice(["person", "dog", "arm", "tree", "tree", "tree"])
    if kind == "person":
        return mk.human()
    if kind == "dog":
        return mk.quadruped()
    if kind == "arm":
        axes = [(0, 0, 1), (0, 1, 0), (0, 1, 0), (1, 0, 0), (0, 1, 0), (1, 0, 0), (0, 0, 1)][: int(rng.integers(6, 8))]
        hinges = [mk.Hinge(axis, (-2.8, 2.8)) for axis in axes]
        return mk.chain(rng.uniform(0.05, 0.5, len(axes)), hinges, name="arm")
    count = int(rng.integers(4, 20))
    segments = []
    for i in range(count):
        parent = None if i == 0 else f"S{int(rng.integers(max(0, i - 3), i))}"
        offset = tuple(rng.normal(0.0, 0.3, 3))
        segments.append(mk.Segment(f"S{i}", parent, drawn_joint(rng, parent is None), mass=1.0, offset=offset))
    return mk.Figure("tree", segments, unit=1.0, up="y")


def drawn_joint(rng: np.random.Generator, root: bool) -> Any:
    kind = rng.choice(["hinge", "hinge", "euler", "ball", "cone", "slider", "free" if root else "hinge"])
    low, high = -float(rng.uniform(0.2, 2.5)), float(rng.uniform(0.2, 2.5))
    axis = tuple(rng.normal(size=3))
    if kind == "hinge":
        return mk.Hinge(axis, (low, high) if rng.random() < 0.8 else (-math.inf, math.inf))
    if kind == "slider":
        return mk.Slider(axis, (0.2 * low, 0.2 * high))
    if kind == "euler":
        order = str(rng.choice(ORDERS))
        return mk.Euler(order, tuple((low, high) for _ in order) if rng.random() < 0.7 else ())
    if kind == "free":
        return mk.Free()
    if kind == "cone":
        swing = tuple(rng.uniform(0.3, 2.5, 2))
        return mk.Ball(mk.SwingTwist(axis=axis, swing=swing, twist=(low, high)))
    return mk.Ball()


def drawn_goals(rng: np.random.Generator, figure: mk.Figure, pose: np.ndarray) -> list[Any]:
    """One to five goals, most of which `pose` reaches."""
    names = list(figure.segment_names)
    goals: list[Any] = []
    for i in range(int(rng.integers(1, 6))):
        segment = str(rng.choice(names))
        at = figure.placements(pose, [segment])[0]
        point = at[:3, 3] + (rng.normal(0.0, 0.3, 3) * figure.size if rng.random() < 0.15 else 0.0)
        common: dict[str, Any] = {"weight": float(rng.choice([1.0, 1.0, 0.1, 3.0])), "name": f"goal {i}"}
        common["priority"] = int(rng.choice([0, 0, 0, 1]))
        kind = rng.choice(["position", "position", "placement", "orientation", "aim", "plane", "line", "posture"])
        if kind == "position":
            goals.append(mk.Position(segment, point, **common))
        elif kind == "placement":
            goals.append(mk.Placement(segment, at, **common))
        elif kind == "orientation":
            goals.append(mk.Orientation(segment, at[:3, :3], **common))
        elif kind == "aim":
            goals.append(mk.Aim(segment, point + rng.normal(0.0, 1.0, 3), axis=(0, 0, 1), **common))
        elif kind == "plane":
            goals.append(mk.Plane(segment, point=point, normal=rng.normal(size=3), **common))
        elif kind == "line":
            goals.append(mk.Line(segment, point, rng.normal(size=3), **common))
        else:
            goals.append(mk.Posture(figure.random(rng), **{**common, "weight": 0.05}))
    return goals


def moved(rng: np.random.Generator, solver: Any, count: int, far: float) -> np.ndarray:
    """Rows of targets in which points (three numbers) are moved by about `far`."""
    rows = np.repeat(solver.targets[None], count, axis=0)
    for _, where in solver.target_layout:
        if where.stop - where.start == 3:
            rows[:, where] += rng.normal(0.0, far, (count, 3))
    return rows


def digest(*arrays: Any) -> str:
    parts = b"".join(np.ascontiguousarray(a).tobytes() for a in arrays)
    return hashlib.sha256(parts).hexdigest()[:12]


def answers(rng: np.random.Generator) -> str:
    """One line: what was drawn, and the digests of its answers."""
    figure = drawn_figure(rng)
    pose = figure.random(rng)
    goals = drawn_goals(rng, figure, pose)
    solver = mk.Solver(figure, goals)
    start = figure.random(rng)
    poses = np.stack([figure.random(rng) for _ in range(ROWS)])
    restarts = int(rng.choice([0, 3, 30]))
    prefer = figure.random(rng) if rng.random() < 0.3 else None
    rows = moved(rng, solver, ROWS, 0.1 * figure.size)
    steps = np.cumsum(moved(rng, solver, FRAMES, 0.02 * figure.size) - solver.targets, axis=0) + solver.targets
    one = solver.solve(start, restarts=restarts, prefer=prefer)
    simple = mk.solve(figure, goals, restarts=restarts)
    many = solver.solve_many(poses, rows, restarts=restarts, prefer=prefer)
    track = solver.track(start, steps, dt=1 / 30, prefer=prefer)
    parts = {
        "fk": digest(figure.placements(poses), figure.jacobian(pose, figure.segment_names[-1])),
        "solve": digest(one.pose, one.errors, one.reached),
        "mk.solve": digest(simple.pose, simple.errors, simple.reached),
        "many": digest(many.poses, many.errors, many.reached),
        "track": digest(track.poses, track.errors, track.reached),
    }
    kinds = ",".join(type(goal).__name__ for goal in goals)
    return f"{figure.name} {figure.nq} {kinds} " + " ".join(f"{name}={value}" for name, value in parts.items())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=500, help="number of problems")
    parser.add_argument("--seed", type=int, default=0, help="seed of the draw")
    chosen = parser.parse_args()
    for k in range(chosen.count):
        print(k, answers(np.random.default_rng([chosen.seed, k])), flush=True)


if __name__ == "__main__":
    main()
