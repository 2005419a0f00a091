"""The C interface: a program in C gets the bits that Python gets, and broken blocks never get further than an error."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import manikin as mk
from manikin import _core, backend

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
PROGRAM = os.environ.get("MANIKIN_C_PROGRAM")
"""The program, if it is built already: `make sanitize` builds it from the same objects as the Python module."""

pytestmark = pytest.mark.skipif(not backend.native, reason="MANIKIN_BACKEND=reference: there is no native core")


def person() -> mk.Solver:
    """A person with five goals, two priorities and an AnyOf."""
    figure = mk.human()
    left, right = figure.placements(figure.rest, ["LeftFoot", "RightFoot"])
    return mk.Solver(
        figure,
        [
            mk.Placement("LeftFoot", left),
            mk.Placement("RightFoot", right),
            mk.Balance(["LeftFoot", "RightFoot"]),
            mk.AnyOf(mk.Position("RightHand", (-0.4, 1.4, 0.4)), mk.Position("LeftHand", (0.4, 1.4, 0.4)), priority=1),
            mk.Aim("Head", (-0.4, 1.4, 2.0), priority=1),
        ],
    )


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, on the core built for it alone, as another host would build it."""
    if PROGRAM is not None:
        return Path(PROGRAM)
    here = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    cmake = shutil.which("cmake", path=here)
    if cmake is None or shutil.which("cc") is None:
        pytest.skip("cmake or a C compiler is not installed")
    build = tmp_path_factory.mktemp("core")
    options = ["-DMANIKIN_PYTHON=OFF", "-DMANIKIN_C_TEST=ON"]
    subprocess.run([cmake, "-S", str(ROOT), "-B", str(build), *options], check=True, capture_output=True)
    subprocess.run([cmake, "--build", str(build), "-j2"], check=True, capture_output=True)
    return build / "query_in_c"


def run(program: Path, block: bytes, targets: np.ndarray, folder: Path) -> tuple[int, dict[str, list[str]]]:
    (folder / "block").write_bytes(block)
    (folder / "targets").write_bytes(np.ascontiguousarray(targets).tobytes())
    words = [str(program), str(folder / "block"), str(folder / "targets"), str(len(targets)), backend.name]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=120)
    assert "Sanitizer" not in done.stderr, done.stderr
    lines = [line.split(" ") for line in done.stdout.splitlines()]
    return done.returncode, {name: values for name, *values in lines}


def test_a_c_program_gets_the_same_bits(program: Path, tmp_path: Path) -> None:
    solver = person()
    rng = np.random.default_rng(0)
    targets = np.repeat(solver.targets[None], 4, axis=0)
    for _, at in solver.target_layout[3:]:
        targets[:, at] += 0.05 * rng.normal(size=(4, at.stop - at.start))
    code, said = run(program, solver.to_bytes(), targets, tmp_path)
    assert code == 0, said
    many, track = solver.solve_many(None, targets), solver.track(None, targets)
    for name, wanted in (
        ("solve", solver.solve(None, targets[0]).pose),
        ("poses", many.poses),
        ("errors", many.errors),
        ("track", track.poses),
        ("placed", solver.figure.placements(many.poses[0])),
    ):
        assert [float.fromhex(x) for x in said[name]] == np.asarray(wanted).ravel().tolist(), name
    assert [int(x) for x in said["chosen"]] == many.chosen.ravel().tolist()
    assert [int(x) for x in said["status"]] == many.codes.tolist()
    assert " ".join(said["refused"]).startswith("1 start: number 0 is not finite")


def test_a_broken_block_is_an_error(program: Path, tmp_path: Path) -> None:
    solver = person()
    block = solver.to_bytes()
    for broken in (b"", block[:-8], block[:5000], b"x" + block[1:], block[:8] + b"\x07" + block[9:]):
        code, said = run(program, broken, solver.targets[None], tmp_path)
        assert code == 1
        assert "compiled problem" in " ".join(said["error"])


def test_blocks_that_were_changed_anywhere_never_crash() -> None:
    """In a process of its own: what is read is right, or a ValueError."""
    solver = mk.Solver(mk.human(), [mk.Position("LeftHand", (0.3, 1.2, 0.3)), mk.Clearance(0.01)])
    code = """
import sys
import numpy as np
from manikin import _core

block = np.frombuffer(sys.stdin.buffer.read(), dtype=np.uint8)
rng, read = np.random.default_rng(0), 0
for k in range(2000):
    broken = block.copy()
    at = rng.integers(len(block), size=rng.integers(1, 4))
    broken[at] = rng.integers(256, size=len(at))
    if k % 3 == 0:  # the heads of arrays, where counts stand
        broken[rng.integers(24, 2000, size=2)] = rng.integers(256, size=2)
    try:
        _core.Query(broken.tobytes())
        read += 1
    except ValueError:
        pass
print(read)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], input=solver.to_bytes(), capture_output=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr.decode()[-800:]
    assert 0 < int(done.stdout) < 2000


def test_the_block_says_its_version() -> None:
    block = person().to_bytes()
    with pytest.raises(ValueError, match="its version is 9; this core reads 3"):
        _core.Query(block[:8] + b"\x09" + block[9:])
