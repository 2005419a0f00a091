"""Poses between two recorded ones, with a rule for each kind of joint.

    sliders                     linear
    balls and free joints       along the shorter arc at constant speed (slerp)
    Euler joints of three axes  the same: both triples of angles are converted to rotations, and the interpolated
                                rotation is converted back to angles
    hinges, Euler of two axes   along the shorter arc if their limits span a whole turn, otherwise linear

A rotation has two triples of angles (`rotations.other_euler`), each up to whole turns. The triple that is nearer to the
straight line between the recorded triples is used, ignoring whole turns. Then each angle gets the whole turns that
bring it nearest to that line. So the angles are continuous where the recorded ones are. If the recorded angles jump (a
file may keep its angles within ±180°), the interpolated angles jump by the same amount, once, half-way. Near the gimbal
pole the angles change fast even in a slow rotation; the nearer triple is used there too.
"""

from __future__ import annotations

import numpy as np

from manikin import rotations
from manikin.arrays import Matrix, Poses, Quaternions, Vector
from manikin.figure import Euler, Figure, Hinge, Joint
from manikin.figure.joint import number_count

TURN = 2.0 * np.pi
POLE = 1e-10
"""Nearer than this (rad) to the gimbal pole, only the sum or difference of the first and last angle is used, because
rounding makes each angle alone meaningless."""
NEAR = 1e-3
"""Nearer than this (rad) to the gimbal pole, programs record one of the two angles by a convention, often as 0."""


def between(figure: Figure, before: Poses, after: Poses, part: Vector) -> Poses:
    """Poses (n, nq) from `before` (part 0) to `after` (part 1), both (n, nq); part (n,) is within 0 and 1.

    Coupled numbers and their sources are interpolated linearly, because a whole turn of the source moves the number
    that follows it.
    """
    out: Poses = before + part[:, None] * (after - before)
    for ball in figure.layout.balls:
        q = slice(ball, ball + 4)
        a, b = rotations.normalized(before[:, q]), rotations.normalized(after[:, q])
        out[:, q] = rotations.slerp(a, b, part)
    leaders = {s.joint.coupling.source for s in figure.segments if s.joint.coupling is not None}
    for segment in figure.segments:
        joint = segment.joint
        if _turns_about_axes(joint) and joint.coupling is None and joint.name not in leaders:
            motion = joint.motions[-1]
            last = figure.index_of(joint.name) + joint.nq
            numbers = slice(last - number_count(motion), last)
            a, b = before[:, numbers], after[:, numbers]
            if isinstance(motion, Euler) and len(motion.order) == 3:
                moved = (a != b).any(axis=1)  # a joint at rest keeps its exact bits
                out[moved, numbers] = _turned(motion.order, a[moved], b[moved], part[moved])
            else:
                low, high = figure.lower[numbers], figure.upper[numbers]
                out[:, numbers] = _unwrapped(a, b, part, out[:, numbers], low, high)
    return out


def _turns_about_axes(joint: Joint) -> bool:
    return bool(joint.motions) and isinstance(joint.motions[-1], (Hinge, Euler))


def _turned(order: str, a: Matrix, b: Matrix, part: Vector) -> Matrix:
    """Triples (n, 3) of the rotations between those of a and b, near the recorded ones."""
    q = rotations.slerp(rotations.from_euler(order, a), rotations.from_euler(order, b), part)
    start, end = _ends(order, a, b)
    straight = start + part[:, None] * (end - start)
    short = start + part[:, None] * rotations.wrapped(end - start)
    return _near(angles_near(order, q, short), straight)


def angles_near(order: str, q: Quaternions, line: Matrix) -> Matrix:
    """Triples (n, 3) of rotations (n, 4), as near as possible to other triples."""
    one = _settled(order, q, rotations.to_euler(order, q), line)
    two = rotations.other_euler(order, one)
    away, other = (np.abs(rotations.wrapped(angles - line)).sum(axis=1) for angles in (one, two))
    return _near(np.where((other < away)[:, None], two, one), line)


def _ends(order: str, a: Matrix, b: Matrix) -> tuple[Matrix, Matrix]:
    """The ends of the straight line: a and b. If one of them is at the pole, only the sum or difference of its first
    and last angle is determined; these angles are then made as near as possible to those of the other."""
    (off_a, sign_a), (off_b, sign_b) = rotations.euler_pole(order, a[:, 1]), rotations.euler_pole(order, b[:, 1])
    pole_a, pole_b = off_a < NEAR, off_b < NEAR
    sign = np.where(pole_a, sign_a, sign_b)
    change = 0.5 * rotations.wrapped(b[:, 0] - a[:, 0] + sign * (b[:, 2] - a[:, 2]))
    start, end = a.copy(), b.copy()
    for one, at, other, way in ((start, pole_a & ~pole_b, b, -change), (end, pole_b & ~pole_a, a, change)):
        one[at, 0] = (other[:, 0] + way)[at]
        one[at, 2] = (other[:, 2] + sign * way)[at]
    return start, end


def _settled(order: str, q: Quaternions, angles: Matrix, line: Matrix) -> Matrix:
    """The triples. At the pole, the last angle is on the line, and the first is the remainder."""
    pole = rotations.euler_pole(order, angles[:, 1])[0] < POLE
    if not pole.any():
        return angles
    axis = 1 + "XYZ".index(order[0])
    rest = np.stack([angles[pole, 1], line[pole, 2]], axis=1)
    left = rotations.multiply(q[pole], rotations.inverse(rotations.from_euler(order[1:], rest)))
    out: Matrix = angles.copy()
    out[pole, 0] = 2.0 * np.arctan2(left[:, axis], left[:, 0])
    out[pole, 2] = rest[:, 1]
    return out


def _unwrapped(a: Matrix, b: Matrix, part: Vector, straight: Matrix, low: Vector, high: Vector) -> Matrix:
    """Angles (n, k). Each takes the shorter arc if its limits span a whole turn, otherwise the straight line."""
    way = _near(a + part[:, None] * rotations.wrapped(b - a), straight)
    way = np.where(way > high, way - TURN, np.where(way < low, way + TURN, way))
    around = (high - low >= TURN) & (np.abs(b - a) > np.pi)
    return np.where(around, way, straight)


def _near(angles: Matrix, straight: Matrix) -> Matrix:
    """Angles plus the whole turns that bring them nearest to others."""
    near: Matrix = straight + rotations.wrapped(angles - straight)
    return near
