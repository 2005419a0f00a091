"""Methods side by side: the same move of the same figure by several methods, with a record of each iteration."""

from __future__ import annotations

import base64
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from manikin import arrays
from manikin.arrays import Matrix, Vector
from manikin.chapter.examples import EXAMPLES
from manikin.errors import BadValue, Unsupported, unknown_name
from manikin.figure.figure import Figure
from manikin.figure.joint import Hinge
from manikin.goals import Position
from manikin.motion.follow import follow
from manikin.motion.path import path
from manikin.solvers import METHODS
from manikin.studio.figures import FigureSource
from manikin.studio.goals import PRIORITIES, SceneGoal
from manikin.studio.scene import StudioScene
from manikin.studio.shapes import pose_rows

MOST_METHODS = 3
"""Largest number of methods in one comparison."""
MOST_STEPS = 60
"""Largest number of path points."""
MOST_ROWS = 2_000
"""Largest number of iterations whose numbers are sent to the page, for one method."""
MOST_ITERATIONS = 200
"""Largest number of iterations for one path point."""
SECONDS = 2.0
"""Time limit of one method, in seconds."""
FLAT = 1e-9
"""A figure is planar if no segment leaves the plane by more than this, in sizes of the figure."""


@dataclass(frozen=True)
class Choice:
    """A method and its parameters."""

    method: str = "auto"
    damping: float | None = None
    """λ of "dls" and "bounded-dls", in lengths per radian; None lets the method choose."""
    alpha: float | None = None
    """α of "lbfgsb", in lengths² per radian²."""
    steps: int = 9
    """Number of path points between the start and the targets."""

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise unknown_name("the studio", "method", self.method, list(METHODS))
        for name in ("damping", "alpha"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, arrays.positive(value, name))
        if arrays.whole(self.steps, "steps", 0) > MOST_STEPS:
            raise BadValue(f"steps is {self.steps}; at most {MOST_STEPS} path points are followed")

    @classmethod
    def from_dict(cls, data: Any) -> Choice:
        """Reads a choice that the page sent."""
        known = ("method", "damping", "alpha", "steps")
        if not isinstance(data, Mapping) or not set(data) <= set(known):
            raise BadValue(f"a method is {data!r}; it needs an object with some of {', '.join(known)}")
        return cls(**data)

    @property
    def options(self) -> dict[str, Any]:
        """The options of the method."""
        if self.method in ("dls", "bounded-dls") and self.damping is not None:
            return {"damping": self.damping}
        if self.method == "lbfgsb" and self.alpha is not None:
            return {"alpha": self.alpha}
        return {}


def example_scene(name: str) -> tuple[StudioScene, Figure]:
    """An example of `manikin chapter` as a scene, and its figure: the start pose, with a target for each effector.

    Raises:
        UnknownName: there is no such example.
    """
    found = next((e for e in EXAMPLES if e.name == name), None)
    if found is None:
        raise unknown_name("the chapter", "example", name, [e.name for e in EXAMPLES])
    goals = [
        SceneGoal(
            f"target {e.segment}",
            "position",
            "goal",
            e.segment,
            (float(x), float(y), 0.0),
            priority=PRIORITIES["goal"],
            offset=(e.offset, 0.0, 0.0),
        )
        for e, (x, y) in zip(found.effectors, found.targets, strict=True)
    ]
    title = f"{found.label}: {found.title}"
    return StudioScene(FigureSource.of_figure(found.figure), found.start, tuple(goals), name=title), found.figure


