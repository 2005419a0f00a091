"""The work of one worker: one clip at a time, from a request in JSON to an answer in JSON.

`run_clip` runs in a process of the local pool, in any executor, or on a Dask worker. A clip that cannot be done gives
an answer with an error. Only problems of the machine (`OSError`, `MemoryError`) raise, so that the clip is tried again.
"""

from __future__ import annotations

import json
import math
import os
import time
from typing import Any

from manikin import __version__, backend, jobs
from manikin.base.reading import open_file
from manikin.errors import BadValue, ManikinError
from manikin.jobs.folder.places import Place, digest_of, opened
from manikin.jobs.loading import used

MOST_NOTES, MOST_LETTERS = 20, 500
"""Largest number of notes in an answer, and of characters in a text."""


class OtherVersion(ManikinError, RuntimeError):
    """A worker has another version of manikin than the run."""


def hello() -> str:
    """The version and the kernels of this worker, as JSON."""
    return json.dumps({"version": __version__, "kernels": backend.name, "pid": os.getpid()})


def run_clip(text: str) -> str:
    """Does a job for one clip, and moves the result to its name.

    Args:
        text: the request in JSON: job, clip, output, in, out, options, files, version.

    Returns:
        the answer in JSON: result, input, output, frames, quality, good, notes, error, kernels, version, seconds.

    Raises:
        OtherVersion: the request comes from another version of manikin.
        OSError, MemoryError: the machine failed. Another attempt may succeed.
    """
    request = json.loads(text)
    if request["version"] != __version__:
        raise OtherVersion(f"a worker has manikin {__version__}, but the run has {request['version']}")
    begun = time.perf_counter()
    answer: dict[str, Any] = {"result": "failed", "good": False, "input": None, "output": None, "frames": None}
    answer |= {"quality": {}, "notes": [], "error": None}
    source, out = opened(**request["in"]), opened(**request["out"])
    with out.workspace() as folder:
        try:
            answer |= _done(request, source, out, folder, answer)
        except OSError as error:
            raise OSError(error.errno, _plain(str(error.strerror or error), folder), request["clip"]) from error
        except MemoryError:
            raise
        except Exception as error:
            message = _plain(str(error), folder, getattr(source, "root", ""))
            answer["error"] = {"kind": type(error).__name__, "message": message, "again": False}
    answer |= {"kernels": backend.name, "version": __version__, "seconds": round(time.perf_counter() - begun, 3)}
    return json.dumps(answer, allow_nan=False)


def _done(request: dict[str, Any], source: Place, out: Place, folder: str, answer: dict[str, Any]) -> dict[str, Any]:
    """Runs the job, and publishes its file."""
    _check_files(request)
    job = jobs.find(request["job"])
    path = source.fetched(request["clip"], _inner(folder, "in"))
    before = os.stat(path)
    with open_file(path) as file:
        answer["input"] = digest_of(file)
    made = os.path.join(_inner(folder, "out"), request["output"].rpartition("/")[2])
    outcome = job.run(path, used(path, request["options"]), None)
    outcome.write(made)
    after = os.stat(path)
    if (after.st_mtime_ns, after.st_size) != (before.st_mtime_ns, before.st_size):
        raise OSError(0, "the file changed while it was read", request["clip"])
    with open_file(made) as file:
        digest = digest_of(file)
    size = os.path.getsize(made)
    out.publish(made, request["output"])
    quality = {k: float(v) if math.isfinite(v) else None for k, v in outcome.quality.items()}
    return {
        "result": "done",
        "good": bool(outcome.good),
        "output": {"name": request["output"], "sha256": digest, "bytes": size},
        "frames": outcome.frames,
        "quality": quality,
        "notes": [_plain(note, folder) for note in dict.fromkeys((*outcome.oddities, *outcome.notes))][:MOST_NOTES],
    }


_SEEN: dict[tuple[str, int, int], str] = {}
"""Hashes of the files of options, by path, time and size."""


def _check_files(request: dict[str, Any]) -> None:
    """Raises BadValue if a figure or a map is not the one that the run began with."""
    for name, digest in request["files"].items():
        path = request["options"][name]
        if not os.path.isabs(path):  # a built-in figure
            continue
        state = os.stat(path)
        key = (path, state.st_mtime_ns, state.st_size)
        if key not in _SEEN:
            with open_file(path) as file:
                _SEEN[key] = digest_of(file)
        if _SEEN[key] != digest:
            raise BadValue(f"{name} {path} differs from the file with which the run began; start the run again")


def _inner(folder: str, name: str) -> str:
    path = os.path.join(folder, name)
    os.mkdir(path)
    return path


def _plain(text: str, folder: str, root: str = "") -> str:
    """A text without the name of the private folder, and with names of clips relative to their folder."""
    for inner in ("in", "out"):
        text = text.replace(os.path.join(folder, inner) + os.sep, "")
    if root:
        text = text.replace(root.rstrip("/") + "/", "")
    return text if len(text) <= MOST_LETTERS else text[: MOST_LETTERS - 1] + "…"
