"""The workers of a Dask cluster (dask.distributed). Dask repeats clips of workers that died.

Dask sends code to its workers, and anyone who can reach a scheduler can run code there. So a scheduler on another host
needs an encrypted connection with certificates (tls://), unless the user accepts the risk.
"""

from __future__ import annotations

import contextlib
from concurrent.futures import Future
from typing import Any
from urllib.parse import urlsplit

from manikin.errors import BadValue, Unsupported
from manikin.jobs.folder.worker import hello, run_clip
from manikin.jobs.folder.workers import BrokenRun, checked_hello

LOCAL = ("127.0.0.1", "localhost", "::1")
RETRIES = 2
"""How often Dask repeats a clip after an error of the machine."""
SECONDS = 10.0
"""How long to wait for the scheduler and for the first worker."""


def checked_address(address: str, insecure: bool) -> str:
    """The address with its scheme, if connecting to it is allowed.

    Raises:
        BadValue: it is not an address, or it names another host without encryption.
    """
    text = address if "://" in address else f"tcp://{address}"
    try:
        parts = urlsplit(text)
        port, host = parts.port, parts.hostname
    except ValueError:
        port, host = None, None
    if parts.scheme not in ("tcp", "tls") or host is None or port is None:
        raise BadValue(
            f"the cluster is {address!r}; it needs an address such as tcp://127.0.0.1:8786 or tls://host:8786"
        )
    if parts.scheme != "tls" and host not in LOCAL and not insecure:
        raise BadValue(
            f"the cluster {address!r} is on another host, and its connection is not encrypted; use tls:// with "
            f"certificates, or accept the risk with insecure=True (--insecure)"
        )
    return text


class Cluster:
    """A client of a Dask scheduler."""

    renewable, tries = False, 1

    def __init__(self, address: str, insecure: bool = False, room: int | None = None) -> None:
        address = checked_address(address, insecure)
        try:
            from distributed import Client
        except ModuleNotFoundError as error:
            raise Unsupported(
                "a cluster needs the package 'distributed', which is not installed; run pip install 'manikin[cluster]'"
            ) from error
        try:
            self._client: Any = Client(address, timeout=SECONDS, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            raise BrokenRun(f"the cluster {address} cannot be reached: {error}") from error
        try:
            self._meet(address)
        except BaseException:
            self._client.close()
            raise
        self.room = room or 2 * sum(self._client.nthreads().values())
        self._executor = self._client.get_executor(retries=RETRIES, pure=False)

    def _meet(self, address: str) -> None:
        """Waits for a worker, and asks all workers for their versions."""
        try:
            self._client.wait_for_workers(1, timeout=SECONDS)
        except TimeoutError as error:
            raise BrokenRun(f"the cluster {address} has no workers") from error
        kernels = set()
        for worker, said in self._client.run(hello, on_error="return").items():
            if isinstance(said, BaseException):
                raise BrokenRun(f"the worker {worker} cannot run manikin: {type(said).__name__}: {said}")
            kernels.add(checked_hello(f"the worker {worker}", said))
        self.kernels = frozenset(kernels)

    def submit(self, request: str) -> Future[str]:
        future: Future[str] = self._executor.submit(run_clip, request)
        return future

    def renew(self) -> None:
        raise NotImplementedError

    def close(self, now: bool) -> None:
        with contextlib.suppress(Exception):  # the scheduler may be gone
            self._executor.shutdown(wait=not now)
            self._client.close(timeout=SECONDS)
