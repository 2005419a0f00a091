"""Markers with unknown names: each belongs to the segment in whose space it moves least."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manikin.arrays import Placements, Points
from manikin.errors import listing
from manikin.motion.marker_fit.attachments import Attachment
from manikin.motion.marker_fit.fitter import Fitter
from manikin.motion.marker_fit.landmarks import TRACKING

SIGMA = 0.02
"""Standard deviation of the place that is found, in sizes."""
PROXIMAL = 1.4
"""A marker near a joint moves little relative to both segments of the joint. By convention it belongs to the segment
nearer to the root, so that segment is taken if it is worse by less than this factor."""
ALIKE = 1.2
"""If the second best segment is worse by less than this factor, the choice is uncertain."""
LOOSE = 0.0165
"""A marker that moves more than this against every segment, in sizes (25 mm), belongs to none of them."""
LEAST_FRAMES = 3


@dataclass(frozen=True)
class Stranger:
    """A marker with an unknown name, and where it went."""

    name: str
    attachment: Attachment | None
    """None if it is not on the body."""
    second: str | None
    """Another segment that is nearly as good; None if the choice is clear."""

    def __str__(self) -> str:
        if self.attachment is None:
            return left_out([self.name])[0]
        doubt = f", or to {self.second}" if self.second else ""
        return f"{self.name} is not known; it was attached to {self.attachment.segment}{doubt} by its motion"


def left_out(names: list[str]) -> list[str]:
    """A sentence about markers that are not on the body; none if there are no such markers."""
    if len(names) < 2:
        return [f"{name} is not known and moves with no part that has other markers; it was left out" for name in names]
    return [
        f"{len(names)} markers are not known and move with no part that has other markers; they were left out: "
        f"{listing(names)}"
    ]


def placed(fitter: Fitter, placements: Placements, names: list[str], positions: Points) -> list[Stranger]:
    """The segments of markers with unknown names.

    Args:
        fitter: the person.
        placements: (N, S, 4, 4) of its segments in the frames.
        names: of the markers.
        positions: (N, K, 3) of the markers, NaN in gaps.
    """
    figure, size = fitter.work, fitter.body.figure.size
    carriers = [i for i in np.flatnonzero(fitter.model.felt) if fitter.body.bones.part_of(figure.segment_names[i])]
    index = {figure.segment_names[i]: k for k, i in enumerate(carriers)}
    parents = [index.get(figure.segments[i].parent or "", -1) for i in carriers]
    placements = placements[:, carriers]
    out = []
    for k, name in enumerate(names):
        here = positions[:, k]
        seen = ~np.isnan(here[:, 0])
        if seen.sum() < LEAST_FRAMES:
            out.append(Stranger(name, None, None))
            continue
        away = here[seen, None] - placements[seen, :, :3, 3]
        local = np.einsum("nsji,nsj->nsi", placements[seen, :, :3, :3], away)
        middle = np.median(local, axis=0)
        spread = np.sqrt(np.median(((local - middle) ** 2).sum(axis=-1), axis=0))
        best = int(np.argmin(spread))
        if spread[best] > LOOSE * size:
            out.append(Stranger(name, None, None))
            continue
        first = best
        while (above := parents[first]) >= 0 and spread[above] < PROXIMAL * spread[best]:
            first = above
        others = [k for k in np.argsort(spread) if k != first]
        near = others and spread[others[0]] < ALIKE * spread[first]
        segment = figure.segment_names[carriers[first]]
        second = figure.segment_names[carriers[others[0]]] if near else None
        attachment = Attachment(name, segment, tuple(middle[first].tolist()), SIGMA * size, 1.0, TRACKING)
        out.append(Stranger(name, attachment, second))
    return out
