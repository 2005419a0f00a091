"""A function of more than 40 lines is outlined: comments head its blocks, so that it can be read by them alone."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

TREE = Path(__file__).parents[1]
LONG = 40
"""Lines of a function, without its signature and its docstring."""
LEAST = 2
"""Comments that stand on lines of their own."""
LATER = """
src/manikin/cli/convert.py run
src/manikin/cli/solve.py solve
src/manikin/report/narrow.py narrow
src/manikin/report/rivals.py rivals
cpp/solve/description/description.cpp Description::problem
"""
"""Functions without an outline yet: files that are being rewritten. Add nothing."""
CONTAINER = re.compile(r"\b(namespace|struct|class|enum|union)\b[^()]*$|extern\s*$")
CPP = re.compile(
    r'(?P<comment>//[^\n]*|/\*.*?\*/)|"(?:\\.|[^"\\\n])*"|(?P<sign>[{};])|^[ \t]*#(?:\\\n|[^\n])*', re.M | re.S
)
Function = tuple[str, int, int]
"""Name, lines, and comments."""


def python_functions(source: str) -> Iterator[Function]:
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    comments = [t.start[0] for t in tokens if t.type == tokenize.COMMENT and t.line.lstrip().startswith("#")]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[ast.get_docstring(node) is not None :] or node.body
            begin = node.body[0].end_lineno or 0 if first[0] is not node.body[0] else node.body[0].lineno - 1
            end = node.end_lineno or 0
            yield node.name, end - begin, sum(begin < line <= end for line in comments)


def cpp_functions(source: str) -> Iterator[Function]:
    """The outermost functions. What stands between the last brace or semicolon and an opening brace says what opens."""
    opened: list[str] = []
    head, begin, name, outside = 0, 0, "", 0
    for found in CPP.finditer(source):
        if not found["sign"]:
            if not outside and not opened.count("function"):
                head = found.end()
            continue
        text = re.sub(r"__attribute__\(\(.*?\)\)\s|\[\[.*?\]\]\s", "", source[head : found.start()])
        if found["sign"] == "{":
            inside = "function" in opened
            kind = "other" if inside or ")" not in text else "function"
            kind = "container" if CONTAINER.search(text) and not inside else kind
            opened.append(kind)
            if kind == "function":
                begin, name = found.end(), text.split("(")[0].split()[-1]
        elif found["sign"] == "}" and opened and opened.pop() == "function":
            body = source[begin : found.start()].strip("\n").rstrip()
            yield name, body.count("\n") + 1, len(re.findall(r"^[ \t]*//", body, re.M))
        head = found.end()


PYTHON = sorted((TREE / "src" / "manikin").rglob("*.py"))
NATIVE = sorted(path for ending in ("*.cpp", "*.h") for path in (TREE / "cpp").rglob(ending))


@pytest.mark.parametrize("room", ["src", "cpp"])
def test_a_long_function_is_outlined(room: str) -> None:
    functions, paths = (python_functions, PYTHON) if room == "src" else (cpp_functions, NATIVE)
    bare = [
        f"{path.relative_to(TREE)}: {name} has {lines} lines and {comments} comments"
        for path in paths
        for name, lines, comments in functions(path.read_text(encoding="utf-8"))
        if lines > LONG and comments < LEAST and f"{path.relative_to(TREE).as_posix()} {name}" not in LATER
    ]
    assert not bare, "\n".join(bare)


def test_lines_and_comments_of_a_function_are_counted() -> None:
    text = '    """Text.\n\n    More.\n    """\n'
    source = f"def f(\n    a,\n):\n{text}    # first\n    b = a  # not alone\n    # then\n    return b\n"
    assert list(python_functions(source)) == [("f", 4, 2)]
    native = "namespace m {\nstruct S {\n  int k{3};\n  S() : k(1) {}\n};\n// before\nint f(int a,\n      int b) {\n"
    native += '  // first\n  for (;;) {\n    g("{");\n  }\n}\n}  // namespace m\n'
    assert list(cpp_functions(native)) == [("S", 1, 0), ("f", 4, 1)]
