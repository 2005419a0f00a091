"""Goals that prevent another goal: dropped one by one, then several together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from manikin.arrays import Vector
from manikin.goals.loops import keeps_loop
from manikin.report.data import Change, Reason, Unit
from manikin.report.findings import Finding
from manikin.report.freedom import too_few_with
from manikin.report.judge import all_met, counts_as_met, opposed_for_certain, success
from manikin.report.known import Known
from manikin.report.moves import moved_targets, others_first
from manikin.report.named import kind_of
from manikin.report.narrow import NAMED, also_wider
from manikin.report.resolver import Ends
from manikin.report.search import Search
from manikin.report.smallest import smallest
from manikin.report.targets import sizes

AGAIN = 6
"""Number of uniform starts for each goal, if the first starts found nothing."""
MAX_AGAIN = 6
"""Number of the strongest opponents that are tried again."""
FAINTER = 0.04
"""An opponent's weight is multiplied by this times (tolerance / error)."""
PLANTED, PLANTED_TURN = 0.01, 0.1
"""A goal is planted if it starts within PLANTED (in sizes of the figure) and PLANTED_TURN (in radians) of its
target."""
Rival = tuple[int, ...]
"""A goal in the way of another, or several that belong together."""
FAINTEST = 1e-4
"""Weight factors below this are not used; the goal is dropped instead."""


def rivals(known: Known, goal: int, alone_pose: Vector, whole: Search) -> Finding:
    """Finds why a goal is missed if it can be met alone, but not with the others."""
    finding = Finding()
    finding.counts(whole)
    order = sorted(known.rivals.of(goal), key=lambda some: sum(known.local.opposition(goal, j) for j in some))
    found, back = _dropped(known, goal, alone_pose, order)
    if back is not None:
        finding.reasons.append(Reason("local_minimum", confidence="shown"))
        finding.changes.append(Change("use_pose", (("pose", 0.0),), verified=True))
        finding.pose = back
        return finding
    if not found:
        found = _correction(known, goal, alone_pose, order)
        if not found:
            finding.reasons.append(Reason("unsure", confidence="unsure"))
            finding.changes += moved_targets(known, goal, None)
            return finding
        together = len(found) > 1
    else:
        together = False
    figure, goals = known.problem.figure, known.problem.goals
    staying = {some: all(_stays(known, goal, j) for j in some) for some in found}
    order = sorted(found, key=lambda some: staying[some])  # a goal that is missed too is the stronger rival
    named = order if together else order[:NAMED]
    few = None if together else too_few_with(known, goal, _flat(named))
    if few is not None:
        finding.reasons.append(few[0])
        finding.changes += few[1]
    else:
        finding.reasons.append(_in_the_way(known, goal, named, together, all(staying[some] for some in named)))
    finding.reasons += _roots(known, goal, named)
    given_up = [some for some in named if not any(keeps_loop(figure, goals[j]) for j in some)]  # loops stay closed
    if together and given_up == named:
        finding.changes.append(_drop(known, goal, named))
    for some in [] if together else given_up:
        fainter = _fainter(known, goal, some, found[some])
        finding.changes += [_drop(known, goal, [some]), *([fainter] if fainter else [])]
    wider = also_wider(known, goal, [known.pose, found[named[0]]]) if known.effort.limits else None
    if wider is not None:
        limit, amount = next(iter(wider[0].items()))
        unit: Unit = "length" if limit.slides else "rad"
        gain = known.local.gain(goal, limit)
        finding.reasons.append(Reason("limit", (limit.name,), amount=amount, unit=unit, gain_per_unit=gain))
        finding.changes.append(Change("widen_limit", ((limit.name, amount),), unit, verified=True))
    finding.changes += moved_targets(known, goal, None)
    if finding.reasons[0].kind == "held":  # dropping a goal that holds is the last choice
        finding.changes.sort(key=lambda change: (not change.verified, change.what in ("lower_weight", "drop_goal")))
    return finding


def _flat(named: Sequence[Rival]) -> list[int]:
    return [j for some in named for j in some]


def _in_the_way(known: Known, goal: int, named: Sequence[Rival], together: bool, stay: bool) -> Reason:
    """The reason that names the goals that prevent this one. `stay` says whether they stay met."""
    sure = not together and bool(set(named[0]) & set(opposed_for_certain(known, goal)))
    amount, unit = _out_of_reach_by(known, goal, _flat(named))
    return Reason(
        "held" if stay else kind_of(known.problem, named[0][0]),
        tuple(known.rivals.title(some, goal) for some in named),
        together=together,
        amount=amount,
        unit=unit,
        confidence="certain" if sure else "likely",
    )


def _stays(known: Known, goal: int, rival: int) -> bool:
    """Whether a rival holds a goal back and is not missed itself. That is so if it is met in the solution, or if it is
    planted: nearly met at the start, where the goal was not. Two goals for one segment are always rivals."""
    goals = known.problem.goals
    if kind_of(known.problem, rival) == "held":
        return True
    if {e.segment for e in goals[goal].effectors} & {e.segment for e in goals[rival].effectors}:
        return False
    if known.stays(rival, known.pose):
        return True
    return _planted(known, rival) and not _planted(known, goal)


