"""A figure without its held sliders, which clips of a rig use and solving leaves unchanged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from manikin import rotations
from manikin.errors import BadValue
from manikin.figure.joint import Joint, Motion, Slider, as_tuple, number_count
from manikin.figure.movable import names_of, numbers_of

if TYPE_CHECKING:
    from manikin.figure.figure import Figure


def rigid(figure: Figure, keep: Sequence[str] = ()) -> Figure:
    """See `Figure.rigid`."""
    kept = _kept(figure, keep)
    held = figure.layout.held
    gone = held - kept
    for s in figure.segments:
        source = s.joint.coupling.source if s.joint.coupling is not None else None
        if source is not None and figure.index_of(source) in gone:
            raise BadValue(
                f"figure {figure.name!r}: joint {s.joint.name!r} follows {source!r}; keep that joint instead"
            )
    if not held:
        return figure
    return figure.replaced(segments=[s.replaced(joint=_joint(figure, s.joint, kept)) for s in figure.segments])


def _kept(figure: Figure, keep: Sequence[str]) -> set[int]:
    """The numbers of the held sliders that stay."""
    kept: set[int] = set()
    for name in names_of(keep, "keep"):
        segment = name in figure.segment_names and name not in figure.joint_names
        own = figure.layout.held.intersection(
            numbers_of(figure, figure.segment(name).joint.name if segment else name, "keep")
        )
        if not own:
            raise BadValue(f"keep: {name!r} of figure {figure.name!r} has no held slider")
        kept |= own
    return kept


def _joint(figure: Figure, joint: Joint, kept: set[int]) -> Joint:
    """The joint with its kept sliders no longer held, and the other held sliders made part of its offset."""
    number, along = figure.index_of(joint.name), np.zeros(3)
    motions: list[Motion] = []
    rest: list[float] = []
    for motion in joint.motions:
        count = number_count(motion)
        if isinstance(motion, Slider) and motion.held and number not in kept:
            along += figure.rest[number] * np.array(motion.axis)
        else:
            motions.append(replace(motion, held=False) if isinstance(motion, Slider) else motion)
            rest += figure.rest[number : number + count].tolist()
        number += count
    offset = np.array(joint.offset) + rotations.rotate(np.array(joint.rotation), along) if along.any() else joint.offset
    return replace(joint, motions=tuple(motions), offset=as_tuple(offset), rest=tuple(rest) if joint.rest else ())
