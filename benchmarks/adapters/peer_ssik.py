"""ssik: analytic solutions of six- and seven-axis arms, with the artefact that `ssik build` writes for a URDF file."""

from __future__ import annotations

import importlib
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from harness import Work, main, matrices


class Peer:
    note = "ssik build, max_solutions=1"

    def __init__(self, work: Work) -> None:
        folder, name = Path(work.path).parent, work.key.replace("-", "_") + "_ik"
        program = str(Path(sys.executable).with_name("ssik"))
        command = [program, "build", work.path, "--base", work.base, "--ee", work.links[0]]
        subprocess.run(
            [*command, "--out", str(folder / f"{name}.py"), "--module-name", name, "--no-validate"],
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        sys.path.insert(0, str(folder))
        self.arm = importlib.import_module(name)
        if work.mode == "track" or "near" in sys.argv:
            self.solve = self.near
            self.note = "ssik build, max_solutions=1, q_seed"

    def start(self, q: Any) -> Any:
        return np.array(q)

    def target(self, rows: Any) -> Any:
        return matrices(rows[0])

    def solve(self, _q: Any, T: Any) -> Any:
        found = self.arm.solve(T, max_solutions=1, enumerate_windings=False)
        return found[0].q if found else None

    def near(self, q: Any, T: Any) -> Any:
        found = self.arm.solve(T, max_solutions=1, q_seed=q)
        return found[0].q if found else None

    def pose(self, q: Any) -> Any:
        return q


if __name__ == "__main__":
    main(Peer, version("ssik"))
