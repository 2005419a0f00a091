"""Common code of all adapters: reads a workload, calls the peer, times each call, writes poses and times.

    python peer_x.py workload.npz result.npz [variant]

It runs in the peer's own interpreter, so it needs only NumPy and nothing of manikin. The peer is any object with

    start(q) -> state           a pose of the workload in the peer's own form; not timed
    target(rows) -> target      one row of targets (links, 7) in the peer's own form; not timed
    solve(state, target) -> state or None      timed; None if the peer reports a failure
    pose(state) -> q            back to the workload's form; not timed
    solve_many(states, targets) -> states      optional: the batch in one call
    follow(state, targets) -> states           optional: all frames in one call

When a peer follows a path, each frame starts from the state of the previous frame. Every workload runs in as many
rounds (at most ROUNDS) as fit into its seconds. The fastest round is kept, because slow moments of the machine are not
the peer's fault. Time is measured in two ways: CPU time of the process (all its threads) over the whole loop, for
means; and wall-clock time of each call, for medians and percentiles.
"""

from __future__ import annotations

import resource
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

ROUNDS = 8
WIDE = 1e3
"""A limit beyond this, in radians or metres, counts as no limit."""
MEMORY = 8 << 30
"""Largest amount of memory of a peer, in bytes."""


class Work:
    """A workload as an adapter uses it."""

    def __init__(self, path: str) -> None:
        with np.load(path, allow_pickle=False) as file:
            z = {name: file[name] for name in file.files}
        self.key, self.mode, self.root, self.base = (str(z[n]) for n in ("key", "mode", "root", "base"))
        self.path = str(Path(path).parent / str(z["figure"]))
        """Path of the figure's file."""
        self.joints: list[str] = [str(n) for n in z["joints"]]
        """Moving joints in the order of a pose, after the seven numbers of a free root."""
        self.links: list[str] = [str(n) for n in z["links"]]
        self.kinds: list[str] = [str(n) for n in z["kinds"]]
        self.starts, self.targets = z["starts"], z["targets"]
        self.lower, self.upper = z["lower"], z["upper"]
        self.length, self.angle, self.seconds = (float(z[n]) for n in ("length", "angle", "seconds"))

    @property
    def free(self) -> bool:
        return self.root == "free"

    @property
    def limited(self) -> bool:
        """Whether any joint has limits."""
        return bool((np.abs(np.concatenate([self.lower, self.upper])) < WIDE).any())

    @property
    def first(self) -> int:
        """Index of the first joint in a pose."""
        return 7 if self.free else 0

    def start(self, i: int) -> Any:
        return self.starts[min(i, len(self.starts) - 1)]


def matrices(rows: Any) -> Any:
    """(..., 7) position and quaternion wxyz -> (..., 4, 4)."""
    w, x, y, z = np.moveaxis(np.asarray(rows)[..., 3:], -1, 0)
    T = np.zeros((*np.shape(w), 4, 4))
    T[..., 0, 0], T[..., 0, 1], T[..., 0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)
    T[..., 1, 0], T[..., 1, 1], T[..., 1, 2] = 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
    T[..., 2, 0], T[..., 2, 1], T[..., 2, 2] = 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)
    T[..., :3, 3], T[..., 3, 3] = np.asarray(rows)[..., :3], 1.0
    return T


class Frames:
    """Placements for peers that take steps. Checks with the peer's own kinematics whether a pose is within
    tolerance."""

    def __init__(self, work: Work) -> None:
        self.placed = np.array([k == "placement" for k in work.kinds])
        self.length, self.angle = work.length, work.angle

    def met(self, positions: Any, rotations: Any, target: Any) -> bool:
        """positions (links, 3), rotations (links, 3, 3), target (links, 4, 4)."""
        if np.max(np.sum((positions - target[:, :3, 3]) ** 2, axis=1)) > (0.95 * self.length) ** 2:
            return False
        traces = np.einsum("nij,nij->n", rotations[self.placed], target[self.placed, :3, :3])
        return bool(np.all(traces >= 1.0 + 2.0 * np.cos(0.95 * self.angle)))


