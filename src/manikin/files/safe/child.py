"""The process of `safe`: receives a request, limits itself, reads the file, and writes an answer."""

from __future__ import annotations

import math
import os
import pickle
import signal
import sys
import warnings
from typing import Any

from manikin import files
from manikin.errors import BadFile, ManikinError, OddFile
from manikin.files.safe import Limits, shown
from manikin.files.safe.answer import Answer


def main() -> None:
    """Reads the request from stdin and writes the answer to stdout."""
    out = os.dup(1)
    os.dup2(2, 1)  # output of libraries is not part of the answer
    role, path, options, limits = pickle.load(sys.stdin.buffer)
    unlimited = restrict(limits)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        value, error = read(role, path, options, limits)
    said = tuple(str(w.message) for w in heard if issubclass(w.category, OddFile))
    leave(out, Answer(value, error, said, unlimited), BadFile(path, f"the result exceeds {shown(limits)}"))
    sys.stderr.flush()
    os._exit(0)  # without the exit handlers of libraries


def leave(out: int, answer: Answer, too_large: BadFile) -> None:
    """Writes the answer to an open file, or an error if the answer is too large."""
    try:
        with os.fdopen(os.dup(out), "wb") as file:
            pickle.dump(answer, file, protocol=5)
    except (MemoryError, OSError):
        os.lseek(out, 0, os.SEEK_SET)
        os.ftruncate(out, 0)
        with os.fdopen(os.dup(out), "wb") as file:
            pickle.dump(Answer(None, too_large, answer.warnings, answer.unlimited), file, protocol=5)


def read(role: str, path: str, options: dict[str, Any], limits: Limits) -> tuple[Any, Exception | None]:
    """The content of the file, or the exception of the reader."""
    try:
        if role == "skin":
            from manikin.files.gltf.display import skin_glb

            return skin_glb(path, **options), None
        if role == "whole":
            from manikin.files.gltf.write import whole_gltf

            return whole_gltf(path, **options), None
        return files._load(role, path, options, safe=False), None
    except (ManikinError, OSError) as error:
        error.__cause__ = error.__context__ = None  # they may contain objects that cannot be pickled
        return None, error if type(error).__module__ in ("manikin.errors", "builtins") else plain(path, error)
    except MemoryError:
        return None, BadFile(path, f"reading exceeds the limit of {shown(limits)}")
    except Exception as error:
        return None, plain(path, error)


def plain(path: str, error: Exception) -> BadFile:
    """Turns an unexpected exception into a BadFile."""
    return BadFile(path, f"the reader failed: {type(error).__name__}: {error}")


def restrict(limits: Limits) -> tuple[str, ...]:
    """Sets the limits of this process. Returns those that the system does not support."""
    try:
        import resource
    except ImportError:  # Windows
        return ("memory", "processor time")
    if hasattr(signal, "setitimer"):  # this process ends even if the caller is killed
        signal.setitimer(signal.ITIMER_REAL, limits.seconds + 1.0)
    wanted = {
        "memory": (resource.RLIMIT_AS, int(limits.memory)),
        "processor time": (resource.RLIMIT_CPU, math.ceil(limits.processor)),
        "the size of files": (resource.RLIMIT_FSIZE, int(limits.memory)),
        "core dumps": (resource.RLIMIT_CORE, 0),
    }
    missing = []
    for name, (which, most) in wanted.items():
        hard = resource.getrlimit(which)[1]
        bound = most if hard == resource.RLIM_INFINITY else min(most, hard)
        try:
            resource.setrlimit(which, (bound, hard))
        except (OSError, ValueError):
            missing.append(name)
    return tuple(missing)
