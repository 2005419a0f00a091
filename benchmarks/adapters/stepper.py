"""Peers that take one differential step at a time: the number of steps for a frame or a target.

Steps continue until every goal is within tolerance by the peer's own kinematics, at most `most` times. So the caller
knows whether the target was reached. With the argument "blind", every frame of a path gets the same number of steps,
without a test. It is the smallest of STEPS with which the first frames are all within tolerance, found before the
timing. A user does not know this number in advance, so it is the most favourable setting for the peer.
"""

from __future__ import annotations

from typing import Any

STEPS = (1, 2, 3, 4, 6, 8, 12)


class Stepper:
    """The peer has the methods begin(state), aim(target), step(), met(target) and state()."""

    most = 40
    following = False
    """Whether each target is the frame after the previous one."""
    count = 0
    """Number of steps per frame; 0 means as many as are needed."""
    note = ""

    def prepare(self, first: Any, goals: Any) -> None:
        best = (-1, 0)
        for count in STEPS:
            self.start(first)
            good = 0
            for goal in goals:
                self.aim(goal)
                for _ in range(count):
                    self.step()
                good += self.met(goal)
            if good > best[0]:
                best, self.count = (good, count), count
            if good == len(goals):
                break
        self.note = f"{self.note}, {self.count} step{'s' if self.count > 1 else ''} a frame"

    def solve(self, state: Any, target: Any) -> Any:
        if self.count:
            self.aim(target)
            for _ in range(self.count):
                self.step()
            return self.state()
        if not self.following:  # along a path it continues from its state
            self.begin(state)
        self.aim(target)
        for _ in range(self.most):
            if not self.step():
                return None
            if self.met(target):
                break
        return self.state()