def goals_of(figure: Figure, goals: Sequence[SceneGoal], drag: Any = None) -> list[Position]:
    """The positions among the goals of a scene. The methods from the literature support neither priorities nor balance.

    Args:
        figure: the figure of the scene.
        goals: the goals of the scene.
        drag: what was dragged where, as the page sent it: `segment`, `offset` and `target`; None if nothing was.

    Raises:
        BadValue, UnknownName: there is no position, or the drag does not fit the figure.
    """
    held = [g for g in goals if g.on and g.kind in ("position", "placement") and g.role in ("goal", "pin")]
    if drag is not None:
        if not isinstance(drag, Mapping) or set(drag) != {"segment", "offset", "target"}:
            raise BadValue(f"drag is {drag!r}; it needs an object with segment, offset and target")
        name = figure.segment(drag["segment"]).name
        made = SceneGoal(f"drag {name}", "position", "goal", name, drag["target"], offset=drag["offset"])
        held = [*(g for g in held if g.segment != name), made]
    if not held:
        raise BadValue("no part has a target position; pin or drag a part first")
    flat = planar(figure)
    return [
        Position(g.segment, g.target[: 2 if flat else 3], offset=g.offset, axes="xy" if flat else "xyz", name=g.id)
        for g in held
    ]


def planar(figure: Figure) -> bool:
    """Whether the figure moves in the plane z = 0 only."""
    places = figure.placements(figure.rest)
    in_plane = np.abs(places[:, 2, 3]).max() <= FLAT * figure.size
    motions = [(k, m) for k, s in enumerate(figure.segments) for m in s.joint.motions]
    return bool(in_plane) and all(
        isinstance(m, Hinge) and abs(float(places[k, 2, :3] @ np.asarray(m.axis))) > 1.0 - FLAT for k, m in motions
    )


def compared(
    figure: Figure, goals: Sequence[Position], start: Vector, choices: Sequence[Choice]
) -> list[dict[str, Any]]:
    """The run of each method as plain data. A method that cannot solve the problem has a note and nothing else."""
    if not 0 < len(choices) <= MOST_METHODS:
        raise BadValue(f"{len(choices)} methods were chosen; the studio compares 1 to {MOST_METHODS}")
    return [_run(figure, goals, start, choice) for choice in choices]


def _run(figure: Figure, goals: Sequence[Position], start: Vector, choice: Choice) -> dict[str, Any]:
    began = time.perf_counter()
    try:
        found = follow(
            figure,
            list(goals),
            _path(figure, goals, start, choice.steps),
            start,
            choice.method,
            history=True,
            iterations=MOST_ITERATIONS,
            progress=lambda *_: time.perf_counter() - began < SECONDS,
            **choice.options,
        ).solutions
    except (Unsupported, BadValue) as reason:
        return {"method": choice.method, "applies": False, "note": str(reason)}
    histories = [s.history for s in found if s.history is not None]
    largest = np.concatenate([h.errors.max(axis=1) for h in histories])
    poses = np.stack([start, *(s.pose for s in found)])
    return {
        "method": choice.method,
        "applies": True,
        "errors": _numbers(largest),
        "steps": _numbers(np.concatenate([h.step_norms for h in histories])),
        "conditions": _numbers(np.concatenate([h.condition_numbers for h in histories])),
        "iterations": sum(s.iterations for s in found),
        "reached": bool(found[-1].reached) and len(found) == choice.steps + 1,
        "outside_limits": max(float(s.violation) for s in found),
        "milliseconds": 1e3 * (time.perf_counter() - began),
        "frames": len(poses),
        "rows": base64.b64encode(pose_rows(figure, poses).tobytes()).decode(),
    }


def _path(figure: Figure, goals: Sequence[Position], start: Vector, steps: int) -> Matrix:
    """(T, k) targets on straight lines from the present positions to the targets."""
    rows = []
    for goal in goals:
        place = figure.placements(start, [goal.segment])[0]
        begin = (place[:3, :3] @ np.asarray(goal.offset) + place[:3, 3])[: len(goal.target)]
        rows.append(path(begin, goal.target, steps)[1:])
    out: Matrix = np.concatenate(rows, axis=1)
    return out


def _numbers(values: Vector) -> list[float | None]:
    """Numbers for JSON, at most `MOST_ROWS` of them. Numbers that are not finite become None."""
    kept = values[:MOST_ROWS]
    return [float(f"{x:.4g}") if np.isfinite(x) else None for x in kept.tolist()]
