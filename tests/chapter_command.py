"""Runs the command `manikin chapter` in a separate process and returns its output."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import manikin

FRAMES = 3
"""Frames of the GIFs in tests."""


@dataclass(frozen=True)
class Done:
    """What came of one call of the command."""

    code: int
    out: str
    err: str


Command = Callable[..., Done]


def call(*arguments: object) -> Done:
    """`manikin chapter …`, warnings as errors."""
    path = os.pathsep.join([str(Path(manikin.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    line = [sys.executable, "-W", "error", "-m", "manikin", "chapter", *map(str, arguments)]
    env = {**os.environ, "PYTHONPATH": path}
    ran = subprocess.run(line, check=False, capture_output=True, text=True, env=env, timeout=600)
    return Done(ran.returncode, ran.stdout, ran.stderr)


@dataclass(frozen=True)
class Chapter:
    """All examples, as the command wrote them."""

    folder: Path
    done: Done
    results: dict[str, Any]
    """What is in results.json."""

    @property
    def examples(self) -> dict[str, Any]:
        found: dict[str, Any] = self.results["examples"]
        return found
