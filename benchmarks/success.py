"""How often reachable goals are reached: figures of files and generated figures, every kind of goal, from rest.

    MANIKIN_DATA=... python -m benchmarks.success [--quick] [--name before]

Nothing is timed, so the machine may be busy. Every target comes from a pose within limits. Whether it is reached is
computed from the pose by the goals' errors in Python, independent of the solver. A different claim of the solver counts
as a false claim.
"""

from __future__ import annotations

import sys
import time
import warnings
import zlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

import manikin as mk
from benchmarks import pages
from benchmarks.goal_sets import SETS, Goals, Meant
from benchmarks.kinds import KINDS, Rng
from benchmarks.machine import header
from benchmarks.real_figures import SOURCES, Source
from benchmarks.turns import Array
from manikin.figure.movable import movable_steps
from manikin.goals.loops import with_loops
from manikin.problem import Problem

REAL, GENERATED = 300, 50
"""Number of targets of each combination, for figures of files and for generated figures."""
TRIES = 30
"""Number of poses that are drawn for a target. If none of them meets a goal set, the set is left out."""
NEAR = 0.3
"""Standard deviation of joint angles in a pose near the rest pose, in radians. Slides use half this number, in sizes of
the figure."""
METHOD = f"""`Solver.solve` from the rest pose with default arguments. Each target is taken from a pose within limits,
so that all can be reached. Whether it is reached is computed from the pose by the goals' own errors in Python. A
false claim is a pose that the solver calls reached and is not, or the other way round. Violation is the largest excess
over a limit, in radians or lengths. Iterations are means over all targets, all starts together. *Anywhere* are poses
from the whole range of all joints; *near rest* are turns of {NEAR} rad (standard deviation) from the rest pose."""


@dataclass
class Row:
    """One combination of a figure and a goal set."""

    figure: str
    goals: str
    poses: str
    """Origin of the targets: "anywhere" or "near rest"."""
    targets: int = 0
    reached: int = 0
    false_claims: int = 0
    violation: float = 0.0
    iterations: float = 0.0
    worst: float = 0.0
    """The largest error of all goals and targets, in tolerances."""

    @property
    def share(self) -> float | None:
        return self.reached / self.targets if self.targets else None

    def add(self, figure: mk.Figure, goals: Goals, found: Any) -> None:
        """Judges one answer."""
        pose = np.array(found.pose)
        problem = Problem(figure, with_loops(figure, goals), figure.clamp(pose))  # AnyOf: its nearest member
        far = float((problem.at(pose).errors / problem.tolerances).max())
        good = far <= 1.0 + 1e-6
        self.iterations = (self.iterations * self.targets + found.iterations) / (self.targets + 1)
        self.targets += 1
        self.reached += good
        self.false_claims += good != bool(found.reached)
        self.violation = max(self.violation, float(figure.violation(pose)))
        self.worst = max(self.worst, far)


def root_steps(figure: mk.Figure) -> list[int]:
    """Indices of the first of six steps of each free joint."""
    return [figure.step_of(s.joint.name) for s in figure.segments if s.joint.kind == "free"]


def meant_poses(figure: mk.Figure, rng: Rng, count: int, near: bool) -> Array:
    """(count, nq) poses within limits, with closed loops closed. A free root turns and moves by a tenth of a size."""
    steps = np.zeros((count, figure.nv))
    if near:
        slides = {n for s in figure.segments for n in _slides(figure, s.joint)}
        scale = np.array([0.5 * NEAR * figure.size if n in slides else NEAR for n in range(figure.nv)])
        steps = np.where(movable_steps(figure), scale * rng.normal(size=(count, figure.nv)), 0.0)  # held sliders stay
        base = np.broadcast_to(figure.rest, (count, figure.nq))
    else:
        base = figure.random(rng, count)
    for at in root_steps(figure):
        steps[:, at : at + 3] = 0.1 * figure.size * rng.normal(size=(count, 3))
        steps[:, at + 3 : at + 6] = 0.5 * rng.normal(size=(count, 3))
    poses = figure.clamp(figure.integrate(base, steps))
    if not figure.loops:
        return poses
    closed = [mk.solve(figure, [], start=pose) for pose in poses]
    return np.array([s.pose for s in closed if s.reached])


def _slides(figure: mk.Figure, joint: Any) -> Iterator[int]:
    at = figure.step_of(joint.name)
    for motion in joint.motions:
        if not isinstance(motion, mk.Slider):
            return
        if joint.coupling is None:
            yield at
        at += 1


def real_goals(source: Source, figure: mk.Figure, pose: Array, rng: Rng) -> dict[str, Goals]:
    """The goal sets of a figure from a file. The pose reaches all of them."""
    tips = list(source.tips)
    *placed, head = figure.placements(pose, [*tips, source.looks])
    ahead = head[:3, 3] + figure.size * rng.uniform(0.5, 2.0) * (head[:3, :3] @ np.array(source.axis))
    positions: Goals = [mk.Position(tip, P[:3, 3]) for tip, P in zip(tips, placed, strict=True)]
    placements: Goals = [mk.Placement(tip, P) for tip, P in zip(tips, placed, strict=True)]
    sets: dict[str, Goals] = {
        "positions": positions,
        "placements": placements,
        "orientations": [mk.Orientation(tip, P[:3, :3]) for tip, P in zip(tips, placed, strict=True)],
        "positions, aim": [*positions, mk.Aim(source.looks, ahead, axis=source.axis)],
    }
    if len(tips) > 1:
        sets["placement, positions"] = [placements[0], *positions[1:]]
        if source.looks not in tips:
            sets["placements, aim"] = [*placements, mk.Aim(source.looks, ahead, axis=source.axis)]
    return sets


