"""`fit_points`: the motion of a figure from the 3-D keypoints of a pose estimator.

1. **places**: where the points of the layout are on the figure (`layouts`, `places`).
2. **size**: from the distances of neighbouring points, then a first native track (`start`).
3. **shape**: lengths of the parts and places of the points, from 60 frames (`calibrate`).
4. **poses**: all frames at once, smooth over time, robust against outliers (`together`).
5. **travel**: rebuilt from the feet if the points are centred on the hips (`travel`).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manikin import arrays
from manikin.arrays import Points, Poses
from manikin.base.blas import one_thread
from manikin.base.progress import Progress, goes_on, require_progress
from manikin.errors import BadValue, counted, listing
from manikin.figure import Figure
from manikin.figure.movable import movable_steps
from manikin.figure.parts.calibration import Calibration, calibrate
from manikin.motion.fit_result import UNSEEN
from manikin.motion.markers import Markers
from manikin.motion.motion import Motion
from manikin.motion.points.calibrate import PointShape, calibrate_shape, calibration_frames
from manikin.motion.points.inputs import GivenPoints, check_options, checked, turn_to, without
from manikin.motion.points.model import GROUPS, PointModel, group_of, moving_columns
from manikin.motion.points.places import find_places, without_place
from manikin.motion.points.points_fit import PointsFit
from manikin.motion.points.posture import PostureCoordinates
from manikin.motion.points.pulls import PosturePulls
from manikin.motion.points.seen import SeenPoints
from manikin.motion.points.sides import mirrored
from manikin.motion.points.start import first_poses, size_ratio
from manikin.motion.points.together import fit_poses
from manikin.motion.points.travel import centred_on_hips, displaced, rebuilt_path
from manikin.motion.retarget.goals import carrying_joint, joints_to_move
from manikin.motion.retarget.retarget import MapLike, as_map
from manikin.motion.smoothing import least_frequency

SMOOTH = 6.0
"""Default frequency in Hz at which smoothing halves a wave."""
TRUNK = ("hip", "shoulder", "neck", "pelvis", "spine")
LEAST_TRUNK = 3
"""At least this many points must be on the trunk, because fewer do not show how it is turned."""
SIZES = (0.4, 2.5)
"""Smallest and largest size of a person relative to a figure of known unit. Others are an error in the unit."""
UNITS = (1.0, 0.001, 0.01, 0.0254, 0.3048)
"""Units in metres that are suggested if the unit of the points is wrong."""
MANY_REJECTED = 0.05
"""If a larger share of the samples is rejected, a note says so."""
POOR = 0.06
"""A note says so if the root mean square of the distances is larger than this, in legs (5 cm for a person)."""
OFTEN = 0.05
"""Joints that are pushed against their limits in a larger share of the frames are listed."""


@one_thread
def fit_points(
    figure: Figure,
    points: ArrayLike | Markers,
    layout: str | None = None,
    confidence: ArrayLike | None = None,
    *,
    times: ArrayLike | None = None,
    rate: float | None = None,
    unit: float | None = None,
    up: str | None = None,
    bones: MapLike = None,
    lengths: bool = True,
    robust: bool = True,
    smooth: float | None = SMOOTH,
    travel: bool | None = None,
    name: str | None = None,
    progress: Progress | None = None,
) -> PointsFit:
    """Fits a figure to the 3-D keypoints of a pose estimator.

    The lengths of the body parts and the places of the points are calibrated from the data. The poses of all frames are
    found together, so they are smooth over time and gaps are bridged. All joint limits hold.

    Args:
        figure: a person, a character or a robot with arms and legs that moves freely in space, such as `mk.human()`.
        points: (frames, points, 3), or (…, 4) with a confidence, NaN in gaps; or `Markers` from `mk.load_points`.
        layout: which points of the body the columns are: "coco17", "body25", "halpe26", "h36m17", "mediapipe33" or
            "smpl24". Markers with known names, such as LHip or right_knee, need none.
        confidence: (frames, points) from 0 (not seen) to 1, the weight of each point. Only ratios count.
        times: (frames,) seconds, increasing.
        rate: frames per second, if there are no times; 30 by default. Markers have times.
        unit: the unit of the points in metres: 0.001 for millimetres. Arrays are in metres by default.
        up: the up axis of the points, "y", "z", "-y" and so on; None finds it from the trunk.
        bones: parts of the figure (a `BoneMap`, a map file or a dict); None uses `mk.bone_map`.
        lengths: whether to calibrate the proportions. If False, the figure is only scaled as a whole.
        robust: whether outliers lose their influence.
        smooth: frequency in Hz at which smoothing over time halves a wave; None smooths as little as possible.
        travel: what to do with points that are centred on the hips. None rebuilds the travel from the feet if the
            points are centred, True always rebuilds it, False never does.
        name: name of the motion.
        progress: called with (frames done, frames). If it returns False, the result has the frames done so far, at
            least one window of 400 frames.

    Returns:
        a `PointsFit`: the motion, and the errors of each point.

    Raises:
        BadShape, BadValue, UnknownName: wrong input; points with two coordinates need triangulation first.

    Example:
        >>> import manikin as mk
        >>> fit = mk.fit_points(mk.human(), points, "coco17", rate=30)  # doctest: +SKIP
        >>> mk.save(fit, "dance.bvh"); print(fit)  # doctest: +SKIP
    """
    # The points: checked, without those that the figure lacks, turned upright.
    check_options(figure, lengths, robust, smooth, travel)
    require_progress(progress)
    given = checked(points, layout, confidence, times, rate, unit)
    calibration = calibrate(figure, as_map(figure, bones, "bones"), option="bones")
    lacking = without_place(calibration, given.names)
    given = without(given, lacking, f"figure {figure.name!r} has no part for {listing(lacking, 6)}; they are ignored")
    notes = list(given.notes)
    _check_body(given, calibration)
    turn, note = turn_to(up if up is not None else getattr(points, "up", None), given, figure.up)
    notes += [note] if note else []
    backward = mirrored(given)
    if backward:
        notes.append(
            f"left and right seem to be exchanged: {listing(list(backward))} point backward; exchange the names of the "
            "sides, or negate one axis if the axes are left-handed"
        )
    # The figure: which joints move, and its first size.
    carrier = carrying_joint(calibration)
    only = joints_to_move(calibration, carrier)
    model = _model(calibration, given, only)
    only = [name for name in only if np.isin(np.flatnonzero(movable_steps(figure, only=[name])), model.columns).any()]
    turned = given.points @ turn.T
    if given.known_unit and figure.unit is not None:
        turned = turned / figure.unit
    ratio = _size(model, _used(turned, given, calibration.leg, robust), given, figure)
    if not (given.known_unit and figure.unit is not None):
        turned, ratio = turned / ratio, 1.0
    model = model.resized(np.full(len(GROUPS), np.log(ratio)), model.corrections)
    # Lengths and places from some calm frames.
    seen = _used(turned, given, calibration.leg * ratio, robust)
    calm = seen.smoothed()
    frames = calibration_frames(calm)
    if not len(frames):
        best, ever = seen.there.sum(axis=1).max(), seen.there.any(axis=0).sum()
        raise BadValue(f"no frame has 60 % of the {ever} points; the best has {best}")
    count, stopped = len(given.times), False

    def unstopped() -> bool:
        nonlocal stopped
        stopped = stopped or not goes_on(progress, 0, count)
        return not stopped

    pulls = PosturePulls.of(calibration, model.columns, carrier)
    start = first_poses(model, calm, only)
    shape = calibrate_shape(model, calm.part(frames), start[frames], pulls, robust, lengths, unstopped)
    model = shape.model
    start = first_poses(model, calm, only)
    # All poses.
    poses, over = fit_poses(model, seen, start, pulls, _frequency(smooth, seen), robust, progress)
    if stopped:
        notes.append("the call was stopped while lengths were calibrated; lengths and poses are rough")
    return _result(given, model, shape, seen, turned, poses, over, travel, name, notes, calibration, stopped)


def _used(points: Points, given: GivenPoints, leg: float, robust: bool) -> SeenPoints:
    """The samples that the fit uses."""
    seen = SeenPoints.of(points, given.confidence, given.times, leg)
    return seen.without_strays() if robust else seen


def _check_body(given: GivenPoints, calibration: Calibration) -> None:
    if calibration.bones.four_legged:
        raise BadValue(f"figure {calibration.figure.name!r} stands on four legs; the layouts are for people")
    if not any(given.ever):
        raise BadValue("points has only gaps (NaN or confidence 0); no two neighbouring points are ever seen together")
    trunk = [n for n, ever in zip(given.names, given.ever, strict=True) if ever and any(word in n for word in TRUNK)]
    if len(trunk) < LEAST_TRUNK:
        some = f"{counted(len(trunk), 'point')} {'is' if len(trunk) == 1 else 'are'}"
        raise BadValue(
            f"only {some} on the trunk ({listing(trunk) or 'none'}); at least {LEAST_TRUNK} of hips, shoulders, neck "
            "and spine are needed"
        )


def _model(calibration: Calibration, given: GivenPoints, only: list[str]) -> PointModel:
    """The model, in which only those degrees of freedom move that move a point, or that a learned posture predicts.
    Sliders are held."""
    figure = calibration.figure
    places = find_places(calibration, given.names)
    allowed = movable_steps(figure, only=only)
    whole = PointModel.of(figure, calibration.bones, places, np.flatnonzero(allowed))
    rng = np.random.default_rng(0)
    trial = np.stack([figure.rest, *(figure.clamp(figure.random(rng)) for _ in range(3))])
    columns = moving_columns(figure, list(allowed), whole, trial, given.ever)
    turned = [figure.segment(name).joint.name for name in PostureCoordinates(calibration, allowed).turned]
    return replace(whole, columns=np.union1d(columns, np.flatnonzero(allowed & movable_steps(figure, only=turned))))


def _size(model: PointModel, seen: SeenPoints, given: GivenPoints, figure: Figure) -> float:
    ratio = size_ratio(model, seen.smoothed())
    if ratio is None or not ratio > 0.0:
        raise BadValue(
            "no two neighbouring points (hip and knee, shoulder and elbow …) are ever seen together at different places"
        )
    if given.known_unit and figure.unit is not None and not SIZES[0] <= ratio <= SIZES[1]:
        fits = (u for u in UNITS if SIZES[0] <= ratio * u / given.unit <= SIZES[1])
        guess = next((f"unit={u:g}, or --unit {u:g}" for u in fits), "unit=, the length of their unit in metres")
        raise BadValue(
            f"the person is {ratio:.4g} times as large as figure {figure.name!r}, so the unit of the points "
            f"({given.unit:g} m) is probably wrong; pass {guess}"
        )
    return ratio


def _frequency(smooth: float | None, seen: SeenPoints) -> float:
    if len(seen.times) < 2:
        return 1.0
    rate = (len(seen.times) - 1) / float(seen.times[-1] - seen.times[0])
    if smooth is None:
        return 0.49 * rate
    return max(arrays.positive(smooth, "smooth"), least_frequency(seen.times))


def _result(
    given: GivenPoints,
    model: PointModel,
    shape: PointShape,
    seen: SeenPoints,
    targets: Points,
    poses: Poses,
    over: NDArray[np.bool_],
    travel: bool | None,
    name: str | None,
    notes: list[str],
    calibration: Calibration,
    stopped: bool,
) -> PointsFit:
    done = len(poses)
    # How far the points are off, and which were rejected.
    every = SeenPoints.of(targets, given.confidence, given.times, seen.leg)
    there, used = every.there[:done], seen.there[:done]
    distances = np.linalg.norm(model.points(poses) - every.points[:done], axis=-1)
    rejected = there & (~used | (distances > seen.part(slice(0, done)).outlier_distance(distances)))
    motion = Motion(model.figure, poses, given.times[:done], name or given.name)
    # The travel.
    centred = centred_on_hips(replace(given, points=np.where(seen.there[..., None], targets, np.nan)), seen.leg)
    how = "missing" if centred else "seen"
    if travel or (centred and travel is None):
        path = rebuilt_path(motion, calibration.bones)
        motion, targets, how = displaced(motion, path, calibration), targets[:done] + path[:, None], "rebuilt"
        why = "the points are centred on the hips; " if centred else ""
        notes.append(f"{why}the travel was rebuilt from the feet, without jumps")
    elif centred:
        notes.append("the points are centred on the hips; the travel is missing (travel=True rebuilds it)")
    # What the data do not show.
    empty = np.flatnonzero(~used.any(axis=1))
    if len(empty) == 1:
        notes.append(f"frame {empty[0]} has no points; its pose is a guess")
    elif len(empty):
        notes.append(f"{len(empty)} frames have no points, the first is {empty[0]}; their poses are guesses")
    never = [name for k, name in enumerate(given.names) if not used[:, k].any()]
    if never:
        notes.append(f"never seen: {listing(never, 6)}; joints that only these points show are guesses")
    present = {group_of(part) for part in calibration.bones}
    scales = {g: float(np.exp(x)) for g, x in zip(GROUPS, model.logs, strict=True) if g in present}
    deviations = {g: float(x) for g, x in zip(GROUPS, shape.deviations, strict=True) if g in present}
    unseen = [g for g in scales if deviations[g] > UNSEEN]
    # What does not fit.
    limits = _at_limits(model, over)
    share = float(rejected.sum() / max(there.sum(), 1))
    if unseen:
        notes.append(f"lengths not seen in these data: {listing(unseen)}")
    kept = distances[there & ~rejected]
    if kept.size and (rms := float(np.sqrt((kept**2).mean())) / seen.leg) > POOR:
        notes.append(f"the points fit the figure poorly (RMS {100.0 * rms:.0f} % of a leg): check layout, up and sides")
    if share > MANY_REJECTED:
        notes.append(f"{100.0 * share:.0f} % of the samples are outliers and were rejected")
    if limits:
        notes.append(f"the points push these joints against their limits: {listing(list(limits), 6)}")
    return PointsFit(
        motion=motion,
        notes=tuple(dict.fromkeys(notes)),
        complete=done == len(given.times) and not stopped,
        names=given.names,
        targets=arrays.frozen(np.where(there[..., None], targets[:done], np.nan)),
        residuals=arrays.frozen(np.where(there, distances, np.nan)),
        rejected=arrays.frozen(rejected, bool),
        scales=scales,
        deviations=deviations,
        at_limits=limits,
        layout=given.layout,
        attachments={
            point: (segment, tuple(float(x) for x in at))
            for point, segment, at in zip(given.names, model.places.segments, model.offsets, strict=True)
        },
        travel=how,
    )


def _at_limits(model: PointModel, over: NDArray[np.bool_]) -> dict[str, float]:
    """The joints that are pushed against their limits often, with the share of frames."""
    out = {}
    for segment in model.figure.segments:
        if not segment.joint.nq:
            continue
        steps = np.flatnonzero(movable_steps(model.figure, only=[segment.joint.name]))
        mine = over[:, np.isin(model.columns, steps)]
        if mine.size and (share := float(mine.any(axis=1).mean())) > OFTEN:
            out[segment.joint.name] = share
    return dict(sorted(out.items(), key=lambda item: -item[1]))
