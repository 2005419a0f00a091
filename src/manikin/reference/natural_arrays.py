"""The arrays of a natural start: a net, a figure, and the target points of goals. `reference.natural` uses them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from manikin.arrays import Indices, Matrix, Points, Quaternions, Rotations, Vector

BALL, ONE, TWO, THREE = 0, 1, 2, 3
"""Kinds of joints: a ball, or one, two or three angles."""


@dataclass(frozen=True, eq=False)
class NaturalArrays:
    """A net, a figure, and the target points of goals."""

    mean: Vector
    """(INPUTS,) means of the halves of the net's inputs (`reference.natural_net`): 0 for the antisymmetric half."""
    scale: Vector
    """(INPUTS,)"""
    W0: Matrix
    """(INPUTS, h) rows of A, then rows of B. h is the number of pairs of units. Weights have at most seven significant
    bits, as the native core needs."""
    b0: Vector
    W1: Matrix
    """(2 h, h) the same."""
    b1: Vector
    W2: Matrix
    """(2 h, h) the same."""
    b2: Vector
    W3: Matrix
    """(h, OUTPUTS) columns of the symmetric outputs, then of the antisymmetric ones."""
    out: Vector
    """(OUTPUTS,) added to the outputs of the net."""
    center: Quaternions
    """(17, 4) the turn that each part has if its rotation vector is 0."""

    start: Vector
    """(nq,) the pose of joints that belong to no part and of numbers that the net does not predict."""
    frame: Matrix
    """(3, 3) columns: left, up and forward of the figure at rest, in the world."""
    leg: float
    """Length."""
    proportions: Vector
    """(7,) lengths of the body in legs; see `natural.anatomy.proportions`."""
    part_before: Indices
    """(17,) the part before this one, if the figure has no joints for that part; otherwise −1. Its turn is added."""
    joint_kind: Indices
    """(J,) BALL, ONE, TWO or THREE; the joints of a part follow each other from the pelvis outward."""
    joint_number: Indices
    """(J,) index of its first number in q."""
    joint_part: Indices
    """(J,)"""
    joint_left: Quaternions
    """(J, 4) P of  L = P A F⁻¹,  the joint's own turn L from the turn A in anatomical axes."""
    joint_right: Quaternions
    """(J, 4) F⁻¹."""
    joint_axes: Rotations
    """(J, 3, 3) rows: the axes of its angles."""
    joint_limits: Rotations
    """(J, 3, 2) lower, upper of its angles."""

    slide: Indices
    """(3,) This field and the following ones are as in `reference.heading.HeadingArrays`."""
    to_slides: Matrix
    pivot: Vector
    turn: Indices
    turn_axes: Matrix
    """(3, 3) rows: axes in the world, of an unturned ball, or of angles that are all 0."""
    turn_limits: Matrix
    """(3, 2) lower, upper of three angles."""
    pelvis: Vector
    """(3,) the middle between the hip joints in the start, in the world. This is the position of the pelvis."""
    pelvis_axes: Quaternions
    """(4,) its anatomical axes there."""

    point_goal: Indices
    """(P,) index of the goal."""
    point_target: Indices
    """(P,) index of its three numbers in a row of targets."""
    point_slot: Indices
    """(P,) the effector whose position it determines, −1 for none."""
    point_offset: Points
    """(P, 3) from the effector to the point, in the effector's anatomical axes, length."""
    point: Points
    """(P, 3) in the mean pose, in the frame at rest, legs."""
    axes_goal: Indices
    """(A,) index of the goal of each orientation."""
    axes_target: Indices
    """(A,) index of the quaternion in a row of targets."""
    axes_slot: Indices
    """(A,)"""
    axes_right: Quaternions
    """(A, 4) K of  B = R* K,  the anatomical axes from the target."""
    axes: Rotations
    """(A, 3, 3) R of the mean pose, in the frame at rest."""
    aim_goal: Indices
    """(G,) index of each goal that aims the head, or a segment of the head."""
    aim_target: Indices
    """(G,) index of its point or direction in a row of targets."""
    aim_far: Indices
    """(G,) 1 if the target is a direction, 0 if it is a point."""
    aim_axis: Points
    """(G, 3) the axis that is aimed, in the head's anatomical axes."""
    aim_point: Points
    """(G, 3) start of the ray in the mean pose, in the frame at rest, legs."""
    slot_axes: Rotations
    """(6, 3, 3) anatomical axes of the effectors in the mean pose, in the frame at rest."""
    floor: float
    """Height of the floor along up, as a length; NaN if it is not known."""

    lower: Vector
    """(nq,) limits of numbers; those of balls follow."""
    upper: Vector
    cone_number: Indices
    cone_reference: Quaternions
    cone_basis: Rotations
    cone_swing: Matrix
    cone_twist: Matrix
    coupled: Indices
    """(M,) numbers that follow another one."""
    coupled_source: Indices
    coupled_ratio: Vector
    coupled_shift: Vector

    def arguments(self) -> dict[str, Any]:
        """The arrays by name, for the native core."""
        return {
            name: np.ascontiguousarray(value) if isinstance(value, np.ndarray) else value
            for name, value in vars(self).items()
        }
