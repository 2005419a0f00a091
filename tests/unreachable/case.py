"""A case: goals that cannot be met, on a figure; and the figures."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from needs import find_data

import manikin as mk


@dataclass(frozen=True, eq=False)
class Case:
    """Goals on a figure that no pose within limits meets."""

    kind: str
    place: str
    """Which figure."""
    figure: mk.Figure
    goals: list[Any]
    start: Any = None
    freeze: tuple[str, ...] = ()
    only: tuple[str, ...] | None = None
    index: int = 0
    """Number of the case within its kind."""
    draw: int = 0
    """How many draws before this one could be met after all."""

    @property
    def key(self) -> str:
        return f"{self.kind}/{self.place}/{self.index}/{self.draw}"

    def solved(self) -> mk.Solution:
        """By the production solver, with default arguments."""
        return mk.solve(self.figure, self.goals, self.start, freeze=self.freeze, only=self.only)


@dataclass(frozen=True)
class Place:
    """A figure, and the names that goals are set on."""

    figure: Callable[[], mk.Figure | None]
    tips: tuple[str, ...]
    """Segments at the ends; the first one most often."""
    axes: str = "xyz"
    freeze: tuple[str, ...] = ()
    """Joints that are held so that something is out of reach."""


@functools.cache
def chain() -> mk.Figure:
    return mk.chain([1.0, 0.8, 0.6, 0.5], mk.Hinge(limits=(-1.5, 1.5)), planar=True, name="chain")


@functools.cache
def in_space() -> mk.Figure:
    """A chain of Euler joints and of balls with cones."""
    cone = mk.Ball(limits=mk.SwingTwist(axis=(1, 0, 0), swing=(0.9, 0.6), twist=(-0.5, 0.7)))
    turn = mk.Euler("XYZ", limits=((-1.0, 1.2), (-0.8, 0.8), (-0.6, 0.9)))
    return mk.chain([0.4, 0.5, 0.3, 0.2, 0.2], [cone, turn, cone, turn, cone], name="in space")


@functools.cache
def arm(file: str) -> mk.Figure | None:
    """An arm of MANIKIN_DATA; None without it."""
    path = find_data(f"urdf/{file}")
    return None if path is None else mk.load_figure(path)


@functools.cache
def person() -> mk.Figure:
    return mk.human()


@functools.cache
def dog() -> mk.Figure:
    return mk.quadruped()


PLACES: dict[str, Place] = {
    "chain": Place(chain, ("Tip", "Segment3", "Segment4"), "xy"),
    "in space": Place(in_space, ("Tip", "Segment4", "Segment3")),
    "panda": Place(lambda: arm("panda.urdf"), ("panda_hand", "panda_link5", "panda_link6")),
    "ur5": Place(lambda: arm("ur5_robot.urdf"), ("tool0", "wrist_1_link", "wrist_2_link")),
    "dog": Place(dog, ("LeftForePaw", "RightForePaw", "Head", "LeftHindPaw"), freeze=("Hips",)),
    "person": Place(person, ("LeftHand", "RightHand", "Head", "LeftFoot"), freeze=("Hips",)),
}


def direction(rng: np.random.Generator, axes: str) -> Any:
    """A random direction along the axes that count, as three numbers."""
    out = np.zeros(3)
    out[: len(axes)] = rng.normal(size=len(axes))
    return out / np.linalg.norm(out)


def turn(rng: np.random.Generator, least: float = 0.0, most: float = np.pi, axes: str = "xyz") -> Any:
    """(3, 3) a turn by an angle between two, about any axis; about z in the plane."""
    about = np.array([0.0, 0.0, 1.0]) if axes == "xy" else direction(rng, axes)
    return mk.rotations.to_matrix(mk.rotations.from_axis_angle(about, rng.uniform(least, most)))


def position(place: str, segment: str, at: Any, **options: Any) -> Any:
    """A Position on the axes that count there."""
    axes = PLACES[place].axes
    return mk.Position(segment, np.asarray(at)[: len(axes)], axes=axes, **options)


def where(figure: mk.Figure, pose: Any, segment: str) -> Any:
    """(3,) world position of a segment."""
    return figure.placements(pose, [segment])[0, :3, 3]


def placed(R: Any, at: Any) -> Any:
    """(4, 4) a placement of a rotation (3, 3) and a position."""
    out = np.eye(4)
    out[:3, :3], out[:3, 3] = R, at
    return out
