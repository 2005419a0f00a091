"""Times of several callables, measured in turns so that a slow moment of the machine affects all of them."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Times:
    """Seconds of CPU time per call."""

    best: float
    median: float


def in_turns(calls: Mapping[str, Callable[[], object]], rounds: int, seconds_a_round: float) -> dict[str, Times]:
    """CPU time of each callable. In each of `rounds` rounds, every callable runs for about `seconds_a_round`.

    The value of a round is the mean over its repetitions, so a call may take much less than the clock's resolution.
    """
    repetitions = {}
    for name, call in calls.items():
        call()  # fills caches and runs lazy imports
        start = time.perf_counter()
        call()
        once = max(time.perf_counter() - start, 1e-7)
        repetitions[name] = max(1, int(seconds_a_round / once))
    values: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            count = repetitions[name]
            start = time.process_time()
            for _ in range(count):
                call()
            values[name].append((time.process_time() - start) / count)
    return {name: Times(min(v), statistics.median(v)) for name, v in values.items()}
