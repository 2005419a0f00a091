"""`fit_markers`: a figure fitted to the markers of a motion capture recording."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from manikin.arrays import frozen
from manikin.base.blas import one_thread
from manikin.base.progress import Progress, goes_on
from manikin.errors import BadValue, OddMarkers, listing, warn
from manikin.figure import Figure
from manikin.motion.marker_fit.arguments import check_options
from manikin.motion.marker_fit.attachments import Attachments
from manikin.motion.marker_fit.calibration_run import Calibrated, calibrated_person, finished_person
from manikin.motion.marker_fit.clip import FittedClip, solved
from manikin.motion.marker_fit.exchanged import MOST, NEAR, exchanged, exchanged_swaps, with_exchanged_names
from manikin.motion.marker_fit.fitter import Fitter, Options, scale_sigmas
from manikin.motion.marker_fit.lengths import by_group
from manikin.motion.marker_fit.limits import joints_at_limits
from manikin.motion.marker_fit.plausible import is_mirrored
from manikin.motion.marker_fit.prepared import kept
from manikin.motion.marker_fit.result import MarkerFit
from manikin.motion.marker_fit.start import LEAST
from manikin.motion.marker_fit.subjects import one_subject
from manikin.motion.marker_fit.trial import Person, Trial
from manikin.motion.markers import Markers
from manikin.motion.motion import Motion

MANY_REJECTED = 0.05
"""If a larger share of the samples is rejected, there is a warning."""
STOPPED = "the call was stopped while lengths and places were calibrated; they are rough"
BAD = 0.013
"""If the RMS is above this, in sizes (20 mm), left and right are checked."""


@one_thread
def fit_markers(
    figure: Figure,
    markers: Markers,
    attach: Attachments | str | os.PathLike[str] | None = None,
    *,
    calibrate: Markers | Sequence[int] | slice | bool | None = None,
    subject: str | None = None,
    scales: str | Mapping[str, float] | None = "symmetric",
    weights: Mapping[str, float] | None = None,
    robust: bool = True,
    smooth: float | None = 15.0,
    slack: float = 10.0,
    hold: Mapping[str, str] | None = None,
    bones: Any = None,
    progress: Progress | None = None,
) -> MarkerFit:
    """Fits a person to markers: lengths of bones, places of markers on the body, and the pose of every frame.

    Marker names of common sets are known (`Attachments.from_names`). Markers with other names are attached to the
    segment with which they move. Names that were swapped for some frames are put right. See docs/markers.md.

    Args:
        figure: a person with a known unit and a free root, such as `mk.human()`.
        markers: the trial, with a known unit.
        attach: places of the markers: `Attachments`, an attachment file, or None to use their names.
        calibrate: frames for lengths and places: a static trial or a range of motion (`Markers`), or numbers or a slice
            of frames of this trial. False uses `attach` unchanged. None uses frames of this trial, or nothing if
            `attach` is calibrated.
        subject: which person, if marker names begin with several subjects, as in "Anna:LASI".
        scales: "symmetric" fits a factor for each group of bones and ties left to right, "each" does not tie them,
            "one" fits one factor, None fits none. A dict {group: deviation} sets the expected deviation of single
            groups from the common factor, as in {"thigh": 0.05}.
        weights: weights of markers by name, instead of those of `attach`.
        robust: whether single bad samples are rejected.
        smooth: frequency in Hz above which motion is removed; None for none. Joints without markers are then not
            carried through gaps.
        slack: every joint range is widened by this many degrees.
        hold: {joint: "twist"} balls whose twist stays as in the rest pose. By default, the ankles of a set with markers
            on thigh, shank and foot keep the twist that the calibration finds. {} holds nothing.
        bones: as in `mk.bone_map`.
        progress: called with (frames done, frames). If it returns False, the call returns the frames done so far.

    Raises:
        BadValue: an argument has a wrong type, no name is known, fewer than three markers count (on the trunk, for a
            calibration), a unit is not known, there are several subjects, no frame has 60 % of the markers, or the
            body is not of the size of a person, because the unit is wrong. The message says what to do.
        UnknownName: `attach`, `weights`, `hold` or `subject` has a name that does not exist.

    Example:
        >>> fit = mk.fit_markers(mk.human(), mk.load_markers("walk.c3d"))  # doctest: +SKIP
        >>> print(fit); mk.save(fit, "walk.bvh")  # doctest: +SKIP
    """
    check_options(robust, smooth, scales, progress)
    person = Person.of(figure, attach, bones, weights, slack, hold)
    scale_sigmas(scales, person.body.groups(tied=scales != "each")[0])
    found = _fitted(person, markers, subject, calibrate, scales, robust, smooth, progress)
    pairs = _exchanged(found)
    if pairs:
        renamed = with_exchanged_names(one_subject(markers, subject), pairs)
        static = one_subject(calibrate, subject) if isinstance(calibrate, Markers) else calibrate
        found = _fitted(person, renamed, None, static, scales, robust, smooth, progress)
        found = replace(found, trial=found.trial.with_swaps(exchanged_swaps(found.trial.swaps, pairs, len(markers))))
    trial, done, fitter, clip = found.trial, found.done, found.fitter, found.clip
    source, wanted, missing = found.source, found.wanted, found.missing
    notes = [STOPPED] if found.stopped else []
    notes += [
        *trial.notes,
        *_never_seen(trial),
        *_without_markers(trial, len(clip.poses)),
        *(source.notes if source is not None and wanted else ()),
    ]
    notes += [*done.notes, *(() if wanted else missing)]
    warnings = (*trial.warnings, *(() if source is None else source.warnings), *done.warnings)
    for text in (*warnings, *(missing if wanted and source is not None else ()), *_doubts(fitter, trial, clip)):
        notes.append(text)
        warn(text, OddMarkers)
    count = len(clip.poses)
    return MarkerFit(
        motion=Motion(fitter.base, clip.poses, trial.markers.times[:count], trial.markers.name),
        attachments=done.attachments,
        names=tuple(m.name for m in trial.attached),
        targets=frozen(trial.positions[:count]),
        residuals=clip.residuals,
        rejected=clip.rejected,
        scales=by_group(person.body, done.lengths, scales != "each"),
        deviations=done.deviations,
        swaps=trial.swaps,
        at_limits=joints_at_limits(person.figure, clip.poses),
        rounds=done.rounds,
        notes=tuple(notes),
        complete=count == len(trial.markers) and not found.stopped,
    )


def _prepared(person: Person, trial: Trial, done: Calibrated) -> Fitter:
    """The person with its final lengths and places. Further trials of the same calibration use it again."""
    attach = done.attachments
    numbers = tuple(tuple(sorted(some.items())) for some in (done.lengths, attach.valgus, attach.twists))

    def make() -> Fitter:
        base = person.shaped(done.lengths, attach.valgus)
        return Fitter(person.body, base, trial.attached, Options(None, 0.0, attach.twists, clip=True))

    return kept(person.figure, (id(person.body), trial.attached, person.slack, *numbers), make)


def _without_places(trial: Trial, done: Calibrated) -> list[str]:
    """A sentence about markers of the trial that the calibration does not have.

    Raises:
        BadValue: it has none of them, fewer than three count, or no frame has three.
    """
    names = [trial.markers.names[i] for i in trial.strangers]
    if not trial.columns:
        places = listing([m.name for m in done.attachments])
        raise BadValue(
            f"the calibration has none of the markers of {trial.markers.name!r} ({listing(names)}); it has places for "
            f"{places}; calibrate with a trial of the same marker set"
        )
    if sum(m.weight > 0.0 for m in trial.attached) < LEAST:
        raise BadValue(
            f"{trial.markers.name!r} has fewer than three markers that count: "
            f"{listing([m.name for m in trial.attached if m.weight > 0.0]) or 'none'}"
        )
    most = int((~np.isnan(trial.positions[..., 0])).sum(axis=1).max())
    if most < LEAST:
        raise BadValue(
            f"no frame of {trial.markers.name!r} has three markers with a place on the body; the best has {most}"
        )
    return [f"markers without a place in the calibration were left out: {listing(names)}"] if names else []


@dataclass(frozen=True, eq=False)
class _Fitted:
    """A trial with all its frames fitted."""

    trial: Trial
    source: Trial | None
    """The trial of the calibration, if it is another one."""
    wanted: bool
    """Whether there was a calibration."""
    done: Calibrated
    missing: list[str]
    fitter: Fitter
    clip: FittedClip
    stopped: bool
    """Whether `progress` ended the calibration."""


def _fitted(
    person: Person,
    markers: Markers,
    subject: str | None,
    calibrate: Any,
    scales: str | Mapping[str, float] | None,
    robust: bool,
    smooth: float | None,
    progress: Progress | None,
) -> _Fitted:
    """Calibrates the person if this is wanted, and fits all frames."""
    trial = Trial.of(markers, person, subject)
    source = Trial.of(calibrate, person, subject) if isinstance(calibrate, Markers) else None
    frames = None if calibrate is None or isinstance(calibrate, (bool, Markers)) else calibrate
    wanted = not person.attachments.calibrated if calibrate is None else calibrate is not False
    stopped = False
    if wanted:
        chosen = (source or trial).oriented(person).frames(frames)

        def go_on() -> bool:
            nonlocal stopped
            stopped = stopped or not goes_on(progress, 0, len(trial.markers))
            return not stopped

        done = calibrated_person(person, chosen, scales, go_on)
    else:
        done = finished_person(person)
    trial = trial.oriented(person).with_places(done.attachments, person.weights)
    missing = _without_places(trial, done)
    fitter = _prepared(person, trial, done)
    clip = solved(fitter, trial, robust, smooth, progress)
    return _Fitted(trial, source, wanted, done, missing, fitter, clip, stopped)


def _exchanged(found: _Fitted) -> list[tuple[str, str]]:
    """The names of markers that are exchanged in most of the trial; none if the work was ended earlier."""
    trial, fitter, clip = found.trial, found.fitter, found.clip
    present = clip.residuals == clip.residuals
    wrong = clip.rejected.sum(axis=0) > MOST * present.sum(axis=0)
    if wrong.sum() < 2 or len(clip.poses) < len(trial.markers):
        return []
    places = fitter.model.positions(clip.poses, np.ones(fitter.model.count), fitter.offsets)
    measured = np.where(present[..., None], trial.positions, 0.0)
    pairs = exchanged(places, measured, present, wrong, NEAR * fitter.solver.size)
    return [(trial.attached[a].name, trial.attached[b].name) for a, b in pairs]


def _never_seen(trial: Trial) -> list[str]:
    """A sentence about markers that have a place but are missing in all frames."""
    seen = np.asarray((~np.isnan(trial.positions[..., 0])).any(axis=0))
    names = [m.name for m, there in zip(trial.attached, seen, strict=True) if not there]
    return [f"markers that are never seen: {listing(names)}"] if names else []


def _without_markers(trial: Trial, count: int) -> list[str]:
    """A sentence about the frames without any marker, among the first `count`."""
    empty = np.flatnonzero(np.isnan(trial.positions[:count, :, 0]).all(axis=1))
    if len(empty) < 2:
        return [f"frame {k} has no markers; its pose is a guess" for k in empty]
    return [f"{len(empty)} frames have no markers, the first is {empty[0]}; their poses are guesses"]


def _doubts(fitter: Fitter, trial: Trial, clip: FittedClip) -> list[str]:
    """Warnings about a clip that fits badly."""
    seen = clip.residuals == clip.residuals
    share = float(clip.rejected[seen].mean()) if seen.any() else 0.0
    out = []
    if share > MANY_REJECTED:
        out.append(f"{share:.1%} of the samples were rejected; the places, the names or the figure may be wrong")
    if seen.any() and np.sqrt((clip.residuals[seen] ** 2).mean()) > BAD * fitter.body.figure.size:
        count = len(clip.residuals)
        rest = fitter.model.positions(fitter.work.rest[None], np.ones(fitter.model.count), fitter.offsets)[0]
        targets = np.where(seen[..., None], trial.positions[:count], 0.0)[:, fitter.trunk]
        if is_mirrored(rest[fitter.trunk], targets, seen[:, fitter.trunk].astype(float)):
            out.append("the trunk fits better to its mirror image; left and right are probably exchanged in the names")
    return out
