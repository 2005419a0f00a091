"""The layout of a pose: turns segments into the flat arrays of `reference.tree` and of the limits."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from manikin import rotations
from manikin.arrays import Indices, Points, Quaternions, Rotations, Vector, frozen
from manikin.errors import BadValue, unknown_name
from manikin.figure.joint import Ball, Euler, Free, Hinge, Joint, Motion, Pair, Slider, SwingTwist
from manikin.figure.segment import Segment
from manikin.kinematics import swing_twist
from manikin.reference.tree import BALL, FIXED, SLIDE, TURN, Tree, follow

FREE_RANGE: Pair = (-np.inf, np.inf)
ROUNDED_STEPS = 64
"""How many doubles a limit of a leader moves at most, so that rounding keeps the coupled joint within its limits."""
SAME_AXES, SAME_PLACE = np.eye(3), np.zeros(3)
"""Axes and place of the second and further nodes of a joint."""


@dataclass(frozen=True, eq=False)
class Cones:
    """The balls that have limits, as arrays."""

    number: Indices
    """(C,) index in q of each ball's quaternion."""
    joint: Indices
    """(C,) index of the joint."""
    inverse_reference: Quaternions
    """(C, 4) Q⁻¹."""
    basis: Rotations
    """(C, 3, 3) rows e₁, e₂, a."""
    swing: Points
    """(C, 2) half angles, radians."""
    twist: Points
    """(C, 2) lower, upper, radians."""


@dataclass(frozen=True, eq=False)
class Layout:
    """The numbers and steps of a figure as flat arrays."""

    tree: Tree
    names: tuple[str, ...]
    """(nq,) name of each number in messages: LeftForeArm, Spine.z, Hips.tx."""
    first_number: dict[str, int]
    """Index in q of each joint's first number."""
    first_step: dict[str, int]
    """Index in v of each joint's first step; −1 for coupled joints and joints without steps."""
    lower: Vector
    """(nq,) −inf if unlimited or part of a quaternion; narrowed by the limits of coupled joints."""
    upper: Vector
    rest: Vector
    """(nq,)"""
    angular: frozenset[int]
    """Numbers that are angles (not lengths, not parts of quaternions)."""
    held: frozenset[int]
    """Numbers of sliders that solving leaves unchanged."""
    balls: Indices
    """(K,) index in q of each quaternion."""
    free_balls: Indices
    """(K,) index in q of each quaternion that belongs to a Free motion."""
    cones: Cones


@dataclass
class _Builder:
    """Collects arrays while the segments are visited; becomes a Layout."""

    owner: str
    parent: list[int] = field(default_factory=list)
    kind: list[int] = field(default_factory=list)
    rotation: list[Rotations] = field(default_factory=list)
    offset: list[Vector] = field(default_factory=list)
    axis: list[Vector] = field(default_factory=list)
    number: list[int] = field(default_factory=list)
    step: list[int] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    ranges: list[Pair] = field(default_factory=list)
    angular: set[int] = field(default_factory=set)
    held: set[int] = field(default_factory=set)
    balls: list[int] = field(default_factory=list)
    free_balls: list[int] = field(default_factory=list)
    cones: list[tuple[int, int, SwingTwist]] = field(default_factory=list)
    nv: int = 0

    def add_joint(self, index: int, joint: Joint, R: Rotations, parent: int) -> int:
        """Appends the nodes of one joint with the axes R (3, 3); returns the index of the last."""
        p = np.array(joint.offset)
        coupled = joint.coupling is not None
        first = len(self.names)
        elements = [e for m in joint.motions for e in self._elements(joint, m)] or [(FIXED, np.zeros(3), ())]
        for kind, axis, labels in elements:
            self.parent.append(parent)
            self.kind.append(kind)
            self.rotation.append(R)
            self.offset.append(p)
            self.axis.append(axis)
            self.number.append(len(self.names) if labels else -1)
            self.step.append(self.nv if labels and not coupled else -1)
            self.names.extend(self._new(label, first) for label in labels)
            self.nv += 0 if coupled else 3 if kind == BALL else len(labels)
            parent, R, p = len(self.parent) - 1, SAME_AXES, SAME_PLACE
        self._add_limits(index, joint)
        return parent

    def _new(self, label: str, first: int) -> str:
        """The label. If the joint (from number `first` on) already has it, a number is appended: t, t2, t3."""
        names, count = self.names[first:], 1
        while (numbered := label if count == 1 else f"{label}{count}") in names:
            count += 1
        return numbered

    @staticmethod
    def _elements(joint: Joint, motion: Motion) -> list[tuple[int, Vector, tuple[str, ...]]]:
        """(kind, axis, labels of the numbers) of each node of a motion."""
        name, alone = joint.name, len(joint.motions) == 1
        quaternion = (BALL, np.zeros(3), tuple(f"{name}.{c}" for c in "wxyz"))
        if isinstance(motion, Slider):
            return [(SLIDE, np.array(motion.axis), (name if alone else f"{name}.{_letter(motion, 't')}",))]
        if isinstance(motion, Hinge):
            return [(TURN, np.array(motion.axis), (name if alone else f"{name}.{_letter(motion, 'r')}",))]
        if isinstance(motion, Euler):
            repeated = len(set(motion.order)) < len(motion.order)
            labels = [f"{c.lower()}{k + 1}" if repeated else c.lower() for k, c in enumerate(motion.order)]
            return [
                (TURN, np.array(rotations.AXES[c.lower()]), (f"{name}.{label}",))
                for c, label in zip(motion.order, labels, strict=True)
            ]
        if isinstance(motion, Ball):
            return [quaternion]
        return [*((SLIDE, np.eye(3)[k], (f"{name}.t{c}",)) for k, c in enumerate("xyz")), quaternion]

    def _add_limits(self, index: int, joint: Joint) -> None:
        """Adds the ranges of the numbers just appended, and the data of balls."""
        for motion in joint.motions:
            at = len(self.ranges)
            if isinstance(motion, Slider):
                self.ranges.append(motion.limits)
                self.held.update([at] if motion.held else [])
            elif isinstance(motion, Hinge):
                self.angular.add(at)
                self.ranges.append(motion.limits)
            elif isinstance(motion, Euler):
                self.angular.update(range(at, at + len(motion.order)))
                self.ranges.extend(motion.limits)
            elif isinstance(motion, Ball):
                self.ranges.extend([FREE_RANGE] * 4)
                self.balls.append(at)
                if motion.limits is not None:
                    self.cones.append((at, index, motion.limits))
            else:
                self.ranges.extend([FREE_RANGE] * 7)
                self.balls.append(at + 3)
                self.free_balls.append(at + 3)


