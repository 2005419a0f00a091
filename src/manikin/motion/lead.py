"""Ramps toward goals out of reach: a ramp leads to the point that the effector can reach, not beyond it.

A target far out of reach leaves the reach of a limb in the first few frames of its ramp. The limb would then stretch in
a fraction of the time of the ramp.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Matrix
from manikin.motion import ease
from manikin.motion.over import met_rows
from manikin.solvers.native.solver import Solver

Mask = NDArray[np.bool_]


def lead_to_reach(solver: Solver, rows: Matrix, active: Mask, parts: Matrix) -> Mask:
    """Changes the targets `rows` (T, k) in ramps, in place. Where a goal begins or ends, its frame is solved from the
    rest pose. If the goal is missed, its ramp leads to the target that this pose meets.

    Args:
        solver: the goals.
        rows: (T, k) the goals' own targets.
        active: (T, goals).
        parts: (T, goals) the ramps u; 1 where a goal counts in full.

    Returns:
        (T,) whether each frame is in such a ramp.
    """
    count = active.shape[1]
    ends = np.cumsum([0, *(len(goal.target) for goal in solver.goals[:count])])
    ramps: list[tuple[int, slice, int]] = []
    for k in range(count):
        for a, b in ease.stretches(active[:, k] & (parts[:, k] < 1.0)):
            up, down = b < len(rows) and parts[b, k] >= 1.0, a > 0 and parts[a - 1, k] >= 1.0
            middle = a + int(np.argmin(parts[a:b, k])) if up and down else (a if up else b)
            ramps += [(k, slice(a, middle), a - 1)] if down else []
            ramps += [(k, slice(middle, b), b)] if up else []
    out = np.zeros(len(rows), dtype=bool)
    if not ramps:
        return out
    edges = np.unique([edge for _, _, edge in ramps])
    found = solver.solve_many(None, rows[edges], active=active[edges])
    for k, frames, edge in ramps:
        at, goal = int(np.searchsorted(edges, edge)), solver.goals[k]
        if found.errors[at, k] > goal.allowed:
            rows[frames, ends[k] : ends[k + 1]] = met_rows(solver.figure, goal, found.poses[at][None])
            out[frames] = True
    return out
