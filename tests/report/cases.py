"""Missed goals whose reason is known by construction.

Each case is made so that one reason is true: a target beyond the length of the chain, a pose that exceeds one limit,
targets of two poses at once, … The case is then checked with the production solver and many more starts than a report
uses. If the goal must be infeasible, all starts miss it; if it must be feasible, there is a pose. Cases that fail the
check are thrown away. A culprit is accepted if it is the intended one, or if the same check says that it is as good.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from report import hard, makers, still
from report.case import PLACES, Case

MAKERS: dict[str, tuple[makers.Maker, ...]] = {
    "out of reach": (makers.out_of_reach, makers.too_near),
    "one limit": (makers.one_limit,),
    "two limits": (makers.two_limits,),
    "conflict of two": (makers.conflict,),
    "conflict of three": (makers.conflict_of_three,),
    "priority": (makers.blocked_by_priority,),
    "held": (makers.held_by_balance, makers.held_in_the_plane, makers.held_by_clearance),
    "local minimum": (makers.local_minimum,),
    "singular": (makers.singular,),
    "budget": (makers.budget,),
    "mixed: stopped, out of reach": (hard.stopped_out_of_reach,),
    "mixed: pulled": (hard.pulled,),
    "mixed: limit, conflict": (hard.limit_and_conflict,),
    "hard: just missed": (hard.just_missed,),
    "hard: many goals": (hard.many,),
    "hard: limit, other unreachable": (hard.limit_and_unreachable,),
    "hard: stopped, local minimum": (hard.stopped_in_a_minimum,),
    "hard: two opponents": (hard.two_opponents,),
    "hard: conflict, other unreachable": (hard.conflict_and_unreachable,),
    "frozen": (still.frozen, still.only),
    "frozen, others kept": (still.frozen_while_planted,),
    "locked": (still.locked,),
    "planted": (still.planted,),
    "too few joints": (still.too_few, still.too_few_for_two),
}
WHERE: dict[str, tuple[str, ...]] = {
    "out of reach": ("planar", "panda", "seated"),
    "one limit": ("narrow", "panda", "seated"),
    "two limits": ("narrow", "panda"),
    "conflict of two": ("planar", "panda", "seated", "person"),
    "conflict of three": ("planar", "seated", "person"),
    "priority": ("planar", "panda", "seated"),
    "held": ("planar", "person"),
    "local minimum": ("planar", "panda", "seated", "person"),
    "singular": ("planar", "seated"),
    "budget": ("planar", "panda", "seated", "person"),
    "mixed: stopped, out of reach": ("planar", "panda", "seated"),
    "mixed: pulled": ("planar", "panda", "seated"),
    "mixed: limit, conflict": ("narrow", "panda", "seated"),
    "hard: just missed": ("planar", "seated"),
    "hard: many goals": ("person", "seated"),
    "hard: limit, other unreachable": ("seated",),
    "hard: stopped, local minimum": ("planar", "panda", "seated", "person"),
    "hard: two opponents": ("planar", "person"),
    "hard: conflict, other unreachable": ("seated",),
    "frozen": ("planar", "panda", "seated", "ur5", "baxter", "person", "quadruped"),
    "frozen, others kept": ("person", "quadruped"),
    "locked": ("planar", "panda", "seated"),
    "planted": ("person", "quadruped", "planar"),
    "too few joints": ("planar", "seated"),
}
"""Figures on which each class is made."""
TRIES = 60
"""Draws for one case; some classes throw most of them away."""


def cases(seed: int, each: int, kinds: Sequence[str] = tuple(MAKERS)) -> Iterator[Case]:
    """`each` cases of every class, on its figures in turn."""
    for kind in kinds:
        places = [p for p in WHERE[kind] if PLACES[p][0]() is not None]
        for n in range(each):
            place = places[n % len(places)]
            rng = np.random.default_rng([seed, list(MAKERS).index(kind), n])
            for _ in range(TRIES):
                maker = MAKERS[kind][int(rng.integers(len(MAKERS[kind])))]
                case = maker(place, rng)
                if case is not None:
                    yield case
                    break
