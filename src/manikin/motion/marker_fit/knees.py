"""Knees that are not straight: the angle between thigh and shank, seen from the front.

A hinge keeps hip, knee and ankle in one plane. The legs of people leave this plane: their shanks lean outward (valgus)
or inward (varus) by a few degrees. The calibration finds this angle in two steps. First the knee may also turn about
the forward axis, and this turn has a prior. Then the median of the turn becomes a fixed part of the joint, which is a
hinge again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from manikin import rotations
from manikin.arrays import Poses
from manikin.errors import unknown_name
from manikin.figure import Euler, Figure, Hinge, Segment
from manikin.figure.parts.bone_map import SIDES
from manikin.motion.marker_fit.attachments import Attachment
from manikin.motion.marker_fit.body import MarkerBody

RANGE = 0.3
"""Largest angle, in radians."""
SIGMA = 0.11
"""Standard deviation of the angle in one frame, in radians. All frames count as five, so that of a leg is 0.05 (3°)."""
ALONG = 0.9
"""The bone is along an axis of the joint if the cosine of the angle between them is above this."""


@dataclass(frozen=True)
class Knee:
    """A hinge between thigh and shank."""

    joint: str
    hinge: str
    """Letter of the axis of the hinge."""
    forward: str
    """Letter of the axis about which the shank leans."""
    outward: float
    """+1 if a positive turn about that axis leans the shank outward, −1 if inward."""


def knees_of(body: MarkerBody) -> tuple[Knee, ...]:
    """The knees that can be fitted: hinges about a coordinate axis, with the shank along another one."""
    out = []
    for side in SIDES:
        if not all(f"{side} {part}" in body.bones for part in ("thigh", "shank", "foot")):
            continue
        found = _knee(body, side)
        if found is not None:
            out.append(found)
    return tuple(out)


def _knee(body: MarkerBody, side: str) -> Knee | None:
    figure = body.figure
    shank, foot = (body.bones.first(f"{side} {part}") for part in ("shank", "foot"))
    segment = figure.segment(shank)
    joint = segment.joint
    if len(joint.motions) != 1 or not isinstance(joint.motions[0], Hinge) or joint.coupling is not None:
        return None
    axis = joint.motions[0].axis
    hinge = next((letter for letter, unit in rotations.AXES.items() if unit == axis), None)
    if hinge is None or segment.parent is None:
        return None
    thighs = [body.bones.first(f"{s} thigh") for s in (side, *(s for s in SIDES if s != side))]
    at = figure.placements(figure.rest, [segment.parent, shank, foot, *thighs])
    axes = at[0, :3, :3] @ rotations.to_matrix(np.array(joint.rotation))
    bone = axes.T @ (at[2, :3, 3] - at[1, :3, 3])
    bone /= np.linalg.norm(bone)
    along = "xyz"[int(np.argmax(np.abs(bone)))]
    if along == hinge or np.abs(bone).max() < ALONG:
        return None
    forward = next(c for c in "xyz" if c not in (along, hinge))
    lean = np.cross(np.eye(3)["xyz".index(forward)], bone) @ (axes.T @ (at[3, :3, 3] - at[4, :3, 3]))
    return Knee(joint.name, hinge, forward, float(np.sign(lean)))


def gait_knees(body: MarkerBody, markers: tuple[Attachment, ...]) -> tuple[Knee, ...]:
    """The knees whose thigh, shank and foot have markers."""
    carried = {body.bones.part_of(m.segment) for m in markers}
    legs = {
        body.figure.segment(body.bones.first(f"{side} shank")).joint.name
        for side in SIDES
        if all(f"{side} {part}" in carried for part in ("thigh", "shank", "foot"))
    }
    return tuple(knee for knee in knees_of(body) if knee.joint in legs)


def loosened(figure: Figure, knees: tuple[Knee, ...]) -> Figure:
    """The figure whose knees may also lean. The angle is the first number of the joint."""
    of = {knee.joint: knee for knee in knees}
    segments = []
    for segment in figure.segments:
        joint = segment.joint
        if joint.name in of:
            hinge = joint.motions[0]
            assert isinstance(hinge, Hinge)
            turn = Euler(of[joint.name].forward + of[joint.name].hinge, ((-RANGE, RANGE), hinge.limits))
            rest = (0.0, *joint.rest) if joint.rest else ()
            joint = replace(joint, motions=(turn,), rest=rest)
        segments.append(segment if joint is segment.joint else segment.replaced(joint=joint))
    return figure.replaced(segments=segments)


def leans(figure: Figure, knees: tuple[Knee, ...], poses: Poses) -> tuple[dict[str, float], Poses]:
    """The median lean of each knee, positive outward, and the poses without these numbers.

    Args:
        figure: as `loosened` returns it.
        knees: its knees.
        poses: (N, nq) of this figure.
    """
    at = [figure.index_of(knee.joint) for knee in knees]
    found = {knee.joint: knee.outward * float(np.median(poses[:, i])) for knee, i in zip(knees, at, strict=True)}
    return found, np.delete(poses, at, axis=1)


def aligned(figure: Figure, body: MarkerBody, valgus: Mapping[str, float]) -> Figure:
    """The figure whose shanks lean outward by fixed angles, in radians.

    Raises:
        UnknownName: a joint is not a knee that can lean.
    """
    return figure.replaced(segments=aligned_segments(figure.segments, body, valgus)) if valgus else figure


def aligned_segments(
    segments: tuple[Segment, ...], body: MarkerBody, valgus: Mapping[str, float]
) -> tuple[Segment, ...]:
    """The segments of `aligned`."""
    known = {knee.joint: knee for knee in knees_of(body)} if valgus else {}
    for name in valgus:
        if name not in known:
            raise unknown_name(f"valgus: figure {body.figure.name!r}", "knee", name, list(known))
    out = []
    for segment in segments:
        joint = segment.joint
        if joint.name in valgus:
            knee = known[joint.name]
            axis = np.eye(3)["xyz".index(knee.forward)]
            turn = rotations.from_rotation_vector(knee.outward * valgus[joint.name] * axis)
            rotation = rotations.multiply(np.array(joint.rotation), turn)
            joint = replace(joint, rotation=tuple(rotation.tolist()))
        out.append(segment if joint is segment.joint else segment.replaced(joint=joint))
    return tuple(out)
