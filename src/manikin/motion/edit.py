"""Edit: goals for some frames, blended into a clip."""

from __future__ import annotations

import operator
from collections.abc import Sequence

import numpy as np

from manikin import arrays
from manikin.arrays import Matrix, Poses, Vector
from manikin.base.blas import one_thread
from manikin.errors import BadValue
from manikin.goals import Goal
from manikin.motion import ease as easing
from manikin.motion.adapt import adapt
from manikin.motion.clip import ClipQuestion
from manikin.motion.motion import Motion, require_motion
from manikin.motion.motion_solution import MotionSolution
from manikin.motion.over import Over, as_over, met_rows, settled_over, with_whole_samples


@one_thread
def edit(
    motion: Motion,
    goals: Sequence[Goal | Over] | Goal | Over,
    frames: tuple[int, int],
    blend: int = 20,
    *,
    joints: Sequence[str] | str | None = None,
) -> MotionSolution:
    """Changes a motion so that it meets goals in some frames, with a smooth blend before and after.

    By default, only the limb of each effector moves, up to where it branches off the body. If that is not enough, more
    joints toward the root move too. All other joints, and all frames before and after the blend, keep their bits. If
    the motion is saved in its original format, the text of these numbers is unchanged too. In the blend, targets start
    at the effector positions of the clip, so the motion does not jump.

    Args:
        motion: the clip.
        goals: use `Over` for targets that vary (one row for each frame of the clip). A plain goal has one target.
        frames: the first and the last frame in which the goals are met.
        blend: number of frames before and after in which the goals are eased in and out.
        joints: names of the joints that may move; "all"; None uses as few as possible.

    Returns:
        a `MotionSolution` with the edited clip. Its `errors` are NaN outside the edited frames.

    Example:
        >>> import manikin as mk
        >>> arm = mk.chain(3, planar=True)
        >>> still = mk.Motion(arm, np.tile([0.3, 0.4, 0.2], (60, 1)), rate=30)
        >>> clip = edit(still, mk.Position("Tip", (1.5, 1.5), axes="xy"), frames=(25, 35), blend=10)
        >>> bool(clip.reached.all()), bool((clip.motion.poses[:15] == still.poses[:15]).all())
        (True, True)
    """
    require_motion(motion, "motion")
    first, last = _frames(frames, len(motion))
    blend = arrays.whole(blend, "blend", 0)
    given = settled_over(as_over(goals), motion.figure)
    figure, count = motion.figure, len(motion)
    low, high = max(first - blend, 0), min(last + blend, count - 1) + 1
    number: Vector = np.arange(float(low), float(high))
    before = easing.eased((number - first + blend + 1.0) / (blend + 1.0)) if first > 0 else np.ones(len(number))
    after = easing.eased((last + blend + 1.0 - number) / (blend + 1.0)) if last < count - 1 else np.ones(len(number))
    part = np.minimum(before, after)
    rows, notes = [], []
    base = motion.poses[low:high]
    for over in given:
        if over.during is not None:
            raise BadValue(f"{over.goal.label}: during is {over.during}; edit takes frames= instead")
        samples, bad = with_whole_samples(over.rows(motion.times), over.goal)
        known = np.asarray(np.isfinite(samples).all(axis=1))
        if not known[first : last + 1].any():
            raise BadValue(f"targets of {over.goal.label!r} are missing in all frames from {first} to {last}")
        if bad or not known[first : last + 1].all():
            notes.append(f"{over.goal.label}: targets are missing in some frames; the nearest targets are used there")
        rows.append(_led(over.goal, motion, samples, slice(low, high), part, notes))
    table = np.concatenate(rows, axis=1)
    active = np.ones((len(number), len(given)), dtype=bool)
    ramps = np.tile(part[:, None], len(given))
    found = adapt(figure, base, [o.goal for o in given], table, active, ramps, motion.times[low:high], joints)
    poses = np.array(motion.poses)
    poses[low:high] = found.poses
    errors = np.full((count, len(given)), np.nan)
    errors[low:high] = found.errors
    notes.append(f"joints that moved: {', '.join(_moved(motion, poses)) or 'none'}")
    whole = np.full((count, table.shape[1]), np.nan)
    whole[low:high] = table
    on = np.zeros((count, len(given)), dtype=bool)
    on[low:high] = True
    parts = np.ones((count, len(given)))
    parts[low:high] = ramps
    question = ClipQuestion(found.goals, whole, on, parts, ())
    return MotionSolution.of(motion.replaced(poses=poses), question, errors, notes)


def _led(goal: Goal, motion: Motion, samples: Matrix, frames: slice, part: Vector, notes: list[str]) -> Matrix:
    """Targets (n, k) of some frames. In the blend, they move from the effector positions to the goal's targets."""
    own = easing.held(samples)[frames] if samples.shape[1] else samples[frames]
    if not samples.shape[1] or not easing.can_lead(goal):
        if samples.shape[1]:
            notes.append(f"{goal.label} cannot be blended; it applies in full in all frames of the blend")
        return own
    base = met_rows(motion.figure, goal, motion.poses[frames])
    return np.where((part == 1.0)[:, None], own, easing.toward(goal, base, own, part))


def _moved(motion: Motion, poses: Poses) -> list[str]:
    figure = motion.figure
    changed = (poses != motion.poses).any(axis=0)
    names = []
    for segment in figure.segments:
        first = figure.index_of(segment.joint.name)
        if changed[first : first + segment.joint.nq].any():
            names.append(segment.joint.name)
    return names


def _frames(frames: tuple[int, int], count: int) -> tuple[int, int]:
    try:
        first, last = (operator.index(f) for f in frames)
    except (TypeError, ValueError) as error:
        raise BadValue(
            f"frames is {frames!r}; it needs the first and the last frame as whole numbers, such as (100, 160)"
        ) from error
    if not 0 <= first <= last < count:
        raise BadValue(f"frames are {first} to {last}; the clip has frames 0 to {count - 1}")
    return first, last
