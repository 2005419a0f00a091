"""The workers of a run. An executor of the caller is here, the local pool in `pool`, a Dask cluster in `cluster`."""

from __future__ import annotations

import json
import os
from concurrent.futures import BrokenExecutor, Executor, Future
from typing import Protocol

from manikin import __version__
from manikin.errors import ManikinError
from manikin.jobs.folder.worker import OtherVersion, hello, run_clip


class BrokenRun(ManikinError, RuntimeError):
    """The workers of a batch failed. The manifest has all clips that are done, and the same call continues the run."""


class Workers(Protocol):
    """Runs requests of clips."""

    room: int
    """Largest number of clips that are given to the workers at a time."""
    kernels: frozenset[str]
    """The kernels of the workers."""
    renewable: bool
    """Whether `renew` can replace broken workers."""
    tries: int
    """How often a clip is submitted if the machine fails. 1 if the workers try again by themselves."""

    def submit(self, request: str) -> Future[str]:
        """Gives a clip to a worker."""

    def renew(self) -> None:
        """Replaces all workers after one died."""

    def close(self, now: bool) -> None:
        """Ends the workers, or leaves them to their owner. With `now`, clips in progress are given up."""


class GivenExecutor:
    """An executor of the caller. If it breaks, the run ends."""

    renewable, tries = False, 2

    def __init__(self, executor: Executor, room: int | None) -> None:
        self.executor = executor
        self.room = room or 2 * (os.cpu_count() or 1)
        try:
            self.kernels = frozenset({checked_hello("the executor", executor.submit(hello).result())})
        except (BrokenExecutor, RuntimeError) as error:
            if isinstance(error, ManikinError):
                raise
            raise BrokenRun(f"the executor is broken or closed: {error}") from error

    def submit(self, request: str) -> Future[str]:
        return self.executor.submit(run_clip, request)

    def renew(self) -> None:
        raise NotImplementedError

    def close(self, now: bool) -> None:
        """Leaves the executor open, because it belongs to the caller."""


def checked_hello(who: str, text: str) -> str:
    """The kernels of a worker.

    Raises:
        OtherVersion: it has another version of manikin.
    """
    said = json.loads(text)
    if said["version"] != __version__:
        raise OtherVersion(f"{who} has manikin {said['version']}; this is {__version__}. Install the same version")
    return str(said["kernels"])
