"""Solves whole clips: goals over time become a motion. Read `solve_motion` first.

    exact targets   track → smooth the poses (8 Hz) → solve every frame again from there
    noisy targets   smooth the targets → track → smooth the poses

A goal that begins or ends inside the clip is eased. The clip is first solved without it. Then its target moves from the
position of the effector to the goal's own target (`ease.py`). Windows bound the memory (`passes.py`).
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manikin import arrays
from manikin.arrays import Matrix, Poses, Vector
from manikin.base.blas import one_thread
from manikin.base.progress import Progress, goes_on, require_progress
from manikin.errors import BadFile, BadShape, BadValue
from manikin.figure import Figure
from manikin.goals import Goal
from manikin.motion import ease as easing
from manikin.motion.clip_arguments import checked_frequency, checked_times, fingerprint
from manikin.motion.frequency import whole_targets
from manikin.motion.handover import hand_over
from manikin.motion.lead import lead_to_reach
from manikin.motion.motion import Motion
from manikin.motion.motion_solution import MotionSolution
from manikin.motion.over import Over, as_over, met_rows, settled_over, with_whole_samples
from manikin.motion.part_file import load_part, save_part
from manikin.motion.passes import Found, Pass, loosened, sizes, stay_of
from manikin.solvers.native.solver import Solver

Mask = NDArray[np.bool_]
EASE = 0.4
"""Default time in which a goal is eased in and out, in seconds."""
SWITCHED = 0.5  # a target that moves by more than this fraction from one frame to the next has no ramp
NOTHING = 1e-9  # an eased target that has moved by less than this fraction counts as not moved


@dataclass(frozen=True, eq=False)
class ClipQuestion:
    """The goals of a clip as arrays."""

    goals: tuple[Goal, ...]
    rows: Matrix
    """(T, k) targets, NaN where not active."""
    active: Mask
    """(T, goals)."""
    parts: Matrix
    """(T, goals) u: the fraction by which each target has moved from the effector to the goal's own target; 1 at the
    goal's target."""
    notes: tuple[str, ...]
    noise: Matrix = field(default_factory=lambda: np.zeros((1, 2)))
    """(goals, 2) the noise that smoothing leaves in the targets: lengths and radians; 0 if they are exact."""

    @property
    def slices(self) -> list[slice]:
        ends = np.cumsum([0, *(len(g.target) for g in self.goals)])
        return [slice(int(a), int(b)) for a, b in itertools.pairwise(ends)]


