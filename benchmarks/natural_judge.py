"""Solves recorded poses from a few of their effectors, and measures the distance of the other joints from the
recording."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import manikin as mk
from benchmarks.cmu import MILLIMETRES, Person
from benchmarks.turns import Array
from manikin import rotations

PLACES = {"head": "Head", "left hand": "LeftFingerBase", "right hand": "RightFingerBase"} | {
    "left foot": "LeftFoot",
    "right foot": "RightFoot",
    "pelvis": "Hips",
}
"""The segment of each effector. `LeftHand` of these rigs only turns the forearm, so the hand is `LeftFingerBase`."""
LIMBS = ("UpLeg", "Leg", "Foot", "ToeBase", "Arm", "ForeArm", "Hand")
JUDGED = ("Hips", "Spine", "Spine1", "Neck", "Head", *(f"{s}{n}" for s in ("Left", "Right") for n in LIMBS))
"""The 19 joints."""
GIVEN = {"Head": "head", "LeftHand": "left hand", "RightHand": "right hand"} | {
    "LeftFoot": "left foot",
    "RightFoot": "right foot",
    "Hips": "pelvis",
}
"""The judged joints that are at the place of each effector."""
BAD = 150.0
"""A frame is bad if a joint is farther from the recording than this, in millimetres."""
CONDITIONS = {
    "a": {**{e: "placement" for e in PLACES if e != "pelvis"}, "pelvis": "position"},
    "b": {e: "position" for e in PLACES if e != "pelvis"},
    "c": dict.fromkeys(("head", "left hand", "right hand"), "placement"),
}
"""a: placements of head, hands and feet, and the position of the hips; b: five positions; c: placements of head and
hands."""
Way = Callable[[mk.Solver, Array], Any]
"""Solves rows of targets."""


def from_rest(solver: mk.Solver, targets: Array) -> Any:
    figure = solver.figure
    start = figure.clamp(figure.rest) if figure.violation(figure.rest) > 0.0 else figure.rest
    return solver.solve_many(start, targets)


def with_heading(solver: mk.Solver, targets: Array) -> Any:
    return solver.solve_many(None, targets)


@dataclass(frozen=True, eq=False)
class Judged:
    """The answers for one person, one condition and one way."""

    error: Array
    """(poses, 19) millimetres."""
    free: Array
    """(19,) whether each joint is free, that is, not given by a goal."""
    reached: Array
    """(poses,)"""

    @property
    def free_error(self) -> Array:
        """(poses,) mean error of the free joints."""
        return self.error[:, self.free].mean(axis=1)

    @property
    def worst(self) -> Array:
        """(poses,) error of the joint that is farthest from the recording."""
        return self.error.max(axis=1)

    @property
    def bad(self) -> Array:
        return self.worst > BAD


def goals_of(condition: str, segments: dict[str, str] = PLACES) -> list[mk.Goal]:
    """The goals of a condition, with placeholder targets."""
    out: list[mk.Goal] = []
    for effector, kind in CONDITIONS[condition].items():
        name = segments[effector]
        out.append(mk.Position(name, (0, 0, 0)) if kind == "position" else mk.Placement(name, np.eye(4)))
    return out


def targets_of(figure: mk.Figure, poses: Array, condition: str, segments: dict[str, str] = PLACES) -> Array:
    """(N, k) the targets of a condition that recorded poses meet."""
    rows = []
    for effector, kind in CONDITIONS[condition].items():
        placed = figure.placements(poses, [segments[effector]])[:, 0]
        rows.append(placed[:, :3, 3])
        if kind == "placement":
            rows.append(rotations.from_matrix(placed[:, :3, :3]))
    return np.concatenate(rows, axis=1)


def judged(person: Person, condition: str, ways: Sequence[Way], most: int | None = None) -> list[Judged]:
    """Solves one person in one condition in each way. `most` limits the number of poses, which are evenly spaced."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        figure, poses = person.limited()
    if most is not None and most < len(poses):
        poses = poses[np.linspace(0, len(poses) - 1, most).astype(int)]
    solver = mk.Solver(figure, goals_of(condition))
    targets = targets_of(figure, poses, condition)
    truth = figure.placements(poses, JUDGED)[..., :3, 3]
    free = np.array([GIVEN.get(name) not in CONDITIONS[condition] for name in JUDGED])
    out = []
    for way in ways:
        found = way(solver, targets)
        away = figure.placements(found.poses, JUDGED)[..., :3, 3] - truth
        out.append(Judged(MILLIMETRES * np.linalg.norm(away, axis=-1), free, np.array(found.reached)))
    return out
