"""Reads a file in a separate process with limits on memory and time: `load_figure(path, safe=True)`.

The readers of USD, MJCF and compressed glTF use native libraries. A broken or hostile file may crash them, or make them
use all memory. In a separate process the result is one BadFile. The process is a new Python. It is not forked, so
threads of the caller do not matter. It reads its request from stdin, limits itself, calls the reader, and writes its
answer to an unnamed temporary file, which the system removes when the processes end. The answer may contain only plain
values, arrays and manikin's own types; nothing else is unpickled.

This is not a sandbox: the process has the permissions of its caller.
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
"""The code that the process runs. It is started with -I, so that it imports nothing from the current folder."""
LAST_WORDS = 300
"""Largest number of characters of the last output of a process that are quoted in a message."""


@dataclass(frozen=True)
class Limits:
    """Limits of a process that reads a file."""

    memory: float = 4 * 2**30
    """Bytes of address space, including libraries. Those of USD and MuJoCo use almost 1 GiB before they read anything.
    The answer must not be larger either."""
    processor: float = 60.0
    """CPU time in seconds."""
    seconds: float = 120.0
    """Wall-clock time in seconds, from the start to the answer."""

    def __post_init__(self) -> None:
        for field in fields(self):
            object.__setattr__(self, field.name, arrays.positive(getattr(self, field.name), f"Limits.{field.name}"))


def shown(limits: Limits) -> str:
    """The memory limit as text for a message."""
    large = limits.memory >= 2**30
    return f"{limits.memory / 2**30:.3g} GiB of memory" if large else f"{limits.memory / 2**20:.3g} MiB of memory"


def load(role: str, path: str, options: dict[str, Any], limits: Limits | bool = True) -> Any:
    """Reads a file in a separate process.

    Args:
        role: "figure", "motion", "markers" or "points"; "skin" for the meshes of a glTF file (`gltf.display`),
            "whole" for a glTF file with everything that it refers to.
        path: the file.
        options: options of the reader, such as clip=. They must be plain values.
        limits: the limits of the process. True selects the default limits.

    Raises:
        BadFile: the reader raised it, crashed, was killed, or exceeded a limit.
        ManikinError, OSError: the reader raised it.

    Warns:
        OddFile: warnings of the reader.
        RuntimeWarning: the system does not support some of the limits (on Windows only the wall-clock limit applies).
    """
    if limits is True:
        limits = Limits()
    if not isinstance(limits, Limits):
        raise BadValue(f"safe is {limits!r}; it must be True, False or manikin.files.safe.Limits(…)")
    answer = _ask(path, pickle.dumps((role, path, options, limits)), limits)
    if answer.unlimited:
        what = " and ".join(answer.unlimited)
        oddities.warn(f"safe=True cannot limit {what} on this system; only elapsed time is limited", RuntimeWarning)
    for text in answer.warnings:
        oddities.warn(text, OddFile)
    if answer.error is not None:
        raise answer.error
    return answer.value


def _ask(path: str, request: bytes, limits: Limits) -> Answer:
    """Starts the process, waits for it, and returns its answer."""
    if not sys.executable or getattr(sys, "frozen", False):
        raise Unsupported("safe=True needs a Python executable to start a process; sys.executable names none")
    command = [sys.executable, "-I", *(["-B"] if sys.dont_write_bytecode else []), "-c", CHILD]
    # One thread is enough, and each thread of OpenBLAS uses address space.
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
                process.kill()  # no effect if it has ended; the end of the block waits for it
        if process.returncode != 0:
            raise BadFile(path, _death(process.returncode, limits) + _last_words(said))
        return _answer(path, given)


def _answer(path: str, given: IO[bytes]) -> Answer:
    given.seek(0)
    try:
        answer = unpickled(given)
    except (pickle.UnpicklingError, NotOurs, EOFError, AttributeError, TypeError, ValueError, ImportError) as error:
        raise BadFile(path, f"the process that read the file returned an invalid answer: {error}") from error
    if not isinstance(answer, Answer):
        raise BadFile(path, "the process that read the file returned an invalid answer")
    return answer


def _death(code: int, limits: Limits) -> str:
    """How a process without an answer ended."""
    if code > 0:
        return f"the reader failed (exit code {code})"
    name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
    if name in ("SIGXCPU", "SIGALRM"):
        return f"reading took more than {limits.processor:g} s of processor time and was stopped"
    if name == "SIGKILL":
        return "the reader was killed (SIGKILL), either because memory ran out or by another process"
    return f"the reader crashed ({name}); its limit is {shown(limits)}"


def _last_words(said: IO[bytes]) -> str:
    """The end of the output of the process, if there is any."""
    said.seek(0, os.SEEK_END)
    said.seek(max(0, said.tell() - 10 * LAST_WORDS))
    words = " ".join(said.read().decode(errors="replace").split())
    return f"; its last output: {words[-LAST_WORDS:]}" if words else ""
