"""The machine and the versions of a run, for the head of every result."""

from __future__ import annotations

import datetime
import importlib.metadata
import os
import platform
from pathlib import Path
from typing import Any

PEERS = ("pin",)
"""Distributions whose versions are listed if they are installed."""


def header(quick: bool, seed: int) -> dict[str, Any]:
    """All facts that are needed to repeat a run."""
    import manikin as mk

    return {
        "date": datetime.date.today().isoformat(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "manikin": mk.__version__,
        "kernels": mk.backend.name,
        "versions": {name: v for name in ("numpy", *PEERS) if (v := _version(name))},
        "quick": quick,
        "seed": seed,
    }


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None
