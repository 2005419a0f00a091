"""Converts a net, a figure of a person and goals to the arrays of `reference.natural_arrays`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from manikin import rotations
from manikin.arrays import Matrix, Placements, Vector
from manikin.errors import BadValue
from manikin.figure.figure import Figure
from manikin.figure.free_root import FreeRoot, free_root
from manikin.figure.joint import Ball, Euler, Hinge, Motion
from manikin.goals import Effector
from manikin.prior.anatomy import BEFORE, EFFECTORS, PARTS, Anatomy, anatomy_of, divided
from manikin.prior.model import Model
from manikin.reference.natural import FACING, Natural
from manikin.reference.natural_arrays import BALL, ONE, THREE, TWO, NaturalArrays
from manikin.reference.natural_gaze import HEAD

NO_GOALS: dict[str, Any] = {
    **{f"point_{name}": np.zeros(0, dtype=np.int32) for name in ("goal", "target", "slot")},
    **{f"axes_{name}": np.zeros(0, dtype=np.int32) for name in ("goal", "target", "slot")},
    "point_offset": np.zeros((0, 3)),
    "point": np.zeros((0, 3)),
    "axes_right": np.zeros((0, 4)),
    "axes": np.zeros((0, 3, 3)),
    **{f"aim_{name}": np.zeros(0, dtype=np.int32) for name in ("goal", "target", "far")},
    "aim_axis": np.zeros((0, 3)),
    "aim_point": np.zeros((0, 3)),
    "slot_axes": np.zeros((len(EFFECTORS), 3, 3)),
    "floor": np.nan,
}


class Read(Protocol):
    """The parts of a goal that are read; see `Goal`."""

    @property
    def target(self) -> Vector: ...
    @property
    def point_slot(self) -> int | None: ...
    @property
    def wanted_rotation(self) -> Vector | None: ...
    @property
    def aimed_axis(self) -> Vector | None: ...
    @property
    def directions(self) -> tuple[int, ...]: ...
    @property
    def quaternions(self) -> tuple[int, ...]: ...
    @property
    def effectors(self) -> tuple[Effector, ...]: ...


class NaturalBody:
    """A figure of a person with a net: the data that does not depend on goals."""

    def __init__(self, figure: Figure, model: Model, movable: NDArray[np.bool_] | None = None) -> None:
        """
        Args:
            figure: a person with a free root.
            model: the net.
            movable: (nv,) the steps that may change; None means all. Other joints stay in the rest pose.

        Raises:
            BadValue: the figure is not a person, or its root is not free. The message names what is missing.
        """
        self.anatomy = anatomy_of(figure)
        self.figure = figure
        start = figure.clamp(figure.rest) if figure.violation(figure.rest) > 0.0 else figure.rest
        root = free_root(figure, start)
        if root is None or (movable is not None and not movable[root.steps].all()):
            raise BadValue(f"figure {figure.name!r} has no root that is free to move and turn")
        self.arrays = NaturalArrays(
            **cast("dict[str, Any]", model.arrays),
            **_figure_arrays(self.anatomy, start, root, movable),
            **limit_arrays(figure),
            **NO_GOALS,
        )
        mean = self.mean_pose(model.pose)
        self._mean: Placements = figure.placements(mean)
        self._frame = self.anatomy.frame
        own = [self._turn(i) @ rotations.to_matrix(self.anatomy.axes[i]) for i in self.anatomy.effectors]
        self.arrays = replace(self.arrays, slot_axes=np.array(own))

    def mean_pose(self, y: Vector) -> Vector:
        """(nq,) the pose with these coordinates of the parts (51,) and the root at rest, within limits."""
        q = self.arrays.start.copy()
        Natural(self.arrays).put(q, y)
        return self.figure.clamp(q)

    def with_goals(self, goals: Sequence[Read], floor: float | None = None) -> NaturalArrays:
        """The arrays with the points and orientations of goals, settled on the figure.

        Args:
            goals: only goals with a position or an orientation of an effector, or an aim of the head, are used.
            floor: height of the floor along `figure.up`; None if it is not known.
        """
        # What the goals ask for: points, orientations, aims of the head.
        at = np.cumsum([0, *(len(g.target) for g in goals)])
        slots = self._slots()
        points: list[tuple[int, int, int, Vector, Vector]] = []
        turns: list[tuple[int, int, int, Vector, Matrix]] = []
        aims: list[tuple[int, int, int, Vector, Vector]] = []
        for k, goal in enumerate(goals):
            if goal.point_slot is not None:
                effector = goal.effectors[0]
                i = self.figure.segment_index(effector.segment)
                world = self._mean[i, :3, :3] @ np.array(effector.offset) + self._mean[i, :3, 3]
                slot = slots.get(i, -1)
                points.append((k, int(at[k]) + goal.point_slot, slot, self._offset(slot, world), self._place(world)))
            if goal.wanted_rotation is not None:
                effector = goal.effectors[0]
                i = self.figure.segment_index(effector.segment)
                own = np.array(effector.rotation)
                slot = self.anatomy.effectors.index(i) if i in self.anatomy.effectors else -1
                right = rotations.multiply(rotations.inverse(own), self.anatomy.axes[i])
                axes = (1.0 if slot < 0 else FACING[slot]) * self._turn(i) @ rotations.to_matrix(own)
                turns.append((k, int(at[k]) + goal.quaternions[0], slot, right, axes))
            if goal.aimed_axis is not None:
                effector = goal.effectors[0]
                i = self.figure.segment_index(effector.segment)
                if slots.get(i, -1) == HEAD:
                    world = self._mean[i, :3, :3] @ np.array(effector.offset) + self._mean[i, :3, 3]
                    axis = self.arrays.slot_axes[HEAD].T @ self._turn(i) @ goal.aimed_axis
                    aims.append((k, int(at[k]), int(bool(goal.directions)), axis, self._place(world)))
        # The same as columns.
        of_goals: dict[str, Any] = {}
        for j, name in enumerate(("goal", "target", "slot")):
            of_goals[f"point_{name}"] = np.array([p[j] for p in points], dtype=np.int32)
            of_goals[f"axes_{name}"] = np.array([t[j] for t in turns], dtype=np.int32)
        for j, name in enumerate(("goal", "target", "far")):
            of_goals[f"aim_{name}"] = np.array([a[j] for a in aims], dtype=np.int32)
        return replace(
            self.arrays,
            **of_goals,
            point_offset=np.array([p[3] for p in points]).reshape(-1, 3),
            point=np.array([p[4] for p in points]).reshape(-1, 3),
            axes_right=np.array([t[3] for t in turns]).reshape(-1, 4),
            axes=np.array([t[4] for t in turns]).reshape(-1, 3, 3),
            aim_axis=np.array([a[3] for a in aims]).reshape(-1, 3),
            aim_point=np.array([a[4] for a in aims]).reshape(-1, 3),
            floor=np.nan if floor is None else float(floor),
        )

    # Inside

    def _slots(self) -> dict[int, int]:
        """For each segment, the effector whose position it determines: the effector on the segment itself or above
        it."""
        out = {segment: slot for slot, segment in enumerate(self.anatomy.effectors)}
        for slot, name in enumerate(EFFECTORS[:-1]):  # not the pelvis: every segment is below it
            for i in self.anatomy.joints[name]:
                if np.allclose(self._mean[i, :3, 3], self._mean[self.anatomy.effectors[slot], :3, 3]):
                    out.setdefault(i, slot)
        index = {name: i for i, name in enumerate(self.figure.segment_names)}
        for i, segment in enumerate(self.figure.segments):
            above = None if segment.parent is None else index[segment.parent]
            if i not in out and above is not None and out.get(above, -1) in range(len(EFFECTORS) - 1):
                out[i] = out[above]
        return out

    def _turn(self, segment: int) -> Matrix:
        """(3, 3) the rotation of a segment in the mean pose, in the frame at rest."""
        return np.asarray(self._frame.T @ self._mean[segment, :3, :3])

    def _place(self, world: Vector) -> Vector:
        return np.asarray(self._frame.T @ world / self.anatomy.leg)

    def _offset(self, slot: int, world: Vector) -> Vector:
        """(3,) the vector from the effector to a point of the mean pose, in the effector's anatomical axes."""
        if slot < 0:
            return np.zeros(3)
        away = self._frame.T @ (world - self._mean[self.anatomy.effectors[slot], :3, 3])
        own = self.arrays.slot_axes[slot].T @ away
        return np.asarray(own - self.anatomy.hips if EFFECTORS[slot] == "pelvis" else own)


