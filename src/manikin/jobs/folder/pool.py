"""The local pool of processes. They are spawned, not forked, so that threads of the caller cannot disturb them."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
import warnings
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor

from manikin import backend
from manikin.errors import BadValue, OddFile, OddMarkers
from manikin.jobs.folder.worker import hello, run_clip
from manikin.jobs.folder.workers import BrokenRun, checked_hello

THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
"""Each worker computes on one thread. Several would compete for processors, and could change the last bits."""


class LocalPool:
    """Processes on this machine, one clip each."""

    renewable, tries = True, 2

    def __init__(self, workers: int | None) -> None:
        if multiprocessing.parent_process() is not None and getattr(
            multiprocessing.current_process(), "_inheriting", False
        ):
            raise BadValue(
                "mk.batch was called while a worker was starting; in your script, put the call under "
                "if __name__ == '__main__':"
            )
        self.room = workers or _processors()
        self.kernels = frozenset({backend.name})
        self._pool: ProcessPoolExecutor | None = None  # a run with nothing to do starts no process

    def _started(self) -> ProcessPoolExecutor:
        """Starts a new pool, and waits until one of its processes has answered.

        Raises:
            BrokenRun: the processes cannot start.
        """
        context = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(self.room, context, initializer=_begin)
        try:
            with _one_thread():
                said = pool.submit(hello)
            checked_hello("a worker", said.result())
        except BrokenExecutor as error:
            raise BrokenRun(
                "the worker processes ended while they were starting; in a script, call mk.batch under "
                "if __name__ == '__main__':"
            ) from error
        return pool

    def submit(self, request: str) -> Future[str]:
        if self._pool is None:
            self._pool = self._started()
        return self._pool.submit(run_clip, request)

    def renew(self) -> None:
        self.close(now=False)
        self._pool = self._started()

    def close(self, now: bool) -> None:
        if self._pool is None:
            return
        processes = list((getattr(self._pool, "_processes", None) or {}).values())
        self._pool.shutdown(wait=not now, cancel_futures=True)
        if now:
            for process in processes:
                process.kill()


def _processors() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    """Sets the variables `THREADS` for processes that start inside the block, unless the user has set them."""
    missing = [name for name in THREADS if name not in os.environ]
    os.environ.update(dict.fromkeys(missing, "1"))
    try:
        yield
    finally:
        for name in missing:
            del os.environ[name]


def _begin() -> None:
    """Prepares a worker process. It ignores Ctrl-C, and it ends when the process of the run ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for category in (OddFile, OddMarkers):  # the same texts are in the notes of the clip
        warnings.simplefilter("ignore", category)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
