"""The kernels for newer processors stay apart: none of their code can come to run on an older one.

An inline function of the standard library that is compiled with AVX2 leaves a weak symbol; the linker may keep that one
for the whole program, and an old processor dies of it. So no object of the kernels has weak symbols, and whatever it
offers to others bears the name of its instruction set.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def objects(isa: str) -> list[Path]:
    """The objects that the last build here left; those with sanitizers have symbols of the sanitizers."""
    found = [p for p in ROOT.glob(f"build/*/CMakeFiles/kernels_{isa}.dir/**/*.o") if "sanitize" not in p.parts]
    newest: dict[str, Path] = {}
    for path in sorted(found, key=lambda p: p.stat().st_mtime):
        newest[path.name] = path
    return list(newest.values())


@pytest.mark.parametrize("isa", ["base", "v3"])
def test_kernels_offer_nothing_that_could_be_taken_for_another_sets(isa: str) -> None:
    nm = shutil.which("nm")
    if nm is None:
        pytest.skip("nm is not there to read objects with")
    built = objects(isa)
    if not built:
        pytest.skip(f"no build in {ROOT.name}/build has left objects of the kernels {isa!r}")
    for path in built:
        done = subprocess.run(
            [nm, "-C", "-g", "--defined-only", str(path)], capture_output=True, text=True, check=True, timeout=60
        )
        symbols = [line.split(maxsplit=2)[1:] for line in done.stdout.splitlines() if line.strip()]
        assert symbols, f"{path} offers nothing"
        for kind, name in symbols:
            assert kind.upper() not in "WVU", f"{path.name}: {name} is weak; keep the standard library out of kernels"
            assert isa in name, f"{path.name}: {name} does not say that it is for {isa}"
