"""Clearance: the figure touches neither itself nor obstacles."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manikin import arrays
from manikin.arrays import Matrix, Vector
from manikin.errors import BadValue, listing, unknown_name
from manikin.figure.figure import Figure
from manikin.figure.shapes import Box, Capsule, Sphere
from manikin.goals.effector import Effector
from manikin.goals.goal import Goal, Reading, set_field
from manikin.goals.half_space import HalfSpace
from manikin.goals.native_terms import LinkTerm
from manikin.goals.shapeless import shapeless
from manikin.goals.solids import Meetings, Pairs, Solids, adjacent, joint_places, owner_distances

MAX_ROWS = 64
"""Largest number of rows. The nearest pairs are used."""
HORIZON = 0.1
"""Pairs that are farther apart than this plus their margin, in sizes of the figure, are ignored."""
MAX_NAMES = 40
"""Largest number of segments without a shape that a message names."""
TOUCHING = 1e-9
"""Segments nearer than this at rest, in sizes of the figure, touch there."""
NEIGHBOURS = 2
"""Segments that touch at rest are exempt if joints at no more places than this are between them."""

Names = tuple[tuple[str, str], ...]


@dataclass(frozen=True, eq=False)
class Clearance(Goal):
    """The shapes of the figure keep a margin from each other and from obstacles.

        error = margin − d, one row for each of the nearest pairs of shapes, the worst first; counted only above 0
        derivative = −n·(v_b − v_a)

    d is the signed distance of two shapes, below 0 if they overlap. n is the unit vector from one to the other, and v_a
    and v_b are the velocities of their nearest points (`kinematics.capsules`). The reported error is the largest row:
    the largest amount by which a margin is missed.

    It counts one level above the other goals of its priority number: none of them, however heavy, pushes shapes into
    each other. Closed loops still come first. With `hard=False`, and in an `AnyOf`, it has the level of its number, and
    weights balance it with the other goals.

    These pairs are not kept apart: segments connected by a joint; things that cannot move relative to each other
    (segments fixed to one another, the base of a robot and its floor); neighbours that touch in the rest pose; and
    pairs in `exempt`. Neighbours are segments with joints at one or two places between them, such as a thigh and the
    belly: their shapes overlap more in some good poses than at rest. Other segments that touch in the rest pose keep at
    least the distance that each two of their shapes have there. If two segments are nearer than the margin in the rest
    pose, but do not touch, their margin is 0. So the rest pose keeps all margins between segments, unless `between`
    names a pair that does not.

    There are at most 64 rows, for any number of shapes: those of the nearest pairs. Each row is continuous, because it
    is the k-th largest of continuous numbers. The first row is above 0 exactly if some pair is too near. The largest
    distance that is measured is the margin plus a tenth of the figure's size. Pairs that are farther apart count as
    having this distance, with derivative 0. A half-space gives one row for each end of a capsule and each corner of a
    box.

    A segment with a body and no shape cannot be kept apart from anything. A segment has a body if it has mass or a
    solid in its file. In a figure without any mass, a bone with a length counts too. If such segments would have to be
    kept apart, one warning (`errors.MissingShape`) names all of them. The same sentence is in `notes` of the solution.
    There is no warning for segments without a body, or for those that `exempt` or `between` exclude. There is also none
    for a segment that could only touch segments to which a joint connects it.

    Degenerate: if the nearest points are not unique (parallel capsules, a face on a face), the middle is used. The
    derivative jumps there, but d does not. If the lines of two capsules cross, the normal flips from one side to the
    other. If one shape is more than halfway through another, they may separate on the wrong side.

    Example:
        >>> from manikin import Sphere
        >>> Clearance(0.01, obstacles=[Sphere((0.4, 1.2, 0.3), 0.1), HalfSpace()]).label
        'Clearance'
    """

    margin: float = 0.0
    """Least distance, length, at least 0."""
    obstacles: Any = field(default=(), kw_only=True)
    """Obstacles in the world: Sphere, Capsule, Box (with world coordinates) and HalfSpace; a list, or a mapping from
    names. Without names they are "obstacle 1", "obstacle 2", …"""
    exempt: Any = field(default=(), kw_only=True)
    """Pairs of names, of segments or obstacles, that may touch. * in a name stands for any characters: ("LeftHand*",
    "RightHand*"). `goal.on(figure)` adds the neighbours that touch in the rest pose."""
    between: Any = field(default=None, kw_only=True)
    """The only pairs of names that are kept apart; None means all. Two segments named without * are kept apart even if
    a joint connects them. ("*", "obstacle *") ignores contacts of the figure with itself."""
    hard: bool = field(default=True, kw_only=True)
    """Whether the goal counts one level above the other goals of its priority number. If not, weights balance them."""
    at_rest: Names = field(default=(), kw_only=True, repr=False)
    """The pairs of `exempt` that touch in the rest pose; set by `goal.on(figure)`."""
    pairs: Pairs | None = field(default=None, kw_only=True, repr=False)
    """The pairs of shapes that are kept apart; set by `goal.on(figure)`."""
    horizon: float = field(default=0.0, kw_only=True, repr=False)
    """Pairs whose distance minus margin is larger than this (length) are ignored; set by `goal.on(figure)`."""
    shapeless: tuple[str, ...] = field(default=(), kw_only=True, repr=False)
    """Segments that would have to be kept apart but have no shape; set by `goal.on(figure)`."""

    def __post_init__(self) -> None:
        super().__post_init__()
        set_field(self, "margin", arrays.non_negative(self.margin, f"{self.label}: margin"))
        set_field(self, "obstacles", _named_obstacles(self.label, self.obstacles))
        set_field(self, "exempt", _name_pairs(self.label, "exempt", self.exempt))
        if self.between is not None:
            set_field(self, "between", _name_pairs(self.label, "between", self.between))
        if not isinstance(self.hard, (bool, np.bool_)):
            raise BadValue(f"{self.label}: hard is {self.hard!r}; it must be True or False")

    @property
    def label(self) -> str:
        return self.name if self.name is not None else "Clearance"

    @cached_property
    def effectors(self) -> tuple[Effector, ...]:
        solids = self._pairs.solids
        return tuple(Effector(name) for name in solids.names[: solids.segments])

    @property
    def rows(self) -> int:
        return max(1, min(MAX_ROWS, len(self._pairs)))

    @property
    def one_sided(self) -> bool:
        return True

    @property
    def notes(self) -> tuple[str, ...]:
        if not self.shapeless:
            return ()
        have, them = ("has", "it") if len(self.shapeless) == 1 else ("have", "them")
        return (
            f"{self.label}: {listing(self.shapeless, MAX_NAMES)} {have} no shape, so nothing keeps {them} from "
            f"touching other things; give {them} shapes=…, or name {them} in exempt= (if the figure was read "
            "from a file, source['notes'] lists the meshes that were not read)",
        )

    def on(self, figure: Figure) -> Clearance:
        given = replace(self, exempt=tuple(pair for pair in self.exempt if pair not in self.at_rest), at_rest=())
        pairs, touching = _settled(given, figure)
        settled = replace(
            given,
            exempt=given.exempt + touching,
            at_rest=touching,
            pairs=pairs,
            horizon=HORIZON * figure.size,
            shapeless=_shapeless(given, figure),
        )
        return Goal.on(settled, figure)

    def error(self, reading: Reading) -> Vector:
        distance = self._worst(reading).distance
        out = np.full(self.rows, -self.horizon)
        out[: len(distance)] = -distance
        return out

    def derivative(self, reading: Reading) -> Matrix:
        worst, k = self._worst(reading), len(reading.placements)
        out = np.zeros((self.rows, k, 6))
        for owner, point, toward in ((worst.a, worst.on_a, worst.normal), (worst.b, worst.on_b, -worst.normal)):
            row = np.flatnonzero(owner < k)  # obstacles do not move
            moving = owner[row]
            out[row, moving, :3] = toward[row]
            out[row, moving, 3:] = np.cross(point[row] - reading.placements[moving, :3, 3], toward[row])
        return out.reshape(self.rows, 6 * k)

    def measure(self, error: Vector) -> float:
        return float(error.max(initial=0.0))

    def nearest(self, reading: Reading, count: int = 1) -> list[tuple[str, str, float]]:
        """The pairs with the smallest distance minus margin, at most `count`: two names and this difference.

        Args:
            reading: the placements of its effectors, as `Reading` describes.
            count: number of pairs at most.
        """
        worst, names = self._worst(reading), self._pairs.solids.names
        return [
            (names[a], names[b], float(distance))
            for a, b, distance, _ in zip(worst.a, worst.b, worst.distance, range(count), strict=False)
        ]

    def worst(self, reading: Reading) -> tuple[Vector, Vector] | None:
        """The nearest points (3,) of the pair that misses its margin most; None if all pairs are far apart.

        Args:
            reading: the placements of its effectors, as `Reading` describes.
        """
        worst = self._worst(reading)
        return (worst.on_a[0], worst.on_b[0]) if len(worst.distance) else None

    # Capabilities

    @property
    def rank(self) -> int:
        return 2 * self.priority + (0 if self.hard else 1)

    def weighed(self) -> Clearance:
        return replace(self, hard=False)

    @property
    def whole_figure(self) -> bool:
        return True

    def native_terms(self) -> Sequence[LinkTerm]:
        return (LinkTerm("clearance", (), self.allowed, pairs=self._pairs),)

    @property
    def _pairs(self) -> Pairs:
        if self.pairs is None:
            raise BadValue(f"{self.label} has no shapes yet; goal.on(figure) takes them from the figure")
        return self.pairs

    def _worst(self, reading: Reading) -> Meetings:
        """The nearest pairs, nearest first, at most as many as there are rows."""
        found = self._pairs.near(reading.placements, self.horizon)
        return found.taken(np.argsort(found.distance, kind="stable")[: self.rows])


def _settled(goal: Clearance, figure: Figure) -> tuple[Pairs, Names]:
    """The pairs of shapes to keep apart, and the neighbours that are exempt because they touch at rest."""
    solids = Solids.of(figure, goal.obstacles)
    if not solids.segments:
        raise BadValue(f"{goal.label}: figure {figure.name!r} has no shapes to keep apart; give its segments shapes=…")
    clash = sorted(set(goal.obstacles) & set(figure.segment_names))
    if clash:
        raise BadValue(f"{goal.label}: obstacle {clash[0]!r} has the name of a segment; it needs another name")
    wanted, named = _wanted(goal, figure, solids.names)
    own = np.arange(len(solids.names)) < solids.segments
    zero = np.zeros(wanted.shape)
    at_rest = figure.placements(figure.rest, solids.names[: solids.segments])
    apart = owner_distances(Pairs.of(solids, wanted & np.outer(own, own) & ~named, zero), at_rest)
    touching = apart <= TOUCHING * figure.size
    exempt = []
    for a, b in zip(*np.nonzero(np.triu(touching)), strict=True):
        if joint_places(figure, solids.names[a], solids.names[b]) <= NEIGHBOURS:
            wanted[a, b] = wanted[b, a] = False
            exempt.append((solids.names[a], solids.names[b]))
    # Pairs that are near at rest only have to stay apart. Pairs that touch there only have to come no nearer.
    pairs = Pairs.of(solids, wanted, np.where(apart < goal.margin, 0.0, goal.margin))
    return pairs.kept_at(at_rest, touching), tuple(exempt)


def _shapeless(goal: Clearance, figure: Figure) -> tuple[str, ...]:
    """The segments that would have to be kept apart from something but have no shape."""
    bare = shapeless(figure)
    if not bare:
        return ()
    having = [s.name for s in figure.segments if s.shapes or s.name in set(bare)]
    wanted, _ = _wanted(goal, figure, [*having, *goal.obstacles])
    return tuple(name for name in bare if wanted[having.index(name)].any())


def _wanted(goal: Clearance, figure: Figure, names: Sequence[str]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """(o, o) which of these segments and obstacles to keep apart, and which of them are given by their full names."""
    segment = np.array([name not in goal.obstacles for name in names], dtype=bool)
    wanted = (segment[:, None] | segment[None, :]) & ~np.eye(len(segment), dtype=bool)
    named = np.zeros_like(wanted)
    if goal.between is not None:
        among, named = _matrix(goal, figure, "between", names)
        wanted &= among
    wanted &= ~_matrix(goal, figure, "exempt", names)[0]
    return wanted & (~adjacent(figure, names) | named), named


def _matrix(
    goal: Clearance, figure: Figure, option: str, known: Sequence[str]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """(o, o) which of these owners an option pairs, and which of them by their full names."""
    every = [*figure.segment_names, *goal.obstacles]
    paired = np.zeros((len(known), len(known)), dtype=bool)
    named = paired.copy()
    for pair in getattr(goal, option):
        for name in pair:
            if not any(_fits(known_name, name, every) for known_name in every):
                raise unknown_name(
                    f"{goal.label}: {option}: figure {figure.name!r}", "segment or obstacle", name, every
                )
        one, two = (np.array([_fits(k, name, every) for k in known], dtype=bool) for name in pair)
        both = one[:, None] & two[None, :]
        paired |= both | both.T
        if all(name in every for name in pair):
            named |= both | both.T
    return paired, named


def _fits(name: str, pattern: str, every: Sequence[str]) -> bool:
    """Whether a name of an option means a segment or obstacle. The name of one of them means nothing else; in others,
    only * is special: names from files have brackets and question marks."""
    if pattern in every:
        return name == pattern
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), name, re.DOTALL) is not None


def _named_obstacles(label: str, given: Any) -> dict[str, Any]:
    """Obstacles by name, checked."""
    if isinstance(given, (Sphere, Capsule, Box, HalfSpace)):
        given = [given]
    if not isinstance(given, Iterable) or isinstance(given, str):
        raise BadValue(f"{label}: obstacles are {given!r}; they must be a list of Sphere, Capsule, Box or HalfSpace")
    if not isinstance(given, Mapping):
        given = {f"obstacle {k}": obstacle for k, obstacle in enumerate(given, start=1)}
    for name, obstacle in given.items():
        arrays.text(name, f"{label}: name of an obstacle")
        if not isinstance(obstacle, (Sphere, Capsule, Box, HalfSpace)):
            raise BadValue(f"{label}: {name!r} is {obstacle!r}; it must be a Sphere, Capsule, Box or HalfSpace")
    return dict(given)


def _name_pairs(label: str, option: str, given: Any) -> Names:
    """Pairs of names, checked."""
    wrong = f"{label}: {option} is {given!r}; it needs a list of pairs of names"
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise BadValue(wrong)
    pairs = []
    for pair in given:
        if isinstance(pair, str) or not isinstance(pair, Iterable):
            raise BadValue(wrong)
        two = tuple(pair)
        if len(two) != 2 or not all(isinstance(name, str) and name for name in two):
            raise BadValue(wrong)
        pairs.append((two[0], two[1]))
    return tuple(pairs)
