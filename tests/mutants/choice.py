"""Which tests are likely to notice a change of a module, the likeliest first."""

from __future__ import annotations

import ast
import re
from pathlib import Path

WIDE = "strangers"
"""The folder of tests that drive each format and each job from end to end; every room has them."""
ROOMS = {"solving": ("solvers", "posing", "solve", "problem", "solution")}
"""Rooms that are drawn from as one: folders and modules of the package. Posing was called solve at first."""
ALSO = dict.fromkeys(ROOMS["solving"], "solvers")
"""Folders and modules of the package of which another folder's tests are the tests."""


def room_modules(package: Path, room: str) -> list[Path]:
    """The modules of a room."""
    names = ROOMS.get(room, (room,))
    return sorted({path for name in names for path in [*(package / name).rglob("*.py"), *package.glob(f"{name}.py")]})


def room_tests(tests: Path, room: str) -> list[Path]:
    """The test files of a room, or of one folder or module of it."""
    found = set((tests / WIDE).rglob("test_*.py"))
    for name in ROOMS.get(room, (room,)):
        found |= {path for folder in {name, ALSO.get(name, name)} for path in (tests / folder).rglob("test_*.py")}
        found |= set(tests.glob(f"test_{name}*.py"))
    return sorted(found)


def ranked(tests: Path, module: Path, function: str, source: str) -> list[Path]:
    """The test files of the room of a module: its mirror first, then those that speak of what it defines.

    Args:
        tests: the folder of the tests.
        module: the module below the package, as in files/bvh/read.py.
        function: the function that is changed.
        source: the text of the module.
    """
    room, *inner = module.with_suffix("").parts
    words = dict.fromkeys(_defined(source), 1.0)
    words |= {word: 3.0 for word in inner if word != "__init__"}
    words |= {function: 5.0} if function else {}
    mirror = tests.joinpath(*module.parts[:-1], f"test_{module.stem}.py")

    def rank(path: Path) -> tuple[float, ...]:
        text = path.read_text(encoding="utf-8")
        said = sum(weight for word, weight in words.items() if re.search(rf"\b{re.escape(word)}\b", text))
        beside = path.parent == mirror.parent and len(mirror.parts) > len(tests.parts) + 2
        named = sum(part in path.stem for part in inner)
        return (path != mirror, -(said + 4.0 * beside + 3.0 * named))

    return sorted(room_tests(tests, room), key=lambda path: (rank(path), path))


def _defined(source: str) -> set[str]:
    """Functions and classes of a module, and the methods of its classes."""
    kinds = (ast.FunctionDef, ast.ClassDef)
    return {n.name.lstrip("_") for n in ast.walk(ast.parse(source)) if isinstance(n, kinds) and len(n.name) > 4}
