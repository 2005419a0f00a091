"""`SceneGoal`: a goal that the user of the studio set, as plain data that JSON can hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

import numpy as np

from manikin import arrays, rotations
from manikin.arrays import Vector
from manikin.errors import BadValue
from manikin.figure.figure import Figure
from manikin.goals import Aim, Balance, Clearance, Goal, Orientation, Placement, Plane, Pole, Position
from manikin.studio.roles import Foot

FIRST, DRAGGED, SECOND, LAST = 0, 1, 2, 3
"""Priorities: goals that hold in any case; the dragged point and the gaze; goals that should hold; the pose at the
grab."""
PRIORITIES = {"pin": FIRST, "foot": FIRST, "sole": SECOND, "aim": DRAGGED, "pole": SECOND, "plane": SECOND}
PRIORITIES |= {"balance": FIRST, "clearance": FIRST, "goal": DRAGGED}
"""The priority of a new goal, by its role."""
FOOT_TOLERANCE = (5e-4, 5e-3)
"""Tolerance of planted toes, in sizes of the figure and radians."""
WIDTHS = {"position": 3, "orientation": 4, "placement": 7, "aim": 3, "pole": 3, "plane": 6}
"""Length of the target, by the kind of the goal. Balance and clearance have none."""


@dataclass(frozen=True)
class SceneGoal:
    """One goal of a scene."""

    id: str
    """Unique in the scene, such as "pin RightHand"."""
    kind: str
    """position, orientation, placement, aim, pole, plane, balance or clearance."""
    role: str
    """What the user meant: pin, foot, sole, aim, pole, plane, balance, clearance or goal."""
    segment: str = ""
    """Name of the segment; empty for balance and clearance."""
    target: tuple[float, ...] = ()
    """The numbers of the goal's target."""
    priority: int = FIRST
    weight: float = 1.0
    tolerance: float | tuple[float, float] | None = None
    on: bool = True
    """Whether the goal counts."""
    group: str = ""
    """Goals of one group are shown and removed together: "left foot" holds its toes and its sole."""
    offset: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """The point on the segment, in its own space."""
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)
    """The axis of an aim, in the segment's own space."""
    segments: tuple[str, ...] = ()
    """The segments that carry the balance."""
    distance: float = 0.0
    """The distance of a clearance."""

    def __post_init__(self) -> None:
        where = f"goal {self.id!r}"
        if not self.id:
            raise BadValue("a goal has the empty id; give it a name that is unique in the scene")
        if self.kind not in MAKERS:
            raise BadValue(f"{where}: kind is {self.kind!r}; it must be one of {', '.join(MAKERS)}")
        if self.role not in PRIORITIES:
            raise BadValue(f"{where}: role is {self.role!r}; it must be one of {', '.join(PRIORITIES)}")
        width = WIDTHS.get(self.kind, 0)
        target = arrays.numbers(self.target, f"{where}: target", (width,)) if width else np.zeros(0)
        set_ = object.__setattr__
        set_(self, "target", tuple(float(x) for x in target))
        for name in ("offset", "axis"):
            set_(self, name, tuple(float(x) for x in arrays.numbers(getattr(self, name), f"{where}: {name}", (3,))))
        set_(self, "segments", tuple(self.segments))
        if isinstance(self.tolerance, list):
            set_(self, "tolerance", tuple(self.tolerance))

    def goal(self, figure: Figure) -> Goal:
        """The goal for a solver."""
        made = MAKERS[self.kind](self)
        return replace(made, weight=self.weight, priority=self.priority, tolerance=self.tolerance, name=self.id).on(
            figure
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data. Fields at their defaults are left out."""
        defaults = {f.name: f.default for f in fields(self)}
        return {k: v for k, v in asdict(self).items() if k in ("id", "kind", "role") or v != defaults[k]}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> SceneGoal:
        """Reads `to_dict`.

        Raises:
            BadValue: a field is unknown, missing, or has a value that does not fit.
        """
        known = {f.name for f in fields(cls)}
        unknown = sorted(set(data) - known)
        if unknown:
            raise BadValue(f"a goal has the unknown field {unknown[0]!r}; fields are {', '.join(sorted(known))}")
        missing = [name for name in ("id", "kind", "role") if name not in data]
        if missing:
            raise BadValue(f"a goal has no {missing[0]!r}")
        return cls(**dict(data))


MAKERS: dict[str, Callable[[SceneGoal], Goal]] = {
    "position": lambda g: Position(g.segment, g.target, offset=g.offset),
    "orientation": lambda g: Orientation(g.segment, g.target),
    "placement": lambda g: Placement(g.segment, g.target, offset=g.offset),
    "aim": lambda g: Aim(g.segment, g.target, axis=g.axis, offset=g.offset),
    "pole": lambda g: Pole(g.segment, g.target),
    "plane": lambda g: Plane(g.segment, point=g.target[:3], normal=g.target[3:], offset=g.offset),
    "balance": lambda g: Balance(list(g.segments)),
    "clearance": lambda g: Clearance(g.distance),
}
"""Makes the goal of each kind."""


def placement_of(figure: Figure, pose: Vector, segment: str) -> tuple[float, ...]:
    """The 7 numbers of a segment's placement: position, then quaternion w x y z."""
    matrix = figure.placements(pose, [segment])[0]
    numbers = np.concatenate([matrix[:3, 3], rotations.from_matrix(matrix[:3, :3])])
    return tuple(float(x) for x in numbers)


def pin(figure: Figure, pose: Vector, segment: str) -> SceneGoal:
    """Holds a segment where it is."""
    return SceneGoal(f"pin {segment}", "placement", "pin", segment, placement_of(figure, pose, segment))


def planted(figure: Figure, pose: Vector, foot: Foot) -> list[SceneGoal]:
    """Holds a foot where it is. The toes stay in any case. The sole stays if it can, so that heels may lift.

    A foot without an ankle, such as the end of a robot's leg, may turn about its point on the floor.
    """
    tolerance = (FOOT_TOLERANCE[0] * figure.size, FOOT_TOLERANCE[1])
    if foot.toes is None:
        target = placement_of(figure, pose, foot.sole)
        if figure.segment(foot.sole).joint.nq == 0:
            return [SceneGoal(f"foot {foot.sole}", "position", "foot", foot.sole, target[:3], group=foot.words)]
        return [SceneGoal(f"foot {foot.sole}", "placement", "foot", foot.sole, target, group=foot.words)]
    toes, sole = (placement_of(figure, pose, name) for name in (foot.toes, foot.sole))
    return [
        SceneGoal(f"foot {foot.toes}", "placement", "foot", foot.toes, toes, group=foot.words, tolerance=tolerance),
        SceneGoal(f"sole {foot.sole}", "placement", "sole", foot.sole, sole, SECOND, group=foot.words),
    ]


def balance(segments: tuple[str, ...]) -> SceneGoal:
    """Keeps the centre of mass above the given feet."""
    return SceneGoal("balance", "balance", "balance", segments=segments)
