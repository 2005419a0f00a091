"""Each room of the native core includes only rooms before it. Read off the include lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

CPP = Path(__file__).parents[2] / "cpp"
ROOMS = ("include", "math", "model", "compile", "kernels", "dispatch", "solve", "track", "c_api", "bindings")
"""The order in which they may use each other; `include` is the C interface, which needs none of them."""
KERNEL_ROOMS = ("math", "model", "kernels")
"""What kernels may include. They are compiled for each instruction set, and host code is not."""
STANDARD_IN_KERNELS = {"cstddef"}
"""Standard headers without inline functions. One compiled with AVX2 could run on a processor without it."""
ROOMS_OF_SOLVE = ("", "starts", "description", "query")
"""The folders of solve/, in the order in which they may use each other; its own files come first."""
HOST_ONLY = {"math/mat3.h", "math/turns.h", "model/named_arrays.h", "model/require.h"}
"""Headers of math and model for host code only: they include the standard library."""


def includes(text: str) -> Iterator[tuple[int, str, bool]]:
    """(line, name, whether it is a file of ours) of every include line."""
    for number, line in enumerate(text.splitlines(), start=1):
        found = re.match(r'\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)', line)
        if found:
            yield number, found.group(1) or found.group(2), found.group(1) is not None


def room_of_solve(name: str) -> int:
    """Where the folder of solve/ that a file is in stands in their order."""
    return ROOMS_OF_SOLVE.index("/".join(name.split("/")[1:-1]))


def files() -> list[Path]:
    return sorted(path for path in CPP.rglob("*") if path.suffix in (".h", ".cpp", ".c"))


def faults(name: str, text: str) -> list[str]:
    """What is wrong with the include lines of a file, given by its path from cpp/."""
    room = name.split("/")[0]
    found = []
    for line, other, ours in includes(text):
        if not ours:
            if room == "kernels" and other not in STANDARD_IN_KERNELS:
                found.append(f"line {line}: a kernel includes <{other}>")
            continue
        there = other.split("/")[0]
        if there not in ROOMS:
            found.append(f'line {line}: "{other}" does not start with a room')
        elif ROOMS.index(there) > ROOMS.index(room):
            found.append(f'line {line}: {room} includes "{other}" of a later room')
        elif room == there == "solve" and room_of_solve(other) > room_of_solve(name):
            found.append(f'line {line}: {name} includes "{other}" of a later folder')
        elif room == "kernels" and (there not in KERNEL_ROOMS or other in HOST_ONLY):
            found.append(f'line {line}: a kernel includes the host file "{other}"')
        elif not (CPP / other).is_file():
            found.append(f'line {line}: there is no "{other}"')
    return found


def test_every_file_is_in_a_room() -> None:
    assert {path.relative_to(CPP).parts[0] for path in files()} == set(ROOMS)
    assert len(files()) > 80


@pytest.mark.parametrize("path", files(), ids=lambda p: str(p.relative_to(CPP)))
def test_a_room_includes_only_rooms_before_it(path: Path) -> None:
    assert not faults(path.relative_to(CPP).as_posix(), path.read_text(encoding="utf-8"))


def test_headers_of_math_and_model_for_kernels_are_free_of_the_standard_library() -> None:
    for room in ("math", "model"):
        for path in sorted((CPP / room).glob("*.h")):
            name = path.relative_to(CPP).as_posix()
            if name in HOST_ONLY:
                continue
            standard = [other for _, other, ours in includes(path.read_text(encoding="utf-8")) if not ours]
            assert set(standard) <= STANDARD_IN_KERNELS, name


@pytest.mark.parametrize(
    ("name", "line", "wrong"),
    [
        ("model/problem.h", '#include "math/lanes.h"', False),
        ("math/lanes.h", '#include "model/problem.h"', True),
        ("compile/arm.h", '#include "dispatch/backend.h"', True),
        ("kernels/arm/arm.cpp", '#include "compile/arm.h"', True),
        ("kernels/arm/arm.cpp", '#include "math/mat3.h"', True),
        ("kernels/arm/arm.cpp", "#include <vector>", True),
        ("kernels/arm/arm.cpp", '#include "kernels/arm/table.h"', False),
        ("solve/many.cpp", '#include "track/tracker.h"', True),
        ("solve/limits.cpp", '#include "solve/description/description.h"', True),
        ("solve/starts/natural.cpp", '#include "solve/query/query.h"', True),
        ("solve/query/query.cpp", '#include "solve/starts/heading.h"', False),
        ("track/tracker.h", '#include "frames.h"', True),
        ("track/tracker.h", '#  include "track/nowhere.h"', True),
        ("track/tracker.h", "#include <vector>", False),
    ],
)
def test_the_order_forbids_what_it_should(name: str, line: str, wrong: bool) -> None:
    assert bool(faults(name, line)) == wrong
