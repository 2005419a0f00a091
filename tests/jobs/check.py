"""`make batch-check`: 300 clips, with a worker and the whole run killed in the middle, on a pool and on a cluster.

    MANIKIN_DATA=... PYTHONPATH=tests:. python tests/jobs/check.py FOLDER

The clips are cuts of recorded motions, plus one broken file. Every run must give the files and the manifest of the
undisturbed run; manifests may differ in time and attempts.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path

import batch_runs
from batch_runs import assert_same, begin, finished, kill, kill_all, records, until

from benchmarks.batch_cuts import write_cuts

CLIPS, FRAMES = 300, 30
EARLY = 100
"""A kill comes when this many clips are done."""


def main(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    clips = folder / "clips"
    write_cuts(clips, CLIPS, FRAMES)
    (clips / "broken.bvh").write_text("HIERARCHY\nROOT Hips\n{\n")
    compare = Comparison(clips, folder)
    compare.undisturbed("pool", "--workers", 2)
    compare.killed_worker("pool", batch_runs.workers, "--workers", 2)
    compare.killed_run("pool", "--workers", 2)
    with batch_runs.cluster() as (address, workers):
        compare.undisturbed("cluster", "--cluster", address)
        compare.killed_worker("cluster", lambda _: workers(), "--cluster", address)
        compare.killed_run("cluster", "--cluster", address)
    print(f"{CLIPS} clips and a broken file: all six runs gave the same files and manifests")


class Comparison:
    """Runs of the same clips, each compared with the first."""

    def __init__(self, clips: Path, folder: Path) -> None:
        self.clips, self.folder = clips, folder
        self.first: Path | None = None

    def undisturbed(self, where: str, *args: object) -> None:
        out, begun = self.folder / f"{where}-undisturbed", time.perf_counter()
        done = finished(self._begin(out, args))
        assert done["clips"] == CLIPS + 1
        failed = len(done["failed"])
        self._report(out, f"{done['done']} done, {failed} failed", begun)

    def killed_worker(self, where: str, workers: Callable[[int], list[int]], *args: object) -> None:
        out, begun = self.folder / f"{where}-killed-worker", time.perf_counter()
        run = self._begin(out, args)
        until(lambda: len(records(out)) >= EARLY)
        kill(until(lambda: workers(run.pid))[0])
        finished(run)
        again = sum(record["attempts"] > 1 for record in records(out))
        self._report(out, f"a worker killed, {again} clips submitted again", begun)

    def killed_run(self, where: str, *args: object) -> None:
        out, begun = self.folder / f"{where}-killed-run", time.perf_counter()
        run = self._begin(out, args)
        until(lambda: len(records(out)) >= EARLY)
        kill_all(run)
        before = len(records(out))
        assert before < CLIPS
        done = finished(self._begin(out, args))
        assert done["kept"] == before
        self._report(out, f"the run killed after {before} clips and continued", begun)

    def _begin(self, out: Path, args: tuple[object, ...]):
        return begin("retarget", self.clips, out, "--figure", "human", *args)

    def _report(self, out: Path, what: str, begun: float) -> None:
        if self.first is not None:
            assert_same(out, self.first)
        self.first = self.first or out
        print(f"{out.name}: {what}; {time.perf_counter() - begun:.0f} s", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
