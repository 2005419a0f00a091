"""Batches: one worker and two, on the local pool and on a Dask cluster of this machine.

MANIKIN_DATA=... python -m benchmarks.batch [--quick] [--clips 720] [--frames 200] [--name after]
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks import pages
from benchmarks.batch_cuts import write_cuts
from benchmarks.machine import header

LEAST_SECONDS = 60.0
"""One worker must need at least this long for the ratio to count."""
LEAST_RATIO = 1.6
"""Two local workers must be at least this many times as fast as one."""
QUICK = 40, 60
"""Clips and frames of a quick run."""
METHOD = """The work is retargeting of cuts of recorded clips to the built-in person. Each run is the whole call of
`mk.batch`: start of the processes, plan, work, manifest and report. It runs in a separate process, so that nothing is
kept from the run before. The scheduler and the workers of Dask are started before and not counted."""
CLUSTER = """
import sys
from distributed import LocalCluster
if __name__ == "__main__":
    count, own = int(sys.argv[1]), {"dashboard": False, "dashboard_address": "127.0.0.1:0"}
    with LocalCluster(n_workers=count, threads_per_worker=1, host="127.0.0.1", scheduler_kwargs=own) as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()
"""


@dataclass
class Row:
    """One run."""

    where: str
    workers: int
    clips: int
    failed: int
    seconds: float
    """Duration of the call, as the run measured it."""


def run(clips: Path, out: Path, where: str, workers: int, *args: str) -> Row:
    """Retargets all clips in a separate process."""
    command = [
        sys.executable,
        "-m",
        "manikin",
        "batch",
        "retarget",
        str(clips),
        str(out),
        "--figure",
        "human",
        "--json",
    ]
    done = subprocess.run([*command, *args], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{where}, {workers} workers: the run ended with exit code {done.returncode}")
    said: dict[str, Any] = json.loads(done.stdout)
    return Row(where, workers, said["clips"], len(said["failed"]), said["seconds"])


def on_cluster(clips: Path, out: Path, workers: int) -> Row:
    """The same on a Dask cluster of this machine, which is started before and not counted."""
    command = [sys.executable, "-c", CLUSTER, str(workers)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, text=True, **pipes) as process:
        assert process.stdout is not None
        try:
            address = process.stdout.readline().strip()
            return run(clips, out, "Dask", workers, "--cluster", address)
        finally:
            process.communicate("")


def ratio(rows: list[Row], where: str) -> float:
    """The speed of two workers divided by the speed of one."""
    seconds = {row.workers: row.seconds for row in rows if row.where == where}
    return seconds[1] / seconds[2]


def verdict(rows: list[Row]) -> str:
    """Whether the ratio of the local pool counts, and is large enough."""
    one = next(row for row in rows if row.where == "pool" and row.workers == 1)
    if one.seconds < LEAST_SECONDS:
        return f"The ratio does not count: one worker needed {one.seconds:.1f} s, less than {LEAST_SECONDS:g} s."
    met = "met" if ratio(rows, "pool") >= LEAST_RATIO else "NOT met"
    return f"Two local workers are {ratio(rows, 'pool'):.2f} times as fast as one. The bound {LEAST_RATIO:g} is {met}."


def page(head: dict[str, Any], rows: list[Row]) -> str:
    """The results as Markdown."""
    cells = []
    for row in rows:
        faster = f"{ratio(rows, row.where):.2f}" if row.workers == 2 else ""
        cells.append([row.where, str(row.workers), str(row.clips), str(row.failed), f"{row.seconds:.1f}", faster])
    columns = ["where", "workers", "clips", "failed", "seconds", "times one worker"]
    return "\n".join([*pages.title("Batches", head, METHOD), *pages.table(columns, cells), "", verdict(rows)])


def main() -> None:
    parser = pages.parser("batch", (__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--clips", type=int, default=720)
    parser.add_argument("--frames", type=int, default=200)
    options = parser.parse_args()
    clips, frames = QUICK if options.quick else (options.clips, options.frames)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "clips")
        write_cuts(source, clips, frames)
        rows = [run(source, Path(folder, f"pool{n}"), "pool", n, "--workers", str(n)) for n in (1, 2)]
        rows += [on_cluster(source, Path(folder, f"dask{n}"), n) for n in (1, 2)]
    head = header(options.quick, options.seed)
    text = page(head, rows)
    print(text)
    print(f"results are in {pages.save('batch', options, {'header': head, 'rows': [asdict(r) for r in rows]}, text)}")


if __name__ == "__main__":
    main()
