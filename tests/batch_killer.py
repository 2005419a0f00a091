"""What a worker does in tests of the local pool: clips named `killer…` kill it, `fault…` fail as a machine would."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

from manikin.jobs.folder.worker import run_clip as run


def run_clip(text: str) -> str:
    request = json.loads(text)
    name = request["clip"].rpartition("/")[2]
    if name.startswith("killer"):
        os.kill(os.getpid(), signal.SIGKILL)
    once = Path(request["in"]["text"], f"{name}.once")
    if name.startswith("once") and not once.exists():
        once.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    if name.startswith("fault"):
        raise OSError(5, "Input/output error", name)
    return run(text)
