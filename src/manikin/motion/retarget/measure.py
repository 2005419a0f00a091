"""How well a figure follows its ideal placements: directions of bones, wrists, soles, turns and limits.

Millimetres are those of a person with legs of 0.86 m, whatever the size of the figure. Percentages are of body height,
which is the leg divided by 0.49.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from manikin.arrays import Matrix, Points, Poses, Vector
from manikin.figure import Euler, Figure, Free, Hinge, Slider
from manikin.figure.parts.bone_map import SIDES, following
from manikin.motion.frames import Flags, middle, runs
from manikin.motion.retarget.goals import LIMBS
from manikin.motion.retarget.ideal import Ideal
from manikin.motion.retarget.watch import Observed, angles_between, watch
from manikin.motion.soles import Soles

LEG = 0.86
"""Length of a person's leg, from hip to ankle, in metres."""
FAR = 30.0
"""A frame does not follow the source if its limbs are off by more than this on average, in degrees."""
LEG_PART = 0.49
"""The leg as a fraction of body height."""


def measure(
    ideal: Ideal,
    watched: Observed,
    poses: Poses,
    got: Observed | None = None,
    off: Mapping[str, Vector] | None = None,
) -> dict[str, Any]:
    """Quality figures of poses (frames, nq) that follow ideal placements.

    Args:
        ideal: the placements.
        watched: the source.
        poses: (frames, nq).
        got: the poses as `watch` sees them; None looks at them.
        off: their `bone_errors`; None computes them.
    """
    target = ideal.calibration
    got = watch(target, poses) if got is None else got
    errors = np.array(list((bone_errors(ideal, got) if off is None else off).values()))
    height = target.leg / LEG_PART
    out: dict[str, Any] = {"bone_error_deg": float(np.rad2deg(errors).mean()) if errors.size else 0.0}
    out["far_percent"] = 100.0 * float((np.rad2deg(errors).mean(axis=0) > FAR).mean()) if errors.size else 0.0
    wrists = [
        np.linalg.norm(got.centers[hand] - ideal.center(hand)[: len(poses)], axis=1)
        for side in SIDES
        if (hand := f"{side} hand") in target.links
    ]
    out["wrist_error_percent"] = float(100.0 * np.mean(wrists) / height) if wrists else 0.0
    both = (watched.largest_turns()[: max(len(poses) - 1, 0)], got.largest_turns())
    out["source_turn_deg"], out["turn_deg"] = (float(np.rad2deg(x.max())) if len(x) else 0.0 for x in both)
    out["turn_excess_deg"] = max(0.0, out["turn_deg"] - out["source_turn_deg"])
    violation = np.atleast_1d(target.figure.violation(poses))
    out["frames_over_limit"] = int((violation > 0.0).sum())
    return out


def bone_errors(ideal: Ideal, got: Observed) -> dict[str, Vector]:
    """(frames,) for each limb part: the angle between its direction and its ideal direction, in radians."""
    parts = {part: following(part) for part in (f"{side} {limb}" for side in SIDES for limb in LIMBS)}
    parts = {part: after for part, after in parts.items() if after in ideal.calibration.links}
    if not parts:
        return {}
    wanted = np.stack([(ideal.center(after) - ideal.center(part))[: len(got)] for part, after in parts.items()])
    found = np.stack([got.centers[after] - got.centers[part] for part, after in parts.items()])
    return dict(zip(parts, angles_between(wanted, found), strict=True))


def sole_places(ideal: Ideal, soles: Soles, poses: Poses) -> Points:
    """(P, frames, 3) where the soles are in poses, in canonical axes."""
    return np.asarray(soles.over(ideal.calibration.figure, poses) @ ideal.calibration.world)


def contact_figures(soles: Soles, masks: Flags, places: Points, heights: Matrix) -> dict[str, Any]:
    """Slide and sinking of the soles.

    The slide of a contact is the largest horizontal distance of its point from where it is in the middle of the
    contact (the median).

    Args:
        soles: the points.
        masks: (P, frames) whether each point is on the floor.
        places: (P, frames, 3) the points, relative to the floor.
        heights: (P, frames) their heights above the floor.
    """
    unit = 1000.0 * LEG / soles.leg
    slides: dict[bool, list[float]] = {False: [], True: []}
    for k, (at, mask) in enumerate(zip(places[..., [0, 2]], masks, strict=True)):
        for first, last in runs(mask):
            here = at[first : last + 1]
            slides[k < soles.feet].append(float(np.linalg.norm(here - middle(here), axis=1).max()))
    return {
        "slide_mean_mm": unit * float(np.mean(slides[True])) if slides[True] else 0.0,
        "slide_mm": unit * max(slides[True], default=0.0),
        "hand_slide_mm": unit * max(slides[False], default=0.0),
        "sinking_mm": unit * max(0.0, -float(heights[: soles.feet].min())) if heights.size else 0.0,
    }


def joint_speeds(figure: Figure, poses: Poses, times: Vector) -> dict[str, float]:
    """The largest speed of each joint that turns, in rad/s, fastest first."""
    if len(poses) < 2:
        return {}
    steps = figure.difference(poses[:-1], poses[1:]) / np.diff(times)[:, None]
    out: dict[str, float] = {}
    for segment in figure.segments:
        joint = segment.joint
        turn = joint.motions[-1] if joint.motions else None
        if joint.coupling is None and turn is not None and not isinstance(turn, Slider):
            count = len(turn.order) if isinstance(turn, Euler) else 1 if isinstance(turn, Hinge) else 3
            slides = 3 if isinstance(turn, Free) else len(joint.motions) - 1
            first = figure.step_of(joint.name) + slides
            out[joint.name] = float(np.linalg.norm(steps[:, first : first + count], axis=1).max())
    return dict(sorted(out.items(), key=lambda item: -item[1]))