def _planted(known: Known, goal: int) -> bool:
    """Whether a goal keeps its effector nearly where it is at the start or at rest.

    If no start is given, the start may be the rest pose turned and moved to the targets.
    """
    problem = known.problem
    little = {"length": PLANTED * problem.figure.size, "rad": PLANTED_TURN}

    def stays(pose: Vector) -> bool:
        off = sizes(problem.goals[goal], known.error_at(goal, pose))
        return known.stays(goal, pose) or all(size <= little[unit] for size, unit in off)

    return stays(problem.start) or stays(problem.figure.rest)


def _out_of_reach_by(known: Known, goal: int, rivals: Sequence[int]) -> tuple[float, Unit]:
    """How far a goal is from its target while its rivals are met; 0 if they cannot all be met."""
    kept = others_first(known, goal)
    if kept is None or not all(known.stays(j, kept) for j in rivals):
        return 0.0, ""
    return sizes(known.problem.goals[goal], known.error_at(goal, kept))[0]


def _dropped(
    known: Known, goal: int, alone_pose: Vector, order: Sequence[Rival]
) -> tuple[dict[Rival, Vector], Vector | None]:
    """Goals whose removal lets this one be met, each with a pose; or a pose that meets it together with all of them."""
    resolver, found = known.resolver, {}
    for some in order:
        pose = _met_without(known, goal, some, [[known.pose], [resolver.nudged(known.pose), alone_pose]])
        if pose is not None:
            found[some] = pose
    if not found:
        for some in order[:MAX_AGAIN]:
            pose = _met_without(known, goal, some, [resolver.uniform(known.pose, AGAIN)], near=False)
            if pose is not None:
                found[some] = pose
    for pose in list(found.values())[:NAMED]:  # go back from these poses with all goals
        back = success(known, goal, resolver.solve([pose]))
        if back is not None:
            return found, back
    return found, None


def _correction(known: Known, goal: int, alone_pose: Vector, order: Sequence[Rival]) -> dict[Rival, Vector]:
    """Goals to drop together, all of them necessary, each with a pose that meets the goal without all of them."""

    def met(some: Sequence[Rival], starts: Sequence[Vector]) -> Vector | None:
        return _met_without(known, goal, _flat(some), [[*starts, known.pose, alone_pose]])

    dropped, pose = smallest(order, met)
    return {} if pose is None else dict.fromkeys(dropped, pose)


def _met_without(
    known: Known, goal: int, dropped: Sequence[int], batches: Sequence[Sequence[Vector]], near: bool = True
) -> Vector | None:
    """A pose that meets a goal with some others dropped."""
    left = [j for j in known.resolver.all if j not in dropped]
    ends: Ends | None = None
    for starts in batches:
        more = known.resolver.solve(starts, left, near=near)
        ends = more if ends is None else ends + more
        shown = counts_as_met(known, goal, ends, left)
        # An end that misses other goals is accepted only after all starts have been run.
        if shown is not None and (starts is batches[-1] or all_met(known, ends, shown, left)):
            return ends.pose(shown)
    return None


def _roots(known: Known, goal: int, culprits: Sequence[Rival]) -> list[Reason]:
    """Culprits that are themselves out of reach, by lengths or while the other goals stay, and pull for this reason."""
    found = []
    names = {j: known.rivals.title(some, goal) for some in culprits for j in some}
    for j, name in names.items():
        short = known.lengths.shortfall(known.problem.goals[j])
        if short is not None and short.amount > known.problem.tolerances[j]:
            found.append(
                Reason(
                    "out_of_reach",
                    (name,),
                    amount=short.amount,
                    unit="length",
                    geometric=True,
                    confidence="certain",
                )
            )
        elif _planted(known, goal) and _stays(known, j, goal):
            amount, unit = _out_of_reach_by(known, j, known.others(j))
            if amount > 0.0:
                found.append(Reason("out_of_reach", (name,), amount=amount, unit=unit))
    return found


def _drop(known: Known, goal: int, rivals: Sequence[Rival]) -> Change:
    parts = tuple((known.rivals.title(some, goal), 0.0) for some in rivals)
    dropped = tuple(_flat([known.rivals.whole(some, goal) for some in rivals]))
    return Change("drop_goal", parts, verified=True, goals=dropped)


def _fainter(known: Known, goal: int, some: Rival, pose: Vector) -> Change | None:
    """The change that lowers the rival's weight, if it works; else None. A rival of another priority is not affected by
    weights. Goals that belong together are dropped, not made lighter."""
    goals, (rival, *more) = known.problem.goals, some
    if more:
        return None
    if goals[rival].rank != goals[goal].rank or kind_of(known.problem, rival) == "held":
        return None
    factor = FAINTER * known.problem.tolerances[goal] / max(known.errors[goal], known.problem.tolerances[goal])
    for part in (factor, 0.1 * factor):
        if part < FAINTEST:
            break
        ends = known.resolver.solve([pose], weights={rival: part})
        if known.resolver.met(ends, goal)[0]:
            rounded = 1.0 / np.ceil(1.0 / part)
            return Change("lower_weight", ((known.names[rival], float(rounded)),), verified=True, goals=(rival,))
    return None
