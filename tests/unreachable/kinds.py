"""Makers of goals that cannot be met, one for each kind. Goals that turn out to be possible are thrown away."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from unreachable.case import PLACES, Case, direction, placed, position, turn, where

import manikin as mk

Maker = Callable[[str, np.random.Generator], Case]

ARM = ("LeftShoulder", "LeftArm", "LeftForeArm", "LeftForeArmTwist", "LeftHand")
"""Joints of the person's left arm."""
LEG = ("LeftHumerus", "LeftRadius", "LeftForePaw")
"""Joints of the dog's left foreleg, below the shoulder blade."""
HANDS = {"person": ("LeftHand", "RightHand"), "dog": ("LeftForePaw", "RightForePaw")}


def of(place: str) -> mk.Figure:
    figure = PLACES[place].figure()
    assert figure is not None
    return figure


def weight(rng: np.random.Generator) -> float:
    return float(rng.choice([1.0, 1.0, 0.3, 3.0]))


def some_start(figure: mk.Figure, rng: np.random.Generator) -> Any:
    """The rest pose, or a random one."""
    return None if rng.random() < 0.5 else figure.random(rng)


def one(kind: str, place: str, goals: Sequence[Any], rng: np.random.Generator, **options: Any) -> Case:
    figure = options.pop("figure", None) or of(place)
    options.setdefault("start", some_start(figure, rng))
    options.setdefault("freeze", PLACES[place].freeze)
    return Case(kind, place, figure, list(goals), **options)


def too_far(place: str, rng: np.random.Generator) -> Case:
    """Beyond all lengths together, by a hundredth or many times; as a Position or a Placement, one or several."""
    figure, spot = of(place), PLACES[place]
    names = spot.tips[: int(rng.integers(1, 3))]
    goals: list[Any] = []
    for name in names:
        root = where(figure, figure.rest, figure.segment_names[0])
        at = root + direction(rng, spot.axes) * figure.size * rng.uniform(1.01, 4.0)
        if rng.random() < 0.4:
            goals.append(mk.Placement(name, placed(turn(rng, axes=spot.axes), at)))
        else:
            goals.append(position(place, name, at, weight=weight(rng)))
    return one("too far", place, goals, rng)


def too_near(place: str, rng: np.random.Generator) -> Case:
    """In the dead zone: nearer than the figure can fold."""
    if place == "chain":
        first, others = 1.0, rng.uniform(0.1, 0.3, 3)
        figure = mk.chain([first, *others], planar=True, name="long first")
        at = direction(rng, "xy") * rng.uniform(0.0, 0.95) * (first - others.sum())
        return one("too near", place, [position(place, "Tip", at)], rng, figure=figure)
    figure = of(place)
    if place == "person":  # the hand at its own shoulder
        at = where(figure, figure.rest, "LeftArm") + 0.03 * rng.normal(size=3)
        return one("too near", place, [position(place, "LeftHand", at)], rng, only=ARM, freeze=(), start=None)
    if place == "dog":
        at = where(figure, figure.rest, "LeftHumerus") + 0.02 * rng.normal(size=3)
        return one("too near", place, [position(place, "LeftForePaw", at)], rng, only=LEG, freeze=(), start=None)
    # an arm: the hand in its own base, turned in some way
    at = where(figure, figure.rest, figure.segment_names[1]) + 0.1 * figure.size * rng.normal(size=3)
    name = PLACES[place].tips[0]
    goal = mk.Placement(name, placed(turn(rng), at), weight=weight(rng))
    return one("too near", place, [goal], rng)


def turned_too_far(place: str, rng: np.random.Generator) -> Case:
    """A place that can be had, but not turned like this."""
    figure, spot = of(place), PLACES[place]
    name = spot.tips[int(rng.integers(2))] if place in ("dog", "person") else spot.tips[0]
    if place in ("dog", "person") and rng.random() < 0.5:
        goals: list[Any] = [
            mk.Orientation("Head", turn(rng, 2.0)),
            position(place, name, where(figure, figure.rest, name)),
        ]
    else:
        at = figure.placements(figure.random(rng), [name])[0]
        goals = [mk.Placement(name, placed(turn(rng, 1.5, axes=spot.axes) @ at[:3, :3], at[:3, 3]))]
    return one("orientation", place, goals, rng)


def twice(place: str, rng: np.random.Generator) -> Case:
    """One segment with targets at two or three places."""
    figure, spot = of(place), PLACES[place]
    name = spot.tips[int(rng.integers(len(spot.tips)))]
    count = int(rng.integers(2, 4))
    apart = figure.size * rng.uniform(0.02, 0.5)
    at = where(figure, figure.random(rng), name)
    goals = [position(place, name, at + apart * direction(rng, spot.axes), weight=weight(rng)) for _ in range(count)]
    return one("two places", place, goals, rng, freeze=() if rng.random() < 0.5 else spot.freeze)