def _figure_arrays(
    anatomy: Anatomy, start: Vector, root: FreeRoot, movable: NDArray[np.bool_] | None
) -> dict[str, Any]:
    figure = anatomy.figure
    # The pelvis at the start.
    placed = figure.placements(start)[anatomy.pelvis]
    pelvis_axes = rotations.multiply(rotations.from_matrix(placed[:3, :3]), anatomy.axes[anatomy.pelvis])
    # Joints of each part: where their numbers are, and the turns between their axes and those of the part.
    kind, number, part, left, right, axes, limits = ([] for _ in range(7))
    for p, name in enumerate(PARTS):
        for i in anatomy.joints.get(name, ()):
            joint = figure.segments[i].joint
            motion = joint.motions[-1] if joint.motions else None
            if joint.coupling is not None or not _moves(figure, i, movable):
                continue
            found = _kind(motion)
            if found is None:
                continue
            own, vectors, bounds = found
            parent = figure.segment_index(figure.segments[i].parent or "")
            kind.append(own)
            number.append(figure.index_of(joint.name) + joint.nq - (4 if own == BALL else own))
            part.append(p)
            left.append(rotations.multiply(rotations.inverse(np.array(joint.rotation)), anatomy.axes[parent]))
            right.append(rotations.inverse(anatomy.axes[i]))
            axes.append(vectors)
            limits.append(bounds)
    # The root, and what does not depend on the pose.
    ball = len(root.turn) == 1
    return {
        "start": np.array(start),
        "frame": anatomy.frame,
        "leg": anatomy.leg,
        "proportions": anatomy.proportions,
        "part_before": np.array([_before(anatomy, name) for name in PARTS], dtype=np.int32),
        "joint_kind": np.array(kind, dtype=np.int32),
        "joint_number": np.array(number, dtype=np.int32),
        "joint_part": np.array(part, dtype=np.int32),
        "joint_left": np.array(left).reshape(-1, 4),
        "joint_right": np.array(right).reshape(-1, 4),
        "joint_axes": np.array(axes).reshape(-1, 3, 3),
        "joint_limits": np.array(limits).reshape(-1, 3, 2),
        "slide": np.array(root.slide, dtype=np.int32),
        "to_slides": np.linalg.inv(root.slide_axes.T),
        "pivot": root.pivot,
        "turn": np.array(root.turn, dtype=np.int32),
        "turn_axes": root.turn_axes,
        "turn_limits": np.zeros((3, 2))
        if ball
        else np.stack([figure.lower[root.turn], figure.upper[root.turn]], axis=1),
        "pelvis": placed[:3, 3] + rotations.rotate(pelvis_axes, anatomy.hips),
        "pelvis_axes": pelvis_axes,
    }


