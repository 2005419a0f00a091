"""Reading a file in a process of its own, with limits on memory and time: `load_figure(path, safe=True)`.

The readers of USD and MJCF stand on native libraries, which a broken or hostile file may crash, or drive to take all
memory. In a process of its own that is one BadFile. The process is a fresh Python (no fork, so threads do not
matter) that reads its request from its input, limits itself, calls the reader, and leaves its answer in a file without
a name, which is gone with the last process that has it open, however that ends. The answer may hold only plain values,
arrays and manikin's own types; anything else is not unpickled.

This limits what a reader can use up. It is no jail: the process has the rights of whoever calls it.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass, fields
from typing import IO, Any

from manikin import arrays
from manikin.errors import BadFile, BadValue, OddFile, Unsupported
from manikin.files.common import oddities
from manikin.files.safe.answer import Answer, NotOurs, unpickled

CHILD = (
    "import sys, pickle; sys.path[:] = pickle.load(sys.stdin.buffer); import manikin.files.safe.child as c; c.main()"
)
"""What the process runs. It is started with -I, so that nothing in the current folder is imported by accident."""
LAST_WORDS = 300
"""So many letters of what a process said before it died are told."""


@dataclass(frozen=True)
class Limits:
    """What a process that reads a file may use."""

    memory: float = 4 * 2**30
    """Bytes of address space, libraries included: those of USD and MuJoCo take most of 1 GiB before they read anything.
    The answer may not be larger either."""
    processor: float = 60.0
    """Seconds of processor time."""
    seconds: float = 120.0
    """Seconds from start to answer."""

    def __post_init__(self) -> None:
        for field in fields(self):
            object.__setattr__(self, field.name, arrays.positive(getattr(self, field.name), f"Limits.{field.name}"))


def shown(limits: Limits) -> str:
    """The limit of memory for a message."""
    large = limits.memory >= 2**30
    return f"{limits.memory / 2**30:.3g} GiB of memory" if large else f"{limits.memory / 2**20:.3g} MiB of memory"


def load(role: str, path: str, options: dict[str, Any], limits: Limits | bool = True) -> Any:
    """Read a file in a process of its own.

    Args:
        role: "figure", "motion" or "markers".
        path: the file.
        options: of the reader, such as clip=; plain values.
        limits: what the process may use; True for the usual limits.

    Raises:
        BadFile: as the reader says, or because it crashed, was killed, or passed a limit.
        ManikinError, OSError: as the reader says.

    Warns:
        OddFile: as the reader says.
        RuntimeWarning: the system cannot set some of the limits (Windows has only the clock).
    """
    if limits is True:
        limits = Limits()
    if not isinstance(limits, Limits):
        raise BadValue(f"safe is {limits!r}; it needs True, False or manikin.files.safe.Limits(…)")
    answer = _ask(path, pickle.dumps((role, path, options, limits)), limits)
    if answer.unlimited:
        what = " and ".join(answer.unlimited)
        oddities.warn(f"safe=True cannot limit {what} on this system; only the clock is", RuntimeWarning)
    for text in answer.warnings:
        oddities.warn(text, OddFile)
    if answer.error is not None:
        raise answer.error
    return answer.value


def _ask(path: str, request: bytes, limits: Limits) -> Answer:
    """Start the process, wait for it, and take its answer."""
    if not sys.executable or getattr(sys, "frozen", False):
        raise Unsupported("safe=True needs a Python to start (sys.executable); this program has none")
    command = [sys.executable, "-I", *(["-B"] if sys.dont_write_bytecode else []), "-c", CHILD]
    # One thread is enough, and each thread that OpenBLAS keeps ready takes address space.
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    flags = getattr(subprocess, "CREATE_NO_WINDOW", 0)
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as said:
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=given, stderr=said, env=environment, creationflags=flags
        ) as process:
            try:
                process.communicate(pickle.dumps(sys.path) + request, timeout=limits.seconds)
            except subprocess.TimeoutExpired:
                raise BadFile(path, f"reading took more than {limits.seconds:g} s and was stopped") from None
            finally:
                process.kill()  # does nothing where it has ended; leaving the block waits for it
        if process.returncode != 0:
            raise BadFile(path, _death(process.returncode, limits) + _last_words(said))
        return _answer(path, given)


def _answer(path: str, given: IO[bytes]) -> Answer:
    given.seek(0)
    try:
        answer = unpickled(given)
    except (pickle.UnpicklingError, NotOurs, EOFError, AttributeError, TypeError, ValueError, ImportError) as error:
        raise BadFile(path, f"the process that read the file gave no answer that can be taken: {error}") from error
    if not isinstance(answer, Answer):
        raise BadFile(path, "the process that read the file gave no answer that can be taken")
    return answer


def _death(code: int, limits: Limits) -> str:
    """How a process ended that gave no answer."""
    if code > 0:
        return f"the reader gave up (exit code {code})"
    name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
    if name in ("SIGXCPU", "SIGALRM"):
        return f"reading took more than {limits.processor:g} s of processor time and was stopped"
    if name == "SIGKILL":
        return "the reader was killed (SIGKILL), for want of memory or by somebody"
    return f"the reader crashed ({name}); it may take {shown(limits)}"


def _last_words(said: IO[bytes]) -> str:
    """The end of what the process printed, where it printed something."""
    said.seek(0, os.SEEK_END)
    said.seek(max(0, said.tell() - 10 * LAST_WORDS))
    words = " ".join(said.read().decode(errors="replace").split())
    return f"; its last words: {words[-LAST_WORDS:]}" if words else ""
