"""`Drag`: a figure that is dragged. Grab a point of it, move the point, let it come to rest, release it.

The goals of a drag have four priorities (`goals`): pins, the toes of planted feet and balance; the dragged point and
the gaze; the soles and the poles; and the pose at the grab, with a stiffness for each joint (`roles`).

Each frame takes a few rows of `Solver.track`, one for each step of the dragged target. The steps are small: in one long
step the trunk would lean to help the limb. No joint turns by more than `pace.MOST_TURN` in a frame, so the figure
follows a fast mouse a little later. While the hand rests, `rest` continues with the same target.

`rest` also searches for a better pose, and leads the figure there: the posture is moved to that pose in small turns.
If the figure was caught in a pose that misses the target, the dragged point does not count on the way. If the target
is met, and only the trunk leans more than it must, the point stays at its target. Pins and planted feet stay in place
all the time.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manikin import arrays
from manikin.arrays import Vector, frozen
from manikin.errors import BadValue, unknown_name
from manikin.figure.figure import Figure
from manikin.goals import Goal, Placement, Position, Posture
from manikin.solution import Solutions
from manikin.solvers.native.solver import Solver
from manikin.studio import pace
from manikin.studio.goals import DRAGGED, FIRST, LAST, SceneGoal
from manikin.studio.pace import Frame
from manikin.studio.roles import Roles
from manikin.studio.turns import Way, largest_turn, part_of_way
from manikin.studio.wishes import natural_wishes


class Drag:
    """A figure with some goals, held by one point."""

    # Set when something is held
    _before: Vector
    _posture: slice
    _steps: bool
    _stride: float
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
        budget: float | None = pace.BUDGET,
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
            budget: time limit of a row in seconds; None means no limit. With a limit, poses depend on the machine.
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
        tolerance = pace.TOLERANCE * self.figure.size
        name = f"drag {segment}"
        made: Goal
        if turn:
            at = np.array(place)
            at[:3, 3] = hit
            tolerances = (tolerance, 5.0 * pace.TOLERANCE)
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
        row = self._row.copy()
        row[self._at.start : self._at.start + 3] = arrays.numbers(point, "point", (3,))
        if quaternion is not None:
            if self._at.stop - self._at.start != 7:
                raise BadValue("a quaternion was given, but only a point is dragged; grab with turn=True")
            row[self._at.start + 3 : self._at.stop] = _unit(arrays.numbers(quaternion, "quaternion", (4,)))
        out_of_reach = self.arrived and self._last.missed
        self._row = row
        self._way, self._rests, self._looked = None, 0, False
        if self._steps and not out_of_reach:
            far = float(np.linalg.norm((self._row - self._before)[self._at][:3]))
            self._stride = max(pace.STEP * self.figure.size, far / pace.MOST_STEPS)
        return self._step()

    def rest(self) -> Frame:
        """One frame with the same target. It also searches for a better pose, once for each target."""
        solver = self._needs_hold()
        self._rests += 1
        if self._way is not None:
            return self._go_on(solver, self._way)
        frame = self._step()
        if not self._looked and (self._still or self._rests >= pace.LOOK_AFTER):
            self._look(solver, frame)
        return frame

    @property
    def settled(self) -> bool:
        """Whether further frames at rest would show nothing new."""
        if self._way is not None or not self.arrived:
            return False
        return (self._still and self._looked) or self._rests >= pace.LONGEST_REST

    @property
    def arrived(self) -> bool:
        """Whether the steps of the dragged target have come to where it was moved."""
        return self._before is self._row

    def release(self) -> Vector:
        """Lets go, where the dragged target was moved. Returns the pose (nq,)."""
        while not self.arrived:
            self._step()
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
        self._steps, self._stride = isinstance(dragged, (Position, Placement)), np.inf
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
        solver, begun, start, turned = self._needs_hold(), time.perf_counter(), self.pose, 0.0
        worked = time.thread_time()  # unlike the clock, it does not depend on other programs
        while True:
            row = self._next_row()
            found = self._track(self.pose, row, pace.MOST_TURN - turned)
            self.pose, self._before, errors = frozen(found.poses[0]), row, found.errors[0]
            if self.arrived:
                break
            turned = largest_turn(self.figure, start, self.pose)
            if self._misses(errors) and turned < pace.ENOUGH * pace.MOST_TURN:
                self._stride = np.inf  # out of reach, where small steps gain nothing
            late = self.budget is not None and time.thread_time() - worked > pace.ENOUGH * self.budget
            if late or turned > pace.ENOUGH * pace.MOST_TURN:
                self._rests = 0
                errors = solver.solve(self.pose, self._row, restarts=0, iterations=0).errors
                break
        seconds = time.perf_counter() - begun
        places = self.figure.placements(np.stack([start, self.pose]))[..., :3, 3]
        self._still = self.arrived and bool(np.abs(places[1] - places[0]).max() < pace.STILL * self.figure.size)
        self._last = Frame(self.pose, frozen(errors), self._misses(errors), seconds)
        return self._last

    def _track(self, pose: Vector, row: Vector, turn: float) -> Solutions:
        """One row of the track from a pose, in which no joint turns by more than `turn`."""
        return self._needs_hold().track(
            pose,
            row[None],
            before=self._before,
            dt=1.0 / pace.RATE,
            max_speed=turn * pace.RATE,
            budget=self.budget,
            **self._wishes,
        )

    def _next_row(self) -> Vector:
        """The present targets, with the dragged one at most a step from where it was."""
        if not np.isfinite(self._stride):
            return self._row
        before, after = self._before[self._at], self._row[self._at]
        step = part_of_way(before, after, self._stride, pace.STEP_TURN)
        if step is after:
            return self._row
        row: Vector = self._row.copy()
        row[self._at] = step
        return row

    def _misses(self, errors: Vector) -> bool:
        """Whether the dragged point misses its target. Without one: whether a goal other than the posture is missed."""
        if self._held is not None:
            return bool(errors[self._held] > self._allowed[self._held])
        return bool(np.any(errors[:-1] > self._allowed[: len(errors) - 1]))

    def _look(self, solver: Solver, frame: Frame) -> None:
        """Searches for a pose with a smaller error that keeps the goals of the first priority.

        If nothing is missed, the pose may only be nearer to the posture: a trunk that leaned for a target out of reach
        comes back upright when the target is in reach again.
        """
        self._looked = True
        restarts, budget = pace.RESTARTS if frame.missed else 0, None if self.budget is None else pace.SEARCH
        found = solver.solve(self.pose, self._row, restarts=restarts, budget=budget, **self._wishes)
        first = np.append(self._on_way[:-1], False)
        kept = np.all(found.errors[first] <= np.maximum(frame.errors[first], 2.0 * self._allowed[first]))
        if not frame.missed:
            if kept and not self._misses(found.errors) and found.errors[-1] < pace.BETTER * frame.errors[-1]:
                self._way = Way(self.figure, self.pose, found.pose, self._on_way, pace.EASY_STRIDE, hold=True)
            return
        score = [float(np.sum(e[self._judged] / self._allowed[self._judged])) for e in (found.errors, frame.errors)]
        if kept and score[0] < pace.BETTER * score[1]:
            self._way, self._rests = Way(self.figure, self.pose, found.pose, self._on_way, pace.STRIDE), 0

    @property
    def _judged(self) -> list[int]:
        """The goals whose errors decide whether a pose is better."""
        return [self._held] if self._held is not None else list(range(len(self._allowed) - 1))

    def _go_on(self, solver: Solver, way: Way) -> Frame:
        """One frame of the way to a better pose."""
        begun = time.perf_counter()
        pose = way.next_pose(solver, self.pose, self._row, self._posture, pace.MOST_TURN)
        if pose is not None and way.hold:
            pose = self._track(pose, self._row, pace.MOST_TURN - largest_turn(self.figure, self.pose, pose)).poses[0]
        if pose is not None:
            self.pose = frozen(pose)
        if pose is None or way.done >= 1.0:
            self._way = None
        self._rests = 0
        errors = solver.solve(self.pose, self._row, restarts=0, iterations=0).errors
        self._last = Frame(self.pose, errors, self._misses(errors), time.perf_counter() - begun)
        return self._last


def _unit(quaternion: Vector) -> Vector:
    """A quaternion with the length 1.

    Raises:
        BadValue: its length is not nearly 1.
    """
    length = float(np.linalg.norm(quaternion))
    if not abs(length - 1.0) < 1e-3:
        raise BadValue(f"quaternion is {quaternion.tolist()}; it needs length 1, in the order w, x, y, z")
    return quaternion / length
