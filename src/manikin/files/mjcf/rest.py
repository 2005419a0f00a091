"""Finds a rest pose in which closed loops are closed.

MuJoCo assumes that a loop is closed in its reference pose. If joint limits exclude that pose (for example, a walking
robot whose knees are always bent), the rest pose is the middle of the ranges, which usually leaves loops open. So the
solver starts there and finds the nearest pose that closes the loops. That pose becomes the rest pose.
"""

from __future__ import annotations

from dataclasses import replace

from manikin.figure.figure import Figure
from manikin.figure.joint import Free
from manikin.figure.segment import Segment
from manikin.posing import solve

RESTARTS, ITERATIONS = 8, 1000
"""Effort of the solver: number of restarts and of iterations. Loops that can be closed are closed within a few
iterations."""
MOST_LOOPS = 100
"""With more loops, the rest pose is left unchanged."""


def closed_rest(figure: Figure) -> tuple[tuple[Segment, ...], str]:
    """The segments with a rest pose that closes the loops, and a sentence on what changed, empty if nothing did."""
    if not 0 < len(figure.loops) <= MOST_LOOPS:
        return figure.segments, ""
    roots = [s.joint.name for s in figure.segments if any(isinstance(m, Free) for m in s.joint.motions)]
    solution = solve(figure, [], freeze=roots, restarts=RESTARTS, iterations=ITERATIONS)
    if not solution.iterations:
        return figure.segments, ""
    if not solution.reached:
        return figure.segments, "some loops are open in the rest pose, and no pose was found that closes all loops"
    segments = []
    for s in figure.segments:
        first = figure.index_of(s.joint.name)
        numbers = tuple(float(x) for x in solution.pose[first : first + s.joint.nq])
        free = s.joint.coupling is None and s.joint.nq > 0
        segments.append(s.replaced(joint=replace(s.joint, rest=numbers)) if free else s)
    return tuple(segments), "the rest pose was moved to close the loops, as near as possible to mid-range"