def generator(seed: int, *words: str) -> Rng:
    return np.random.default_rng([seed, zlib.crc32(" ".join(words).encode())])


def real(source: Source, seed: int, count: int) -> list[Row]:
    """All goal sets of one figure from a file, for both distributions of poses."""
    figure = source.load()
    rows: list[Row] = []
    for way in ("anywhere", "near rest"):
        rng = generator(seed, source.title, way)
        solvers: dict[str, mk.Solver] = {}
        found: dict[str, Row] = {}
        for pose in meant_poses(figure, rng, count, way == "near rest"):
            for name, goals in real_goals(source, figure, pose, rng).items():
                if name not in solvers:
                    solvers[name], found[name] = mk.Solver(figure, goals), Row(source.title, name, way)
                row = np.concatenate([goal.target for goal in goals])
                found[name].add(figure, goals, solvers[name].solve(None, row))
        rows += found.values()
    return rows


def generated(kind: str, seed: int, count: int) -> list[Row]:
    """All goal sets of one generated kind: a new figure for each target."""
    rows = [Row(kind, name, "anywhere") for name in SETS]
    for number in range(count):
        made = KINDS[kind](generator(seed, kind, str(number)))
        for row in rows:
            rng = generator(seed, kind, row.goals, str(number))
            for pose in meant_poses(made.figure, rng, TRIES, near=False):
                goals = SETS[row.goals](Meant(made, pose, rng))
                if goals is not None:
                    row.add(made.figure, goals, mk.Solver(made.figure, goals).solve())
                    break
    return rows


def page(head: dict[str, Any], real_rows: list[Row], rows: list[Row], missing: list[str]) -> str:
    out = pages.title("Reachable goals, reached", head, METHOD)
    everything = [*real_rows, *rows]
    totals = [
        f"{sum(r.reached for r in everything):,} of {sum(r.targets for r in everything):,} targets are reached",
        f"{sum(r.false_claims for r in everything)} false claims",
        f"largest violation of a limit {max((r.violation for r in everything), default=0.0):.1g}",
    ]
    out += ["; ".join(totals) + ".", "", "## Figures of files and built in", ""]
    out += [f"Not at hand: {line}." for line in missing] + ([""] if missing else [])
    out += pages.table(
        ["figure", "goals", "targets", "anywhere, % reached", "iterations", "near rest, % reached", "iterations"],
        [_real_line(r, real_rows) for r in real_rows if r.poses == "anywhere"],
        words=2,
    )
    told = "Percent of targets that are reached; a dot is 100. A cell is empty if it has no targets."
    out += ["", "## Generated figures", "", told, ""]
    kinds = dict.fromkeys(r.figure for r in rows)
    share = {(r.figure, r.goals): r.share for r in rows}
    cells = [[k, *(_cell(share[k, s]) for s in SETS)] for k in kinds]
    out += pages.table(["kind", *SETS], cells)
    below = [r for r in everything if r.reached < r.targets]
    out += ["", "## Every combination below 100 %", ""]
    columns = ["figure", "goals", "poses", "reached", "targets", "iterations", "largest error, in tolerances"]
    lines = [
        [r.figure, r.goals, r.poses, f"{r.reached}", f"{r.targets}", f"{r.iterations:.0f}", f"{r.worst:.3g}"]
        for r in sorted(below, key=lambda r: r.share or 0.0)
    ]
    out += pages.table(columns, lines, words=3) if below else ["There is none."]
    wrong = [r for r in everything if r.false_claims or r.violation > 0.0]
    if wrong:
        out += ["", "## False claims and violated limits", ""]
        texts = [[r.figure, r.goals, r.poses, f"{r.false_claims}", f"{r.violation:.1g}"] for r in wrong]
        out += pages.table(["figure", "goals", "poses", "false claims", "violation"], texts, words=3)
    return "\n".join(out)


def _cell(share: float | None) -> str:
    return "·" if share == 1.0 else pages.percent(share)


def _real_line(row: Row, rows: list[Row]) -> list[str]:
    near = next((r for r in rows if (r.figure, r.goals, r.poses) == (row.figure, row.goals, "near rest")), None)
    cells = [row.figure, row.goals, f"{row.targets}", pages.percent(row.share), f"{row.iterations:.1f}"]
    return cells + ([pages.percent(near.share), f"{near.iterations:.1f}"] if near else ["", ""])


def main(arguments: list[str] | None = None) -> int:
    parser = pages.parser("success", __doc__.splitlines()[0])
    parser.add_argument("--real", type=int, default=None, help=f"targets of each combination of a file ({REAL})")
    parser.add_argument("--each", type=int, default=None, help=f"targets of each generated combination ({GENERATED})")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore", mk.errors.MissingShape)  # some generated figures have only some shapes
    many = options.real if options.real is not None else 15 if options.quick else REAL
    few = options.each if options.each is not None else 2 if options.quick else GENERATED
    began, real_rows, rows, missing = time.perf_counter(), [], [], []
    for source in SOURCES if many else ():
        try:
            real_rows += real(source, options.seed, many)
        except FileNotFoundError as error:
            missing.append(f"{source.title} ({error})")
        print(f"[{time.perf_counter() - began:.0f} s] {source.title}", flush=True)
    for kind in KINDS if few else ():
        rows += generated(kind, options.seed, few)
        print(f"[{time.perf_counter() - began:.0f} s] {kind}", flush=True)
    head = header(options.quick, options.seed)
    results = {"header": head, "real": [asdict(r) for r in real_rows], "generated": [asdict(r) for r in rows]}
    path = pages.save("success", options, results | {"missing": missing}, page(head, real_rows, rows, missing))
    print(path.read_text())
    print(f"results are in {path.parent}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
