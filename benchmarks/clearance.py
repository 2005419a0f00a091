"""Clearance: frames of teleoperated hands, queries at a table that cannot be met, and loading a robot with meshes.

    MANIKIN_DATA=... python -m benchmarks.clearance [--quick] [--fresh] [--name after] [--g1 g1.xml] [--before FILE]

A G1 follows smooth drawn paths of two hands around its trunk, with a light posture. A judge of its own
(`clearance_judge`) measures how deep shapes overlap. If a frame overlaps, the Clearance alone is solved from its pose;
if that does not overlap, the other goals have pushed shapes into each other. The scenes have a table and targets on,
under and inside it. `--before` compares the answers with those in the JSON file of an earlier version. `--fresh` takes
the seed from the commit, so that no rule can be chosen on it. `--g1` names a G1 with meshes; without it the robot of
the data folder gets shapes that were measured by eye.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
import warnings
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np

import manikin as mk
from benchmarks import pages
from benchmarks.clearance_judge import Judge
from benchmarks.machine import header
from benchmarks.turns import Array

FRAMES, PATHS = 100, 12
"""Frames of a path, and paths: 1,200 frames."""
SCENES = 3000
HANDS = ("left_wrist_yaw_link", "right_wrist_yaw_link")
RATE = 30.0
MOST_MS = 20.0
"""Allowed for the 99th percentile of a missed query, in milliseconds of CPU time."""
SAME = 2e-4
"""Two answers are equally good if their errors differ by less than this, in sizes of the figure."""
SHAPES: dict[str, list[Any]] = {
    "pelvis": [mk.Capsule((0, 0, -0.07), (0, 0, -0.05), 0.075)],
    "torso_link": [mk.Capsule((0, 0, 0.08), (0, 0, 0.23), 0.11), mk.Capsule((0, 0, 0.3), (0, 0, 0.42), 0.08)],
}
for _side in ("left", "right"):
    SHAPES |= {
        f"{_side}_hip_roll_link": [mk.Capsule((0.03, 0, -0.01), (0.03, 0, -0.12), 0.055)],
        f"{_side}_hip_yaw_link": [mk.Capsule((0, 0, -0.02), (-0.07, 0, -0.18), 0.055)],
        f"{_side}_knee_link": [mk.Capsule((0.01, 0, 0), (0.01, 0, -0.27), 0.05)],
        f"{_side}_shoulder_yaw_link": [mk.Capsule((0, 0, 0), (0.015, 0, -0.08), 0.042)],
        f"{_side}_elbow_link": [mk.Capsule((0.08, 0, -0.01), (0, 0, 0), 0.036)],
        f"{_side}_wrist_roll_link": [mk.Capsule((0.01, 0, 0), (0.035, 0, 0), 0.03)],
        f"{_side}_wrist_pitch_link": [mk.Capsule((0, 0, 0), (0.045, 0, 0), 0.033)],
        f"{_side}_wrist_yaw_link": [mk.Capsule((0, 0, 0), (0.1, 0, 0), 0.033)],
    }


def robot(path: str | None) -> mk.Figure:
    """The G1, standing: with its meshes, or with shapes measured by eye."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        figure = mk.load_figure(path or Path(os.environ["MANIKIN_DATA"]) / "mjcf/unitree_g1.xml", root="fixed")
    if path:
        return figure
    made = [s.replaced(shapes=SHAPES.get(s.name, s.shapes)) for s in figure.segments]
    return figure.replaced(segments=made)


def above(goals: list[mk.Goal]) -> list[mk.Goal]:
    """The goals with the Clearance first, also in versions in which it has the level of its number."""
    if "hard" in {f.name for f in fields(mk.Clearance)}:
        return goals
    return [g if isinstance(g, mk.Clearance) else replace(g, priority=g.priority + 1) for g in goals]


# Teleoperated hands


def hand_paths(figure: mk.Figure, rng: np.random.Generator, frames: int) -> Array:
    """(frames, 6) smooth paths of both hands around the trunk."""
    trunk = figure.placements(figure.rest, ["torso_link"])[0, :3, 3]
    t, out = np.arange(frames)[:, None] / RATE, []
    for side in (1.0, -1.0):
        path = trunk + np.array([0.18, 0.1 * side, 0.12])
        for _ in range(3):
            hertz, size, phase = rng.uniform(0.05, 0.4, 3), rng.uniform(0.05, 0.15, 3), rng.uniform(0.0, 6.28, 3)
            path = path + size * np.sin(2.0 * np.pi * hertz * t + phase)
        out.append(path)
    return np.concatenate(out, axis=1)


