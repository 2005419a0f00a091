"""Thousands of clips: one job on every clip of a folder, on all processors or on a cluster.

A `Job` says what is done to a clip, and `plan` what is left to do. `run` gives clips to workers (`pool`,
`cluster`), and `worker` does one clip. `manifest` records the outcome of each clip, and `report` shows it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from manikin.base.progress import Progress
    from manikin.jobs.folder.result import BatchResult

__all__ = ["batch"]


def batch(
    job: str,
    in_dir: str | os.PathLike[str],
    out_dir: str | os.PathLike[str],
    executor: Executor | str | None = None,
    *,
    workers: int | None = None,
    pattern: str = "*",
    protocols: Sequence[str] = (),
    insecure: bool = False,
    retry: bool = False,
    force: bool = False,
    report: bool = True,
    progress: Progress | None = None,
    **options: Any,
) -> BatchResult:
    """Does one job on every clip of a folder and its subfolders.

    Results have the names of their clips, with another extension. A result is written completely or not at all. The
    file `manifest.jsonl` in `out_dir` has a line for each clip: hashes of the clip, the figure and the map, options,
    version, kernels, the result or the error, quality figures, time and attempts. If a run is stopped or killed, the
    same call continues it. A clip is not done again if the clip, the options and the version are the same as before. A
    clip that fails never stops the others.

    By default, clips run in new processes on this machine. In a script, such a call must be under
    `if __name__ == "__main__":`.

    Args:
        job: "retarget", "track", "fit", "points", "edit", "convert" or "check".
        in_dir: the folder of clips, or a URL of fsspec such as memory://clips. Links are not followed.
        out_dir: the folder of results. It is made if it does not exist.
        executor: None for processes on this machine; any `concurrent.futures.Executor`; or the address of a Dask
            scheduler, such as "tcp://127.0.0.1:8786" or "tls://host:8786".
        workers: number of processes; for an executor or a cluster, the number of clips that it holds at a time. None
            uses all processors.
        pattern: a pattern such as "walk*.bvh". Only clips whose name or path below `in_dir` matches it are used.
        protocols: protocols of fsspec that URLs may use, besides file and memory.
        insecure: allow a cluster on another host without encryption. Anyone on the network can then run code on it.
        retry: repeat clips that failed in an earlier run.
        force: replace files in `out_dir` even if it has no manifest.
        report: write `report.html` to `out_dir`: plots of the quality figures, the worst clips, the failed clips.
        progress: called with (clips done, clips), several times a second. If it returns False, clips in
            progress are finished and the run stops.
        options: options of the job, such as figure="g1.xml". `manikin batch JOB --help` lists them.

    Returns:
        the records of all clips. `result.good` is True if every clip has a good result.

    Raises:
        BadValue, UnknownName: an option is wrong, or there are no clips.
        manikin.jobs.folder.workers.BrokenRun: the executor or the cluster broke. The manifest has all clips that are
            done.

    Example:
        >>> import manikin as mk
        >>> mk.batch("retarget", "walks", "out", figure="g1.xml")  # doctest: +SKIP
        <BatchResult retarget: 300 clips done>
    """
    from manikin.jobs.folder.start import start

    return start(
        job,
        in_dir,
        out_dir,
        executor,
        workers=workers,
        pattern=pattern,
        protocols=protocols,
        insecure=insecure,
        retry=retry,
        force=force,
        report=report,
        progress=progress,
        options=options,
    )
