"""A whole batch: checks, plan, run, manifest and report. `mk.batch` has the documentation."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any

from manikin import arrays, jobs
from manikin.base.progress import Progress, require_progress
from manikin.errors import BadValue
from manikin.jobs.folder.lock import locked
from manikin.jobs.folder.manifest import NAME, Manifest
from manikin.jobs.folder.places import Place, opened
from manikin.jobs.folder.plan import BatchQuestion, Plan, check_new, check_places, plan, tasks_of
from manikin.jobs.folder.result import BatchResult
from manikin.jobs.folder.run import BatchRun
from manikin.jobs.folder.workers import GivenExecutor, Workers
from manikin.jobs.options import checked

REPORT = "report.html"


def start(
    name: str,
    in_dir: str | os.PathLike[str],
    out_dir: str | os.PathLike[str],
    executor: Executor | str | None,
    *,
    workers: int | None,
    pattern: str,
    protocols: Sequence[str],
    insecure: bool,
    retry: bool,
    force: bool,
    report: bool,
    progress: Progress | None,
    options: Mapping[str, Any],
) -> BatchResult:
    """See `mk.batch`."""
    begun = time.perf_counter()
    # the job and its options
    job = jobs.find(name)
    given = checked(name, job.options_of("folder"), options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the notes of each clip have the same text
        job.check(given)
    require_progress(progress)
    if isinstance(protocols, str) or not isinstance(protocols, Sequence):
        raise BadValue(f"protocols is {protocols!r}; it needs a list such as ['s3']")
    room = None if workers is None else arrays.whole(workers, "workers", 1)
    # the two folders, and what is left to do
    source = opened(in_dir, protocols)
    out = opened(out_dir, protocols, make=True)
    check_places(source, out)
    _check_visible(executor, source, out)
    question = BatchQuestion.of(job, source, out, given)
    tasks = tasks_of(question, pattern)
    # the clips, one by one; the manifest has each as soon as it is done
    with locked(out):
        if not force and out.read(NAME) is None:
            check_new(question, tasks[0])
        manifest = Manifest(out, name)
        try:
            found, complete = _worked(question, manifest, tasks, executor, room, insecure, retry, progress)
        finally:
            manifest.close()
        clips = {task.clip for task in tasks[0]}
        result = BatchResult(
            name,
            tuple(manifest.records[clip] for clip in sorted(clips) if clip in manifest.records),
            len(found.kept),
            complete,
            f"{out.shown.rstrip('/')}/{NAME}",
            f"{out.shown.rstrip('/')}/{REPORT}" if report else None,
            job.measures,
            time.perf_counter() - begun,
            _notes(found),
        )
        if report:
            from manikin.jobs.folder.report import page

            out.write(REPORT, page(result, given).encode("utf-8", "backslashreplace"))
    return result


def _worked(
    question: BatchQuestion,
    manifest: Manifest,
    tasks: Any,
    executor: Executor | str | None,
    room: int | None,
    insecure: bool,
    retry: bool,
    progress: Progress | None,
) -> tuple[Plan, bool]:
    """Does the clips that are not done yet. The workers start before the plan is made, because it depends on their
    kernels."""
    workers = _workers(executor, room, insecure)
    now = True
    try:
        found = plan(question, manifest, tasks, workers.kernels, retry)
        complete = BatchRun(question, manifest, workers, found.tasks).finish(progress, len(found.kept))
        now = False
    finally:
        workers.close(now)
    return found, complete


def _workers(executor: Executor | str | None, room: int | None, insecure: bool) -> Workers:
    if executor is None:
        from manikin.jobs.folder.pool import LocalPool

        return LocalPool(room)
    if isinstance(executor, str):
        from manikin.jobs.folder.cluster import Cluster

        return Cluster(executor, insecure, room)
    if not isinstance(executor, Executor):
        raise BadValue(
            f"executor is {type(executor).__name__}; it needs None, a concurrent.futures.Executor or the address of a "
            f"Dask scheduler"
        )
    return GivenExecutor(executor, room)


def _check_visible(executor: Executor | str | None, *places: Place) -> None:
    """Raises BadValue if workers are other processes and a place is in the memory of this one."""
    if isinstance(executor, ThreadPoolExecutor):
        return
    for place in places:
        if place.shown.startswith("memory://"):
            raise BadValue(
                f"{place.shown} is in the memory of this process, which other processes cannot see; use "
                f"executor=ThreadPoolExecutor()"
            )


def _notes(found: Plan) -> tuple[str, ...]:
    links = [f"{_were(found.links, 'link')} left out; links are not followed"] if found.links else []
    others = [f"{_were(found.others, 'other file')} left out"] if found.others else []
    return (*links, *others)


def _were(count: int, what: str) -> str:
    return f"1 {what} was" if count == 1 else f"{count} {what}s were"
