"""Compiled problems as bytes: damaged ones are errors, never a crash."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import manikin as mk
from manikin import backend

pytestmark = pytest.mark.skipif(not backend.native, reason="MANIKIN_BACKEND=reference: there is no native solver")


def body() -> mk.Solver:
    human = mk.human()
    either = mk.AnyOf(mk.Position("LeftHand", (0.3, 1.2, 0.3)), mk.Aim("Head", (0.0, 1.0, 3.0)), priority=1)
    feet = [mk.Placement(name, human.placements(human.rest, [name])[0]) for name in ("LeftFoot", "RightFoot")]
    return mk.Solver(human, [*feet, either, mk.Balance(["LeftFoot", "RightFoot"]), mk.Clearance(0.01)])


def chain() -> mk.Solver:
    figure = mk.chain(7)
    return mk.Solver(figure, mk.Placement("Tip", np.eye(4)))


BLOCKS = {"body": body().to_bytes(), "chain": chain().to_bytes()}


def opened(block: bytes) -> None:
    from manikin import _core

    _core.Query(block)


@pytest.mark.parametrize("name", BLOCKS)
def test_a_block_that_is_whole_is_opened(name: str) -> None:
    opened(BLOCKS[name])


@pytest.mark.parametrize("name", BLOCKS)
def test_a_block_that_ends_early_is_an_error(name: str) -> None:
    block = BLOCKS[name]
    for length in (0, 1, 7, 8, 23, 24, 25, 40, len(block) // 2, len(block) - 8, len(block) - 1):
        with pytest.raises(ValueError, match="compiled problem: "):
            opened(block[:length])
    with pytest.raises(ValueError, match="compiled problem: "):
        opened(block + bytes(8))


def test_another_version_is_an_error_that_names_both() -> None:
    block = BLOCKS["body"]
    with pytest.raises(ValueError, match="its version is 77; this core reads 3"):
        opened(block[:8] + struct.pack("<I", 77) + block[12:])


@pytest.mark.parametrize("count", [2**31, 2**61, 2**62, 2**63, 2**64 - 1])
def test_an_array_that_says_it_is_huge_is_an_error(count: int) -> None:
    block = BLOCKS["body"]
    with pytest.raises(ValueError, match="is longer than the block"):
        opened(block[:32] + struct.pack("<Q", count) + block[40:])


def test_what_is_not_a_block_is_an_error() -> None:
    for other in (b"manikin", b"PK\x03\x04" + bytes(100), bytes(64)):
        with pytest.raises(ValueError, match=r"Solver.to_bytes\(\)"):
            opened(other)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is limited through /proc there")
@pytest.mark.parametrize("name", BLOCKS)
def test_two_thousand_damaged_blocks_never_crash(name: str, tmp_path: Path) -> None:
    path = tmp_path / "block"
    path.write_bytes(BLOCKS[name])
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("hostile_blocks.py")), str(path), "1000", str(len(name))],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
    )
    assert done.returncode == 0, done.stderr[-500:]
    assert done.stdout.startswith("done")
