"""Builds the wheel for every Python here, installs it in new environments and runs tests there: `make wheel-check`.

    python tests/wheels/check.py FOLDER [OPTION OF PYTEST...] TEST...

Pythons are found on the PATH and in pyenv's folder. From 3.12 on, one wheel serves all of them (stable ABI): the oldest
builds it, and the others install that same file.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
OLDEST, STABLE = (3, 10), (3, 12)
"""The first Python that is supported, and the first that has the wheel for the stable ABI."""
ASK = "import json, sys; print(json.dumps([sys.version_info[:2], sys.version.split()[0], sys.implementation.name]))"
WHERE = "import manikin; print(manikin.__file__, manikin.__version__, manikin.backend.native)"


def pythons() -> dict[str, tuple[tuple[int, int], Path]]:
    """By version: its first two numbers, and the interpreter."""
    names = [f"python3.{minor}" for minor in range(OLDEST[1], 20)]
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = [Path(at) for name in names if (at := shutil.which(name))]
    found += sorted(pyenv.glob("3.*/bin/python3"))
    made: dict[str, tuple[tuple[int, int], Path]] = {}
    for path in found:
        asked = subprocess.run([path, "-c", ASK], check=False, capture_output=True, text=True)
        if asked.returncode == 0:
            (major, minor), version, kind = json.loads(asked.stdout)
            if kind == "cpython" and (major, minor) >= OLDEST:
                made.setdefault(version, ((major, minor), path))
    return dict(sorted(made.items(), key=lambda item: item[1][0]))


def run(*command: str | Path) -> None:
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")}
    subprocess.run([str(word) for word in command], check=True, cwd=ROOT, env=environment)


def check(folder: Path, version: str, python: Path, wheel: Path | None, tests: list[str]) -> Path:
    """Runs the tests with the wheel (None: build it) on one Python; returns the wheel."""
    place = folder / version
    shutil.rmtree(place, ignore_errors=True)
    run(python, "-m", "venv", place / "venv")
    inside = place / "venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if wheel is None:
        run(inside, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", place, ".")
        (wheel,) = place.glob("*.whl")
    run(inside, "-m", "pip", "install", "--quiet", "--upgrade", "pip")  # pip 23.0 chooses versions for many minutes
    run(inside, "-m", "pip", "install", "--quiet", f"manikin[test] @ {wheel.resolve().as_uri()}")
    run(inside, "-P" if sys_safe(version) else "-s", "-c", WHERE)
    run(inside, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests)
    return wheel


def sys_safe(version: str) -> bool:
    """Whether this Python knows -P, which leaves the current folder out of its path."""
    return tuple(map(int, version.split(".")[:2])) >= (3, 11)


def main() -> None:
    folder, tests = Path(sys.argv[1]).resolve(), sys.argv[2:]
    stable: Path | None = None
    failed = []
    for version, (numbers, python) in pythons().items():
        print(f"== Python {version}", flush=True)
        try:
            wheel = check(folder, version, python, stable if numbers >= STABLE else None, tests)
            stable = wheel if numbers >= STABLE else stable
            print(f"Python {version}: {wheel.name} passes", flush=True)
        except subprocess.CalledProcessError as error:
            failed.append(version)
            print(f"Python {version}: {error}", flush=True)
    if failed:
        sys.exit(f"failed on {', '.join(failed)}")


if __name__ == "__main__":
    main()
