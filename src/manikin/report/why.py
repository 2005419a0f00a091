"""Finds why a goal was missed: solves changed problems and names what helps.

For one missed goal, in this order:

1. lengths (`reach`): a target farther away than the figure is long is certainly out of reach (unless step 5 helps).
2. budget: if the pose is not a minimum, solving continues from it. If the solver was stopped with restarts left, it
   is run to its end. If that meets the goal, the solver had not finished. Otherwise the next steps start from the new
   pose.
3. kick: if the effector cannot move toward its target, small random moves are tried. If they meet the goal, the pose
   was singular.
4. alone: the goal without the others, from several starts. If it is met, the whole problem is solved again from there
   and from other starts. If that meets the goal, the solver was in a local minimum.
5. frozen: joints that may not move are released, all goals kept (`frozen`). If the goal is met, these joints are the
   cause.
6. narrow limits, too few joints, or reach (`narrow`), if the goal is never met alone.
7. others: goals are dropped one by one, then several together: a conflict, or goals that hold (`rivals`).
8. a further limit that would help is named second. If nothing was found, the reason is unsure.
9. the changes that would help are checked by a new solve, as the caller would run it (`proof`).

The goal alone comes before the restarts of the whole problem. A goal that cannot be met alone cannot be in a local
minimum, and alone is the cheaper problem.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from manikin.arrays import Vector, frozen
from manikin.report.data import Change, Kind, Reason, Report
from manikin.report.findings import Finding
from manikin.report.freedom import too_few, too_few_with
from manikin.report.frozen import Release, release
from manikin.report.judge import opposed_for_certain, success
from manikin.report.known import Known
from manikin.report.limits import limits_of
from manikin.report.moves import moved_targets
from manikin.report.named import kind_of
from manikin.report.narrow import narrow
from manikin.report.parts import parts_in_words
from manikin.report.proof import proved
from manikin.report.reach import Shortfall
from manikin.report.resolver import Ends
from manikin.report.rivals import rivals
from manikin.report.search import Search, search
from manikin.report.sentences import Speaker
from manikin.report.targets import sizes
from manikin.solution import Solution, Status

UNFINISHED = 1e-3
"""A pose with a residue (see `local`) above this is not a minimum."""
STOPPED_EARLY = 0.02
"""The solver stopped too early if the residue of one goal is above this and a pose that meets it exists."""
LONGER = 200
"""Number of iterations when the inquiry continues from an unfinished pose, used twice."""
STUCK = 0.01
"""Below this value of `Local.own` the effector cannot move toward its target."""
KICKS = (0.01, 0.03, 0.1)
"""Sizes of the random moves, in radians."""
USE_POSE = Change("use_pose", (("pose", 0.0),), verified=True)
"""The change that uses the pose of the report."""


class Inquiry:
    """Finds why the goals of one priority were missed. Results that several goals share are computed once."""

    def __init__(self, solution: Solution, known: Known) -> None:
        """
        Args:
            solution: the solution to explain.
            known: its problem, in which the goals of lower priorities have weight 0.
        """
        self.solution, self.problem, self.known = solution, known.problem, known
        self._counted = 0  # re-solves that an earlier report already counts; shared results count in the first report
        self._go_on()

    def explained(self, goal: int, plain: Report) -> Report:
        """The report of a missed goal, with the reasons added."""
        solution, problem, known = self.solution, self.problem, self.known
        finding = proved(known, goal, self._find(goal))
        report = replace(
            plain,
            reasons=tuple(finding.reasons),
            changes=tuple(finding.changes),
            starts=finding.starts,
            distinct_minima=finding.minima,
            unseen=finding.unseen,
            re_solves=known.resolver.solves - self._counted,
            pose=None if finding.pose is None else frozen(finding.pose),
        )
        self._counted = known.resolver.solves
        words = {limit.name: limit for limit in limits_of(solution.figure, problem.chart).values()}
        others = [some for some in known.rivals.of(goal) if all(kind_of(problem, j) == "held" for j in some)]
        holding = frozenset(known.rivals.title(some, goal) for some in others)
        locked = frozenset(name for name, still in known.still.items() if not still.steps)
        shortfall = known.lengths.shortfall(problem.goals[goal])
        speaker = Speaker(solution.figure.unit, words, shortfall, holding, locked)
        text = " ".join([plain.text, *speaker.sentences(report)])
        return replace(report, text=f"{text} {parts_in_words(solution.figure, text)}".rstrip())

    # Steps of the inquiry

    def _find(self, goal: int) -> Finding:
        known = self.known
        short = known.lengths.shortfall(self.problem.goals[goal])
        if short is not None and short.amount > self.problem.tolerances[goal]:
            return self._beyond(goal, short)
        for ends in (self._continued, self._ended):
            if ends is not None and known.resolver.met(ends, goal)[0]:
                return self._unfinished(ends)
        kicked = self._kick(goal)
        if kicked is not None:
            return kicked
        alone = search(known.resolver, known.pose, lambda ends: known.resolver.met(ends, goal), [goal])
        if alone.met is None:
            released = release(known, goal, alone.best(1))
            if released is not None and not released.root:
                return self._frozen(goal, released, alone)
            finding, pose = narrow(known, goal, alone)
            if pose is None:
                return _with_root(finding, released)
        else:
            pose = alone.ends.poses[alone.met]
        caught = self._caught(goal, pose, alone)
        if caught is not None:
            return caught
        whole = alone if len(known.resolver.all) == 1 else known.restarts
        released = release(known, goal, [pose])
        if released is not None and not released.root:
            return self._frozen(goal, released, whole)
        return _with_root(rivals(known, goal, pose, whole), released)

    def _beyond(self, goal: int, short: Shortfall) -> Finding:
        """The finding for a target out of reach by lengths. The amount that works comes from the goal alone."""
        known = self.known
        ends = known.resolver.solve([known.pose, known.resolver.nudged(known.pose)], [goal], max_iterations=LONGER)
        pose = ends.poses[int(np.argmin(ends.errors[:, goal]))]
        error = known.error_at(goal, pose)
        amount, unit = sizes(self.problem.goals[goal], error)[0]
        reason = Reason(
            "out_of_reach", amount=max(amount, short.amount), unit=unit, geometric=True, confidence="certain"
        )
        released = release(known, goal, [pose])
        finding = Finding([reason], moved_targets(known, goal, pose))
        if released is None or released.root:
            return _with_root(finding, released)
        return Finding([released.reason, reason], [*released.changes, *finding.changes])

    def _frozen(self, goal: int, released: Release, search: Search) -> Finding:
        """The finding for frozen joints. It also says so if the other joints are too few."""
        known = self.known
        finding = Finding([released.reason], list(released.changes))
        finding.counts(search)
        alone = search.met is None and search is not vars(known).get("restarts")
        few = too_few(known, goal, search.best(2)) if alone else too_few_with(known, goal, known.others(goal))
        if few is not None:
            finding.reasons.append(few[0])
            finding.changes += few[1]
        finding.changes += moved_targets(known, goal, search.best(1)[0] if alone else None)
        return finding

    def _go_on(self) -> None:
        """Continues from a pose that is not a minimum. Everything after starts from the new pose."""
        known = self.known
        self._continued: Ends | None = None
        if not self._stopped and known.local.residue <= UNFINISHED:
            return
        first = known.resolver.solve([known.pose], max_iterations=LONGER)
        ends = first
        if not all(known.resolver.met(first, j)[0] for j in known.resolver.all):
            more = known.resolver.solve(first.poses, max_iterations=LONGER)
            ends = Ends(more.poses, more.errors, first.iterations + more.iterations)
        if known.resolver.cost(ends.errors)[0] <= known.cost * (1.0 + 1e-9):
            self._continued = ends
            self.known = known.moved_to(ends.poses[0], ends.errors[0])

    @property
    def _stopped(self) -> bool:
        """Whether an iteration or time limit stopped the solver."""
        return self.solution.status in (Status.OUT_OF_ITERATIONS, Status.OUT_OF_TIME)

    @cached_property
    def _ended(self) -> Ends | None:
        """The ends of a solver that was stopped, if it had continued. None if it was not stopped or had no starts
        left."""
        restarts = self.solution.options.get("restarts", None if self.solution.method == "auto" else 0)
        if not self._stopped or restarts == 0:
            return None
        return self.known.resolver.anew()

    def _unfinished(self, ends: Ends) -> Finding:
        amount, pose = float(ends.iterations[0]), ends.pose(0)
        reason = Reason("budget", amount=amount, unit="iterations", confidence="shown")
        changes = [Change("more_iterations", (("iterations", amount),), "iterations", verified=True), USE_POSE]
        if self.solution.status is Status.STALLED:  # it stopped by itself, so a larger limit changes nothing
            changes.reverse()
        return Finding([reason], changes, pose=pose)

    def _kick(self, goal: int) -> Finding | None:
        """Random moves where the effector cannot move toward its target."""
        known = self.known
        if known.local.own(goal, free=True) >= STUCK:
            return None
        starts = [known.resolver.kicked(known.pose, size) for size in KICKS]
        pose = success(known, goal, known.resolver.solve(starts))
        if pose is None:
            return None
        kind: Kind = "singular" if known.local.own(goal, free=False) < STUCK else "local_minimum"
        return Finding([Reason(kind, confidence="shown")], [USE_POSE], pose=pose)

    def _caught(self, goal: int, alone_pose: Vector, alone: Search) -> Finding | None:
        """Whether the whole problem can be met after all, from where the goal alone was met or from other starts."""
        known = self.known
        finding = Finding()
        if len(known.resolver.all) == 1:
            pose: Vector | None = alone_pose
            finding.counts(alone)
        else:
            pose = success(known, goal, known.resolver.solve([alone_pose]))
            if pose is None and not opposed_for_certain(known, goal):
                pose = success(known, goal, known.restarts.ends)
                finding.counts(known.restarts)
        if pose is None:
            return None
        unfinished = len(known.resolver.all) > 1 and known.local.residue_of(goal) > STOPPED_EARLY
        finding.reasons.append(Reason("budget" if unfinished else "local_minimum", confidence="shown"))
        finding.pose = pose
        finding.changes.append(USE_POSE)
        return finding


def _with_root(finding: Finding, released: Release | None) -> Finding:
    """The finding with a frozen root named last. A free root can reach everything, so it is never the first reason."""
    if released is not None:
        finding.reasons.append(released.reason)
        finding.changes += released.changes
    return finding
