"""The numbers that decide how a drag feels, and `Frame`, one frame of a drag."""

from __future__ import annotations

from dataclasses import dataclass

from manikin.arrays import Vector

RATE = 60.0
"""Frames a second that the speed limit assumes."""
MOST_TURN = 0.24
"""No joint turns by more than this in a frame, in radians."""
STEP, STEP_TURN = 0.012, 0.1
"""Longest step of the dragged target: in sizes of the figure, and in radians if the orientation is dragged too."""
MOST_STEPS = 64
"""Largest number of steps to where the target was moved. Farther targets have longer steps."""
ENOUGH = 0.5
"""A frame makes no further step when a joint has turned by this part of `MOST_TURN`, or after this part of `BUDGET`, in
time of the processor."""
BUDGET = 0.02
"""Time limit of a row in seconds."""
TOLERANCE = 1e-3
"""Tolerance of the dragged point, in sizes of the figure. People cannot see less."""
STILL = 1.3e-4
"""A figure is at rest if no segment moves by more than this in a frame, in sizes of the figure: 0.2 mm for a person."""
LONGEST_REST = 30
"""A figure counts as settled after this many frames at rest, even if it still creeps."""
LOOK_AFTER = 8
"""After this many frames at rest that miss the target, a better pose is searched."""
RESTARTS, SEARCH = 3, 1.0
"""Number of restarts of that search, and its time limit in seconds."""
BETTER = 0.7
"""The pose found is used if the error falls below this fraction of the present error."""
STRIDE = 0.16
"""Turn of the joint that turns most in a frame on the way to the pose found, in radians. The joints that keep the feet
in place may turn more, up to `MOST_TURN`."""
EASY_STRIDE = 0.08
"""The same where no target is missed, so that the figure moves gently."""


@dataclass(frozen=True, eq=False)
class Frame:
    """One frame of a drag."""

    pose: Vector
    """(nq,)"""
    errors: Vector
    """(goals,) the error of each goal of `Drag.names`, in lengths or radians."""
    missed: bool
    """Whether the dragged point is farther from its target than its tolerance."""
    seconds: float
    """Time of the solve."""
