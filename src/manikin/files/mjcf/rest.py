"""A rest pose in which closed loops are closed.

MuJoCo takes a loop as closed in its reference pose. Where limits exclude that pose (the knees of a walking robot are
bent for good), the middle of the ranges, which is our rest then, leaves rods hanging loose. The nearest pose that
closes the loops, found by the solver from there, is the rest pose instead.
"""

from __future__ import annotations

from dataclasses import replace

from manikin.figure.figure import Figure
from manikin.figure.joint import Free
from manikin.figure.segment import Segment
from manikin.solve import solve

RESTARTS, ITERATIONS = 8, 1000
"""How hard it is tried: loops that close at all close in a handful of iterations."""
MOST_LOOPS = 100
"""With more loops the rest pose is left as it is."""


def closed_rest(figure: Figure) -> tuple[tuple[Segment, ...], str]:
    """The segments with a rest pose that closes the loops, and a sentence on what was done, empty if nothing was."""
    if not 0 < len(figure.loops) <= MOST_LOOPS:
        return figure.segments, ""
    roots = [s.joint.name for s in figure.segments if any(isinstance(m, Free) for m in s.joint.motions)]
    solution = solve(figure, [], freeze=roots, restarts=RESTARTS, iterations=ITERATIONS)
    if not solution.iterations:
        return figure.segments, ""
    if not solution.reached:
        return figure.segments, "loops are open in the rest pose, and no pose was found in which they all close"
    segments = []
    for s in figure.segments:
        first = figure.index_of(s.joint.name)
        numbers = tuple(float(x) for x in solution.pose[first : first + s.joint.nq])
        free = s.joint.coupling is None and s.joint.nq > 0
        segments.append(s.replaced(joint=replace(s.joint, rest=numbers)) if free else s)
    return tuple(segments), "the rest pose is the nearest to mid-range that closes the loops"