def build_layout(owner: str, segments: tuple[Segment, ...]) -> Layout:
    """Flattens segments that are sorted parents first. Raises an error for repeated joint names and bad couplings."""
    # One or more nodes for each joint, parents first.
    builder = _Builder(owner)
    node_of: dict[str, int] = {}
    first_number: dict[str, int] = {}
    first_step: dict[str, int] = {}
    joints = [s.joint for s in segments]
    by_name = {j.name: j for j in joints}
    axes = rotations.to_matrix(np.array([j.rotation for j in joints]))
    for index, s in enumerate(segments):
        if s.joint.name in first_number:
            raise BadValue(f"{owner} has two joints named {s.joint.name!r}; names must differ")
        first_number[s.joint.name] = len(builder.names)
        first_step[s.joint.name] = builder.nv if s.joint.coupling is None and s.joint.nq else -1
        parent = node_of[s.parent] if s.parent is not None else -1
        node_of[s.name] = builder.add_joint(index, s.joint, axes[index], parent)
    # Couplings: each follower has the combined ratio of its chain, and narrows the limits of its leader.
    nodes = len(builder.parent)
    ratio, shift, source = np.ones(nodes), np.zeros(nodes), np.full(nodes, -1, dtype=np.int32)
    lower, upper = (np.array([r[k] for r in builder.ranges]) for k in (0, 1))
    for s in segments:
        if s.joint.coupling is not None:
            i = node_of[s.name]
            leader, ratio[i], shift[i] = _resolve(owner, s.joint, by_name)
            source[i], builder.step[i] = first_number[leader], first_step[leader]
            _narrow(owner, s.joint.name, leader, lower, upper, first_number, ratio[i], shift[i])
    # The tree for kinematics, and the numbers by joint.
    tree = Tree(
        parent=frozen(builder.parent, np.int32),
        kind=frozen(builder.kind, np.int32),
        rotation=frozen(builder.rotation),
        offset=frozen(builder.offset),
        axis=frozen(builder.axis),
        number=frozen(builder.number, np.int32),
        step=frozen(builder.step, np.int32),
        ratio=frozen(ratio),
        shift=frozen(shift),
        source=frozen(source, np.int32),
        segment=frozen([node_of[s.name] for s in segments], np.int32),
        mass=frozen([s.mass for s in segments]),
        center=frozen([s.center for s in segments]),
        nq=len(builder.names),
        nv=builder.nv,
    )
    cones = _cones(builder.cones)
    return Layout(
        tree=tree,
        names=tuple(builder.names),
        first_number=first_number,
        first_step=first_step,
        lower=frozen(lower),
        upper=frozen(upper),
        rest=frozen(_rest(joints, first_number, lower, upper, tree, cones)),
        angular=frozenset(builder.angular),
        held=frozenset(builder.held),
        balls=frozen(builder.balls, np.int32),
        free_balls=frozen(builder.free_balls, np.int32),
        cones=cones,
    )


def _cones(cones: list[tuple[int, int, SwingTwist]]) -> Cones:
    return Cones(
        number=frozen([n for n, _, _ in cones], np.int32),
        joint=frozen([j for _, j, _ in cones], np.int32),
        inverse_reference=frozen(rotations.inverse(np.array([c.reference for *_, c in cones]).reshape(-1, 4))),
        basis=frozen(np.array([c.basis for *_, c in cones]).reshape(-1, 3, 3)),
        swing=frozen(np.array([c.swing for *_, c in cones]).reshape(-1, 2)),
        twist=frozen(np.array([c.twist for *_, c in cones]).reshape(-1, 2)),
    )