def main(make: Any, version: str, note: str = "") -> None:
    """Entry point of every adapter."""
    np.seterr(all="ignore")
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    work = Work(sys.argv[1])
    began = time.perf_counter()
    peer = make(work)
    setup = time.perf_counter() - began
    if work.mode == "track":
        out = _follow(peer, work)
    elif work.mode == "batch" and hasattr(peer, "solve_many"):
        out = _batch(peer, work)
    else:
        out = _calls(peer, work)
    states, wall, cpu, rounds = out
    poses = np.full((len(states), work.starts.shape[1]), np.nan)
    for i, state in enumerate(states):
        if state is not None:
            poses[i] = peer.pose(state)
    np.savez(
        sys.argv[2],
        poses=poses,
        said=getattr(peer, "said", [s is not None for s in states]),
        wall=wall,
        cpu=cpu,
        rounds=rounds,
        setup=setup,
        memory=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        version=version,
        note=getattr(peer, "note", note),
        python=sys.version.split()[0],
    )


def _calls(peer: Any, work: Work) -> Any:
    """Solves each target from its own start. Returns (states, seconds of each call, mean CPU seconds per call,
    rounds)."""
    count = len(work.targets)
    goals = [peer.target(rows) for rows in work.targets]
    starts = [peer.start(work.start(i)) for i in range(count)]
    began = time.perf_counter()
    for q, goal in zip(starts[:3], goals, strict=False):
        peer.solve(q, goal)  # fills caches and runs lazy initialisation
        if time.perf_counter() - began > 0.3:
            break
    solve, clock = peer.solve, time.perf_counter

    def timed(most: int, until: float) -> tuple[list[Any], list[float]]:
        states, times = [], []
        for q, goal in zip(starts[:most], goals, strict=False):
            a = clock()
            state = solve(q, goal)
            b = clock()
            states.append(state)
            times.append(b - a)
            if b > until:
                break
        return states, times

    def bare(most: int) -> None:
        for q, goal in zip(starts[:most], goals, strict=False):
            solve(q, goal)

    return _rounds(timed, bare, count, work.seconds)


def _follow(peer: Any, work: Work) -> Any:
    """Solves frame after frame from the first start."""
    count = len(work.targets)
    if hasattr(peer, "follow"):
        goals = peer.targets(work.targets)
        first = peer.start(work.starts[0])
        return _whole(lambda: peer.follow(first, goals), count, work.seconds)
    goals = [peer.target(rows) for rows in work.targets]
    if hasattr(peer, "prepare") and "blind" in sys.argv:
        peer.prepare(work.starts[0], goals[:60])  # chooses the number of steps per frame; not timed
    solve, clock = peer.solve, time.perf_counter
    solve(peer.start(work.starts[0]), goals[0])

    def timed(most: int, until: float) -> tuple[list[Any], list[float]]:
        states, times = [], []
        state = peer.start(work.starts[0])
        for goal in goals[:most]:
            a = clock()
            found = solve(state, goal)
            b = clock()
            states.append(found)
            times.append(b - a)
            if found is not None:
                state = found
            if b > until:
                break
        return states, times

    def bare(most: int) -> None:
        state = peer.start(work.starts[0])
        for goal in goals[:most]:
            found = solve(state, goal)
            if found is not None:
                state = found

    return _rounds(timed, bare, count, work.seconds)


def _batch(peer: Any, work: Work) -> Any:
    goals, starts = peer.targets(work.targets), peer.starts(work.starts)
    peer.solve_many(starts[:10], goals[:10])
    return _whole(lambda: peer.solve_many(starts, goals), len(work.targets), work.seconds)


def _rounds(timed: Any, bare: Any, count: int, seconds: float) -> Any:
    """Runs a timed round. Then, while time is left, runs rounds without clocks and timed rounds alternately. The rounds
    without clocks give the CPU time, because reading two clocks per call would be a tenth of the fastest calls."""
    began, cpu = time.perf_counter(), time.process_time()
    states, times = timed(count, began + seconds)
    mean = (time.process_time() - cpu) / len(times)
    rounds, least = 1, np.array(times)
    while rounds < ROUNDS and (time.perf_counter() - began) * (rounds + 1) / rounds < seconds:
        cpu = time.process_time()
        if rounds % 2:
            bare(len(least))
        else:
            again, times = timed(len(least), np.inf)
            if sum(times) < least.sum():
                states, least = again, np.array(times)
        mean = min(mean, (time.process_time() - cpu) / len(least))
        rounds += 1
    return states, least, mean, rounds


def _whole(call: Any, count: int, seconds: float) -> Any:
    """One call for everything. Only the mean time per target is known."""
    walls, cpus, began, states = [], [], time.perf_counter(), None
    call()
    while len(walls) < ROUNDS and (not walls or time.perf_counter() - began < seconds):
        a, c = time.perf_counter(), time.process_time()
        states = call()
        cpus.append(time.process_time() - c)
        walls.append(time.perf_counter() - a)
    return states, np.full(count, min(walls) / count), min(cpus) / count, len(walls)
