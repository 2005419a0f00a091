"""`Solver`: a figure and goals, compiled once. Targets, weights and active goals may change from call to call.

If the arguments of a call already have the form that the core needs, the native method handles the call alone
(cpp/bindings/door.h). The Python body of a method handles all other calls: it converts the arguments, or raises an
error that says what is wrong with them.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from numpy.typing import ArrayLike

from manikin.arrays import Matrix, Vector, copies
from manikin.base.progress import Progress
from manikin.errors import BadShape, BadValue
from manikin.solution import Solution, Solutions
from manikin.solvers import whole
from manikin.solvers.native.arguments import (
    Stiffness,
    checked_out,
    checked_pick,
    one_pose,
    poses,
    preference_options,
    row_count,
    shared_options,
)
from manikin.solvers.native.compiled import Compiled
from manikin.solvers.native.information import information
from manikin.solvers.native.natural import Start
from manikin.solvers.native.speeds import MaxSpeed
from manikin.solvers.native.targets import Targets
from manikin.solvers.native.tracks import check_options, clips_of, for_each, seconds_for_each, track_arguments

if TYPE_CHECKING:
    from manikin.report.data import Report

    Method = TypeVar("Method", bound=Callable[..., Any])

    def native_method(function: Method) -> Method: ...
else:
    try:
        from manikin._core import native_method
    except ImportError:  # `backend` reports this when something is computed

        def native_method(function):
            """Returns the method unchanged."""
            return function


class Solver(Compiled):
    """The production solver: goals on a figure, compiled once. It is immutable, so threads may share it.

    `targets` is one row of numbers with the targets of all goals in order (`target_layout`): Position 3 (or its axes),
    Orientation 4, Placement 7, Aim 3, Plane 6 (point, normal), Balance 0, AnyOf the sum of its members. `row` makes
    such a row from targets by name. If all goals are placements, 4×4 matrices are accepted too.

    The closed loops of the figure are goals too. They come after the given goals and have a higher priority (see
    `solve`). They have errors, but their targets, weights and activity cannot be changed.

    Example:
        >>> import manikin as mk
        >>> arm = mk.chain(3, planar=True)
        >>> solver = Solver(arm, [mk.Position("Tip", (1.0, 1.0), axes="xy")])
        >>> solver.target_layout
        [('Position Tip', slice(0, 2, None))]
        >>> solver.solve_many(arm.rest, [[1.0, 1.0], [0.0, 2.5], [9.0, 0.0]]).reached
        array([ True,  True, False])
    """

    @native_method
    def solve(
        self,
        start: Start = None,
        targets: Targets = None,
        *,
        weights: ArrayLike | None = None,
        active: ArrayLike | None = None,
        restarts: int | None = None,
        iterations: int = 1_000_000,
        budget: float | None = None,
        seed: int = 0,
        pick: str = "near",
        prefer: Start = None,
        stiffness: Stiffness = None,
        settle: bool = False,
        out: Vector | None = None,
    ) -> Solution:
        """One pose for one row of targets. The result is the same as one row of `solve_many`.

        The call releases the GIL, except for arms that are solved within a few microseconds.

        Args:
            start: (nq,) the pose to start from. A start outside its limits is moved inside them; `start_violation` and
                `notes` report this. None means the rest pose, turned and moved to the targets if three or more
                effectors determine a heading. "natural" means a pose that a person would take (see
                `manikin.natural_pose`).
            targets: (k,), or a dict of targets by name (see `row`); None means the goals' own targets.
            weights, active, restarts, iterations, budget, seed, pick, prefer, stiffness, settle: as in `solve_many`,
                for one row.
            out: (nq,) array that receives the pose, with the same conditions as in `Figure.placements`.
        """
        from manikin import _core

        given = start
        start, targets, weights, active = copies(start, targets, weights, active)
        prefer, stiffness = copies(prefer, stiffness)
        row = self._targets.one(targets, "targets", "solve takes one row,")
        options = shared_options(self._own, 1, weights, active, restarts, iterations, budget, seed)
        wished = self._natural.wished(start, row, weights, active, prefer, stiffness)
        first = one_pose(self.figure, wished.start, "solve takes")
        checked_out(out, (self.figure.nq,), None if isinstance(given, str) else given)
        options |= preference_options(self.figure, 1, wished.prefer, wished.stiffness) | {"settle": bool(settle)}
        solution: Solution = _core.solve(self, first, row, **options, pick=checked_pick(pick), out=out)
        return wished.noted(solution)

    @native_method
    def solve_many(
        self,
        start: Start = None,
        targets: Targets = None,
        threads: int = 1,
        *,
        weights: ArrayLike | None = None,
        active: ArrayLike | None = None,
        restarts: int | None = None,
        iterations: int = 1_000_000,
        budget: float | None = None,
        seed: int = 0,
        pick: str = "near",
        prefer: Start = None,
        stiffness: Stiffness = None,
        settle: bool = False,
        out: Matrix | None = None,
    ) -> Solutions:
        """Solves for many poses. Each row has the same bits as in `solve`, for any number of threads.

        Args:
            start: (B, nq), or (nq,) for all rows. A start outside its limits is moved inside them; `start_violation`
                and `notes` report this. None means the rest pose. In each row it is turned and moved to the targets if
                three or more active effectors determine a heading (see `manikin.solve`). "natural" means, in each row,
                a pose that a person would take (see `manikin.natural_pose`).
            targets: (B, k), or (k,) for all rows; None means the goals' own targets. NaN is allowed only for goals that
                are not active.
            threads: number of threads that share the rows.
            weights: (goals,) or (B, goals), instead of the goals' own weights.
            active: (goals,) or (B, goals) bool: the goals that count; None means all.
            restarts: largest number of further starts in one search if the first start ends in a local minimum. It has
                the same meaning for every figure; 0 means a single start. None means the default in docs/tuning.md: 30,
                or more if starts are cheap.
            iterations: largest number of iterations of one row, over all its starts.
            budget: time limit of the whole call in seconds; None means no limit. With a limit, results may depend on
                the machine.
            seed: seed of the random starts.
            pick: the solution to return for an arm (one Placement at the end of six to eight joints) that has several.
                "near" is the solution nearest to the start. "first" is the first solution found, which is several times
                as fast.
            prefer: (nq,) or (B, nq), a preferred pose. The solver pulls toward it on the way to the goals. The pull
                vanishes with the error, so it does not bias the goals, and it never counts for `reached`. None pulls
                toward the middle of the joint ranges.
            stiffness: strength of that pull: one number for each step (nv,), or {joint: number} with 1 for joints that
                are not named. Only ratios count. None means 1, and 0 for a free root.
            settle: whether to continue after the goals are reached, among the poses that reach them, to the one nearest
                to the preferred pose. If there is only one nearest pose, it does not depend on the start.
            out: (B, nq) array that receives the poses, with the same conditions as in `Figure.placements`.
        """
        from manikin import _core

        given = start
        start, targets, weights, active = copies(start, targets, weights, active)
        prefer, stiffness = copies(prefer, stiffness)
        rows = self._targets.rows(targets)
        word = isinstance(start, str)
        first = None if word else poses(self.figure, start)
        count = row_count(first, rows)
        options = shared_options(self._own, count, weights, active, restarts, iterations, budget, seed)
        wished = self._natural.wished(start if word else first, rows, weights, active, prefer, stiffness)
        if word:
            first = poses(self.figure, wished.start)
        checked_out(out, (count, self.figure.nq), None if word else given)
        options |= preference_options(self.figure, count, wished.prefer, wished.stiffness) | {"settle": bool(settle)}
        number = whole(threads, "threads", 1)
        solutions: Solutions = _core.solve_many(self, first, rows, number, **options, pick=checked_pick(pick), out=out)
        return wished.noted(solutions)

    @native_method
    def track(
        self,
        start: Start,
        targets: Targets,
        *,
        before: ArrayLike | None = None,
        dt: float | None = None,
        times: ArrayLike | None = None,
        max_speed: MaxSpeed = None,
        stay: float | None = None,
        prefer: Start = None,
        stiffness: Stiffness = None,
        settle: bool = False,
        refine: bool = False,
        escape: bool = False,
        weights: ArrayLike | None = None,
        active: ArrayLike | None = None,
        restarts: int = 0,
        iterations: int = 1_000_000,
        budget: float | None = None,
        seed: int = 0,
        seconds: Vector | None = None,
        out: Matrix | None = None,
    ) -> Solutions:
        """Solves frame after frame, each from the previous pose, in one native call: (T, k) targets -> T poses.

        A frame depends on the previous pose and on its own targets, never on a later frame. No joint moves faster than
        `max_speed` from one frame to the next. The work of a frame is bounded: if its goals cannot all be reached, the
        solver stops as soon as further steps gain little.

        If `solve(restarts=0)` reaches the goals of a frame from the previous pose without exceeding a speed limit,
        `track` reaches them too, except in rare cases (docs/limitations.md). Other frames are missed; `notes` says
        which frames are missed because of a speed limit. Unless the track is continued, the first frame is solved as in
        `solve`, from the unchanged start.

        Two further passes are meant for offline work. Neither turns a reached frame into a missed one.

        - `refine` solves the frames around the edge of reach together, so that a hand reaches its closest point at the
          right time. It looks ahead. It needs up to 200 solves for each of these frames, which takes some milliseconds,
          or up to 0.1 s if a `Balance` or a `Posture` is among the goals.
        - `escape` leaves a local minimum. After eight missed frames it searches for a pose that reaches the goals or
          has smaller errors, and moves there as fast as the speed limits allow. Each search takes some milliseconds.

        While its target moves, a redundant arm is pulled toward a pose that is far from singular poses. On a closed
        path its poses therefore converge instead of drifting.

        The member of an AnyOf is chosen as in `solve`, in the first frame in which the AnyOf is active. Later frames
        keep it, so that the figure does not jump. With `restarts`, a missed frame may change to another member.

        Args:
            start: (nq,) the pose before the first frame. A start outside its limits is moved inside them;
                `start_violation` (of the first frame) and `notes` report this. None means the rest pose, turned and
                moved as in `solve_many` to the targets of the first frame, or to `before` if that is given.
            targets: (T, k).
            before: (k,) the targets of the frame to which the pose `start` belongs. Pass it to continue a track, for
                example while a hand is dragged and frames arrive one by one. A track in pieces has the same bits as the
                whole track.
            dt: seconds between two frames; 1/30 if neither `dt` nor `times` is given.
            times: (T,) the time of each frame, in seconds. For a continued track (T + 1,), beginning with the frame
                before.
            max_speed: largest speed of a joint that turns, in rad/s. A dict gives speeds by joint name (lengths per
                second for sliders). None means the speeds of the file (`Hinge.speed`, `Slider.speed`), and 60 rad/s for
                other joints that turn. For a joint of three axes the limit applies to its rotation, for one of two axes
                to each angle. Sliders without a speed and the position of a free root have no limit.
            stay: in lengths per radian. Turning a joint by one radian since the previous frame counts as much as a goal
                error of this length. With larger values, redundant joints move less, and frames that are hard to reach
                take longer to solve. 0 switches this off. None means 0.00316 `figure.size`.
            prefer: (nq,) or (T, nq), a preferred pose, as in `solve_many`. The solver pulls toward it while the targets
                move. The pull vanishes with the error at the beginning of a frame. So it does not bias the goals, and
                joints rest while the targets rest. A frame whose row is NaN has no preferred pose. With "natural" these
                are the frames in which no active goal places the head, a hand, a foot or the pelvis.
            stiffness: strength of that pull, as in `solve_many`. With `stay` or `prefer`, the general solver tracks
                arms too, which is slower (docs/tuning.md).
            settle: whether a frame that reaches its goals moves on, among the poses that reach them, toward the
                preferred pose (which must be given). Free joints approach it with a time constant of 0.15 s, at any
                frame rate, also while the targets rest. With `prefer="natural"` a person keeps natural poses.
            refine, escape: see above. They ignore `stay`, `prefer` and `settle`.
            restarts: if above 0, a missed frame is solved again from other starts, and the pose may jump there.
            weights, active, iterations, budget, seed, out: as in `solve_many`, for T rows.
            seconds: (T,) array that receives the time of each frame in seconds. The core measures it, without `refine`
                and `escape`.
        """
        from manikin import _core

        wished, call = track_arguments(
            self,
            start,
            targets,
            before=before,
            dt=dt,
            times=times,
            max_speed=max_speed,
            stay=stay,
            prefer=prefer,
            stiffness=stiffness,
            settle=settle,
            refine=refine,
            escape=escape,
            weights=weights,
            active=active,
            restarts=restarts,
            iterations=iterations,
            budget=budget,
            seed=seed,
            seconds=seconds,
            out=out,
        )
        solutions: Solutions = _core.track(self, **call)
        return wished.noted(solutions)

    def information(
        self,
        poses: ArrayLike,
        targets: Targets = None,
        *,
        weights: ArrayLike | None = None,
        active: ArrayLike | None = None,
    ) -> Matrix:
        """How much the goals tell about each step at given poses: the diagonal of JᵀWJ, (nv,) or (B, nv).

        J is the Jacobian of all errors with respect to the steps of the figure, and W holds the weights of the goals.
        Errors are lengths; angles are multiplied by `angle_length`. A goal that is not active has no rows. A step that
        no active goal feels, or that may not move, has 0. The motion of a part that `hold` keeps does not count. See
        docs/measured.md.

        A pose takes some microseconds, and longer if a goal is evaluated in Python. An AnyOf counts with the member
        that is nearest at the pose. A Balance counts for the joints that carry at least half a percent of the mass, as
        in a solve.

        Args:
            poses: (nq,) or (B, nq). They need not be within limits.
            targets: (k,) or (B, k); None means the goals' own targets. NaN is allowed only for goals that are not
                active.
            weights: (goals,) or (B, goals), instead of the goals' own weights.
            active: (goals,) or (B, goals) bool: the goals that count; None means all.

        Example:
            >>> import manikin as mk
            >>> arm = mk.chain(3, planar=True)
            >>> solver = mk.Solver(arm, mk.Position("Tip", (1.0, 1.0), axes="xy"))
            >>> solver.information(arm.rest)  # the arm is straight and each segment has length 1
            array([9., 4., 1.])
        """
        return information(self, poses, targets, weights, active)

    def track_many(
        self,
        start: Start | Sequence[Start],
        clips: Sequence[ArrayLike],
        threads: int = 1,
        *,
        before: ArrayLike | Sequence[ArrayLike | None] | None = None,
        dt: float | Sequence[float] | None = None,
        times: Sequence[ArrayLike | None] | None = None,
        prefer: Start | Sequence[Start] = None,
        weights: ArrayLike | Sequence[ArrayLike | None] | None = None,
        active: ArrayLike | Sequence[ArrayLike | None] | None = None,
        **options: Any,
    ) -> list[Solutions]:
        """Tracks several clips, on threads. Each has the same bits as `track` alone, for any number of threads.

        The call releases the GIL. Each thread takes the longest clip that is left. Goals that are evaluated in Python
        run on one thread at a time.

        Args:
            start: (nq,) the pose before the first frame of all clips, (B, nq), or a list with one for each clip. None
                and "natural" mean what they mean in `track`.
            clips: for each clip (T, k) targets. Clips may have different lengths.
            threads: number of threads that share the clips.
            before, prefer, weights, active: as in `track`, one for all clips, or a list with one for each clip.
            dt: seconds between two frames: one number for all clips, or one for each.
            times: (T,) for each clip, the times of its frames in seconds.
            options: `max_speed`, `stay`, `stiffness`, `settle`, `refine`, `escape`, `restarts`, `iterations`, `budget`
                (of the whole call) and `seed` as in `track`, for all clips.

        Example:
            >>> import numpy as np
            >>> import manikin as mk
            >>> arm = mk.chain(3, planar=True)
            >>> solver = mk.Solver(arm, mk.Position("Tip", (1.0, 1.0), axes="xy"))
            >>> clips = [np.linspace((2.0, 1.0), (1.0, 2.0), frames) for frames in (30, 50)]
            >>> [len(found) for found in solver.track_many(arm.rest, clips, threads=2)]
            [30, 50]
        """
        from manikin import _core

        check_options(options)
        rows = clips_of(clips)
        each = {"before": before, "times": times, "prefer": prefer, "weights": weights, "active": active}
        own = {name: for_each(value, len(rows), name) for name, value in each.items()}
        own["dt"] = seconds_for_each(dt, len(rows))
        begins, calls = for_each(start, len(rows), "start"), []
        for k, (begin, row) in enumerate(zip(begins, rows, strict=True)):
            mine = {name: values[k] for name, values in own.items()}
            try:
                calls.append(track_arguments(self, begin, row, **mine, **options))
            except (BadShape, BadValue) as error:
                raise type(error)(f"clip {k}: {error}") from None
        found = _core.track_many(self, [call for _, call in calls], whole(threads, "threads", 1))
        return [wished.noted(solutions) for (wished, _), solutions in zip(calls, found, strict=True)]

    def explain(
        self,
        pose: ArrayLike,
        targets: Targets = None,
        *,
        goals: Iterable[str | int] | None = None,
        groups: Mapping[str, Iterable[str | int]] | None = None,
        weights: ArrayLike | None = None,
        active: ArrayLike | None = None,
        starts: int = 40,
        limits: bool = True,
        progress: Progress | None = None,
    ) -> tuple[Report, ...]:
        """Explains why a pose misses goals: one report for each goal, in order, as `solution.report` has them.

        The pose may come from anywhere, such as a `track` that a drag continues. The changed problems of the report are
        solved from this pose. If a better pose is found there, `report.pose` holds it. See `docs/why.md`.

        Args:
            pose: (nq,) the pose to explain. If it is outside its limits, the report starts inside them.
            targets: (k,), or a dict of targets by name (see `row`); None means the goals' own targets.
            goals: the goals to explain, by name, label or index; None means all. The reports of other goals contain no
                reasons.
            groups: goals that belong together, by the name of their group, such as the two goals that hold one foot.
                Reports name the group once instead of its goals, drop them together, and explain a missed group once.
            weights: (goals,) instead of the goals' own weights.
            active: (goals,) bool: the goals that count; None means all.
            starts: largest number of starts in the search for another minimum. With fewer starts the report is faster
                and less sure (`report.unseen`).
            limits: whether to search for joint limits that would let a goal be met beside the goals that prevent it.
                Without this search the report is faster.
            progress: called with (solver iterations so far, None). If it returns False, the call ends. The goals
                that are not explained by then have reports without reasons.
        """
        found: tuple[Report, ...] = importlib.import_module("manikin.report.posed").explain_pose(
            self, pose, targets, goals, groups, weights, active, starts, limits, progress
        )
        return found
