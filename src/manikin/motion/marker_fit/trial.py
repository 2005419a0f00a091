"""The inputs of a fit: a person with attachments, and a trial whose markers are attached to it."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manikin import arrays
from manikin.arrays import Points
from manikin.errors import BadValue, counted, listing, unknown_name
from manikin.figure import Figure
from manikin.figure.scale import scaled_loops, scaled_segments
from manikin.motion.marker_fit.arguments import checked_weights, given_attachments
from manikin.motion.marker_fit.attachments import Attachment, Attachments, known_words, named
from manikin.motion.marker_fit.body import TRUNK, MarkerBody
from manikin.motion.marker_fit.knees import aligned_segments
from manikin.motion.marker_fit.limits import check_hold, widened_segments
from manikin.motion.marker_fit.model import Mask
from manikin.motion.marker_fit.prepared import kept
from manikin.motion.marker_fit.spikes import spikes
from manikin.motion.marker_fit.start import LEAST, procrustes, up_axis
from manikin.motion.marker_fit.subjects import one_subject
from manikin.motion.marker_fit.untangle import Swap, untangled
from manikin.motion.markers import Markers

FRAMES = 40
"""Number of frames of a calibration."""
ENOUGH = 0.6
"""A frame of a calibration has at least this share of the markers."""


@dataclass(frozen=True, eq=False)
class Person:
    """The figure that is fitted, in metres, and what is known of its markers."""

    body: MarkerBody
    attachments: Attachments
    """The given ones; none if places come from names."""
    given: bool
    weights: Mapping[str, float]
    slack: float
    hold: Mapping[str, str] | None

    @staticmethod
    def of(
        figure: Figure,
        attach: Attachments | str | os.PathLike[str] | None,
        bones: Any,
        weights: Mapping[str, float] | None,
        slack: float,
        hold: Mapping[str, str] | None,
    ) -> Person:
        """The arguments of `fit_markers`, checked."""
        if not isinstance(figure, Figure):
            raise BadValue(f"figure is {type(figure).__name__}; fit_markers needs a Figure")
        body = MarkerBody(figure.in_metres(), bones) if bones is not None else _body(figure)
        if hold is not None:
            check_hold(body.figure, hold)
        slack = arrays.non_negative(slack, "slack")
        known = given_attachments(attach)
        for marker in known:
            if marker.segment not in body.figure.segment_names:
                owner = f"attachment {marker.name!r}: figure {body.figure.name!r}"
                raise unknown_name(owner, "segment", marker.segment, body.figure.segment_names)
        return Person(body, known, attach is not None, checked_weights(weights), slack, hold)

    @property
    def figure(self) -> Figure:
        """The figure in metres."""
        return self.body.figure

    def shaped(self, lengths: Mapping[str, float], valgus: Mapping[str, float]) -> Figure:
        """The figure with wider limits, and with these factors of segments and these knees."""
        figure = self.figure
        segments = kept(figure, ("wide", self.slack), lambda: widened_segments(figure.segments, self.slack))
        segments = aligned_segments(segments, self.body, valgus)
        if not lengths:
            return figure.replaced(segments=segments)
        loops = scaled_loops(figure.loops, lengths)
        return figure.replaced(segments=scaled_segments(segments, lengths), loops=loops, source={})


@dataclass(frozen=True, eq=False)
class Trial:
    """Markers of one subject in metres, with swaps put right."""

    markers: Markers
    attached: tuple[Attachment, ...]
    """The attachments of the markers whose names are known, in the order of `columns`."""
    columns: tuple[int, ...]
    """The known markers."""
    strangers: tuple[int, ...]
    """The other markers."""
    spikes: Mask
    """(T, all markers) samples that are wild."""
    swaps: tuple[Swap, ...] = ()
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = field(default=())
    unit: float = 1.0
    """The unit that the recording states, in metres."""

    @staticmethod
    def of(markers: Markers, person: Person, subject: str | None) -> Trial:
        """The markers of one subject.

        Raises:
            BadValue: no name is known, the unit is not known, or there are several subjects.
        """
        if not isinstance(markers, Markers):
            raise BadValue(f"markers is {type(markers).__name__}; it needs Markers, as mk.load_markers returns them")
        chosen = one_subject(markers, subject).in_metres()
        for name in person.weights:
            if name not in chosen.names:
                raise unknown_name("weights: the trial", "marker", name, chosen.names)
        attach = person.attachments if person.given else named(chosen.names, person.body)
        if not any(name in attach for name in chosen.names):
            _no_name(chosen.names, attach if person.given else None)
        positions, swaps = untangled(chosen.names, chosen.positions, chosen.times, person.figure.size)
        wild = spikes(positions, chosen.times, person.figure.size)
        unit = markers.unit or 1.0
        if swaps:
            chosen = chosen.replaced(positions=positions)
        bare = Trial(chosen, (), (), (), wild, unit=unit).with_swaps(swaps)
        return bare.with_places(attach, person.weights)

    def with_swaps(self, swaps: Sequence[Swap]) -> Trial:
        """The trial with other swaps, which are warnings."""
        warnings = tuple(f"{swap}: the names of these markers were exchanged, and were put right" for swap in swaps)
        return replace(self, swaps=tuple(swaps), warnings=warnings)

    def with_places(self, attach: Attachments, weights: Mapping[str, float]) -> Trial:
        """The trial with other attachments."""
        found = [attach.find(name) for name in self.markers.names]
        columns = tuple(i for i, a in enumerate(found) if a is not None)
        attached = []
        for i in columns:
            own, name = found[i], self.markers.names[i]
            assert own is not None
            if name != own.name or own.names or name in weights:
                own = replace(own, name=name, names=(), weight=weights.get(name, own.weight))
            attached.append(own)
        others = tuple(i for i, a in enumerate(found) if a is None)
        return replace(self, attached=tuple(attached), columns=columns, strangers=others)

    @cached_property
    def positions(self) -> Points:
        """(T, M, 3) of the known markers, NaN in gaps."""
        return np.ascontiguousarray(self.markers.positions[:, list(self.columns)])

    def tame(self, columns: Sequence[int]) -> Points:
        """(T, M, 3) of some markers, NaN in gaps and for spikes."""
        chosen = list(columns)
        return np.where(self.spikes[:, chosen, None], np.nan, self.markers.positions[:, chosen])

    def frames(self, chosen: Any = None) -> Trial:
        """The frames of a calibration: the chosen ones, or frames with enough markers.

        Raises:
            BadValue: no frame has enough markers, or the choice is not a list of frames.
        """
        count = len(self.markers)
        if chosen is None:
            share = (~np.isnan(self.tame(self.columns)[..., 0])).mean(axis=1)
            good = np.flatnonzero(share >= ENOUGH)
            if not len(good):
                raise BadValue(
                    f"no frame of {self.markers.name!r} has 60 % of its {len(self.columns)} markers; the best has "
                    f"{share.max():.0%}; leave out markers that are rarely seen, with markers.subset"
                )
            frames = good[np.unique(np.linspace(0, len(good) - 1, min(FRAMES, len(good))).round().astype(int))]
        else:
            try:
                frames = np.arange(count)[chosen] if isinstance(chosen, slice) else np.asarray(chosen)
            except (TypeError, ValueError):
                frames = np.zeros(0)
            if frames.ndim != 1 or frames.dtype.kind not in "iu" or not len(frames):
                raise BadValue(f"calibrate is {chosen!r}; it needs Markers, frame numbers, a slice, False or None")
            if frames.min() < 0 or frames.max() >= count:
                worst = frames.min() if frames.min() < 0 else frames.max()
                raise BadValue(f"calibrate names frame {worst}; the trial has frames 0 to {count - 1}")
            frames = self._with_markers(np.unique(frames))
        picked = self.markers.replaced(
            positions=self.markers.positions[frames], times=self.markers.times[frames], residuals=None, cameras=None
        )
        return replace(self, markers=picked, spikes=self.spikes[frames])

    def _with_markers(self, frames: NDArray[np.intp]) -> NDArray[np.intp]:
        """The frames that have at least three markers. Others do not show where the body is.

        Raises:
            BadValue: there are none.
        """
        seen = (~np.isnan(self.tame(self.columns)[frames, :, 0])).sum(axis=1)
        if not (seen >= LEAST).any():
            raise BadValue(f"calibrate names {counted(len(frames), 'frame')}; each has fewer than three markers")
        return np.asarray(frames[seen >= LEAST])

    def oriented(self, person: Person) -> Trial:
        """The trial with the up axis of the figure. An unknown up axis is found from the body."""
        up, notes = self.markers.up, self.notes
        if up is None:
            up = self._found_up(person)
            how = f"{up} is taken as up, because the body stands along it" if up else "its axes are kept"
            notes = (*notes, f"{self.markers.name} has no up axis; {how}")
        if up is None or up == person.figure.up:
            return replace(self, notes=notes)
        markers = self.markers if self.markers.up == up else self.markers.replaced(up=up)
        return replace(self, markers=markers.with_up(person.figure.up), notes=notes)

    def _found_up(self, person: Person) -> str | None:
        body, chosen = person.body, self.frames()
        names, of = body.groups()
        trunk = [k for k, m in enumerate(self.attached) if names[of[body.figure.segment_index(m.segment)]] in TRUNK]
        if len(trunk) < LEAST:
            return None
        rest = body.figure.placements(body.figure.rest, [self.attached[k].segment for k in trunk])
        places = np.array([self.attached[k].offset for k in trunk])
        points = np.einsum("mij,mj->mi", rest[:, :3, :3], places) + rest[:, :3, 3]
        measured = chosen.tame([chosen.columns[k] for k in trunk])
        seen = ~np.isnan(measured[..., 0])
        turns, _, _ = procrustes(points, np.where(seen[..., None], measured, 0.0), seen.astype(float))
        return up_axis(turns[seen.sum(axis=1) >= LEAST], body.figure.up)


def _body(figure: Figure) -> MarkerBody:
    """The body of a figure, with its own bone map."""
    return kept(figure, "body", lambda: MarkerBody(figure.in_metres()))


def _no_name(names: tuple[str, ...], attach: Attachments | None) -> None:
    table = known_words() if attach is None else [n for m in attach for n in (m.name, *m.names)]
    if not names:
        raise BadValue("markers has no markers; it needs the markers of a person")
    near = [w for n in names for w in difflib.get_close_matches(n.upper(), table, n=1)]
    hint = f"; known names like these are {listing(list(dict.fromkeys(near)))}" if near else ""
    if attach is not None:
        raise BadValue(
            f"none of the markers has a place in attach: {listing(list(names))}{hint}; attach has {listing(table)}"
        )
    raise BadValue(f"none of the marker names is known: {listing(list(names))}{hint}; give their places with attach=")
