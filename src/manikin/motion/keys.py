"""Inbetween: the motion between keyed poses, with keyed effectors and planted feet."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from manikin import arrays, rotations
from manikin.arrays import Matrix, Poses, Vector
from manikin.errors import BadValue
from manikin.figure import Figure
from manikin.figure.parts.find import bone_map
from manikin.figure.parts.skeleton import skeleton_of
from manikin.goals import Goal, Placement
from manikin.motion import ease as easing
from manikin.motion.adapt import adapt
from manikin.motion.between import between
from manikin.motion.clip import EASE, NOTHING, ClipQuestion, Mask
from manikin.motion.goal_errors import goal_errors
from manikin.motion.motion import Motion, require_motion
from manikin.motion.motion_solution import MotionSolution
from manikin.motion.over import Over, as_over, met_rows, settled_over, with_whole_samples
from manikin.motion.soles import find_soles

SAME_PLACE = (2e-3, 0.02)
"""A foot is planted if it is at most this far from its placement at the previous key, in sizes of the figure and
radians."""
FEET = ("foot",)
PACES = ("smooth", "linear", "hold")
"""How the motion leaves a key: "smooth" has speed 0 at both ends, "linear" has constant speed, and "hold" keeps the
pose until the next key."""


def inbetween(
    keys: Motion,
    goals: Sequence[Goal | Over] | Goal | Over = (),
    *,
    rate: float = 30.0,
    pace: str | Sequence[str] = "smooth",
    ease: float = EASE,
    plant: Sequence[str] | bool = True,
) -> MotionSolution:
    """Makes the motion through keyed poses.

    Between two keys, joints turn along the shorter arc, with speed and acceleration 0 at the keys. A foot that stands
    in the same place at two consecutive keys stays there between them. Goals change the poses between the keys as
    little as possible. The frames at the keys keep their poses if these meet the goals. A goal that begins or ends
    between keys is eased in and out over `ease`, or over the time to the nearest keyed pose. Errors are NaN meanwhile.

    Args:
        keys: the keyed poses and their times.
        goals: `Over` for effectors. Its targets may be keys too, as {seconds: target}. The target is then eased from
            key to key.
        rate: frames per second of the motion. Each key is moved to the nearest frame.
        pace: how the motion leaves a key, one word for all keys or one for each: "smooth", "linear" (at constant
            speed), or "hold" (the pose stays until the next key).
        ease: time in seconds in which a goal that begins or ends between keys is eased in and out.
        plant: names of the segments that may be planted; True finds the feet, False plants nothing.

    Example:
        >>> import manikin as mk
        >>> arm = mk.chain(2, planar=True)
        >>> keys = mk.Motion(arm, [[0.0, 0.0], [1.0, 0.5]], times=[0.0, 1.0])
        >>> inbetween(keys, rate=4).motion.poses[:, 0].round(3)
        array([0.   , 0.104, 0.5  , 0.896, 1.   ])
    """
    require_motion(keys, "keys")
    rate, seconds = arrays.positive(rate, "rate"), arrays.non_negative(ease, "ease")
    figure = keys.figure
    at = np.round((keys.times - keys.times[0]) * rate).astype(int)
    if (np.diff(at) < 1).any():
        raise BadValue(f"two keys fall on the same frame at {rate:g} frames per second; use a higher rate")
    times = keys.times[0] + np.arange(at[-1] + 1) / rate
    poses = _eased(figure, keys.poses, at, _paces(pace, len(at)))
    planted = _plants(figure, keys.poses, at, plant)
    given = [*planted, *(settled_over(as_over(goals), figure) if not _none(goals) else ())]
    motion = Motion(figure, poses, times, keys.name)
    if not given:
        question = ClipQuestion(
            (), np.zeros((len(times), 0)), np.zeros((len(times), 0), bool), np.zeros((len(times), 0)), ()
        )
        return MotionSolution.of(motion, question, np.zeros((len(times), 0)), ())
    rows, active, parts = [], [], []
    notes = [f"planted: {o.goal.label}" for o in planted]
    for k, over in enumerate(given):
        samples, bad = with_whole_samples(over.rows(times), over.goal)
        known = np.asarray(np.isfinite(samples).all(axis=1)) & over.counts(times)
        own = easing.held(samples) if known.any() else np.tile(over.goal.target, (len(times), 1))
        if bad:
            notes.append(f"{over.goal.label}: {bad} samples are not valid targets and are treated as gaps")
        if not known.any():
            notes.append(f"{over.goal.label} has no target in any frame and is ignored")
        u = np.where(known, 1.0, 0.0) if k < len(planted) else _ramps(over.goal, motion, own, known, at, seconds, notes)
        off = (u > NOTHING) & ~known
        if off.any():
            own[off] = easing.toward(over.goal, met_rows(figure, over.goal, poses[off]), own[off], u[off])
        rows.append(own)
        active.append(known | off)
        parts.append(np.where(known, 1.0, u))
    table, on = np.concatenate(rows, axis=1), np.stack(active, axis=1)
    part = np.stack(parts, axis=1)
    found = adapt(figure, poses, [o.goal for o in given], table, on, part, times)
    errors = np.where(part < 1.0, np.nan, found.errors)  # a goal counts from its first target on
    question = ClipQuestion(found.goals, table, on, part, ())
    return MotionSolution.of(motion.replaced(poses=found.poses), question, errors, notes)


def _ramps(
    goal: Goal, motion: Motion, rows: Matrix, known: Mask, at: Vector, seconds: float, notes: list[str]
) -> Vector:
    """(T,) the ramps u of a goal. They do not pass keyed poses. There are none if the motion meets the goal where it
    begins or ends."""
    times, settled = motion.times, goal.on(motion.figure)
    errors = goal_errors(motion.figure, (settled,), rows, known[:, None], motion.poses)[:, 0]
    met = np.nan_to_num(errors, nan=np.inf) <= settled.allowed
    ends = [e for a, b in easing.stretches(known) for e in (a, b - 1) if met[e]]
    u = easing.ramps(known, times, seconds, [*times[at][~known[at]].tolist(), *times[ends].tolist()])
    if (u > known).any() and not easing.can_lead(goal):
        notes.append(f"{goal.label} cannot be eased; it is switched on and off")
        return np.where(known, 1.0, 0.0)
    return u


def _none(goals: object) -> bool:
    return goals is None or (isinstance(goals, (list, tuple)) and not goals)


def _paces(pace: str | Sequence[str], count: int) -> list[str]:
    """One of `PACES` for each key."""
    words = [pace] * count if isinstance(pace, str) else list(pace)
    if len(words) != count:
        raise BadValue(f"pace has {len(words)} words; it needs one for each of the {count} keys")
    for k, word in enumerate(words):
        if word not in PACES:
            raise BadValue(f"pace of key {k} is {word!r}; it must be one of {', '.join(PACES)}")
    return words


def _eased(figure: Figure, keys: Poses, at: Vector, paces: list[str]) -> Poses:
    """(T, nq) poses through the keys. A frame at a key has the bits of the key."""
    frames = np.arange(int(at[-1]) + 1)
    if len(at) == 1:
        return np.array(keys)
    before = np.clip(np.searchsorted(at, frames, side="right") - 1, 0, len(at) - 2)
    x = (frames - at[before]) / (at[before + 1] - at[before])
    kind = np.array(paces)[before]
    part = np.where(kind == "smooth", easing.eased(x), np.where(kind == "linear", x, 0.0))
    out = between(figure, keys[before], keys[before + 1], part)
    out[at] = keys
    return out


def _plants(figure: Figure, keys: Poses, at: Vector, plant: Sequence[str] | bool) -> list[Over]:
    """A placement goal for each planted segment, in the frames between keys at which it is in the same place."""
    if isinstance(plant, bool):
        names = _feet(figure, keys) if plant else []
    else:
        names = [plant] if isinstance(plant, str) else list(plant)
    out = []
    for name in names:
        placed = figure.placements(keys, [name])[:, 0]
        places = np.concatenate([placed[:, :3, 3], rotations.from_matrix(placed[:, :3, :3])], axis=1)
        moved = np.linalg.norm(np.diff(places[:, :3], axis=0), axis=1) / figure.size
        turned = 2.0 * np.arccos(np.clip(np.abs((places[1:, 3:] * places[:-1, 3:]).sum(axis=1)), 0.0, 1.0))
        rows: Matrix = np.full((int(at[-1]) + 1, 7), np.nan)
        for k in np.flatnonzero((moved <= SAME_PLACE[0]) & (turned <= SAME_PLACE[1])):
            # The two placements may differ slightly. The foot moves from one to the other without a jump.
            a, b = int(at[k]), int(at[k + 1])
            part = easing.eased(np.linspace(0.0, 1.0, b - a + 1))
            goal = Placement(name, places[k])
            rows[a : b + 1] = easing.toward(goal, places[k][None], places[k + 1][None], part)
        if np.isfinite(rows).any():
            out.append(Over(Placement(name, places[0], name=f"{name} stands"), rows))
    return out


def _feet(figure: Figure, poses: Poses) -> list[str]:
    """Segments that are feet according to their names, otherwise according to the structure of the figure."""
    named = zip(figure.segment_names, skeleton_of(figure).named, strict=True)
    found = [name for name, part in named if part is not None and part.name in FEET]
    if found:
        return found
    try:
        soles = find_soles(figure, poses, bone_map(figure))
    except BadValue:  # a figure without legs
        return []
    return list(dict.fromkeys(soles.only_feet().segments))
