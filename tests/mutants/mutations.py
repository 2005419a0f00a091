"""Small changes of a Python module that a test should notice: where each can be made, and the changed text.

Left alone is what no test should hang on: docstrings, annotations, decorators, the words of errors and warnings,
f-strings, `__repr__`, `__all__`, and what stands under TYPE_CHECKING.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

FLIPPED = {
    ast.Lt: ">=",
    ast.GtE: "<",
    ast.Gt: "<=",
    ast.LtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.In: "not in",
    ast.NotIn: "in",
    ast.Is: "is not",
    ast.IsNot: "is",
}
SAID = ("warn", "note", "BadFile", "BadValue", "BadShape", "Unsupported", "UnknownName", "OddFile")
"""Calls whose arguments are words for people."""
WORDS = ("__repr__", "__str__", "_repr_html_", "_repr_svg_")


@dataclass(frozen=True)
class Mutation:
    """One change: the bytes from `begin` to `end` of the module become `text`."""

    kind: str
    line: int
    begin: int
    end: int
    text: str
    function: str
    """The innermost function or class around it; empty at the top of the module."""

    def lines(self, source: str) -> range:
        """The lines that change."""
        return range(self.line, self.line + 1 + source.encode()[self.begin : self.end].count(b"\n"))

    def applied(self, source: str) -> str:
        data = source.encode()
        return (data[: self.begin] + self.text.encode() + data[self.end :]).decode()


def mutations(source: str) -> list[Mutation]:
    """Every change that can be made in a module and still gives a module."""
    found = [m for m in _Finder(source).found() if _is_module(m.applied(source))]
    return [m for m in found if m.applied(source) != source]


def _is_module(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


class _Finder:
    """Walks a module and collects changes."""

    def __init__(self, source: str) -> None:
        self.tree = ast.parse(source)
        self.data = source.encode()
        self.starts = [0]
        for line in self.data.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))

    def found(self) -> Iterator[Mutation]:
        yield from self._walk(self.tree, "")

    def _walk(self, node: ast.AST, function: str) -> Iterator[Mutation]:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if node.name in WORDS or any("overload" in ast.unparse(d) for d in node.decorator_list):
                return
            function = node.name
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            return
        for kind, at, text in self._changes(node):
            begin, end = self._span(at)
            yield Mutation(kind, at.lineno, begin, end, text, function)
        for child in self._children(node):
            yield from self._walk(child, function)

    def _children(self, node: ast.AST) -> Iterator[ast.AST]:
        """What is inside a node and means something."""
        if isinstance(node, ast.Raise | ast.JoinedStr | ast.Assert | ast.Import | ast.ImportFrom):
            return
        if isinstance(node, ast.Call) and _name(node.func) in SAID:
            return
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets):
            return
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):  # a docstring
            return
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list", "type_params"):
                continue
            yield from (v for v in (value if isinstance(value, list) else [value]) if isinstance(v, ast.AST))

    def _changes(self, node: ast.AST) -> Iterator[tuple[str, ast.expr | ast.stmt, str]]:
        text = self._text
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            other = FLIPPED[type(node.ops[0])]
            yield "comparison", node, f"{text(node.left)} {other} {text(node.comparators[0])}"
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub) and not _is_joined(node):
            sign = "-" if isinstance(node.op, ast.Add) else "+"
            yield "sign", node, f"{text(node.left)} {sign} ({text(node.right)})"
        if isinstance(node, ast.BoolOp):
            word = " or " if isinstance(node.op, ast.And) else " and "
            yield "and/or", node, word.join(f"({text(v)})" for v in node.values)
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
            yield "constant", node, repr(node.value + 1)
        if isinstance(node, ast.If | ast.IfExp):
            yield "condition", node.test, f"not ({text(node.test)})"
        if isinstance(node, ast.comprehension):
            for test in node.ifs:
                yield "condition", test, f"not ({text(test)})"
        if isinstance(node, ast.Call):
            yield from self._arguments(node)
        if isinstance(node, ast.Return) and node.value is not None and text(node.value) != "None":
            yield "statement", node, "return None"
        elif isinstance(node, ast.Raise | ast.AugAssign | ast.Delete | ast.Continue | ast.Break) or _does(node):
            assert isinstance(node, ast.stmt)
            yield "statement", node, "pass"

    def _arguments(self, node: ast.Call) -> Iterator[tuple[str, ast.expr, str]]:
        """Two arguments change places, or a named one is left out."""
        if _name(node.func) in SAID:
            return
        parts = [*node.args, *(k.value for k in node.keywords)]
        if not parts or any(isinstance(p, ast.Starred | ast.GeneratorExp) for p in parts):
            return
        given = [self._text(a) for a in node.args]
        named = [self._text(k.value) if k.arg is None else f"{k.arg}={self._text(k.value)}" for k in node.keywords]
        head = self._text(node.func)
        for k in range(len(given) - 1):
            swapped = [*given[:k], given[k + 1], given[k], *given[k + 2 :]]
            yield "argument", node, f"{head}({', '.join(swapped + named)})"
        for k in range(len(named)):
            yield "argument", node, f"{head}({', '.join(given + named[:k] + named[k + 1 :])})"

    def _span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        begin = self.starts[node.lineno - 1] + node.col_offset
        return begin, self.starts[node.end_lineno - 1] + node.end_col_offset

    def _text(self, node: ast.expr) -> str:
        begin, end = self._span(node)
        return self.data[begin:end].decode()


def _does(node: ast.AST) -> bool:
    """Whether the rest still runs without a statement: a call, or a value that is stored in a thing."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Call) and _name(node.value.func) not in SAID
    return isinstance(node, ast.Assign) and all(isinstance(t, ast.Attribute | ast.Subscript) for t in node.targets)


def _name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _is_joined(node: ast.BinOp) -> bool:
    """Whether a sum joins texts or lists, where a minus sign fails at once; or adds 0, which makes 0 of -0."""
    sides = (node.left, node.right)
    return any(
        isinstance(s, ast.JoinedStr | ast.List | ast.Tuple | ast.ListComp)
        or (isinstance(s, ast.Constant) and (isinstance(s.value, str | bytes) or s.value == 0))
        for s in sides
    )
