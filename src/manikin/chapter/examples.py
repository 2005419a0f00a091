"""The examples of the chapter as data: planar trees, initial angles, targets, and the method that each figure shows.

The source does not give lengths, initial angles and targets. The values here are chosen so that each figure shows what
the chapter says about it; every picture mentions this. All segments of the trees have length 1. Targets are relative to
the root, which is at the origin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from manikin import arrays
from manikin.arrays import Matrix, Vector
from manikin.errors import unknown_name
from manikin.figure import Figure, Hinge, tree
from manikin.goals import Position

Pair = tuple[float, float]

HALF_TURN = (-np.pi, np.pi)
"""−π < θ < π, the bounds of every angle without other bounds."""
EXACT = 1e-10
"""Tolerance of path points, as a fraction of the figure's size."""


@dataclass(frozen=True)
class Target:
    """An effector of an example and its target."""

    label: str
    """Label as in the chapter: P₅ is the end of segment 5."""
    segment: str
    target: Pair | None = None
    """(x, y) in the world; None means `shift` from its start."""
    shift: Pair = (0.0, 0.0)
    offset: float = 0.0
    """Distance from the origin of its segment, along the segment."""


@dataclass(frozen=True, eq=False)
class Example:
    """One figure of the chapter."""

    name: str
    """"figure-12", also the name of its files."""
    example: str
    """Number in the chapter, such as "7.3"; "" if it has none."""
    title: str
    text: str
    """A description for the reader."""
    parents: tuple[int, ...]
    """Parent of each segment, as in `tree`."""
    degrees: tuple[float, ...]
    """Initial direction of each segment relative to the x axis. The joint angles are their differences."""
    effectors: tuple[Target, ...]
    method: str
    lengths: tuple[float, ...] | None = None
    """Length of each segment; None means 1."""
    damping: float | None = None
    """λ, length per radian; None if the method has none."""
    alpha: float | None = None
    """α of "lbfgsb", length² per radian²."""
    steps: int = 19
    """M, path points between start and target."""
    pace: str = "linear"
    stepped: bool = False
    """True: one linear step for each path point, as in the chapter. False: each path point is solved exactly."""
    bounds: tuple[tuple[int, Pair], ...] = ()
    """Angles, counted from 1, with bounds other than ±π."""
    watched: int | None = None
    """An angle, counted from 1, that is plotted with its bounds."""
    compared: tuple[str, ...] = ()
    """Further methods that solve it, for comparison."""

    @property
    def label(self) -> str:
        """ "Figure 12"."""
        return self.name.replace("-", " ").capitalize()

    @cached_property
    def figure(self) -> Figure:
        """The planar tree, with its bounds as joint limits."""
        own = dict(self.bounds)
        joints = [Hinge(limits=own.get(i + 1, HALF_TURN)) for i in range(len(self.parents))]
        made = tree(self.parents, self.lengths, joints, planar=True, name=self.name)
        return made.replaced(unit=None)

    @cached_property
    def start(self) -> Vector:
        """(nq,) the initial joint angles, relative, radians."""
        direction = np.radians(self.degrees)
        before = [0.0 if p < 0 else direction[p] for p in self.parents]
        return arrays.frozen(direction - np.array(before))

    @cached_property
    def goals(self) -> list[Position]:
        """One goal for each effector, at its target."""
        return [
            Position(e.segment, x, offset=(e.offset, 0.0, 0.0), axes="xy", tolerance=EXACT * self.figure.size)
            for e, x in zip(self.effectors, self.targets, strict=True)
        ]

    @cached_property
    def targets(self) -> Matrix:
        """(effectors, 2)"""
        begin = self.positions(self.start)
        rows = [
            b + np.array(e.shift) if e.target is None else e.target for e, b in zip(self.effectors, begin, strict=True)
        ]
        return arrays.frozen(rows)

    def positions(self, poses: Vector) -> Matrix:
        """Positions of the effectors: poses (..., nq) -> (..., effectors, 2)."""
        at = self.figure.placements(poses, [e.segment for e in self.effectors])  # (..., k, 4, 4)
        offsets = np.array([e.offset for e in self.effectors])
        found: Matrix = at[..., :2, 3] + offsets[:, None] * at[..., :2, 0]
        return found


def chosen(names: Sequence[str]) -> list[Example]:
    """Examples by figure ("figure-12" or "12") or by number in the chapter ("7.3", which may be several). No names
    means all.

    Raises:
        UnknownName: the message contains the nearest known name.
    """
    if not names:
        return list(EXAMPLES)
    known = {name for e in EXAMPLES for name in _names(e)}
    for name in names:
        if str(name).lower() not in known:
            listed = [e.name for e in EXAMPLES] + sorted({e.example for e in EXAMPLES if e.example})
            raise unknown_name("the chapter", "example", name, listed)
    wanted = {str(name).lower() for name in names}
    return [e for e in EXAMPLES if wanted & set(_names(e))]


def _names(example: Example) -> list[str]:
    return [example.name, example.name.removeprefix("figure-"), *([example.example] if example.example else [])]


METHODS = ("pinv", "stacked", "dls", "bounded-dls", "lbfgsb")
"""The chapter's methods."""

