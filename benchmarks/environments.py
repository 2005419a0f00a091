"""Environments of the peers: `python -m benchmarks.environments` builds a separate venv for each under build/bench/.

Existing environments are kept. If one cannot be built, the reason is printed and appears in the results, and the others
continue.
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
"""Time limit in seconds for installing one peer."""


@dataclass(frozen=True)
class Environment:
    """A venv and its packages."""

    name: str
    packages: tuple[str, ...]
    """Packages with the versions for which the adapters were written."""
    bare: tuple[str, ...] = ()
    """Packages that are installed without their dependencies."""
    python: tuple[str, ...] = ()
    """Versions of Python that it needs; empty means the running one."""

    @property
    def folder(self) -> Path:
        return FOLDER / self.name

    @property
    def interpreter(self) -> Path:
        return self.folder / "bin" / "python"

    @property
    def stamp(self) -> str:
        """The text that marks a complete environment."""
        return "\n".join([*self.packages, *self.bare])

    @property
    def built(self) -> bool:
        stamp = self.folder / "installed.txt"
        return self.interpreter.exists() and stamp.exists() and stamp.read_text() == self.stamp

    @property
    def failure(self) -> str:
        """The reason why it could not be built; empty if not known."""
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
        # It depends on torch, which is several gigabytes. The parts used here work without it.
        Environment("momentum", ("numpy", "scipy"), ("pymomentum-core==0.1.114.post0",), ("3.12", "3.13")),
    )
}


def interpreter(versions: tuple[str, ...]) -> str | None:
    """A Python of one of these versions that runs. pyenv's shims may not run."""
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
    """Builds the environment. Returns the reason if that fails."""
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
