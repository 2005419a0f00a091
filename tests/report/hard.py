"""How mixed and hard cases are made."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from report.case import PLACES, Case, feasible, position, seated
from report.makers import local_minimum, missed, out_of_reach, overstepping, solved_case

import manikin as mk
from manikin.goals import Effector
from manikin.problem import Problem
from manikin.report.reach import Lengths


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
    return solved_case("mixed: pulled", place, goals, {"conflict"})


def limit_and_conflict(place: str, rng: np.random.Generator) -> Case | None:
    """A goal that a limit blocks even alone, and that another goal is against as well: the limit comes first."""
    if place == "person":
        return None
    body = PLACES[place][0]()
    made = overstepping(place, rng, 1)
    if made is None or feasible(body, [made[0]], 0):
        return None
    rival = position(place, PLACES[place][1][1], body.random(rng))
    return solved_case("mixed: limit, conflict", place, [made[0], rival], {"limit"})


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
    return solved_case("hard: just missed", place, goals, {"out_of_reach"})


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
    return solved_case("hard: many goals", place, goals, {"conflict"})


def limit_and_unreachable(place: str, rng: np.random.Generator) -> Case | None:
    """A limit blocks the subject; another goal is out of reach, which is another matter."""
    if place != "seated":
        return None
    body = seated()
    made = overstepping(place, rng, 1)
    if made is None or feasible(body, [made[0]], 0):
        return None
    far = mk.Position("RightHand", (rng.uniform(-4.0, -2.0), 1.0, rng.uniform(-1.0, 1.0)))
    return solved_case("hard: limit, other unreachable", place, [made[0], far], {"limit"})


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
    return solved_case("hard: two opponents", place, goals, {"conflict"})


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
    return solved_case("hard: conflict, other unreachable", place, goals, {"conflict"})
