"""The calibration of a person: known markers first, then markers with unknown names and the twist of the ankles."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from manikin.errors import BadValue, listing
from manikin.motion.fit_result import UNSEEN
from manikin.motion.marker_fit.attachments import Attachment, Attachments
from manikin.motion.marker_fit.calibrate import State
from manikin.motion.marker_fit.fitter import DIGITS, Fitter, Options, gait_twists
from manikin.motion.marker_fit.knees import gait_knees, leans, loosened
from manikin.motion.marker_fit.lengths import by_group, factors
from manikin.motion.marker_fit.limits import twist_of
from manikin.motion.marker_fit.plausible import check_size
from manikin.motion.marker_fit.start import LEAST
from manikin.motion.marker_fit.strangers import left_out, placed
from manikin.motion.marker_fit.trial import Person, Trial


@dataclass(frozen=True, eq=False)
class Calibrated:
    """A person whose lengths and markers are known."""

    attachments: Attachments
    lengths: Mapping[str, float]
    """Factors of segments."""
    deviations: Mapping[str, float] = field(default_factory=dict)
    rounds: tuple[float, ...] = ()
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def finished_person(person: Person) -> Calibrated:
    """A person with the given attachments, unchanged.

    Raises:
        BadValue: no attachments are given.
    """
    if not person.given:
        raise BadValue("calibrate is False, but there are no attachments; give a finished calibration with attach=")
    twists = person.attachments.twists if person.hold is None else _rest_twists(person)
    attach = replace(person.attachments, twists=twists)
    lengths = factors(person.body, attach.scales)
    return Calibrated(attach, lengths)


def calibrated_person(
    person: Person, trial: Trial, scales: str | Mapping[str, float] | None, go_on: Callable[[], bool]
) -> Calibrated:
    """A person whose lengths and places are found from the frames of a trial."""
    lengths, valgus = factors(person.body, person.attachments.scales), dict(person.attachments.valgus)
    base = person.shaped(lengths, valgus)
    twists = _rest_twists(person)
    shaped = scales is not None and scales != "one"
    knees = gait_knees(person.body, trial.attached) if shaped else ()
    options = Options(scales, 0.0, twists, knees)
    fitter = _fitter(person, loosened(base, knees) if knees else base, trial.attached, options)
    positions = trial.tame(trial.columns)
    check_size(trial.markers.name, fitter.common(positions), trial.unit)
    state, deviations, rounds = fitter.calibrated(positions, None, go_on)
    markers, warnings = trial.attached, list[str]()
    columns = list(trial.columns)
    strangers = _strangers(fitter, state, trial)
    warnings += left_out([found.name for _, found in strangers if found.attachment is None])
    for column, found in strangers:
        if found.attachment is not None:
            warnings.append(str(found))
            own = fitter.group[base.segment_index(found.attachment.segment)]
            place = np.array(found.attachment.offset)
            markers = (*markers, replace(found.attachment, offset=tuple(place / state.scales[own])))
            state.offsets = np.concatenate([state.offsets, place[None]])
            columns.append(column)
    names = gait_twists(person.body, markers) if person.hold is None else []
    twists |= {name: round(twist_of(fitter.base, name, state.poses), DIGITS) for name in names}
    if knees:
        found_leans, state.poses = leans(fitter.base, knees, state.poses)
        valgus |= {name: round(valgus.get(name, 0.0) + angle, DIGITS) for name, angle in found_leans.items()}
        base = person.shaped(lengths, valgus)
    if knees or names or len(markers) > len(trial.attached):
        fitter = Fitter(person.body, base, markers, replace(options, twists=twists, knees=()))
        state, deviations, more = fitter.calibrated(trial.tame(columns), state, go_on)
        rounds = [*rounds, *more]
    total = {name: lengths.get(name, 1.0) * f for name, f in fitter.lengths(state.scales).items()}
    total = {name: round(f, DIGITS) for name, f in total.items()}
    sigma = {name: float(s) for name, s in zip(fitter.groups, deviations, strict=True)}
    unseen = [name for name, s in sigma.items() if not s <= UNSEEN]
    notes = [f"scales not seen in these data, which follow the other lengths: {listing(unseen, 20)}"] if unseen else []
    made = _attachments(person, fitter, state, total, scales)
    made = replace(made, twists=twists, valgus=valgus)
    return Calibrated(made, total, sigma, tuple(rounds), tuple(notes), tuple(warnings))


def _attachments(
    person: Person, fitter: Fitter, state: State, lengths: Mapping[str, float], scales: Any
) -> Attachments:
    """The calibrated attachments. Given markers that are not in the trial are kept."""
    made = [replace(m, offset=tuple(p)) for m, p in zip(fitter.markers, state.offsets.tolist(), strict=True)]
    names = {m.name for m in made}
    kept = [m for m in person.attachments if not names & {m.name, *m.names}]
    found = by_group(person.body, lengths, scales != "each")
    return Attachments((*made, *kept), person.figure.name, found, calibrated=True)


def _rest_twists(person: Person) -> dict[str, float]:
    """The twists of the rest pose that `hold` names."""
    figure = person.figure
    return {name: round(twist_of(figure, name, figure.rest[None]), DIGITS) for name in person.hold or {}}


def _fitter(person: Person, base: Any, markers: tuple[Attachment, ...], options: Options) -> Fitter:
    fitter = Fitter(person.body, base, markers, options)
    counts = [m.name for m, t in zip(markers, fitter.trunk, strict=True) if t and m.weight > 0.0]
    if len(counts) < LEAST:
        on = listing(counts) or "none"
        raise BadValue(
            f"the trunk has fewer than three markers ({on}); markers on pelvis, spine, head, shoulders and thighs count"
        )
    return fitter


def _strangers(fitter: Fitter, state: State, trial: Trial) -> list[tuple[int, Any]]:
    """The markers with unknown names, each with its column."""
    if not trial.strangers:
        return []
    columns = list(trial.strangers)
    names = [trial.markers.names[i] for i in columns]
    placements = fitter.model.scaled(state.scales).placements(state.poses)
    return list(zip(columns, placed(fitter, placements, names, trial.tame(columns)), strict=True))
