"""Natural starts, for the goals of a solver or for goals alone."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from manikin import arrays, backend, rotations
from manikin.arrays import Indices, Matrix, Vector
from manikin.errors import BadValue
from manikin.figure.figure import Figure
from manikin.goals import Effector, Goal
from manikin.prior.anatomy import EFFECTORS, PARTS
from manikin.prior.arrays import NaturalBody
from manikin.prior.model import model
from manikin.reference.natural import Natural
from manikin.reference.tree import BALL as _BALL
from manikin.reference.tree import TURN as _TURN

LEAST_SIGMA = 0.1
"""Smallest standard deviation of an angle, in radians."""
HELD = 0.1
"""Standard deviation, in radians, of joints that belong to no part, such as clavicles, from the rest pose."""
ROOT = (0.06, 0.125)
"""Standard deviation of the root: rotation in radians, position in legs (docs/design/natural.md)."""

MAX_KEPT = 32
"""This many figures are cached with the net: the most recently used ones."""

_bodies: OrderedDict[tuple[int, bytes], NaturalBody] = OrderedDict()
"""Cached bodies, by the identity of the figure and by the steps that may change."""
_lock = Lock()


def natural_pose(figure: Figure, goals: Sequence[Goal] | Goal, floor: float | None = None) -> Vector:
    """Predicts a pose (nq,) in which a person would reach these goals. `start="natural"` starts from this pose.

    A neural network predicts the whole body from the positions and orientations of head, hands, feet and pelvis, or of
    some of them. It was trained on recordings of people (docs/design/natural.md). It reads only the targets of
    `Position`, `Orientation` and `Placement` goals, and of `Aim` goals of the head. The pose is within the joint
    limits. It reaches the goals only approximately.

    Args:
        figure: a person with a free root, whose parts are recognised by their names.
        goals: at least one goal must give the position of one of these effectors.
        floor: height of the floor along `figure.up`, in the figure's unit; None if it is not known.

    Raises:
        BadValue: the figure is not a person, or no goal gives the position of an effector. The message names what is
        missing.

    Example:
        >>> import manikin as mk
        >>> person = mk.human()
        >>> pose = mk.natural_pose(person, [mk.Position("Head", (0, 1.2, 0)), mk.Position("LeftHand", (0.3, 1.0, 0.4))])
        >>> person.violation(pose)
        0.0
    """
    given = [goals] if isinstance(goals, Goal) else list(goals) if isinstance(goals, Iterable) else []
    for goal in given:
        if not isinstance(goal, Goal):
            raise BadValue(f'goals contains {goal!r}; each must be a goal such as Position("RightHand", (x, y, z))')
    if not isinstance(figure, Figure):
        raise BadValue(f"figure is {figure!r}; it needs a Figure, such as manikin.human()")
    height = None if floor is None else arrays.scalar(floor, "floor")
    settled = [goal.on(figure) for goal in given]
    found = NaturalStart(figure, settled, floor=height)
    if not found.has_place:
        raise BadValue(
            f"figure {figure.name!r}: no goal places any of {', '.join(EFFECTORS)} ; a natural pose needs a "
            "Position or a Placement goal for one of them"
        )
    targets = np.concatenate([goal.target for goal in settled])
    rows = found.starts(targets[None], np.array([goal.weight for goal in settled]))
    return np.asarray(rows[0])


class NaturalStart:
    """Natural starts for rows of targets of the same goals."""

    def __init__(
        self,
        figure: Figure,
        goals: Sequence[Goal],
        movable: NDArray[np.bool_] | None = None,
        floor: float | None = None,
    ) -> None:
        """
        Args:
            figure: a person.
            goals: settled on the figure. AnyOf goals are not read.
            movable: (nv,) the steps that may change; None means all.
            floor: height of the floor; None if it is not known.

        Raises:
            BadValue: the figure is not a person, or its root is not free.
        """
        self._body = _body(figure, movable)
        on = self._body.with_goals([g if len(g.alternatives) == 1 else _Nothing(g.target) for g in goals], floor)
        self._placing: Indices = np.asarray(on.point_goal)[np.asarray(on.point_slot) >= 0]
        self.has_place = bool(len(self._placing))
        """Whether a goal gives the position of one of the effectors."""
        self._natural: Natural = backend.natural(on)
        self._figure = figure

    def starts(self, targets: Matrix, weights: Matrix) -> Matrix:
        """Starts (B, nq) within limits, for targets (B, k) and weights (goals,) or (B, goals), 0 for goals that do not
        count."""
        rows = self._natural.starts(np.ascontiguousarray(targets), np.ascontiguousarray(weights, dtype=np.float64))
        return rows if backend.native else self._figure.clamp(rows)

    def placed(self, weights: Matrix) -> NDArray[np.bool_]:
        """For weights (..., goals), whether a goal that counts gives the position of one of the effectors."""
        return np.asarray((weights[..., self._placing] > 0.0).any(axis=-1), dtype=bool)

    def stiffness(self, angle_length: float) -> Vector:
        """(nv,) stiffness of the pull toward a natural start: 1/σ², with σ the standard deviation of recorded people
        from it. Slides count in units of `angle_length`, the length that counts as one radian."""
        return step_stiffness(self._body, angle_length)


@dataclass(frozen=True)
class _Nothing:
    """Placeholder for a goal that is not read."""

    target: Vector
    point_slot: int | None = None
    wanted_rotation: Vector | None = None
    aimed_axis: Vector | None = None
    directions: tuple[int, ...] = ()
    quaternions: tuple[int, ...] = ()
    effectors: tuple[Effector, ...] = ()


def step_stiffness(body: NaturalBody, angle_length: float) -> Vector:
    """(nv,) 1/σ² for each step, slides in units of `angle_length`. Joints of a part share its σ; others are held at
    rest."""
    figure, anatomy, sigma = body.figure, body.anatomy, np.maximum(model().sigma, LEAST_SIGMA)
    tree = figure.layout.tree
    out = np.full(figure.nv, HELD**-2.0)
    for p, name in enumerate(PARTS):
        own = anatomy.joints.get(name, ())
        for i in own:
            joint = figure.segments[i].joint
            first = figure.index_of(joint.name)
            nodes = np.flatnonzero((tree.number >= first) & (tree.number < first + joint.nq) & (tree.step >= 0))
            F = rotations.to_matrix(anatomy.axes[i]) ** 2
            each = len(own) / sigma[3 * p : 3 * p + 3] ** 2
            for node in nodes:
                step = int(tree.step[node])
                if tree.kind[node] == _BALL:
                    out[step : step + 3] = F @ each
                elif tree.kind[node] == _TURN:
                    out[step] = (np.array(tree.axis[node]) ** 2) @ F @ each
    root = body.arrays
    nodes = np.flatnonzero(np.isin(tree.number, [*root.slide, *root.turn]) & (tree.step >= 0))
    for node in nodes:
        step = int(tree.step[node])
        if tree.kind[node] == _BALL:
            out[step : step + 3] = ROOT[0] ** -2.0
        else:
            out[step] = ROOT[0] ** -2.0 if tree.kind[node] == _TURN else (ROOT[1] * anatomy.leg / angle_length) ** -2.0
    return out


def _body(figure: Figure, movable: NDArray[np.bool_] | None) -> NaturalBody:
    """A figure with the net. The most recently used ones are cached."""
    moves = b"" if movable is None or bool(np.all(movable)) else np.asarray(movable).tobytes()
    key = (id(figure), moves)
    with _lock:
        if key in _bodies and _bodies[key].figure is figure:
            _bodies.move_to_end(key)
            return _bodies[key]
    made = NaturalBody(figure, model(), movable if moves else None)
    with _lock:
        _bodies[key] = made
        while len(_bodies) > MAX_KEPT:
            _bodies.popitem(last=False)
    return made
