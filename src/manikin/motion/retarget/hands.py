"""Where hands belong: as the arms point, relative to the body, or in the world.

The arms of two figures with other proportions cannot both point in the same directions and touch the same things.
`hands="arms"` keeps the directions. `hands="body"` keeps the distance of a hand from what is near: the other hand, the
hips, knees, head, chest and the other elbow. `hands="world"` keeps its place relative to the hips, times the scale.
"""

from __future__ import annotations

import numpy as np

from manikin import rotations
from manikin.arrays import Points, Rotations, Vector
from manikin.errors import BadValue
from manikin.figure.parts.bone_map import SIDES
from manikin.motion.retarget.calm_arms import calm, most_turns
from manikin.motion.retarget.ideal import Ideal
from manikin.motion.retarget.planting import smooth
from manikin.motion.retarget.watch import Observed

HANDS = ("arms", "body", "world")
FAR = 0.5
"""A landmark further from a hand than this has no effect, in legs of the source."""
NEAR = 0.3
"""The effect of a landmark grows to its full size within this distance, in legs of the source."""
REACH = 0.999
"""A wrist is at most this fraction of the length of the arm away from the shoulder, so that the elbow has a side."""

STRAIGHT = 0.1
"""How much the usual side of the elbow counts, in lengths of the upper arm. It decides if the elbow is nearer to the
line from shoulder to wrist than this."""


def checked_hands(hands: str) -> str:
    """One of `HANDS`.

    Raises:
        BadValue: it is another word.
    """
    if hands not in HANDS:
        raise BadValue(f"hands is {hands!r}; it must be 'arms', 'body' or 'world'")
    return hands


def with_hands(ideal: Ideal, watched: Observed, hands: str, scale: float, times: Vector) -> Ideal:
    """Ideal placements with the hands where they belong. Elbows stay in the planes in which the arms were bent. Where
    this would turn an arm much faster than in the source, it turns more slowly (`calm_arms`)."""
    sides = [s for s in SIDES if f"{s} hand" in ideal.calibration.links and f"{s} hand" in watched.centers]
    if hands == "arms" or not sides:
        return ideal
    places = {side: ideal.center(f"{side} hand") for side in sides}
    if hands == "world":
        hips = ideal.hips()
        wanted = {s: hips + scale * (watched.centers[f"{s} hand"] - watched.hips) for s in sides}
    else:
        wanted = {side: _near_body(ideal, watched, side, places, scale) for side in sides}
    turns, origins = dict(ideal.turns), dict(ideal.origins)
    for side in sides:
        _bend(ideal, side, wanted[side], times, turns, origins)
    return Ideal(ideal.calibration, turns, origins)


def _near_body(ideal: Ideal, watched: Observed, side: str, places: dict[str, Points], scale: float) -> Points:
    """(frames, 3) where a wrist belongs relative to the landmarks near it.

    For a landmark m at distance d (in legs) from the hand in the source, the hand belongs at x + s (hand − m), with x
    the landmark of the target. The weight of a landmark is u (0.5 − d)⁴, with u a smooth step that is 1 if d is below
    0.2 and 0 above 0.5. The mean of all landmarks counts as much as the largest u. The rest is the place to which the
    arm points.
    """
    other = "right" if side == "left" else "left"
    hand = watched.centers[f"{side} hand"]
    total, mean, most = np.zeros(len(hand)), np.zeros_like(hand), np.zeros(len(hand))
    for name, mark in _landmarks(watched, other).items():
        if name == "other hand":  # both hands move half of the way
            if other not in places:
                continue
            x, way = 0.5 * (places[side] + places[other]), 0.5 * (hand - mark)
        elif name == "hips":
            x, way = ideal.hips(), hand - mark
        elif name in ideal.calibration.links:
            x, way = ideal.center(name), hand - mark
        else:
            continue
        d = np.linalg.norm(hand - mark, axis=1) / watched.calibration.leg
        u = smooth((FAR - d) / NEAR)
        weight = u * np.maximum(FAR - d, 0.0) ** 4
        total += weight
        mean += weight[:, None] * (x + scale * way)
        most = np.maximum(most, u)
    found = mean / np.where(total > 0.0, total, 1.0)[:, None]
    part = np.where(total > 0.0, most, 0.0)[:, None]
    return np.asarray(part * found + (1.0 - part) * places[side])


