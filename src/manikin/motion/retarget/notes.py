"""Sentences about what was assumed or went wrong while a motion was retargeted."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from manikin.arrays import Vector
from manikin.motion.contacts import Contacts
from manikin.motion.retarget.ideal import Ideal
from manikin.motion.retarget.watch import Observed

JUMP = 30.0
"""A part of the source jumps if it turns by more than this in one frame, in degrees."""
LEAP = 1.0
"""The body of the source jumps if the hips move further than this in one frame, in legs, and ten times as far as usual
in this motion."""
OFF = 10.0
"""A limb does not follow if its direction is off by more than this, in degrees."""
OFTEN = 0.2
"""A limb that does not follow is noted if this is so in more than this fraction of frames."""


def stop_notes(done: int, count: int) -> list[str]:
    """A sentence if `progress` stopped the call."""
    return [] if done == count else [f"the call was stopped after {done} of {count} frames"]


def notes(watched: Observed, ideal: Ideal, first: int, touching: Contacts, off: Mapping[str, Vector]) -> list[str]:
    """What a user should know about the result.

    Args:
        watched: the source.
        ideal: where the parts of the target were wanted.
        first: the first frame of the source that was used.
        touching: the contacts of the source.
        off: the `bone_errors` of the result.
    """
    out = list(dict.fromkeys([*watched.calibration.notes, *ideal.calibration.notes]))
    if first:
        which = "frame 0 is" if first == 1 else f"frames 0 to {first - 1} are"
        out.append(f"{which} a separate pose and {'was' if first == 1 else 'were'} left out")
    if touching.on_the_spot:
        out.append("the motion walks on the spot")
    ways = np.linalg.norm(np.diff(watched.hips, axis=0), axis=1) / watched.calibration.leg
    if len(ways) and ways.max() > max(LEAP, 10.0 * float(np.median(ways))):
        frame = int(ways.argmax()) + first
        out.append(f"the body of the source moves by {ways.max():.3g} legs from frame {frame} to {frame + 1}")
    for part, angles in watched.steps.items():
        steps = np.rad2deg(angles)
        if len(steps) and steps.max() > JUMP:
            frame = int(steps.argmax()) + first
            verb = "turn" if part.endswith("toes") else "turns"
            out.append(f"the {part} of the source {verb} by {steps.max():.0f}° from frame {frame} to {frame + 1}")
    for part, angles in off.items():
        degrees = np.rad2deg(angles)
        share = float((degrees > OFF).mean())
        if share > OFTEN:
            out.append(
                f"limits or contacts keep the {part} more than {OFF:.0f}° from its direction in {100.0 * share:.0f} % "
                f"of frames (mean {degrees.mean():.0f}°)"
            )
    return out