def apart(place: str, rng: np.random.Generator) -> Case:
    """Two ends further apart than what is between them; the root is free."""
    figure = of(place)
    one_end, other = HANDS[place]
    middle = where(figure, figure.rest, figure.segment_names[0]) + 0.3 * rng.normal(size=3)
    way = direction(rng, "xyz") * figure.size * rng.uniform(0.8, 2.0)
    what = int(rng.integers(3))
    if what == 0:
        goals: list[Any] = [mk.Position(one_end, middle - way), mk.Position(other, middle + way, weight=weight(rng))]
    elif what == 1:
        far = float(2.5 * figure.size * rng.uniform(1.0, 1.5))
        goals = [mk.Distance(one_end, other, far, kind=str(rng.choice(["at_least", "equal"])))]
        goals.append(mk.Position("Head", middle))
    else:
        goals = [mk.Position(one_end, middle - way), mk.Position(other, middle + way), mk.Position("Head", middle)]
        goals.append(mk.Distance(one_end, other, 0.1 * figure.size, kind="at_most", weight=weight(rng)))
    return one("hands apart", place, goals, rng, freeze=())


def aimed_and_turned(place: str, rng: np.random.Generator) -> Case:
    """Aim and Orientation of one segment want different things."""
    figure, spot = of(place), PLACES[place]
    name = "Head" if place in ("dog", "person") else spot.tips[0]
    pose = figure.random(rng)
    at = figure.placements(pose, [name])[0]
    axis = (1.0, 0.0, 0.0) if spot.axes == "xy" else tuple(direction(rng, spot.axes))
    ahead = at[:3, 3] + figure.size * rng.uniform(0.3, 2.0) * (at[:3, :3] @ np.array(axis))
    goals: list[Any] = [
        mk.Aim(name, ahead, axis=axis, weight=weight(rng)),
        mk.Orientation(name, turn(rng, 0.6, 2.8, spot.axes) @ at[:3, :3], weight=weight(rng)),
        position(place, name, at[:3, 3]),
    ]
    return one("aim and turn", place, goals, rng)


def off_the_plane(place: str, rng: np.random.Generator) -> Case:
    """A plane to be on, or on one side of, and a place on the other side of it."""
    figure, spot = of(place), PLACES[place]
    name = spot.tips[int(rng.integers(len(spot.tips)))]
    at, normal = where(figure, figure.random(rng), name), direction(rng, spot.axes)
    point = at + normal * figure.size * rng.uniform(0.05, 0.6)
    side = rng.choice([None, "above"])
    goals: list[Any] = [
        mk.Plane(name, point, normal, side=side, weight=weight(rng)),
        position(place, name, at, weight=weight(rng)),
    ]
    if rng.random() < 0.3:
        goals.append(mk.Line(name, point, direction(rng, spot.axes)))
    return one("plane and place", place, goals, rng)


def open_loop(place: str, rng: np.random.Generator) -> Case:
    """A loop that does not close."""
    figure, spot = of(place), PLACES[place]
    way = direction(rng, spot.axes)
    if place in HANDS:
        one_end, other = HANDS[place]
        shift = placed(turn(rng), way * figure.size * rng.uniform(1.3, 2.5))
        goals: list[Any] = [mk.Relative(one_end, other, shift)]
        goals.append(mk.Position("Head", where(figure, figure.random(rng), "Head")))
        if rng.random() < 0.5:
            goals.append(mk.Relative(other, one_end, way * figure.size, orientation=False, weight=weight(rng)))
        return one("open loop", place, goals, rng, freeze=())
    shift = placed(turn(rng, axes=spot.axes), way * figure.size * rng.uniform(1.05, 2.0))
    goals = [mk.Relative(spot.tips[0], figure.segment_names[0], shift)]
    return one("open loop", place, goals, rng)


