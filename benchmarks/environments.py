"""The peers' environments: `python -m benchmarks.environments` builds each in a venv of its own under build/bench/.

What is there already stays. What cannot be built is told, here and in the results, and the others go on.
"""

from __future__ import annotations

import argparse
import glob
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "build" / "bench"
TIMEOUT = 900.0
"""Seconds for installing one peer."""


@dataclass(frozen=True)
class Environment:
    """A venv, and what goes into it."""

    name: str
    packages: tuple[str, ...]
    """With the versions that the adapters were written for."""
    bare: tuple[str, ...] = ()
    """Installed without what they depend on."""
    python: tuple[str, ...] = ()
    """Versions of Python that it needs; none is the one that runs this."""

    @property
    def folder(self) -> Path:
        return FOLDER / self.name

    @property
    def interpreter(self) -> Path:
        return self.folder / "bin" / "python"

    @property
    def stamp(self) -> str:
        """What an environment that is complete says of itself."""
        return "\n".join([*self.packages, *self.bare])

    @property
    def built(self) -> bool:
        stamp = self.folder / "installed.txt"
        return self.interpreter.exists() and stamp.exists() and stamp.read_text() == self.stamp

    @property
    def failure(self) -> str:
        """Why it could not be built; empty where that is not known."""
        told = FOLDER / f"{self.name}.failed"
        return told.read_text().strip() if told.exists() else ""


ENVIRONMENTS = {
    e.name: e
    for e in (
        Environment("rtb", ("roboticstoolbox-python==1.5.0",)),
        Environment("ssik", ("ssik[urdf]==8.2.0",)),
        Environment("eaik", ("EAIK==1.2.2",)),
        Environment("placo", ("placo==0.10.2",)),
        Environment("pink", ("pin==4.1.0", "pin-pink==4.4.0", "daqp==0.10.3", "scipy==1.17.1")),
        Environment("mink", ("mink==1.3.0", "mujoco==4.0.0", "daqp==0.10.3", "osqp")),
        Environment("optik", ("optik-py==0.5.0", "numpy")),
        Environment("trac", ("pytracik==0.0.3",)),
        Environment("drake", ("drake==1.51.1",)),
        # torch, which it asks for, is several gigabytes, and what is used here does without
        Environment("momentum", ("numpy", "scipy"), ("pymomentum-core==0.1.114.post0",), ("3.12", "3.13")),
    )
}


def interpreter(versions: tuple[str, ...]) -> str | None:
    """A Python of one of these versions that runs; pyenv's stand-ins may not."""
    if not versions or f"{sys.version_info[0]}.{sys.version_info[1]}" in versions:
        return sys.executable
    for v in versions:
        root = os.environ.get("PYENV_ROOT", os.path.expanduser("~/.pyenv"))
        places = [shutil.which(f"python{v}"), *sorted(glob.glob(f"{root}/versions/{v}.*/bin/python"))]
        for place in filter(None, places):
            asked = [place, "-c", "import sys, venv; print('%d.%d' % sys.version_info[:2])"]
            found = subprocess.run(asked, capture_output=True, text=True, check=False)
            if found.returncode == 0 and found.stdout.strip() == v:
                return place
    return None


def build(e: Environment) -> str:
    """Makes the environment; gives the reason where that fails."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    python = interpreter(e.python)
    if python is None:
        return f"needs Python {' or '.join(e.python)}, which was not found"
    shutil.rmtree(e.folder, ignore_errors=True)
    pip = [str(e.interpreter), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    steps = [[python, "-m", "venv", str(e.folder)], [*pip, *e.packages]]
    steps += [[*pip, "--no-deps", *e.bare]] if e.bare else []
    for step in steps:
        try:
            done = subprocess.run(step, capture_output=True, text=True, timeout=TIMEOUT, check=False)
        except subprocess.TimeoutExpired:
            return f"not installed within {TIMEOUT:g} s"
        if done.returncode:
            said = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
            return (said or done.stderr.splitlines() or ["unknown"])[-1].strip()
    (e.folder / "installed.txt").write_text(e.stamp)
    return ""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.environments", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help=f"which ones (all): {', '.join(ENVIRONMENTS)}")
    names = parser.parse_args().names
    unknown = sorted(set(names) - set(ENVIRONMENTS))
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}; there are {', '.join(ENVIRONMENTS)}")
    for e in ENVIRONMENTS.values():
        if names and e.name not in names:
            continue
        if e.built:
            print(f"{e.name}: there")
            continue
        print(f"{e.name}: building …", flush=True)
        reason = build(e)
        told = FOLDER / f"{e.name}.failed"
        if reason:
            told.write_text(reason + "\n")
            print(f"{e.name}: not built: {reason}")
        else:
            told.unlink(missing_ok=True)
            print(f"{e.name}: built")
    return 0


if __name__ == "__main__":
    sys.exit(main())