@one_thread
def solve_motion(
    figure: Figure,
    goals: Sequence[Goal | Over] | Goal | Over,
    times: ArrayLike,
    smooth: float | bool | None = None,
    ease: float = EASE,
    start: ArrayLike | None = None,
    *,
    name: str = "motion",
    progress: Progress | None = None,
    resume: MotionSolution | str | os.PathLike[str] | None = None,
    store: str | os.PathLike[str] | None = None,
) -> MotionSolution:
    """Solves for the motion of a figure under goals over time.

    If targets are exact, every frame that can meet its goals meets them within their tolerances. The motion is smooth
    where the goals leave it free. Noisy targets are smoothed first. The frames then follow the smoothed targets, and
    `errors` and `reached` refer to those. A single bad or missing sample is interpolated.

    Args:
        figure: the figure to pose. Ball joints give better results than joints of three Euler angles
            (`with_limits(balls=True)`).
        goals: use `Over` for targets that vary. A plain goal always counts, with its own target.
        times: (T,) seconds, increasing.
        smooth: frequency in Hz above which the targets are noise. True chooses it for each goal (`frequency.py`). None
            means that the targets are exact.
        ease: time in seconds in which a goal that begins or ends inside the clip is eased in and out.
        start: (nq,) the pose before the first frame; None searches for one.
        name: name of the motion.
        progress: called with (frames done, frames) after each window. If it returns False, the call stops and returns
            the frames done so far.
        resume: the result of a stopped call with the same arguments, or the file that `store` wrote. The call
            continues there and gives the same bits. If there is no such file, the call begins at the first frame.
        store: a file (.npz) that receives the finished frames after each window. The file is replaced as a whole, so
            it can be used even if the process is killed while it writes.

    Example:
        >>> import manikin as mk
        >>> arm = mk.chain(3, planar=True)
        >>> times = np.arange(30) / 30
        >>> circle = np.stack([1.5 + 0.5 * np.cos(6 * times), 0.5 * np.sin(6 * times)], axis=1)
        >>> clip = solve_motion(arm, Over(mk.Position("Tip", (2, 0), axes="xy"), circle), times)
        >>> bool(clip.reached.all())
        True
    """
    if not isinstance(figure, Figure):
        raise BadValue(f"figure is {type(figure).__name__}; it needs a Figure")
    require_progress(progress)
    t = checked_times(times)
    given = settled_over(as_over(goals), figure)
    exact = smooth is None or (isinstance(smooth, (bool, np.bool_)) and not smooth)
    frequency = checked_frequency(smooth, t)
    seconds = arrays.non_negative(ease, "ease")
    first = None if start is None else arrays.numbers(figure.check(start, "start pose"), "start pose", (figure.nq,))
    question = _question(given, t, exact, frequency, seconds)
    key = fingerprint(figure, question, t, exact, first)
    solver = Solver(figure, question.goals)
    run = _Run(solver, question, t, exact, first)
    poses, errors = np.empty((len(t), figure.nq)), np.empty((len(t), len(question.goals)))
    done = _resumed(run, resume, key, poses, errors)
    size, _ = sizes(t)
    notes, settled = (*question.notes, *solver.notes), solver.goals[: len(question.goals)]

    def made(done: int) -> MotionSolution:
        asked = replace(question, goals=settled, rows=run.rows)
        return MotionSolution.of(
            Motion._trusted(figure, poses[:done], t[:done], name), asked, errors[:done], notes, state=run.state(key, t)
        )

    for index in range(run.window, -(-len(t) // size)):
        found = run.next(index)
        frames = slice(done, done + len(found.poses))
        poses[frames], errors[frames], done = found.poses, found.errors, frames.stop
        if store is not None:
            save_part(made(done), store)
        if not goes_on(progress, done, len(t)):
            break
    return made(done)


class _Run:
    """The passes over a clip. If goals are eased, an additional pass without these goals runs one window ahead."""

    def __init__(
        self, solver: Solver, question: ClipQuestion, times: Vector, exact: bool, start: Vector | None
    ) -> None:
        self.question, self.times, self.start = question, times, start
        self.window = 0
        moving = (question.parts < 1.0) & question.active
        self.moving = moving
        empty = np.zeros((0, solver.figure.nq))
        self.rows = question.rows  # the pass without the eased goals does not read their rows
        tracker = Solver(solver.figure, loosened(solver.figure, question.goals, question.noise))
        stay = stay_of(solver.figure, question.noise)
        self.main = Pass(solver, tracker, self.rows, question.active, times, exact, empty, stay=stay)
        jumps = np.abs(np.diff(np.where(question.active, question.parts, 0.0), axis=0)) > SWITCHED
        self.main.switches = tuple((1 + np.flatnonzero(jumps.any(axis=1))).tolist())
        self.before: Pass | None = None
        self.ahead = 0
        if moving.any():
            without = question.active & ~moving.any(axis=0)
            self.before = Pass(solver, tracker, question.rows, without, times, exact, empty, stay=stay)
            if exact:
                self.main.loose = lead_to_reach(solver, self.rows, question.active, question.parts)

    def next(self, index: int) -> Found:
        """Solves the frames of a window."""
        size, _ = sizes(self.times)
        start = self.start
        while self.before is not None and self.ahead < min(index + 2, -(-len(self.times) // size)):
            found = self.before.window(self.ahead, self.start)
            self._ease(found.poses, self.ahead * size)
            if self.ahead == 0 and start is None:
                start = found.poses[0]
            self.ahead += 1
        result = self.main.window(index, start)
        self.window = index + 1
        return result

    def _ease(self, poses: Any, first: int) -> None:
        """Sets the targets of eased goals in some frames, from the effector positions without these goals."""
        frames = slice(first, first + len(poses))
        for k, (goal, at) in enumerate(zip(self.question.goals, self.question.slices, strict=True)):
            here = np.flatnonzero(self.moving[frames, k])
            if len(here):
                own = self.rows[first + here, at]
                base = met_rows(self.main.solver.figure, goal, poses[here])
                part = self.question.parts[first + here, k]
                self.rows[first + here, at] = easing.toward(goal, base, own, part)

    def state(self, key: str, times: Vector) -> dict[str, Any]:
        """The state from which a stopped clip can be continued."""
        size, _ = sizes(times)
        ahead = slice(self.window * size, self.ahead * size)
        before = None if self.before is None else self.before.state()
        return {
            "key": key,
            "window": self.window,
            "ahead": self.ahead,
            "main": self.main.state(),
            "before": before,
            "rows": np.array(self.rows[ahead]),
        }

    def resumed(self, resume: MotionSolution | None, key: str, poses: Poses, errors: Matrix) -> int:
        """Restores the state of a stopped clip, with the poses and errors of its frames. Returns the number of frames
        that are done."""
        if resume is None:
            return 0
        state = getattr(resume, "state", None)
        if not state:
            raise BadValue(f"resume is {resume!r}; it needs the result of a solve_motion that was stopped")
        if state["key"] != key:
            raise BadValue("resume: the clip was stopped with another figure, goals, times or options")
        self._check(resume)
        self.window, self.ahead = state["window"], state["ahead"]
        for one, held in ((self.main, state["main"]), (self.before, state["before"])):
            if one is not None:
                one.tracked, one.first = np.array(held["tracked"]), held["first"]
        size, _ = sizes(self.times)
        self.rows[self.window * size : self.ahead * size] = state["rows"]
        done = self.window * size
        self.rows[:done] = resume.targets[:done]
        count = len(resume.motion)
        poses[:count], errors[:count] = resume.motion.poses, resume.errors
        return count

    def _check(self, part: MotionSolution) -> None:
        """Raises BadValue or BadShape if a stopped clip does not hold the frames that its state says."""
        state, count, nq = part.state, len(self.times), self.main.solver.figure.nq
        size, overlap = sizes(self.times)
        window, ahead = state["window"], state["ahead"]
        total = -(-count // size)
        if not 1 <= window <= total or ahead != (0 if self.before is None else min(window + 1, total)):
            raise BadValue(f"resume: the clip has {window} windows, and {ahead} ahead; it is damaged")
        done = min(window * size, count)
        arrays.numbers(part.motion.poses, "resume: poses", (done, nq))
        arrays.numbers(part.errors, "resume: errors", (done, len(self.question.goals)), finite=False)
        arrays.numbers(part.targets, "resume: targets", (done, self.rows.shape[1]))
        arrays.numbers(
            state["rows"], "resume: rows", (len(range(count)[window * size : ahead * size]), self.rows.shape[1])
        )
        held = [("tracked", state["main"], window)]
        if self.before is not None:
            held.append(("before", state["before"] or {"tracked": (), "first": 0}, ahead))
        for name, one, index in held:
            first = max(min(index * size, count) - overlap, 0)
            tracked = arrays.numbers(
                one["tracked"], f"resume: {name}", (min(index * size + overlap, count) - first, nq)
            )
            self.main.solver.figure.check(tracked, f"resume: {name}")
            if one["first"] != first:
                raise BadValue(f"resume: {name} begins in frame {one['first']}; it must begin in frame {first}")


def _resumed(
    run: _Run, resume: MotionSolution | str | os.PathLike[str] | None, key: str, poses: Poses, errors: Matrix
) -> int:
    """Continues a stopped clip, from its result or its file. Returns the number of frames that are done."""
    if not isinstance(resume, (str, os.PathLike)):
        return run.resumed(resume, key, poses, errors)
    if not os.path.exists(resume):
        return 0
    part = load_part(resume, run.main.solver.figure)
    try:
        return run.resumed(part, key, poses, errors)
    except (BadShape, BadValue) as error:
        if part.state["key"] != key:
            raise BadValue(f"{os.fspath(resume)}: {error}") from None
        raise BadFile(resume, str(error)) from error


def _question(
    given: Sequence[Over], times: Vector, exact: bool, frequency: float | None, seconds: float
) -> ClipQuestion:
    """The targets of all goals, with gaps bridged, smoothed if needed, and with eased goals marked."""
    full, active, parts, noise, notes = [], [], [], [], []
    ends = np.cumsum([0, *(len(over.goal.target) for over in given)])
    table: Matrix = np.empty((len(times), int(ends[-1])))
    rows = [table[:, a:b] for a, b in itertools.pairwise(ends.tolist())]
    for over, own in zip(given, rows, strict=True):
        goal = over.goal
        samples, bad = with_whole_samples(over.rows(times), goal)
        if bad:
            notes.append(f"{goal.label}: {bad} samples are not valid targets and are treated as gaps")
        known: Mask = np.asarray(np.isfinite(samples).all(axis=1))
        wanted = over.counts(times)
        if not (known & wanted).any():
            notes.append(f"{goal.label} has no target in any frame and is ignored")
            own[:] = goal.target
            active.append(np.zeros(len(times), dtype=bool))
            full.append(active[-1])
            parts.append(np.ones(len(times)))
            noise.append((0.0, 0.0))
            continue
        whole, left = whole_targets(samples, times, exact, frequency, goal.quaternions)
        noise.append(left)
        counts = easing.bridge(known, times) & wanted
        # Exact targets are eased before the first sample and across long gaps. Noisy targets are released there. The
        # smoothing of poses bridges these frames; a target that has drifted would do harm.
        edges = counts | (wanted & _after_last(known)) if exact else wanted
        u = easing.ramps(edges, times, seconds)
        off = (u > NOTHING) & ~edges
        if off.any() and not easing.can_lead(goal):
            notes.append(f"{goal.label} cannot be eased; it is switched on and off")
            u, off = np.where(counts, 1.0, 0.0), np.zeros(len(times), dtype=bool)
        own[:] = easing.held(whole)
        full.append(edges)
        active.append(counts | off)
        parts.append(np.where(counts, 1.0, u))
    hand_over([o.goal for o in given], times, seconds, rows, full, active, parts)
    return ClipQuestion(
        tuple(o.goal for o in given),
        table,
        np.stack(active, axis=1),
        np.stack(parts, axis=1),
        tuple(notes),
        np.array(noise),
    )


def _after_last(known: Mask) -> Mask:
    """(T,) whether each frame is after the last sample, where a goal is released."""
    return np.asarray(np.arange(len(known)) > np.flatnonzero(known)[-1])
