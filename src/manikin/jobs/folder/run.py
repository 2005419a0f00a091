"""The run: gives clips to workers, writes the manifest, and continues after a worker died.

If a process of the local pool dies, all processes of the pool end. A new pool then repeats the clips that were in
progress, one at a time, which shows the clip that kills its worker. A clip whose worker died twice is recorded as
failed.
"""

from __future__ import annotations

import contextlib
import json
from collections import deque
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Future, wait
from typing import Any

from manikin.base.progress import Progress, goes_on
from manikin.errors import BadValue
from manikin.jobs.folder.manifest import Manifest, Record
from manikin.jobs.folder.plan import BatchQuestion, Task
from manikin.jobs.folder.worker import OtherVersion
from manikin.jobs.folder.workers import BrokenRun, Workers

TICK = 0.2
"""Seconds between two calls of `progress` while no clip is finished."""
MOST_DEATHS = 2
"""A clip is recorded as failed when its worker died this often."""
MOST_RENEWALS = 10
"""The run ends if the workers are renewed more often than this and no clip is recorded in between."""


class BatchRun:
    """One pass over the tasks of a plan."""

    def __init__(self, question: BatchQuestion, manifest: Manifest, workers: Workers, tasks: list[Task]) -> None:
        self.question, self.manifest, self.workers = question, manifest, workers
        self.waiting = deque(tasks)
        self.alone: deque[Task] = deque()
        """Clips whose worker died once. They run one at a time."""
        self.running: dict[Future[str], Task] = {}
        self.done = 0
        self.renewals = 0
        """How often the workers were renewed since the last record."""

    def finish(self, progress: Progress | None, before: int) -> bool:
        """Works until all tasks are recorded. Returns False if `progress` stopped the run before that.

        Clips in progress are finished in both cases.

        Args:
            progress: called with (clips done, clips); `before` clips were done by earlier runs.

        Raises:
            BrokenRun, OtherVersion: the workers cannot go on. All clips that are done are in the manifest.
        """
        count = before + len(self.waiting)
        complete = True
        while self.waiting or self.alone or self.running:
            if not goes_on(progress, before + self.done, count):
                complete = complete and not (self.waiting or self.alone)
                self.waiting.clear()
                self.alone.clear()
            broken = not self._fill()
            ended = wait(self.running, timeout=TICK, return_when=FIRST_COMPLETED).done
            for future in ended:
                broken = not self._take(future) or broken
            if broken:
                self._renew()
        goes_on(progress, before + self.done, count)
        return complete

    def _fill(self) -> bool:
        """Submits clips while there is room, or one clip that runs alone. Returns False if the workers broke."""
        while True:
            source = self.alone or self.waiting
            one = bool(self.alone) or any(task.deaths for task in self.running.values())
            if not source or len(self.running) >= (1 if one else self.workers.room):
                return True
            task = source[0]
            try:
                future = self.workers.submit(self.question.request(task))
            except BrokenRun:
                raise
            except (BrokenExecutor, RuntimeError) as error:  # RuntimeError: the executor is closed
                if not self.workers.renewable:
                    raise _broken(error) from error
                return False
            source.popleft()
            task.attempts += 1
            self.running[future] = task

    def _take(self, future: Future[str]) -> bool:
        """Records the answer of a clip that ended. Returns False if its worker died."""
        task = self.running.pop(future)
        try:
            answer = json.loads(future.result())
        except (BrokenExecutor, CancelledError) as error:
            if not self.workers.renewable:
                raise _broken(error) from error
            self._died(task)
            return False
        except OtherVersion:
            raise
        except Exception as error:
            self._machine_failed(task, error)
            return True
        self._record(self.question.record(task, answer))
        return True

    def _died(self, task: Task) -> None:
        task.deaths += 1
        if task.deaths < MOST_DEATHS:
            self.alone.append(task)
            return
        message = f"the worker process died {task.deaths} times while it worked on this clip"
        self._failed(task, {"kind": "WorkerDied", "message": message, "again": False})

    def _machine_failed(self, task: Task, error: Exception) -> None:
        """Tries a clip again, or records it as failed."""
        if type(error).__name__ == "KilledWorker":  # of Dask, which has tried several workers
            text = "the workers of the cluster died while they worked on this clip"
            self._failed(task, {"kind": "WorkerDied", "message": text, "again": False})
        elif task.attempts < self.workers.tries:
            self.waiting.append(task)
        else:
            self._failed(task, {"kind": type(error).__name__, "message": str(error), "again": True})

    def _failed(self, task: Task, error: dict[str, Any]) -> None:
        self._record(self.question.failure(task, error, self.workers.kernels))

    def _record(self, record: Record) -> None:
        before = self.manifest.records.get(record["clip"])
        self.manifest.add(record)
        self._remove_old(before, record)
        self.done += 1
        self.renewals = 0

    def _remove_old(self, before: Record | None, now: Record) -> None:
        """Removes the file that an earlier run wrote for a clip, if the new record names another file or none. A file
        that was changed since, or that is the result of another clip, stays."""
        old = (before or {}).get("output")
        if not isinstance(old, dict) or old == now["output"]:
            return
        name, out = old.get("name"), self.question.out
        if any((r.get("output") or {}).get("name") == name for r in self.manifest.records.values()):
            return
        with contextlib.suppress(OSError, BadValue):  # the file is gone, or its name is not allowed
            if isinstance(name, str) and out.digest(name) == old.get("sha256"):
                out.remove(name)

    def _renew(self) -> None:
        """Collects the clips of broken workers, and starts new workers.

        Raises:
            BrokenRun: new workers die again and again, whatever they work on.
        """
        for future in list(self.running):
            self._take(future)  # all futures of a broken pool end
        self.alone = deque(sorted(self.alone, key=lambda task: task.clip))
        self.renewals += 1
        if self.renewals > MOST_RENEWALS:
            raise BrokenRun(f"the workers died {self.renewals} times in a row; the same call continues the run")
        self.workers.renew()


def _broken(error: BaseException) -> BrokenRun:
    what = str(error) or type(error).__name__
    return BrokenRun(f"the executor or the cluster broke: {what}; the same call continues the run")
