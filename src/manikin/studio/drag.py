"""`Drag`: a figure that is dragged. Grab a point of it, move the point, let it come to rest, release it.

The goals of a drag have four priorities (`goals`): pins, the toes of planted feet and balance; the dragged point and
the gaze; the soles and the poles; and the pose at the grab, with a stiffness for each joint (`roles`).

Each frame is one row of `Solver.track`. No joint turns by more than `MOST_TURN` in a frame. While the hand rests,
`rest` continues with the same target. If the figure is caught in a pose that misses the target, `rest` searches for a
better pose and leads the figure there: the posture is moved to that pose in small turns, and the dragged point does not
count on the way. Pins and planted feet stay in place all the time.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manikin import arrays
from manikin.arrays import Vector, frozen
from manikin.errors import BadValue, unknown_name
from manikin.figure.figure import Figure
from manikin.goals import Goal, Placement, Position, Posture
from manikin.solvers.native.solver import Solver
from manikin.studio.goals import DRAGGED, FIRST, LAST, SceneGoal
from manikin.studio.roles import Roles
from manikin.studio.turns import Way, largest_turn
from manikin.studio.wishes import natural_wishes

RATE = 60.0
"""Frames a second that the speed limit assumes."""
MOST_TURN = 0.24
"""No joint turns by more than this in a frame, in radians."""
BUDGET = 0.02
"""Time limit of a frame in seconds."""
TOLERANCE = 1e-3
"""Tolerance of the dragged point, in sizes of the figure. People cannot see less."""
STILL = 1.3e-4
"""A figure is at rest if no segment moves by more than this in a frame, in sizes of the figure: 0.2 mm for a person."""
LONGEST_REST = 30
"""A figure counts as settled after this many frames at rest, even if it still creeps."""
LOOK_AFTER = 8
"""After this many frames at rest that miss the target, a better pose is searched."""
RESTARTS = 3
"""Number of restarts of that search."""
BETTER = 0.7
"""The pose found is used if the error falls below this fraction of the present error."""
STRIDE = 0.16
"""Turn of the joint that turns most in a frame on the way to the pose found, in radians. The joints that keep the feet
in place may turn more, up to `MOST_TURN`; otherwise the stride is halved."""
HALVINGS = 5
"""Largest number of times that a stride is halved. If it is still too long, the way ends."""


@dataclass(frozen=True, eq=False)
class Frame:
    """One frame of a drag."""

    pose: Vector
    """(nq,)"""
    errors: Vector
    """(goals,) the error of each goal of `Drag.names`, in lengths or radians."""
    missed: bool
    """Whether the dragged point is farther from its target than its tolerance."""
    seconds: float
    """Time of the solve."""


class Drag:
    """A figure with some goals, held by one point."""

    # Set when something is held
    _before: Vector
    _posture: slice
    _on_way: NDArray[np.bool_]
    _allowed: Vector
    _last: Frame
    _wishes: dict[str, Any]

    def __init__(
        self,
        figure: Figure,
        pose: ArrayLike,
        goals: Iterable[SceneGoal] = (),
        *,
        freeze: Sequence[str] = (),
        roles: Roles | None = None,
        natural: bool = False,
        budget: float | None = BUDGET,
    ) -> None:
        """
        Args:
            figure: the figure to pose.
            pose: (nq,) its pose.
            goals: what to keep while the figure is dragged.
            freeze: names of joints that must not move.
            roles: the roles of the segments; None finds them.
            natural: whether the figure prefers a pose that people take to the pose at the grab (`prefer="natural"`).
                It has no effect on figures that are not people, or if no goal places a hand, a foot, the head or the
                pelvis.
            budget: time limit of a frame in seconds; None means no limit. With a limit, poses depend on the machine.
        """
        self.figure, self.freeze, self.natural, self.budget = figure, tuple(freeze), natural, budget
        self.pose = frozen(figure.check(pose, "pose"))
        self.goals = tuple(goals)
        self.roles = Roles.of(figure) if roles is None else roles
        self.names: tuple[str, ...] = ()
        """Ids of the goals of the present drag, in the order of `Frame.errors`."""
        self.offset = (0.0, 0.0, 0.0)
        """The grabbed point in the space of its segment."""
        self._solver: Solver | None = None
        self._held: int | None = None
        self._way: Way | None = None
        self._rests, self._looked, self._still = 0, False, False
        self._row, self._at = np.zeros(0), slice(0, 0)

    # Taking hold

    def grab(self, segment: str, point: ArrayLike, *, turn: bool = False) -> Frame:
        """Takes hold of a point (3,) on a segment, in world coordinates.

        Goals that hold this segment, or the foot that it belongs to, do not count during the drag.

        Args:
            segment: name of the segment.
            point: (3,) the point that is grabbed.
            turn: whether the orientation is dragged too. `move` then takes a quaternion.
        """
        place = self.figure.placements(self.pose, [segment])[0]
        hit = arrays.numbers(point, "point", (3,))
        offset = place[:3, :3].T @ (hit - place[:3, 3])
        self.offset = (float(offset[0]), float(offset[1]), float(offset[2]))
        tolerance = TOLERANCE * self.figure.size
        name = f"drag {segment}"
        made: Goal
        if turn:
            at = np.array(place)
            at[:3, 3] = hit
            tolerances = (tolerance, 5.0 * TOLERANCE)
            made = Placement(segment, at, offset=offset, priority=DRAGGED, name=name, tolerance=tolerances)
        else:
            made = Position(segment, hit, offset=offset, priority=DRAGGED, name=name, tolerance=tolerance)
        return self._begin([g for g in self.goals if not self._holds(g, segment)], made, segment)

    def grab_target(self, goal: str) -> Frame:
        """Takes hold of the target of a goal, by its id: the point that a gaze, a pole or a pin aims at."""
        found = [g for g in self.goals if g.id == goal]
        if not found:
            raise unknown_name("the scene", "goal", goal, [g.id for g in self.goals])
        if len(found[0].target) < 3:
            raise BadValue(f"goal {goal!r} has no target that could be moved")
        return self._begin([g for g in self.goals if g.id != goal], found[0].goal(self.figure), found[0].segment)

    def hold(self) -> Frame:
        """Takes hold of nothing: `rest` brings the figure to its goals, for example after one was added."""
        return self._begin(self.goals, None, None)

    # During the drag

    def move(self, point: ArrayLike, quaternion: ArrayLike | None = None) -> Frame:
        """One frame with the held point moved to a place (3,), in world coordinates.

        Args:
            point: (3,) where the point should go.
            quaternion: (4,) the orientation w x y z, if it is dragged too; None keeps the last one.
        """
        self._needs_hold()
        if self._held is None:
            raise BadValue("nothing is grabbed, so there is no point to move; call grab first")
        self._row = self._row.copy()
        self._row[self._at.start : self._at.start + 3] = arrays.numbers(point, "point", (3,))
        if quaternion is not None:
            if self._at.stop - self._at.start != 7:
                raise BadValue("a quaternion was given, but only a point is dragged; grab with turn=True")
            self._row[self._at.start + 3 : self._at.stop] = arrays.numbers(quaternion, "quaternion", (4,))
        self._way, self._rests, self._looked = None, 0, False
        return self._step()

    def rest(self) -> Frame:
        """One frame with the same target. It also searches for a better pose if the figure is caught."""
        solver = self._needs_hold()
        self._rests += 1
        if self._way is not None:
            return self._go_on(solver, self._way)
        frame = self._step()
        if frame.missed and not self._looked and (self._still or self._rests >= LOOK_AFTER):
            self._look(solver, frame)
        return frame

    @property
    def settled(self) -> bool:
        """Whether further frames at rest would show nothing new."""
        if self._way is not None:
            return False
        return (self._still and (self._looked or not self._last.missed)) or self._rests >= LONGEST_REST

    def release(self) -> Vector:
        """Lets go. Returns the pose (nq,)."""
        self._solver = None
        return self.pose

    @property
    def solver(self) -> Solver:
        """The solver of the present drag, for `solver.explain(drag.pose, drag.row)`."""
        return self._needs_hold()

    @property
    def row(self) -> Vector:
        """(k,) the present targets."""
        return self._row

    @property
    def held(self) -> slice:
        """Where the dragged target is in `row`."""
        return self._at

    # Inside

    def _holds(self, goal: SceneGoal, segment: str) -> bool:
        """Whether a goal holds a segment, or the foot that it belongs to."""
        foot = self.roles.foot_of(segment)
        same = goal.segment == segment or (foot is not None and goal.segment in (foot.sole, foot.toes))
        if goal.kind == "balance":  # a figure that lifts a foot does not stand on it
            return foot is not None and foot.sole in goal.segments
        return same and goal.role in ("pin", "foot", "sole", "goal")

    def _begin(self, kept: Sequence[SceneGoal], dragged: Goal | None, segment: str | None) -> Frame:
        kept = [g for g in kept if g.on]
        goals = [g.goal(self.figure) for g in kept] + ([] if dragged is None else [dragged])
        posture = Posture(self.pose, stiffness=self.roles.stiffness(segment), priority=LAST, name="posture")
        self._solver = Solver(self.figure, [*goals, posture], freeze=self.freeze)
        self.names = tuple(str(g.name) for g in self._solver.goals)
        self._held = None if dragged is None else len(kept)
        self._row = self._before = np.array(self._solver.targets)
        layout = self._solver.target_layout
        self._at, self._posture = layout[len(kept)][1], layout[-1][1]
        # On the way to a better pose, the goals of the first priority and the posture count.
        self._on_way = np.array([*(g.priority == FIRST for g in goals), True])
        self._allowed = np.array([g.allowed for g in self._solver.goals])
        self._way, self._rests, self._looked, self._still = None, 0, False, False
        self._wishes = natural_wishes(self.figure, goals) if self.natural else {}
        return self._step()

    def _needs_hold(self) -> Solver:
        if self._solver is None:
            raise BadValue("nothing is held; call grab, grab_target or hold first")
        return self._solver

    def _step(self) -> Frame:
        """One frame of the track to the present targets."""
        solver, begun = self._needs_hold(), time.perf_counter()
        found = solver.track(
            self.pose,
            self._row[None],
            before=self._before,
            dt=1.0 / RATE,
            max_speed=MOST_TURN * RATE,
            budget=self.budget,
            **self._wishes,
        )
        seconds = time.perf_counter() - begun
        pose, errors = found.poses[0], found.errors[0]
        places = self.figure.placements(np.stack([self.pose, pose]))[..., :3, 3]
        self._still = bool(np.abs(places[1] - places[0]).max() < STILL * self.figure.size)
        self.pose, self._before = frozen(pose), self._row
        self._last = Frame(self.pose, frozen(errors), self._misses(errors), seconds)
        return self._last

    def _misses(self, errors: Vector) -> bool:
        """Whether the dragged point misses its target. Without one: whether a goal other than the posture is missed."""
        if self._held is not None:
            return bool(errors[self._held] > self._allowed[self._held])
        return bool(np.any(errors[:-1] > self._allowed[: len(errors) - 1]))

    def _look(self, solver: Solver, frame: Frame) -> None:
        """Searches for a pose with a smaller error that keeps the goals of the first priority."""
        self._looked = True
        found = solver.solve(self.pose, self._row, restarts=RESTARTS, **self._wishes)
        first = np.append(self._on_way[:-1], False)
        kept = np.all(found.errors[first] <= np.maximum(frame.errors[first], 2.0 * self._allowed[first]))
        score = [float(np.sum(e[self._judged] / self._allowed[self._judged])) for e in (found.errors, frame.errors)]
        if kept and score[0] < BETTER * score[1]:
            self._way, self._rests = Way(self.figure, self.pose, found.pose), 0

    @property
    def _judged(self) -> list[int]:
        """The goals whose errors decide whether a pose is better."""
        return [self._held] if self._held is not None else list(range(len(self._allowed) - 1))

    def _go_on(self, solver: Solver, way: Way) -> Frame:
        """One frame of the way to a better pose."""
        begun, row, stride = time.perf_counter(), self._row.copy(), STRIDE
        for _ in range(HALVINGS):
            part = way.ahead(stride)
            row[self._posture] = way.at(part)
            found = solver.solve(self.pose, row, active=self._on_way, restarts=0)
            if largest_turn(self.figure, self.pose, found.pose) <= MOST_TURN:
                way.done = part
                self.pose = found.pose
                if part >= 1.0:
                    self._way = None
                break
            stride *= 0.5
        else:
            self._way = None
        self._rests = 0
        errors = solver.solve(self.pose, self._row, restarts=0, iterations=0).errors
        self._last = Frame(self.pose, errors, self._misses(errors), time.perf_counter() - begun)
        return self._last
