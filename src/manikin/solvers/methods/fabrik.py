"""`method="fabrik"`: forward and backward reaching (Aristidou and Lasenby 2011), for comparison.

Joints are points at fixed distances. The forward pass goes from the effectors to the root. It puts each effector on its
target and pulls each point along the line to its follower until their distance is right. Where branches meet, it uses
the mean of the points that they need. The backward pass goes from the root to the effectors in the same way, with the
root back in its place (a free root stays where it was pulled). Then joints are set one after the other, parents first,
so that their segments point in the directions of the points. Each joint keeps its axes and limits. The next round
begins with the points of the resulting pose.

With ball joints and without limits, this is the published method. The last part adds limits and hinges. With them, the
rounds may stop improving above the tolerance. The method supports `Position` goals on figures without coupled joints
whose sliders do not move.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from manikin import rotations
from manikin.arrays import Matrix, Placements, Points, Vector
from manikin.errors import Unsupported
from manikin.figure.joint import Ball, Euler, Free, Hinge, Joint, Slider, number_count
from manikin.figure.segment import Segment
from manikin.kinematics import swing_twist
from manikin.problem import Problem
from manikin.solvers.methods.rounds import repeat
from manikin.solvers.methods.run import Outcome, Run

ITERATIONS = 500
"""Default limit of the number of rounds of forward and backward reaching."""
ON_AXIS = 1e-9
"""A point nearer to the axis of a hinge than this, in sizes of the figure, is on the axis."""
FAINT = 0.03
"""Weight of the followers of the followers of a joint when the joint is set."""
STAY = 1e-3
"""Weight of the present rotation, which decides a turn that the points do not determine."""
EULER_ROUNDS = 4
"""Number of rounds in which the angles of an Euler joint are fitted one after the other."""


def solve(problem: Problem, run: Run) -> Outcome:
    """
    Args:
        problem: the problem to solve.
        run: iterations (rounds of forward and backward reaching), time, history.
    """
    web = _web(problem)
    return repeat(problem, run, lambda at: _fitted(problem, web, at.pose, _reached(problem, web, at.pose)))


@dataclass
class _Point:
    """A joint that can bend, or an effector."""

    segment: int
    """Index of the segment to which it is fixed."""
    local: Vector
    """(3,) in that segment's space: 0 for the segment's own joint."""
    parent: int
    """Index of the point before it, −1 for the root."""
    goal: int = -1
    """Index of the goal whose effector it is, −1 for joints."""
    followers: list[int] = field(default_factory=list)


def _web(problem: Problem) -> list[_Point]:
    """The points between the root and the effectors, parents first. Raises an error if the method does not apply.

    Joints that do not bend are left out: fixed and frozen joints, and hinges whose followers all lie on their axis
    (twists). Their followers are attached to the point before, at a distance that is constant too.
    """
    figure = problem.figure
    effectors = []
    for goal in problem.goals:
        if goal.wanted_point is None or goal.wanted_rotation is not None:
            raise Unsupported(f"method 'fabrik' does not support {goal.label}: it supports only Position goals")
        effector = goal.effectors[0]
        effectors.append((figure.segment_index(effector.segment), np.array(effector.offset)))
    parents = [-1 if s.parent is None else figure.segment_index(s.parent) for s in figure.segments]
    at = figure.placements(problem.start)
    hanging: dict[int, list[Vector]] = {}  # world positions of the points below each segment, tips first
    for segment, offset in effectors:
        hanging.setdefault(segment, []).append(at[segment, :3, 3] + at[segment, :3, :3] @ offset)
    bending: set[int] = set()
    for segment in reversed(range(len(parents))):  # children come before their parents here
        if segment not in hanging:
            continue
        _check_joint(problem, figure.segments[segment])
        if parents[segment] < 0 or _bends(problem, segment, at[segment], hanging[segment]):
            bending.add(segment)
            hanging[segment] = [at[segment, :3, 3]]
        if parents[segment] >= 0:
            hanging.setdefault(parents[segment], []).extend(hanging[segment])

    def point_of(segment: int) -> int:
        while segment >= 0 and segment not in bending:
            segment = parents[segment]
        return place.get(segment, -1)

    web: list[_Point] = []
    place: dict[int, int] = {}
    for segment in sorted(bending):
        parent = point_of(parents[segment])
        place[segment] = len(web)
        web.append(_Point(segment, np.zeros(3), parent))
    for goal_index, (segment, offset) in enumerate(effectors):
        web.append(_Point(segment, offset, point_of(segment), goal_index))
    for i, point in enumerate(web):
        if point.parent >= 0:
            web[point.parent].followers.append(i)
    return web


def _bends(problem: Problem, segment: int, at: Matrix, hanging: list[Vector]) -> bool:
    """Whether a joint can change the direction to the points below it."""
    joint = problem.figure.segments[segment].joint
    if not _moving(problem, joint)[_slides(joint) :].any():
        return False
    motion = joint.motions[-1]
    if not isinstance(motion, Hinge):
        return True
    axis, arms = at[:3, :3] @ np.array(motion.axis), np.array(hanging) - at[:3, 3]
    return bool(np.abs(np.cross(axis, arms)).max() > ON_AXIS * problem.figure.size)


def _check_joint(problem: Problem, segment: Segment) -> None:
    joint, owner = segment.joint, f"method 'fabrik' does not support figure {problem.figure.name!r}"
    if joint.coupling is not None:
        raise Unsupported(f"{owner}: joint {joint.name!r} is coupled")
    moving = _moving(problem, joint)
    if moving[: _slides(joint)].any():
        raise Unsupported(f"{owner}: joint {joint.name!r} slides")
    if joint.kind == "free" and moving.any() and not moving.all():
        raise Unsupported(f"{owner}: joint {joint.name!r} has some numbers that may move and some that may not")


def _slides(joint: Joint) -> int:
    """Number of sliders of a joint. They come before its rotations."""
    return sum(isinstance(m, Slider) for m in joint.motions)


def _moving(problem: Problem, joint: Joint) -> NDArray[np.bool_]:
    """(steps,) whether each step of a joint may change; empty if the joint has no steps."""
    first = problem.figure.step_of(joint.name)
    count = 0 if first < 0 else sum({Ball: 3, Free: 6}.get(type(m), number_count(m)) for m in joint.motions)
    return problem.movable[first : first + count]


def _reached(problem: Problem, web: list[_Point], q: Vector) -> Points:
    """The points after one round forward and backward, (points, 3)."""
    placements = problem.figure.placements(q)
    now = np.array([_position(placements, p) for p in web])
    lengths = np.array([0.0 if p.parent < 0 else np.linalg.norm(now[i] - now[p.parent]) for i, p in enumerate(web)])
    out: Points = now.copy()
    # forward: from the effectors to the root
    for i in reversed(range(len(web))):
        point = web[i]
        if point.goal >= 0:
            out[i] = _target(problem, point.goal, now[i])
        else:
            asked = [_at_distance(out[k], now[i], lengths[k]) for k in point.followers]
            out[i] = np.mean(asked, axis=0)
    # backward: from the root to the effectors
    if not _is_free(problem, web[0].segment):
        out[0] = now[0]
    for i, point in enumerate(web):
        if point.parent >= 0:
            out[i] = _at_distance(out[point.parent], out[i], lengths[i])
    return out


def _position(placements: Placements, point: _Point) -> Vector:
    """World position of a point."""
    position: Vector = placements[point.segment, :3, 3] + placements[point.segment, :3, :3] @ point.local
    return position


def _target(problem: Problem, goal: int, now: Vector) -> Vector:
    """The target of a goal. Along axes that do not count, it is the present position of the effector."""
    wanted = problem.goals[goal].wanted_point
    assert wanted is not None, "goals without one are refused in _web"
    point, counts = wanted
    return np.where(counts, point, now)


def _at_distance(fixed: Vector, pulled: Vector, length: float) -> Vector:
    """The point at a distance from a fixed one, toward the pulled one; along x where both are the same."""
    away = pulled - fixed
    distance = float(np.linalg.norm(away))
    along: Vector = away / distance if distance > 1e-300 else np.array([1.0, 0.0, 0.0])
    placed: Vector = fixed + length * along
    return placed


def _is_free(problem: Problem, segment: int) -> bool:
    joint = problem.figure.segments[segment].joint
    return joint.kind == "free" and bool(_moving(problem, joint).all())


def _fitted(problem: Problem, web: list[_Point], q: Vector, points: Points) -> Vector:
    """The pose whose segments point in the directions of the points. Joints are set parents first, within limits."""
    figure = problem.figure
    pose: Vector = q.copy()
    start = figure.placements(q)
    for i, point in enumerate(web):
        segment = figure.segments[point.segment]
        slides, first = _slides(segment.joint), figure.index_of(segment.joint.name)
        if point.goal >= 0 or not _moving(problem, segment.joint)[slides:].any():
            continue
        before = rotations.placement(np.array(segment.joint.rotation), np.array(segment.joint.offset))
        for k, slider in enumerate(segment.joint.motions[:slides]):
            assert isinstance(slider, Slider)
            before[:3, 3] += before[:3, :3] @ np.array(slider.axis) * pose[first + k]
        if segment.parent is not None:
            before = figure.placements(pose, [segment.parent])[0] @ before
        own = start[point.segment]
        # The next points get a small weight. They determine the twist about a single follower.
        free = isinstance(segment.joint.motions[-1], Free)
        near, far = point.followers, [] if free else [k for f in point.followers for k in web[f].followers]
        weight = np.repeat([1.0, FAINT], [len(near), len(far)])[:, None]
        there = np.array([_position(start, web[k]) for k in near + far])
        local = weight * ((there - own[:3, 3]) @ own[:3, :3])  # (k, 3) in the segment's space
        wanted = weight * ((points[near + far] - before[:3, 3]) @ before[:3, :3])
        origin = (points[i] - before[:3, 3]) @ before[:3, :3]
        _set_joint(problem, segment, pose, first + slides, local, wanted, origin)
    return pose


def _set_joint(
    problem: Problem, segment: Segment, pose: Vector, n: int, local: Points, wanted: Points, origin: Vector
) -> None:
    """Sets the numbers of a joint so that its rotation brings the local vectors as near as possible to the wanted
    ones."""
    motion, moving = segment.joint.motions[-1], _moving(problem, segment.joint)[_slides(segment.joint) :]
    lower, upper = problem.figure.lower, problem.figure.upper
    if isinstance(motion, Free):
        turn = _rotation(pose[n + 3 : n + 7], local - local.mean(axis=0), wanted - wanted.mean(axis=0))
        both = np.concatenate([[origin], wanted - local @ rotations.to_matrix(turn).T])
        pose[n : n + 3], pose[n + 3 : n + 7] = both.mean(axis=0), turn
    elif isinstance(motion, Ball):
        turn = _rotation(pose[n : n + 4], local, wanted)
        pose[n : n + 4] = turn if motion.limits is None else _into_cone(turn, motion)
    elif isinstance(motion, Hinge):
        pose[n] = _angle(np.array(motion.axis), local, wanted, pose[n], lower[n], upper[n])
    elif isinstance(motion, Euler):
        axes = [np.array(rotations.AXES[c.lower()]) for c in motion.order]
        for _ in range(EULER_ROUNDS):
            for k in np.flatnonzero(moving):
                before, axis = np.eye(3), axes[k]
                for j in range(k):
                    before = before @ rotations.axis_matrix(motion.order[j], pose[n + j])
                turns = [rotations.from_axis_angle(axes[j], pose[n + j]) for j in range(k + 1, len(axes))]
                carried = local
                for turn in reversed(turns):
                    carried = rotations.rotate(turn, carried)
                pose[n + k] = _angle(axis, carried, wanted @ before, pose[n + k], lower[n + k], upper[n + k])


def _rotation(now: Vector, local: Points, wanted: Points) -> Vector:
    """The rotation (4,) that best maps local vectors to wanted ones (Wahba); near the present one if not unique."""
    B = wanted.T @ local
    B = B + STAY * max(float(np.linalg.norm(B)), 1e-300) * rotations.to_matrix(now)
    U, _, Vt = np.linalg.svd(B)
    D = np.diag([1.0, 1.0, np.sign(np.linalg.det(U @ Vt))])
    return rotations.from_matrix(U @ D @ Vt)


def _into_cone(turn: Vector, motion: Ball) -> Vector:
    cone = motion.limits
    assert cone is not None
    reference, basis = np.array(cone.reference), cone.basis
    at = swing_twist.decompose(rotations.multiply(rotations.inverse(reference), turn), basis)
    inside = swing_twist.clamp(at, np.array(cone.swing), np.array(cone.twist))
    return rotations.multiply(reference, swing_twist.compose(inside, basis))


def _angle(axis: Vector, local: Points, wanted: Points, now: float, lower: float, upper: float) -> float:
    """The angle within limits whose turn about an axis best maps local vectors to wanted ones."""
    across = local - np.outer(local @ axis, axis)
    cosine, sine = float(np.sum(across * wanted)), float(np.sum(np.cross(axis, across) * wanted))
    if np.hypot(sine, cosine) <= 1e-12 * max(float(np.abs(local).max()) * float(np.abs(wanted).max()), 1e-300):
        return now
    best = np.arctan2(sine, cosine)
    best = best + 2 * np.pi * np.round((now - best) / (2 * np.pi))  # of equivalent angles, the nearest
    candidates = [best + k * 2 * np.pi for k in (0, -1, 1) if lower <= best + k * 2 * np.pi <= upper]
    if candidates:
        return float(candidates[0])
    return float(max((lower, upper), key=lambda a: np.cos(a - best) if np.isfinite(a) else -np.inf))
