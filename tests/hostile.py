"""Broken and hostile files made from good ones, and a process with limits to load them in."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

RUNNER = Path(__file__).with_name("hostile_runner.py")
MEMORY = 1024
"""Mebibytes that loading a small file may take beyond the libraries."""
SECONDS = 20.0
"""Seconds of processor time that loading a small file may take. They do not depend on what else the machine does."""
NUMBERS = (
    b"nan",
    b"inf",
    b"-inf",
    b"1e308",
    b"-1e308",
    b"1e999",
    b"1e-320",
    b"99999999999999999999",
    b"-1",
    b"0",
    b"1e15",
)
"""What stands in the place of a number."""
WORDS = (b"", b"\0", b"\xff\xfe", b"\xed\xa0\x80", b"A" * 5000, b"..", b"%s%n", b"<", b'"', b"}", b"{")
"""What stands in the place of a word."""


@dataclass(frozen=True)
class Outcome:
    """What came of loading a file."""

    path: str
    role: str
    kind: str
    """"loaded", the name of an exception, or "died"."""
    message: str = ""
    usable: bool = True
    bad: bool = False
    """Whether it is a BadFile; for a door of `doors`, one of manikin's errors."""

    @property
    def right(self) -> bool:
        """Loaded so that it can be used, or refused as a bad file (or one that is not supported) by its name."""
        if self.kind == "loaded":
            return self.usable
        return (self.bad or self.kind == "Unsupported") and Path(self.path).name in self.message


def run(cases: Sequence[tuple[str, Path]], memory: int = MEMORY, seconds: float = SECONDS) -> list[Outcome]:
    """Load files (role, path), the first of them a good one, in a process with limits; a new one where it dies."""
    outcomes: list[Outcome] = []
    first, waiting = cases[0], list(cases)
    while waiting:
        lines = "".join(f"{role}\t{path}\n" for role, path in waiting)
        done = subprocess.run(
            [sys.executable, str(RUNNER), str(memory), str(seconds)],
            input=lines.encode("utf-8", "surrogateescape"),
            capture_output=True,
            check=False,
        )
        told: list[dict[str, Any]] = [json.loads(line) for line in done.stdout.splitlines()]
        outcomes += [Outcome(**t) for t in told if "kind" in t]
        count = sum("kind" in t for t in told)
        if count == len(waiting):
            break
        assert told, f"the process that loads files did not begin: {done.stderr.decode()[-2000:]}"
        role, path = waiting[count]
        outcomes.append(
            Outcome(str(path), role, "died", f"by signal {-done.returncode}: {done.stderr.decode()[-300:]}")
        )
        waiting = [first, *waiting[count + 1 :]]
        if len(waiting) == 1:
            break
    return outcomes


def cut(data: bytes, places: int = 30) -> Iterator[tuple[str, bytes]]:
    """Cut off at places spread over the file, near its ends too."""
    spots = {*np.linspace(0, len(data) - 1, places - 6).astype(int).tolist(), 1, 2, 7, len(data) - 2, len(data) - 3}
    for at in sorted(s for s in spots if 0 < s < len(data)):
        yield f"cut at {at}", data[:at]


def flipped(data: bytes, count: int, rng: np.random.Generator) -> Iterator[tuple[str, bytes]]:
    """A few bytes changed: one mostly, sometimes several, or a stretch lost, doubled or zeroed."""
    for k in range(count):
        raw = bytearray(data)
        at = int(rng.integers(len(raw)))
        if k % 8 == 5:
            del raw[at : at + int(rng.integers(1, 40))]
        elif k % 8 == 6:
            raw[at:at] = raw[at : at + int(rng.integers(1, 40))]
        elif k % 8 == 7:
            stretch = min(int(rng.integers(1, 40)), len(raw) - at)
            raw[at : at + stretch] = bytes([int(rng.choice([0, 255, 32]))]) * stretch
        else:
            for _ in range((1, 1, 1, 3, 10)[k % 8]):
                raw[int(rng.integers(len(raw)))] = int(rng.integers(256))
        yield f"change {k}", bytes(raw)


def with_numbers(data: bytes, count: int, rng: np.random.Generator) -> Iterator[tuple[str, bytes]]:
    """A number of a text changed into one that is not usual."""
    found = [m.span() for m in re.finditer(rb"(?<![\w.])-?\d+\.?\d*(?:e[-+]?\d+)?", data)]
    for _ in range(count if found else 0):
        a, b = found[int(rng.integers(len(found)))]
        number = NUMBERS[int(rng.integers(len(NUMBERS)))]
        yield f"{number.decode()} for the number at {a}", data[:a] + number + data[b:]


def with_words(data: bytes, count: int, rng: np.random.Generator) -> Iterator[tuple[str, bytes]]:
    """A word of a text lost or changed into another of the same text, or into something that is not usual."""
    found = [m.span() for m in re.finditer(rb"[A-Za-z_]\w*", data)]
    for k in range(count if found else 0):
        a, b = found[int(rng.integers(len(found)))]
        c, d = found[int(rng.integers(len(found)))]
        word = data[c:d] if k % 2 else WORDS[int(rng.integers(len(WORDS)))]
        yield f"{word[:20]!r} for the word at {a}", data[:a] + word + data[b:]


def all_changes(data: bytes, text: bool, count: int = 200, seed: int = 0) -> list[tuple[str, bytes]]:
    """All of the above."""
    rng = np.random.default_rng(seed)
    changes = [*cut(data), *flipped(data, count, rng)]
    return [*changes, *with_numbers(data, count // 3, rng), *with_words(data, count // 3, rng)] if text else changes
