"""Missed goals whose reason is known by construction.

Each case is made so that one reason is true (a target beyond the length of the chain, a pose that oversteps one limit,
targets of two poses at once, …), then checked with the production solver and many more starts than a report spends:
what must be infeasible is missed by all of them, what must be feasible has a pose. Cases that fail the check are thrown
away. A culprit is accepted if it is the one built in, or if the same check says that it is as good.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from targets_of_bodies import near_limits

import manikin as mk
from manikin.goals import Clearance, Effector
from manikin.kinematics.chart import chart_of
from manikin.problem import Problem
from manikin.report import Change, Report
from manikin.report.limits import Limit, limit_named, limits_of, tried, with_wider_limits
from manikin.report.local import Local
from manikin.report.reach import Lengths

STARTS = 40
"""Restarts of the check."""


@dataclass
class Case:
    """A problem with a missed goal, solved, and what may be said of it."""

    kind: str
    """The class of cases."""
    figure: mk.Figure
    goals: list[Any]
    solution: mk.Solution
    subject: int
    """The goal that is asked about."""
    kinds: frozenset[str]
    """Kinds of the first reason that are true."""
    place: str = ""
    """Which figure."""
    together: bool | None = None
    """Whether the culprits must be needed together; None where either is true."""
    cache: dict[Any, bool] = field(default_factory=dict)

    @property
    def report(self) -> Report:
        return self.solution.report[self.subject]

    def right(self) -> bool:
        """Whether the first reason named is true."""
        reason = self.report.reasons[0]
        if reason.kind not in self.kinds:
            return False
        if self.together is not None and reason.kind == "limit" and reason.together != self.together:
            return False
        if reason.kind == "limit":
            names = reason.culprits if reason.together else reason.culprits[:1]
            wide = {limit_named(self.figure, name): 0.0 for name in names}
            wide = {limit: tried(limit, self.figure, np.pi if reason.together else 0.5 * np.pi) for limit in wide}
            return feasible(with_wider_limits(self.figure, wide), [self.goals[self.subject]], 0)
        if reason.kind in ("conflict", "held"):
            names = reason.culprits if reason.together else reason.culprits[:1]
            labels = [g.label for g in self.goals]
            dropped = [labels.index(name) for name in names]
            return self.met_without(dropped)
        return True

    def met_without(self, dropped: Sequence[int]) -> bool:
        left = [k for k in range(len(self.goals)) if k not in dropped]
        return feasible(self.figure, [self.goals[k] for k in left], left.index(self.subject))

    def works(self) -> bool:
        """Whether the first change, made, lets the goal be met."""
        change: Change = self.report.changes[0]
        pose, solution = self.report.pose, self.solution
        if change.what == "use_pose":
            assert pose is not None
            at = Problem(self.figure, self.goals).at(pose)
            return bool(at.errors[self.subject] <= at.problem.tolerances[self.subject] * (1 + 1e-9))
        start = solution.pose if change.what == "more_iterations" else solution.start
        figure, goals = change.applied(self.figure, solution.goals)
        dropped = change.goals if change.what == "drop_goal" else ()
        index = [k for k in range(len(self.goals)) if k not in dropped].index(self.subject)
        return feasible(figure, list(goals), index, start)


def feasible(figure: mk.Figure, goals: list[Any], index: int, start: Any = None) -> bool:
    """Whether the production solver meets a goal, with many restarts and two seeds, or another method from where the
    goal is met alone: where a second goal is far out of reach, the first ends before the others are met to tolerance,
    since the sum of all errors hardly falls any more."""
    for seed in (11, 12):
        found = mk.solve(figure, goals, start, restarts=STARTS, seed=seed)
        if found.errors[index] <= found.tolerances[index]:
            return True
    if len(goals) > 1:
        alone = mk.solve(figure, [goals[index]], found.pose, restarts=STARTS)
        found = mk.solve(figure, goals, alone.pose, method="bounded-dls", iterations=150)
    return bool(found.errors[index] <= found.tolerances[index])


# Figures


@functools.cache
def planar() -> mk.Figure:
    """Six hinges in the plane with limits, the base a quarter turn more than the others."""
    joints = [mk.Hinge(limits=(-np.pi, np.pi)), *[mk.Hinge(limits=(-1.6, 1.9))] * 5]
    return mk.chain([0.5, 0.45, 0.4, 0.35, 0.3, 0.25], joints, name="planar")


@functools.cache
def narrow() -> mk.Figure:
    """Four hinges in the plane with little room each."""
    return mk.chain([0.5, 0.4, 0.35, 0.25], mk.Hinge(limits=(-0.7, 0.9)), name="narrow")


@functools.cache
def panda() -> mk.Figure | None:
    folder = os.environ.get("MANIKIN_DATA", "")
    path = Path(folder) / "urdf" / "panda.urdf"
    return mk.load_figure(path) if folder and path.exists() else None


@functools.cache
def person() -> mk.Figure:
    return mk.human()


@functools.cache
def seated() -> mk.Figure:
    """The person with the hips fixed where they are at rest."""
    figure = mk.human()
    hips = figure.segments[0]
    place = figure.placements(figure.rest, [hips.name])[0]
    fixed = replace(hips.joint, motions=(), rest=(), offset=tuple(place[:3, 3]))
    return figure.replaced(name="seated", segments=[hips.replaced(joint=fixed), *figure.segments[1:]])


PLACES: dict[str, tuple[Callable[[], Any], tuple[str, ...], str]] = {
    "planar": (planar, ("Tip", "Segment4", "Segment6"), "xy"),
    "narrow": (narrow, ("Tip", "Segment3", "Segment4"), "xy"),
    "panda": (panda, ("panda_hand_tcp", "panda_link5", "panda_link7"), "xyz"),
    "seated": (seated, ("LeftHand", "RightHand", "Head"), "xyz"),
    "person": (person, ("LeftHand", "RightFoot", "Head"), "xyz"),
}
"""Figure, effectors, axes."""


def position(place: str, segment: str, pose: Any, **options: Any) -> Any:
    """A Position met by a pose."""
    make, _, axes = PLACES[place]
    at = make().placements(pose, [segment])[0, :3, 3]
    return mk.Position(segment, at[: len(axes)], axes=axes, **options)


# Makers: each gives a case, or None where the draw did not have what the class needs

Maker = Callable[[str, np.random.Generator], "Case | None"]


def missed(solution: mk.Solution, index: int = 0) -> bool:
    return bool(solution.errors[index] > solution.tolerances[index])


def _case(kind: str, place: str, goals: list[Any], kinds: set[str], **options: Any) -> Case | None:
    figure = PLACES[place][0]()
    together = options.pop("together", None)
    solution = mk.solve(figure, goals, **options)
    return Case(kind, figure, goals, solution, 0, frozenset(kinds), place, together) if missed(solution) else None


def out_of_reach(place: str, rng: np.random.Generator) -> Case | None:
    """Beyond the length of the whole figure, by a little or by much."""
    figure, axes = PLACES[place][0](), PLACES[place][2]
    away = rng.normal(size=len(axes))
    tip = PLACES[place][1][0]
    target = away / np.linalg.norm(away) * figure.size * rng.uniform(1.05, 2.0)
    base = figure.placements(figure.rest, [figure.segment_names[0]])[0, : len(axes), 3]
    goals: list[Any] = [mk.Position(tip, base + target, axes=axes)]
    if place == "seated" and rng.random() < 0.5:
        goals.append(mk.Aim("Head", (0.5, 1.5, 2.0)))
    return _case("out of reach", place, goals, {"out_of_reach"}, restarts=int(rng.choice([0, 30])))


def too_near(place: str, rng: np.random.Generator) -> Case | None:
    """Nearer to the base than the chain can fold: lengths in a row prove nothing here."""
    if place != "planar":
        return None
    figure = mk.chain([1.0, rng.uniform(0.2, 0.4), rng.uniform(0.1, 0.3)], planar=True, name="long first")
    lengths = [s.joint.offset[0] for s in figure.segments[1:]]
    gap = lengths[0] - lengths[1] - lengths[2]
    turn = rng.uniform(-np.pi, np.pi)
    target = rng.uniform(0.0, 0.9) * gap * np.array([np.cos(turn), np.sin(turn)])
    goals = [mk.Position("Tip", target, axes="xy")]
    solution = mk.solve(figure, goals)
    return Case("too near", figure, goals, solution, 0, frozenset({"out_of_reach"}), place)


def _overstepping(place: str, rng: np.random.Generator, count: int) -> tuple[Any, list[Limit]] | None:
    """A goal met by a pose that oversteps `count` limits by 15° to 50°, all others kept."""
    figure, tips, axes = PLACES[place]
    body = figure()
    tip = "LeftFoot" if place == "seated" else tips[0]
    above, name = set(), tip
    while name is not None:
        above.add(body.segment(name).joint.name)
        name = body.segment(name).parent
    problem = Problem(body, mk.Position(tip, (0.0,) * len(axes), axes=axes))
    known = [limit for limit in limits_of(body, problem.chart).values() if limit.joint in above]
    chosen = [known[k] for k in rng.choice(len(known), count, replace=False)]
    if len({limit.joint for limit in chosen}) < count:
        return None
    by = {limit: np.deg2rad(rng.uniform(15.0, 50.0)) for limit in chosen}
    wide = with_wider_limits(body, by)
    # where the other joints are near their limits too, none can stand in for the one that oversteps
    pose = near_limits(body, rng, 1)[0] if place == "seated" and rng.random() < 0.5 else body.random(rng)
    local = chart_of(wide, normalised=False).at(pose)
    c = np.zeros(wide.nv)
    for limit in chosen:
        c[limit.step] = local.upper[limit.step] if limit.side == "upper" else local.lower[limit.step]
    pose = local.moved(c)
    at = wide.placements(pose, [tip])[0]
    return mk.Placement(tip, at, tolerance=(1e-3, 1e-2)), chosen


def one_limit(place: str, rng: np.random.Generator) -> Case | None:
    body = PLACES[place][0]()
    made = _overstepping(place, rng, 1)
    if made is None or feasible(body, [made[0]], 0):
        return None
    return _case("one limit", place, [made[0]], {"limit"}, together=False)


def two_limits(place: str, rng: np.random.Generator) -> Case | None:
    body = PLACES[place][0]()
    made = _overstepping(place, rng, 2)
    if made is None or feasible(body, [made[0]], 0):
        return None
    goal = made[0].on(body)
    problem = Problem(body, goal)
    limits = limits_of(body, problem.chart).values()
    for limit in limits:
        wide = with_wider_limits(body, {limit: tried(limit, body)})
        if mk.solve(wide, goal, restarts=STARTS).reached:
            return None
    return _case("two limits", place, [goal], {"limit"}, together=True)


def _rivals(place: str, rng: np.random.Generator, count: int) -> list[Any]:
    """Goals on different effectors, each met by a pose of its own."""
    body, tips, _ = PLACES[place]
    poses = body().random(rng, count)
    if place == "person":
        poses[:, :3] += rng.normal(0.0, 0.7, (count, 3))
    order = rng.permutation(len(tips))[:count]
    return [position(place, tips[k], pose) for k, pose in zip(order, poses, strict=True)]


def conflict(place: str, rng: np.random.Generator, count: int = 2, kind: str = "conflict of two") -> Case | None:
    goals = _rivals(place, rng, count)
    for goal in goals:
        weight = float(rng.choice([1.0, 1.0, 0.3, 3.0]))
        goals[goals.index(goal)] = replace(goal, weight=weight)
    body = PLACES[place][0]()
    if feasible(body, [goals[0]], 0) is False or mk.solve(body, goals, restarts=STARTS, seed=5).reached:
        return None
    case = _case(kind, place, goals, {"conflict"})
    if case is None or feasible(body, goals, 0):
        return None
    return case


def conflict_of_three(place: str, rng: np.random.Generator) -> Case | None:
    return conflict(place, rng, 3, "conflict of three")


def blocked_by_priority(place: str, rng: np.random.Generator) -> Case | None:
    """The rival stands on a higher level."""
    goals = _rivals(place, rng, 2)
    goals = [replace(goals[0], priority=1), goals[1]]
    body = PLACES[place][0]()
    if not feasible(body, [goals[0]], 0) or feasible(body, goals, 0):
        return None
    return _case("priority", place, goals, {"conflict"})


def held_by_balance(place: str, rng: np.random.Generator) -> Case | None:
    """A reach that leaves the support: feet held, one hand far out."""
    if place != "person":
        return None
    body, rest = person(), person().rest
    feet = [mk.Placement(s, body.placements(rest, [s])[0], name=s, weight=10.0) for s in ("LeftFoot", "RightFoot")]
    hand = body.placements(rest, ["Hips"])[0, :3, 3] + np.array([rng.uniform(-0.3, 0.6), 0.0, 0.0])
    hand = hand + np.array([0.0, rng.uniform(-0.5, 0.4), rng.uniform(0.6, 1.1)])
    goals = [mk.Position("LeftHand", hand), *feet, mk.Balance(["LeftFoot", "RightFoot"], name="Balance", weight=10.0)]
    if not feasible(body, goals[:-1], 0) or feasible(body, goals, 0):
        return None
    return _case("held", place, goals, {"held", "conflict"})


def held_in_the_plane(place: str, rng: np.random.Generator) -> Case | None:
    """A chain on a stand, whose centre of mass may not leave it."""
    if place != "planar":
        return None
    stand = mk.Segment("Stand", mass=1.0)
    first, *others = planar().segments
    first = first.replaced(parent="Stand")
    body = mk.Figure("stand", [stand, first, *others])
    turn, far = rng.uniform(-0.6, 0.6), rng.uniform(1.2, 2.0)
    side = rng.choice([-1.0, 1.0])
    target = (side * far * np.cos(turn), far * np.sin(turn))
    support = mk.Balance(["Stand"], points={"Stand": [(x, 0, z) for x in (-0.3, 0.3) for z in (-0.3, 0.3)]})
    goals = [mk.Position("Tip", target, axes="xy"), replace(support, weight=float(rng.choice([1.0, 10.0])))]
    if not feasible(body, goals[:1], 0) or feasible(body, goals, 0):
        return None
    solution = mk.solve(body, goals)
    return Case("held", body, goals, solution, 0, frozenset({"held"}), place) if missed(solution) else None


def held_by_clearance(place: str, rng: np.random.Generator) -> Case | None:
    """The target lies inside something that must not be touched."""
    if place != "planar":
        return None
    body, axes = planar(), "xy"
    target = body.placements(body.random(rng), ["Tip"])[0, :3, 3]
    if np.linalg.norm(target) < 0.6:
        return None
    radius = float(rng.uniform(0.1, 0.25))
    inside = target + 0.5 * radius * np.array([*rng.uniform(-1.0, 1.0, 2), 0.0])
    obstacles = [mk.Sphere(tuple(inside), radius)]
    goals = [mk.Position("Tip", target, axes=axes), Clearance(0.0, obstacles=obstacles, between=[("*", "obstacle *")])]
    return _case("held", place, goals, {"held"})


def local_minimum(place: str, rng: np.random.Generator) -> Case | None:
    """A reachable target that one start, and what is near to its end, misses."""
    body, tips, _ = PLACES[place]
    figure = body()
    pose = figure.random(rng)
    if place in ("panda", "planar"):
        goals: list[Any] = [mk.Placement(tips[0], figure.placements(pose, [tips[0]])[0], tolerance=(1e-3, 1e-2))]
    else:
        names = ("LeftHand", "RightHand", "LeftFoot", "RightFoot") if place == "person" else ("LeftHand", "RightHand")
        goals = [mk.Placement(s, figure.placements(pose, [s])[0], tolerance=(1e-3, 1e-2)) for s in names]
    start = figure.random(rng)
    solution = mk.solve(figure, goals, start, restarts=0)
    if not missed(solution):
        return None
    again = mk.solve(figure, goals, solution.pose, method="bounded-dls", iterations=400)
    if not missed(again) or _leaves(figure, goals, again.pose, rng):
        return None
    return Case("local minimum", figure, goals, solution, 0, frozenset({"local_minimum"}), place)


def _leaves(figure: mk.Figure, goals: list[Any], pose: Any, rng: np.random.Generator) -> bool:
    """Whether small random moves lead out."""
    for size in (0.02, 0.05, 0.1):
        start = figure.clamp(figure.integrate(pose, rng.normal(0.0, size, figure.nv)))
        if not missed(mk.solve(figure, goals, start, method="bounded-dls", iterations=150)):
            return True
    return False


def singular(place: str, rng: np.random.Generator) -> Case | None:
    """Stretched, with the target on the line: no joint moves the tip along it."""
    if place == "planar":
        figure, axes = planar(), "xy"
        start = figure.pose({"Segment1": rng.uniform(-2.0, 2.0)})
    elif place == "seated":
        figure, axes = mk.chain([0.4, 0.5, 0.3, 0.2], mk.Ball(), name="ropes"), "xyz"
        start = figure.rest
    else:
        return None
    tip = figure.placements(start, ["Tip"])[0, : len(axes), 3]
    goals = [mk.Position("Tip", rng.uniform(0.3, 0.9) * tip, axes=axes)]
    solution = mk.solve(figure, goals, start, method="bounded-dls")
    return Case("singular", figure, goals, solution, 0, frozenset({"singular"}), place) if missed(solution) else None


def budget(place: str, rng: np.random.Generator) -> Case | None:
    """Stopped after a few iterations, on the way."""
    figure, tips, _ = PLACES[place]
    body = figure()
    pose = body.random(rng)
    goals = [mk.Placement(tips[0], body.placements(pose, [tips[0]])[0])]
    solution = mk.solve(body, goals, restarts=0, iterations=int(rng.integers(1, 4)))
    problem = Problem(body, goals)
    if not missed(solution) or Local(problem, solution.pose, np.ones(1)).residue < 0.02:
        return None
    if missed(mk.solve(body, goals, solution.pose, method="bounded-dls", iterations=300)):
        return None
    return Case("budget", body, goals, solution, 0, frozenset({"budget"}), place)


def stopped_out_of_reach(place: str, rng: np.random.Generator) -> Case | None:
    """Not finished, and out of reach too: more iterations would not help."""
    case = out_of_reach(place, rng)
    if case is None:
        return None
    solution = mk.solve(case.figure, case.goals, restarts=0, iterations=2)
    return replace(case, kind="mixed: stopped, out of reach", solution=solution)


def pulled(place: str, rng: np.random.Generator) -> Case | None:
    """Another goal is out of reach and pulls."""
    if place == "person":
        return None
    figure, tips, axes = PLACES[place]
    body = figure()
    near = position(place, tips[1], body.random(rng))
    away = rng.normal(size=len(axes))
    base = body.placements(body.rest, [body.segment_names[0]])[0, : len(axes), 3]
    far = mk.Position(tips[0], base + away / np.linalg.norm(away) * body.size * rng.uniform(1.2, 2.5), axes=axes)
    goals = [near, far]
    if feasible(body, goals, 0) or not feasible(body, goals[:1], 0):
        return None
    return _case("mixed: pulled", place, goals, {"conflict"})


def limit_and_conflict(place: str, rng: np.random.Generator) -> Case | None:
    """A goal that a limit blocks even alone, and that another goal is against as well: the limit comes first."""
    if place == "person":
        return None
    body = PLACES[place][0]()
    made = _overstepping(place, rng, 1)
    if made is None or feasible(body, [made[0]], 0):
        return None
    rival = position(place, PLACES[place][1][1], body.random(rng))
    return _case("mixed: limit, conflict", place, [made[0], rival], {"limit"})


def just_missed(place: str, rng: np.random.Generator) -> Case | None:
    """Out of reach by one and a half to six tolerances."""
    if place == "person":
        return None
    figure, tips, axes = PLACES[place]
    body = figure()
    tip = tips[0]
    lengths = Lengths(Problem(body, position(place, tip, body.rest)), body.rest)
    base, reach, _ = lengths._way(Effector(tip))
    away = rng.normal(size=len(axes))
    far = reach + 1e-4 * body.size * rng.uniform(1.5, 6.0)
    goals = [mk.Position(tip, base[: len(axes)] + away / np.linalg.norm(away) * far, axes=axes)]
    return _case("hard: just missed", place, goals, {"out_of_reach"})


def many(place: str, rng: np.random.Generator) -> Case | None:
    """Six goals, weights from 0.3 to 3; a pose meets five of them, the subject is from another pose."""
    if place not in ("person", "seated"):
        return None
    body = PLACES[place][0]()
    one, other = body.random(rng, 2)
    names = ["LeftHand", "RightHand", "Head", "LeftFoot", "RightFoot", "LeftForeArm"]
    subject = names[int(rng.integers(2))]
    goals = [position(place, subject, other)]
    goals += [position(place, s, one, weight=float(rng.uniform(0.3, 3.0))) for s in names if s != subject]
    if not feasible(body, goals[:1], 0) or feasible(body, goals, 0):
        return None
    return _case("hard: many goals", place, goals, {"conflict"})


def limit_and_unreachable(place: str, rng: np.random.Generator) -> Case | None:
    """A limit blocks the subject; another goal is out of reach, which is another matter."""
    if place != "seated":
        return None
    body = seated()
    made = _overstepping(place, rng, 1)
    if made is None or feasible(body, [made[0]], 0):
        return None
    far = mk.Position("RightHand", (rng.uniform(-4.0, -2.0), 1.0, rng.uniform(-1.0, 1.0)))
    return _case("hard: limit, other unreachable", place, [made[0], far], {"limit"})


def stopped_in_a_minimum(place: str, rng: np.random.Generator) -> Case | None:
    """Not finished, and on its way into a local minimum."""
    case = local_minimum(place, rng)
    if case is None:
        return None
    solution = mk.solve(case.figure, case.goals, case.solution.start, restarts=0, iterations=3)
    if not missed(mk.solve(case.figure, case.goals, solution.pose, method="bounded-dls", iterations=300)):
        return None
    return replace(case, kind="hard: stopped, local minimum", solution=solution) if missed(solution) else None


def two_opponents(place: str, rng: np.random.Generator) -> Case | None:
    """Two goals are each against the subject: without only one of them it is still missed."""
    figure, tips, _ = PLACES[place]
    body = figure()
    one, other = body.random(rng, 2)
    if place == "person":
        other[:3] += rng.normal(0.0, 0.7, 3)
    names = ("LeftHand", "RightHand", "LeftFoot") if place == "person" else tips
    order = [names[k] for k in rng.permutation(3)]
    goals = [position(place, order[0], other), *(position(place, s, one) for s in order[1:])]
    if not feasible(body, goals[:1], 0) or feasible(body, goals[:2], 0) or feasible(body, [goals[0], goals[2]], 0):
        return None
    return _case("hard: two opponents", place, goals, {"conflict"})


def conflict_and_unreachable(place: str, rng: np.random.Generator) -> Case | None:
    """Two goals conflict; a third, of another limb, is out of reach."""
    if place != "seated":
        return None
    body = seated()
    one, other = body.random(rng, 2)
    far = mk.Position("RightFoot", (rng.uniform(-3.0, -1.5), 0.5, rng.uniform(-1.0, 1.0)))
    goals = [position(place, "LeftHand", one), position(place, "LeftForeArm", other), far]
    if not feasible(body, goals[:1], 0) or feasible(body, goals[:2], 0):
        return None
    return _case("hard: conflict, other unreachable", place, goals, {"conflict"})


MAKERS: dict[str, tuple[Maker, ...]] = {
    "out of reach": (out_of_reach, too_near),
    "one limit": (one_limit,),
    "two limits": (two_limits,),
    "conflict of two": (conflict,),
    "conflict of three": (conflict_of_three,),
    "priority": (blocked_by_priority,),
    "held": (held_by_balance, held_in_the_plane, held_by_clearance),
    "local minimum": (local_minimum,),
    "singular": (singular,),
    "budget": (budget,),
    "mixed: stopped, out of reach": (stopped_out_of_reach,),
    "mixed: pulled": (pulled,),
    "mixed: limit, conflict": (limit_and_conflict,),
    "hard: just missed": (just_missed,),
    "hard: many goals": (many,),
    "hard: limit, other unreachable": (limit_and_unreachable,),
    "hard: stopped, local minimum": (stopped_in_a_minimum,),
    "hard: two opponents": (two_opponents,),
    "hard: conflict, other unreachable": (conflict_and_unreachable,),
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
