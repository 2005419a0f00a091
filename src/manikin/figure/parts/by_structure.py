"""Finds the first segment of each part of a body from the tree and from the positions and axes of its joints.

Arms and legs are the two longest pairs of similar branches. Legs are the lower pair, or else the pair nearer to the
root. Left and right come from names, or else from the directions up (from the hips to the shoulders) and forward (in
which knees or feet point).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from manikin.arrays import Vector
from manikin.errors import BadValue
from manikin.figure.joint import Hinge
from manikin.figure.parts.by_names import FRONT, HIND, Starts, end_of, side_of
from manikin.figure.parts.limb_cut import Limb, cut_limb
from manikin.figure.parts.posture import stands_on_four
from manikin.figure.parts.skeleton import Skeleton, direction

ALIKE = 0.12
"""Two branches are a pair if their lengths differ by at most this fraction of the longer one."""
MOST_SIBLINGS = 8
"""If a segment has more branches than this, only the longest are compared."""
LOWER = 0.2
"""Tips count as lower if the difference is more than this fraction of the height of the figure."""
BENT_KNEE = np.deg2rad(30.0)
"""A knee that is bent by more than this in the rest pose points forward."""
LEAST_FORWARD = 0.02
"""Direction vectors shorter than this, in lengths of the leg, are ignored."""

STANDS = -0.3
"""The cosine between trunk and legs is below this in a body that stands on two legs."""

Pair = tuple[int, int]


def by_structure(skeleton: Skeleton, owner: str) -> Starts:
    """The first segments of the parts.

    Args:
        skeleton: the skeleton of the figure.
        owner: the figure, for messages.

    Raises:
        BadValue: there are not two pairs of limbs, or left and right cannot be distinguished.
    """
    legs, arms = _legs_and_arms(skeleton, _limb_pairs(skeleton, owner))
    cuts = {pair: _cut(skeleton, pair, pair == arms, owner) for pair in (legs, arms)}
    left_first = _sides(skeleton, legs, arms, cuts, owner)
    first: dict[str, int] = {}
    tails: dict[str, list[int]] = {}
    for pair, names in ((arms, ("upper arm", "forearm", "hand")), (legs, ("thigh", "shank", "foot"))):
        for side, limb in zip(("left", "right") if left_first[pair] else ("right", "left"), cuts[pair], strict=True):
            for name, joint in zip(names, limb.joints, strict=False):
                first[f"{side} {name}"] = joint
            if limb.end:
                tails[f"{side} {names[2]}"] = limb.end
            if pair == arms and limb.before:
                first[f"{side} clavicle"] = limb.before[0]
            if pair == legs and limb.toes is not None:
                first[f"{side} toes"] = limb.toes
            if len(limb.joints) == 2:
                _far_end(skeleton, first, f"{side} {names[2]}", limb)
    head = _head(skeleton, legs, arms)
    if head:
        first["head"], tails["head"] = head[0], head
    return Starts(first, {**{n: [i] for n, i in first.items()}, **tails}, [])


def _limb_pairs(skeleton: Skeleton, owner: str) -> tuple[Pair, Pair]:
    """The two longest pairs of similar sibling branches that do not contain each other.

    If there are no two pairs, branches also count as similar if one is like the beginning of the other.
    """
    pairs = _disjoint(skeleton, _similar(skeleton)) or _disjoint(skeleton, _similar(skeleton, begin=True))
    if pairs is None:
        raise BadValue(
            f"{owner}: arms and legs were found neither by name nor as two pairs of branches of equal length; give "
            f"the parts as in mk.bone_map(figure, {{'left thigh': [...]}})"
        )
    return pairs


def _similar(skeleton: Skeleton, begin: bool = False) -> list[tuple[float, Pair]]:
    """Pairs of similar sibling branches with the sum of their lengths, the longest first."""
    found: list[tuple[float, Pair]] = []
    for children in skeleton.children:
        long = sorted((c for c in children if skeleton.count[c] > 1), key=lambda c: -skeleton.reach[c])
        for i, j in itertools.combinations(sorted(long[:MOST_SIBLINGS]), 2):
            one, two = float(skeleton.reach[i]), float(skeleton.reach[j])
            alike = _near(one, two) and abs(skeleton.count[i] - skeleton.count[j]) <= 1
            if (alike or (begin and _begin_alike(skeleton, i, j))) and min(one, two) > 0.0:
                found.append((one + two, (i, j)))
    size = float(skeleton.reach[0]) or 1.0
    found.sort(key=lambda entry: (-round(entry[0] / size, 6), skeleton.apart(*entry[1])))
    return found


def _disjoint(skeleton: Skeleton, found: Sequence[tuple[float, Pair]]) -> tuple[Pair, Pair] | None:
    """The first two pairs that have no segment in common."""
    for (_, a), (_, b) in itertools.combinations(found[:40], 2):
        if not any(skeleton.down(x, y) or skeleton.down(y, x) for x in a for y in b):
            return a, b
    return None


def _near(one: float, two: float) -> bool:
    return abs(one - two) <= ALIKE * max(one, two)


def _begin_alike(skeleton: Skeleton, one: int, two: int) -> bool:
    """Whether two branches begin at the same distance from their parent, and the bones of the shorter one have the
    lengths of the first bones of the other. A tool or fingers on one side only do not matter."""
    parent = skeleton.parents[one]
    paths = [[parent, *skeleton.longest(i)] for i in (one, two)]
    steps = [[skeleton.apart(*pair) for pair in itertools.pairwise(path)] for path in paths]
    return min(map(len, steps)) > 1 and all(itertools.starmap(_near, zip(*steps, strict=False)))


def _legs_and_arms(skeleton: Skeleton, pairs: tuple[Pair, Pair]) -> tuple[Pair, Pair]:
    """The pairs as (legs, arms). Legs are found by names, or else by lower tips, nearness to the root, or length."""
    one, two = pairs
    votes = [_leg_words(skeleton, pair) for pair in pairs]
    if votes[0] != votes[1]:
        return (one, two) if votes[0] > votes[1] else (two, one)
    heights = skeleton.at[:, "xyz".index(skeleton.figure.up)]
    tips = [np.mean([heights[skeleton.longest(i)[-1]] for i in pair]) for pair in pairs]
    if abs(tips[0] - tips[1]) > LOWER * float(np.ptp(heights)):
        return (one, two) if tips[0] < tips[1] else (two, one)
    depth = [len(skeleton.ancestors(pair[0])) for pair in pairs]
    if depth[0] != depth[1]:
        return (one, two) if depth[0] < depth[1] else (two, one)
    return one, two


def _leg_words(skeleton: Skeleton, pair: Pair) -> int:
    """The number of names in a pair with words for legs, minus the number with words for arms."""
    names = [skeleton.figure.segment_names[i].lower() for branch in pair for i in skeleton.below(branch)]
    legs, arms = ("leg", "thigh", "hip", "knee", "ankle", "foot"), ("arm", "shoulder", "elbow", "wrist", "hand")
    ends = [end_of(skeleton.figure.segment_names[i]) for branch in pair for i in skeleton.below(branch)]
    hind = sum(end in HIND for end in ends) - sum(end in FRONT for end in ends)
    return hind or sum(any(w in n for w in legs) for n in names) - sum(any(w in n for w in arms) for n in names)


def _cut(skeleton: Skeleton, pair: Pair, arm: bool, owner: str) -> tuple[Limb, Limb]:
    found = [cut_limb(skeleton, i, j, arm) for i, j in (pair, pair[::-1])]
    if found[0] is None or found[1] is None:
        kind = "arm" if arm else "leg"
        name = skeleton.figure.segment_names[pair[0]]
        raise BadValue(f"{owner}: the {kind} that begins at {name!r} has fewer than two joints; give its parts")
    return found[0], found[1]


def _far_end(skeleton: Skeleton, first: dict[str, int], name: str, limb: Limb) -> None:
    """The hand or foot of a limb with two joints: a fixed solid tip, or another segment that is located at the tip."""
    length = float(np.linalg.norm(limb.points[-1] - limb.points[0])) or 1.0
    tip = skeleton.longest(limb.joints[-1])[-1]
    segment = skeleton.figure.segments[tip]
    if tip != limb.joints[-1] and not skeleton.moves[tip] and (segment.shapes or segment.mass):
        first[name] = tip
        return
    inside = set(skeleton.below(limb.joints[0]))
    for i, p in enumerate(skeleton.at):
        if i not in inside and skeleton.moves[i] and np.linalg.norm(p - limb.points[-1]) < LEAST_FORWARD * length:
            first[name] = i
            return


def _sides(
    skeleton: Skeleton, legs: Pair, arms: Pair, cuts: dict[Pair, tuple[Limb, Limb]], owner: str
) -> dict[Pair, bool]:
    """Whether the first branch of each pair is the left one."""
    leg, arm = cuts[legs], cuts[arms]
    hips, shoulders = _middle(leg, 0), _middle(arm, 0)
    length = float(np.linalg.norm(leg[0].points[-1] - leg[0].points[0])) or 1.0
    trunk = direction(shoulders - hips, length)
    down = direction(_middle(leg, -1) - hips, length)
    reach = direction(_middle(arm, -1) - shoulders, length)
    four = trunk is not None and down is not None and reach is not None and stands_on_four(trunk, down, reach)
    if trunk is None or down is None or (trunk @ down > STANDS and not four):
        raise BadValue(
            f"{owner}: names do not identify the parts, and the figure does not stand on its legs in the rest "
            "pose, so the structure does not identify them either; give the parts as in mk.bone_map(figure, "
            f"{{'left thigh': [...]}})"
        )
    named = {pair: [_named_side(skeleton, branch) for branch in pair] for pair in (legs, arms)}
    if all(set(sides) == {"left", "right"} for sides in named.values()):
        return {pair: sides[0] == "left" for pair, sides in named.items()}
    forward = trunk if four else _forward(skeleton, leg, arm, trunk, length)
    if forward is None:
        raise BadValue(
            f"{owner}: left and right cannot be distinguished, because no name contains a side and neither feet "
            "nor knees "
            f"point forward; give the parts as in mk.bone_map(figure, {{'left thigh': [...]}})"
        )
    left = np.cross(-down if four else trunk, forward)
    out = {}
    for pair, limbs in ((legs, leg), (arms, arm)):
        across = [float((limbs[0].points[k] - limbs[1].points[k]) @ left) for k in range(2)]
        out[pair] = max(across, key=abs) > 0.0
    return out


def _named_side(skeleton: Skeleton, branch: int) -> str:
    said = [side_of(skeleton.figure.segment_names[i]) for i in skeleton.below(branch)]
    left, right = said.count("left"), said.count("right")
    return "left" if left > right else "right" if right > left else ""


def _middle(limbs: Sequence[Limb], k: int) -> Vector:
    return (limbs[0].points[k] + limbs[1].points[k]) / 2


def _forward(
    skeleton: Skeleton, legs: Sequence[Limb], arms: Sequence[Limb], up: Vector, length: float
) -> Vector | None:
    """The direction in which the body faces. It is found from bent knees, or else from feet, bent elbows or knee
    limits."""
    knees = _bend(legs)
    feet = sum(_foot(skeleton, limb) for limb in legs)
    guesses = [feet, knees, -_bend(arms), _hinges(skeleton, legs, length)]
    if np.linalg.norm(knees) > np.sin(BENT_KNEE / 2) * length:
        guesses = [knees, feet]
    for guess in guesses:
        level = guess - up * (guess @ up)
        if np.linalg.norm(level) > LEAST_FORWARD * length:
            return level
    return None


def _bend(limbs: Sequence[Limb]) -> Vector:
    """The sum of the offsets of the middle joints of both limbs from the lines between their ends."""
    out = np.zeros(3)
    for limb in limbs:
        start, middle, end = limb.points[0], limb.points[1], limb.points[2]
        line = end - start
        square = float(line @ line)
        if square > 0.0:
            out += middle - start - line * ((middle - start) @ line) / square
    return out


def _foot(skeleton: Skeleton, limb: Limb) -> Vector:
    """The vector from the ankle to the mean of the toes, ends and shapes below it."""
    if len(limb.joints) < 3:
        return np.zeros(3)
    ankle = limb.points[2]
    world = skeleton.rest
    points = [skeleton.at[i] for i in skeleton.below(limb.end[-1])[1:]]
    for i in skeleton.below(limb.end[-1]):
        for shape in skeleton.figure.segments[i].shapes:
            center = getattr(shape, "center", None)
            local = np.add(shape.start, shape.end) / 2 if center is None else np.array(center)  # type: ignore[union-attr]
            points.append(world[i, :3, :3] @ local + skeleton.at[i])
    return np.mean(points, axis=0) - ankle if points else np.zeros(3)


def _hinges(skeleton: Skeleton, legs: Sequence[Limb], length: float) -> Vector:
    """The direction in which knees that are hinges with uneven limits cannot bend."""
    out = np.zeros(3)
    for limb in legs:
        motion = skeleton.figure.segments[limb.joints[1]].joint.motions[0]
        if isinstance(motion, Hinge) and np.isfinite(motion.limits).all():
            low, high = motion.limits
            shin = limb.points[2] - limb.points[1]
            backward = np.cross(skeleton.axes[limb.joints[1]], shin) * np.sign(high + low)
            out -= backward / (np.linalg.norm(shin) or 1.0) * length
    return out


def _head(skeleton: Skeleton, legs: Pair, arms: Pair) -> list[int]:
    """The segments of the head: the last joint of the longest branch other than arms and legs; empty if there is
    none."""
    chest = skeleton.parents[arms[0]]
    taken = {chest, *arms, *legs, *(i for leg in legs for i in skeleton.ancestors(leg))}
    branches = [c for c in skeleton.children[chest] if c not in taken]
    if not branches:
        return []
    path = skeleton.longest(max(branches, key=lambda c: (skeleton.count[c] > 0, skeleton.reach[c], -c)))
    for k, i in enumerate(path):
        if sum(skeleton.count[c] > 0 for c in skeleton.children[i]) > 1:
            path = path[: k + 1]  # eyes and jaws belong to the head
            break
    if any(skeleton.moves[i] for i in path):
        return skeleton.solid(skeleton.stages(path, float(skeleton.reach[path[0]]))[-1])
    segment = skeleton.figure.segments[path[0]]
    return path[:1] if segment.shapes or segment.mass else []
