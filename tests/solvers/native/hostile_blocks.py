"""Damages compiled problems, opens each and solves what opens; prints "done" and how many opened. See `test_block`.

Arguments: the file of a block, how many changes, the seed.
"""

from __future__ import annotations

import resource
import struct
import sys
from pathlib import Path

import numpy as np

from manikin import _core

HUGE = (0, 1, 2**31 - 1, 2**31, 2**32 - 1, 2**40, 2**63, 2**64 - 1)


class Owner:
    """What the core needs of a solver."""

    notes = ()
    _callbacks = ()

    def __init__(self, query: _core.Query) -> None:
        self._query = query


def changed(block: bytes, rng: np.random.Generator) -> bytes:
    """The block with one kind of damage."""
    out = bytearray(block)
    kind = rng.integers(5)
    at = int(rng.integers(len(out) - 8))
    if kind == 0:  # some bits
        for _ in range(int(rng.integers(1, 5))):
            out[int(rng.integers(len(out)))] ^= 1 << int(rng.integers(8))
    elif kind == 1:  # a count
        out[at : at + 8] = struct.pack("<Q", HUGE[int(rng.integers(len(HUGE)))])
    elif kind == 2:  # a whole number
        out[at // 4 * 4 : at // 4 * 4 + 4] = struct.pack("<i", int(rng.integers(-(2**31), 2**31)))
    elif kind == 3:  # a real number
        odd = (np.nan, np.inf, -np.inf, 1e308, -1.0, 0.0)
        out[at // 8 * 8 : at // 8 * 8 + 8] = struct.pack("<d", odd[int(rng.integers(len(odd)))])
    else:  # its end, with a head that fits
        out = out[: max(24, at)]
        out[16:24] = struct.pack("<Q", len(out))
    return bytes(out)


def main() -> None:
    block, count, rng = Path(sys.argv[1]).read_bytes(), int(sys.argv[2]), np.random.default_rng(int(sys.argv[3]))
    _core.Query(block)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + 2**29, resource.RLIM_INFINITY))
    opened = 0
    for k in range(count):
        print(k, file=sys.stderr, flush=True)
        try:
            query = _core.Query(changed(block, rng))
            _core.solve(Owner(query), None, None, iterations=5, restarts=1)
            opened += 1
        except ValueError:
            pass
    print("done", opened)


if __name__ == "__main__":
    main()