def teleoperated(figure: mk.Figure, seed: int, paths: int, *, solve: bool) -> dict[str, Any]:
    """Counts the frames that overlap although the Clearance alone does not."""
    at = figure.placements(figure.rest, list(HANDS))[:, :3, 3]
    hands: list[mk.Goal] = [mk.Position(name, x) for name, x in zip(HANDS, at, strict=True)]
    solver = mk.Solver(figure, [*hands, mk.Clearance(), mk.Posture(figure.rest, weight=0.05)])
    goal = solver.goals[2]
    assert isinstance(goal, mk.Clearance)
    judge, alone, worst, deep, pushed, spent = Judge(figure, goal), mk.Solver(figure, mk.Clearance()), 0.0, 0, 0, 0.0
    for k in range(paths):
        rows = hand_paths(figure, np.random.default_rng([seed, k]), FRAMES)
        rows = np.concatenate([rows, np.tile(figure.rest, (FRAMES, 1))], axis=1)
        began, poses = time.thread_time(), []
        if solve:
            pose = figure.rest
            for row in rows:
                pose = solver.solve(pose, row).pose
                poses.append(pose)
        else:
            poses = list(solver.track(figure.rest, rows, dt=1.0 / RATE).poses)
        spent += time.thread_time() - began
        for pose in poses:
            depth = judge.depth(pose)
            worst = max(worst, depth)
            if depth > goal.allowed:
                deep += 1
                pushed += judge.depth(alone.solve(pose).pose) <= goal.allowed
    frames = paths * FRAMES
    return {
        "what": "solve" if solve else "track",
        "frames": frames,
        "overlap": deep,
        "pushed": pushed,
        "deepest_mm": 1e3 * worst,
        "allowed_mm": 1e3 * goal.allowed,
        "ms": 1e3 * spent / frames,
    }


# Tables


def scene(figure: mk.Figure, hands: tuple[str, str], rng: np.random.Generator) -> list[mk.Goal]:
    """Goals of one or two hands at a table. The figure faces z with y up (the person), or x with z up."""
    ahead, side, up = ((2, 0, 1) if figure.up == "y" else (0, 1, 2)) if figure.up in ("y", "z") else (0, 1, 2)

    def vector(forward: float, across: float, height: float) -> Array:
        out = np.zeros(3)
        out[[ahead, side, up]] = forward, across, height
        return out

    top, thick = rng.uniform(0.6, 1.0), 0.5 * rng.uniform(0.03, 0.1)
    half = vector(rng.uniform(0.2, 0.5), rng.uniform(0.3, 0.8), thick)
    center = vector(0.2 + half[ahead] + rng.uniform(-0.05, 0.2), rng.uniform(-0.3, 0.3), top - thick)
    target = vector(rng.uniform(0.1, 0.7), rng.uniform(-0.5, 0.5), top + rng.uniform(-0.35, 0.35))
    goals: list[mk.Goal] = [mk.Position(hands[0], target)]
    if rng.random() < 0.5:
        goals.append(mk.Position(hands[1], target + 0.2 * rng.normal(size=3)))
    if figure.name == "human":
        goals += [mk.Placement(foot, figure.placements(figure.rest, [foot])[0]) for foot in ("LeftFoot", "RightFoot")]
    if rng.random() < 0.5:
        goals.append(mk.Posture(figure.rest, weight=0.05))
    return [*goals, mk.Clearance(obstacles={"table": mk.Box(tuple(half), tuple(center))})]


def tables(robot: mk.Figure, seed: int, count: int) -> list[dict[str, Any]]:
    """One answer for each scene: figure, whether reached, error of the other goals, overlap, milliseconds."""
    figures = [(mk.human(), ("RightHand", "LeftHand")), (robot, (HANDS[1], HANDS[0]))]
    out = []
    for k in range(count):
        figure, hands = figures[k % len(figures)]
        goals = above(scene(figure, hands, np.random.default_rng([seed, 1, k])))
        solver = mk.Solver(figure, goals)
        began = time.thread_time()
        found = solver.solve()
        ms = 1e3 * (time.thread_time() - began)
        weight = np.array([g.weight for g in found.goals[:-1]])
        unit = np.array([0.2 if all(g.angular) else 1.0 / figure.size for g in found.goals[:-1]])
        out.append(
            {
                "figure": figure.name,
                "reached": bool(found.reached),
                "error": float(np.sqrt(weight @ np.square(found.errors[:-1] * unit))),
                "overlap": float(found.errors[-1] / found.goals[-1].allowed),
                "ms": ms,
                "iterations": int(found.iterations),
            }
        )
    return out


def loading(path: str) -> dict[str, float]:
    """Seconds of CPU time to load a file, in a new process each, because MuJoCo keeps meshes."""
    code = "import sys, time, warnings, mujoco, manikin as mk, manikin.files.mjcf; warnings.simplefilter('ignore');"
    code += "t = time.process_time(); {}; print(time.process_time() - t)"
    jobs = {"mujoco": "mujoco.MjModel.from_xml_path(sys.argv[1])", "manikin": "mk.load_figure(sys.argv[1])"}
    times: dict[str, list[float]] = {name: [] for name in jobs}
    for _ in range(3):
        for name, job in jobs.items():
            run = subprocess.run([sys.executable, "-c", code.format(job), path], capture_output=True, check=True)
            times[name].append(float(run.stdout))
    return {name: min(each) for name, each in times.items()}


