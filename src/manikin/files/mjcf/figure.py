"""The figure of a compiled MJCF model: bodies and sites become segments, with joints, shapes, couplings and loops."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from manikin.arrays import Vector
from manikin.errors import BadValue, listing
from manikin.figure.joint import Free, Joint
from manikin.figure.loop import Loop
from manikin.figure.segment import Segment
from manikin.figure.shapes import Shape
from manikin.files.mjcf.equality import ties
from manikin.files.mjcf.joints import Named, chain
from manikin.files.mjcf.model import BodyRecord, Model
from manikin.files.mjcf.shapes import numbers, shape_of

ROOTS = ("fixed", "free")


@dataclass(frozen=True, eq=False)
class Parts:
    """The parts of a figure."""

    segments: list[Segment]
    loops: list[Loop]
    sites: list[str]
    """Names of the segments that were sites."""
    odd: list[str]
    """Sentences on parts that differ from the file."""
    notes: list[str]
    """Other notes, as sentences."""
    shapeless: list[str]
    """Names of the segments with a colliding geom that has no equivalent shape."""


class Names:
    """Unique names of one kind of thing."""

    def __init__(self) -> None:
        self.taken: set[str] = set()

    def new(self, *wanted: str) -> str:
        """The first candidate that is not taken, or else the last one with a number appended. The result counts as
        taken."""
        for name in wanted:
            if name not in self.taken:
                break
        else:
            number = 1
            while (name := f"{wanted[-1]}_{number}") in self.taken:
                number += 1
        self.taken.add(name)
        return name


def parts(model: Model, root: str | None = None) -> Parts:
    """Builds the segments of bodies in MuJoCo's order, so that the numbers of a pose have the order of `qpos`.

    Args:
        model: the compiled model.
        root: None keeps the joints of the file; "free" or "fixed" frees or fixes the bodies on the world.
    """
    # Names for everything, also for what has none in the file.
    segments, joints = Names(), Names()
    bodies = _names(segments, [b.name for b in model.bodies], lambda i: (f"body{i}",))
    joint_names = _names(joints, [j.name for j in model.joints], lambda j: _joint_names(model, bodies, j))
    sites = [s.name and segments.new(s.name, f"{s.name}:site") for s in model.sites]
    tied = ties(model, joint_names, lambda site, k: sites[k] if site else bodies[k], Names().new)
    shapes, notes, without = _shapes(model)
    sites_of: dict[int, list[int]] = {}
    for k, site in enumerate(model.sites):
        if site.name:
            sites_of.setdefault(site.body, []).append(k)

    # Segments of each body: its joints, then its sites.
    out: list[Segment] = []
    for i, body in enumerate(model.bodies):

        def fixed(name: str = bodies[i]) -> str:
            return joints.new(name, f"{name}:fixed")

        named = [
            Named(
                record=model.joints[j],
                name=joint_names[j],
                limits=tied.limits.get(j, model.joints[j].limits),
                coupling=tied.couplings.get(j),
                bone=_bone(model, j),
            )
            for j in body.joints
        ]
        made = (
            chain(body, bodies[i], bodies[body.parent], named, fixed, segments.new)
            if i
            else [Segment(bodies[0], None, Joint(fixed()))]
        )
        out += [*made[:-1], made[-1].replaced(**_solid(body), shapes=tuple(shapes[i]))]
        for k in sites_of.get(i, ()):
            place = (numbers(model.sites[k].pos), numbers(model.sites[k].quat))
            out.append(Segment(sites[k], bodies[i], Joint(fixed(sites[k]), (), *place)))
    # Notes on what differs from MuJoCo.
    balls = [joint_names[j] for j, joint in enumerate(model.joints) if joint.kind == "ball" and joint.limits[1] < np.pi]
    odd = list(tied.odd)
    if balls:
        odd.append(
            f"MJCF limits the total rotation of these ball joints: {listing(balls)}; here the limit applies to "
            "swing and twist separately, so the total rotation may exceed it"
        )
    mocap = [bodies[i] for i, b in enumerate(model.bodies) if b.mocap]
    if mocap:
        notes.append(f"mocap bodies are fixed at their place in the file: {listing(mocap)}")
    rooted = _rooted(model, out, bodies, root)
    shapeless = [bodies[i] for i in without]
    return Parts(rooted, tied.loops, [s for s in sites if s], odd, tied.notes + notes, shapeless)


def _names(names: Names, given: Sequence[str], others: Callable[[int], tuple[str, ...]]) -> list[str]:
    """The names of things: those of the file first, then new ones for things without a name."""
    out = [name and names.new(name) for name in given]
    return [name or names.new(*others(k)) for k, name in enumerate(out)]


def _joint_names(model: Model, bodies: Sequence[str], joint: int) -> tuple[str, ...]:
    """A joint without a name takes that of its body. If there are several, a number is appended."""
    body = model.joints[joint].body
    several = model.bodies[body].joints
    return (bodies[body],) if len(several) == 1 else (f"{bodies[body]}:{several.index(joint) + 1}",)


def _bone(model: Model, joint: int) -> Vector:
    """(3,) direction of a body from a ball with limits: to its first child, its first site, or its centre of mass."""
    record = model.joints[joint]
    body, anchor = record.body, record.pos
    if record.kind != "ball" or not np.isfinite(record.limits[1]):
        return np.zeros(3)
    ends = [b.pos for b in model.bodies[1:] if b.parent == body]
    ends += [s.pos for s in model.sites if s.body == body]
    ends.append(model.bodies[body].center)
    bones: list[Vector] = [end - anchor for end in ends]
    return next((bone for bone in bones if np.linalg.norm(bone) > 1e-9), np.zeros(3))


def _solid(body: BodyRecord) -> dict[str, object]:
    """Mass, centre of mass and inertia of a segment."""
    if not body.mass:
        return {}
    inertia = tuple(float(body.inertia[a, b]) + 0.0 for a, b in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)))
    return {"mass": body.mass, "center": numbers(body.center), "inertia": inertia}


def _shapes(model: Model) -> tuple[list[list[Shape]], list[str], list[int]]:
    """The shapes of each body, the notes on colliding geoms without an equivalent shape, and the bodies of these
    geoms."""
    shapes: list[list[Shape]] = [[] for _ in model.bodies]
    lost: Counter[str] = Counter()
    without: list[int] = []
    for geom in model.geoms:
        if geom.collides:
            shape = shape_of(geom)
            if shape is None:
                lost[geom.kind] += 1
                without.append(geom.body)
            else:
                shapes[geom.body].append(shape)
    counts = ", ".join(f"{count} {kind}" for kind, count in sorted(lost.items()))
    return shapes, [f"geoms of unsupported types get no collision shape: {counts}"] if lost else [], without


def _rooted(model: Model, segments: list[Segment], bodies: Sequence[str], root: str | None) -> list[Segment]:
    """Frees or fixes the segments on the world if `root` says so."""
    if root is None:
        return segments
    moving = {model.bodies[j.body].parent for j in model.joints} | {j.body for j in model.joints}
    for i in reversed(range(1, len(model.bodies))):
        if i in moving:
            moving.add(model.bodies[i].parent)
    tops = [i for i, b in enumerate(model.bodies) if i and b.parent == 0 and not b.mocap]
    tops = [i for i in tops if i in moving] or tops
    out = {s.name: s for s in segments}
    if root == "free":
        if len(tops) != 1:
            names = listing([bodies[i] for i in tops]) or "nothing"
            raise BadValue(f"root is 'free', but the world must have exactly one moving child; it has {names}")
        if model.bodies[tops[0]].joints:
            first = model.joints[model.bodies[tops[0]].joints[0]]
            if first.kind != "free":
                raise BadValue(f"root is 'free', but {bodies[tops[0]]!r} already has joints to the world")
            return segments
    for i in tops:
        s = out[bodies[i]]
        joint = s.joint
        if root == "free":
            made = Joint(joint.name, (Free(),), rest=(*joint.offset, *joint.rotation))
            out[s.name] = s.replaced(joint=made)
        elif joint.motions and isinstance(joint.motions[0], Free):
            made = replace(joint, motions=(), rest=(), offset=joint.rest[:3], rotation=joint.rest[3:])
            out[s.name] = s.replaced(joint=made)
    return list(out.values())
