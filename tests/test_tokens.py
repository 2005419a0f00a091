"""tools/tokens.py counts code alone, and code that only moved is no change."""

from __future__ import annotations

import importlib.util
import subprocess
from pathlib import Path

import pytest

_spec = importlib.util.spec_from_file_location("tokens", Path(__file__).parents[1] / "tools" / "tokens.py")
assert _spec is not None
assert _spec.loader is not None
tokens = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(tokens)

FUNCTION = '''
def area(width, height):
    """Text does not count."""
    import math

    # nor do comments
    return math.fabs(width * height) + abs(width - height)
'''


def test_text_and_imports_do_not_count() -> None:
    assert list(tokens.python_units('"""A module."""\nimport math\n# x = 1\n')) == []
    (unit,) = tokens.python_units(FUNCTION)
    assert unit[:4] == ("def", "area", "(", "width")
    assert "import" not in unit
    assert unit[8:12] == ("return", "math", ".", "fabs")


def test_each_method_and_statement_is_a_unit() -> None:
    source = "class A:\n    x: int = 1\n    @property\n    def f(self): return 1\n\nB = 2\n"
    assert [unit[0] for unit in tokens.python_units(source)] == ["class", "x", "@", "B"]


def test_comments_and_includes_of_the_core_do_not_count() -> None:
    head = '// a\n#include "b.h"\nnamespace m {\n/* c */ '
    source = head + "double f(double x) { return x * 1e-3; }\nstruct S { int k{3}; };\n}\n"
    opened, function, record, closed = tokens.cpp_units(source)
    assert opened == ("namespace", "m", "{")
    assert function == ("double", "f", "(", "double", "x", ")", "{", "return", "x", "*", "1e-3", ";", "}")
    assert record == ("struct", "S", "{", "int", "k", "{", "3", "}", ";", "}", ";")
    assert closed == ("}",)


@pytest.mark.parametrize("tidied", [False, True])
def test_a_function_that_moved_is_in_its_new_room_before_and_after(tmp_path: Path, tidied: bool) -> None:
    def git(*arguments: str) -> None:
        who = ["-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run(["git", "-C", tmp_path, *who, *arguments], check=True, capture_output=True)

    def write(path: str, text: str) -> None:
        file = tmp_path / "src" / "manikin" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    git("init", "-q")
    (tmp_path / "cpp").mkdir()
    write("old/a.py", FUNCTION + "\nKEPT = 1\n")
    git("add", ".")
    git("commit", "-qm", "before")
    write("old/a.py", "KEPT = 1\n")
    write("new/b.py", FUNCTION + ("" if tidied else "\nADDED = (1, 2)\n"))

    after = tokens.counted(tmp_path, "")
    before = tokens.moved_home(tokens.counted(tmp_path, "HEAD"), after)
    size = {name: tokens._size(units) for name, units in before.items()}
    (moved,) = tokens.python_units(FUNCTION)
    assert size == {"src/old": 3, "src/new": len(moved)}
    assert tokens._size(after["src/new"]) == len(moved) + (0 if tidied else 7)
    assert "| src/old | 3 | 3 | +0 | +0.0 |" in tokens.table(before, after)