def _resolve(owner: str, joint: Joint, joints: dict[str, Joint]) -> tuple[str, float, float]:
    """The independent joint at the end of a chain of couplings, with the combined ratio and shift."""
    ratio, shift, at, seen = 1.0, 0.0, joint, [joint.name]
    while at.coupling is not None:
        source = at.coupling.source
        if source not in joints:
            raise unknown_name(
                f"{owner}: joint {at.name!r} is coupled to {source!r}, but the figure", "joint", source, list(joints)
            )
        if source in seen:
            raise BadValue(f"{owner} has a cycle of couplings: {' follows '.join([*seen, source])}")
        if joints[source].nq != 1:
            raise BadValue(
                f"{owner}: joint {at.name!r} is coupled to {source!r}, which has {joints[source].nq} numbers; "
                "it needs a joint with one number"
            )
        shift += ratio * at.coupling.offset
        ratio *= at.coupling.ratio
        at = joints[source]
        seen.append(source)
    return at.name, ratio, shift


def _narrow(
    owner: str, name: str, leader: str, lower: Vector, upper: Vector, first: dict[str, int], ratio: float, shift: float
) -> None:
    """Narrows the leader's range so that the coupled joint stays within its own limits."""
    n, c = first[leader], first[name]
    ends = (lower[c] - shift, upper[c] - shift)
    if ratio == 0.0:
        if ends[0] > 0.0 or ends[1] < 0.0:
            raise BadValue(
                f"{owner}: joint {name!r} is held at {shift:g}, outside its limits {lower[c]:g} to {upper[c]:g}"
            )
        return
    low, high = sorted(e / ratio for e in ends)
    low, high = max(lower[n], low), min(upper[n], high)
    if low > high:
        raise BadValue(
            f"{owner}: no value of {leader!r} within {lower[n]:g} to {upper[n]:g} keeps the coupled joint {name!r} "
            f"within {lower[c]:g} to {upper[c]:g}"
        )
    lower[n], upper[n] = low + 0.0, high + 0.0  # no −0, which NumPy's uniform takes for a reversed range
    _keep_rounded(n, c, lower, upper, ratio, shift)


def _keep_rounded(n: int, c: int, lower: Vector, upper: Vector, ratio: float, shift: float) -> None:
    """Moves the ends of the leader's range n inward until the coupled number c is within its limits after rounding too.

    The rounded number grows or falls with its leader like the exact one, so the ends are enough. If no number is left,
    the limits of the coupled number move instead.
    """
    low, high = lower[n], upper[n]
    for _ in range(ROUNDED_STEPS):
        inside = [lower[c] <= ratio * end + shift <= upper[c] for end in (low, high)]
        if all(inside):
            lower[n], upper[n] = low + 0.0, high + 0.0
            return
        low = low if inside[0] else np.nextafter(low, np.inf)
        high = high if inside[1] else np.nextafter(high, -np.inf)
        if low > high:
            break
    least, most = sorted((ratio * lower[n] + shift, ratio * upper[n] + shift))
    lower[c], upper[c] = min(lower[c], least), max(upper[c], most)


def _rest(joints: list[Joint], first: dict[str, int], lower: Vector, upper: Vector, tree: Tree, cones: Cones) -> Vector:
    """The rest pose: the given numbers, otherwise zero, or mid-range if zero is outside the limits. Balls are at the
    identity or at the centre of the cone."""
    rest = np.zeros(tree.nq)
    for joint in joints:
        n = first[joint.name]
        if joint.rest:
            rest[n : n + joint.nq] = joint.rest
            continue
        for motion in joint.motions:
            if isinstance(motion, (Ball, Free)):
                n += 3 if isinstance(motion, Free) else 0
                rest[n] = 1.0
                n += 4
            else:
                for _ in range(len(motion.order) if isinstance(motion, Euler) else 1):
                    rest[n] = _number_at_rest(float(lower[n]), float(upper[n]))
                    n += 1
    at = swing_twist.decompose(cones.inverse_reference, cones.basis)
    for k in np.flatnonzero(swing_twist.excess(at, cones.swing, cones.twist) > 0.0):  # it does not hold the identity
        if not joints[cones.joint[k]].rest:
            middle = swing_twist.compose(np.array([0.0, 0.0, 0.5 * cones.twist[k].sum()]), cones.basis[k])
            n = cones.number[k]
            rest[n : n + 4] = rotations.multiply(rotations.inverse(cones.inverse_reference[k]), middle)
    return follow(tree, rest)


def _number_at_rest(lower: float, upper: float) -> float:
    if lower <= 0.0 <= upper:
        return 0.0
    return 0.5 * (lower + upper) if np.isfinite(lower) and np.isfinite(upper) else lower if lower > 0.0 else upper


def _letter(motion: Slider | Hinge, prefix: str) -> str:
    """tx for a slider along x, and so on; t for an oblique one."""
    for letter, axis in rotations.AXES.items():
        if motion.axis == axis:
            return prefix + letter
    return prefix
