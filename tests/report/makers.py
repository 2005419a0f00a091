"""How cases of each kind are made: each maker gives a case, or None where the draw did not have what it needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from report.case import PLACES, STARTS, Case, feasible, person, planar, position
from targets_of_bodies import near_limits

import manikin as mk
from manikin.goals import Clearance
from manikin.kinematics.chart import chart_of
from manikin.problem import Problem
from manikin.report.limits import Limit, limits_of, tried, with_wider_limits
from manikin.report.local import Local

# Makers: each gives a case, or None where the draw did not have what the class needs

Maker = Callable[[str, np.random.Generator], "Case | None"]


def missed(solution: mk.Solution, index: int = 0) -> bool:
    return bool(solution.errors[index] > solution.tolerances[index])


def solved_case(kind: str, place: str, goals: list[Any], kinds: set[str], **options: Any) -> Case | None:
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
    return solved_case("out of reach", place, goals, {"out_of_reach"}, restarts=int(rng.choice([0, 30])))


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


def overstepping(place: str, rng: np.random.Generator, count: int) -> tuple[Any, list[Limit]] | None:
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
    made = overstepping(place, rng, 1)
    if made is None or feasible(body, [made[0]], 0):
        return None
    return solved_case("one limit", place, [made[0]], {"limit"}, together=False)


def two_limits(place: str, rng: np.random.Generator) -> Case | None:
    body = PLACES[place][0]()
    made = overstepping(place, rng, 2)
    if made is None or feasible(body, [made[0]], 0):
        return None
    goal = made[0].on(body)
    problem = Problem(body, goal)
    limits = limits_of(body, problem.chart).values()
    for limit in limits:
        wide = with_wider_limits(body, {limit: tried(limit, body)})
        if mk.solve(wide, goal, restarts=STARTS).reached:
            return None
    return solved_case("two limits", place, [goal], {"limit"}, together=True)


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
    case = solved_case(kind, place, goals, {"conflict"})
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
    return solved_case("priority", place, goals, {"conflict"})


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
    return solved_case("held", place, goals, {"held", "conflict"})


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
    return solved_case("held", place, goals, {"held"})


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
