"""The damped step within bounds, in plain NumPy: the readable twin of cpp/kernels/bounded_step.cpp.

Minimises  ½‖J d − dX‖² + ½λ²‖d − c‖²  subject to  lower ≤ d ≤ upper.  c = 0, except for damping near zero (see below).

d is the minimum when, with r = dX − J d and the descent  w = Jᵀr − λ²(d − c)  (minus the gradient),

    wᵢ = 0 where lowerᵢ < dᵢ < upperᵢ,    wᵢ ≤ 0 where dᵢ = lowerᵢ,    wᵢ ≥ 0 where dᵢ = upperᵢ        (KKT).

**The active set.** The method must find which angles are held at a bound. A linear system then gives the others.

1. *All at once* (primal-dual active set): solve with no angle held. Then hold every angle that is past a bound, free
   every held angle whose w points inward, and solve again until nothing changes. The conditions above then hold. This
   usually takes three to eight rounds, but it may cycle. If the number of changes has not fallen for `PATIENCE` rounds,
   the second method takes over.
2. *One at a time* (primal active set, as in Lawson and Hanson, and in Stark and Parker): from a point within the
   bounds, move toward the minimum over the free angles up to the first bound, and hold that angle. At the minimum, free
   the one held angle whose w points inward most. The cost falls each time an angle is freed, so no set of held angles
   occurs twice and the method ends.

**The linear system.** With the free columns J_F and x = dX − J_B d_B − J_F c_F, the smaller of two forms is solved:

    fewer free angles than rows:  (J_FᵀJ_F + λ²I) e = J_Fᵀx,  d_F = c_F + e;
    else                          (J_F J_Fᵀ + λ²I) y = x,      d_F = c_F + J_Fᵀy,  r = λ²y.

In the second form w = λ²(Jᵀy − d + c), without the cancellation in r. Both forms are solved a second time for the
remainder of the first solution. If λ is small compared with J, the squares lose digits, and the second solution
restores them. It cannot repair a huge y, for which the sum J_Fᵀy loses the digits of d. y is λ⁻² times the unreachable
part of x. So the first form is used if that part is large and λ is small: the error, (ε‖J‖²/λ²)²‖λ²y‖/‖x‖ with the unit
roundoff ε, is above `ROWS_SLACK`.

**Damping near zero.** Below λ = `FLOOR`·‖J‖ these systems can be singular to rounding. The proximal point method is
used instead. It starts at d = 0 and solves with μ = FLOOR·‖J‖ in place of λ and with the centre c = (1 − λ²/μ²) d of
the last result d, until nothing moves. The remaining error of w is (μ² − λ²)(d − last). For λ = 0 and without active
bounds it is below μ‖dX‖/√(2ek) after k rounds, for any singular values. The result is the pseudo-inverse step if all
singular values are above μ.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from manikin.arrays import Matrix, Vector

FLOOR = 1e-7
"""Smallest damping, as a fraction of the Frobenius norm of J, with which the linear systems are solved directly."""
PROXIMAL_STEPS = 60
"""Largest number of rounds of the proximal point method."""
PATIENCE = 4
""""One at a time" takes over if the least number of changes has not fallen for this many rounds of "all at once"."""
CAP_PER_ANGLE = 20
"""Largest number of linear systems of "one at a time", for each angle."""
SLACK = 1e-13
"""w points inward only if its size is more than this fraction of the sum of its terms. Less is rounding."""
ROWS_SLACK = 1e-14
"""The rows form is used up to this relative error."""
EPSILON = 2.0**-52
"""Unit roundoff ε."""
SMALLEST = 1e-140
"""J and λ are treated as zero up to this size (as in `linalg.inverses`). The step is then the one nearest to 0."""

AT_LOWER, FREE, AT_UPPER = -1, 0, 1


def bounded_step(J: Matrix, dX: Vector, damping: float, lower: Vector, upper: Vector) -> tuple[Vector, int]:
    """The step, and the number of linear systems that were solved for it.

    Args:
        J: (m, n), finite.
        dX: (m,), finite.
        damping: λ ≥ 0.
        lower, upper: (n,), lower ≤ upper, infinite where free.
    """
    # Scaling by a power of two changes only the exponents. The squares below then neither overflow nor underflow.
    largest = max(float(np.abs(J).max(initial=0.0)), damping)
    if largest <= SMALLEST:
        return np.clip(np.zeros(J.shape[1]), lower, upper), 0
    per_unit = math.ldexp(1.0, 1 - math.frexp(largest)[1])
    problem = _Problem(J * per_unit, dX * per_unit, lower, upper)
    damping = damping * per_unit

    floor = FLOOR * problem.norm
    if damping >= floor:
        step = problem.minimum(damping, np.zeros(J.shape[1]))
        return step, problem.solves
    keep = 1.0 - (damping / floor) ** 2
    step = np.zeros(J.shape[1])
    for _ in range(PROXIMAL_STEPS):
        last, step = step, problem.minimum(floor, keep * step)
        if np.abs(step - last).max() <= SLACK * np.abs(step).max():
            break
    return step, problem.solves


class _Problem:
    """One problem and its set of held angles, which is kept from one minimum to the next."""

    def __init__(self, J: Matrix, dX: Vector, lower: Vector, upper: Vector) -> None:
        self.J, self.dX, self.lower, self.upper = J, dX, lower, upper
        self.columns = np.linalg.norm(J, axis=0)
        self.norm = math.hypot(*self.columns)
        self.fixed = lower == upper
        self.side = np.where(self.fixed, AT_LOWER, FREE)
        self.solves = 0

    def minimum(self, damping: float, centre: Vector) -> Vector:
        """The minimum for this damping and centre, shape (n,)."""
        d, done = self._all_at_once(damping, centre)
        return d if done else self._one_at_a_time(damping, centre, np.clip(d, self.lower, self.upper))

    def _all_at_once(self, damping: float, centre: Vector) -> tuple[Vector, bool]:
        """Holds and frees all angles that need it, in rounds. Returns the step and whether the rounds converged."""
        fewest, patience = len(self.side) + 1, PATIENCE
        while True:
            d, inward = self._solve(damping, centre)
            side = np.where(inward > 0.0, FREE, self.side)
            side[d < self.lower] = AT_LOWER
            side[d > self.upper] = AT_UPPER
            changes = int(np.count_nonzero(side != self.side))
            self.side = side
            if changes == 0:
                return d, True
            patience = PATIENCE if changes < fewest else patience - 1
            fewest = min(fewest, changes)
            if patience == 0:
                return d, False

    def _one_at_a_time(self, damping: float, centre: Vector, d: Vector) -> Vector:
        """Walks from d, within the bounds, to the minimum. The cap matters only with rounding errors; the walk ends
        without it."""
        freed, barred = -1, np.zeros(len(d), dtype=bool)
        for _ in range(CAP_PER_ANGLE * (len(d) + 1)):
            target, inward = self._solve(damping, centre)
            past = np.flatnonzero((target < self.lower) | (target > self.upper))
            if past.size == 0:
                # At the minimum over the free angles: free the held angle that gains most, or stop.
                d = target
                inward[barred] = 0.0
                freed = int(np.argmax(inward)) if inward.size else -1
                if freed < 0 or inward[freed] <= 0.0:
                    break
                self.side[freed] = FREE
                continue
            # Move up to the first bound.
            bound = np.where(target < self.lower, self.lower, self.upper)[past]
            share = np.clip((bound - d[past]) / (target[past] - d[past]), 0.0, 1.0)
            first = past[share == share.min()]
            d = np.clip(d + share.min() * (target - d), self.lower, self.upper)
            self.side[first] = np.where(target[first] < self.lower[first], AT_LOWER, AT_UPPER)
            # An angle that was just freed returns to its bound only because of rounding. It is not freed again from
            # here.
            if share.min() > 0.0:
                barred[:] = False
            elif freed in first:
                barred[freed] = True
        return d

    def _solve(self, damping: float, centre: Vector) -> tuple[Vector, Vector]:
        """The minimum over the free angles (n,), with the held angles at their bounds. It may be past the bounds of the
        free angles. Also returns by how much the w of each held angle points inward, (n,), at most 0 if it does not."""
        self.solves += 1
        free = self.side == FREE
        d = np.where(free, centre, np.where(self.side == AT_LOWER, self.lower, self.upper))
        x = self.dX - self.J @ d
        found = self._solve_rows(damping, x, free) if np.count_nonzero(free) >= len(x) else None
        given = math.hypot(*self.dX) + float(self.columns @ np.abs(d))
        e, w, slack = self._solve_columns(damping, x, free, given) if found is None else found
        d[free] += e
        w -= damping**2 * (d - centre)
        slack += damping**2 * (np.abs(d) + np.abs(centre))
        return d, np.where(free | self.fixed, 0.0, -self.side * w - SLACK * slack)

    def _solve_columns(
        self, damping: float, x: Vector, free: NDArray[np.bool_], given: float
    ) -> tuple[Vector, Vector, Vector]:
        """Solves (J_FᵀJ_F + λ²I) e = J_Fᵀx twice. Returns e, Jᵀr and the size of its terms."""
        J_F = self.J[:, free]
        H = J_F.T @ J_F + damping**2 * np.eye(J_F.shape[1])
        e = np.linalg.solve(H, J_F.T @ x)
        e += np.linalg.solve(H, J_F.T @ (x - J_F @ e) - damping**2 * e)
        r = x - J_F @ e
        return e, self.J.T @ r, self.columns * (given + self.columns[free] @ np.abs(e))

    def _solve_rows(self, damping: float, x: Vector, free: NDArray[np.bool_]) -> tuple[Vector, Vector, Vector] | None:
        """Solves (J_F J_Fᵀ + λ²I) y = x twice, and corrects e = J_Fᵀy once. Returns e, Jᵀr = λ²Jᵀy and the size of its
        terms, or None if y is too large."""
        J_F = self.J[:, free]
        S = J_F @ J_F.T + damping**2 * np.eye(J_F.shape[0])
        y = np.linalg.solve(S, x)
        y += np.linalg.solve(S, x - J_F @ (J_F.T @ y) - damping**2 * y)
        unreached = damping**2 * math.hypot(*y)
        if (EPSILON * (self.norm / damping) ** 2) ** 2 * unreached > ROWS_SLACK * math.hypot(*x):
            return None
        e = J_F.T @ y
        g = J_F.T @ (x - J_F @ e) - damping**2 * e
        e += (g - J_F.T @ np.linalg.solve(S, J_F @ g)) / damping**2
        return e, damping**2 * (self.J.T @ y), self.columns * unreached
