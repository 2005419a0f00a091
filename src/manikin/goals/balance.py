"""Balance: the centre of mass is above the support polygon of some contacts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from manikin import arrays
from manikin.arrays import Matrix, Points, Vector
from manikin.errors import BadValue, unknown_name
from manikin.figure.figure import Figure
from manikin.goals.effector import Effector
from manikin.goals.goal import Goal, Reading, set_field
from manikin.goals.native_terms import MAX_CONTACTS, LinkTerm
from manikin.goals.support import contact_points, edges, ground_axes


@dataclass(frozen=True, eq=False)
class Balance(Goal):
    """The centre of mass, seen along the figure's up axis, is inside the convex support polygon of its contacts.

        error = one row for each edge of the polygon,  ρ + margin,   counted only where it is above 0

    ρ is the distance of the centre of mass beyond the edge (negative inside). The contacts may move: the derivative
    includes the motion of the polygon's corners and the rotation of its edges (`goals.support`). The reported error is
    the largest row: the distance of the centre of mass beyond its worst edge.

    Degenerate: contacts on a line or at a point have a support without area. The centre of mass must then be above that
    line or point. Where a contact enters or leaves the outline of the polygon, the derivative jumps, but the error does
    not.

    Example:
        >>> Balance(["LeftFoot", "RightFoot"], margin=0.02).label
        'Balance LeftFoot RightFoot'
    """

    contacts: Any
    """Names of the segments that stand on the ground, or a mapping {name: points}, which also gives `points`."""
    margin: float = field(default=0.0, kw_only=True)
    """Least distance inside the polygon, length. A negative margin allows that distance outside."""
    points: Any = field(default=None, kw_only=True)
    """Contact points by segment, {name: (k, 3)}, in the segment's space, length. None: the ends of its capsules, the
    centres of its spheres, and the corners of its boxes that are lower in the rest pose."""
    up: str | None = field(default=None, kw_only=True)
    """The world axis that points up, "x", "y" or "z"; None means the figure's up axis."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.contacts, Mapping):
            if self.points is not None:
                raise BadValue("Balance: contacts has points, and points is given too; it needs one of them")
            set_field(self, "points", dict(self.contacts))
        given = self.contacts if isinstance(self.contacts, Iterable) else [self.contacts]
        names = [given] if isinstance(given, str) else list(given)
        if not names or not all(isinstance(n, str) for n in names) or len(set(names)) < len(names):
            raise BadValue(f"Balance: contacts are {self.contacts!r}; they need names of segments, each at most once")
        set_field(self, "contacts", tuple(names))
        set_field(self, "margin", arrays.scalar(self.margin, f"{self.label}: margin"))
        if self.up not in (None, "x", "y", "z"):
            raise BadValue(f"{self.label}: up is {self.up!r}; it must be one of 'x', 'y', 'z'")
        if self.points is not None:
            set_field(self, "points", _checked_points(self.label, names, self.points))

    @cached_property
    def effectors(self) -> tuple[Effector, ...]:
        return tuple(Effector(name) for name in self.contacts)

    @property
    def reads_mass(self) -> bool:
        return True

    @property
    def one_sided(self) -> bool:
        return True

    @property
    def rows(self) -> int:
        return max(4, sum(len(p) for p in self._points.values()))

    def error(self, reading: Reading) -> Vector:
        value, _, _ = self._edges(reading)
        return value + self.margin

    def derivative(self, reading: Reading) -> Matrix:
        _, by_center, by_points = self._edges(reading)
        ground, at = ground_axes(self._up), 0
        blocks = []
        for placement, local in zip(reading.placements, self._points.values(), strict=True):
            pushed = by_points[:, at : at + len(local)] @ ground  # (e, k, 3) derivative by each point of this contact
            arms = local @ placement[:3, :3].T  # (k, 3) from the segment's origin to the point
            blocks += [pushed.sum(axis=1), np.cross(arms, pushed).sum(axis=1)]
            at += len(local)
        return np.hstack([*blocks, by_center @ ground])

    def measure(self, error: Vector) -> float:
        return float(error.max(initial=0.0))

    def on(self, figure: Figure) -> Balance:
        if not figure.mass > 0.0:
            raise BadValue(f"{self.label}: figure {figure.name!r} has no mass to balance; give its segments mass=…")
        points = self.points or {name: _points_of(self.label, figure, name) for name in self.contacts}
        settled = replace(self, up=self.up or figure.up, points=points)
        return Goal.on(settled, figure)

    # Capabilities

    @property
    def whole_figure(self) -> bool:
        return True

    @property
    def evaluated_in_python(self) -> bool:
        return sum(map(len, self._points.values())) > MAX_CONTACTS or super().evaluated_in_python

    def native_terms(self) -> Sequence[LinkTerm]:
        up = "xyz".index(self._up)
        return (LinkTerm("balance", (), self.allowed, flags=up, margin=self.margin, contacts=self._points),)

    @property
    def _points(self) -> Mapping[str, Points]:
        if self.points is None:
            raise BadValue(f"{self.label} has no contact points yet; goal.on(figure) takes them from the figure")
        points: Mapping[str, Points] = self.points
        return points

    @property
    def _up(self) -> str:
        if self.up is None:
            raise BadValue(f"{self.label} has no up axis yet; goal.on(figure) takes it from the figure")
        return self.up

    def _edges(self, reading: Reading) -> tuple[Vector, Matrix, Points]:
        """Values and derivatives of the edges on the ground."""
        assert reading.center_of_mass is not None, "the reading has no centre of mass; Problem.at adds it"
        ground = ground_axes(self._up)
        points = [
            local @ placement[:3, :3].T + placement[:3, 3]
            for placement, local in zip(reading.placements, self._points.values(), strict=True)
        ]
        return edges(np.concatenate(points) @ ground.T, ground @ reading.center_of_mass)


def _points_of(label: str, figure: Figure, name: str) -> Points:
    points = contact_points(figure, name)
    if not len(points):
        raise BadValue(f"{label}: segment {name!r} has no shapes to stand on; give points={{{name!r}: …}}")
    points.flags.writeable = False
    return points


def _checked_points(label: str, names: Sequence[str], points: Any) -> dict[str, Points]:
    if not isinstance(points, Mapping):
        raise BadValue(f"{label}: points is {points!r}; it needs a mapping from segment to its contact points")
    for name in points:
        if name not in names:
            raise unknown_name(label, "contact", name, names)
    missing = [name for name in names if name not in points]
    if missing:
        raise BadValue(f"{label}: points has none for {missing[0]!r}; it needs contact points for each contact")
    checked = {name: arrays.numbers(points[name], f"{label}: points of {name!r}", (None, 3)) for name in names}
    for name, array in checked.items():
        if not len(array):
            raise BadValue(f"{label}: points of {name!r} is empty; it needs at least one")
    return {name: arrays.frozen(array) for name, array in checked.items()}
