"""Custom: a user-defined goal, from functions of the placements of effectors."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from manikin import arrays, rotations
from manikin.arrays import Matrix, Placements, Vector
from manikin.errors import BadShape, BadValue
from manikin.figure.figure import Figure
from manikin.goals.effector import Effector
from manikin.goals.goal import Goal, Reading, require_usable, set_field

STEP = 1e-5
"""Step of the central differences, in radians and in sizes of the figure. The truncation error is the square of the
step, the rounding error is the unit roundoff divided by it. Together they leave about nine digits."""


MOST_ROWS = 46340
"""Largest number of rows. All goals of a solver together have at most as many."""


@dataclass(frozen=True, eq=False)
class Given:
    """The arguments of the user."""

    effectors: tuple[Effector, ...]
    """The effectors whose placements the functions receive, in order."""
    error: Callable[..., ArrayLike]
    """Maps placements (k, 4, 4) to (rows,). Called with (placements), or with (placements, target) if there is a
    target."""
    derivative: Callable[..., ArrayLike] | None
    """Called in the same way; returns (rows, 6 k) with columns as in `goal.py`. None: central differences."""
    angular: tuple[bool, ...]
    """(rows,)"""
    one_sided: bool
    target: Vector
    """(n,)"""


@dataclass(frozen=True, eq=False, init=False)
class Custom(Goal):
    """A goal from functions of the placements of some effectors.

        error      = f(placements)  or  f(placements, target)            (rows,) in lengths, or radians where `angular`
        derivative = g(placements)  or  g(placements, target)            (rows, 6 k), or by central differences

    placements (k, 4, 4) hold each segment's rotation and the effector's position in the world; they are copies. g is
    the derivative of f with respect to the velocities of the effectors. Each effector has six columns: its linear and
    its angular velocity in world axes,  dx = v,  dR = [ω]× R.

    Without g, f is evaluated one step forward and one step back in each of the 6 k directions. That takes 12 k more
    calls of f for each evaluation, and is accurate to about nine digits if f is smooth. In both cases every evaluation
    calls Python, so this goal is slower than the built-in ones. f may be called from another thread than the caller's
    (`Solver.solve_many(threads=…)`).

    Example:
        The hand anywhere on a sphere:

        >>> import manikin as mk
        >>> center = np.array([0.4, 1.2, 0.3])
        >>> def off_the_sphere(placements):
        ...     return [np.linalg.norm(placements[0, :3, 3] - center) - 0.1]
        >>> mk.solve(mk.human(), mk.Custom("LeftHand", off_the_sphere, rows=1)).reached
        True
    """

    given: Given | None = field(default=None, kw_only=True, repr=False)
    """The checked arguments of the user. A copy of a goal is made from them."""
    size: float = field(default=1.0, kw_only=True, repr=False)
    """`figure.size`, the unit of the differences; set by `goal.on(figure)`."""

    def __init__(
        self,
        effectors: Any = None,
        error: Callable[..., ArrayLike] | None = None,
        derivative: Callable[..., ArrayLike] | None = None,
        *,
        rows: int = 1,
        angular: Any = False,
        one_sided: bool = False,
        target: ArrayLike = (),
        weight: float = 1.0,
        priority: int = 0,
        tolerance: float | None = None,
        name: str | None = None,
        given: Given | None = None,
        size: float = 1.0,
    ) -> None:
        """
        Args:
            effectors: the name of a segment, an `Effector`, or several of them. The functions receive their placements
                in this order.
            error: f, which returns (m,), see above.
            derivative: g, which returns (m, 6 k [+ 3] [+ nv]), see above; None means central differences.
            rows: how many numbers f returns.
            angular: whether they are angles (radians); one value for all rows, or one for each row.
            one_sided: whether they count only above 0.
            target: further numbers that f receives, so that they can be changed (`with_target`, `follow`).
            weight, priority, tolerance, name: as for every goal.
            given, size: used when a goal is copied, in place of `effectors` to `target`.
        """
        others = (effectors, error, derivative, rows, angular, one_sided, target)
        if given is not None and others != (None, None, None, 1, False, False, ()):
            raise BadValue("Custom: given is for copies of a goal; it takes the place of effectors to target")
        made = given or _given(effectors, error, derivative, rows, angular, one_sided, target)
        values = {"given": made, "size": size, "weight": weight, "priority": priority}
        for key, value in {**values, "tolerance": tolerance, "name": name}.items():
            set_field(self, key, value)
        super().__post_init__()

    @cached_property
    def effectors(self) -> tuple[Effector, ...]:
        return self._given.effectors

    @property
    def rows(self) -> int:
        return len(self._given.angular)

    @property
    def angular(self) -> tuple[bool, ...]:
        return self._given.angular

    @property
    def one_sided(self) -> bool:
        return self._given.one_sided

    @property
    def target(self) -> Vector:
        return np.array(self._given.target)

    def with_target(self, target: ArrayLike) -> Custom:
        row = arrays.numbers(target, f"{self.label}: target", self._given.target.shape)
        return replace(self, given=replace(self._given, target=arrays.frozen(row)))

    def on(self, figure: Figure) -> Custom:
        return Goal.on(replace(self, size=figure.size), figure)

    def clipped(self, figure: Figure) -> Custom:  # noqa: ARG002
        """Returns the goal unchanged, because only the functions of the user know what its target means."""
        return self

    def error(self, reading: Reading) -> Vector:
        return self._called(self._given.error, reading.placements, "error", (self.rows,))

    def derivative(self, reading: Reading) -> Matrix:
        k = 6 * len(reading.placements)
        if self._given.derivative is not None:
            return self._called(self._given.derivative, reading.placements, "derivative", (self.rows, k))
        out = np.empty((self.rows, k))
        for column in range(k):
            h = STEP * (self.size if column % 6 < 3 else 1.0)
            forth, back = (self.error(Reading(_moved(reading.placements, column, s))) for s in (h, -h))
            out[:, column] = (forth - back) / (2.0 * h)
        require_usable(out, f"{self.label}: derivative by differences: value")
        return out

    @property
    def _given(self) -> Given:
        assert self.given is not None
        return self.given

    def _called(
        self, function: Callable[..., ArrayLike], placements: Placements, what: str, shape: tuple[int, ...]
    ) -> Vector:
        """The checked result of a user function."""
        target = self._given.target
        shown = placements.copy()
        value = function(shown, target) if len(target) else function(shown)
        array: Vector = np.array(arrays.real(value, f"{self.label}: {what} function"))
        if array.shape != shape:
            raise BadShape(f"{self.label}: {what} function gave shape {array.shape}; it must give {shape}")
        require_usable(array, f"{self.label}: {what} function: value")
        return array


def _moved(placements: Placements, column: int, h: float) -> Placements:
    """Placements after one effector is moved along, or rotated about, one world axis by h."""
    out: Placements = placements.copy()
    effector, axis = divmod(column, 6)
    if axis < 3:
        out[effector, axis, 3] += h
    else:
        turn = rotations.to_matrix(rotations.from_axis_angle(np.eye(3)[axis - 3], h))
        out[effector, :3, :3] = turn @ out[effector, :3, :3]
    return out


def _given(
    effectors: Any, error: Any, derivative: Any, rows: Any, angular: Any, one_sided: Any, target: ArrayLike
) -> Given:
    """The checked arguments of the user."""
    if isinstance(effectors, (str, Effector)):
        effectors = [effectors]
    if not isinstance(effectors, Iterable):
        raise BadValue(f"Custom: effectors are {effectors!r}; it needs names of segments, or Effector(segment, offset)")
    made = tuple(e if isinstance(e, Effector) else Effector(e) for e in effectors)
    if not made:
        raise BadValue("Custom: there are no effectors; it needs at least one")
    if not callable(error):
        raise BadValue(f"Custom: error is {error!r}; it needs a function of the effectors' placements")
    if derivative is not None and not callable(derivative):
        raise BadValue(f"Custom: derivative is {derivative!r}; it needs a function of the placements, or None")
    count = arrays.whole(rows, "Custom: rows", least=1)
    if count > MOST_ROWS:
        raise BadValue(f"Custom: rows is {count}; it must be at most {MOST_ROWS}")
    try:
        flags = (angular,) * count if isinstance(angular, (bool, np.bool_)) else tuple(angular)
    except TypeError:
        flags = ()
    if len(flags) != count or not all(isinstance(a, (bool, np.bool_)) for a in flags):
        raise BadValue(
            f"Custom: angular is {angular!r}; it needs True or False, or one of them for each of {count} rows"
        )
    if not isinstance(one_sided, (bool, np.bool_)):
        raise BadValue(f"Custom: one_sided is {one_sided!r}; it must be True or False")
    numbers = arrays.frozen(arrays.numbers(target, "Custom: target", (None,)))
    return Given(made, error, derivative, tuple(map(bool, flags)), bool(one_sided), numbers)
