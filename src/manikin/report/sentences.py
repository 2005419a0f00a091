"""Reports in words."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

import numpy as np

from manikin.arrays import Vector
from manikin.goals import Aim, Goal
from manikin.report.data import Change, Reason, Report, Unit
from manikin.report.limits import Limit
from manikin.report.reach import Shortfall
from manikin.report.targets import sizes

MAX_STILL = 4
"""If there are more frozen joints than this, the sentence counts them and does not list them."""
UNLIKELY = 0.05
"""If the share of unseen minima is above this, the sentence says "probably"."""


def length(value: float, unit: float | None) -> str:
    """A length for reading: 1.66 m, 39.3 cm, 4.2 mm; a plain number if the figure has no unit."""
    if unit is None:
        return f"{value:.3g}"
    metres = value * unit
    if metres >= 0.9995:  # below this it would print as at most 99.9 cm
        return f"{metres:.2f} m"
    return f"{100.0 * metres:.1f} cm" if metres >= 0.009995 else f"{1000.0 * metres:.3g} mm"


def angle(value: float) -> str:
    """An angle for reading: whole degrees from 10°, otherwise one decimal."""
    degrees = math.degrees(value)
    if degrees >= 9.95:
        return f"{degrees:.0f}°"
    return f"{degrees:.1f}°" if degrees >= 0.1 else f"{degrees:.2g}°"


def quantity(value: float, of: Unit, unit: float | None) -> str:
    """A length or an angle for reading."""
    return angle(value) if of == "rad" else length(value, unit)


def rounded_up(value: float, of: Unit) -> float:
    """An amount rounded up to the printed precision, so that the printed amount is enough."""
    if value <= 0.0:
        return 0.0
    shown = math.degrees(value) if of == "rad" else value
    digit = (0.1 if shown < 9.9 else 1.0) if of == "rad" else 10.0 ** (math.floor(math.log10(shown)) - 2)
    up = math.ceil(shown / digit - 1e-9) * digit
    return math.radians(up) if of == "rad" else up


def _joined(names: Sequence[str], word: str = "and") -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {word} {names[-1]}"


def opening(name: str, goal: Goal, error: Vector, unit: float | None) -> str:
    """The first sentence: LeftHand misses its target by 4.1 cm (tolerance 0.15 mm)."""
    parts = [quantity(value, of, unit) for value, of in sizes(goal, error)]
    tolerance = quantity(goal.allowed, "rad" if all(goal.angular) else "length", unit)
    if isinstance(goal.tolerance, tuple):
        tolerance = f"{length(goal.tolerance[0], unit)}, {angle(goal.tolerance[1])}"
    aims_at = "its target " if len(goal.target) else ""
    return f"{name} misses {aims_at}by {_joined(parts)} (tolerance {tolerance})."


class Speaker:
    """Writes the reasons and changes of one report as sentences."""

    def __init__(
        self,
        unit: float | None,
        limits: Mapping[str, Limit],
        shortfall: Shortfall | None,
        holding: frozenset[str] = frozenset(),
        locked: frozenset[str] = frozenset(),
    ) -> None:
        """
        Args:
            unit: metres per length of the figure; None if not known.
            limits: limits by name.
            shortfall: the result of the length test for the goal.
            holding: names of the goals of kind `held`: balance, clearance, closed loops.
            locked: names of the joints that are not frozen, but whose lower and upper limits are equal.
        """
        self.unit, self.limits, self.shortfall = unit, limits, shortfall
        self.holding, self.locked = holding, locked

    def sentences(self, report: Report) -> list[str]:
        """The sentences after the opening."""
        said = []
        for k, reason in enumerate(report.reasons):
            said.append(self._ROOT[reason.kind](self, reason) if k else self._FIRST[reason.kind](self, reason, report))
        if report.reasons and report.reasons[0].confidence == "likely" and report.unseen > UNLIKELY:
            said[0] = f"Probably: {said[0][0].lower()}{said[0][1:]}"
        advice = self._advice(report)
        return [*said, advice] if advice else said

    def _wider(self, name: str, amount: float) -> str:
        return quantity(amount, "length" if self.limits[name].slides else "rad", self.unit)

    def _room(self, joint: str, amount: float) -> str:
        slides = any(limit.slides for limit in self.limits.values() if limit.joint == joint)
        return quantity(amount, "length" if slides else "rad", self.unit)

    # First reasons

    def _out_of_reach(self, reason: Reason, report: Report) -> str:
        amount = quantity(reason.amount, reason.unit, self.unit)
        if reason.confidence == "certain" and self.shortfall is not None:
            return f"Out of reach: {self._way(self.shortfall)}."
        return f"Out of reach even alone and without limits, by {amount} (none of {report.starts} starts got nearer)."

    def _way(self, short: Shortfall) -> str:
        distance, reach = length(short.distance, self.unit), length(short.reach, self.unit)
        return f"the target is {distance} from {short.base}, but the figure reaches only {reach} from there"

    def _frozen(self, reason: Reason, _: Report) -> str:
        """RightForeArm and RightArm are frozen; releasing RightForeArm is enough."""
        named = list(dict.fromkeys([*reason.culprits, *reason.still]))
        how = "locked by limits without room" if self.locked.issuperset(named) else "frozen"
        if self.locked.intersection(named) and how == "frozen":
            how = "frozen or locked"
        if len(named) > MAX_STILL:
            are = f"{len(named)} joints that could help are {how}"
        else:
            are = f"{_joined(named)} {'is' if len(named) == 1 else 'are'} {how}"
        if reason.together:
            if len(reason.culprits) > 2:
                return f"{are}; releasing {_joined(reason.culprits)} together is enough."
            which = "both" if len(named) == 2 else _joined(reason.culprits)
            return f"{are}; releasing {which} is enough, but one alone is not."
        return f"{are}; releasing {'it' if len(named) == 1 else _joined(reason.culprits, 'or')} is enough."

    def _too_few_joints(self, reason: Reason, _: Report) -> str:
        ways, asked = reason.ways
        can = f"its joints can move it in {ways} ways"
        if reason.culprits:
            can = f"{ways} joints can move it" if ways > 1 else "1 joint can move it"
        if len(reason.asking) > 1:
            return f"{can[0].upper()}{can[1:]}, but {_joined(reason.asking)} together fix {asked} numbers."
        return (
            f"{can[0].upper()}{can[1:]}, but its placement fixes {asked} numbers: its position alone can be met, and "
            "so can its orientation."
        )

    def _limit(self, reason: Reason, _: Report) -> str:
        words = [self.limits[name].words for name in reason.culprits]
        alone = ", even with all other goals dropped"
        if reason.together and len(words) > 1:
            return f"Blocked by {len(words)} limits together{alone}: {_joined(words)}."
        return f"Blocked by {words[0]}{alone}."

    def _conflict(self, reason: Reason, report: Report) -> str:
        leaves = ""
        if reason.amount > 0.0 and not any(r.kind == "out_of_reach" for r in report.reasons):
            stay = "it stays" if len(reason.culprits) == 1 else "they stay"
            leaves = f" While {stay}, the target is {quantity(reason.amount, reason.unit, self.unit)} out of reach."
        if reason.together and len(reason.culprits) > 1:
            return f"In conflict with {_joined(reason.culprits)}; dropping only one of them is not enough.{leaves}"
        proof = " (their targets are farther apart than they can be)" if reason.confidence == "certain" else ""
        return f"In conflict with {reason.culprits[0]}{proof}: {self._without(reason)}{leaves}"

    def _held(self, reason: Reason, _: Report) -> str:
        if not self.holding.issuperset(reason.culprits):
            return self._stay(reason)
        if reason.together and len(reason.culprits) > 1:
            return f"Held back by {_joined(reason.culprits)} together."
        return f"Held back by {reason.culprits[0]}: {self._without(reason)}"

    def _stay(self, reason: Reason) -> str:
        """Out of reach by 12.0 cm while LeftFoot and RightFoot stay: without either of them the goal is met."""
        by = f" by {quantity(reason.amount, reason.unit, self.unit)}" if reason.amount > 0.0 else ""
        count = len(reason.culprits)
        said = f"Out of reach{by} while {_joined(reason.culprits)} {'stays' if count == 1 else 'stay'}"
        if reason.together and count > 1:
            return f"{said}; dropping only one of them is not enough."
        without = "it" if count == 1 else "either of them" if count == 2 else "any one of them"
        return f"{said}: without {without} the goal is met."

    @staticmethod
    def _without(reason: Reason) -> str:
        """Says that the goal is met without the first culprit, or without one of the others."""
        others = reason.culprits[1:]
        also = f", or without {_joined(others, 'or')}" if others else ""
        return f"without it the goal is met{also}."

    def _local_minimum(self, _: Reason, __: Report) -> str:
        return "A pose that meets it exists; the solver was caught in a local minimum."

    def _singular(self, _: Reason, __: Report) -> str:
        return "Singular pose: the target lies in a direction in which the effector cannot move in this pose."

    def _budget(self, reason: Reason, _: Report) -> str:
        if reason.amount == 0.0:
            return "Not finished: the solver stopped while this goal could still be moved; a pose that meets it exists."
        return f"Not finished: {reason.amount:.0f} more iterations meet it."

    def _unsure(self, _: Reason, report: Report) -> str:
        return (
            f"Unsure: no single cause was found. {report.starts} starts failed and ended in {report.distinct_minima} "
            "different places; nothing proves that the goal cannot be met."
        )

    # Second reasons

    def _also_limit(self, reason: Reason) -> str:
        words = self.limits[reason.culprits[0]].words
        return f"Both would fit if {words} were {quantity(reason.amount, reason.unit, self.unit)} wider."

    def _also_out_of_reach(self, reason: Reason) -> str:
        if not reason.culprits:  # empty for the goal itself, while joints are frozen
            assert self.shortfall is not None
            return f"As it is, {self._way(self.shortfall)}."
        amount = quantity(reason.amount, reason.unit, self.unit)
        stay = "" if reason.geometric else " while the other goals stay,"
        return f"{reason.culprits[0]} is itself out of reach by {amount}{stay} and pulls the figure toward its target."

    def _also_frozen(self, reason: Reason) -> str:
        are = "is" if len(reason.culprits) == 1 else "are"
        return (
            f"{_joined(reason.culprits)} {are} frozen; if {'it' if are == 'is' else 'they'} were free, the goal would "
            "be met."
        )

    def _also_too_few(self, reason: Reason) -> str:
        ways, asked = reason.ways
        can = f"{ways} joints can move it" if reason.culprits else f"the joints that are free move it in {ways} ways"
        if len(reason.asking) > 1:
            return f"As it is, {can}, but {_joined(reason.asking)} together fix {asked} numbers."
        return f"As it is, {can}, but its placement fixes {asked} numbers."

    def _also(self, reason: Reason) -> str:
        return f"Then {reason.culprits[0]} would still be in the way."

    _FIRST: ClassVar[dict[str, Callable[[Speaker, Reason, Report], str]]] = {
        "out_of_reach": _out_of_reach,
        "frozen": _frozen,
        "limit": _limit,
        "too_few_joints": _too_few_joints,
        "conflict": _conflict,
        "held": _held,
        "local_minimum": _local_minimum,
        "singular": _singular,
        "budget": _budget,
        "unsure": _unsure,
    }
    _ROOT: ClassVar[dict[str, Callable[[Speaker, Reason], str]]] = {
        **dict.fromkeys(_FIRST, _also),
        "frozen": _also_frozen,
        "limit": _also_limit,
        "too_few_joints": _also_too_few,
        "out_of_reach": _also_out_of_reach,
    }

    # What would help

    def _advice(self, report: Report) -> str:
        kind = report.reasons[0].kind
        if kind == "local_minimum":
            return "Use the pose found, or allow restarts."
        if kind == "singular":
            return "Bend the chain a little before solving, or use the pose found."
        if kind == "budget":
            return "Use the pose found." if report.changes[0].what == "use_pose" else ""
        said = [self._change(c) for c in report.changes[:4] if not (kind != "limit" and c.what == "widen_limit")]
        said = list(dict.fromkeys(said))
        return f"{' Or '.join(s[0].upper() + s[1:] + '.' if k == 0 else s + '.' for k, s in enumerate(said))}"

    def _change(self, change: Change) -> str:
        if change.what == "widen_limit":
            parts = [f"{self.limits[n].words} by {self._wider(n, a)}" for n, a in change.parts]
            unproved = "" if change.verified else " (enough for this goal alone)"
            return f"widen {_joined(parts)}{unproved}"
        if change.what == "release":
            room = [f"give {n} {self._room(n, a)} of room" for n, a in change.parts if a > 0.0]
            frozen = [n for n, a in change.parts if a == 0.0]
            return _joined([*([f"release {_joined(frozen)}"] if frozen else []), *room])
        if change.what == "move_target":
            turn = f" and turn it by {angle(change.turn)}" if change.turn > 0.0 else ""
            return f"move the target by {quantity(change.amount, change.unit, self.unit)}{turn}"
        if change.what == "ask_less":
            aims = [goal for goal in change.instead if isinstance(goal, Aim)]
            if not aims:
                return "ask only for the position"
            return f"leave the turn about its {'xyz'[int(np.argmax(aims[0].axis))]} axis free"
        if change.what == "drop_goal":
            return f"drop {_joined([n for n, _ in change.parts])}"
        if change.what == "lower_weight":
            return f"lower the weight of {change.subject} to 1/{np.ceil(1.0 / change.amount):.0f}"
        return "use the pose found"
