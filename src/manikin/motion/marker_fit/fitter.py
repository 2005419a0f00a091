"""Calibrates a marker set on a person, and solves its frames."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from manikin import arrays
from manikin.arrays import Matrix, Points, Poses, Rotations, Vector
from manikin.errors import BadValue, unknown_name
from manikin.figure import Figure
from manikin.figure.movable import movable_steps
from manikin.figure.parts.bone_map import SIDES
from manikin.motion.marker_fit.attachments import Attachment
from manikin.motion.marker_fit.body import TRUNK, MarkerBody
from manikin.motion.marker_fit.calibrate import COMMON, CalibrationProblem, Priors, State
from manikin.motion.marker_fit.inverse import MarkerSolver
from manikin.motion.marker_fit.knees import SIGMA, Knee
from manikin.motion.marker_fit.limits import HELD, widened
from manikin.motion.marker_fit.model import MarkerModel
from manikin.motion.marker_fit.start import started

MARKER = 0.0066
"""σ_m: standard deviation of a measured marker against the model, in sizes (10 mm). Skin moves this much."""
LENGTHS, TIED = 0.10, 0.03
"""σ_g: standard deviations of scales about the common factor. Markers hardly show the lengths of the trunk and the
width of the hips, so these are tied."""
TRUNK_GROUPS = ("pelvis", "spine", "neck")
FIXED = 1e-5
"""Standard deviation of a scale that is not fitted."""
POSTURE = {"spine": 0.5, "neck": 0.5, "clavicle": 0.5, "foot": 1.0, "hand": 1.0}
"""Standard deviations of joint angles from the rest pose in radians, by group; others have LIMBS."""
LIMBS = 3.0
STEPS, MOST_ROUNDS, SETTLED, STEADY = 3, 8, 0.01, 0.002
"""Gauss–Newton steps in a round, and the largest number of rounds. The rounds end if the RMS changes by less than the
third number (relative) and every scale by less than the fourth."""
START_ITERATIONS, ROUND_ITERATIONS = 30, 10
ROBUST = 0.04
"""Scale c of the robust loss from the second round on, in sizes (60 mm)."""
DIGITS = 7
"""Calibrated numbers are rounded to this many digits, so that an attachment file holds them exactly."""


@dataclass(frozen=True, eq=False)
class Options:
    """Options of a calibration."""

    scales: str | Mapping[str, float] | None = "symmetric"
    """"symmetric", "one", "each", None, or {group: σ}."""
    slack: float = 10.0
    twists: Mapping[str, float] | None = None
    """Joints whose twist is held, and its value in radians."""
    knees: tuple[Knee, ...] = ()
    """Knees that may lean, see `knees.loosened`."""
    clip: bool = False
    """Whether all frames of a clip are fitted, not only those of a calibration."""


class Fitter:
    """A person with a marker set."""

    def __init__(self, body: MarkerBody, base: Figure, markers: tuple[Attachment, ...], options: Options) -> None:
        """
        Args:
            body: the person.
            base: the person with the lengths from which the calibration starts.
            markers: at least one.
            options: see `Options`.
        """
        self.body, self.base, self.markers = body, base, markers
        self.groups, self.group = body.groups(tied=options.scales != "each")
        self.work = widened(base, options.slack, options.twists)
        segments = np.array([base.segment_index(m.segment) for m in markers], dtype=np.int32)
        self.model = MarkerModel(self.work, segments, self.group, len(self.groups))
        pairs = zip(base.segments, self.model.felt, strict=True)
        self.joints = tuple(s.joint.name for s, felt in pairs if felt and s.joint.nq and s.joint.coupling is None)
        self.movable = movable_steps(self.work, only=self.joints)
        self.offsets = np.array([m.offset for m in markers])
        self.weights = np.array([m.weight for m in markers])
        self.options, self._segments = options, segments
        names = tuple(m.name for m in markers)
        on = tuple(m.segment for m in markers)
        held = {name: MARKER / sigma for name, sigma in self._sigmas().items() if sigma < LIMBS}
        self.solver = MarkerSolver(self.work, names, on, self.offsets, self.joints, held if options.clip else None)
        if options.clip:
            self.solver.prepare_track()
        tied, of = body.groups()
        self.trunk = np.array([tied[of[i]] in TRUNK for i in segments])
        """(M,) whether a marker is on the trunk or a thigh."""

    @cached_property
    def priors(self) -> Priors:
        """What is known before the calibration."""
        sigmas, common = scale_sigmas(self.options.scales, self.groups)
        return Priors(
            self.offsets,
            np.array([m.sigma for m in self.markers]),
            sigmas,
            self.group[self._segments],
            self._posture(self.options.twists or {}, {knee.joint for knee in self.options.knees}),
            MARKER * self.body.figure.size,
            common,
        )

    def _sigmas(self) -> dict[str, float]:
        """The standard deviation of each joint from the rest pose, in radians, without the root."""
        tied, of = self.body.groups()
        return {
            segment.joint.name: POSTURE.get(tied[of[i]], LIMBS)
            for i, segment in enumerate(self.work.segments)
            if segment.parent is not None and segment.joint.name in self.joints
        }

    def _posture(self, twists: Mapping[str, float], knees: set[str]) -> Matrix:
        """(nv, nv) P of the priors. It is narrow about the axis of a held twist, and for the lean of a knee."""
        figure = self.work
        out = np.zeros((figure.nv, figure.nv))
        joints = {segment.joint.name: segment.joint for segment in figure.segments}
        for name, sigma in self._sigmas().items():
            joint = joints[name]
            steps = np.flatnonzero(movable_steps(figure, only=[name]))
            out[steps, steps] = 1.0 / sigma
            if joint.name in knees:
                out[steps[0], steps[0]] = 1.0 / SIGMA
            if joint.name in twists:
                axis = np.array(joint.motions[-1].limits.axis)  # type: ignore[union-attr]
                rows = np.eye(3) * out[steps[0], steps[0]] + np.outer(axis, axis) / (0.5 * HELD)
                out[np.ix_(steps[-3:], steps[-3:])] = rows
        return out

    def lengths(self, scales: Vector) -> dict[str, float]:
        """The factor of each segment for scales (G,)."""
        return {name: float(scales[g]) for name, g in zip(self.base.segment_names, self.group, strict=True)}

    def start(self, measured: Points, seen: Any) -> tuple[Poses, float, Rotations]:
        """Poses (N, nq) at the markers of the trunk, the common scale, and the turns of the body (N, 3, 3)."""
        rest = self.model.positions(self.work.rest[None], np.ones(len(self.groups)), self.offsets)[0]
        t = self.trunk
        poses, common, turns = started(self.body, rest[t], measured[:, t], seen[:, t] * self.weights[t])
        if poses.shape[1] != self.work.nq:  # knees that may lean have another number; the root has the same ones
            root, moved = slice(0, self.work.segments[0].joint.nq), poses
            poses = np.tile(self.work.rest, (len(moved), 1))
            poses[:, root] = moved[:, root]
        return poses, common, turns

    def common(self, positions: Points) -> float:
        """The size of the body in markers (N, M, 3), with NaN in gaps, relative to the figure."""
        seen = ~np.isnan(positions[..., 0])
        return self.start(np.where(seen[..., None], positions, 0.0), seen)[1]

    def calibrated(
        self,
        positions: Points,
        start: State | None = None,
        go_on: Callable[[], bool] = lambda: True,
    ) -> tuple[State, Vector, list[float]]:
        """Scales, attachments and poses of frames (N, M, 3), with NaN in gaps. Also the standard deviations of the
        scales (G,), and the RMS of the start and of each round.

        Args:
            positions: the measured markers.
            start: where to begin; None begins at the markers of the trunk.
            go_on: called after each round. If it returns False, the rounds end.
        """
        seen = ~np.isnan(positions[..., 0])
        measured = np.where(seen[..., None], positions, 0.0)
        rows = measured.reshape(len(measured), -1)
        state = self._first(measured, seen) if start is None else start
        weights = np.tile(self.weights, (len(rows), 1))
        solver = self.solver.with_numbers(state.offsets, self.lengths(state.scales))
        state.poses, errors = solver.frames(self.work.clamp(state.poses), rows, weights, seen, START_ITERATIONS)
        history = [_rms(errors, seen)]
        share = np.ones(seen.shape)
        problem = CalibrationProblem(self.model, measured, seen * weights, self.priors, self.movable, self.work.clamp)
        for k in range(MOST_ROUNDS):
            problem.weights, scales = seen * weights * share, state.scales
            for _ in range(STEPS):
                if not problem.step(state):
                    break
            solver = self.solver.with_numbers(state.offsets, self.lengths(state.scales))
            state.poses, errors = solver.frames(state.poses, rows, weights * share, seen, ROUND_ITERATIONS)
            share = solver.loss(np.where(seen, errors, 0.0), ROBUST)
            history.append(_rms(errors, seen, share))
            steady = np.abs(state.scales - scales).max() < STEADY
            if not go_on() or (k > 0 and steady and abs(history[-1] - history[-2]) < SETTLED * history[-1]):
                break
        deviations = problem.deviations(state)
        state.scales, state.offsets = np.round(state.scales, DIGITS), np.round(state.offsets, DIGITS)
        return state, deviations, history

    def _first(self, measured: Points, seen: Any) -> State:
        """The state from which a calibration begins."""
        poses, common, _ = self.start(measured, seen)
        if self.priors.common <= FIXED:
            common = 1.0
        return State(poses, np.full(len(self.groups), common), common, common * self.offsets)


def gait_twists(body: MarkerBody, markers: tuple[Attachment, ...]) -> list[str]:
    """The ankles of a gait set: balls with limits whose foot, shank and thigh all have markers."""
    from manikin.figure import Ball

    out, carried = [], {body.bones.part_of(m.segment) for m in markers}
    for side in SIDES:
        if all(f"{side} {part}" in carried for part in ("thigh", "shank", "foot")):
            joint = body.figure.segment(body.bones.first(f"{side} foot")).joint
            ball = joint.motions[-1] if joint.motions else None
            if isinstance(ball, Ball) and ball.limits is not None:
                out.append(joint.name)
    return out


def _rms(errors: Matrix, seen: Any, share: Matrix | None = None) -> float:
    """Root mean square of the errors of seen markers. With robust weights `share`, outliers do not count."""
    weights = seen * (1.0 if share is None else share)
    return float(np.sqrt((weights * np.where(seen, errors, 0.0) ** 2).sum() / max(weights.sum(), 1e-12)))


def scale_sigmas(scales: str | Mapping[str, float] | None, groups: list[str]) -> tuple[Vector, float]:
    """σ_g of each group, and σ_s of the common factor.

    Raises:
        BadValue, UnknownName: `scales` is none of the choices of `fit_markers`, or names an unknown group.
    """
    usual = np.array([TIED if g in TRUNK_GROUPS else LENGTHS for g in groups])
    if isinstance(scales, Mapping):
        for name, sigma in scales.items():
            if name not in groups:
                raise unknown_name("scales: the figure", "group", name, groups)
            usual[groups.index(name)] = max(arrays.non_negative(sigma, f"scales: {name!r}"), FIXED)
        return usual, COMMON
    if scales is None:
        return np.full(len(groups), FIXED), FIXED
    if scales == "one":
        return np.full(len(groups), FIXED), COMMON
    if scales in ("symmetric", "each"):
        return usual, COMMON
    raise BadValue(f"scales is {scales!r}; it must be 'symmetric', 'one', 'each', None, or a dict {{group: deviation}}")
