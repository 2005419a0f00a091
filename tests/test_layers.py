"""Each room imports only rooms that come before it. Read off the import lines, those inside functions included."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import manikin

PACKAGE = Path(manikin.__file__).parent
ROOMS = (
    *(
        "errors",
        "base",
        "arrays",
        "rotations",
        "reference",
        "backend",
        "linalg",
        "kinematics",
        "figure",
        "goals",
        "prior",
        "preferences",
    ),
    *("problem", "solution", "solvers", "posing", "report", "motion", "files", "view", "jobs"),
    *("chapter", "studio", "cli"),
)
"""The layers of the package ("rooms"). Each imports only from rooms before it. CONTRIBUTING.md, "How the code is laid
out", has the same list."""
WHOLE = "manikin"
"""The package itself (`import manikin as mk`) has every room in it."""
FREE_NAMES = ("__version__",)
"""What any room may take from the package itself: plain values, not rooms."""


def rank(room: str) -> float:
    """Where a room stands: the native core just before `backend`, the whole package just before the last room."""
    before = {"_core": "backend", WHOLE: ROOMS[-1]}
    return ROOMS.index(before[room]) - 0.5 if room in before else ROOMS.index(room)


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(source: str, package: str = WHOLE) -> Iterator[tuple[int, str]]:
    """(line, room) of every import of a room of ours, those under TYPE_CHECKING left out.

    Args:
        source: the text of a module.
        package: the dotted name of the package it stands in, for relative imports.
    """
    tree = ast.parse(source)
    exempt = {id(inner) for node in ast.walk(tree) if _is_type_checking(node) for inner in ast.walk(node)}
    for node in ast.walk(tree):
        if id(node) in exempt:
            continue
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == WHOLE:
                    yield node.lineno, (*alias.name.split("."), WHOLE)[1]
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if node.level:
                base = package.split(".")[: len(package.split(".")) - node.level + 1]
                module = ".".join([*base, *([module] if module else [])])
            parts = module.split(".")
            if parts == [WHOLE]:
                for alias in node.names:
                    if alias.name not in FREE_NAMES:
                        yield node.lineno, alias.name if alias.name in (*ROOMS, "_core") else WHOLE
            elif parts[0] == WHOLE:
                yield node.lineno, parts[1]


def _is_type_checking(node: ast.AST) -> bool:
    if not isinstance(node, ast.If):
        return False
    test = node.test
    return (isinstance(test, ast.Name) and test.id == "TYPE_CHECKING") or (
        isinstance(test, ast.Attribute) and test.attr == "TYPE_CHECKING"
    )


def modules() -> list[Path]:
    return [p for p in sorted(PACKAGE.rglob("*.py")) if room_of(p) not in ("__init__", "__main__")]


def test_every_module_stands_in_a_known_room() -> None:
    assert {room_of(p) for p in modules()} <= set(ROOMS)
    assert len(modules()) > 40


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_a_room_imports_only_rooms_before_it(path: Path) -> None:
    room = room_of(path)
    package = ".".join([WHOLE, *path.relative_to(PACKAGE).parts[:-1]])
    wrong = [
        f"line {line}: {other}"
        for line, other in imports(path.read_text(encoding="utf-8"), package)
        if other != room and rank(other) >= rank(room)
    ]
    assert not wrong, f"{room} may import only {', '.join(ROOMS[: ROOMS.index(room)])}, but {path.name} imports {wrong}"


FORMATS = ("bvh", "c3d", "fbx", "gltf", "mjcf", "tables", "trc", "urdf", "usd")
"""The folders of `files`, one a format; what they share is in `files/common`."""


@pytest.mark.parametrize("name", FORMATS)
def test_a_file_format_imports_no_other_format(name: str) -> None:
    others = "|".join(other for other in FORMATS if other != name)
    found = [
        f"{path.name}: {line}"
        for path in sorted((PACKAGE / "files" / name).glob("*.py"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.match(rf"\s*(from|import) manikin\.files\.({others})\b", line)
        or re.match(rf"\s*from manikin\.files import .*\b({others})\b", line)
    ]
    assert not found


@pytest.mark.parametrize(
    ("source", "package", "found"),
    [
        ("import numpy as np\nfrom scipy import linalg", "manikin", []),
        ("from manikin import arrays, rotations", "manikin", ["arrays", "rotations"]),
        ("from manikin.solvers.auto import Solver", "manikin.figure", ["solvers"]),
        ("import manikin.files", "manikin.figure", ["files"]),
        ("import manikin as mk", "manikin.figure", ["manikin"]),
        ("from manikin import human", "manikin.figure", ["manikin"]),
        ("from manikin import __version__", "manikin.files", []),
        ("def f():\n    from manikin import _core", "manikin.linalg", ["_core"]),
        ("from ..posing import solve", "manikin.goals", ["posing"]),
        ("from . import joint", "manikin.figure", ["figure"]),
        ("from .joint import Joint", "manikin.figure", ["figure"]),
        ("if TYPE_CHECKING:\n    from manikin.posing import solve\nfrom manikin import errors", "manikin", ["errors"]),
        ("import typing\nif typing.TYPE_CHECKING:\n    import manikin.cli", "manikin", []),
    ],
)
def test_import_lines_are_read_right(source: str, package: str, found: list[str]) -> None:
    assert [room for _, room in imports(source, package)] == found


def test_the_order_forbids_what_it_should() -> None:
    assert rank("figure") < rank("goals") < rank("posing") < rank("cli")
    assert rank("reference") < rank("_core") < rank("backend")
    assert rank("chapter") < rank(WHOLE) < rank("cli")
