"""The base class of goals. A goal describes where things should be in space; it does not know the joints that move
them.

A goal declares what it reads: the placements of some effectors, the centre of mass, the pose itself. From these it
computes an error and its derivative. `Problem` multiplies the derivative by the figure's Jacobians:

    error     = goal.error(reading)                                  (m,)
    jacobian  = goal.derivative(reading) @ [J_effector₁; J_effector₂; …; J_centre of mass; I]     (m, nv)

The columns of the derivative are, for each effector in order, its linear velocity (3) and its angular velocity (3),
both in world axes. Then follow the velocity of the centre of mass (3) if the goal reads it, and the step (nv) if it
reads the pose.

A new goal is one file with one class: fields, `effectors`, `rows`, `error`, `derivative`, and the methods of
`capabilities.py` that apply to it. Theory: docs/theory/2-state-and-effectors.md.
"""

from __future__ import annotations

import abc
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from manikin import arrays
from manikin.arrays import Matrix, Placements, Vector
from manikin.errors import BadValue
from manikin.figure.figure import Figure
from manikin.goals.capabilities import Capabilities
from manikin.goals.effector import Effector

LARGEST_WEIGHT = 1e100
"""Largest weight of a goal. With larger weights, squares of weighted errors would overflow."""
LARGEST_ERROR = 1e40
"""Largest number in the error or the derivative of a goal in Python. With larger numbers, their powers would
overflow."""
LENGTH_TOLERANCE = 1e-4
"""Default tolerance of a length, as a fraction of `figure.size`."""
ANGLE_TOLERANCE = 1e-3
"""Default tolerance of an angle, radians."""
FARTHEST = 1e12
"""Largest distance of a target, in sizes of the figure. Squares of longer distances absorb every step of a joint, and
finally overflow."""

Tolerance = float | tuple[float, float] | None
AnyGoal = TypeVar("AnyGoal", bound="Goal")


@dataclass(frozen=True, eq=False)
class Reading:
    """The parts of a posed figure that a goal has declared to read."""

    placements: Placements
    """(k, 4, 4) of the goal's effectors in order: each effector's rotation and position, to world from local."""
    center_of_mass: Vector | None = None
    """(3,) world position, length; None unless the goal reads it."""
    pose: Vector | None = None
    """(nq,); None unless the goal reads it."""

    @property
    def position(self) -> Vector:
        """(3,) of the first effector."""
        return self.placements[0, :3, 3]

    @property
    def rotation(self) -> Matrix:
        """(3, 3) of the first effector, to world from local."""
        return self.placements[0, :3, :3]


