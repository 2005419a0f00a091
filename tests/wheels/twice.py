"""Installs twice at once from one clone, then once more: all succeed, and the last compiles nothing.

python tests/wheels/twice.py FOLDER
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SEEN = "import manikin as mk; assert mk.backend.native and mk.solve(mk.human(), mk.Position('Head', (0, 1, 0))).reached"


def main() -> None:
    """Runs the check."""
    folder = Path(sys.argv[1]).resolve()
    shutil.rmtree(folder, ignore_errors=True)
    clone, places = folder / "clone", [folder / "one", folder / "two"]
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    for place in places:
        subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
    install = ["-m", "pip", "install", "--quiet", "--force-reinstall", "."]
    both = [subprocess.Popen([place / "bin" / "python", *install], cwd=clone) for place in places]
    ended = [one.wait() for one in both]
    assert ended == [0, 0], f"two installations at once ended with {ended}"
    for place in places:
        subprocess.run([place / "bin" / "python", "-c", SEEN], cwd=folder, check=True)
    (log,) = clone.glob("build/*/.ninja_log")
    before = sorted(log.read_text().splitlines())  # ninja may write its lines in another order
    subprocess.run([places[0] / "bin" / "python", *install], cwd=clone, check=True)
    assert sorted(log.read_text().splitlines()) == before, "an installation of unchanged sources compiled something"
    print("two installations at once succeeded, and a third compiled nothing")


main()
