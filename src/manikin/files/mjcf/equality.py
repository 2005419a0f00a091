"""Equalities of an MJCF file: joints tied by a polynomial become couplings, connects and welds become closed loops.

With x and y measured from the reference pose, MuJoCo asks for  y = a₀ + a₁x + a₂x² + a₃x³ + a₄x⁴  of two joints. The
straight part is a Coupling; what bends is told, with how far it would lead away over the range of the leader. A joint
that is tied to none is held at  y = a₀.

A weld to a mocap body is left out: that is a handle by which simulations pull a robot, not a part of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from manikin.errors import listing
from manikin.figure.joint import Coupling, Pair
from manikin.figure.loop import Loop
from manikin.files.mjcf.model import EqualityRecord, JointRecord, Model
from manikin.files.mjcf.shapes import numbers

BENT = 1e-9
"""Coefficients below this are 0."""
LONGEST_CHAIN = 100
"""Most followers in a row."""
ONE = ("hinge", "slide")
"""Kinds of joints of one number."""


@dataclass(eq=False)
class Ties:
    """What the equalities of a model come to."""

    couplings: dict[int, Coupling] = field(default_factory=dict)
    """By the number of the joint that follows."""
    limits: dict[int, Pair] = field(default_factory=dict)
    """Limits in place of a joint's own, by its number."""
    loops: list[Loop] = field(default_factory=list)
    odd: list[str] = field(default_factory=list)
    """What is not kept as the file says, in sentences."""
    notes: list[str] = field(default_factory=list)
    """What else there is to know."""


def ties(
    model: Model, joint_names: Sequence[str], segments: Callable[[bool, int], str], named: Callable[[str], str]
) -> Ties:
    """
    Args:
        model: as MuJoCo compiled it.
        joint_names: what each of its joints is called in the figure.
        segments: the segment of a site (True) or body (False) by its number.
        named: makes the name of a loop one that no loop has yet.
    """
    made = Ties()
    for equality in model.equalities:
        if equality.kind == "joint":
            _tie(made, model, equality, joint_names)
        else:
            _close(made, model, equality, segments, named)
    _cut(made, joint_names)
    _lift(made, model, joint_names)
    return made


def _tie(made: Ties, model: Model, equality: EqualityRecord, names: Sequence[str]) -> None:
    follower, leader = equality.first, equality.second
    label = f"joint {names[follower]!r}" + (f" is tied to {names[leader]!r}" if leader >= 0 else " is held")
    if not equality.active:
        made.notes.append(f"{label} by an equality that is not active; it is left out")
        return
    if follower in made.couplings or follower in made.limits:
        made.odd.append(f"{label}, but follows another joint already; the second equality is left out")
        return
    a0, a1, *bent = (float(a) for a in equality.data[:5])
    own = float(model.joints[follower].reference[0])
    if leader < 0:
        at = own + a0
        low, high = model.joints[follower].limits
        if not low <= at <= high:
            made.odd.append(f"{label} at {at:g}, outside of its limits {low:g} to {high:g}")
        made.limits[follower] = (at, at)
        return
    if follower in _ahead(made.couplings, names, leader):
        made.odd.append(f"{label}, which follows it in turn; this equality is left out")
        return
    if any(abs(a) > BENT for a in bent):
        _, far = _bend(model.joints[leader], bent)
        made.odd.append(
            f"{label} by a curve (polycoef {' '.join(f'{a:g}' for a in equality.data[:5])}); only its straight part is "
            f"kept, which leads away from it by up to {far:.3g}"
        )
    offset = own + a0 - a1 * float(model.joints[leader].reference[0])
    made.couplings[follower] = Coupling(names[leader], a1, offset + 0.0)


def _bend(leader: JointRecord, bent: Sequence[float]) -> tuple[float, float]:
    """(where, how far) the bent part of a polynomial is largest over the leader's range."""
    low, high = (float(np.clip(end, -np.pi, np.pi)) for end in leader.limits)
    x = np.linspace(low, high, 101) - float(leader.reference[0])
    away = np.abs(sum(a * x ** (k + 2) for k, a in enumerate(bent)))
    return float(x[np.argmax(away)]), float(away.max())


