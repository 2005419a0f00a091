"""Mimic joints: the follower's value is multiplier · leader + offset. A leader may follow another joint, and may come
later in the file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from manikin.figure.joint import Coupling, Hinge, Joint, Pair, Slider
from manikin.files.urdf.joints import JointRecord
from manikin.files.urdf.parts import Reading

LONGEST_CHAIN = 100
"""Longest chain of followers. A longer chain is a mistake or an attack, and the time to resolve it grows with the
square of its length."""


@dataclass(frozen=True)
class Lead:
    """The independent joint that a follower depends on in the end, with the combined multiplier and offset."""

    leader: str
    ratio: float
    shift: float


def couple(reading: Reading, records: Sequence[JointRecord]) -> dict[str, Joint]:
    """The joints by name. Followers have their Coupling.

    The limits of a follower may leave its leader no value, or reduce a range to a single value. Then the file
    contradicts itself, so the follower's limits are removed with a warning. The gripper of the PR2 is an example: a
    follower with multiplier −1 has the limits of its leader, 0 to 0.548.

    Raises:
        BadFile: a leader has several numbers, or followers form a cycle; the message names the line.
    """
    by_name = {r.name: r for r in records}
    joints = {r.name: r.joint for r in records}
    for record in records:
        coupling = _coupling(reading, record, by_name)
        if coupling is not None:
            joints[record.name] = replace(record.joint, coupling=coupling)
    # Narrow the range of every leader as the figure will, and remove limits that would leave it empty.
    ranges = {name: _limits(j) for name, j in joints.items() if j.nq == 1}
    for record in records:
        if joints[record.name].coupling is None:
            continue
        lead = _resolve(reading, record, joints)
        narrowed = _narrow(ranges[lead.leader], _limits(record.joint), lead)
        if narrowed is not None:
            ranges[lead.leader] = narrowed
            continue
        low, high = _limits(record.joint)
        reading.warn(
            record.mimic or record.element,
            f"joint {lead.leader!r} cannot move while its follower {record.name!r} stays within {low:g} to {high:g}; "
            "the follower's limits are removed",
        )
        motion = record.joint.motions[0]
        assert isinstance(motion, (Hinge, Slider))
        joints[record.name] = replace(joints[record.name], motions=(replace(motion, limits=(-np.inf, np.inf)),))
    return joints


def _coupling(reading: Reading, record: JointRecord, by_name: dict[str, JointRecord]) -> Coupling | None:
    mimic = record.mimic
    if mimic is None:
        return None
    owner = f"joint {record.name!r}: mimic"
    leader = reading.text(mimic, "joint", owner)
    if leader not in by_name:
        what = f"joint {record.name!r} mimics {leader[:80]!r}, which the robot does not have"
        reading.warn(mimic, f"{what}; it moves independently")
        return None
    if by_name[leader].joint.nq == 0:
        reading.warn(mimic, f"joint {record.name!r} mimics {leader!r}, which is fixed; it moves independently")
        return None
    if by_name[leader].joint.nq > 1:
        what = f"joint {record.name!r} mimics {leader!r}, which is {by_name[leader].kind}"
        reading.fail(mimic, f"{what}; only a joint with one number can be mimicked")
    ratio = reading.finite(mimic, "multiplier", owner, default=1.0)
    return Coupling(leader, ratio, reading.finite(mimic, "offset", owner, default=0.0))


def _resolve(reading: Reading, record: JointRecord, joints: dict[str, Joint]) -> Lead:
    """The independent joint at the end of a chain of followers. The arithmetic matches that of the figure bit for
    bit."""
    ratio, shift, at, seen = 1.0, 0.0, joints[record.name], [record.name]
    while at.coupling is not None:
        source = at.coupling.source
        if source in seen:
            reading.fail(
                record.mimic or record.element,
                f"mimic joints form a cycle: {' follows '.join([*seen[seen.index(source) :], source])}",
            )
        if len(seen) > LONGEST_CHAIN:
            reading.fail(
                record.mimic or record.element,
                f"joint {record.name!r} is at the end of a chain of more than {LONGEST_CHAIN} mimic joints",
            )
        shift += ratio * at.coupling.offset
        ratio *= at.coupling.ratio
        at = joints[source]
        seen.append(source)
    return Lead(at.name, ratio, shift)


def _narrow(leader: Pair, follower: Pair, lead: Lead) -> Pair | None:
    """The leader's range within the follower's limits. None if nothing is left, or only one value of a range."""
    ends = (follower[0] - lead.shift, follower[1] - lead.shift)
    if lead.ratio == 0.0:
        return leader if ends[0] <= 0.0 <= ends[1] else None
    low, high = sorted(e / lead.ratio for e in ends)
    low, high = max(leader[0], low), min(leader[1], high)
    return (low, high) if low < high or low == high == leader[0] == leader[1] else None


def _limits(joint: Joint) -> Pair:
    motion = joint.motions[0]
    assert isinstance(motion, (Hinge, Slider))
    return motion.limits
