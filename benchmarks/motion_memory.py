"""Peak memory of `solve_motion` on a long clip, in a separate process: `python -m benchmarks.motion_memory FRAMES`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import manikin as mk
from benchmarks.motion_inputs import take


def peak_mb(frames: int) -> tuple[float, float]:
    """(outputs, peak) in megabytes: the size of the results, and the peak memory above that of the inputs."""
    command = [sys.executable, "-m", "benchmarks.motion_memory", str(frames)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    outputs, peak = (float(word) for word in done.stdout.split())
    return outputs, peak


def most_mb() -> float:
    """The largest memory of this process so far. `ru_maxrss` would count that of the process that started it too."""
    (line,) = (line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM:"))
    return float(line.split()[1]) / 1024.0


def main(frames: int) -> None:
    from benchmarks.motions import repeated

    taken = take("walk")
    goals, times = repeated(taken, frames)
    figure, start = taken.motion.figure, taken.motion.poses[0]
    some, few = repeated(taken, 300)
    mk.solve_motion(figure, some, few, start=start)  # loads everything
    before = most_mb()
    clip = mk.solve_motion(figure, goals, times, start=start)
    peak = most_mb()
    arrays = (clip.motion.poses, clip.errors, clip.targets, clip.reached, clip.eased)
    print(sum(array.nbytes for array in arrays) / 2**20, peak - before)


if __name__ == "__main__":
    main(int(sys.argv[1]))
