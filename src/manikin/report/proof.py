"""Checks the changes of a finding by a new solve, as the caller would run it, before they are suggested.

The changes of a finding were tried from poses that the caller does not have. A goal that is met from there may be
missed by a solve from the start. For example, the least widening leaves only one or two poses to be found, or another
goal far out of reach pulls the figure away. So each change is solved as `mk.solve` with default arguments would solve
it. If it fails, it is made larger if that makes sense. Otherwise the next change is tried.
"""

from __future__ import annotations

from dataclasses import replace

from manikin.report.data import Change
from manikin.report.findings import Finding
from manikin.report.known import Known
from manikin.report.limits import limit_named
from manikin.report.sentences import rounded_up

LARGER = (1.0, 1.1, 1.25, 1.6, 2.5)
"""Factors for the amounts by which limits are widened. They are tried in this order until the goal is met."""
FAINTER = (1.0, 0.3, 0.1)
"""Factors for lowered weights. They are tried in this order until the goal is met."""
MAX_CHANGES = 4
"""Largest number of changes that are tried."""
SOLVED_ANEW = ("move_target", "release", "ask_less")
"""Changes that were already checked by a new solve when they were found."""
AS_FOUND = ("use_pose", "more_iterations")
"""Changes that need no check, because the pose is already known."""


def proved(known: Known, goal: int, finding: Finding) -> Finding:
    """The finding with a change that works in first place, if there is one. Changes that failed are last."""
    failed: list[Change] = []
    for k, change in enumerate(finding.changes[:MAX_CHANGES]):
        made = change if change.what in AS_FOUND else working(known, goal, change)
        if made is not None:
            finding.changes = [replace(made, verified=True), *finding.changes[k + 1 :], *failed]
            return finding
        failed.append(replace(change, verified=False))
    finding.changes = [*failed, *finding.changes[MAX_CHANGES:]]
    return finding


def working(known: Known, goal: int, change: Change) -> Change | None:
    """The change, made larger if necessary, so that a new solve meets the goal; None if no size is enough."""
    resolver, all_goals = known.resolver, known.resolver.all
    if change.what in SOLVED_ANEW:
        return change if change.verified else None
    if change.what == "drop_goal":
        left = [j for j in all_goals if j not in change.goals]
        return change if resolver.met(resolver.anew(left), goal)[0] else None
    if change.what == "lower_weight":
        for part in FAINTER:
            fainter = replace(change, parts=tuple((name, amount * part) for name, amount in change.parts))
            weights = dict.fromkeys(change.goals, fainter.amount)
            if resolver.met(resolver.anew(weights=weights), goal)[0]:
                return fainter
        return None
    for part in LARGER:
        wider = replace(change, parts=tuple((name, rounded_up(part * a, change.unit)) for name, a in change.parts))
        limits = {limit_named(known.problem.figure, name): amount for name, amount in wider.parts}
        if resolver.met(resolver.anew(wider=limits), goal)[0]:
            return wider
    return None