def _ahead(couplings: Mapping[int, Coupling], names: Sequence[str], joint: int) -> list[int]:
    """A joint and those that it follows, in one step or several."""
    number = {name: k for k, name in enumerate(names)}
    out = [joint]
    while joint in couplings:
        joint = number[couplings[joint].source]
        out.append(joint)
    return out


def _cut(made: Ties, names: Sequence[str]) -> None:
    """Lets followers go that stand at the end of too long a row: following them costs their number squared."""
    number = {name: k for k, name in enumerate(names)}
    depth: dict[int, int] = {}
    cut: list[str] = []
    for follower in list(made.couplings):
        row, at = [], follower
        while at in made.couplings and at not in depth:
            row.append(at)
            at = number[made.couplings[at].source]
        for joint in reversed(row):
            depth[joint] = depth.get(number[made.couplings[joint].source], 0) + 1
            if depth[joint] > LONGEST_CHAIN:
                depth[joint] = 0
                del made.couplings[joint]
                cut.append(names[joint])
    if cut:
        made.odd.append(f"more than {LONGEST_CHAIN} joints are tied in a row; not tied any more: {listing(cut)}")


def _lift(made: Ties, model: Model, names: Sequence[str]) -> None:
    """Lifts limits of followers that leave their leader no value: there the file contradicts itself."""
    number = {name: k for k, name in enumerate(names)}
    ranges = {j: made.limits.get(j, joint.limits) for j, joint in enumerate(model.joints) if joint.kind in ONE}
    for follower in made.couplings:
        ratio, shift, at = 1.0, 0.0, follower
        while at in made.couplings:
            coupling = made.couplings[at]
            shift += ratio * coupling.offset
            ratio *= coupling.ratio
            at = number[coupling.source]
        low, high = model.joints[follower].limits
        ends = sorted((end - shift) / ratio for end in (low, high)) if ratio else [-np.inf, np.inf]
        within = (max(ranges[at][0], ends[0]), min(ranges[at][1], ends[1]))
        room = within[0] < within[1] or within[0] == within[1] == ranges[at][0] == ranges[at][1]
        if room and (ratio or low <= shift <= high):
            ranges[at] = within
            continue
        made.odd.append(
            f"joint {names[at]!r} cannot move while {names[follower]!r}, which follows it, stays within {low:g} to "
            f"{high:g}; the limits of the follower are lifted"
        )
        made.limits[follower] = (-np.inf, np.inf)


def _close(
    made: Ties,
    model: Model,
    equality: EqualityRecord,
    segments: Callable[[bool, int], str],
    named: Callable[[str], str],
) -> None:
    """A connect or weld as a loop: the second body joined to the first."""
    ends = (equality.first, equality.second)
    bodies = [model.sites[e].body if equality.sites else e for e in ends]
    to, segment = (segments(equality.sites, e) for e in ends)
    label = f"the {equality.kind} of {to!r} and {segment!r}"
    if not equality.active:
        made.notes.append(f"{label} is not active; it is left out")
        return
    if any(model.bodies[model.bodies[b].rigid_with].mocap or model.bodies[b].mocap for b in bodies):
        made.odd.append(f"{label} is to a mocap body, by which a simulation is led; it is left out")
        return
    if model.bodies[bodies[0]].rigid_with == model.bodies[bodies[1]].rigid_with:
        made.notes.append(f"{label} is between bodies that do not move against each other; it is left out")
        return
    loop = Loop(named(equality.name or f"{to} {segment}"), segment, to)
    data, weld = equality.data, equality.kind == "weld"
    if not equality.sites:
        first, second = (data[3:6], data[0:3]) if weld else (data[0:3], data[3:6])
        loop = replace(loop, offset=numbers(second), to_offset=numbers(first))
    if weld and data[10] != 0.0:  # the scale of its torque: without any, it is a connect
        turn = np.array([1.0, 0.0, 0.0, 0.0]) if equality.sites else data[6:10]
        loop = replace(loop, rotation=numbers(turn))
    made.loops.append(loop)