def _before(anatomy: Anatomy, part: str) -> int:
    """The index of the part before this one, if the figure has no segments for that part; otherwise −1."""
    side, name = divided(part)
    above = BEFORE.get(name, part)
    whole = above if above in PARTS else f"{side} {above}"
    return -1 if whole == part or whole in anatomy.joints else PARTS.index(whole)


def _kind(motion: Motion | None) -> tuple[int, Matrix, Matrix] | None:
    """The kind of a joint, the axes of its angles (3, 3) and their limits (3, 2); None if it does not turn."""
    axes, limits = np.zeros((3, 3)), np.zeros((3, 2))
    if isinstance(motion, Ball):
        return BALL, axes, limits
    if isinstance(motion, Hinge):
        axes[0], limits[0] = motion.axis, motion.limits
        return ONE, axes, limits
    if isinstance(motion, Euler):
        n = len(motion.order)
        axes[:n] = [rotations.AXES[letter.lower()] for letter in motion.order]
        limits[:n] = motion.limits
        return (TWO if n == 2 else THREE), axes, limits
    return None


def _moves(figure: Figure, segment: int, movable: NDArray[np.bool_] | None) -> bool:
    """Whether all turns of a segment's joint may move."""
    if movable is None:
        return True
    tree = figure.layout.tree
    joint = figure.segments[segment].joint
    first = figure.index_of(joint.name)
    nodes = np.flatnonzero((tree.number >= first) & (tree.number < first + joint.nq) & (tree.step >= 0))
    steps = [int(tree.step[n]) for n in nodes]
    return all(bool(movable[s]) for s in steps)


def limit_arrays(figure: Figure) -> dict[str, Any]:
    """The limits of a figure in the form that the native core needs."""
    layout, tree = figure.layout, figure.layout.tree
    cones, led = layout.cones, np.flatnonzero(tree.source >= 0)
    return {
        "lower": figure.lower,
        "upper": figure.upper,
        "cone_number": np.array(cones.number, dtype=np.int32),
        "cone_reference": rotations.inverse(cones.inverse_reference).reshape(-1, 4),
        "cone_basis": cones.basis.reshape(-1, 3, 3),
        "cone_swing": cones.swing.reshape(-1, 2),
        "cone_twist": cones.twist.reshape(-1, 2),
        "coupled": np.array(tree.number[led], dtype=np.int32),
        "coupled_source": np.array(tree.source[led], dtype=np.int32),
        "coupled_ratio": np.array(tree.ratio[led], dtype=np.float64),
        "coupled_shift": np.array(tree.shift[led], dtype=np.float64),
    }
