"""The build backend: scikit-build-core, one build of a clone at a time, and no file compiled twice.

All builds of a clone share the folder `build/`. pip puts the build tools at a new path for each installation. So a
second installation at the same time would write to the same files, and a later one would compile everything again.
This backend waits for the other build, and gives the tools a path that stays.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nanobind
import scikit_build_core
from scikit_build_core import build as core
from scikit_build_core.build import *  # noqa: F403  (the other hooks)

FOLDER = Path("build")


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """Waits until no other process builds in this clone."""
    FOLDER.mkdir(exist_ok=True)
    with open(FOLDER / ".lock", "a+b") as file:
        if sys.platform == "win32":
            import msvcrt

            file.seek(0)
            while True:
                with contextlib.suppress(OSError):  # raised after ten seconds of waiting
                    msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
                    break
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield  # closing the file, or the end of the process, releases the lock


def kept_nanobind() -> Path:
    """The CMake folder of a copy of nanobind whose path does not change."""
    kept = (FOLDER / f"nanobind-{nanobind.__version__}").resolve()
    if not kept.exists():
        part = kept.with_name(kept.name + ".part")
        shutil.rmtree(part, ignore_errors=True)
        shutil.copytree(Path(nanobind.__file__).parent, part, ignore=shutil.ignore_patterns("__pycache__"))
        os.replace(part, kept)
    return kept / "cmake"


def keep_caches() -> None:
    """Tells scikit-build-core that its new path is no reason to build from the beginning."""
    here = str(Path(scikit_build_core.__file__).resolve().parent)
    for known in FOLDER.glob("*/.skbuild-info.json"):
        with contextlib.suppress(OSError, ValueError):
            said = json.loads(known.read_text(encoding="utf-8"))
            if "skbuild_path" in said:
                known.write_text(json.dumps({**said, "skbuild_path": here}), encoding="utf-8")


def build_wheel(
    wheel_directory: str, config_settings: dict[str, Any] | None = None, metadata_directory: str | None = None
) -> str:
    """Builds the wheel, as the hook of PEP 517."""
    with alone():
        keep_caches()
        settings = {"cmake.define.nanobind_DIR": str(kept_nanobind()), **(config_settings or {})}
        return core.build_wheel(wheel_directory, settings, metadata_directory)


def build_editable(
    wheel_directory: str, config_settings: dict[str, Any] | None = None, metadata_directory: str | None = None
) -> str:
    """The same for an editable installation."""
    with alone():
        keep_caches()
        settings = {"cmake.define.nanobind_DIR": str(kept_nanobind()), **(config_settings or {})}
        return core.build_editable(wheel_directory, settings, metadata_directory)
