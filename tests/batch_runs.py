"""Runs of `manikin batch` as processes: started, killed in the middle, compared. For tests and `make batch-check`."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import manikin
from manikin.jobs.folder.manifest import NAME, VARYING

PATIENCE = 300.0
"""Seconds after which a wait fails."""
PAUSE = 0.01
"""Seconds between two looks at what is waited for."""
CLUSTER = """
import json, sys
from distributed import LocalCluster
if __name__ == "__main__":
    own = {"dashboard": False, "dashboard_address": "127.0.0.1:0"}  # its server of numbers listens on a free port
    with LocalCluster(n_workers=2, threads_per_worker=1, host="127.0.0.1", scheduler_kwargs=own) as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()
"""


def begin(*args: object) -> subprocess.Popen[str]:
    """Starts `manikin batch` with these arguments."""
    return _process(["-m", "manikin", "batch", *map(str, args), "--json"])


def python(code: str) -> subprocess.Popen[str]:
    """Starts Python with some code."""
    return _process(["-c", code])


def _process(args: list[str], errors: int = subprocess.PIPE) -> subprocess.Popen[str]:
    paths = os.pathsep.join([str(Path(manikin.__file__).parent.parent), *filter(None, sys.path)])
    return subprocess.Popen(
        [sys.executable, *args],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        text=True,
        env={**os.environ, "PYTHONPATH": paths},
    )


def finished(process: subprocess.Popen[str]) -> dict[str, Any]:
    """The summary of a run that ends by itself."""
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode in (0, 1), (out, err)
    return dict(json.loads(out))


def records(out: Path) -> list[dict[str, Any]]:
    """The lines of a manifest without the header; none if there is no manifest. A line that is cut off is left out."""
    with contextlib.suppress(FileNotFoundError):
        return [json.loads(line) for line in (out / NAME).read_text().splitlines(keepends=True)[1:] if line[-1] == "\n"]
    return []


def until(what: Callable[[], Any]) -> Any:
    """Waits until a function returns something true."""
    for _ in range(int(PATIENCE / PAUSE)):
        if found := what():
            return found
        time.sleep(PAUSE)
    raise AssertionError("waited too long")


def children(pid: int) -> dict[int, str]:
    """The processes that a process started, with their command lines."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if int((folder / "stat").read_text().rpartition(")")[2].split()[1]) == pid:
                found[int(folder.name)] = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
    return found


def workers(pid: int) -> list[int]:
    """The worker processes of a local pool."""
    return [child for child, command in children(pid).items() if "spawn_main" in command]


def kill(pid: int) -> None:
    """kill -9. A process that has just ended is no error."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def alive(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    return False


def kill_all(process: subprocess.Popen[str]) -> None:
    """kill -9 of a run. Its workers must end by themselves."""
    own = workers(process.pid)
    process.kill()
    process.communicate(timeout=PATIENCE)
    until(lambda: not any(map(alive, own)))


def results(out: Path) -> dict[str, bytes]:
    """All files of a folder of results except the manifest and the report."""
    files = {path.relative_to(out).as_posix(): path for path in out.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in files.items() if name not in (NAME, "report.html")}


def assert_same(out: Path, other: Path) -> None:
    """Both folders have the same files with the same bytes, and manifests that differ in time and attempts only."""
    assert results(out) == results(other)
    ours, theirs = (
        [{k: v for k, v in record.items() if k not in VARYING} for record in records(folder)] for folder in (out, other)
    )
    assert ours == theirs
    assert {r["output"]["name"] for r in ours if r["result"] == "done"} == set(results(out))


@contextlib.contextmanager
def cluster() -> Iterator[tuple[str, Callable[[], list[int]]]]:
    """A Dask scheduler with two workers on 127.0.0.1, without dashboard: its address, and the ids of its workers."""
    process = _process(["-c", CLUSTER], subprocess.DEVNULL)  # nobody reads what the scheduler says
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip(), lambda: workers(process.pid)
    finally:
        process.communicate("", timeout=PATIENCE)
