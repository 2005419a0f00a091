"""Figures with other lengths: scaled as a whole, scaled by segment, or converted to metres."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from manikin import arrays
from manikin.errors import BadValue
from manikin.figure.joint import Coupling, Free, Joint, Motion, Slider, number_count
from manikin.figure.segment import Segment

if TYPE_CHECKING:
    from manikin.figure.figure import Figure
    from manikin.figure.loop import Loop


def scaled(figure: Figure, factor: float | Mapping[str, float]) -> Figure:
    """All lengths times a factor, or those of named segments. The length of a segment is the offset of its children's
    joints.

    Masses and angles are unchanged. The travel of a slider scales with the parent on which it slides, and the points of
    a closed loop scale with their segments. If a limb has several segments, name all of them: the forearm of `human` is
    LeftForeArm and LeftForeArmTwist.
    """
    if isinstance(factor, Mapping):
        factors = {name: arrays.positive(f, f"scale of {name!r}") for name, f in factor.items()}
        for name in factors:
            figure.segment_index(name)
        whole = 1.0
    else:
        whole, factors = arrays.positive(factor, "scale"), {}
    segments = scaled_segments(figure.segments, factors, whole)
    return figure.replaced(segments=segments, source={}, loops=scaled_loops(figure.loops, factors, whole))


def scaled_loops(loops: Sequence[Loop], factors: Mapping[str, float], whole: float = 1.0) -> list[Loop]:
    """The loops of a figure with other lengths, as in `scaled_segments`."""
    return [loop.scaled(factors.get(loop.segment, whole), factors.get(loop.to, whole)) for loop in loops]


def scaled_segments(segments: Sequence[Segment], factors: Mapping[str, float], whole: float = 1.0) -> list[Segment]:
    """The segments of a figure with other lengths: a factor by name, and `whole` for all others."""

    def of(name: str | None) -> float:
        return whole if name is None else factors.get(name, whole)

    joints = {s.joint.name: s for s in segments}
    out = []
    for s in segments:
        own, parent = of(s.name), of(s.parent)
        leader = joints[s.joint.coupling.source] if s.joint.coupling else s
        joint = _joint(s.joint, parent, leader.joint, of(leader.parent))
        out.append(_segment(s, joint, own))
    return out


def in_metres(figure: Figure) -> Figure:
    """The figure with unit 1.0 and lengths converted to metres."""
    if figure.unit is None:
        raise BadValue(
            f"figure {figure.name!r} has no known unit; state it first with figure.replaced(unit=…) in metres"
        )
    if figure.unit == 1.0:
        return figure
    return scaled(figure, figure.unit).replaced(unit=1.0)


def _segment(s: Segment, joint: Joint, factor: float) -> Segment:
    if factor == 1.0:
        return s if joint is s.joint else s.replaced(joint=joint)
    return s.replaced(
        joint=joint,
        center=tuple(factor * x for x in s.center),
        inertia=tuple(factor**2 * x for x in s.inertia),
        shapes=tuple(shape.scaled(factor) for shape in s.shapes),
    )


def _joint(joint: Joint, factor: float, leader: Joint, leader_factor: float) -> Joint:
    if factor == 1.0 and leader_factor == 1.0:
        return joint
    motions: list[Motion] = []
    rest = list(joint.rest)
    at = 0
    for motion in joint.motions:
        lengths = 3 if isinstance(motion, Free) else 1 if isinstance(motion, Slider) else 0
        if rest:
            rest[at : at + lengths] = [factor * x for x in rest[at : at + lengths]]
        motions.append(_slider(motion, factor) if isinstance(motion, Slider) else motion)
        at += number_count(motion)
    coupling = joint.coupling
    if coupling is not None:
        mine = factor if isinstance(joint.motions[0], Slider) else 1.0
        theirs = leader_factor if isinstance(leader.motions[0], Slider) else 1.0
        coupling = Coupling(coupling.source, coupling.ratio * mine / theirs, coupling.offset * mine)
    offset = tuple(factor * x for x in joint.offset)
    if coupling is None and all(new is old for new, old in zip(motions, joint.motions, strict=True)):
        return joint.placed(offset, tuple(rest))
    return replace(joint, motions=tuple(motions), offset=offset, rest=tuple(rest), coupling=coupling)


def _slider(slider: Slider, factor: float) -> Slider:
    low, high = slider.limits
    return replace(slider, limits=(factor * low, factor * high), speed=factor * slider.speed)