@dataclass(frozen=True, eq=False)
class Goal(Capabilities, abc.ABC):
    """Base of all goals. Immutable; a moved target is a new goal, `goal.with_target(x)`."""

    weight: float = field(default=1.0, kw_only=True)
    """w ≥ 0 in the sum Σ ½ w ‖error‖², with errors in lengths (angles times a fifth of `figure.size`). With 0 the error
    is only reported."""
    priority: int = field(default=0, kw_only=True)
    """Priority level. 0 comes first, and a later level may not worsen an earlier one."""
    tolerance: Any = field(default=None, kw_only=True)
    """The goal is reached when the error is at most this, in lengths or radians. None: 1e-4 of the figure's size, or
    1e-3 rad."""
    name: str | None = field(default=None, kw_only=True)
    """Name in reports; None: the kind of goal and its segment."""

    def __post_init__(self) -> None:
        label = type(self).__name__
        object.__setattr__(self, "weight", arrays.non_negative(self.weight, f"{label}: weight"))
        if self.weight > LARGEST_WEIGHT:
            raise BadValue(f"{label}: weight is {self.weight:g}; it must be at most {LARGEST_WEIGHT:g}")
        if isinstance(self.priority, bool) or not isinstance(self.priority, (int, np.integer)) or self.priority < 0:
            raise BadValue(f"{label}: priority is {self.priority!r}; it must be a whole number of at least 0")
        if self.name is not None and not isinstance(self.name, str):
            raise BadValue(f"{label}: name is {self.name!r}; it needs a string, or None")
        if self.tolerance is not None:
            object.__setattr__(self, "tolerance", self._checked_tolerance(self.tolerance, f"{label}: tolerance"))

    # Description

    @property
    @abc.abstractmethod
    def effectors(self) -> tuple[Effector, ...]:
        """The effectors whose placements the goal reads."""

    @property
    def reads_mass(self) -> bool:
        """Whether the goal reads the centre of mass."""
        return False

    @property
    def reads_pose(self) -> bool:
        """Whether the goal reads the numbers of the pose."""
        return False

    @property
    @abc.abstractmethod
    def rows(self) -> int:
        """m, the number of rows of the error."""

    @property
    def angular(self) -> tuple[bool, ...]:
        """(m,) whether each row of the error is an angle; the others are lengths."""
        return (False,) * self.rows

    @property
    def row_weights(self) -> tuple[float, ...]:
        """(m,) factor of the weight of each row of the error, at least 0."""
        return (1.0,) * self.rows

    @property
    def one_sided(self) -> bool:
        """Whether rows count only if they are above 0, as in "not below this plane"."""
        return False

    @property
    def target(self) -> Vector:
        """(k,) the target as a row of numbers; empty if the goal has none."""
        return np.zeros(0)

    def with_target(self: AnyGoal, target: ArrayLike) -> AnyGoal:
        """The same goal with another target, in the form of `target`.

        Args:
            target: the target, an array of the shape and unit of `target`: (3,) for a position.
        """
        arrays.numbers(target, f"{self.label}: target", (0,))
        return self

    @property
    def label(self) -> str:
        """The name, or a default such as "Position RightHand"."""
        if self.name is not None:
            return self.name
        return " ".join([type(self).__name__, *dict.fromkeys(e.segment for e in self.effectors)])

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes about parts of the figure that the goal ignores, such as segments without a shape; usually empty."""
        return ()

    @property
    def alternatives(self) -> tuple[Goal, ...]:
        """The goals of which at least one must be met. Usually this is only the goal itself.

        For AnyOf these are its members, with the weight and the priority of the AnyOf.
        """
        return (self,)

    # Evaluation

    @abc.abstractmethod
    def error(self, reading: Reading) -> Vector:
        """(m,) the error, 0 if the goal is met exactly. Rows are lengths or radians, see `angular`.

        Args:
            reading: the placements of its effectors, as `Reading` describes.
        """

    @abc.abstractmethod
    def derivative(self, reading: Reading) -> Matrix:
        """(m, 6 k [+ 3] [+ nv]) derivative of the error with respect to the velocities of the readings (see the module
        docstring).

        Args:
            reading: the placements of its effectors, as `Reading` describes.
        """

    def measure(self, error: Vector) -> float:
        """One number for an error (m,): its norm. Rows of one-sided goals are already clipped at 0.

        Args:
            error: the error, shape (m,), lengths or radians.
        """
        return float(np.sqrt(error @ error))

    @property
    def allowed(self) -> float:
        """The largest `measure` that counts as reached."""
        if self.tolerance is None:
            raise BadValue(f"{self.label} has no tolerance yet; goal.on(figure) gives it the default one")
        return float(self.tolerance)

    # Settling on a figure

    def on(self: AnyGoal, figure: Figure) -> AnyGoal:
        """Settles the goal on a figure: checks the names of segments and fills in the default tolerance.

        Args:
            figure: the figure that the goal is for.
        """
        for effector in self.effectors:
            figure.segment_index(effector.segment)
        return self if self.tolerance is not None else replace(self, tolerance=self._default_tolerance(figure))

    def clipped(self: AnyGoal, figure: Figure) -> AnyGoal:
        """The goal with every coordinate of its targets and offsets clipped to `FARTHEST` sizes of the figure.

        Returns the goal itself if no coordinate is farther away.

        Args:
            figure: the figure whose size counts.
        """
        far = FARTHEST * max(figure.size, 1.0)  # above 1, so that no part of a quaternion or a direction is clipped
        changes = self._clipped_fields(far)
        goal = replace(self, **changes) if changes else self
        target = goal.target
        return goal.with_target(np.clip(target, -far, far)) if np.abs(target).max(initial=0.0) > far else goal

    def _clipped_fields(self, far: float) -> dict[str, Any]:
        """Fields other than the target, with coordinates clipped to `far`."""
        points = {name: np.asarray(getattr(self, name, 0.0)) for name in ("offset", "to_offset")}
        return {k: tuple(np.clip(point, -far, far)) for k, point in points.items() if np.abs(point).max() > far}

    @property
    def evaluated_in_python(self) -> bool:
        """Whether the native solver calls this goal in Python, because the goal has no native terms.

        Read it only from a settled goal, which `on` returns.


        A class that does not define `native_terms` itself is called in Python, even if a base class defines it, because
        its error may differ.
        """
        return "native_terms" not in vars(type(self))

    def _default_tolerance(self, figure: Figure) -> Tolerance:
        return ANGLE_TOLERANCE if all(self.angular) else LENGTH_TOLERANCE * figure.size

    def _checked_tolerance(self, tolerance: Any, label: str) -> Tolerance:
        return arrays.positive(tolerance, label)


def set_field(goal: Goal, name: str, value: Any) -> None:
    """Sets a field while a frozen goal is being constructed."""
    object.__setattr__(goal, name, value)


def require_usable(numbers: Vector, name: str) -> None:
    """Raises BadValue, with the name, for numbers of an error or a derivative that a solver cannot use."""
    arrays.require_finite(numbers, name)
    if np.abs(numbers).max(initial=0.0) > LARGEST_ERROR:
        worst = float(numbers.flat[np.abs(numbers).argmax()])
        raise BadValue(f"{name} contains {worst:g}; numbers must be at most {LARGEST_ERROR:g}")
