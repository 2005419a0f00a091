"""Posture: a pose to stay close to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manikin import arrays, rotations
from manikin.arrays import Matrix, Points, Rotations, Vector
from manikin.errors import BadShape, BadValue, unknown_name
from manikin.figure.figure import Figure
from manikin.goals.effector import Effector
from manikin.goals.goal import Goal, Reading, set_field
from manikin.goals.native_terms import PoseTerm
from manikin.reference.tree import BALL, SLIDE

SLIDE_LENGTH = 0.2
"""A slide of this length, in sizes of the figure, counts as one radian. It equals `problem.ANGLE_LENGTH`, so that a
slide enters the cost with its own length."""


@dataclass(frozen=True, eq=False)
class Posture(Goal):
    """The figure in a pose, or near it: the step from that pose to the present one is small for every joint.

        error = √s ∘ u ∘ difference(pose, q)             one row for each step (nv,), radians
        d(error) = √s ∘ u ∘ dv   for numbers,    √s ∘ L(φ)ᵀ dv   for balls

    s is the stiffness of the joint. u is 1 for turns and 5/size for slides: a slide of a fifth of the figure's size
    counts as one radian. φ is a ball's part of the difference: the rotation vector from its target to its present
    rotation. L(φ)ᵀ = I + ½[φ]× + c [φ]×² with the c of `Orientation` (steps are in the axes of the moved segment).

    Together with other goals it is rarely reached. It chooses among the poses that the other goals allow. With a higher
    `priority` number than theirs, it hardly affects the other goals.

    Degenerate: if a ball is half a turn away from its target, φ and −φ are the same rotation, and the error jumps from
    one to the other. Either one leads back. Continuous hinges are compared as numbers: angles that differ by 2π are
    different.
    """

    pose: Any
    """(nq,) the pose, numbers as in `figure.rest`."""
    stiffness: Any = field(default=1.0, kw_only=True)
    """s ≥ 0 for all joints, or {joint: s}; joints that are not named have 1. With 0 a joint is not pulled."""
    figure: Figure | None = field(default=None, kw_only=True, repr=False)
    """The figure of the pose; None until `goal.on(figure)`."""

    def __post_init__(self) -> None:
        super().__post_init__()
        set_field(self, "pose", arrays.frozen(arrays.numbers(self.pose, f"{self.label}: target", (None,))))
        label = f"{self.label}: stiffness"
        if isinstance(self.stiffness, Mapping):
            each = {joint: arrays.non_negative(s, f"{label} of {joint!r}") for joint, s in self.stiffness.items()}
            set_field(self, "stiffness", each)
        else:
            set_field(self, "stiffness", arrays.non_negative(self.stiffness, label))

    @cached_property
    def effectors(self) -> tuple[Effector, ...]:
        return ()

    @property
    def reads_pose(self) -> bool:
        return True

    @property
    def rows(self) -> int:
        return self._figure.nv

    @property
    def angular(self) -> tuple[bool, ...]:
        return (True,) * self.rows

    @property
    def target(self) -> Vector:
        return np.array(self.pose)

    def with_target(self, target: ArrayLike) -> Posture:
        if self.figure is None:
            return replace(self, pose=target)
        return replace(self, pose=_one_pose(self.label, self.figure, target))

    def on(self, figure: Figure) -> Posture:
        settled = replace(self, pose=_one_pose(self.label, figure, self.pose), figure=figure)
        assert len(settled.scale) == figure.nv  # this checks the names of joints
        return Goal.on(settled, figure)

    def error(self, reading: Reading) -> Vector:
        error: Vector = self.scale * self._step(reading)
        return error

    def derivative(self, reading: Reading) -> Matrix:
        out = np.diag(self.scale)
        if len(self._balls):
            at = self._balls[:, None] + np.arange(3)  # (balls, 3) their steps
            turning = _turn_derivatives(self._step(reading)[at])
            out[at[:, :, None], at[:, None, :]] = self.scale[at][:, :, None] * turning
        return out

    # Capabilities

    @property
    def quaternions(self) -> tuple[int, ...]:
        return tuple(int(n) for n in self._figure.layout.balls)

    def native_terms(self) -> Sequence[PoseTerm]:
        return (PoseTerm(np.square(self.scale), self.allowed),)

    @cached_property
    def scale(self) -> Vector:
        """(nv,) √s u of each step: the factor of its part of the difference."""
        figure = self._figure
        tree = figure.layout.tree
        unit = np.ones(figure.nv)
        unit[tree.step[(tree.kind == SLIDE) & (tree.source < 0)]] = 1.0 / (SLIDE_LENGTH * figure.size)
        return arrays.frozen(np.sqrt(self._stiffness) * unit)

    @property
    def _stiffness(self) -> Vector:
        """(nv,)"""
        return step_stiffness(self._figure, self.stiffness, f"{self.label}: stiffness", 1.0)

    @cached_property
    def _balls(self) -> NDArray[np.int64]:
        """(balls,) first step of each ball."""
        tree = self._figure.layout.tree
        return np.asarray(tree.step[tree.kind == BALL], dtype=np.int64)

    @property
    def _figure(self) -> Figure:
        if self.figure is None:
            raise BadValue(f"{self.label} has no figure yet; goal.on(figure) gives it one")
        return self.figure

    def _step(self, reading: Reading) -> Vector:
        """(nv,) difference(pose, q)."""
        assert reading.pose is not None, "the reading has no pose; Problem.at adds it"
        return self._figure.difference(self.pose, reading.pose)


def step_stiffness(figure: Figure, stiffness: Any, label: str, other: float) -> Vector:
    """(nv,) a stiffness for each step: from one number, from one number per step, or from {joint: number}.

    Args:
        figure: the figure that has the steps.
        stiffness: at least 0.
        label: name in messages.
        other: the stiffness of joints that are not named.
    """
    if not isinstance(stiffness, Mapping):
        given = arrays.real(stiffness, label)
        if given.ndim == 0:
            return np.full(figure.nv, arrays.non_negative(stiffness, label))
        if given.shape != (figure.nv,):
            raise BadShape(f"{label} has shape {given.shape}; it needs ({figure.nv},), one number for each step")
        if not np.all((given >= 0.0) & np.isfinite(given)):
            raise BadValue(
                f"{label} contains {given[~((given >= 0.0) & np.isfinite(given))][0]:g}; each must be at least 0"
            )
        return np.array(given)
    out = np.full(figure.nv, other)
    joints = {s.joint.name: s.joint for s in figure.segments}
    for name, value in stiffness.items():
        if name not in joints:
            raise unknown_name(f"{label}: figure {figure.name!r}", "joint", name, list(joints))
        first = figure.step_of(name)
        if first < 0:
            coupling = joints[name].coupling
            why = "is fixed" if coupling is None else f"follows {coupling.source!r}"
            raise BadValue(f"{label}: joint {name!r} {why}, so it has no separate steps")
        steps = _step_count(joints[name].nq, joints[name].kind)
        out[first : first + steps] = arrays.non_negative(value, f"{label} of {name!r}")
    return out


def _one_pose(label: str, figure: Figure, pose: ArrayLike) -> Vector:
    checked = figure.check(pose, f"{label}: target")
    if checked.ndim != 1:
        raise BadShape(f"{label}: target has shape {checked.shape}; it needs one pose, ({figure.nq},)")
    return checked


def _step_count(numbers: int, kind: str) -> int:
    """Number of steps of a joint; a quaternion has three."""
    return numbers - (kind.endswith("ball") or kind == "free")


def _turn_derivatives(turns: Points) -> Rotations:
    """L(φ)ᵀ of each rotation vector, (b, 3) -> (b, 3, 3)."""
    square = (turns * turns).sum(axis=-1)
    small = square < 1e-4
    angle = np.sqrt(np.where(small, 1.0, square))
    c = np.where(
        small,
        1.0 / 12.0 + square / 720.0 + square * square / 30240.0,
        (1.0 - 0.5 * angle / np.tan(0.5 * angle)) / (angle * angle),
    )
    cross = rotations.cross_matrix(turns)
    out: Rotations = np.eye(3) + 0.5 * cross + c[:, None, None] * (cross @ cross)
    return out