def compared(now: list[dict[str, Any]], old: list[dict[str, Any]]) -> dict[str, int]:
    """Scenes with a better and with a worse answer than before."""
    change = np.array([a["error"] - b["error"] for a, b in zip(now, old, strict=False)])
    deeper = sum(a["overlap"] > max(1.0, b["overlap"]) for a, b in zip(now, old, strict=False))
    lost = sum(b["reached"] and not a["reached"] for a, b in zip(now, old, strict=False))
    return {
        "scenes": len(change),
        "better": int((change < -SAME).sum()),
        "worse": int((change > SAME).sum()),
        "deeper": deeper,
        "lost": lost,
    }


def page(head: dict[str, Any], results: dict[str, Any]) -> str:
    method = """Frames overlap if two shapes are nearer than the tolerance of the goal allows, by a judge that shares no
    code with the goal. They are pushed if the Clearance alone, solved from there, does not overlap. Times are CPU
    time."""
    lines = pages.title("Clearance: teleoperated frames, tables, loading", head, method)
    columns = ["draw", "call", "frames", "overlap", "pushed", "deepest mm", "allowed mm", "ms a frame"]
    cells = [
        [draw, r["what"], *(str(r[key]) for key in ("frames", "overlap", "pushed"))]
        + [f"{r[key]:.{digits}f}" for key, digits in (("deepest_mm", 3), ("allowed_mm", 3), ("ms", 2))]
        for draw, rows in results["teleoperated"].items()
        for r in rows
    ]
    lines += [*pages.table(columns, cells, 2), ""]
    columns = ["draw", "figure", "missed", "median ms", "p99 ms", "worst ms", "iterations", "overlap", "reached"]
    cells = []
    for draw, rows in results["tables"].items():
        for name in dict.fromkeys(r["figure"] for r in rows):
            missed = [r for r in rows if r["figure"] == name and not r["reached"]]
            ms = np.percentile([r["ms"] for r in missed], [50, 99, 100])
            steps = f"{np.median([r['iterations'] for r in missed]):.0f}"
            deep = sum(r["overlap"] > 1.0 for r in missed)
            cells.append([draw, name, str(len(missed)), *(f"{x:.1f}" for x in ms), steps, str(deep)])
            cells[-1].append(str(sum(r["reached"] for r in rows if r["figure"] == name)))
    lines += [f"Queries at a table that miss a goal; {MOST_MS:g} ms are wanted for the 99th percentile.", ""]
    lines += pages.table(columns, cells, 2)
    if results["compared"]:
        words = ", ".join(f"{v} {k}" for k, v in results["compared"].items())
        lines += ["", f"Compared with the version before: {words}."]
    if results["loading"]:
        a, b = results["loading"]["manikin"], results["loading"]["mujoco"]
        lines += [
            "",
            f"Loading the G1 with meshes: {a:.2f} s; MuJoCo alone {b:.2f} s; ratio {a / b:.2f} (1.5 allowed).",
        ]
    return "\n".join(lines)


def fresh_seed() -> int:
    """The first 32 bits of the commit."""
    run = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, check=True, cwd=Path(__file__).parent)
    return int(run.stdout[:8], 16)


def main(arguments: list[str] | None = None) -> int:
    parser = pages.parser("clearance", __doc__.splitlines()[0])
    parser.add_argument("--fresh", action="store_true", help="also draw with the seed of the commit")
    parser.add_argument("--g1", default=None, help="g1.xml of MuJoCo Menagerie with its assets")
    parser.add_argument("--before", type=argparse.FileType(), default=None, help="results of an earlier version")
    options = parser.parse_args(arguments)
    paths, count = (2, 40) if options.quick else (PATHS, SCENES)
    figure = robot(options.g1)
    seeds = {"work": options.seed} | ({"fresh": fresh_seed()} if options.fresh else {})
    results: dict[str, Any] = {"teleoperated": {}, "tables": {}, "compared": {}, "loading": {}, "seeds": seeds}
    for draw, seed in seeds.items():
        results["teleoperated"][draw] = [teleoperated(figure, seed, paths, solve=solve) for solve in (False, True)]
        results["tables"][draw] = tables(figure, seed, count if draw == "work" else count // 3)
    if options.before:
        results["compared"] = compared(results["tables"]["work"], json.load(options.before)["tables"]["work"])
    if options.g1:
        results["loading"] = loading(options.g1)
    head = header(options.quick, options.seed)
    text = page(head, results)
    path = pages.save("clearance", options, {"header": head, **results}, text)
    print(text)
    print(f"results are in {path.parent}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
