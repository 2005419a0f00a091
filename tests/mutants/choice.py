"""Which tests are likely to notice a change of a module, the likeliest first."""

from __future__ import annotations

import ast
import re
from pathlib import Path

WIDE = "strangers"
"""The folder of tests that drive each format and each job from end to end; every room has them."""
ALSO = {"solution": "solvers", "problem": "solvers"}
"""Rooms of which another room's tests are the tests."""


def room_tests(tests: Path, room: str) -> list[Path]:
    """The test files of a room."""
    folders = [tests / room, tests / ALSO.get(room, room), tests / WIDE]
    found = {path for folder in folders if folder.is_dir() for path in folder.rglob("test_*.py")}
    found |= set(tests.glob(f"test_{room}*.py"))
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