def degenerate(place: str, rng: np.random.Generator) -> Case:
    """Lengths of 0, ranges of 0, joints in one place, nothing that may move."""
    what = int(rng.integers(6))
    away = direction(rng, "xyz") * rng.uniform(3.0, 6.0)
    if what == 0:
        figure = mk.chain([0.5, 0.0, 0.4, 0.0], mk.Ball(), name="zero lengths")
        goals: list[Any] = [mk.Position("Tip", away), mk.Position("Segment3", -away, weight=weight(rng))]
    elif what == 1:
        figure = mk.chain([0.5, 0.3, 0.4], mk.Hinge(axis=(0, 0, 1), limits=(0.2, 0.2)), name="no range")
        goals = [mk.Position("Tip", away)]
    elif what == 2:
        figure = mk.samples.coincident_joints()
        tip = figure.segment_names[-1]
        goals = [mk.Position(tip, away), mk.Orientation(tip, turn(rng)), mk.Aim(tip, -away, axis=(0, 1, 0))]
    elif what == 3:
        figure = mk.samples.two_tips_at_one_place()
        first, second = figure.segment_names[-2:]
        goals = [mk.Position(first, away), mk.Distance(second, tuple(-away), 0.0)]
    elif what == 4:
        figure = mk.chain([0.0, 0.0], mk.Ball(), name="no length at all")
        goals = [mk.Position("Tip", away), mk.Orientation("Tip", turn(rng)), mk.Orientation("Tip", turn(rng, 1.0))]
    else:  # everything is held
        figure = of(place)
        tip = PLACES[place].tips[0]
        goals = [position(place, tip, away)]
        return one("degenerate", place, goals, rng, freeze=(), only=())
    return one("degenerate", place, goals, rng, figure=figure, freeze=())


def from_a_singular_pose(place: str, rng: np.random.Generator) -> Case:
    """Stretched, the target on the line: beyond the end, or in the dead zone; no joint moves the end along it."""
    if place == "chain":
        first, others = 1.0, rng.uniform(0.1, 0.3, 3)
        figure = mk.chain([first, *others], mk.Hinge(limits=(-np.pi, np.pi)), name="long first")
        lengths = first + others.sum()
        far = (
            lengths * rng.uniform(1.02, 3.0) if rng.random() < 0.5 else rng.uniform(-0.9, 0.9) * (first - others.sum())
        )
        return one("singular start", place, [position(place, "Tip", (far, 0.0))], rng, figure=figure, start=None)
    if place == "in space":
        figure = mk.chain([0.4, 0.5, 0.3, 0.2], mk.Ball(), name="ropes")
        at = (1.4 * rng.uniform(1.02, 3.0) * rng.choice([-1.0, 1.0]), 0.0, 0.0)
        return one("singular start", place, [mk.Position("Tip", at)], rng, figure=figure, start=None)
    figure, spot = of(place), PLACES[place]
    start = figure.clamp(np.zeros(figure.nq)) if place in ("panda", "ur5") else figure.rest
    base, name = figure.segment_names[0], spot.tips[0]
    if place in ("dog", "person"):
        base = "LeftArm" if place == "person" else "LeftScapula"
    way = where(figure, start, name) - where(figure, start, base)
    at = where(figure, start, base) + way / np.linalg.norm(way) * figure.size * rng.uniform(1.1, 3.0)
    at = at + direction(rng, spot.axes) * figure.size * rng.choice([0.0, 1e-9, 1e-3])
    goals: list[Any] = [position(place, name, at, weight=weight(rng))]
    if rng.random() < 0.3:
        goals.append(mk.Orientation(name, figure.placements(start, [name])[0, :3, :3]))
    return one("singular start", place, goals, rng, start=start)


ALL = ("chain", "in space", "panda", "ur5", "dog", "person")
KINDS: dict[str, tuple[Maker, tuple[str, ...]]] = {
    "too far": (too_far, ALL),
    "too near": (too_near, ("chain", "panda", "ur5", "dog", "person")),
    "orientation": (turned_too_far, ("in space", "panda", "ur5", "dog", "person")),
    "two places": (twice, ALL),
    "hands apart": (apart, ("dog", "person")),
    "aim and turn": (aimed_and_turned, ALL),
    "plane and place": (off_the_plane, ALL),
    "open loop": (open_loop, ALL),
    "degenerate": (degenerate, ("chain", "in space", "panda", "person")),
    "singular start": (from_a_singular_pose, ALL),
}
"""Who makes each kind, and on which figures."""
TRIES = 50
"""Draws for one case."""


def made(kind: str, index: int, seed: int) -> Case | None:
    """Case number `index` of a kind: the same for the same seed; None where its figure is not at hand."""
    maker, places = KINDS[kind]
    place = places[index % len(places)]
    if PLACES[place].figure() is None:
        return None
    rng = np.random.default_rng([seed, list(KINDS).index(kind), index])
    for draw in range(TRIES):
        case = replace(maker(place, rng), index=index, draw=draw)
        if not case.solved().reached:
            return case
    raise RuntimeError(f"{kind} on {place}: all of {TRIES} draws can be reached")


def cases(seed: int, each: int, kinds: Sequence[str] = tuple(KINDS)) -> Iterator[Case]:
    """`each` cases of every kind, on its figures in turn."""
    for kind in kinds:
        for index in range(each):
            case = made(kind, index, seed)
            if case is not None:
                yield case
