"""Counts the tokens of code of the package and of the native core by room, at one revision or at two.

    python tools/tokens.py                    the working tree
    python tools/tokens.py 14276fb4           that revision beside the working tree
    python tools/tokens.py 14276fb4 HEAD      two revisions

A room is a folder directly below src/manikin or cpp; modules beside these folders are a room together. Comments,
docstrings, imports (and includes), indentation and ends of lines do not count. A string is one token, however long.
Python counts `.py`, the native core `.cpp` and `.h`; stubs do not count.

With two revisions code that only moved is no change: a file that git recognises as renamed, and a function, method or
statement that left one room and appears in another token by token, counts for the new room in both columns. Totals do
not depend on this.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import subprocess
import sys
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

Unit = tuple[str, ...]
"""The tokens of a function, a method or a statement outside of functions."""
Rooms = dict[str, Counter[Unit]]
"""The units of each room, and how often each occurs."""

LEAST = 20
"""Units with fewer tokens are not looked for in other rooms: short statements occur twice by chance."""
UNCOUNTED = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING)
CPP = re.compile(
    r"""//[^\n]*|/\*.*?\*/                              # comments
    |^[ \t]*\#[ \t]*include[^\n]*                       # includes
    |(?P<directive>^[ \t]*\#(?:\\\n|//[^\n]*|[^\n\\])*) # other directives, with continued lines
    |(?P<token>R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'
      |\.?\d(?:[eEpP][+-]|['\w.])*|[^\W\d]\w*
      |<<=|>>=|\.\.\.|->\*|<=>|::|->|\+\+|--|<<|[-+*/%&|^<>=!]=|&&|\|\||\S)""",
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)


def python_units(source: str) -> Iterator[Unit]:
    """The units of a Python module."""
    tree, left_out, starts = ast.parse(source), [], []

    def span(node: ast.stmt) -> tuple[int, int]:
        decorators = getattr(node, "decorator_list", [])
        return min([node.lineno, *(d.lineno for d in decorators)]), node.end_lineno or node.lineno

    def visit(body: list[ast.stmt]) -> None:
        for node in body:
            starts.append(span(node)[0])
            if isinstance(node, ast.ClassDef):
                visit(node.body)

    for node in ast.walk(tree):
        is_text = (
            isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        )
        if is_text or isinstance(node, ast.Import | ast.ImportFrom):
            left_out.append(span(node))
    visit(tree.body)
    lines_left_out = {line for first, last in left_out for line in range(first, last + 1)}
    units: dict[int, list[str]] = defaultdict(list)
    ordered, at = sorted(set(starts)), -1
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        while at + 1 < len(ordered) and ordered[at + 1] <= token.start[0]:
            at += 1
        if token.type not in UNCOUNTED and token.string.strip() and token.start[0] not in lines_left_out:
            units[at].append(token.string)
    yield from (tuple(words) for words in units.values())


def cpp_units(source: str) -> Iterator[Unit]:
    """The units of a C++ file: what stands between the braces of namespaces, function by function."""
    words: list[str] = []
    depth = 0
    tokens = list(_cpp_tokens(source))
    for at, token in enumerate(tokens):
        words.append(token)
        if token == "{" and not depth and ("namespace" in words or words[:2] == ["extern", '"C"']):
            yield tuple(words)  # its contents are units of their own
            words = []
            continue
        depth += (token == "{") - (token == "}" and depth > 0)
        closed = token == "}" and tokens[at + 1 : at + 2] != [";"]
        if not depth and (token == ";" or closed):
            yield tuple(words)
            words = []
    if words:
        yield tuple(words)


def _cpp_tokens(source: str) -> Iterator[str]:
    for found in CPP.finditer(source):
        if directive := found["directive"]:
            text = directive.replace("\\\n", " ").replace("#", " # ", 1)
            yield from (inner["token"] for inner in CPP.finditer(text) if inner["token"])
        elif token := found["token"]:
            yield token


def room(path: str) -> str:
    """The room of a file; empty if the file does not count."""
    parts = path.split("/")
    if parts[:2] == ["src", "manikin"] and path.endswith(".py"):
        return f"src/{parts[2]}" if len(parts) > 3 else "src, modules"
    if parts[0] == "cpp" and path.endswith((".cpp", ".h")):
        return f"cpp/{parts[1]}" if len(parts) > 2 else "cpp, files"
    return ""


def counted(tree: Path, revision: str, moved: dict[str, str] | None = None) -> Rooms:
    """The units of each room.

    Args:
        tree: a folder inside the repository.
        revision: a revision of git; empty for the working tree.
        moved: new paths of files that count for the room of their new path.
    """
    rooms: Rooms = defaultdict(Counter)
    for path, source in _files(tree, revision):
        now = (moved or {}).get(path, path)
        units = python_units if path.endswith(".py") else cpp_units
        rooms[room(now) or room(path)].update(units(source))
    return rooms


def moved_home(before: Rooms, after: Rooms) -> Rooms:
    """The units before, with each unit that only moved in the room where it is now."""
    home = {name: units.copy() for name, units in before.items()}
    left: dict[Unit, list[str]] = defaultdict(list)
    for name, units in before.items():
        for unit, count in (units - after.get(name, Counter())).items():
            left[unit] += [name] * count
    for name, units in after.items():
        for unit, count in (units - before.get(name, Counter())).items():
            for old in left[unit][:count] if len(unit) >= LEAST else []:
                home[old][unit] -= 1
                home.setdefault(name, Counter())[unit] += 1
            del left[unit][:count]
    return home


def table(before: Rooms | None, after: Rooms) -> str:
    """The counts as a table in Markdown; one column without `before`."""
    rows = []
    for part in ("src", "cpp", ""):
        names = sorted(n for n in {*after, *(before or {})} if n.startswith(part or "none"))
        rows += [(name, (name,)) for name in names]
        every = tuple(n for n in {*after, *(before or {})} if n.startswith(part))
        rows.append((f"**{part or 'src and cpp'}**", every))
    lines = ["| room | tokens |" if before is None else "| room | before | after | change | % |"]
    lines.append("|---|" + "--:|" * (lines[0].count("|") - 2))
    for title, names in rows:
        now = sum(map(_size, (after.get(n, Counter()) for n in names)))
        if before is None:
            lines.append(f"| {title} | {now:,} |")
            continue
        was = sum(map(_size, (before.get(n, Counter()) for n in names)))
        percent = f"{100 * (now - was) / was:+.1f}" if was else "new"
        lines.append(f"| {title} | {was:,} | {now:,} | {now - was:+,} | {percent} |")
    return "\n".join(lines)


def _size(units: Counter[Unit]) -> int:
    return sum(len(unit) * count for unit, count in units.items())


def _files(tree: Path, revision: str) -> Iterator[tuple[str, str]]:
    """(path, text) of each file that counts."""
    if not revision:
        for path in _git(tree, "ls-files", "--cached", "--others", "--exclude-standard", "src", "cpp").splitlines():
            if room(path) and (tree / path).is_file():
                yield path, (tree / path).read_text(encoding="utf-8")
        return
    paths = [p for p in _git(tree, "ls-tree", "-r", "--name-only", revision, "src", "cpp").splitlines() if room(p)]
    names = "\n".join(f"{revision}:{path}" for path in paths)
    data = subprocess.run(
        ["git", "-C", tree, "cat-file", "--batch"], input=names.encode(), capture_output=True, check=True
    )
    out = io.BytesIO(data.stdout)
    for path in paths:
        size = int(out.readline().split()[2])
        yield path, out.read(size).decode()
        out.readline()


def _renamed(tree: Path, before: str, after: str) -> dict[str, str]:
    """Old and new path of each file that git recognises as renamed."""
    said = _git(tree, "diff", "-M", "--diff-filter=R", "--name-status", before, *([after] if after else []))
    return {old: new for _, old, new in (line.split("\t") for line in said.splitlines())}


def _git(tree: Path, *arguments: str) -> str:
    return subprocess.run(["git", "-C", tree, *arguments], capture_output=True, text=True, check=True).stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("revisions", nargs="*", help="one or two revisions of git; without any, the working tree")
    given = parser.parse_args()
    tree = Path(__file__).resolve().parents[1]
    if len(given.revisions) > 2:
        parser.error("at most two revisions can be compared")
    if not given.revisions:
        print(table(None, counted(tree, "")))
        return
    before, after = given.revisions[0], "".join(given.revisions[1:])
    now = counted(tree, after)
    print(table(moved_home(counted(tree, before, _renamed(tree, before, after)), now), now))


if __name__ == "__main__":
    sys.exit(main())
