"""How cases are made in which joints may not move, other goals stay, or there are too few joints."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from report.case import PLACES, STARTS, Case, feasible, unlocked
from report.makers import missed

import manikin as mk

FEET = {
    "person": ("LeftFoot", "RightFoot"),
    "quadruped": ("LeftForePaw", "RightForePaw", "LeftHindPaw", "RightHindPaw"),
}
"""What stands on the ground."""


def chain_above(figure: mk.Figure, segment: str) -> list[str]:
    """Names of the joints that move a segment, nearest first, without a free root."""
    names: list[str] = []
    at: str | None = segment
    while at is not None:
        one = figure.segment(at)
        if one.joint.nq and one.joint.coupling is None and not any(isinstance(m, mk.Free) for m in one.joint.motions):
            names.append(one.joint.name)
        at = one.parent
    return names


def root(figure: mk.Figure) -> tuple[str, ...]:
    """The root joint, where it is free."""
    joint = figure.segments[0].joint
    return (joint.name,) if any(isinstance(m, mk.Free) for m in joint.motions) else ()


def wanted(place: str, figure: mk.Figure, tip: str, pose: Any, rng: np.random.Generator) -> Any:
    """A position or a placement that a pose meets."""
    at, axes = figure.placements(pose, [tip])[0], PLACES[place][2]
    if rng.random() < 0.5:
        return mk.Position(tip, at[: len(axes), 3], axes=axes)
    return mk.Placement(tip, at, tolerance=(1e-3, 1e-2))


def _case(
    kind: str, place: str, figure: mk.Figure, goals: list[Any], freeze: tuple[str, ...], start: Any, **options: Any
) -> Case | None:
    """The case, where its subject is missed with the joints frozen."""
    if feasible(figure, goals, 0, start, freeze=freeze):
        return None
    solution = mk.solve(figure, goals, start, freeze=freeze)
    kinds = frozenset(options.pop("kinds", {"frozen"}))
    return Case(kind, figure, goals, solution, 0, kinds, place, freeze=freeze, **options)


def frozen(place: str, rng: np.random.Generator) -> Case | None:
    """One to three joints of a chain frozen, a target that a pose with all of them free meets."""
    figure = PLACES[place][0]()
    tips = PLACES[place][1]
    tip = tips[int(rng.integers(len(tips)))]
    pose = figure.random(rng)
    goals = [wanted(place, figure, tip, pose, rng)]
    above = chain_above(figure, tip)
    count = int(rng.integers(1, min(4, len(above))))
    freeze = (*root(figure), *(str(name) for name in rng.choice(above, count, replace=False)))
    start = figure.rest.copy()
    if rng.random() < 0.5:
        rooted = 7 * len(root(figure))
        start[rooted:] = figure.random(rng)[rooted:]
    if not feasible(figure, goals, 0, start, freeze=root(figure)):
        return None
    return _case("frozen", place, figure, goals, freeze, start)


def only(place: str, rng: np.random.Generator) -> Case | None:
    """Only the one to four joints nearest to the effector may move."""
    figure = PLACES[place][0]()
    tips = PLACES[place][1]
    tip = tips[int(rng.integers(len(tips)))]
    goals = [wanted(place, figure, tip, figure.random(rng), rng)]
    above = chain_above(figure, tip)
    free = above[: int(rng.integers(1, min(5, len(above))))]
    moving = [s.joint.name for s in figure.segments if s.joint.nq and s.joint.coupling is None]
    if not feasible(figure, goals, 0, None, freeze=root(figure)):
        return None
    freeze = tuple(name for name in moving if name not in free)
    case = _case("frozen", place, figure, goals, freeze, None)
    return None if case is None else replace(case, solution=mk.solve(figure, goals, only=free))


def frozen_while_planted(place: str, rng: np.random.Generator) -> Case | None:
    """Feet where they stand, another effector at a target that a pose of the free figure meets too."""
    figure, feet = PLACES[place][0](), FEET[place]
    planted = [mk.Placement(s, figure.placements(figure.rest, [s])[0]) for s in feet]
    tip = {"person": "RightHand", "quadruped": "Head"}[place]
    at = figure.placements(figure.rest, [tip])[0, :3, 3]
    goals = [mk.Position(tip, at + rng.normal(0.0, 0.25, 3) * figure.size / 1.5), *planted]
    legs = [name for s in feet for name in chain_above(figure, s)]
    above = [*dict.fromkeys([*chain_above(figure, tip), *legs])]
    freeze = tuple(str(name) for name in rng.choice(above, int(rng.integers(4, 9)), replace=False))
    if not mk.solve(figure, goals).reached:
        return None
    return _case("frozen, others kept", place, figure, goals, freeze, None)


def locked(place: str, rng: np.random.Generator) -> Case | None:
    """One or two hinges whose limits leave no room."""
    body = PLACES[place][0]()
    tip = PLACES[place][1][0]
    goals = [wanted(place, body, tip, body.random(rng), rng)]
    hinges = [
        name
        for name in chain_above(body, tip)
        if all(isinstance(m, mk.Hinge) for m in next(s.joint for s in body.segments if s.joint.name == name).motions)
    ]
    names = [str(name) for name in rng.choice(hinges, int(rng.integers(1, 3)), replace=False)]
    rest = {name: float(body.rest[body.index_of(name)]) for name in names}
    figure = body.replaced(name=f"{body.name}, locked", segments=[_locked(s, rest) for s in body.segments])
    if feasible(figure, goals, 0) or not feasible(unlocked(figure, names), goals, 0):
        return None
    solution = mk.solve(figure, goals)
    return Case("locked", figure, goals, solution, 0, frozenset({"frozen"}), place) if missed(solution) else None


def _locked(segment: mk.Segment, at: dict[str, float]) -> mk.Segment:
    """The segment with its joint locked, where `at` says how."""
    joint = segment.joint
    if joint.name not in at:
        return segment
    motions = tuple(replace(m, limits=(at[joint.name], at[joint.name])) for m in joint.motions)
    return segment.replaced(joint=replace(joint, motions=motions))


def planted(place: str, rng: np.random.Generator) -> Case | None:
    """Other effectors stay where they stand, or come first; a target that lies beyond reach from there."""
    figure = PLACES[place][0]()
    if place == "planar":
        rest = figure.rest
        stays = [mk.Position("Segment4", figure.placements(rest, ["Segment4"])[0, :2, 3], axes="xy")]
        tip, axes = "Tip", "xy"
        centre = figure.placements(rest, ["Segment4"])[0, :2, 3]
        away = rng.normal(size=2)
        target = centre + away / np.linalg.norm(away) * rng.uniform(1.05, 1.6) * 0.9
    else:
        feet = FEET[place]
        stays = [mk.Placement(s, figure.placements(figure.rest, [s])[0]) for s in feet]  # type: ignore[misc]
        tip, axes = {"person": "RightHand", "quadruped": "Head"}[place], "xyz"
        away = rng.normal(size=3)
        centre = figure.placements(figure.rest, [figure.segment_names[0]])[0, :3, 3]
        target = centre + away / np.linalg.norm(away) * figure.size * rng.uniform(0.7, 1.4)
    goals: list[Any] = [mk.Position(tip, target, axes=axes), *stays]
    if not feasible(figure, goals[:1], 0) or feasible(figure, goals, 0):
        return None
    first = [replace(goals[0], priority=1), *stays]
    tries = [mk.solve(figure, first, restarts=2 * STARTS, seed=seed) for seed in (21, 22)]
    least = [t.errors[0] for t in tries if np.all(t.errors[1:] <= t.tolerances[1:])]
    if not least:
        return None
    goals[0] = replace(goals[0], priority=int(rng.integers(2)))
    solution = mk.solve(figure, goals)
    return Case("planted", figure, goals, solution, 0, frozenset({"held"}), place, amount=float(min(least)))


def _five(rng: np.random.Generator) -> mk.Figure:
    """Five hinges in space, none parallel to the next."""
    axes = [(0, 0, 1), (0, 1, 0), (0, 1, 0), (1, 0, 0), (0, 1, 0)]
    count = 5
    joints = [mk.Hinge(axis=axes[k], limits=(-2.6, 2.6)) for k in range(count)]
    return mk.chain(list(rng.uniform(0.25, 0.6, count)), joints, name="five joints")


def too_few(place: str, rng: np.random.Generator) -> Case | None:
    """Five joints in space, or two in the plane, with a placement of which each half is met alone."""
    if place == "planar":
        figure, axes = mk.chain([0.6, 0.5], planar=True, name="two joints"), "xy"
    else:
        figure, axes = _five(rng), "xyz"
    one, other = figure.random(rng, 2)
    at = figure.placements(one, ["Tip"])[0]
    at[:3, :3] = figure.placements(other, ["Tip"])[0, :3, :3]
    goal = mk.Placement("Tip", at, tolerance=(1e-3, 1e-2))
    turn = mk.Orientation("Tip", at[:3, :3])
    if not feasible(figure, [mk.Position("Tip", at[: len(axes), 3], axes=axes)], 0) or not feasible(figure, [turn], 0):
        return None
    return _case("too few joints", place, figure, [goal], (), None, kinds={"too_few_joints"})


def too_few_for_two(place: str, rng: np.random.Generator) -> Case | None:
    """The same as two goals."""
    case = None if place == "planar" else too_few(place, rng)
    if case is None:
        return None
    goal = case.goals[0]
    goals = [mk.Position("Tip", goal.placement[:3]), mk.Orientation("Tip", goal.placement[3:])]
    solution = mk.solve(case.figure, goals)
    return replace(case, goals=goals, solution=solution) if missed(solution) else None
