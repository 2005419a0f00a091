"""Scales by group ("thigh"), by side ("left thigh") or by segment ("LeftUpLeg"), and the factor of each segment."""

from __future__ import annotations

from collections.abc import Mapping

from manikin.errors import unknown_name
from manikin.motion.marker_fit.body import MarkerBody

SAME = 1e-12


def factors(body: MarkerBody, scales: Mapping[str, float]) -> dict[str, float]:
    """The factor of each segment whose length changes.

    Raises:
        UnknownName: a name is neither a group nor a segment.
    """
    out = dict.fromkeys(body.figure.segment_names, 1.0)
    known = [body.groups(tied) for tied in (True, False)]
    for name, factor in scales.items():
        found = [
            segment
            for names, of in known
            for segment, g in zip(body.figure.segment_names, of, strict=True)
            if names[g] == name
        ]
        if not found and name not in out:
            raise unknown_name("scales: the figure", "group or segment", name, [*known[0][0], *out])
        for segment in dict.fromkeys(found or [name]):
            out[segment] *= factor
    return {name: factor for name, factor in out.items() if abs(factor - 1.0) > SAME}


def by_group(body: MarkerBody, lengths: Mapping[str, float], tied: bool) -> dict[str, float]:
    """The scales of groups from the factors of segments. A group whose segments differ is written by segment."""
    names, of = body.groups(tied)
    out: dict[str, float] = {}
    for k, name in enumerate(names):
        own = {s: lengths.get(s, 1.0) for s, g in zip(body.figure.segment_names, of, strict=True) if g == k}
        if max(own.values()) - min(own.values()) <= SAME:
            out[name] = next(iter(own.values()))
        else:
            out |= own
    return out