def _landmarks(watched: Observed, other: str) -> dict[str, Points]:
    """(frames, 3) the landmarks of the source that a hand may be near, by name."""
    spine = [part for part in watched.centers if part.startswith("spine")]
    names = ["left shank", "right shank", "head", f"{other} forearm", *spine[-1:]]
    out = {"hips": watched.hips} | {name: watched.centers[name] for name in names if name in watched.centers}
    if f"{other} hand" in watched.centers:
        out["other hand"] = watched.centers[f"{other} hand"]
    return out


def _bend(
    ideal: Ideal,
    side: str,
    wanted: Points,
    times: Vector,
    turns: dict[str, Rotations],
    origins: dict[str, Points],
) -> None:
    """Moves the wrist of one arm. Upper arm and forearm turn by the shortest rotations to their new directions."""
    upper, lower, hand = (f"{side} {name}" for name in ("upper arm", "forearm", "hand"))
    links = ideal.calibration.links
    shoulder, elbow, wrist = (ideal.center(part) for part in (upper, lower, hand))
    hinge = rotations.each_times(ideal.turns[upper], ideal.calibration.axes[upper][:, 0])
    bent = two_bones(shoulder, elbow, wrist, wanted, hinge)
    end = shoulder + _limited(wanted - shoulder, elbow - shoulder, wrist - elbow)
    old, new = (elbow - shoulder, wrist - elbow), (bent - shoulder, end - bent)
    before = [ideal.turns[upper], ideal.turns[lower]]
    snaps = [turning(a, b) @ R for a, b, R in zip(old, new, before, strict=True)]
    arm = calm(snaps, most_turns(before, times)) if len(times) > 1 else snaps
    ways = [np.einsum("fij,fkj,fk->fi", R, S, way) for R, S, way in zip(arm, snaps, new, strict=True)]
    turns[upper], turns[lower] = arm
    at = {upper: shoulder, lower: shoulder + ways[0], hand: shoulder + ways[0] + ways[1]}
    for part, center in at.items():
        origins[part] = center - turns[part] @ links[part].at_own


def two_bones(shoulder: Points, elbow: Points, wrist: Points, wanted: Points, hinge: Points | None = None) -> Points:
    """(frames, 3) the elbow of an arm whose wrist moves to `wanted`, on the side where it was bent before.

    The plane of the arm turns by the shortest rotation with the line from the shoulder to the wrist. A straight arm has
    no such plane. There the elbow goes to the side on which it is bent in the other frames, across `hinge`, the
    directions (frames, 3) of the axis about which it bends.
    """
    upper, lower = elbow - shoulder, wrist - elbow
    way = _limited(wanted - shoulder, upper, lower)
    a, b, c = (np.linalg.norm(v, axis=1) for v in (upper, lower, way))
    along = way / np.where(c > 0.0, c, 1.0)[:, None]
    x = (a**2 - b**2 + c**2) / (2.0 * np.where(c > 0.0, c, 1.0))
    line = _unit(wrist - shoulder)
    side = upper - line * np.einsum("fi,fi->f", upper, line)[:, None]
    if hinge is not None:
        usual = np.cross(hinge, line)
        usual *= np.sign(np.einsum("fi,fi->", side, usual)) or 1.0
        side = side + STRAIGHT * a[:, None] * usual
    across = np.einsum("fij,fj->fi", turning(line, along), side)
    across = _unit(across - along * np.einsum("fi,fi->f", across, along)[:, None])
    return np.asarray(shoulder + along * x[:, None] + across * np.sqrt(np.maximum(a**2 - x**2, 0.0))[:, None])


def _unit(v: Points) -> Points:
    """(frames, 3) directions of length 1; zero where there is none."""
    size = np.linalg.norm(v, axis=1, keepdims=True)
    return np.asarray(v / np.where(size > 0.0, size, 1.0))


def _limited(way: Points, upper: Points, lower: Points) -> Points:
    """(frames, 3) the way from shoulder to wrist, no longer than the arm and no shorter than it can fold."""
    a, b, c = (np.linalg.norm(v, axis=1) for v in (upper, lower, way))
    length = np.clip(c, np.abs(a - b) / REACH, REACH * (a + b))
    return np.asarray(way * (length / np.where(c > 0.0, c, 1.0))[:, None])


def turning(a: Points, b: Points) -> Rotations:
    """(frames, 3, 3) the shortest rotations from the directions a to the directions b, (frames, 3)."""
    lengths: Vector = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
    q = np.concatenate([(lengths + np.einsum("fi,fi->f", a, b))[:, None], np.cross(a, b)], axis=1)
    same = np.linalg.norm(q, axis=1) <= 1e-8 * lengths  # opposite directions: any axis will do, none is better
    q[same] = [1.0, 0.0, 0.0, 0.0]
    return rotations.to_matrix(rotations.normalized(q))