TWO = (-1, 0, 1, 2, 3, 4, 2, 6, 7)
"""Figure 4: three segments, then branches of three; effectors at the ends of segments 6 and 9."""
TWO_START = (110.0, 75.0, 95.0, 50.0, 5.0, 40.0, 140.0, 185.0, 145.0)
FOUR = (-1, 0, 1, 2, 3, 1, 5, 6, 1, 8, 9)
"""Figure 7: two segments, then three branches of three; effectors at the ends of segments 5, 8 and 11."""
FOUR_START = (110.0, 70.0, 20.0, -30.0, 40.0, 60.0, 110.0, 70.0, 150.0, 200.0, 150.0)

_THREE = (
    Target("P₅", "Tip5", (2.3, 1.1)),
    Target("P₈", "Tip8", (-0.6, 2.8)),
    Target("P₁₁", "Tip11", (-1.8, 1.6)),
)
_INNER = Target("P₂", "Segment2", shift=(0.0, -1.0), offset=1.0)
_STRETCHED = (Target("P₅", "Tip5", (3.2, 0.8)), *_THREE[1:], _INNER)


def _stretched(number: int, example: str, title: str, text: str, method: str, damping: float | None) -> Example:
    """One of the figures with the same paths, on which the branch to P₅ ends stretched."""
    return Example(
        f"figure-{number}",
        example,
        title,
        text,
        FOUR,
        FOUR_START,
        _STRETCHED,
        method,
        damping=damping,
        steps=29,
        stepped=True,
        bounds=((6, (-np.pi, 0.0)),),
        watched=6,
    )


EXAMPLES: tuple[Example, ...] = (
    Example(
        "figure-3",
        "3.1",
        "one effector, nonlinear programming",
        "A chain of three segments. Its effector goes along a straight path; the angles for each path point come from "
        "minimising ½‖f(θ) − X‖² + ½α‖θ − θ_ref‖² within the bounds, started at the point before.",
        (-1, 0, 1),
        (125.0, 60.0, -5.0),
        (Target("P₃", "Tip", (1.1, -0.7)),),
        "lbfgsb",
        lengths=(1.0, 0.8, 0.6),
        alpha=1e-10,
        pace="smooth",
        compared=METHODS,
    ),
    Example(
        "figure-5",
        "5.7",
        "two effectors, first target",
        "Two branches on one stem. The step for the first effector is completed by the step for the second in "
        "the null space of the first; together they are the pseudo-inverse step of both.",
        TWO,
        TWO_START,
        (Target("P₆", "Tip6", (1.6, 1.2)), Target("P₉", "Tip9", (-1.4, 4.3))),
        "stacked",
        compared=METHODS,
    ),
    Example(
        "figure-6",
        "5.7",
        "two effectors, second target",
        "The same figure from the same pose, with both targets on one side. Both effectors need the stem, so it "
        "has to follow.",
        TWO,
        TWO_START,
        (Target("P₆", "Tip6", (3.6, 2.4)), Target("P₉", "Tip9", (0.2, 4.6))),
        "stacked",
        compared=METHODS,
    ),
    Example(
        "figure-8",
        "",
        "three effectors",
        "Three branches on two segments, each effector on a separate path; the minimal-norm step is built one "
        "effector at a time.",
        FOUR,
        FOUR_START,
        _THREE,
        "stacked",
    ),
    Example(
        "figure-9",
        "",
        "four effectors, one of them inside",
        "As in Figure 8, with a fourth effector: P₂, where the branches meet, moves to P₂ + (0, −1). The targets use "
        "eight of the eleven degrees of freedom.",
        FOUR,
        FOUR_START,
        (*_THREE, _INNER),
        "stacked",
    ),
    _stretched(
        10,
        "",
        "plain pseudo-inverse near stretch",
        "The path of P₅ leads a little beyond what its branch can reach. As the branch stretches out, the steps "
        "of the pseudo-inverse grow without bound, and P₅ leaves its path.",
        "pinv",
        None,
    ),
    _stretched(
        11,
        "7.3",
        "damped least squares, λ = 0.1",
        "The same paths with a little damping. Too little: near stretch the steps are still large, and P₅ jumps.",
        "dls",
        0.1,
    ),
    _stretched(
        12,
        "7.3",
        "damped least squares, λ = 0.25",
        "Enough damping for calm steps, little enough to keep to the paths. θ₆ turns past 0.",
        "dls",
        0.25,
    ),
    _stretched(
        13,
        "7.3",
        "damped least squares, λ = 1.5",
        "More damping: the steps are smaller still, and the effectors begin to lag behind their path points.",
        "dls",
        1.5,
    ),
    _stretched(
        14,
        "7.3",
        "damped least squares, λ = 10",
        "Too much: nothing jumps, and little moves. The effectors stop far from their targets.",
        "dls",
        10.0,
    ),
    _stretched(
        15,
        "7.4",
        "damped least squares with bounds, λ = 0.25",
        "As Figure 12, with −π < θ₆ < 0 and −π < θᵢ < π for the others. θ₆ stops at 0, and the other angles "
        "compensate.",
        "bounded-dls",
        0.25,
    ),
)
"""In the order of the chapter."""
