"""Equalities of an MJCF file: joint equalities become couplings, connects and welds become closed loops.

Let x and y be the values of two joints, measured from the reference pose. MuJoCo requires

    y = a₀ + a₁x + a₂x² + a₃x³ + a₄x⁴.

The linear part becomes a Coupling. If there is a nonlinear part, a warning states its largest value over the range of
the leader. A joint without a leader is held at y = a₀.

A weld to a mocap body is left out: simulations use it as a handle to pull a robot, and it is not part of the robot.
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
"""Coefficients with a smaller absolute value are treated as 0."""
LONGEST_CHAIN = 100
"""Longest chain of followers."""
ONE = ("hinge", "slide")
"""Kinds of joints with one number."""


@dataclass(eq=False)
class Ties:
    """The couplings and loops from the equalities of a model."""

    couplings: dict[int, Coupling] = field(default_factory=dict)
    """Couplings by the index of the following joint."""
    limits: dict[int, Pair] = field(default_factory=dict)
    """Limits that replace those of a joint, by its index."""
    loops: list[Loop] = field(default_factory=list)
    odd: list[str] = field(default_factory=list)
    """Sentences on equalities that differ from the file."""
    notes: list[str] = field(default_factory=list)
    """Other notes."""


def ties(
    model: Model, joint_names: Sequence[str], segments: Callable[[bool, int], str], named: Callable[[str], str]
) -> Ties:
    """
    Args:
        model: the compiled model.
        joint_names: the name of each of its joints in the figure.
        segments: the segment of a site (True) or body (False) by its index.
        named: returns a name that no loop has yet.
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
    label = f"joint {names[follower]!r}" + (f" is tied to {names[leader]!r}" if leader >= 0 else " is fixed")
    if not equality.active:
        made.notes.append(f"{label} by an equality that is not active; it is left out")
        return
    if follower in made.couplings or follower in made.limits:
        made.odd.append(f"{label}, but it already follows another joint; the second equality is left out")
        return
    a0, a1, *bent = (float(a) for a in equality.data[:5])
    own = float(model.joints[follower].reference[0])
    if leader < 0:
        at = own + a0
        low, high = model.joints[follower].limits
        if not low <= at <= high:
            made.odd.append(f"{label} at {at:g}, outside its limits {low:g} to {high:g}")
        made.limits[follower] = (at, at)
        return
    if follower in _ahead(made.couplings, names, leader):
        made.odd.append(f"{label}, which already follows it; this equality is left out")
        return
    if any(abs(a) > BENT for a in bent):
        _, far = _bend(model.joints[leader], bent)
        made.odd.append(
            f"{label} by a curve (polycoef {' '.join(f'{a:g}' for a in equality.data[:5])}); only its linear "
            f"part is kept, which differs from the curve by up to {far:.3g}"
        )
    offset = own + a0 - a1 * float(model.joints[leader].reference[0])
    made.couplings[follower] = Coupling(names[leader], a1, offset + 0.0)


def _bend(leader: JointRecord, bent: Sequence[float]) -> tuple[float, float]:
    """(where, how far) the largest value of the nonlinear part of a polynomial over the leader's range."""
    low, high = (float(np.clip(end, -np.pi, np.pi)) for end in leader.limits)
    x = np.linspace(low, high, 101) - float(leader.reference[0])
    away = np.abs(sum(a * x ** (k + 2) for k, a in enumerate(bent)))
    return float(x[np.argmax(away)]), float(away.max())


def _ahead(couplings: Mapping[int, Coupling], names: Sequence[str], joint: int) -> list[int]:
    """A joint and all joints that it follows, directly or indirectly."""
    number = {name: k for k, name in enumerate(names)}
    out = [joint]
    while joint in couplings:
        joint = number[couplings[joint].source]
        out.append(joint)
    return out


def _cut(made: Ties, names: Sequence[str]) -> None:
    """Releases followers at the end of a chain that is too long: the cost of a chain grows with the square of its
    length."""
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
        made.odd.append(
            f"more than {LONGEST_CHAIN} joints form a chain of equalities; these are no longer tied: {listing(cut)}"
        )


def _lift(made: Ties, model: Model, names: Sequence[str]) -> None:
    """Removes limits of followers that leave their leader no value. In this case the file contradicts itself."""
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
            f"joint {names[at]!r} cannot move while {names[follower]!r}, which follows it, stays within {low:g} "
            f"to {high:g}; the limits of the follower are removed"
        )
        made.limits[follower] = (-np.inf, np.inf)


def _close(
    made: Ties,
    model: Model,
    equality: EqualityRecord,
    segments: Callable[[bool, int], str],
    named: Callable[[str], str],
) -> None:
    """A connect or weld as a loop that joins the second body to the first."""
    ends = (equality.first, equality.second)
    bodies = [model.sites[e].body if equality.sites else e for e in ends]
    to, segment = (segments(equality.sites, e) for e in ends)
    label = f"the {equality.kind} of {to!r} and {segment!r}"
    if not equality.active:
        made.notes.append(f"{label} is not active; it is left out")
        return
    if any(model.bodies[model.bodies[b].rigid_with].mocap or model.bodies[b].mocap for b in bodies):
        made.odd.append(f"{label} refers to a mocap body, which only a simulation moves; it is left out")
        return
    if model.bodies[bodies[0]].rigid_with == model.bodies[bodies[1]].rigid_with:
        made.notes.append(f"{label} connects bodies that do not move relative to each other; it is left out")
        return
    loop = Loop(named(equality.name or f"{to} {segment}"), segment, to)
    data, weld = equality.data, equality.kind == "weld"
    if not equality.sites:
        first, second = (data[3:6], data[0:3]) if weld else (data[0:3], data[3:6])
        loop = replace(loop, offset=numbers(second), to_offset=numbers(first))
    if weld and data[10] != 0.0:  # torquescale; a weld with torquescale 0 is a connect
        turn = np.array([1.0, 0.0, 0.0, 0.0]) if equality.sites else data[6:10]
        loop = replace(loop, rotation=numbers(turn))
    made.loops.append(loop)
